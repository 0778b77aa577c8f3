"""Measures lookups in a table whose filters exceed the cache: cache.py OLD.jar.

Fresh JVMs with this tree's JAR and with an older one take turns. In each, the cache holds a part of
the table's footers and filters, and lookups of absent keys follow each other. Times are in
milliseconds: medians over all JVMs.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import spark_sbbf as sbbf
from against import in_a_fresh_jvm
from lookup import ROOT, ROWS, SCHEMA, Times, compared, header, keys_of, session, timed, written

FPP = min(ROWS)
FACTORS = ("0.8", "1.25", "2", "10")
"""How many times the size of the cache the table has."""
KEYS = 8
WARM_UP = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, nargs="?", help="without it, one JVM is measured")
    parser.add_argument("--files", type=int, default=2_500)
    parser.add_argument("--turns", type=int, default=2, help="fresh JVMs of each JAR")
    default = ROOT / "benchmarks" / "results" / "cache-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    if arguments.old is None:
        print(json.dumps(measured(arguments.files)))
        return
    jars = {"the older JAR": arguments.old, "extension": Path(sbbf.jar_path())}
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in jars}
    for turn in range(arguments.turns):
        for name in list(jars)[:: 1 if turn % 2 else -1]:
            runs[name].append(in_a_fresh_jvm(jars[name], __file__, "--files", str(arguments.files)))
    some = runs["extension"][0]
    lines = [
        f"{some['header']}; {arguments.turns} JVMs of each JAR",
        f"{arguments.files:,} files, FPP {FPP}; footers and filters: {some['bytes']:,} bytes",
    ]
    for factor in FACTORS:
        lines.append(f"  absent key, the table has {factor} x the size of the cache")
        times: Times = {
            name: [second for run in every for second in run[factor]["seconds"]]
            for name, every in runs.items()
        }
        lines += compared(times, "the older JAR")
        for name, every in runs.items():
            read = statistics.median(kb for run in every for kb in run[factor]["kilobytes"])
            lines.append(f"      read by each query, {name}: {read:,.0f} KB")
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(files: int) -> dict[str, Any]:
    spark = session("true")
    table = written(spark, files, FPP)
    df = spark.read.schema(SCHEMA).parquet(table.path)
    keys = keys_of(spark, [table.rows + n for n in range(KEYS + WARM_UP)])
    spark.conf.set("spark.sbbf.cache.maxBytes", "1g")
    df.where(f"key = {keys[0]}").collect()
    cache = spark._jvm.io.sbbf.parquet.prune.FooterCache.shared()  # type: ignore[union-attr]
    needed = cache.retainedBytes()
    found: dict[str, Any] = {"header": header(spark, KEYS), "bytes": needed}
    for factor in FACTORS:
        spark.conf.set("spark.sbbf.cache.maxBytes", str(int(needed / float(factor))))
        seconds, kilobytes = [], []
        for key in keys:
            query = df.where(f"key = {key}")
            seconds.append(timed(query.collect)[0])
            kilobytes.append(sum(scan.bytes_read for scan in sbbf.explain(query).scans) / 1024)
        found[factor] = {"seconds": seconds[WARM_UP:], "kilobytes": kilobytes[WARM_UP:]}
    return found


if __name__ == "__main__":
    main()
