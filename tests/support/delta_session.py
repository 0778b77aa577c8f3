"""A session with Delta and the extension, and properties of its tables."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

import lake_session

# The newest build of Delta for each Spark; there is none for 4.3.
PACKAGES = {
    "3.5": "io.delta:delta-spark_2.12:3.3.2",
    "4.0": "io.delta:delta-spark_2.13:4.0.1",
    "4.1": "io.delta:delta-spark_4.1_2.13:4.4.0",
    "4.2": "io.delta:delta-spark_4.2_2.13:4.4.0",
}
EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
FILES_KEPT = "sbbf: files kept"
"""The metric of the files that pruning left of a scan."""


def opened(folder: Path) -> SparkSession:
    conf = {
        "spark.jars.packages": PACKAGES[lake_session.LINE],
        "spark.sql.extensions": EXTENSION,
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.commitValidation.enabled": "false",
        # Delta allows tables with ids in their columns only in such sessions
        "spark.sql.parquet.fieldId.read.enabled": "true",
        "spark.sql.parquet.fieldId.write.enabled": "true",
    }
    return lake_session.opened(folder, conf)


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
