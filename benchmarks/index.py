"""Measures lookups by the index of a table, beside filters alone, other engines and the oracle.

The tables are those of lookup.py, with filters or without, and tables of tiny files that pyarrow
writes: 100 rows each, as 100,000 files of usual size do not fit. The oracle is Spark alone on only
the files that hold the answer. All run side by side, key by key, in one process. Times are medians
in milliseconds. In tables of more than 1,000 files, those that take seconds get few turns.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from engines import DataFusion, DuckDB, Engine
from lookup import (
    DATA,
    NO_FILTERS,
    ROOT,
    ROW_GROUPS,
    SCHEMA,
    WARM_UP,
    Table,
    Times,
    compared,
    keys_of,
    rows_of,
    session,
    spaced,
    spread,
    timed,
    written,
)
from machine import run_on

FPP = 0.01
SEVERAL, JOINED = 10, 100
FRESH_KINDS = ("extension", "without an index", "the oracle")
FAST = ("extension", "the oracle")
TINY = 25
"""Rows of a row group of a tiny file."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--plain", type=int, nargs="*", default=[1000], help="files, no filters")
    parser.add_argument("--tiny", type=int, nargs="*", default=[100000], help="tiny files")
    parser.add_argument("--keys", type=int, default=15, help="measured keys of each kind")
    parser.add_argument("--slow", type=int, default=3, help="turns of those that take seconds")
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
                f"{arguments.keys} lookups of each kind after {WARM_UP} to warm up, beyond 1,000 "
                f"files {arguments.slow} of those that take seconds; fresh JVMs: "
                f"{arguments.fresh_runs}",
            ]
        )
    ]
    tables: list[Callable[[], Table]] = [
        *(partial(written, spark, files, FPP) for files in arguments.files),
        *(partial(written, spark, files, NO_FILTERS) for files in arguments.plain),
        *(partial(tiny, spark, files) for files in arguments.tiny),
    ]
    for table in tables:
        out.append(measured(spark, table(), arguments))
        print(out[-1], flush=True)
        arguments.out.write_text("\n\n".join(out) + "\n", encoding="utf-8")


def measured(spark: SparkSession, table: Table, arguments: argparse.Namespace) -> str:
    sbbf.drop_index(spark, table.path)
    seconds, change = timed(lambda: sbbf.create_index(spark, table.path, "key"))
    assert isinstance(change, sbbf.IndexReport)
    df = spark.read.schema(SCHEMA).parquet(table.path)
    total = arguments.keys + WARM_UP
    lines = [
        f"{table.files:,} {'tiny ' if table.rows_in_group else ''}files of {ROW_GROUPS} row groups "
        f"{f'with filters of FPP {table.fpp}' if table.fpp else 'without filters'}, "
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
    engines = [DuckDB(table.path), DataFusion(table.path)]
    first_slow = total - arguments.slow if table.files > 1000 else 0
    for name, keys, query in (
        ("present key", present, where),
        ("absent key", absent, where),
        (f"{SEVERAL} keys", some, where),
        (f"join of {JOINED} keys", many, join),
    ):
        peers = engines if query is where else []
        times, kept = lookups(spark, df, keys, query, name != "absent key", peers, first_slow)
        order = ["the oracle", "without an index", "Spark alone", *(e.name for e in peers)]
        others = [other for other in order if other in times]
        lines += [
            f"  {name}: row groups kept {statistics.mean(kept):.2f} on average",
            *compared(times, *others),
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


def tiny(spark: SparkSession, files: int) -> Table:
    """Writes files of 100 rows by pyarrow, as a Spark task for each would take too long."""
    table = Table(str(DATA / f"{files}-tiny"), files, NO_FILTERS, rows_in_group=TINY)
    if not Path(table.path, "_SUCCESS").exists():
        shutil.rmtree(table.path, ignore_errors=True)
        whole = DATA / "whole"
        rows_of(spark.range(0, table.rows, 1, 100)).write.mode("overwrite").parquet(str(whole))
        Path(table.path).mkdir()
        per_file = ROW_GROUPS * TINY
        n = 0
        for part in sorted(whole.glob("*.parquet")):
            rows = pq.read_table(part)
            for start in range(0, rows.num_rows, per_file):
                to = f"{table.path}/part-{n:06}.parquet"
                pq.write_table(rows.slice(start, per_file), to, TINY, use_dictionary=False)
                n += 1
        shutil.rmtree(whole)
        assert n == files, f"{n} files"
        Path(table.path, "_SUCCESS").touch()
        time.sleep(3)
    return table


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
    spark: SparkSession,
    df: DataFrame,
    lists: list[list[int]],
    query: Query,
    finds: bool,
    engines: list[Engine],
    first_slow: int,
) -> tuple[Times, list[int]]:
    """Returns times of each contestant for all but the first lists, and row groups kept.

    Slow contestants begin at the list `first_slow`.
    """
    times: Times = {}
    kept = []
    for n, keys in enumerate(lists):
        looked_up = query(spark, df, keys)
        looked_up.collect()  # what the keys of a join prune is known after it ran
        (scan,) = sbbf.explain(looked_up, show=False).scans
        kept.append(scan.row_groups_kept)
        contestants = {
            "extension": ("true", "true", df),
            "without an index": ("true", "false", df),
            "Spark alone": ("false", "true", df),
        }
        if finds:
            answer = where(spark, df, keys).select(F.input_file_name().alias("file")).distinct()
            files = [row.file for row in answer.collect()]
            contestants["the oracle"] = ("false", "true", spark.read.schema(SCHEMA).parquet(*files))
        names = [name for name in contestants if n >= first_slow or name in FAST]
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
        for engine in engines if n >= first_slow else []:
            seconds, rows = timed(lambda: engine.lookup(keys))
            assert rows == (len(keys) if finds else 0), f"{engine.name} found {rows} rows"
            if n >= WARM_UP:
                times.setdefault(engine.name, []).append(seconds)
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
