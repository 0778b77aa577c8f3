"""Looks up keys in Iceberg tables whose columns or partitions have changed."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from iceberg_session import KEY, create, filters, insert, loaded, log, where
from lake_session import look, settings

FILE = "(SELECT max(file_path) FROM {t}.files)"


def compare(spark: SparkSession, files: int) -> None:
    renamed(spark, files)
    replaced(spark, files)
    promoted(spark, files)
    defaulted(spark, files)
    hidden(spark, files)
    evolved(spark, 16)
    of_metadata(spark)
    collections(spark, files)
    named_as_metadata(spark, files)


def renamed(spark: SparkSession, files: int) -> None:
    """Columns are renamed, and others take their names."""
    t = "ice.db.renamed"
    create(spark, "renamed", files, "'format-version' = '2'")
    spark.sql(f"ALTER TABLE {t} CREATE TAG old")
    first = spark.sql(f"SELECT snapshot_id FROM {t}.snapshots").head()[0]
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN user_id TO uid")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN seq TO user_id")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN uid TO seq")
    look(spark, "swapped: key", f"SELECT user_id FROM {t} WHERE seq = xxhash64({KEY}L)")
    look(spark, "swapped: number", f"SELECT seq FROM {t} WHERE user_id = {KEY}")
    look(spark, "swapped: absent", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    look(spark, "swapped: tag", f"SELECT * FROM {t} VERSION AS OF 'old' WHERE {where(KEY)}")
    look(spark, "swapped: snapshot", f"SELECT * FROM {t} VERSION AS OF {first} WHERE {where(KEY)}")
    late = f"SELECT t.user_id FROM {t} t JOIN few f ON t.seq = f.user_id"
    look(spark, "swapped: join", late)
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN seq TO uid")
    spark.sql(f"ALTER TABLE {t} ADD COLUMN seq BIGINT")
    look(spark, "renamed: key", f"SELECT user_id FROM {t} WHERE uid = xxhash64({KEY}L)")
    look(spark, "renamed: added", f"SELECT uid FROM {t} WHERE seq = {KEY}")
    nulls = f"SELECT seq FROM {t} WHERE seq IS NULL AND uid = xxhash64({KEY}L)"
    look(spark, "renamed: added, NULL", nulls)
    safe = f"SELECT seq FROM {t} WHERE seq <=> NULL AND uid = xxhash64({KEY}L)"
    look(spark, "renamed: added, null-safe", safe)
    look(spark, "renamed: all NULL", f"SELECT count(*) FROM {t} WHERE seq IS NULL")
    look(spark, "renamed: nested", f"SELECT user_id FROM {t} WHERE st.a = xxhash64({KEY}L, 1)")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN st.a TO c")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN st.b TO a")
    nested = f"SELECT user_id FROM {t} WHERE st.c = xxhash64({KEY}L, 1)"
    look(spark, "renamed: nested, renamed", nested)
    look(spark, "renamed: nested, swapped", f"SELECT uid FROM {t} WHERE st.a = '{KEY}'")
    spark.sql(f"ALTER TABLE {t} ADD COLUMN st.d BIGINT")
    look(spark, "renamed: nested, added", f"SELECT uid FROM {t} WHERE st.d = {KEY}")
    nested = f"SELECT st FROM {t} WHERE st.d IS NULL AND uid = xxhash64({KEY}L)"
    look(spark, "renamed: nested, added, NULL", nested)
    spark.sql(f"ALTER TABLE {t} ALTER COLUMN small FIRST")
    spark.sql(f"ALTER TABLE {t} ALTER COLUMN uid AFTER at")
    look(spark, "reordered", f"SELECT * FROM {t} WHERE uid = xxhash64({KEY}L)")
    spark.sql(f"ALTER TABLE {t} ADD COLUMN `s.a` BIGINT")
    insert(spark, t, {"uid": "xxhash64(-5L)", "s.a": "7L", "user_id": "-5L"})
    look(spark, "dotted", f"SELECT user_id FROM {t} WHERE `s.a` = 7")
    look(spark, "dotted: NULL", f"SELECT count(*) FROM {t} WHERE `s.a` IS NULL")


def replaced(spark: SparkSession, files: int) -> None:
    """Columns are dropped, and new ones get their names: old values are gone."""
    t = "ice.db.replaced"
    create(spark, "replaced", files)
    for column, kind in (("user_id", "BIGINT"), ("name", "STRING"), ("small", "BIGINT")):
        spark.sql(f"ALTER TABLE {t} DROP COLUMN {column}")
        spark.sql(f"ALTER TABLE {t} ADD COLUMN {column} {kind}")
    spark.sql(f"ALTER TABLE {t} DROP COLUMN st.a")
    spark.sql(f"ALTER TABLE {t} ADD COLUMN st.a BIGINT")
    look(spark, "replaced: key", f"SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, "replaced: NULL", f"SELECT count(*) FROM {t} WHERE user_id IS NULL")
    look(spark, "replaced: nested", f"SELECT * FROM {t} WHERE st.a = xxhash64({KEY}L, 1)")
    look(spark, "replaced: nested NULL", f"SELECT count(*) FROM {t} WHERE st.a IS NULL")
    look(spark, "replaced: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
    insert(spark, t, {"seq": f"{KEY}L", "user_id": f"xxhash64({KEY}L)", "name": "'x'"})
    look(spark, "replaced: new key", f"SELECT seq, user_id, name FROM {t} WHERE {where(KEY)}")
    look(spark, "replaced: new join", f"SELECT name FROM {t} JOIN keys USING (user_id)")


def promoted(spark: SparkSession, files: int) -> None:
    """Columns get wider types than their files have."""
    t = "ice.db.promoted"
    create(spark, "promoted", files)
    wider = {
        "small": "BIGINT",
        "part": "DOUBLE",
        "cents": "DECIMAL(20, 2)",
        "price": "DECIMAL(30, 4)",
    }
    for column, kind in wider.items():
        spark.sql(f"ALTER TABLE {t} ALTER COLUMN {column} TYPE {kind}")
    values = {
        "small": f"CAST(xxhash64({KEY}L, 2) % 1000000 AS BIGINT)",
        "part": f"{KEY}.0D / 8",
        "cents": f"CAST({KEY} / 4 AS DECIMAL(20, 2))",
        "price": f"CAST({KEY} / 16 AS DECIMAL(30, 4))",
    }
    for column, value in values.items():
        look(spark, f"promoted: {column}", f"SELECT seq FROM {t} WHERE {column} = {value}")
    look(spark, "promoted: other", f"SELECT seq FROM {t} WHERE part = 0.1D")
    look(spark, "promoted: too large", f"SELECT seq FROM {t} WHERE small = 5000000000")
    spark.sql(f"INSERT INTO {t} {log(KEY, 1)} LIMIT 3")
    for column, value in values.items():
        query = f"SELECT seq FROM {t} WHERE {column} = {value}"
        look(spark, f"promoted: {column}, both types", query)
        late = f"(SELECT max({value}) FROM few)"
        look(spark, f"promoted: {column}, late", f"SELECT seq FROM {t} WHERE {column} = {late}")


def defaulted(spark: SparkSession, files: int) -> None:
    """Columns that older files lack read as a default value (format version 3)."""
    t = "ice.db.defaulted"
    create(spark, "defaulted", files, "'format-version' = '3'")
    add_default(spark, t, None, "top", 5)
    add_default(spark, t, "st", "inner", 6)
    spark.sql(f"ALTER TABLE {t} ADD COLUMN bare INT")
    for column, value in (("top", 5), ("st.inner", 6)):
        key = f"{where(KEY)} AND {column}"
        look(spark, f"default: {column}", f"SELECT seq FROM {t} WHERE {column} = {value}")
        look(spark, f"default: {column} of key", f"SELECT seq FROM {t} WHERE {key} = {value}")
        look(spark, f"default: {column}, other", f"SELECT seq FROM {t} WHERE {column} = 7")
        look(spark, f"default: {column}, NULL", f"SELECT seq FROM {t} WHERE {column} IS NULL")
        look(spark, f"default: {column}, any", f"SELECT seq FROM {t} WHERE {key} IS NOT NULL")
        late = f"{column} = (SELECT {value} + max(n) - 2 FROM few)"
        look(spark, f"default: {column}, late", f"SELECT seq FROM {t} WHERE {late}")
    look(spark, "default: none", f"SELECT seq FROM {t} WHERE bare = 5")
    insert(spark, t, {"seq": "-1L", "user_id": "xxhash64(-1L)", "top": "8"})
    look(spark, "default: given", f"SELECT seq FROM {t} WHERE top = 8")
    look(spark, "default: not given", f"SELECT count(*) FROM {t} WHERE top = 5")


def add_default(spark: SparkSession, table: str, parent: str | None, name: str, value: int) -> None:
    jvm: Any = spark._jvm
    iceberg = jvm.org.apache.iceberg
    kind = iceberg.types.Types.IntegerType.get()
    literal = iceberg.expressions.Expressions.lit(value)
    loaded(spark, table).updateSchema().addColumn(parent, name, kind, None, literal).commit()
    spark.sql(f"REFRESH TABLE {table}")


def hidden(spark: SparkSession, files: int) -> None:
    """Tables whose partitions are made of functions of columns."""
    clauses = {
        "bucket": "bucket(4, user_id)",
        "truncate": "truncate(1000000, small)",
        "months": "months(at)",
        "identity": "day",
        "two": "day, bucket(2, user_id)",
    }
    for name, clause in clauses.items():
        t = f"ice.db.by_{name}"
        create(spark, f"by_{name}", files, clause=f"PARTITIONED BY ({clause})")
        look(spark, f"hidden: {name}", f"SELECT seq FROM {t} WHERE {where(KEY)}")
        nested = f"SELECT seq FROM {t} WHERE st.a = xxhash64({KEY}L, 1)"
        look(spark, f"hidden: {name}, nested", nested)
        one = f"name = sha1('{KEY}') AND day = {KEY % 3}"
        look(spark, f"hidden: {name}, more", f"SELECT seq FROM {t} WHERE {one}")
        look(spark, f"hidden: {name}, join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
        any_day = f"SELECT seq FROM {t} WHERE {where(KEY)} AND day + 0 = {KEY % 3}"
        look(spark, f"hidden: {name}, day", any_day)


def evolved(spark: SparkSession, files: int) -> None:
    """A table whose files are partitioned in several ways."""
    t = "ice.db.evolved"
    create(spark, "evolved", files, clause="PARTITIONED BY (day)")
    few = max(files // 4, 1)
    spark.sql(f"ALTER TABLE {t} ADD PARTITION FIELD bucket(4, user_id)")
    spark.sql(f"INSERT INTO {t} {log(50_000, few)}")
    spark.sql(f"ALTER TABLE {t} DROP PARTITION FIELD day")
    spark.sql(f"INSERT INTO {t} {log(60_000, few)}")
    spark.sql(f"ALTER TABLE {t} REPLACE PARTITION FIELD bucket(4, user_id) WITH small")
    spark.sql(f"INSERT INTO {t} {log(70_000, 1)} LIMIT 5")
    for key in (KEY, 50_001, 60_001, 70_001, -KEY):
        look(spark, f"evolved: {key}", f"SELECT seq FROM {t} WHERE {where(key)}")
        nested = f"st.a = xxhash64({key}L, 1) AND day = {key % 3}"
        look(spark, f"evolved: {key}, day", f"SELECT seq FROM {t} WHERE {nested}")
        small = f"small = CAST(xxhash64({key}L, 2) % 1000000 AS INT)"
        look(spark, f"evolved: {key}, small", f"SELECT seq FROM {t} WHERE {small}")
        late = f"day = (SELECT {key % 3} + max(n) - 2 FROM few) AND {where(key)}"
        look(spark, f"evolved: {key}, late", f"SELECT seq FROM {t} WHERE {late}")
    look(spark, "evolved: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
    spark.sql(f"DELETE FROM {t} WHERE {where(KEY)} OR {where(60_001)}")
    look(spark, "evolved: whole", f"SELECT count(*), sum(seq), sum(small) FROM {t}")


def of_metadata(spark: SparkSession) -> None:
    """Filters on columns that Iceberg adds to its tables, and on its tables of metadata."""
    t = "ice.db.evolved"
    key = where(KEY + 1)
    file = FILE.format(t=t)
    first = spark.sql(f"SELECT _file, _pos FROM {t} WHERE {key}").head()
    columns = "seq, _file, _pos, _spec_id, _partition, _deleted"
    for name, test in {
        "file": f"_file = '{first[0]}'",
        "another file": f"_file <> '{first[0]}'",
        "position": f"_pos = {first[1]}",
        "spec": "_spec_id = 0",
        "another spec": "_spec_id > 0",
        "partition": f"_partition.day = {(KEY + 1) % 3}",
        "another partition": "_partition.day IS NULL",
        "not deleted": "NOT _deleted",
        "any of them": f"(_spec_id = 1 OR _file = '{first[0]}')",
    }.items():
        look(spark, f"metadata: {name}", f"SELECT {columns} FROM {t} WHERE {key} AND {test}")
        look(spark, f"metadata: {name}, alone", f"SELECT count(*) FROM {t} WHERE {test}")
        either = f"SELECT {columns} FROM {t} WHERE {key} OR ({test} AND {where(50_001)})"
        look(spark, f"metadata: {name}, or", either)
    look(spark, "metadata: late file", f"SELECT seq FROM {t} WHERE {key} AND _file = {file}")
    for table, test in {
        "files": "content = 0 AND record_count > 3",
        "data_files": "spec_id = 0",
        "all_data_files": "spec_id = 1",
        "snapshots": "operation = 'append'",
        "history": "is_current_ancestor",
        "entries": "status < 2",
        "manifests": "partition_spec_id = 0",
        "partitions": "spec_id = 0 AND record_count > 0",
        "position_deletes": "pos >= 0",
        "refs": "name = 'main'",
    }.items():
        query = f"SELECT * FROM {t}.{table} WHERE {test}"
        look(spark, f"table of {table}", query)
    deletes = f"SELECT seq, pos FROM {t} t JOIN ice.db.v2_mor.position_deletes d ON t._pos = d.pos"
    look(spark, "positions that are deleted", f"{deletes} WHERE {key}")


def collections(spark: SparkSession, files: int) -> None:
    """Keys within lists and maps, whose fields are renamed."""
    t = "ice.db.collections"
    enabled = {
        column: "write.parquet.bloom-filter-enabled.column." + column
        for column in ("list.element", "map.key", "map.value", "items.element.a")
    }
    properties = ", ".join(f"'{key}' = 'true'" for key in enabled.values())
    spark.sql(
        f"CREATE TABLE {t} (seq BIGINT, list ARRAY<BIGINT>, map MAP<STRING, BIGINT>, "
        "items ARRAY<STRUCT<a: BIGINT, b: BIGINT>>) USING iceberg "
        f"TBLPROPERTIES ({filters()}, {properties})"
    )
    values = (
        "seq, array(user_id, NULL, small), map(name, user_id), "
        "array(named_struct('a', user_id, 'b', seq), named_struct('a', -user_id, 'b', NULL))"
    )
    spark.sql(f"INSERT INTO {t} SELECT {values} FROM ({log(0, files)})")
    key = f"xxhash64({KEY}L)"

    def each(step: str, a: str, b: str) -> None:
        tests = {
            "list": f"array_contains(list, {key})",
            "first of a list": f"list[0] = {key}",
            "some of a list": f"exists(list, x -> x = {key})",
            "map": f"map[sha1('{KEY}')] = {key}",
            "key of a map": f"array_contains(map_keys(map), sha1('{KEY}'))",
            "value of a map": f"array_contains(map_values(map), {key})",
            "field of a list": f"array_contains(items.{a}, {key})",
            "other field of a list": f"array_contains(items.{b}, {KEY}L)",
            "some field of a list": f"exists(items, x -> x.{a} = -{key})",
            "first field of a list": f"items[0].{a} = {key}",
            "NULL in a list": f"exists(items, x -> x.{b} IS NULL) AND seq = {KEY}",
        }
        for name, test in tests.items():
            look(spark, f"{name}{step}", f"SELECT * FROM {t} WHERE {test}")

    each("", "a", "b")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN items.element.a TO c")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN items.element.b TO a")
    each(", swapped", "c", "a")
    spark.sql(f"ALTER TABLE {t} DROP COLUMN items.element.c")
    spark.sql(f"ALTER TABLE {t} ADD COLUMN items.element.c BIGINT")
    each(", replaced", "c", "a")


def named_as_metadata(spark: SparkSession, files: int) -> None:
    """Columns of the table have names such as those of columns that Iceberg or Spark adds."""
    t = "ice.db.inventory"
    create(spark, "inventory", files)
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN user_id TO file_path")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN small TO `_metadata`")
    look(spark, "names: key", f"SELECT seq FROM {t} WHERE file_path = xxhash64({KEY}L)")
    small = f"`_metadata` = CAST(xxhash64({KEY}L, 2) % 1000000 AS INT)"
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        look(spark, "names: metadata", f"SELECT seq FROM {t} WHERE {small}")
