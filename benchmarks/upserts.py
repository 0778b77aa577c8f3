"""Measures joins and merges of a batch of keys with a large table, without and with the extension.

The batch is a checkpoint, whose size Spark does not know. Each statement takes turns without and
with the extension in one session and on one table, a MERGE with keys of its own. Times are medians
in milliseconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

from lake import FORMATS, Format, session
from lookup import ROOT, Times, compared, switched, timed
from machine import run_on

WARM_UP = 1
FPP = 0.0001
TEXTS = 3
"""Columns of texts beside the key, so that rows have about 90 bytes."""
PARQUET = Format(package="", conf={}, prefix="", properties={})
JOINS = {
    "JOIN": "SELECT t.id FROM batch b JOIN {t} t USING (key)",
    "LEFT JOIN": "SELECT b.key, t.id FROM batch b LEFT JOIN {t} t ON b.key = t.key",
    "LEFT ANTI JOIN (dedupe)": "SELECT b.key FROM batch b LEFT ANTI JOIN {t} t ON b.key = t.key",
}
MERGES = {
    "MERGE, update": "WHEN MATCHED THEN UPDATE SET c0 = 'new'",
    "MERGE, upsert": "WHEN MATCHED THEN UPDATE SET c0 = 'new' "
    "WHEN NOT MATCHED THEN INSERT (id, key, c0) VALUES (-1, s.key, 'new')",
}


KINDS = ["merges", "joins"]


class Bench(NamedTuple):
    spark: SparkSession
    files: int
    rows: int
    turns: int
    table: str


class Batch(NamedTuple):
    """Some keys that lie in so many files; as many of each."""

    keys: int
    files: int

    def __str__(self) -> str:
        return f"{self.keys:,} keys of {self.files:,} files"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=[*FORMATS, "parquet"])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100_000, help="of a file")
    parser.add_argument("--turns", type=int, default=5, help="after one to warm up")
    parser.add_argument("--statements", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    name, files = arguments.format, arguments.files
    lake = FORMATS.get(name, PARQUET)
    spark = session(lake, memory="6g")  # with 2g, Spark alone fails to sort the large side
    bench = Bench(spark, files, arguments.rows, arguments.turns, f"{lake.prefix}big")
    write(bench, name)
    lines = [
        f"Joins and merges of a batch with a table of {name}.",
        "Milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{lake.package or name}; {files:,} files of {bench.rows:,} rows, one row group each, "
        f"FPP {FPP}; {bench.turns} turns after {WARM_UP} to warm up",
    ]

    default = ROOT / "benchmarks" / "results" / f"upserts-{name}-jdk17.txt"

    def add(some: list[str]) -> None:
        lines.extend(some)
        print("\n".join(some), flush=True)
        # a run of hours leaves what it has measured
        (arguments.out or default).write_text("\n".join(lines) + "\n", encoding="utf-8")

    few = Batch(10, 10)
    if "merges" in arguments.statements and name in FORMATS:
        add([f"  {few}"])
        for title, clause in MERGES.items():
            text = f"MERGE INTO {{t}} t USING batch s ON t.key = s.key {clause}"
            add(measured(bench, title, few, text))
    if "joins" in arguments.statements:
        for of in (few, Batch(1000, files // 10), Batch(1000, files), Batch(100_000, files)):
            add([f"  {of}"])
            for title, query in JOINS.items():
                add(measured(bench, title, of, query))
    spark.stop()


def write(bench: Bench, using: str) -> None:
    """Makes a table whose files have one row group, and filters of the size of its keys."""
    properties = {
        "parquet.bloom.filter.enabled#key": "true",
        "parquet.bloom.filter.expected.ndv#key": str(bench.rows),
        "parquet.bloom.filter.fpp#key": str(FPP),
        "write.parquet.bloom-filter-enabled.column.key": "true",
        "write.parquet.bloom-filter-ndv.column.key": str(bench.rows),
        "write.parquet.bloom-filter-fpp.column.key": str(FPP),
        "write.distribution-mode": "none",
    }
    clause = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    texts = [f"concat('text ', xxhash64(id, {n})) AS c{n}" for n in range(TEXTS)]
    columns = ", ".join(f"c{n} STRING" for n in range(TEXTS))
    kind = "OPTIONS" if using == "parquet" else "TBLPROPERTIES"
    bench.spark.sql(
        f"CREATE TABLE {bench.table} (id BIGINT, key BIGINT, {columns}) USING {using} "
        f"{kind} ({clause})"
    )
    total = bench.files * bench.rows
    bench.spark.sql(
        f"INSERT INTO {bench.table} SELECT id, xxhash64(id) AS key, {', '.join(texts)} "
        f"FROM range(0, {total}, 1, {bench.files})"
    )


def batch(bench: Bench, of: Batch, turn: int) -> None:
    """Makes the batch of a turn: keys of files that are far apart, and an absent key."""
    step = bench.files // of.files * bench.rows
    of_file = of.keys // of.files
    apart = bench.rows // of_file
    place = f"id DIV {of_file} * {step} + id % {of_file} * {apart} + {turn} % {apart}"
    found = bench.spark.range(of.keys).selectExpr(f"xxhash64({place}) AS key")
    absent = bench.spark.range(1).selectExpr(f"xxhash64(-{turn}L - 1) AS key")
    found.union(absent).coalesce(1).localCheckpoint().createOrReplaceTempView("batch")


def measured(bench: Bench, title: str, of: Batch, query: str) -> list[str]:
    times: Times = {}
    first = 2 * (bench.turns + WARM_UP) * list(MERGES).index(title) if title in MERGES else 0
    for turn in range(bench.turns + WARM_UP):
        found: dict[str, int] = {}
        for place, enabled in enumerate(("false", "true")[:: 1 if turn % 2 else -1]):
            batch(bench, of, first + 2 * turn + place)
            with switched(bench.spark, {"spark.sbbf.enabled": enabled}):
                seconds, found[enabled] = timed(lambda: rows_of(bench, query))
            if turn >= WARM_UP:
                kind = "extension" if enabled == "true" else "Spark alone"
                times.setdefault(kind, []).append(seconds)
        assert found["false"] == found["true"], (title, found)
    return [f"  {title}", *compared(times, "Spark alone")]


def rows_of(bench: Bench, query: str) -> int:
    return len(bench.spark.sql(query.replace("{t}", bench.table)).collect())


if __name__ == "__main__":
    main()
