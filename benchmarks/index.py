"""Measures lookups by the index of a table, beside filters alone, Spark alone and the oracle.

The tables are those of lookup.py, whose files have filters. The oracle is Spark alone on only the
files that hold the answer. All run side by side, key by key, in one session. Times are medians in
milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from lookup import (
    ROOT,
    ROW_GROUPS,
    SCHEMA,
    WARM_UP,
    Table,
    Times,
    compared,
    keys_of,
    session,
    spaced,
    spread,
    timed,
    written,
)
from machine import run_on

FPP = 0.01
SEVERAL, JOINED = 10, 100
FRESH_KINDS = ("extension", "filters alone", "the oracle")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--keys", type=int, default=15, help="measured keys of each kind")
    parser.add_argument("--fresh-runs", type=int, default=3, help="fresh JVMs of each kind")
    parser.add_argument("--fresh", nargs=3, metavar=("KIND", "PATH", "KEY"))
    default = ROOT / "benchmarks" / "results" / "index-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    if arguments.fresh:
        print(first_query(*arguments.fresh))
        return
    spark = session("true")
    out = [
        "\n".join(
            [
                "Lookups by an index; milliseconds: median (minimum to maximum).",
                *run_on(spark),
                f"{arguments.keys} lookups of each kind after {WARM_UP} to warm up; "
                f"{arguments.fresh_runs} fresh JVMs of each kind",
            ]
        )
    ]
    for files in arguments.files:
        out.append(measured(spark, written(spark, files, FPP), arguments))
        print(out[-1], flush=True)
        arguments.out.write_text("\n\n".join(out) + "\n", encoding="utf-8")


def measured(spark: SparkSession, table: Table, arguments: argparse.Namespace) -> str:
    sbbf.drop_index(spark, table.path)
    seconds, change = timed(lambda: sbbf.create_index(spark, table.path, "key"))
    assert isinstance(change, sbbf.IndexReport)
    df = spark.read.schema(SCHEMA).parquet(table.path)
    total = arguments.keys + WARM_UP
    lines = [
        f"{table.files:,} files of {ROW_GROUPS} row groups with filters of FPP {table.fpp}, "
        f"{table.rows:,} rows",
        f"  build: {seconds:.1f} s, {change.bytes:,} bytes, "
        f"{8 * change.bytes / change.keys:.1f} bits a key",
    ]
    present = [[k] for k in keys_of(spark, spaced(table, total))]
    absent = [[k] for k in keys_of(spark, [table.rows + n for n in range(total)])]
    some = [
        keys_of(spark, [table.rows // SEVERAL * m + 17 * n for m in range(SEVERAL)])
        for n in range(total)
    ]
    many = [
        keys_of(spark, [table.rows // JOINED * m + 19 * n for m in range(JOINED)])
        for n in range(total)
    ]
    for name, keys, query in (
        ("present key", present, where),
        ("absent key", absent, where),
        (f"{SEVERAL} keys", some, where),
        (f"join of {JOINED} keys", many, join),
    ):
        times, kept = lookups(spark, df, keys, query, finds=name != "absent key")
        lines += [
            f"  {name}: row groups kept {statistics.mean(kept):.2f} on average",
            *compared(
                times,
                *(["the oracle"] if times.get("the oracle") else []),
                "filters",
                "Spark alone",
            ),
        ]
    lines += ["  first query of a fresh JVM"]
    first: Times = {}
    for run in range(arguments.fresh_runs):
        for kind in FRESH_KINDS[:: 1 if run % 2 else -1]:
            (key,) = present[run]
            path = file_of(df, key) if kind == "the oracle" else table.path
            command = [sys.executable, __file__, "--fresh", kind, path, str(key)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            first.setdefault(kind, []).append(float(done.stdout.splitlines()[-1]))
    lines += [f"    {kind:<17}{spread(first[kind])}" for kind in FRESH_KINDS]
    return "\n".join(lines)


def file_of(df: DataFrame, key: int) -> str:
    """Returns the path of the file that holds a key."""
    (row,) = df.where(f"key = {key}").select(F.input_file_name().alias("file")).collect()
    return str(row.file)


Query = Callable[[SparkSession, DataFrame, list[int]], DataFrame]


def where(spark: SparkSession, df: DataFrame, keys: list[int]) -> DataFrame:
    return df.where(F.col("key").isin(keys))


def join(spark: SparkSession, df: DataFrame, keys: list[int]) -> DataFrame:
    return df.join(F.broadcast(spark.createDataFrame([(k,) for k in keys], "key long")), "key")


def lookups(
    spark: SparkSession, df: DataFrame, lists: list[list[int]], query: Query, finds: bool
) -> tuple[Times, list[int]]:
    """Returns times of each contestant for all but the first lists, and row groups kept."""
    times: Times = {}
    kept = []
    for n, keys in enumerate(lists):
        looked_up = query(spark, df, keys)
        looked_up.collect()  # what the keys of a join prune is known after it ran
        (scan,) = sbbf.explain(looked_up, show=False).scans
        kept.append(scan.row_groups_kept)
        contestants = {
            "Spark alone": ("false", "true", df),
            "filters": ("true", "false", df),
            "extension": ("true", "true", df),
        }
        if finds:
            answer = where(spark, df, keys).select(F.input_file_name().alias("file")).distinct()
            files = [row.file for row in answer.collect()]
            contestants["the oracle"] = ("false", "true", spark.read.schema(SCHEMA).parquet(*files))
        names = list(contestants)
        for name in names[n % len(names) :] + names[: n % len(names)]:
            enabled, index, frame = contestants[name]
            spark.conf.set("spark.sbbf.enabled", enabled)
            spark.conf.set("spark.sbbf.index.enabled", index)
            seconds, rows = timed(lambda: len(query(spark, frame, keys).collect()))
            spark.conf.set("spark.sbbf.enabled", "true")
            spark.conf.set("spark.sbbf.index.enabled", "true")
            assert rows == (len(keys) if finds else 0), f"{name} found {rows} rows for {keys}"
            if n >= WARM_UP:
                times.setdefault(name, []).append(seconds)
    return times, kept


def first_query(kind: str, path: str, key: str) -> float:
    """Returns the seconds of the first query of this process, with the listing of the files."""
    spark = session(str(kind != "the oracle").lower())
    spark.conf.set("spark.sbbf.index.enabled", str(kind == "extension").lower())
    started = time.perf_counter()
    spark.read.schema(SCHEMA).parquet(path).where(f"key = {key}").collect()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
