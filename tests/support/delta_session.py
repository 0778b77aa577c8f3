"""A session with Delta and the extension, and what its queries read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import INTERPRETED, local_builder, rows

LINE = ".".join(pyspark.__version__.split(".")[:2])
# The newest build of Delta for each Spark; there is none for 4.3.
PACKAGES = {
    "3.5": "io.delta:delta-spark_2.12:3.3.2",
    "4.0": "io.delta:delta-spark_2.13:4.0.1",
    "4.1": "io.delta:delta-spark_4.1_2.13:4.4.0",
    "4.2": "io.delta:delta-spark_4.2_2.13:4.4.0",
}
ORACLE = {
    "spark.sbbf.enabled": "false",
    "spark.sql.parquet.filterPushdown": "false",
}
"""Reads all files that Delta's own statistics leave, and evaluates filters row by row."""


def opened(folder: Path) -> SparkSession:
    conf = {
        "spark.jars.packages": PACKAGES[LINE],
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.commitValidation.enabled": "false",
        "spark.sql.files.maxPartitionBytes": "4m",
        "spark.sql.shuffle.partitions": "1",
        **INTERPRETED,
        # Delta allows tables with ids in their columns only in such sessions
        "spark.sql.parquet.fieldId.read.enabled": "true",
        "spark.sql.parquet.fieldId.write.enabled": "true",
    }
    builder = local_builder(folder / "warehouse").config(map=conf)
    spark = sbbf.enable(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def filters(rows_of_file: int, *columns: str) -> str:
    """Returns table properties that make Delta write bloom filters: of all columns without any.

    The number of distinct values needs a column, so the filters of all columns get a limit.
    """
    properties = {"parquet.enable.dictionary": "false"}
    if not columns:
        properties["parquet.bloom.filter.enabled"] = "true"
        properties["parquet.bloom.filter.max.bytes"] = str(32 * rows_of_file)
    for column in columns:
        properties[f"parquet.bloom.filter.enabled#{column}"] = "true"
        properties[f"parquet.bloom.filter.expected.ndv#{column}"] = str(rows_of_file)
    return ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())


@contextlib.contextmanager
def without_pruning(spark: SparkSession) -> Iterator[None]:
    """Runs its block with the settings of the oracle."""
    before = {key: spark.conf.get(key) for key in ORACLE}
    for key, value in ORACLE.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)


def oracle(spark: SparkSession, query: str) -> list[str]:
    with without_pruning(spark):
        return rows(spark.sql(query))


def files_read(df: DataFrame) -> list[int]:
    """Returns the numbers of files that the scans of a finished query listed."""
    return numbers(df._jdf.queryExecution().executedPlan(), "numFiles")


def numbers(plan: Any, metric: str) -> list[int]:
    """Returns the values of a metric in the leaves of a plan and of its stages."""
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        return numbers(plan.executedPlan(), metric)
    if name.endswith("QueryStageExec"):
        return numbers(plan.plan(), metric)
    children = plan.children()
    if children.isEmpty():
        return [plan.metrics().apply(metric).value()] if plan.metrics().contains(metric) else []
    return [n for i in range(children.size()) for n in numbers(children.apply(i), metric)]


def files_kept(spark: SparkSession, action: Callable[[], object]) -> list[int]:
    """Returns the files that pruning kept for each scan of the queries that an action runs."""
    store = spark._jsparkSession.sharedState().statusStore()
    first = store.executionsList().size()
    action()
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    executions = store.executionsList()
    kept = []
    for n in range(first, executions.size()):
        values = store.executionMetrics(executions.apply(n).executionId())
        metrics = executions.apply(n).metrics()
        for i in range(metrics.size()):
            found = values.get(metrics.apply(i).accumulatorId())
            if metrics.apply(i).name() == "sbbf: files kept" and found.isDefined():
                kept.append(int(found.get().replace(",", "")))
    return kept


def look(spark: SparkSession, name: str, query: str) -> None:
    """Prints what a query answers, reads and reports, as a line of JSON."""
    df = spark.sql(query)
    answer = rows(df)
    report = sbbf.explain(df, show=False)
    scan: Any = report.scans[0] if report.scans else None
    result = {
        "case": name,
        "rows": answer,
        "oracle": oracle(spark, query),
        "kept": [scan.files_kept, scan.files] if scan else None,
        "late_keys": scan.late_keys if scan else None,
        "predicate": scan.predicate if scan else None,
        "read": files_read(df),
        "size": int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())),
        "unpruned": [relation.reason for relation in report.unpruned],
    }
    print(json.dumps(result), flush=True)
