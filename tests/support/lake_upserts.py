"""Merges batches of a few keys into Delta and Iceberg tables: lake_upserts.py FOLDER SOURCES.

Each statement runs on a table, and without pruning on its twin. Prints the files that its scans
read, and whether the tables are equal.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import delta_session
import iceberg_session
import spark_sbbf as sbbf
from harness import rows
from lake_session import LINE, look, metric_values, without_pruning
from lake_tables import opened

FILES, ROWS = 40, 1000
FILES_OF_BATCH = 2
DELTA_TABLES = {"delta": "false", "delta_vectors": "true"}
ICEBERG_TABLES = {"iceberg_copy": "copy-on-write", "iceberg_merge": "merge-on-read"}
TABLES = [
    *(DELTA_TABLES if LINE in delta_session.PACKAGES else ()),
    *(ICEBERG_TABLES if LINE in iceberg_session.PACKAGES else ()),
]
"""The tables of the formats that have a build for this Spark."""
CLAUSES = {
    "update": "WHEN MATCHED THEN UPDATE SET v = s.v",
    "upsert": "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "delete": "WHEN MATCHED AND s.v = 'new' THEN DELETE",
    "insert": "WHEN NOT MATCHED THEN INSERT *",
}
LOG = (
    "SELECT id, xxhash64(id) AS k, concat('old ', id) AS v "
    f"FROM range(0, {FILES * ROWS}, 1, {FILES})"
)


def create(spark: SparkSession, name: str) -> None:
    if name.startswith("delta"):
        vectors = f"'delta.enableDeletionVectors' = '{DELTA_TABLES[name.removesuffix('_twin')]}'"
        spark.sql(
            f"CREATE TABLE {name} USING delta "
            f"TBLPROPERTIES ({vectors}, {delta_session.filters(ROWS, 'k')}) AS {LOG}"
        )
    else:
        mode = ICEBERG_TABLES[name.removesuffix("_twin")]
        modes = ", ".join(f"'write.{c}.mode' = '{mode}'" for c in ("delete", "update", "merge"))
        spark.sql(
            f"CREATE TABLE ice.db.{name} (id BIGINT, k BIGINT, v STRING) USING iceberg "
            f"TBLPROPERTIES ({modes}, {iceberg_session.filters('k')})"
        )
        spark.sql(f"INSERT INTO ice.db.{name} {LOG}")


def batch(spark: SparkSession, number: int) -> DataFrame:
    """Returns rows whose keys are in two files of the table, and one that is in none."""
    first = number * FILES_OF_BATCH * ROWS
    ids = f"array({first} + 5, {first} + 7, {first + ROWS} + 5, -{number} - 1)"
    found = spark.range(1).selectExpr(f"explode({ids}) AS id")
    return found.selectExpr("CAST(id AS BIGINT)", "xxhash64(CAST(id AS BIGINT)) AS k", "'new' AS v")


def source(spark: SparkSession, kind: str, of: DataFrame, folder: Path) -> DataFrame:
    """Returns rows of which Spark knows what it does of such a source."""
    if kind == "checkpointed":
        return of.localCheckpoint()
    if kind == "cached":
        return of.cache()
    if kind == "local":
        return spark.createDataFrame(of.collect(), of.schema)
    if kind == "external":
        return spark.createDataFrame(spark.sparkContext.parallelize(of.collect(), 2), of.schema)
    path = str(folder / f"batch-{of.first()}")
    of.write.parquet(path)
    return spark.read.parquet(path)


def merged(spark: SparkSession, name: str, folder: Path, sources: list[str]) -> None:
    """Merges a batch from each source by each clause."""
    t = name if name.startswith("delta") else f"ice.db.{name}"
    metric = delta_session.FILES_KEPT if t == name else iceberg_session.FILES_READ
    for number, (kind, clause) in enumerate((k, c) for k in sources for c in CLAUSES):
        rows_of_batch = source(spark, kind, batch(spark, number), folder / f"{name}-{number}")
        rows_of_batch.createOrReplaceTempView("batch")
        merge = f"MERGE INTO {{t}} t USING batch s ON t.k = s.k {CLAUSES[clause]}"
        kept = metric_values(spark, metric, lambda text=merge: spark.sql(text.replace("{t}", t)))
        said = sbbf.explain_last(spark, show=False)
        with without_pruning(spark):
            spark.sql(merge.replace("{t}", f"{t}_twin"))
            whole = [rows(spark.table(table)) for table in (t, f"{t}_twin")]
        printed = {
            "command": f"{name}: {kind}: {clause}",
            "kept": kept,
            "equal": whole[0] == whole[1],
            "said": said.to_dict(),
        }
        print(json.dumps(printed), flush=True)
    duplicates(spark, name, t)


def duplicates(spark: SparkSession, name: str, t: str) -> None:
    """Two rows of a batch that change one row are an error, also in a pruned table."""
    few = batch(spark, 0)
    few.union(few).localCheckpoint().createOrReplaceTempView("batch")
    error = "none"
    try:
        spark.sql(f"MERGE INTO {t} t USING batch s ON t.k = s.k {CLAUSES['update']}")
    except Exception as e:
        error = str(e)
    print(json.dumps({"command": f"{name}: duplicates", "error": error[:2000]}), flush=True)


def joined(spark: SparkSession, name: str) -> None:
    """Joins that keep the rows of a batch."""
    t = name if name.startswith("delta") else f"ice.db.{name}"
    batch(spark, 19).localCheckpoint().createOrReplaceTempView("batch")
    for kind in ("JOIN", "LEFT JOIN", "LEFT ANTI JOIN", "LEFT SEMI JOIN"):
        look(spark, f"{name}: {kind}", f"SELECT b.* FROM batch b {kind} {t} t ON b.k = t.k")


def main() -> None:
    folder, sources = Path(sys.argv[1]), sys.argv[2].split(",")
    spark = opened(folder)
    # or the tables are small enough to broadcast
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "8k")
    for name in TABLES:
        for table in (name, f"{name}_twin"):
            create(spark, table)
        joined(spark, name)
        merged(spark, name, folder, sources)
    spark.stop()


if __name__ == "__main__":
    main()
