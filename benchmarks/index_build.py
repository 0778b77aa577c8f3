"""Measures what an index costs: time and bytes of a build, a refresh and a merge, beside filters.

The table has columns of 10 to all distinct values, and no filters. A refresh gets 1 % more files.
Each build and each add_filters runs on its own copy of the files, in turns.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import time
from pathlib import Path

from pyspark.sql import Column, SparkSession

import spark_sbbf as sbbf
from lookup import DATA, ROOT, ROW_GROUPS, key, session, timed
from machine import run_on

ROWS = 3112
DISTINCT = {"few": 10, "some": 1000, "many": 100_000}
FPP = 0.01
MERGED = 8
"""Segments that a refresh merges."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=3, help="after one to warm up")
    parser.add_argument("--refresh", action="store_true", help="only a build and a refresh")
    default = ROOT / "benchmarks" / "results" / "index-build-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    table = written(spark, "table", 0, arguments.files)
    more = written(spark, "more", arguments.files, arguments.files // 100)
    entries = arguments.files * ROW_GROUPS * ROWS
    lines = [
        "An index of a table without filters; seconds: median of the turns.",
        *run_on(spark),
        f"{arguments.files:,} files of {ROW_GROUPS} row groups, {entries:,} rows; "
        f"{arguments.turns} turns after one to warm up",
        *built(spark, table, more, arguments.turns, arguments.refresh),
        *([] if arguments.refresh else sizes(spark, table)),
    ]
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def written(spark: SparkSession, name: str, first: int, files: int) -> Path:
    """Writes files whose rows follow those of `first` files."""
    folder = DATA / "index-build" / name
    shutil.rmtree(folder, ignore_errors=True)
    per_file = ROW_GROUPS * ROWS
    ids = spark.range(first * per_file, (first + files) * per_file, 1, files)
    columns = [key("id").alias("key"), *few_columns()]
    ids.select(*columns).write.options(
        **{"parquet.enable.dictionary": "false", "parquet.block.row.count.limit": str(ROWS)}
    ).parquet(str(folder))
    settled(folder)
    return folder


def few_columns() -> list[Column]:
    return [(key("id", 2) % count).alias(name) for name, count in DISTINCT.items()]


def settled(folder: Path) -> None:
    """Makes files look old, so that a build does not wait for them."""
    for file in folder.glob("*.parquet"):
        os.utime(file, (1_700_000_000, 1_700_000_000))


def built(
    spark: SparkSession, table: Path, more: Path, turns: int, only_refresh: bool
) -> list[str]:
    seconds: dict[str, list[float]] = {}
    for turn in range(turns + 1):
        took = refreshed(spark, table, more)
        if not only_refresh:
            took |= added(spark, table) | merged(spark, table)
        if turn:
            for name, second in took.items():
                seconds.setdefault(name, []).append(second)
    middle = {name: statistics.median(took) for name, took in seconds.items()}
    estimated = sbbf.create_index(spark, copy_of(table), "key", dry_run=True)
    bases = [base for base in ("add_filters", "create_index") if base in middle]
    return [
        f"  {name:<34}{took:8.2f}   "
        + ", ".join(f"{took / middle[base]:6.3f} x {base}" for base in bases)
        for name, took in middle.items()
    ] + [f"  create_index, estimated by a dry run: {estimated.seconds:.1f} s"]


def added(spark: SparkSession, table: Path) -> dict[str, float]:
    filtered = copy_of(table, "filtered")
    return {"add_filters": timed(lambda: sbbf.add_filters(spark, filtered, "key", fpp=FPP))[0]}


def refreshed(spark: SparkSession, table: Path, more: Path) -> dict[str, float]:
    """Measures a build, and a refresh after more files came."""
    indexed = copy_of(table, "indexed")
    built, _ = timed(lambda: sbbf.create_index(spark, indexed, "key"))
    new = sorted(more.glob("*.parquet"))
    for file in new:
        shutil.copy2(file, indexed)
    took, report = timed(lambda: sbbf.refresh_index(spark, indexed))
    assert isinstance(report, sbbf.IndexReport) and report.files == len(new)
    return {"create_index": built, f"refresh_index, {len(new)} new files": took}


def merged(spark: SparkSession, table: Path) -> dict[str, float]:
    """Measures a refresh that merges segments."""
    folder = copy_of(table, "merged")
    files = sorted(Path(folder).glob("*.parquet"))
    away = Path(folder).with_name("away")
    shutil.rmtree(away, ignore_errors=True)
    away.mkdir()
    for file in files:
        shutil.move(file, away)
    for n in range(MERGED):
        for file in files[n::MERGED]:
            shutil.move(away / file.name, folder)
        sbbf.create_index(spark, folder, "key")
    took, report = timed(lambda: sbbf.refresh_index(spark, folder))
    assert isinstance(report, sbbf.IndexReport) and report.merged_files == len(files)
    return {f"refresh_index, merges {MERGED} segments": took}


def copy_of(table: Path, name: str = "copy") -> str:
    folder = table.with_name(name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(table, folder)
    time.sleep(0.1)
    return str(folder)


def sizes(spark: SparkSession, table: Path) -> list[str]:
    """Returns a line for each column: its index and its filters."""
    folder = copy_of(table)
    lines = []
    for column in ("key", *DISTINCT):
        index = sbbf.create_index(spark, folder, column)
        sbbf.drop_index(spark, folder)
        change = sbbf.add_filters(spark, folder, column, fpp=FPP)
        filters = sum(file.filter_bytes for file in change.files)
        lines.append(
            f"  {column:<5} {DISTINCT.get(column, 'all'):>7} distinct values: index "
            f"{index.bytes:>11,} bytes, {8 * index.bytes / index.entries:5.1f} bits an entry; "
            f"filters of FPP {FPP} {filters:>11,} bytes"
        )
    return lines


if __name__ == "__main__":
    main()
