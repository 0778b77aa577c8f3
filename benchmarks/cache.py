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
from lookup import (
    ROOT,
    ROWS,
    SCHEMA,
    WARM_UP,
    Times,
    compared,
    header,
    keys_of,
    session,
    timed,
    written,
)

FPP = min(ROWS)
FACTORS = (0.8, 1.25, 2, 10)
"""How many times the size of the cache the table has."""
LARGE = 1 << 30
"""A cache that holds every table of the benchmark, in bytes."""
KEYS = 8

Runs = dict[float, dict[str, list[dict[str, Any]]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, nargs="?", help="without it, one JVM is measured")
    parser.add_argument("--files", type=int, default=2_500)
    parser.add_argument("--turns", type=int, default=2, help="fresh JVMs of each JAR")
    parser.add_argument("--bytes", type=int, default=LARGE, help="size of the cache")
    default = ROOT / "benchmarks" / "results" / "cache-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    if arguments.old is None:
        print(json.dumps(measured(arguments.files, arguments.bytes)))
        return
    jars = {"the older JAR": arguments.old, "extension": Path(sbbf.jar_path())}
    script = [__file__, "--files", str(arguments.files), "--bytes"]
    whole = in_a_fresh_jvm(jars["extension"], *script, str(LARGE))["retained"]
    runs: Runs = {factor: {name: [] for name in jars} for factor in FACTORS}
    for turn in range(arguments.turns):
        for factor in FACTORS:
            for name in list(jars)[:: 1 if turn % 2 else -1]:
                found = in_a_fresh_jvm(jars[name], *script, str(int(whole / factor)))
                runs[factor][name].append(found)
    some = runs[FACTORS[0]]["extension"][0]
    lines = [
        f"{some['header']}; {arguments.turns} JVMs of each JAR and size of the cache",
        f"{arguments.files:,} files, FPP {FPP}; footers and filters: {whole:,} bytes",
    ]
    for factor, of_factor in runs.items():
        lines.append(f"  absent key, the table has {factor} x the size of the cache")
        times: Times = {
            name: [second for run in every for second in run["seconds"]]
            for name, every in of_factor.items()
        }
        lines += compared(times, "the older JAR")
        for name, every in of_factor.items():
            read = statistics.median(kb for run in every for kb in run["kilobytes"])
            lines.append(f"      read by each query, {name}: {read:,.0f} KB")
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(files: int, cache_bytes: int) -> dict[str, Any]:
    spark = session("true")
    table = written(spark, files, FPP)
    spark.conf.set("spark.sbbf.cache.maxBytes", str(cache_bytes))
    df = spark.read.schema(SCHEMA).parquet(table.path)
    jvm: Any = spark._jvm
    local_files = jvm.org.apache.hadoop.fs.FileSystem.getGlobalStorageStatistics().get("file")
    seconds, kilobytes = [], []
    for key in keys_of(spark, [table.rows + n for n in range(KEYS + WARM_UP)]):
        before = local_files.getLong("bytesRead")
        seconds.append(timed(df.where(f"key = {key}").collect)[0])
        kilobytes.append((local_files.getLong("bytesRead") - before) / 1024)
    found = {"header": header(spark, KEYS), "seconds": seconds[WARM_UP:]}
    found["kilobytes"] = kilobytes[WARM_UP:]
    if cache_bytes == LARGE:
        found["retained"] = jvm.io.sbbf.parquet.prune.FooterCache.shared().retainedBytes()
    return found


if __name__ == "__main__":
    main()
