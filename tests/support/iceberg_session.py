"""A session with Iceberg and the extension, and a log of keys that many files hold."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import lake_session
from harness import rows
from lake_session import LINE, without_pruning

# The newest build of Iceberg for each Spark; there is none for 4.2. An environment variable may
# choose another version.
_BUILDS = {"3.5": ("2.12", "1.12.0"), "4.0": ("2.13", "1.11.0"), "4.1": ("2.13", "1.12.0")}
PACKAGES = {
    line: f"org.apache.iceberg:iceberg-spark-runtime-{line}_{scala}:"
    + os.environ.get("SBBF_ICEBERG", newest)
    for line, (scala, newest) in _BUILDS.items()
}
# None where there is no build.
VERSION = (
    tuple(int(part) for part in PACKAGES[LINE].rsplit(":", 1)[1].split("."))
    if LINE in PACKAGES
    else None
)
EXTENSION = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
FILES_READ = "number of file splits read"
"""The metric of the files that a scan reads, if none is cut."""

ROWS = 50
KEY = 777

_ALL_TABLES = {
    "v1": ("copy-on-write", 1),
    "v2_cow": ("copy-on-write", 2),
    "v2_mor": ("merge-on-read", 2),
    "v3_cow": ("copy-on-write", 3),
    "v3_mor": ("merge-on-read", 3),
}
_GATE_TABLES = ("v2_mor", "v3_cow")
"""One of each mode: each table takes half a minute."""
TABLES = {
    name: kind
    for name, kind in _ALL_TABLES.items()
    if "SBBF_GATE" not in os.environ or name in _GATE_TABLES
}
"""The mode and the version of the tables whose rows commands change."""


def opened(folder: Path) -> SparkSession:
    conf = {
        "spark.jars.packages": PACKAGES[LINE],
        "spark.sql.extensions": EXTENSION,
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(folder / "ice"),
    }
    return lake_session.opened(folder, conf)


def filters(*columns: str) -> str:
    """Returns table properties that make Iceberg write bloom filters of some columns."""
    properties = {
        "write.distribution-mode": "none",
        "write.parquet.bloom-filter-max-bytes": "4096",
        "parquet.enable.dictionary": "false",
        "commit.retry.num-retries": "0",
    }
    for column in columns:
        properties[f"write.parquet.bloom-filter-enabled.column.{column}"] = "true"
    return ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())


# The columns of a log and their values for each row; a file has every `files`-th row.
VALUES = {
    "seq BIGINT": "id",
    "user_id BIGINT": "xxhash64(id)",
    "day BIGINT": "id % 3",
    "st STRUCT<a: BIGINT, b: STRING>": "named_struct('a', xxhash64(id, 1), 'b', string(id))",
    "small INT": "CAST(xxhash64(id, 2) % 1000000 AS INT)",
    "zero DOUBLE": "IF(id % 2 = 0, 0.0D, -0.0D)",
    "ratio DOUBLE": "IF(id % 7 = 0, DOUBLE('NaN'), id / 8)",
    "part FLOAT": "CAST(id / 8 AS FLOAT)",
    "name STRING": "sha1(string(id))",
    "at TIMESTAMP": "timestamp_seconds(1000000000 + id * 7200)",
    "ntz TIMESTAMP_NTZ": "TIMESTAMP_NTZ'2001-09-09' + make_interval(0, 0, 0, 0, CAST(id AS INT))",
    "born DATE": "date_add(DATE'2000-01-01', CAST(id AS INT))",
    "cents DECIMAL(9, 2)": "CAST(id / 4 AS DECIMAL(9, 2))",
    "price DECIMAL(15, 4)": "CAST(id / 16 AS DECIMAL(15, 4))",
    "large DECIMAL(30, 4)": "CAST(id / 16 AS DECIMAL(30, 4))",
    "bin BINARY": "unhex(md5(string(id)))",
}
COLUMNS = ", ".join(VALUES)
NAMES = [column.split()[0] for column in VALUES]


def where(n: int) -> str:
    return f"user_id = xxhash64({n}L)"


def log(first: int, files: int) -> str:
    values = ", ".join(f"{value} AS {column.split()[0]}" for column, value in VALUES.items())
    number = f"{first} + (n % {ROWS}) * {files} + n DIV {ROWS}"
    numbers = f"SELECT id AS n FROM range(0, {ROWS * files}, 1, {files})"
    return f"SELECT {values} FROM (SELECT {number} AS id FROM ({numbers}))"


def create(
    spark: SparkSession, name: str, files: int, properties: str = "", clause: str = ""
) -> None:
    """Creates a table `ice.db.NAME` with rows of the log in as many files."""
    more = f", {properties}" if properties else ""
    keys = [name for name in NAMES if name not in ("seq", "day", "st")]
    spark.sql(
        f"CREATE TABLE ice.db.{name} ({COLUMNS}) USING iceberg {clause} "
        f"TBLPROPERTIES ({filters(*keys, 'st.a')}{more})"
    )
    spark.sql(f"INSERT INTO ice.db.{name} {log(0, files)}")


def same(spark: SparkSession, name: str, query: str, other: str) -> None:
    """Prints the rows of a query with pruning, and those of another one without it."""
    found = rows(spark.sql(query))
    with without_pruning(spark):
        expected = rows(spark.sql(other))
    print(json.dumps({"case": name, "rows": found, "oracle": expected}), flush=True)


def twice(spark: SparkSession, name: str, action: Callable[[], list[str]]) -> None:
    """Prints what an action returns with pruning, and without it."""
    found = action()
    with without_pruning(spark):
        expected = action()
    print(json.dumps({"case": name, "rows": found, "oracle": expected}), flush=True)


def literal(spark: SparkSession, column: str, number: int) -> str:
    """Returns the value of a row of the log as a literal."""
    kind = column.split(maxsplit=1)[1]
    query = f"SELECT {VALUES[column]} AS value FROM (SELECT {number}L AS id)"
    if kind == "BINARY":
        return f"X'{spark.sql(f'SELECT hex(value) FROM ({query})').head()[0]}'"
    return f"CAST('{spark.sql(f'SELECT string(value) FROM ({query})').head()[0]}' AS {kind})"


def insert(spark: SparkSession, table: str, values: dict[str, str]) -> None:
    """Inserts a row that is NULL in all other columns, which Spark 3.5 cannot leave out."""
    fields = spark.table(table).schema
    columns = (
        f"{values[f.name]} AS `{f.name}`"
        if f.name in values
        else f"CAST(NULL AS {f.dataType.simpleString()}) AS `{f.name}`"
        for f in fields
    )
    spark.sql(f"INSERT INTO {table} SELECT {', '.join(columns)}")


def loaded(spark: SparkSession, table: str) -> Any:
    """Returns a table as Iceberg's Java API has it."""
    jvm: Any = spark._jvm
    return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)
