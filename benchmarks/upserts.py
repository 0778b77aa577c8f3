"""Measures joins and merges of a batch of keys with a large table, without and with the extension.

The batch is a checkpoint, whose size Spark does not know. Each statement takes turns without and
with the extension in one session, a MERGE on two equal tables with keys of its own. Times are
medians in milliseconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

from lake import FORMATS, Format, session
from lookup import ROOT, Times, compared, switched, timed
from machine import run_on

WARM_UP = 2
FPP = 0.0001
TEXTS = 6
"""Columns of texts beside the key, so that rows have about 150 bytes."""
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


class Bench(NamedTuple):
    spark: SparkSession
    lake: Format
    files: int
    rows: int
    turns: int

    def table(self, enabled: str) -> str:
        return f"{self.lake.prefix}{'pruned' if enabled == 'true' else 'plain'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100_000, help="of a file")
    parser.add_argument("--keys", type=int, nargs="+", default=[10, 1000, 100_000])
    parser.add_argument("--turns", type=int, default=5, help="after two to warm up")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    name = arguments.format
    lake = FORMATS[name]
    spark = session(lake)
    bench = Bench(spark, lake, arguments.files, arguments.rows, arguments.turns)
    for enabled in ("false", "true"):
        write(bench, bench.table(enabled))
    lines = [
        f"Joins and merges of a batch with a table of {name}.",
        "Milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{lake.package}; {bench.files:,} files of {bench.rows:,} rows, one row group each, "
        f"FPP {FPP}; {bench.turns} turns after {WARM_UP} to warm up",
    ]
    for keys in arguments.keys:
        lines.append(f"  {keys:,} keys, each of another part of the table")
        for title, query in JOINS.items():
            lines += measured(bench, title, keys, lambda t, q=query: rows_of(bench, q, t))
        for title, clause in MERGES.items():
            text = f"MERGE INTO {{t}} t USING batch s ON t.key = s.key {clause}"
            lines += measured(bench, title, keys, lambda t, q=text: rows_of(bench, q, t))
        print("\n".join(lines), flush=True)
    default = ROOT / "benchmarks" / "results" / f"upserts-{name}-jdk17.txt"
    (arguments.out or default).write_text("\n".join(lines) + "\n", encoding="utf-8")
    spark.stop()


def rows_of(bench: Bench, query: str, table: str) -> int:
    return len(bench.spark.sql(query.replace("{t}", table)).collect())


def write(bench: Bench, table: str) -> None:
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
    using = "iceberg" if bench.lake.prefix else "delta"
    bench.spark.sql(
        f"CREATE TABLE {table} (id BIGINT, key BIGINT, {columns}) USING {using} "
        f"TBLPROPERTIES ({clause})"
    )
    total = bench.files * bench.rows
    bench.spark.sql(
        f"INSERT INTO {table} SELECT id, xxhash64(id) AS key, {', '.join(texts)} "
        f"FROM range(0, {total}, 1, {bench.files})"
    )


def batch(bench: Bench, keys: int, turn: int) -> None:
    """Makes the batch of a turn: keys that are as far apart as possible, and one of no row."""
    step = bench.files * bench.rows // keys
    found = bench.spark.range(keys).selectExpr(f"xxhash64(id * {step} + {turn} % {step}) AS key")
    absent = bench.spark.range(1).selectExpr(f"xxhash64(-{turn}L - 1) AS key")
    found.union(absent).coalesce(1).localCheckpoint().createOrReplaceTempView("batch")


def measured(bench: Bench, title: str, keys: int, run: Callable[[str], int]) -> list[str]:
    times: Times = {}
    for turn in range(bench.turns + WARM_UP):
        batch(bench, keys, turn)
        found: dict[str, object] = {}
        for enabled in ("false", "true")[:: 1 if turn % 2 else -1]:
            with switched(bench.spark, {"spark.sbbf.enabled": enabled}):
                seconds, found[enabled] = timed(lambda e=enabled: run(bench.table(e)))
            if turn >= WARM_UP:
                kind = "extension" if enabled == "true" else "Spark alone"
                times.setdefault(kind, []).append(seconds)
        assert found["false"] == found["true"], (title, found)
    return [f"  {title}", *compared(times, "Spark alone")]


if __name__ == "__main__":
    main()
