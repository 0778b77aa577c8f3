"""Measures adding filters to existing files, beside a rewrite by Spark, in one run.

For tables of 12 and of 60 columns, two of which get filters: adding them, a copy of the files,
a read of the two columns, and a rewrite by Spark that requests the same filters. All take turns,
each on its own files, which are in the page cache. Then lookups are planned on the tables.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
from pathlib import Path

from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from lookup import DATA, ROOT, session, timed
from machine import run_on

FILTERED = ("key", "session")
FILES = 4
COPIES = ("copy of the files", "copy forced to disk")
PAYLOAD = (
    "id / {n}D AS amount{n}",
    "timestamp_seconds(id * {n}) AS at{n}",
    "cast(hash(id, {n}) % 5000 AS int) AS code{n}",
    "concat('a line of text, number ', hash(id, {n}) % 77777) AS line{n}",
    "xxhash64(id, {n}) AS digest{n}",
)
SECONDS = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=144_000_000, help="rows times columns")
    parser.add_argument("--turns", type=int, default=5, help="after one to warm up")
    default = ROOT / "benchmarks" / "results" / "add-filters-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    lines = [
        "Giving existing Parquet files bloom filters; seconds: median (minimum to maximum).",
        *run_on(spark),
        f"Filters of 2 columns, FPP 0.01; {arguments.turns} turns after one to warm up",
    ]
    for columns in (12, 60):
        table = written(spark, columns, arguments.cells // columns)
        seconds: SECONDS = {}
        for turn in range(arguments.turns + 1):
            took = measured(spark, table)
            for name, value in took.items() if turn else ():
                seconds.setdefault(name, []).append(value)
        lines += described(table, columns, arguments.cells // columns, seconds)
        lines += looked_up(spark, table)
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def written(spark: SparkSession, columns: int, rows: int) -> Path:
    folder = DATA / "add-filters" / f"{columns} columns"
    shutil.rmtree(folder, ignore_errors=True)
    payload = [PAYLOAD[n % len(PAYLOAD)].format(n=n + 1) for n in range(columns - len(FILTERED))]
    spark.range(0, rows, 1, FILES).selectExpr(
        "id * 2654435761 % 9007199254740993 AS key",
        "concat('session-', id * 7919 % 100000) AS session",
        *payload,
    ).write.parquet(str(folder))
    return folder


def measured(spark: SparkSession, table: Path) -> dict[str, float]:
    """Measures each way once."""
    added, copied, forced, rewritten = (
        table.with_name(f"{table.name}, {name}")
        for name in ("added", "copied", "forced", "rewritten")
    )
    for folder in (added, copied, forced, rewritten):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(table, added)
    filters = sbbf.bloom_options(*FILTERED)
    took = {
        "add_filters": lambda: sbbf.add_filters(spark, str(added), FILTERED),
        "copy of the files": lambda: shutil.copytree(table, copied),
        "copy forced to disk": lambda: shutil.copytree(table, forced, copy_function=forced_copy),
        "read of the columns": lambda: (
            spark.read.parquet(str(table))
            .select(*FILTERED)
            .write.format("noop")
            .mode("append")
            .save()
        ),
        "rewrite by Spark": lambda: (
            spark.read.parquet(str(table)).write.options(**filters).parquet(str(rewritten))
        ),
    }
    spark.conf.set("spark.sbbf.exactFilters.enabled", "false")
    return {name: timed(work)[0] for name, work in took.items()}


def forced_copy(source: str, to: str) -> None:
    """Flushes as add_filters does, or a crash of the machine may leave a name without its bytes."""
    shutil.copyfile(source, to)
    with open(to, "rb") as file:
        os.fsync(file.fileno())


def described(table: Path, columns: int, rows: int, seconds: SECONDS) -> list[str]:
    size = sum(file.stat().st_size for file in table.glob("*.parquet"))
    median = {name: statistics.median(values) for name, values in seconds.items()}
    lines = [f"{columns} columns, {rows:,} rows in {FILES} files of {size / 1e6:,.0f} MB together"]
    lines += [
        f"  {name:<20}{median[name]:7.2f}  ({min(values):.2f} to {max(values):.2f})"
        for name, values in seconds.items()
    ]
    adding, read = median["add_filters"], median["read of the columns"]
    plain, forced = (adding / (median[copy] + read) for copy in COPIES)
    return [
        *lines,
        f"  add_filters takes {plain:.2f} x as long as the copy and the read, {forced:.2f} x where "
        "the copy is forced to disk as that of add_filters is;",
        f"  the rewrite {median['rewrite by Spark'] / adding:.1f} x as long as add_filters",
    ]


def looked_up(spark: SparkSession, table: Path) -> list[str]:
    """Returns the row groups planned for an absent key, without filters and with added ones."""
    lines = []
    for folder in (table, table.with_name(f"{table.name}, added")):
        query = spark.read.parquet(str(folder)).where("key = 1")
        (scan,) = sbbf.explain(query, show=False).scans
        assert query.count() == 0
        lines.append(
            f"  an absent key in '{folder.name}': {scan.row_groups_kept} of {scan.row_groups} "
            "row groups planned"
        )
    return lines


if __name__ == "__main__":
    main()
