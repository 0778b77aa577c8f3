"""Looks up keys in Iceberg tables of all kinds: iceberg_tables.py FOLDER FILES.

Prints a JSON object for each case: its rows with and without pruning, the files that planning kept
and those that the scan read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import iceberg_joins
import iceberg_schemas
import iceberg_sources
from iceberg_session import (
    FILES_READ,
    KEY,
    NAMES,
    ROWS,
    TABLES,
    VALUES,
    create,
    filters,
    literal,
    log,
    opened,
    same,
    where,
)
from lake_session import look, search, settings, without_pruning

ALL = ", ".join(NAMES)


def counted(spark: SparkSession, files: int) -> None:
    create(spark, "log", files)
    t = "ice.db.log"
    spark.sql(f"SELECT xxhash64({KEY}L) AS user_id").createOrReplaceTempView("keys")
    look(spark, "key", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    look(spark, "key again", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    look(spark, "absent key", f"SELECT seq FROM {t} WHERE {where(-KEY)}")
    look(spark, "null-safe key", f"SELECT seq FROM {t} WHERE user_id <=> xxhash64({KEY}L)")
    look(spark, "in", f"SELECT seq FROM {t} WHERE user_id IN (xxhash64({KEY}L), xxhash64(778L))")
    look(spark, "nested key", f"SELECT seq FROM {t} WHERE st.a = xxhash64({KEY}L, 1)")
    look(spark, "aggregate", f"SELECT count(*), max(seq) FROM {t} WHERE {where(KEY)}")
    look(spark, "two keys", f"SELECT seq FROM {t} WHERE {where(KEY)} OR {where(KEY + ROWS)}")
    text = f"string(user_id) = string(xxhash64({KEY}L))"
    look(spark, "key of a string", f"SELECT seq FROM {t} WHERE {text}")
    for zero in ("0.0D", "-0.0D", "DOUBLE('NaN')"):
        look(spark, f"zero: {zero}", f"SELECT count(*) FROM {t} WHERE zero = {zero}")
        look(spark, f"ratio: {zero}", f"SELECT count(*) FROM {t} WHERE ratio = {zero}")
    look(spark, "isnan", f"SELECT count(*) FROM {t} WHERE isnan(ratio) AND {where(KEY)}")
    look(spark, "no filter", f"SELECT count(*), sum(seq) FROM {t}")
    typed(spark, t)
    spark.sql(f"CREATE VIEW found AS SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, "view", "SELECT seq FROM found")
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        look(spark, "without adaptive execution", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    with settings(spark, {"spark.sbbf.iceberg.enabled": "false"}):
        look(spark, "switched off", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    with settings(spark, {"spark.sql.iceberg.vectorization.enabled": "false"}):
        look(spark, "row by row", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        look(spark, "case-sensitive", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    look(spark, "case-insensitive", f"SELECT SEQ FROM {t} WHERE USER_ID = xxhash64({KEY}L)")


def typed(spark: SparkSession, table: str) -> None:
    """Looks up the key's value of every column that holds each value once."""
    for column, value in VALUES.items():
        name = column.split()[0]
        if name not in ("seq", "day", "st", "zero", "ratio"):
            text = literal(spark, column, KEY)
            late = f"(SELECT max({value}) FROM range({KEY}, {KEY + 1}))"
            look(spark, f"type: {name}", f"SELECT seq FROM {table} WHERE {name} = {text}")
            look(spark, f"late: {name}", f"SELECT seq FROM {table} WHERE {name} = {late}")


def planned(spark: SparkSession, files: int) -> None:
    """Tables whose scans Iceberg plans in other ways."""
    modes = "'read.data-planning-mode' = 'distributed', 'read.delete-planning-mode' = 'distributed'"
    create(spark, "distributed", files, f"{modes}, {by_mode('merge-on-read', 2)}")
    t = "ice.db.distributed"
    spark.sql(f"DELETE FROM {t} WHERE {where(KEY)}")
    look(spark, "distributed: deleted", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    look(spark, "distributed: key", f"SELECT seq FROM {t} WHERE {where(KEY + 1)}")
    look(spark, "distributed: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
    sizes = "'read.split.target-size' = '2000', 'read.split.open-file-cost' = '1'"
    groups = "'write.parquet.row-group-size-bytes' = '1000'"
    checks = "'write.parquet.row-group-check-min-record-count' = '10'"
    create(spark, "cut", files, f"{sizes}, {groups}, {checks}")
    t = "ice.db.cut"
    look(spark, "cut: key", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    look(spark, "cut: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
    look(spark, "cut: whole", f"SELECT count(*), sum(seq) FROM {t}")
    create(spark, "audited", files, "'write.wap.enabled' = 'true'")
    t = "ice.db.audited"
    with settings(spark, {"spark.wap.branch": "audit"}):
        spark.sql(f"INSERT INTO {t} {log(10_000, 2)}")
        look(spark, "audited: on the branch", f"SELECT seq FROM {t} WHERE {where(10_001)}")
    look(spark, "audited: on main", f"SELECT seq FROM {t} WHERE {where(10_001)}")
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        t = "ice.db.cases"
        columns = "`k` BIGINT, `K` BIGINT, seq BIGINT"
        spark.sql(f"CREATE TABLE {t} ({columns}) USING iceberg TBLPROPERTIES ({filters('k', 'K')})")
        spark.sql(f"INSERT INTO {t} SELECT user_id, user_id + 1, seq FROM ({log(0, files)})")
        look(spark, "cases: lower", f"SELECT seq FROM {t} WHERE k = xxhash64({KEY}L)")
        look(spark, "cases: upper", f"SELECT seq FROM {t} WHERE `K` = xxhash64({KEY}L) + 1")
        look(spark, "cases: absent", f"SELECT seq FROM {t} WHERE `K` = xxhash64({KEY}L)")


def changed(spark: SparkSession, name: str, files: int, properties: str) -> None:
    """A life of a table and its twin: rows are deleted, updated and merged with pruning."""
    t = f"ice.db.{name}"
    create(spark, name, files, properties)
    with without_pruning(spark):
        create(spark, f"{name}_twin", files, properties)

    def change(kind: str, text: str) -> None:
        search(spark, f"{name}: {kind}", FILES_READ, text.replace("{t}", t))
        with without_pruning(spark):
            search(spark, f"{name}_twin: {kind}", FILES_READ, text.replace("{t}", f"{t}_twin"))
        whole = f"SELECT {ALL} FROM {t}"
        same(spark, f"{name}: whole after {kind}", whole, f"{whole}_twin")

    spark.sql(f"ALTER TABLE {t} CREATE TAG before")
    look(spark, f"{name}: key", f"SELECT * FROM {t} WHERE {where(KEY)}")
    change("DELETE", f"DELETE FROM {{t}} WHERE {where(KEY)}")
    look(spark, f"{name}: deleted", f"SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, f"{name}: beside", f"SELECT * FROM {t} WHERE {where(KEY + files)}")
    before = f"SELECT * FROM {t} VERSION AS OF 'before' WHERE {where(KEY)}"
    look(spark, f"{name}: before", before)
    # the second row of the same file
    change("second DELETE", f"DELETE FROM {{t}} WHERE {where(KEY + files)}")
    look(spark, f"{name}: deleted again", f"SELECT * FROM {t} WHERE {where(KEY)}")
    change("UPDATE", f"UPDATE {{t}} SET seq = -seq WHERE {where(KEY + 1)}")
    look(spark, f"{name}: updated", f"SELECT * FROM {t} WHERE {where(KEY + 1)}")
    in_two = f"user_id IN (SELECT xxhash64(id) FROM range({KEY + 2}, {KEY + 4}))"
    change("DELETE by a subquery", f"DELETE FROM {{t}} WHERE {in_two}")
    change("UPDATE by a subquery", f"UPDATE {{t}} SET seq = -seq WHERE {in_two}")
    source = f"SELECT * FROM ({log(0, files)}) WHERE seq BETWEEN {KEY} AND {KEY + 1}"
    merge = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    change("MERGE", f"MERGE INTO {{t}} t USING ({source}) s ON t.user_id = s.user_id {merge}")
    look(spark, f"{name}: merged", f"SELECT * FROM {t} WHERE {where(KEY)} OR {where(KEY + 1)}")
    look(spark, f"{name}: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
    look(spark, f"{name}: positions", f"SELECT seq, _pos, _deleted FROM {t} WHERE {where(KEY)}")
    if "merge-on-read" in properties:
        look(spark, f"{name}: deletes", f"SELECT count(*), sum(pos) FROM {t}.position_deletes")
        rewrite = "CALL ice.system.rewrite_position_delete_files(table => '{t}')"
        change("rewrite of deletes", rewrite)
    all_files = "options => map('rewrite-all', 'true')"
    change("rewrite", f"CALL ice.system.rewrite_data_files(table => '{{t}}', {all_files})")
    look(spark, f"{name}: rewritten", f"SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, f"{name}: before the rewrite", before)


def by_mode(mode: str, version: int) -> str:
    commands = ("delete", "update", "merge")
    modes = ", ".join(f"'write.{command}.mode' = '{mode}'" for command in commands)
    return f"{modes}, 'format-version' = '{version}'"


def versions(spark: SparkSession, files: int) -> None:
    for name, (mode, version) in TABLES.items():
        changed(spark, name, files, by_mode(mode, version))
    lineage = "seq, _row_id, _last_updated_sequence_number"
    for name in (name for name, (_, version) in TABLES.items() if version == 3):
        t = f"ice.db.{name}"
        look(spark, f"{name}: row ids", f"SELECT {lineage} FROM {t} WHERE {where(KEY)}")
        row = f"(SELECT max(_row_id) FROM {t} WHERE {where(KEY)})"
        look(spark, f"{name}: a row id", f"SELECT seq FROM {t} WHERE _row_id = {row}")
        both = "_row_id < 100 AND user_id IN (SELECT user_id FROM few)"
        look(spark, f"{name}: row ids and keys", f"SELECT {lineage} FROM {t} WHERE {both}")


def travelled(spark: SparkSession, files: int) -> None:
    """Snapshots, branches and tags with rows that the table does not have."""
    t = "ice.db.travelled"
    create(spark, "travelled", files)
    first = snapshot(spark, t)
    spark.sql(f"ALTER TABLE {t} CREATE TAG old")
    spark.sql(f"ALTER TABLE {t} CREATE BRANCH side")
    made = spark.sql(f"SELECT string(max(committed_at)) FROM {t}.snapshots").head()[0]
    spark.sql(f"DELETE FROM {t} WHERE {where(KEY)}")
    spark.sql(f"INSERT INTO {t} {log(100_000, 2)}")
    spark.sql(f"INSERT INTO ice.db.travelled.branch_side {log(200_000, 2)}")
    for name, version in {"snapshot": str(first), "tag": "'old'", "branch": "'side'"}.items():
        for key in (KEY, 100_000, 200_000):
            query = f"SELECT * FROM {t} VERSION AS OF {version} WHERE {where(key)}"
            look(spark, f"{name}: {key}", query)
    look(spark, "time", f"SELECT * FROM {t} TIMESTAMP AS OF '{made}' WHERE {where(KEY)}")
    look(spark, "now: deleted", f"SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, "now: added", f"SELECT * FROM {t} WHERE {where(100_000)}")
    look(spark, "named branch", f"SELECT * FROM {t}.branch_side WHERE {where(200_000)}")
    spark.sql(f"DELETE FROM {t}.branch_side WHERE {where(200_001)}")
    look(spark, "branch: deleted", f"SELECT * FROM {t}.branch_side WHERE {where(200_001)}")
    both = f"SELECT * FROM {t} WHERE {where(KEY)} UNION ALL SELECT * FROM {t} VERSION AS OF 'old'"
    look(spark, "two versions", f"{both} WHERE {where(KEY)}")
    spark.sql(f"CALL ice.system.rollback_to_snapshot('{t}', {first})")
    look(spark, "rolled back", f"SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, "rolled back: added", f"SELECT * FROM {t} WHERE {where(100_000)}")


def snapshot(spark: SparkSession, table: str) -> int:
    """Returns the id of a table's present snapshot."""
    newest = f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at DESC LIMIT 1"
    return int(spark.sql(newest).head()[0])


def main(folder: Path, files: int) -> None:
    spark = opened(folder)
    # each in another file
    few = spark.range(3).selectExpr("xxhash64(id * 101) AS user_id", "id AS n")
    few.write.saveAsTable("few")
    counted(spark, files)
    iceberg_joins.compare(spark, files)
    some = min(files, 20)
    planned(spark, some)
    travelled(spark, some)
    versions(spark, some)
    iceberg_schemas.compare(spark, some)
    iceberg_sources.compare(spark, some, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
