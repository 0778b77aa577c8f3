"""Reads Delta, Iceberg and Parquet tables in one session: lake_formats.py FOLDER.

Uses the formats that have a build for the running Spark. Prints one JSON object a line: the name
of a case, its rows with and without the extension, and the report of `explain`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import delta_session
import iceberg_session
import spark_sbbf as sbbf
from harness import local_builder, rows, with_packages
from lake_session import LINE

LINES = ("4.1", "4.2")
PACKAGES = {"delta": delta_session.PACKAGES, "iceberg": iceberg_session.PACKAGES}
FORMATS = {
    name: builds[LINE] for name, builds in PACKAGES.items() if LINE in LINES and LINE in builds
}
"""The formats that have a build for the running Spark, if it is one of the lines tested."""

FILES, ROWS = 4, 800
KEY = "xxhash64(77L)"
EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
CATALOGS = {
    "delta": {"spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"},
    "iceberg": {
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
    },
}
TABLES = {"delta": "delta_log", "iceberg": "ice.db.iceberg_log"}
# Delta writes filters by properties of Parquet, which its table does not have here.
PROPERTIES = {
    "delta": "",
    "iceberg": "TBLPROPERTIES ('write.parquet.bloom-filter-enabled.column.user_id' = 'true')",
}


def opened(folder: Path) -> SparkSession:
    conf = {
        "spark.jars.packages": ",".join(FORMATS.values()),
        "spark.sql.extensions": ",".join(EXTENSIONS[name] for name in FORMATS),
        "spark.sql.catalog.ice.warehouse": str(folder / "ice"),
    }
    for name in FORMATS:
        conf.update(CATALOGS[name])
    spark = with_packages(local_builder(folder / "warehouse").config(map=conf))
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def log(first: int) -> str:
    return (
        "SELECT id AS seq, xxhash64(id) AS user_id, id % 2 AS day "
        f"FROM range({first}, {first + ROWS}, 1, {FILES})"
    )


def look(spark: SparkSession, name: str, query: str) -> None:
    df = spark.sql(query)
    report = sbbf.explain(df, show=False)
    result = {
        "case": name,
        "rows": rows(df),
        "scans": [[scan.row_groups_kept, scan.row_groups] for scan in report.scans],
        "unpruned": {relation.relation: relation.reason for relation in report.unpruned},
        "text": str(report),
    }
    spark.conf.set("spark.sbbf.enabled", "false")
    result["oracle"] = rows(spark.sql(query))
    spark.conf.set("spark.sbbf.enabled", "true")
    print(json.dumps(result), flush=True)


def life_of(spark: SparkSession, name: str, table: str) -> None:
    where = f"WHERE user_id = {KEY}"
    spark.sql(f"CREATE TABLE {table} USING {name} {PROPERTIES[name]} AS {log(0)}")
    look(spark, f"{name}: look-up", f"SELECT * FROM {table} {where}")
    join = f"SELECT seq FROM plain p JOIN {table} t USING (seq) WHERE p.user_id = {KEY}"
    look(spark, f"{name}: join", join)
    spark.sql(f"UPDATE {table} SET day = 7 {where}")
    look(spark, f"{name}: updated", f"SELECT * FROM {table} {where}")
    spark.sql(f"DELETE FROM {table} {where}")
    look(spark, f"{name}: deleted", f"SELECT * FROM {table} {where}")
    merge = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    spark.sql(f"MERGE INTO {table} t USING plain p ON t.user_id = p.user_id {merge}")
    look(spark, f"{name}: merged", f"SELECT * FROM {table} {where}")
    look(spark, f"{name}: whole", f"SELECT count(*), sum(seq) FROM {table}")


def main(folder: Path) -> None:
    spark = opened(folder)
    filters = sbbf.bloom_options("user_id", fpp=0.001, ndv=ROWS // FILES)
    options = {**filters, "parquet.enable.dictionary": "false"}
    spark.sql(log(0)).write.options(**options).parquet(str(folder / "plain"))
    spark.read.parquet(str(folder / "plain")).createOrReplaceTempView("plain")
    look(spark, "plain", f"SELECT * FROM plain WHERE user_id = {KEY}")
    for name in FORMATS:
        life_of(spark, name, TABLES[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
