"""Writes filters into Delta and Iceberg tables by bloom_options: lake_filters.py FOLDER.

Prints the filters of each table, before and after its files were merged, and what the log says of
options that a format ignores.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import delta_session
import spark_sbbf as sbbf
from lake_session import metric_values
from lake_tables import opened

FILES, ROWS = 8, 8000
FPP = 0.001
LOG = f"SELECT id, xxhash64(id) AS k FROM range(0, {FILES * ROWS}, 1, {FILES})"
TABLES = {"delta": "t", "iceberg": "ice.db.t"}


def written(spark: SparkSession, using: str) -> None:
    table = TABLES[using]
    properties = sbbf.bloom_options("k", fpp=FPP, format=using)
    clause = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, k BIGINT) USING {using} TBLPROPERTIES ({clause}, "
        "'write.distribution-mode' = 'none', 'parquet.enable.dictionary' = 'false')"
    )
    spark.sql(f"INSERT INTO {table} {LOG}")
    inspected(spark, using, "new")
    if using == "delta":
        spark.sql(f"OPTIMIZE {table}")
    else:
        spark.sql(
            "CALL ice.system.rewrite_data_files(table => 'db.t', "
            "options => map('rewrite-all', 'true'))"
        )
    inspected(spark, using, "merged")


def inspected(spark: SparkSession, using: str, state: str) -> None:
    filters = sbbf.inspect(spark, TABLES[using]).collect()
    absent = spark.table(TABLES[using]).where("k = xxhash64(-1L)")
    kept = metric_values(spark, delta_session.FILES_KEPT, absent.collect)
    found = [(row.filter_bytes, row.fpp, row.reason) for row in filters]
    print(json.dumps({"case": f"{using}: {state}", "filters": found, "kept": kept}), flush=True)


def ignored(spark: SparkSession, folder: Path, log: Path) -> None:
    """Writes with options that the formats ignore, each write with those of another column."""
    rows = spark.range(3).selectExpr("id", *(f"id AS c{n}" for n in range(5)))
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()

    def streamed(using: str, column: str, to: str) -> None:
        stream.selectExpr(f"value AS {column}").writeStream.format(using).options(
            **sbbf.bloom_options(column)
        ).option("checkpointLocation", str(folder / f"check-{using}")).trigger(
            availableNow=True
        ).toTable(to).awaitTermination()

    for using, prefix in (("delta", ""), ("iceberg", "ice.db.")):
        options = [sbbf.bloom_options(f"c{n}") for n in range(5)]
        rows.write.format(using).options(**options[0]).saveAsTable(f"{prefix}a")
        rows.write.format(using).options(**options[1]).mode("append").saveAsTable(f"{prefix}a")
        rows.writeTo(f"{prefix}b").using(using).options(**options[2]).create()
        rows.writeTo(f"{prefix}b").options(**options[3]).append()
        streamed(using, "c4", f"{prefix}c")
        said = [line for line in log.read_text().splitlines() if "ignores the writer's" in line]
        print(json.dumps({"case": f"{using}: ignored", "said": said}), flush=True)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    log = folder / "stderr"
    os.dup2(os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND), sys.stderr.fileno())
    spark = opened(folder)
    for using in TABLES:
        written(spark, using)
    spark.sparkContext.setLogLevel("WARN")
    ignored(spark, folder, log)
    spark.stop()


if __name__ == "__main__":
    main()
