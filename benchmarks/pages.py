"""Measures queries on wide files of one row group, of which tasks read the pages with the rows.

The oracle is Spark alone on only the files that hold the answer. DuckDB reads all files. All run
side by side, query by query, in one session. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from lookup import AS_JOB, DATA, OFF, ON, ROOT, Times, compared, key, session, switched, timed
from machine import run_on

ROWS = 1_000_000
WARM_UP = 8
WHOLE = {**ON, "spark.sbbf.pages.enabled": "false"}
PAGES = {**ON, "spark.sbbf.pages.enabled": "true"}
JOB = {**AS_JOB, "spark.sbbf.pages.enabled": "true"}
RESULTS = ROOT / "benchmarks" / "results" / "pages-jdk17.txt"
FEW = ("user_id", "message", "amount_1")
HALF = tuple(f"max({name})" for name in FEW)
WORDS = (
    "order payment refund login logout timeout retry cart checkout shipped delayed cancelled "
    "invoice created updated deleted accepted rejected queued served"
).split()


class Query(NamedTuple):
    """A condition, and the columns that are wanted; by a join if there are keys."""

    condition: str
    columns: tuple[str, ...]
    keys: tuple[int, ...] = ()

    def run(self, table: DataFrame) -> int:
        return len(self.on(table).collect())

    def on(self, table: DataFrame) -> DataFrame:
        if not self.keys:
            return table.where(self.condition).selectExpr(*self.columns)
        few = table.sparkSession.createDataFrame([(k,) for k in self.keys], "user_id long")
        return table.join(F.broadcast(few), "user_id").select(*self.columns)


def rows_of(ids: DataFrame) -> DataFrame:
    """Returns rows of 30 columns, of about 110 bytes when they are compressed."""

    def digits(n: int, below: int) -> Column:
        return F.pmod(key("id", n), F.lit(below))

    vocabulary = F.array(*map(F.lit, WORDS))
    words = [F.element_at(vocabulary, 1 + digits(n, len(WORDS)).cast("int")) for n in range(40, 46)]
    return ids.select(
        key("id").alias("user_id"),
        F.lower(F.hex(key("id", 1))).alias("request"),
        F.timestamp_seconds(F.lit(1_700_000_000) + F.col("id") / 50).alias("happened_at"),
        F.concat_ws(" ", *words, F.hex(key("id", 2))).alias("message"),
        *[(digits(n, 100_000) / 100).alias(f"amount_{n}") for n in range(8)],
        *[digits(n + 10, 16 << n).cast("int").alias(f"code_{n}") for n in range(10)],
        *[words[n % 6].alias(f"word_{n}") for n in range(4)],
        *[F.hex(digits(n + 30, 1 << 24)).alias(f"text_{n}") for n in range(4)],
    )


def written(spark: SparkSession, files: int, rows_in_group: int = ROWS) -> Path:
    """Writes files of a million rows with parquet-mr, each of about 110 MB."""
    path = DATA / f"{files}-wide-{rows_in_group}"
    if not (path / "_SUCCESS").exists():
        options = sbbf.bloom_options("user_id", fpp=0.001, ndv=rows_in_group) | {
            "parquet.block.size": str(1 << 30),
            "parquet.block.row.count.limit": str(rows_in_group),
            "compression": "zstd",
        }
        rows = rows_of(spark.range(0, files * ROWS, 1, files))
        rows.write.mode("overwrite").options(**options).parquet(str(path))
        time.sleep(3)  # the extension does not cache files that were written more recently
    return path


def copied(source: Path, name: str, files: int, **options: Any) -> Path:
    """Writes some of the files again with pyarrow."""
    path = source.with_name(f"{files}-wide-{name}")
    if not path.exists():
        path.mkdir()
        for file in sorted(source.glob("*.parquet"))[:files]:
            to = path / file.name
            filters = {"user_id": {"ndv": ROWS, "fpp": 0.001}}
            pq.write_table(
                pq.read_table(file),
                to,
                row_group_size=ROWS,
                compression="zstd",
                bloom_filter_options=filters,
                **options,
            )
        time.sleep(3)
    return path


def contest(spark: SparkSession, path: Path, queries: list[Query]) -> list[str]:
    """Runs each query by all contestants in turns; returns their times, and the pages read."""
    table = spark.read.parquet(str(path))
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{path}/*.parquet')")
    times: Times = {}
    for n, query in enumerate(queries):
        named = table.where(query.condition).select(F.input_file_name()).distinct()
        holding = [row[0] for row in named.collect()]
        alone = spark.read.schema(table.schema).parquet(*holding)
        sql = f"SELECT {', '.join(query.columns)} FROM t WHERE {query.condition}"
        contestants: dict[str, tuple[dict[str, str], Callable[[], int]]] = {
            "extension": (PAGES, partial(query.run, table)),
            "as a job": (JOB, partial(query.run, table)),
            "whole row groups": (WHOLE, partial(query.run, table)),
            "the oracle": (OFF, partial(query.run, alone)),
            f"DuckDB {duckdb.__version__}": (
                {},
                lambda sql=sql: len(connection.execute(sql).fetchall()),
            ),
        }
        in_turns(spark, contestants, n, times)
    lines = compared(times, *[name for name in times if name != "extension"])
    return [*lines, f"    {read(spark, queries[-1].on(table))}"]


def indexed(spark: SparkSession, path: Path, column: str, queries: list[Query]) -> list[str]:
    """Returns the lines of a contest while the files have an index."""
    sbbf.create_index(spark, path, column, progress=False)
    try:
        return contest(spark, path, queries)
    finally:
        sbbf.drop_index(spark, path)


def in_turns(spark: SparkSession, contestants: dict[str, Any], n: int, times: Times) -> None:
    names = list(contestants)
    first = n % len(names)
    found = set()
    for name in names[first:] + names[:first]:
        settings, work = contestants[name]
        with switched(spark, settings):
            seconds, rows = timed(work)
        found.add(rows)
        if n >= WARM_UP:
            times.setdefault(name, []).append(seconds)
    assert len(found) == 1, f"answers of {found} rows"


def read(spark: SparkSession, df: DataFrame) -> str:
    """Returns what tasks read of the scan of a query, beside all pages of its row groups."""
    with switched(spark, PAGES):
        df.collect()
        (scan,) = sbbf.explain(df, show=False).scans
    return (
        f"pages read: {scan.pages_read:,} of {scan.pages_read + scan.pages_skipped:,}, "
        f"{scan.rows_skipped:,} rows skipped"
    )


def cost(spark: SparkSession, path: Path, queries: list[Query]) -> list[str]:
    """Runs queries that pages cannot help, with and without them, in turns."""
    table = spark.read.parquet(str(path))
    times: Times = {}
    for n, query in enumerate(queries):
        contestants = {
            "extension": (PAGES, partial(query.run, table)),
            "whole row groups": (WHOLE, partial(query.run, table)),
        }
        in_turns(spark, contestants, n, times)
    return compared(times, "whole row groups")


def peak(spark: SparkSession, path: Path, query: Query) -> str:
    """Returns the most bytes of heap in use while a query runs, with pages and without."""
    table = spark.read.parquet(str(path))
    management = spark._jvm.java.lang.management.ManagementFactory  # type: ignore[union-attr]
    most = {}
    for name, settings in {"pages": PAGES, "whole row groups": WHOLE}.items():
        found = []
        for _ in range(5):
            management.getMemoryMXBean().gc()
            before = management.getMemoryMXBean().getHeapMemoryUsage().getUsed()
            pools = [
                p for p in management.getMemoryPoolMXBeans() if str(p.getType()) == "Heap memory"
            ]
            for pool in pools:
                pool.resetPeakUsage()
            with switched(spark, settings):
                query.run(table)
            found.append(sum(pool.getPeakUsage().getUsed() for pool in pools) - before)
        most[name] = min(found)
    return ", ".join(f"{name} {used / 2**20:.0f} MiB" for name, used in most.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--keys", type=int, default=11)
    parser.add_argument("--only", nargs="+", help="parts of the titles to run; needs --out")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if arguments.only and arguments.out == RESULTS:
        parser.error(f"--only needs --out, because {RESULTS} has the results of all parts")
    spark = session("true")
    # pyarrow reads INT96 as nanoseconds, which Spark does not read back
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    path = written(spark, arguments.files)
    of_arrow = copied(path, "pyarrow", arguments.files, write_page_index=True)
    without = copied(path, "without-index", 2)
    small = written(spark, 2, 20_000)
    every = tuple(spark.read.parquet(str(path)).columns)
    turns = WARM_UP + arguments.keys

    def keys_of(ids: Iterable[int], column: Column = key("id")) -> list[Any]:
        frame = spark.createDataFrame([(i,) for i in ids], "id long")
        return [row[0] for row in frame.select(column).collect()]

    def spread(rows: int) -> list[int]:
        return [rows // turns * n + n % 7 for n in range(turns)]

    one = [f"user_id = {k}" for k in keys_of(spread(arguments.files * ROWS))]
    first = [f"user_id = {k}" for k in keys_of(spread(2 * ROWS))]
    tens = [
        tuple(keys_of(ROWS * file + 7919 * n for file in range(arguments.files)))
        for n in range(turns)
    ]
    listed = [f"user_id IN ({', '.join(map(str, ten))})" for ten in tens]
    texts = keys_of(spread(arguments.files * ROWS), F.hex(key("id", 2)))
    needle = [f"message LIKE '%{text[-9:]}%'" for text in texts[: WARM_UP + 3]]
    word = [f"message LIKE '% {text}'" for text in texts]
    parts: dict[str, Callable[[], list[str]]] = {
        "one key, all columns": lambda: contest(spark, path, [Query(c, every) for c in one]),
        "one key, 3 columns": lambda: contest(spark, path, [Query(c, FEW) for c in one]),
        "one key, all columns, files of pyarrow": lambda: contest(
            spark, of_arrow, [Query(c, every) for c in one]
        ),
        f"{arguments.files} keys, one in each file, all columns": lambda: contest(
            spark, path, [Query(c, every) for c in listed]
        ),
        f"a join with these {arguments.files} keys, all columns": lambda: contest(
            spark, path, [Query(c, every, ten) for c, ten in zip(listed, tens, strict=True)]
        ),
        "a part of a text, all columns": lambda: contest(
            spark, path, [Query(c, every) for c in needle]
        ),
        "a word of a text, all columns, with an index of words": lambda: indexed(
            spark, path, "tokens(message)", [Query(c, every) for c in word]
        ),
        "half of the rows pass": lambda: cost(spark, path, [Query("code_0 < 8", HALF)] * turns),
        "the filter's column alone": lambda: cost(
            spark, path, [Query(c, ("user_id",)) for c in one]
        ),
        "small row groups": lambda: cost(spark, small, [Query(c, every) for c in first]),
        "no offset index": lambda: cost(spark, without, [Query(c, every) for c in first]),
    }
    out = [
        "Queries on wide files; milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{arguments.files} files of one row group: {ROWS:,} rows, {len(every)} columns",
    ]
    for title, part in parts.items():
        if any(words in title for words in arguments.only or [""]):
            out += [f"  {title}", *part()]
            print("\n".join(out), flush=True)
    memory = peak(spark, path, Query(one[0], every))
    out.append(f"  most heap in use for one key, all columns: {memory}")
    print(out[-1])
    arguments.out.write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
