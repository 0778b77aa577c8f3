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
        *built(spark, table, more, arguments.turns),
        *sizes(spark, table),
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


def built(spark: SparkSession, table: Path, more: Path, turns: int) -> list[str]:
    seconds: dict[str, list[float]] = {}
    for turn in range(turns + 1):
        for name, took in one_turn(spark, table, more).items():
            if turn:
                seconds.setdefault(name, []).append(took)
    middle = {name: statistics.median(took) for name, took in seconds.items()}
    estimated = sbbf.create_index(spark, copy_of(table), "key", dry_run=True)
    return [
        f"  {name:<34}{took:8.1f}   {took / middle['add_filters']:5.2f} x add_filters, "
        f"{took / middle['create_index']:5.2f} x create_index"
        for name, took in middle.items()
    ] + [f"  create_index, estimated by a dry run: {estimated.seconds:.1f} s"]


def one_turn(spark: SparkSession, table: Path, more: Path) -> dict[str, float]:
    """Measures each way once, each on its own copy of the files."""
    took = {}
    filtered, indexed = copy_of(table, "filtered"), copy_of(table, "indexed")
    took["add_filters"], _ = timed(lambda: sbbf.add_filters(spark, filtered, "key", fpp=FPP))
    took["create_index"], _ = timed(lambda: sbbf.create_index(spark, indexed, "key"))
    new = sorted(more.glob("*.parquet"))
    for file in new:
        shutil.copy2(file, indexed)
    name = f"refresh_index, {len(new)} new files"
    took[name], report = timed(lambda: sbbf.refresh_index(spark, indexed))
    assert isinstance(report, sbbf.IndexReport) and report.files == len(new)
    merged = copy_of(table, "merged")
    files = sorted(Path(merged).glob("*.parquet"))
    away = Path(merged).with_name("away")
    shutil.rmtree(away, ignore_errors=True)
    away.mkdir()
    for file in files:
        shutil.move(file, away)
    for n in range(MERGED):
        for file in files[n::MERGED]:
            shutil.move(away / file.name, merged)
        sbbf.create_index(spark, merged, "key")
    name = f"refresh_index, merges {MERGED} segments"
    took[name], report = timed(lambda: sbbf.refresh_index(spark, merged))
    assert isinstance(report, sbbf.IndexReport) and report.merged_files == len(files)
    return took


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
        added = sbbf.add_filters(spark, folder, column, fpp=FPP)
        filters = sum(file.filter_bytes for file in added.files)
        lines.append(
            f"  {column:<5} {DISTINCT.get(column, 'all'):>7} distinct values: index "
            f"{index.bytes:>11,} bytes, {8 * index.bytes / index.entries:5.1f} bits an entry; "
            f"filters of FPP {FPP} {filters:>11,} bytes"
        )
    return lines


if __name__ == "__main__":
    main()
