"""A session with a format of tables and the extension, and what its queries read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import INTERPRETED, local_builder, rows, with_packages

LINE = ".".join(pyspark.__version__.split(".")[:2])
ORACLE = {
    "spark.sbbf.enabled": "false",
    "spark.sql.parquet.filterPushdown": "false",
}
"""Reads all files that the format's own statistics leave.

Spark and Delta then evaluate filters row by row; Iceberg pushes them down by itself.
"""


def opened(folder: Path, conf: dict[str, str]) -> SparkSession:
    """Starts a session with the settings of a format, for many small queries."""
    common = {
        "spark.sql.files.maxPartitionBytes": "4m",
        "spark.sql.shuffle.partitions": "1",
        "spark.sbbf.pages.minBytes": "0",
        **INTERPRETED,
    }
    builder = local_builder(folder / "warehouse").config(map={**common, **conf})
    spark = with_packages(builder)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


@contextlib.contextmanager
def settings(spark: SparkSession, conf: dict[str, str]) -> Iterator[None]:
    """Runs its block with other settings of the session."""
    before = {key: spark.conf.get(key, None) for key in conf}
    for key, value in conf.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)


def without_pruning(spark: SparkSession) -> contextlib.AbstractContextManager[None]:
    """Runs its block with the settings of the oracle."""
    return settings(spark, ORACLE)


def oracle(spark: SparkSession, query: str) -> list[str]:
    with without_pruning(spark):
        return rows(spark.sql(query))


FILES_READ = ("numFiles", "numSplits")
"""The metrics of files that a scan lists: of Spark and Delta, and of Iceberg, if no file is cut."""


def files_read(df: DataFrame) -> list[int]:
    """Returns the numbers of files that the scans of a finished query listed."""
    return numbers(df._jdf.queryExecution().executedPlan(), FILES_READ)


def numbers(plan: Any, metrics: tuple[str, ...]) -> list[int]:
    """Returns the values of metrics in the leaves of a plan and of its stages."""
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        return numbers(plan.executedPlan(), metrics)
    if name.endswith("QueryStageExec"):
        return numbers(plan.plan(), metrics)
    children = plan.children()
    if children.isEmpty():
        known = plan.metrics()
        return [known.apply(metric).value() for metric in metrics if known.contains(metric)]
    return [n for i in range(children.size()) for n in numbers(children.apply(i), metrics)]


def metric_values(spark: SparkSession, metric: str, action: Callable[[], object]) -> list[int]:
    """Returns the values of a metric for each scan of the queries that an action runs."""
    store = spark._jsparkSession.sharedState().statusStore()
    first = store.executionsList().size()
    action()
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    executions = store.executionsList()
    found = []
    for n in range(first, executions.size()):
        values = store.executionMetrics(executions.apply(n).executionId())
        metrics = executions.apply(n).metrics()
        for i in range(metrics.size()):
            value = values.get(metrics.apply(i).accumulatorId())
            if metrics.apply(i).name() == metric and value.isDefined():
                found.append(int(value.get().replace(",", "")))
    return found


def search(spark: SparkSession, name: str, metric: str, command: str) -> None:
    """Prints how many files each scan of a command read, by a metric's name in Spark's pages."""
    kept = metric_values(spark, metric, lambda: spark.sql(command))
    print(json.dumps({"command": name, "kept": kept}), flush=True)


def look(spark: SparkSession, name: str, query: str) -> None:
    """Prints what a query answers, reads and reports, as a line of JSON."""
    look_at(spark, name, lambda: spark.sql(query))


def look_at(spark: SparkSession, name: str, made: Callable[[], DataFrame]) -> None:
    """Prints what a query answers, reads and reports; makes it again for the oracle."""
    df = made()
    answer = rows(df)
    report = sbbf.explain(df, show=False)
    scan: Any = report.scans[0] if report.scans else None
    with without_pruning(spark):
        other = made()
        expected = rows(other)
    result = {
        "case": name,
        "rows": answer,
        "oracle": expected,
        "kept": [scan.files_kept, scan.files] if scan else None,
        "scans": [[s.files_kept, s.files] for s in report.scans],
        "late_keys": scan.late_keys if scan else None,
        "predicate": scan.predicate if scan else None,
        "bytes_read": scan.bytes_read if scan else None,
        "rows_skipped": scan.rows_skipped if scan else None,
        "read": files_read(df),
        "oracle_read": files_read(other),
        "size": int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())),
        "unpruned": [relation.reason for relation in report.unpruned],
    }
    print(json.dumps(result), flush=True)


def streamed(spark: SparkSession, table: str, where: str) -> None:
    """Prints the rows of a stream with and without pruning, and the numbers of rows it read."""
    answers: dict[str, list[str]] = {}
    read: dict[str, int] = {}

    def run(enabled: str) -> None:
        source = spark.readStream.table(table).where(where).select("seq")
        writer = source.writeStream.format("memory").queryName(f"seen_{enabled}")
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        read[enabled] = sum(progress["numInputRows"] for progress in query.recentProgress)
        answers[enabled] = rows(spark.table(f"seen_{enabled}"))

    run("true")
    with settings(spark, {"spark.sbbf.enabled": "false"}):  # Parquet's own filters stay
        run("false")
    result = {"case": "stream", "rows": answers["true"], "oracle": answers["false"], "input": read}
    print(json.dumps(result), flush=True)
