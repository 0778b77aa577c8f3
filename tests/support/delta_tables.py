"""Looks up keys in Delta tables of all kinds: delta_tables.py FOLDER FILES.

Prints a JSON object for each case: its rows with and without pruning, the files that planning kept
and those that the scan listed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from delta_session import FILES_KEPT, filters, opened
from lake_session import LINE, look, search, streamed

ROWS = 50
KEY = 777
TYPE_WIDENING = LINE != "3.5"


def where(n: int) -> str:
    return f"user_id = xxhash64({n}L)"


def log(first: int, files: int) -> str:
    return (
        "SELECT id AS seq, xxhash64(id) AS user_id, id % 3 AS day, "
        "named_struct('a', xxhash64(id, 1), 'b', string(id)) AS st, "
        "CAST(xxhash64(id, 2) % 1000000 AS INT) AS small, "
        "IF(id % 2 = 0, 0.0D, -0.0D) AS zero "
        f"FROM range({first}, {first + ROWS * files}, 1, {files})"
    )


COLUMNS = (
    "seq BIGINT, user_id BIGINT, day BIGINT, st STRUCT<a: BIGINT, b: STRING>, "
    "small INT, zero DOUBLE"
)


def create(
    spark: SparkSession, name: str, files: int, properties: str = "", clause: str = ""
) -> None:
    more = f", {properties}" if properties else ""
    spark.sql(
        f"CREATE TABLE {name} ({COLUMNS}) USING delta {clause} "
        f"TBLPROPERTIES ({filters(ROWS, 'user_id', 'st.a', 'small', 'zero')}{more})"
    )
    spark.sql(f"INSERT INTO {name} {log(0, files)}")


def counted(spark: SparkSession, files: int) -> None:
    create(spark, "log", files)
    spark.sql(f"SELECT xxhash64({KEY}L) AS user_id").createOrReplaceTempView("keys")
    look(spark, "key", f"SELECT seq FROM log WHERE {where(KEY)}")
    look(spark, "absent key", f"SELECT seq FROM log WHERE {where(-KEY)}")
    look(spark, "nested key", f"SELECT seq FROM log WHERE st.a = xxhash64({KEY}L, 1)")
    look(spark, "aggregate", f"SELECT count(*), max(seq) FROM log WHERE {where(KEY)}")
    look(spark, "two keys", f"SELECT seq FROM log WHERE {where(KEY)} OR {where(KEY + ROWS)}")
    look(spark, "zeros", "SELECT count(*) FROM log WHERE zero = 0.0D")
    look(spark, "no filter", "SELECT count(*) FROM log")
    spark.range(3).selectExpr(f"xxhash64(id * {2 * ROWS}) AS user_id").write.saveAsTable("few")
    look(spark, "join", "SELECT seq FROM log JOIN few USING (user_id)")
    look(spark, "in subquery", "SELECT seq FROM log WHERE user_id IN (SELECT user_id FROM few)")
    scalar = "(SELECT max(user_id) FROM few)"
    look(spark, "scalar subquery", f"SELECT seq FROM log WHERE user_id = {scalar}")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    look(spark, "without adaptive execution", f"SELECT seq FROM log WHERE {where(KEY)}")
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    spark.conf.set("spark.sbbf.delta.enabled", "false")
    look(spark, "switched off", f"SELECT seq FROM log WHERE {where(KEY)}")
    spark.conf.set("spark.sbbf.delta.enabled", "true")
    spark.conf.set("spark.databricks.delta.stats.skipping", "false")
    look(spark, "without skipping by Delta", f"SELECT seq FROM log WHERE {where(KEY)}")
    spark.conf.set("spark.databricks.delta.stats.skipping", "true")
    spark.read.table("log").where(where(KEY)).createOrReplaceTempView("found")
    look(spark, "view", "SELECT seq FROM found")


def paged(spark: SparkSession, name: str, properties: str) -> None:
    """Tables with many pages in a file, of which tasks read some."""
    pages = "'parquet.page.row.count.limit' = '50', 'parquet.enable.dictionary' = 'false'"
    spark.sql(
        f"CREATE TABLE {name} USING delta TBLPROPERTIES ({pages}{properties}) "
        f"AS SELECT /*+ COALESCE(1) */ * FROM ({log(0, 100)})"
    )
    look(spark, f"{name}: key", f"SELECT * FROM {name} WHERE {where(KEY)}")
    look(spark, f"{name}: join", f"SELECT * FROM {name} JOIN few USING (user_id)")
    look(spark, f"{name}: expression", f"SELECT * FROM {name} WHERE seq % 4000 = 7")


def changed(spark: SparkSession, name: str, files: int, properties: str) -> None:
    """A life of a table: its rows are deleted, updated and merged with pruning."""
    create(spark, name, files, properties)
    look(spark, f"{name}: key", f"SELECT * FROM {name} WHERE {where(KEY)}")
    search(spark, f"{name}: DELETE", FILES_KEPT, f"DELETE FROM {name} WHERE {where(KEY)}")
    look(spark, f"{name}: deleted", f"SELECT * FROM {name} WHERE {where(KEY)}")
    look(spark, f"{name}: beside a deleted row", f"SELECT * FROM {name} WHERE {where(KEY + 1)}")
    look(spark, f"{name}: before", f"SELECT * FROM {name} VERSION AS OF 1 WHERE {where(KEY)}")
    search(
        spark,
        f"{name}: UPDATE",
        FILES_KEPT,
        f"UPDATE {name} SET seq = -seq WHERE {where(KEY + 1)}",
    )
    look(spark, f"{name}: updated", f"SELECT * FROM {name} WHERE {where(KEY + 1)}")
    source = f"SELECT * FROM {name} VERSION AS OF 1 WHERE seq BETWEEN {KEY} AND {KEY + 1}"
    search(
        spark,
        f"{name}: MERGE",
        FILES_KEPT,
        f"MERGE INTO {name} t USING ({source}) s ON t.user_id = s.user_id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    )
    look(spark, f"{name}: merged", f"SELECT * FROM {name} WHERE {where(KEY)} OR {where(KEY + 1)}")
    join = f"SELECT seq FROM {name} JOIN few USING (user_id)"
    look(spark, f"{name}: join", join)
    spark.sql(f"OPTIMIZE {name}")
    look(spark, f"{name}: optimized", f"SELECT * FROM {name} WHERE {where(KEY)}")
    look(spark, f"{name}: whole", f"SELECT count(*), sum(seq), sum(user_id % 1000) FROM {name}")


def kinds(spark: SparkSession, files: int) -> None:
    vectors = "'delta.enableDeletionVectors' = '{}'"
    changed(spark, "plain", files, vectors.format("false"))
    changed(spark, "vectors", files, vectors.format("true"))
    for mode in ("name", "id"):
        renamed(spark, mode, files)
    create(spark, "parts", files, clause="PARTITIONED BY (day)")
    look(spark, "partitioned", f"SELECT seq FROM parts WHERE {where(KEY)} AND day = {KEY % 3}")
    tracking = "'delta.enableRowTracking' = 'true'"
    create(spark, "tracked", files, tracking)
    spark.sql(f"UPDATE tracked SET seq = -seq WHERE {where(KEY)}")
    row_ids = f"SELECT seq, _metadata.row_id FROM tracked WHERE {where(KEY)}"
    look(spark, "row tracking", row_ids)
    if TYPE_WIDENING:
        create(spark, "wide", files, "'delta.enableTypeWidening' = 'true'")
        spark.sql("ALTER TABLE wide ALTER COLUMN small TYPE BIGINT")
        look(
            spark,
            "widened",
            f"SELECT seq FROM wide WHERE small = CAST(xxhash64({KEY}L, 2) % 1000000 AS BIGINT)",
        )
    named_as_metadata(spark, files)
    given_filters(spark, files)
    erased(spark, files)
    feed(spark, files)


def given_filters(spark: SparkSession, files: int) -> None:
    """A table gets the properties later, and its files are written again."""
    spark.sql(f"CREATE TABLE later ({COLUMNS}) USING delta")
    spark.sql(f"INSERT INTO later {log(0, files)}")
    before = with_filter(spark, "later")
    spark.sql(f"ALTER TABLE later SET TBLPROPERTIES ({filters(ROWS, 'user_id')})")
    spark.sql("INSERT OVERWRITE later SELECT /*+ REPARTITION_BY_RANGE(20, seq) */ * FROM later")
    printed = {"command": "filters", "before": before, "after": with_filter(spark, "later")}
    print(json.dumps(printed), flush=True)
    query = f"SELECT seq FROM later WHERE {where(KEY)}"
    look(spark, "filters of a later property", query)


def erased(spark: SparkSession, files: int) -> None:
    """A list of keys is deleted, and leaves the files: docs/cookbook.md shows these commands."""
    create(spark, "persons", files, "'delta.enableDeletionVectors' = 'true'")
    of_list = "DELETE FROM persons WHERE user_id IN ({})"
    try:
        spark.sql(of_list.format("SELECT user_id FROM few"))
        refused = ""
    except AnalysisException as e:
        refused = str(e)
    gone = [row.user_id for row in spark.table("few").collect()]
    keys = ", ".join(map(str, gone))
    search(spark, "persons: DELETE", FILES_KEPT, of_list.format(keys))
    look(spark, "persons: deleted", f"SELECT * FROM persons WHERE user_id IN ({keys})")
    held = [row_groups_with(spark, "persons", gone)]
    spark.sql("REORG TABLE persons APPLY (PURGE)")
    held.append(row_groups_with(spark, "persons", gone))
    printed = {"command": "persons: erased", "refused": refused, "held": held}
    print(json.dumps(printed), flush=True)


def row_groups_with(spark: SparkSession, table: str, keys: list[int]) -> int:
    """Returns how often a row group might hold one of the keys."""
    probes = [sbbf.probe(spark, table, "user_id", key) for key in keys]
    return sum(probe.where("verdict = 'might_match'").count() for probe in probes)


def with_filter(spark: SparkSession, table: str) -> int:
    """Returns the number of the table's files that have a filter of `user_id`."""
    paths = spark.table(table).inputFiles()
    return sum(
        sbbf.inspect(spark, path).where("path_in_schema = 'user_id' AND filter_bytes > 0").count()
        for path in paths
    )


def named_as_metadata(spark: SparkSession, files: int) -> None:
    """Columns of the table have the names of parts of `_metadata`, and other values."""
    spark.sql(
        "CREATE TABLE inventory (id BIGINT, file_size BIGINT, file_name STRING) USING delta "
        f"TBLPROPERTIES ({filters(ROWS, 'id', 'file_name')})"
    )
    spark.sql(f"INSERT INTO inventory SELECT id, 1, 'x' FROM range(0, {ROWS * files}, 1, {files})")
    row = f"id = {KEY} AND _metadata.file_size > 100"
    look(spark, "metadata", f"SELECT * FROM inventory WHERE {row}")
    name = "(SELECT max(_metadata.file_name) FROM inventory WHERE id = 777)"
    look(spark, "metadata join", f"SELECT id FROM inventory WHERE _metadata.file_name = {name}")


def renamed(spark: SparkSession, mode: str, files: int) -> None:
    """A column is renamed, and another one takes its name."""
    name = f"mapped_{mode}"
    if mode == "name":
        create(spark, name, files)
        spark.sql(
            f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
            "'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
        )
    else:
        spark.sql(
            f"CREATE TABLE {name} ({COLUMNS}) USING delta TBLPROPERTIES "
            f"('delta.columnMapping.mode' = 'id', {filters(ROWS)})"
        )
        spark.sql(f"INSERT INTO {name} {log(0, files)}")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN user_id TO uid")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN seq TO user_id")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN seq BIGINT")
    look(spark, f"{name}: key", f"SELECT user_id FROM {name} WHERE uid = xxhash64({KEY}L)")
    look(spark, f"{name}: swapped", f"SELECT uid FROM {name} WHERE user_id = {KEY}")
    look(spark, f"{name}: added", f"SELECT uid FROM {name} WHERE seq = {KEY}")
    nulls = f"SELECT seq FROM {name} WHERE seq IS NULL AND uid = xxhash64({KEY}L)"
    look(spark, f"{name}: added, NULL", nulls)
    nested = f"SELECT user_id FROM {name} WHERE st.a = xxhash64({KEY}L, 1)"
    look(spark, f"{name}: nested", nested)
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN st.a TO c")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN st.b TO a")
    nested = f"SELECT user_id FROM {name} WHERE st.c = xxhash64({KEY}L, 1)"
    look(spark, f"{name}: nested, renamed", nested)
    look(spark, f"{name}: nested, swapped", f"SELECT uid FROM {name} WHERE st.a = '{KEY}'")
    join = f"SELECT t.user_id FROM {name} t JOIN keys ON t.uid = keys.user_id"
    look(spark, f"{name}: join", join)


def feed(spark: SparkSession, files: int) -> None:
    """Reads that are left alone: the change data feed and streams."""
    create(spark, "fed", files, "'delta.enableChangeDataFeed' = 'true'")
    spark.sql(f"UPDATE fed SET seq = -seq WHERE {where(KEY)}")
    spark.sql(f"DELETE FROM fed WHERE {where(KEY + 1)}")
    changes = f"SELECT seq, _change_type FROM table_changes('fed', 1) WHERE {where(KEY)}"
    look(spark, "change data feed", changes)
    spark.sql("CREATE TABLE copied SHALLOW CLONE plain")
    look(spark, "shallow clone", f"SELECT * FROM copied WHERE {where(KEY)}")
    streamed(spark, "parts", where(KEY))


def main(folder: Path, files: int) -> None:
    spark = opened(folder)
    counted(spark, files)
    paged(spark, "paged", "")
    paged(spark, "paged_mapped", ", 'delta.columnMapping.mode' = 'name'")
    kinds(spark, min(files, 20))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
