"""Measures lookups of one key in ORC files by Spark alone, by the extension and by the best plans.

The contestants are those of lookup.py. Each file has four stripes of one row group.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from lookup import (
    DATA,
    ROOT,
    SCHEMA,
    WARM_UP,
    Table,
    compared,
    key,
    keys_of,
    lookups,
    session,
    spaced,
)
from machine import run_on

STRIPES, ROWS = 4, 3112
FPP = 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1000])
    parser.add_argument("--keys", type=int, default=24, help="measured keys of each kind")
    default = ROOT / "benchmarks" / "results" / "orc-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    out = [
        "\n".join(
            [
                "Lookups of one key in ORC files; milliseconds: median (minimum to maximum).",
                *run_on(spark),
                f"{arguments.keys} keys of each kind after {WARM_UP} to warm up",
            ]
        )
    ]
    for files in arguments.files:
        out.append(measured(spark, written(spark, files), arguments.keys))
        print(out[-1], flush=True)
        arguments.out.write_text("\n\n".join(out) + "\n", encoding="utf-8")


def written(spark: SparkSession, files: int) -> Table:
    table = Table(str(DATA / f"orc-{files}x{STRIPES}x{ROWS}-{FPP}"), files, FPP)
    if not Path(table.path, "_SUCCESS").exists():
        data = spark.range(0, files * STRIPES * ROWS, 1, files).select(
            key("id").alias("key"), "id", key("id", 1).alias("other"), F.rand(7).alias("amount")
        )
        options = sbbf.bloom_options("key", fpp=FPP, format="orc")
        options["orc.stripe.row.count"] = str(ROWS)
        data.write.mode("overwrite").options(**options).orc(table.path)
        time.sleep(3)  # the extension does not cache files that were written more recently
    return table


def measured(spark: SparkSession, table: Table, keys: int) -> str:
    df = spark.read.schema(SCHEMA).orc(table.path)
    total = keys + WARM_UP
    rows = table.files * STRIPES * ROWS
    present = keys_of(spark, spaced(table, total))
    absent = keys_of(spark, [rows + n for n in range(total)])
    stripes = sbbf.explain(df.where(f"key = {present[0]}"), show=False).scans[0].row_groups
    lines = [f"{table.files:,} files, {stripes:,} stripes, FPP {FPP}, {rows:,} rows"]
    times, kept = lookups(spark, df, present, format="orc")
    lines += [
        f"  present key: files kept {statistics.mean(kept):.1f} on average",
        *compared(times, "as a job", "the filter limit", "the oracle", "Spark alone"),
    ]
    times, kept = lookups(spark, df, absent, best=False, format="orc")
    lines += [
        f"  absent key: files kept {statistics.mean(kept):.1f}",
        *compared(times, "as a job", "an empty table", "Spark alone"),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
