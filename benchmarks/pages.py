"""Measures lookups in wide files of one row group, of which tasks read the pages with the rows.

The oracle is Spark alone on only the files that hold the answer. DuckDB reads all files. All run
side by side, key by key, in one session. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from lookup import DATA, OFF, ON, Times, compared, key, session, switched, timed
from machine import run_on

ROWS = 1_000_000
WARM_UP = 8
PLAIN = {"spark.sbbf.pages.enabled": "false"}
PAGES = {"spark.sbbf.pages.enabled": "true"}
FEW = ("user_id", "message", "amount_1")


def written(spark: SparkSession, files: int) -> str:
    """Writes files of a row group of a million rows of 30 columns, each of about 128 MB."""
    path = DATA / f"{files}-wide"
    if not (path / "_SUCCESS").exists():
        ids = spark.range(0, files * ROWS, 1, files)

        def digits(n: int, below: int) -> Column:
            return F.pmod(key("id", n), F.lit(below))

        vocabulary = F.array(*map(F.lit, WORDS))
        words = [
            F.element_at(vocabulary, 1 + digits(n, len(WORDS)).cast("int")) for n in range(40, 46)
        ]
        columns = [
            key("id").alias("user_id"),
            F.lower(F.hex(key("id", 1))).alias("request"),
            F.timestamp_seconds(F.lit(1_700_000_000) + F.col("id") / 50).alias("happened_at"),
            F.concat_ws(" ", *words, F.hex(key("id", 2))).alias("message"),
            *[(digits(n, 100_000) / 100).alias(f"amount_{n}") for n in range(8)],
            *[digits(n + 10, 16 << n).cast("int").alias(f"code_{n}") for n in range(10)],
            *[words[n % 6].alias(f"word_{n}") for n in range(4)],
            *[F.hex(digits(n + 30, 1 << 24)).alias(f"text_{n}") for n in range(4)],
        ]
        options = sbbf.bloom_options("user_id", fpp=0.001, ndv=ROWS) | {
            "parquet.block.size": str(1 << 30),
            "compression": "zstd",
        }
        ids.select(*columns).write.mode("overwrite").options(**options).parquet(str(path))
        time.sleep(3)
    return str(path)


WORDS = (
    "order payment refund login logout timeout retry cart checkout shipped delayed cancelled "
    "invoice created updated deleted accepted rejected queued served"
).split()


def lookups(
    spark: SparkSession,
    table: DataFrame,
    conditions: list[str],
    columns: tuple[str, ...],
    duck: Callable[[str], int],
) -> Times:
    times: Times = {}
    for n, condition in enumerate(conditions):

        def query(frame: DataFrame, condition: str = condition) -> int:
            return len(frame.where(condition).select(*columns).collect())

        files = table.where(condition).select(F.input_file_name()).distinct().collect()
        alone = spark.read.schema(table.schema).parquet(*[row[0] for row in files])
        sql = f"SELECT {', '.join(columns)} FROM t WHERE {condition}"
        contestants = {
            "extension": ({**ON, **PAGES}, lambda: query(table)),
            "whole row groups": ({**ON, **PLAIN}, lambda: query(table)),
            "the oracle": (OFF, lambda alone=alone: query(alone)),
            duckdb.__version__: ({}, lambda sql=sql: duck(sql)),
        }
        names = list(contestants)
        found = set()
        for name in names[n % 4 :] + names[: n % 4]:
            settings, work = contestants[name]
            with switched(spark, settings):
                seconds, rows = timed(work)
            found.add(rows)
            if n >= WARM_UP:
                times.setdefault(name, []).append(seconds)
        assert len(found) == 1, f"{found} rows for {condition}"
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--keys", type=int, default=11)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    spark = session("true")
    path = written(spark, arguments.files)
    table = spark.read.parquet(path)
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{path}/*.parquet')")

    def duck(query: str) -> int:
        return len(connection.execute(query).fetchall())

    total = arguments.keys + WARM_UP
    ids = [arguments.files * ROWS // total * n + n % 7 for n in range(total)]
    frame = spark.createDataFrame([(i,) for i in ids], "id long")
    keys = [row[0] for row in frame.select(key("id")).collect()]
    one = [f"user_id = {k}" for k in keys]
    lines = [
        "Lookups in wide files; milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{arguments.files} files of one row group: {ROWS:,} rows, {len(table.columns)} columns",
    ]
    for title, conditions, columns in (
        ("one key, all columns", one, tuple(table.columns)),
        ("one key, 3 columns", one, FEW),
    ):
        times = lookups(spark, table, conditions, columns, duck)
        lines += [f"  {title}", *compared(times, *[n for n in times if n != "extension"])]
        print("\n".join(lines[-5:]), flush=True)
    text = "\n".join(lines)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
