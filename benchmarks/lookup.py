"""Measures lookups of one key by Spark alone, by the extension and by the two best plans.

The oracle is Spark alone on only the file that holds the answer. The filter limit is Spark alone on
only the files whose filters do not rule the key out: the best that a planner of whole files could
do. All run side by side, key by key, in one session. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
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
NO_FILTERS = 0.0
ROWS = {0.01: 3112, 0.0001: 2487, NO_FILTERS: 3112}
WARM_UP = 12  # with five contestants, 60 queries
FRESH = (1, 2, 5, 10, 20, 50, 100)
"""Which queries of a fresh JVM are reported, as far as it gets in a minute."""
LONGEST = 60.0
ON = {"spark.sbbf.enabled": "true", "spark.sbbf.localLookup.enabled": "true"}
OFF = {"spark.sbbf.enabled": "false"}
AS_JOB = {**ON, "spark.sbbf.localLookup.enabled": "false"}
NO_INDEX = ("spark.sbbf.index.enabled", "false")
"""index.py leaves an index in some of the tables."""
SCHEMA = "key bigint, id bigint, other bigint, amount double"


class Table(NamedTuple):
    path: str
    files: int
    fpp: float
    history: str = ""
    row_groups: int = ROW_GROUPS
    rows_in_group: int = 0

    @property
    def rows(self) -> int:
        return self.files * self.row_groups * (self.rows_in_group or ROWS[self.fpp])


def main() -> None:
    arguments = parsed_arguments()
    if arguments.fresh:
        print(json.dumps(fresh_queries(*arguments.fresh)))
        return
    spark = session("true")
    spark.conf.set(*NO_INDEX)
    out = [header(spark, arguments.keys)]
    for fpp in arguments.fpp:
        for files in arguments.files:
            table = (
                large(spark, files, fpp)
                if arguments.large
                else written(spark, files, fpp, arguments.added)
            )
            out.append(measured(spark, table, arguments.keys, arguments.fresh_runs))
            print(out[-1], flush=True)
            arguments.out.write_text("\n\n".join(out) + "\n", encoding="utf-8")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--fpp", type=float, nargs="+", default=[0.01, 0.0001], choices=list(ROWS))
    parser.add_argument("--keys", type=int, default=24, help="measured keys of each kind")
    parser.add_argument("--added", action="store_true", help="files whose filters were added later")
    parser.add_argument("--large", action="store_true", help="files of 80 MB and 8 row groups")
    parser.add_argument("--fresh-runs", type=int, default=3, help="fresh JVMs of each kind")
    default = ROOT / "benchmarks" / "results" / "lookup-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--fresh", nargs=3, metavar=("KIND", "PATH", "KEYS"))
    return parser.parse_args()


def session(enabled: str, class_archive: bool = False) -> SparkSession:
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
        sbbf.enable(builder, class_archive=class_archive)
    return builder.getOrCreate()


def written(spark: SparkSession, files: int, fpp: float, added: bool = False) -> Table:
    name = f"{files}x{ROW_GROUPS}x{ROWS[fpp]}-{fpp}" + ("-added" if added else "")
    table = Table(str(DATA / name), files, fpp)
    if added or not Path(table.path, "_SUCCESS").exists():
        ids = spark.range(0, table.rows, 1, files)
        data = rows_of(ids)
        later = added or fpp == NO_FILTERS
        options = {} if later else sbbf.bloom_options("key", fpp=fpp, ndv=ROWS[fpp])
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


def large(spark: SparkSession, files: int, fpp: float) -> Table:
    """Writes files of 8 row groups of 100,000 rows of 100 bytes."""
    path = DATA / f"{files}-large-{fpp}"
    table = Table(str(path), files, fpp, row_groups=8, rows_in_group=100_000)
    if not (path / "_SUCCESS").exists():
        payload = F.concat(*[F.hex(key("id", n)) for n in range(2, 6)]).alias("payload")
        options = sbbf.bloom_options("key", fpp=fpp, ndv=table.rows_in_group) | {
            "parquet.enable.dictionary": "false",
            "parquet.block.row.count.limit": str(table.rows_in_group),
        }
        rows = rows_of(spark.range(0, table.rows, 1, files)).select("*", payload)
        rows.write.mode("overwrite").options(**options).parquet(table.path)
        time.sleep(3)
    return table


def rows_of(ids: DataFrame) -> DataFrame:
    return ids.select(
        key("id").alias("key"), "id", key("id", 1).alias("other"), F.rand(7).alias("amount")
    )


def key(*parts: str | int) -> Column:
    return F.xxhash64(*[F.col(p) if isinstance(p, str) else F.lit(p) for p in parts])


def measured(spark: SparkSession, table: Table, keys: int, fresh_runs: int) -> str:
    df = spark.read.schema(SCHEMA).parquet(table.path)
    total = keys + WARM_UP
    present = keys_of(spark, spaced(table, total))
    absent = keys_of(spark, [table.rows + n for n in range(total)])
    lines = [
        f"{table.files:,} files of {table.row_groups} row groups, FPP {table.fpp}, "
        f"{table.rows:,} rows{table.history}"
    ]
    times, kept = lookups(spark, df, present)
    lines += [
        f"  present key: files kept {statistics.mean(kept):.1f} on average",
        *compared(times, "as a job", "the filter limit", "the oracle", "Spark alone"),
    ]
    times, kept = lookups(spark, df, absent, best=False)
    lines += [
        f"  absent key: files kept {statistics.mean(kept):.1f}",
        *compared(times, "as a job", "an empty table", "Spark alone"),
    ]
    lines += in_fresh_jvms(table, keys_of(spark, spaced(table, max(FRESH))), fresh_runs)
    if table.fpp == max(ROWS) and not table.rows_in_group:  # the filters do not matter here
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


def spaced(table: Table, count: int) -> list[int]:
    """Returns ids that are spread over the table."""
    return [table.rows // count * n + n % 7 for n in range(count)]


def keys_of(spark: SparkSession, ids: list[int]) -> list[int]:
    frame = spark.createDataFrame([(i,) for i in ids], "id long")
    return [row[0] for row in frame.select(key("id")).collect()]


Times = dict[str, list[float]]


def lookups(
    spark: SparkSession,
    df: DataFrame,
    keys: list[int],
    best: bool = True,
    format: str = "parquet",
) -> tuple[Times, list[int]]:
    """Returns times of each contestant for all but the first keys, and numbers of files kept."""

    def reading(paths: list[str]) -> DataFrame:
        return spark.read.schema(SCHEMA).format(format).load(paths)

    times: Times = {}
    kept = []
    for n, value in enumerate(keys):
        condition = f"key = {value}"
        answer = df.where(condition)
        maybe = list(answer.inputFiles())
        kept.append(len(maybe))
        contestants = {
            "Spark alone": (OFF, df),
            "extension": (ON, df),
            "as a job": (AS_JOB, df),
        }
        if best:
            holds = [row[0] for row in answer.select(F.input_file_name()).collect()]
            contestants["the oracle"] = (OFF, reading(holds))
            contestants["the filter limit"] = (OFF, reading(maybe))
        else:
            contestants["an empty table"] = (ON, empty_table(spark))
        order = (
            list(contestants)[n % len(contestants) :] + list(contestants)[: n % len(contestants)]
        )
        for name in order:
            settings, frame = contestants[name]
            with switched(spark, settings):
                seconds, rows = timed(lambda: len(frame.where(condition).collect()))
            assert rows == best, f"{name} found {rows} rows for {condition}"
            if n >= WARM_UP:
                times.setdefault(name, []).append(seconds)
    return times, kept


def overhead(spark: SparkSession, query: DataFrame, runs: int = 9) -> Times:
    times: Times = {}
    for n in range(runs):
        for settings, name in ((ON, "extension"), (OFF, "Spark alone"))[:: 1 if n % 2 else -1]:
            with switched(spark, settings):
                seconds, _ = timed(lambda: query.selectExpr("sum(amount)").collect())
            if n >= 3:
                times.setdefault(name, []).append(seconds)
    return times


def empty_table(spark: SparkSession) -> DataFrame:
    path = DATA / "empty"
    path.mkdir(parents=True, exist_ok=True)
    return spark.read.schema(SCHEMA).parquet(str(path))


def in_fresh_jvms(table: Table, keys: list[int], runs: int) -> list[str]:
    """Returns lines with the median times of the k-th query of a fresh JVM."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(DATA)}
    kinds: dict[str, list[list[float]]] = {"Spark alone": [], "extension": [], "class archive": []}
    for run in range(runs + 1):
        for kind, times in kinds.items():
            command = [sys.executable, __file__, "--fresh", kind, table.path, json.dumps(keys)]
            # waits until the JVM, which shares the pipe, has ended and written its archive
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            )
            if run:  # the first fills the machine's caches, and writes the archive
                times.append(json.loads(done.stdout.splitlines()[-1]))
    lines = ["  the k-th query in a fresh JVM" + "".join(f"{k:>8}" for k in FRESH)]
    for kind, times in kinds.items():
        reached = min(map(len, times))
        medians = [statistics.median(t[k - 1] for t in times) for k in FRESH if k <= reached]
        lines.append(f"    {kind:<27}" + "".join(f"{1000 * m:8,.0f}" for m in medians))
    return lines


def fresh_queries(kind: str, path: str, keys: str) -> list[float]:
    """Returns the seconds of each query, of as many as a minute allows; the first lists files."""
    spark = session(str(kind != "Spark alone").lower(), class_archive=kind == "class archive")
    spark.conf.set(*NO_INDEX)
    marks = [time.perf_counter()]
    table = spark.read.schema(SCHEMA).parquet(path)
    for value in json.loads(keys):
        if marks[-1] - marks[0] < LONGEST:
            table.where(f"key = {value}").collect()
            marks.append(time.perf_counter())
    return [after - before for before, after in pairwise(marks)]


@contextmanager
def switched(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name, value in ON.items():
        spark.conf.set(name, value)


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
