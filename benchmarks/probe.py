"""Measures a probe of many keys, beside a join that reads the rows of the keys.

The table is that of lookup.py. Half of the keys are in the table. Times are those of whole actions,
after one to warm up: median (minimum to maximum).
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from lookup import ROOT, ROW_GROUPS, Table, key, session, timed, written
from machine import run_on

FPP = 0.0001


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--keys", type=int, nargs="+", default=[1, 1000, 100_000])
    parser.add_argument("--turns", type=int, default=3, help="after one to warm up")
    default = ROOT / "benchmarks" / "results" / "probe-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    table = written(spark, arguments.files, FPP)
    lines = [
        "Row groups that might hold many keys; seconds: median (minimum to maximum).",
        *run_on(spark),
        f"{table.files:,} files of {ROW_GROUPS} row groups, {table.rows:,} rows, filters of {FPP}; "
        f"half of the keys are in the table; {arguments.turns} turns after one to warm up",
    ]
    for count in arguments.keys:
        lines += measured(spark, table, count, arguments.turns)
    spark.stop()
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(spark: SparkSession, table: Table, count: int, turns: int) -> list[str]:
    keys = keys_of(spark, table, count)
    probes = [timed(sbbf.probe(spark, table.path, "key", keys).count) for _ in range(turns + 1)]
    pairs = probes[-1][1]
    events = spark.read.parquet(table.path)
    joins = [timed(events.join(F.broadcast(keys), "key").count) for _ in range(turns + 1)]
    keys.unpersist()
    return [
        f"{count:,} keys: {pairs:,} of {count * table.files * ROW_GROUPS:,} pairs of key and row "
        f"group; {joins[-1][1]:,} rows",
        f"  probe           {spread([took for took, _ in probes[1:]])}",
        f"  broadcast join  {spread([took for took, _ in joins[1:]])}",
    ]


def keys_of(spark: SparkSession, table: Table, count: int) -> DataFrame:
    """Returns keys that are spread over the table, and as many that are in no file."""
    step = max(1, 2 * table.rows // count)
    present = spark.range(0, table.rows, step, 1).limit(max(1, count // 2))
    absent = spark.range(table.rows, table.rows + count // 2, 1, 1)
    return present.union(absent).select(key("id").alias("key")).cache()


def spread(times: list[float]) -> str:
    return f"{statistics.median(times):7.2f}  ({min(times):.2f} to {max(times):.2f})"


if __name__ == "__main__":
    main()
