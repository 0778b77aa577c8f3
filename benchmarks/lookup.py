"""Measures lookups of one key by Spark alone, by the extension and by the two best plans.

The oracle is Spark alone on only the file that holds the answer. The filter limit is Spark alone on
only the files whose filters do not rule the key out: the best that a planner of whole files could
do. All run side by side, key by key, in one session. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from machine import run_on

ROOT = Path(__file__).parents[1]
DATA = ROOT / "build" / "bench"
ROW_GROUPS = 4
# Bitsets come in powers of two; with these many keys the real FPP is the nominal one
# (10.5 and 26.4 bits for each key, parquet-format's table): 4 KiB and 8 KiB.
ROWS = {0.01: 3112, 0.0001: 2488}
WARM_UP = 10
SCHEMA = "key bigint, id bigint, other bigint, amount double"


class Table(NamedTuple):
    path: str
    files: int
    fpp: float
    history: str = ""

    @property
    def rows(self) -> int:
        return self.files * ROW_GROUPS * ROWS[self.fpp]


def main() -> None:
    arguments = parsed_arguments()
    if arguments.first:
        print(json.dumps(first_query(*arguments.first)))
        return
    spark = session("true")
    out = [header(spark, arguments.keys)]
    for fpp in arguments.fpp:
        for files in arguments.files:
            table = written(spark, files, fpp, arguments.added)
            out.append(measured(spark, table, arguments.keys, arguments.first_runs))
            print(out[-1], flush=True)
            arguments.out.write_text("\n\n".join(out) + "\n", encoding="utf-8")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--fpp", type=float, nargs="+", default=[0.01, 0.0001], choices=list(ROWS))
    parser.add_argument("--keys", type=int, default=24, help="measured keys of each kind")
    parser.add_argument("--added", action="store_true", help="files whose filters were added later")
    parser.add_argument("--first-runs", type=int, default=3, help="fresh JVMs of each kind")
    default = ROOT / "benchmarks" / "results" / "lookup-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--first", nargs=3, metavar=("ENABLED", "PATH", "KEY"))
    return parser.parse_args()


def session(enabled: str) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("lookup benchmark")
    for key, value in {
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sbbf.enabled": enabled,
    }.items():
        builder.config(key, value)
    if enabled == "true":
        sbbf.enable(builder)
    return builder.getOrCreate()


def written(spark: SparkSession, files: int, fpp: float, added: bool = False) -> Table:
    name = f"{files}x{ROW_GROUPS}x{ROWS[fpp]}-{fpp}" + ("-added" if added else "")
    table = Table(str(DATA / name), files, fpp)
    if added or not Path(table.path, "_SUCCESS").exists():
        ids = spark.range(0, table.rows, 1, files)
        data = ids.select(
            key("id").alias("key"), "id", key("id", 1).alias("other"), F.rand(7).alias("amount")
        )
        options = {} if added else sbbf.bloom_options("key", fpp=fpp, ndv=ROWS[fpp])
        options |= {
            "parquet.enable.dictionary": "false",
            "parquet.block.row.count.limit": str(ROWS[fpp]),
        }
        data.write.mode("overwrite").options(**options).parquet(table.path)
        if added:
            before = spark.read.schema(SCHEMA).parquet(table.path).where("key = 0").inputFiles()
            done = sbbf.add_filters(spark, table.path, "key", fpp=fpp).of("done")
            history = f"; absent key: files kept {len(before)} before {len(done)} got filters"
            table = table._replace(history=history)
        time.sleep(3)  # the extension does not cache files that were written more recently
    return table


def key(*parts: str | int) -> Column:
    return F.xxhash64(*[F.col(p) if isinstance(p, str) else F.lit(p) for p in parts])


def measured(spark: SparkSession, table: Table, keys: int, first_runs: int) -> str:
    df = spark.read.schema(SCHEMA).parquet(table.path)
    total = keys + WARM_UP
    present = keys_of(spark, [table.rows // total * n + n for n in range(total)])
    absent = keys_of(spark, [table.rows + n for n in range(total)])
    lines = [
        f"{table.files:,} files of {ROW_GROUPS} row groups, FPP {table.fpp}, {table.rows:,} rows"
        f"{table.history}"
    ]
    times, kept = lookups(spark, df, present)
    lines += [
        f"  present key: files kept {statistics.mean(kept):.1f} on average",
        *compared(times, "the filter limit", "the oracle", "Spark alone"),
    ]
    times, kept = lookups(spark, df, absent, best=False)
    lines += [
        f"  absent key: files kept {statistics.mean(kept):.1f}",
        *compared(times, "Spark alone"),
    ]
    lines += ["  first query in a fresh JVM"]
    lines += compared(first_queries(table, present[0], first_runs), "Spark alone")
    if table.fpp == max(ROWS):  # the filters do not matter here
        for name, condition in {
            "a column with no filter": f"other = {present[0]}",
            "a predicate that keeps all": "id >= 0",
            "a predicate that evidence cannot answer": "key % 1000003 = 5",
        }.items():
            lines += [
                f"  {name}: {condition}",
                *compared(overhead(spark, df.where(condition)), "Spark alone"),
            ]
    return "\n".join(lines)


def keys_of(spark: SparkSession, ids: list[int]) -> list[int]:
    frame = spark.createDataFrame([(i,) for i in ids], "id long")
    return [row[0] for row in frame.select(key("id")).collect()]


Times = dict[str, list[float]]


def lookups(
    spark: SparkSession, df: DataFrame, keys: list[int], best: bool = True
) -> tuple[Times, list[int]]:
    """Returns times of each contestant for all but the first keys, and numbers of files kept."""
    times: Times = {}
    kept = []
    for n, value in enumerate(keys):
        condition = f"key = {value}"
        answer = df.where(condition)
        maybe = answer.inputFiles()
        kept.append(len(maybe))
        contestants = {"Spark alone": ("false", df), "extension": ("true", df)}
        if best:
            holds = [row[0] for row in answer.select(F.input_file_name()).collect()]
            contestants["the oracle"] = ("false", spark.read.schema(SCHEMA).parquet(*holds))
            contestants["the filter limit"] = ("false", spark.read.schema(SCHEMA).parquet(*maybe))
        order = (
            list(contestants)[n % len(contestants) :] + list(contestants)[: n % len(contestants)]
        )
        for name in order:
            enabled, frame = contestants[name]
            with switched(spark, enabled):
                seconds, rows = timed(lambda: len(frame.where(condition).collect()))
            assert rows == best, f"{name} found {rows} rows for {condition}"
            if n >= WARM_UP:
                times.setdefault(name, []).append(seconds)
    return times, kept


def overhead(spark: SparkSession, query: DataFrame, runs: int = 9) -> Times:
    times: Times = {}
    for n in range(runs):
        for enabled, name in (("true", "extension"), ("false", "Spark alone"))[
            :: 1 if n % 2 else -1
        ]:
            with switched(spark, enabled):
                seconds, _ = timed(lambda: query.selectExpr("sum(amount)").collect())
            if n >= 3:
                times.setdefault(name, []).append(seconds)
    return times


def first_queries(table: Table, value: int, runs: int) -> Times:
    times: Times = {}
    for _ in range(runs):
        for name, enabled in {"Spark alone": "false", "extension": "true"}.items():
            command = [sys.executable, __file__, "--first", enabled, table.path, str(value)]
            result = subprocess.run(command, check=True, capture_output=True, text=True)
            times.setdefault(name, []).append(json.loads(result.stdout.splitlines()[-1]))
    return times


def first_query(enabled: str, path: str, value: str) -> float:
    spark = session(enabled)
    return timed(lambda: spark.read.schema(SCHEMA).parquet(path).where(f"key = {value}").collect())[
        0
    ]


@contextmanager
def switched(spark: SparkSession, enabled: str) -> Iterator[None]:
    spark.conf.set("spark.sbbf.enabled", enabled)
    yield
    spark.conf.set("spark.sbbf.enabled", "true")


def timed(work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def compared(times: Times, *others: str) -> list[str]:
    ours = times["extension"]
    lines = [f"    {'extension':<17}{spread(ours)}"]
    for other in others:
        ratio = statistics.median(ours) / statistics.median(times[other])
        more = (statistics.median(ours) - statistics.median(times[other])) * 1000
        shown = (
            f"{1 / ratio:5.1f} x faster than it"
            if ratio < 0.8
            else f"{ratio:5.2f} x as long ({more:+.0f} ms)"
        )
        lines.append(f"    {other:<17}{spread(times[other])}   the extension: {shown}")
    return lines


def spread(seconds: list[float]) -> str:
    low, middle, high = min(seconds), statistics.median(seconds), max(seconds)
    digits = 0 if middle > 0.02 else 1
    return f"{middle * 1000:8.{digits}f}  ({low * 1000:.{digits}f} to {high * 1000:.{digits}f})"


def header(spark: SparkSession, keys: int) -> str:
    return "\n".join(
        [
            "Lookups of one key; milliseconds: median (minimum to maximum).",
            *run_on(spark),
            f"{keys} keys of each kind after {WARM_UP} to warm up",
            f"Rows of a row group, so that the real FPP is the nominal one: {ROWS}",
        ]
    )


if __name__ == "__main__":
    main()
