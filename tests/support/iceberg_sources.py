"""Looks up keys in Iceberg tables of other files: imported ones, other formats, streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

import spark_sbbf as sbbf
from iceberg_session import KEY, ROWS, create, insert, loaded, log, same, where
from lake_session import look, look_at, settings, streamed

MAPPING = "schema.name-mapping.default"


def compare(spark: SparkSession, files: int, folder: Path) -> None:
    imported(spark, files, folder)
    imported_scale(spark, folder)
    imported_zones(spark, folder)
    imported_partitions(spark, files, folder)
    of_uuids(spark, files)
    other_formats(spark, files)
    equality_deletes(spark, files)
    changes(spark, files)
    streamed(spark, "ice.db.parts", where(KEY))


def write(frame: DataFrame, folder: Path) -> None:
    """Writes plain Parquet files, whose columns have no ids."""
    keys = {
        **sbbf.bloom_options("user_id", fpp=0.001, ndv=ROWS),
        "parquet.enable.dictionary": "false",
    }
    frame.write.mode("append").options(**keys).parquet(str(folder))


def add_files(spark: SparkSession, table: str, folder: Path) -> None:
    source = f"`parquet`.`{folder}`"
    spark.sql(f"CALL ice.system.add_files(table => '{table}', source_table => '{source}')")


def imported(spark: SparkSession, files: int, folder: Path) -> None:
    plain = folder / "plain"
    write(spark.sql(f"SELECT user_id, seq, small FROM ({log(0, files)})"), plain)
    for name in ("mapped", "unmapped"):
        t = f"ice.db.{name}"
        # in another order than in the files
        columns = "seq BIGINT, user_id BIGINT, small BIGINT"
        spark.sql(f"CREATE TABLE {t} ({columns}) USING iceberg")
        add_files(spark, t, plain)
        if name == "unmapped":
            spark.sql(f"ALTER TABLE {t} UNSET TBLPROPERTIES ('{MAPPING}')")
        look(spark, f"{name}: key", f"SELECT * FROM {t} WHERE {where(KEY)}")
        look(spark, f"{name}: by place", f"SELECT * FROM {t} WHERE seq = xxhash64({KEY}L)")
        look(spark, f"{name}: number", f"SELECT * FROM {t} WHERE user_id = {KEY}")
        look(spark, f"{name}: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
        late = f"SELECT user_id FROM {t} t JOIN few f ON t.seq = f.user_id"
        look(spark, f"{name}: join by place", late.replace("SELECT user_id", "SELECT t.user_id"))
        spark.sql(f"ALTER TABLE {t} RENAME COLUMN user_id TO uid")
        spark.sql(f"ALTER TABLE {t} ADD COLUMN user_id BIGINT")
        look(spark, f"{name}: renamed", f"SELECT * FROM {t} WHERE uid = xxhash64({KEY}L)")
        look(spark, f"{name}: added", f"SELECT * FROM {t} WHERE {where(KEY)}")
        look(spark, f"{name}: added, NULL", f"SELECT count(*) FROM {t} WHERE user_id IS NULL")
        insert(spark, t, {"seq": f"{KEY}L", "user_id": f"xxhash64({KEY}L)"})
        look(spark, f"{name}: added, both", f"SELECT * FROM {t} WHERE {where(KEY)}")
        look(spark, f"{name}: renamed, both", f"SELECT * FROM {t} WHERE seq = {KEY}")
        spark.sql(f"DELETE FROM {t} WHERE uid = xxhash64({KEY + 1}L)")
        look(spark, f"{name}: whole", f"SELECT count(*), sum(seq % 1000), sum(uid % 1000) FROM {t}")


def imported_scale(spark: SparkSession, folder: Path) -> None:
    """A file has decimals of another scale than the table, which Iceberg reads by the table's."""
    numbers = spark.sql("SELECT CAST(id AS DECIMAL(9, 1)) AS a FROM range(0, 40, 1, 4)")
    with_id = functions.col("a").alias("a", metadata={"parquet.field.id": 1})
    numbers.select(with_id).write.parquet(str(folder / "scaled"))
    t = "ice.db.scaled"
    spark.sql(f"CREATE TABLE {t} (a DECIMAL(18, 2)) USING iceberg")
    spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'none')")
    add_files(spark, t, folder / "scaled")
    spark.sql("SELECT CAST(0.3 AS DECIMAL(18, 2)) AS k").write.saveAsTable("scales")
    look(spark, "scale: join", f"SELECT a FROM {t} JOIN scales ON a = k")
    look(spark, "scale: subquery", f"SELECT a FROM {t} WHERE a = (SELECT max(k) FROM scales)")


def imported_zones(spark: SparkSession, folder: Path) -> None:
    """Files say that local times are adjusted to UTC, or that instants are not; ClickHouse's do."""
    kinds = {"ntz": ("TIMESTAMP_NTZ", "TIMESTAMP"), "utc": ("TIMESTAMP", "TIMESTAMP_NTZ")}
    for name, (kind, stored) in kinds.items():
        t, plain = f"ice.db.zones_{name}", folder / f"zones_{name}"
        times = f"CAST(TIMESTAMP'2020-01-01' + make_interval(0, 0, 0, id) AS {stored})"
        days = spark.sql(f"SELECT {times} AS at, id AS seq FROM range(0, 400, 1, 4)")
        with_ids = (
            functions.col(column).alias(column, metadata={"parquet.field.id": number})
            for number, column in enumerate(days.columns, 1)
        )
        with settings(spark, {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}):
            days.select(*with_ids).write.parquet(str(plain))
        spark.sql(f"CREATE TABLE {t} (at {kind}, seq BIGINT) USING iceberg")
        spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'none')")
        add_files(spark, t, plain)
        look(spark, f"zones: {name}", f"SELECT seq FROM {t} WHERE at = {kind}'2020-05-07'")


def imported_partitions(spark: SparkSession, files: int, folder: Path) -> None:
    """Folders give a column's value: files lack it, or have another one."""
    columns = "seq BIGINT, user_id BIGINT, day BIGINT"
    for name, kept in (("lacking", "seq, user_id"), ("differing", "seq, user_id, day")):
        t, hive = f"ice.db.{name}", folder / name
        for day in (10, 11):
            # in the files, the day is 0, 1 or 2
            part = f"SELECT {kept} FROM ({log((day - 10) * 5000, files)})"
            write(spark.sql(part), hive / f"day={day}")
        spark.sql(f"CREATE TABLE {t} ({columns}) USING iceberg PARTITIONED BY (day)")
        add_files(spark, t, hive)
        for step in ("", ", evolved", ", without a mapping"):
            if step == ", evolved":
                spark.sql(f"ALTER TABLE {t} DROP PARTITION FIELD day")
                spark.sql(f"INSERT INTO {t} SELECT seq, user_id, 12 FROM ({log(20_000, 2)})")
            elif step:
                spark.sql(f"ALTER TABLE {t} UNSET TBLPROPERTIES ('{MAPPING}')")
            for day in (10, KEY % 3, 12):
                key = f"{where(KEY)} AND day = {day}"
                look(spark, f"{name}: {day}{step}", f"SELECT * FROM {t} WHERE {key}")
                late = f"{where(KEY)} AND day = (SELECT {day} + max(n) - 2 FROM few)"
                look(spark, f"{name}: {day}, late{step}", f"SELECT * FROM {t} WHERE {late}")
                sums = f"SELECT count(*), sum(seq) FROM {t} WHERE string(day) = '{day}'"
                look(spark, f"{name}: all of {day}{step}", sums)
            look(spark, f"{name}: join{step}", f"SELECT * FROM {t} JOIN few USING (user_id)")
            safe = f"SELECT count(*) FROM {t} WHERE day <=> NULL OR {where(KEY)}"
            look(spark, f"{name}: NULL{step}", safe)


def of_uuids(spark: SparkSession, files: int) -> None:
    """Spark reads a UUID, of 16 bytes, as text."""
    t = "ice.db.uuids"
    jvm: Any = spark._jvm
    create(spark, "uuids", files, "'write.parquet.bloom-filter-enabled.column.id'='true'")
    kind = jvm.org.apache.iceberg.types.Types.UUIDType.get()
    loaded(spark, t).updateSchema().addColumn("id", kind).commit()
    spark.sql(f"REFRESH TABLE {t}")
    text = (
        "regexp_replace(md5(string({})), '(.{{8}})(.{{4}})(.{{4}})(.{{4}})(.*)', '$1-$2-$3-$4-$5')"
    )
    spark.sql(f"INSERT OVERWRITE {t} SELECT *, {text.format('seq')} FROM ({log(0, files)})")
    known = spark.sql(f"SELECT {text.format(KEY)}").head()[0]
    look(spark, "uuid", f"SELECT seq, id FROM {t} WHERE id = '{known}'")
    look(spark, "uuid and key", f"SELECT seq, id FROM {t} WHERE id = '{known}' AND {where(KEY)}")
    look(spark, "uuid in upper case", f"SELECT seq FROM {t} WHERE id = '{known.upper()}'")
    late = f"SELECT seq FROM {t} JOIN few ON id = {text.format('n * 7')}"
    look(spark, "uuid of a join", late)
    prefix = f"SELECT seq FROM {t} WHERE id LIKE '{known[:6]}%'"
    look(spark, "uuid by a prefix", prefix)


def other_formats(spark: SparkSession, files: int) -> None:
    for kind in ("orc", "avro"):
        t = f"ice.db.in_{kind}"
        create(spark, f"in_{kind}", files, f"'write.format.default' = '{kind}'")
        look(spark, f"{kind}: key", f"SELECT seq FROM {t} WHERE {where(KEY)}")
        look(spark, f"{kind}: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
        spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('write.format.default' = 'parquet')")
        spark.sql(f"INSERT INTO {t} {log(10_000, files)}")
        look(spark, f"{kind} and parquet: old", f"SELECT seq FROM {t} WHERE {where(KEY)}")
        look(spark, f"{kind} and parquet: new", f"SELECT seq FROM {t} WHERE {where(10_001)}")
        look(spark, f"{kind} and parquet: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")


def equality_deletes(spark: SparkSession, files: int) -> None:
    """Rows are deleted by their keys, as writers other than Spark do."""
    t = "ice.db.by_equality"
    create(spark, "by_equality", files, "'format-version' = '2'")
    kept = f"SELECT * FROM ({log(0, files)}) WHERE seq NOT IN ({KEY}, {KEY + 1})"
    delete_keys(spark, t, [KEY, KEY + 1])
    columns = "seq, user_id, name"
    look(spark, "equality: deleted", f"SELECT * FROM {t} WHERE {where(KEY)}")
    look(spark, "equality: beside", f"SELECT * FROM {t} WHERE {where(KEY + files)}")
    same(spark, "equality: whole", f"SELECT {columns} FROM {t}", kept.replace("*", columns, 1))
    spark.sql(f"INSERT INTO {t} SELECT * FROM ({log(0, files)}) WHERE seq = {KEY}")
    look(spark, "equality: again", f"SELECT {columns} FROM {t} WHERE {where(KEY)}")
    look(spark, "equality: by name", f"SELECT seq FROM {t} WHERE name = sha1('{KEY}')")
    look(
        spark, "equality: name of a deleted", f"SELECT seq FROM {t} WHERE name = sha1('{KEY + 1}')"
    )
    look(spark, "equality: join", f"SELECT seq FROM {t} JOIN few USING (user_id)")
    spark.sql(f"DELETE FROM {t} WHERE {where(KEY + 2)}")
    look(spark, "equality: count", f"SELECT count(*), sum(seq) FROM {t}")


def delete_keys(spark: SparkSession, table: str, keys: list[int]) -> None:
    """Commits a file of equality deletes of `user_id`: the file of a table with the same ids."""
    name = f"{table}_{keys[0]}"
    spark.sql(f"CREATE TABLE {name} (seq BIGINT, user_id BIGINT) USING iceberg")
    values = ", ".join(f"(NULL, xxhash64({key}L))" for key in keys)
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")
    written = spark.sql(f"SELECT file_path, file_size_in_bytes FROM {name}.files").collect()
    jvm: Any = spark._jvm
    iceberg, deleted = jvm.org.apache.iceberg, loaded(spark, table)
    ids = spark.sparkContext._gateway.new_array(jvm.int, 1)
    ids[0] = deleted.schema().findField("user_id").fieldId()
    change = deleted.newRowDelta()
    for path, size in written:
        builder = iceberg.FileMetadata.deleteFileBuilder(deleted.spec()).ofEqualityDeletes(ids)
        file = builder.withPath(path).withFileSizeInBytes(size).withRecordCount(len(keys))
        change.addDeletes(file.withFormat(iceberg.FileFormat.PARQUET).build())
    change.commit()
    spark.sql(f"REFRESH TABLE {table}")


def changes(spark: SparkSession, files: int) -> None:
    """Reads of what snapshots changed."""
    t = "ice.db.changes"
    create(spark, "changes", files)
    spark.sql(f"INSERT INTO {t} {log(10_000, files)}")
    spark.sql(f"INSERT INTO {t} {log(20_000, files)}")
    ids = [
        row[0]
        for row in spark.sql(
            f"SELECT snapshot_id FROM {t}.snapshots ORDER BY committed_at"
        ).collect()
    ]
    for key in (KEY, 10_001, 20_001):
        for name, last in (("from", None), ("between", ids[1])):
            look_at(
                spark,
                f"incremental {name}: {key}",
                lambda key=key, last=last: incremental(spark, t, ids[0], last).where(where(key)),
            )
    late = incremental(spark, t, ids[0], None)
    late.createOrReplaceTempView("since")
    join = "SELECT seq FROM since WHERE user_id = (SELECT xxhash64(max(n) + 9999) FROM few)"
    look(spark, "incremental: late", join)
    spark.sql(f"DELETE FROM {t} WHERE {where(KEY)}")
    spark.sql(f"UPDATE {t} SET seq = -seq WHERE {where(10_001)}")
    view = "changelog_view => 'changed_rows'"
    spark.sql(f"CALL ice.system.create_changelog_view(table => '{t}', {view})")
    for key in (KEY, 10_001):
        query = f"SELECT seq, _change_type, _change_ordinal FROM changed_rows WHERE {where(key)}"
        look(spark, f"changelog: {key}", query)
    look(spark, "changelog: join", "SELECT seq FROM changed_rows JOIN few USING (user_id)")


def incremental(spark: SparkSession, table: str, first: int, last: int | None) -> DataFrame:
    reader = spark.read.format("iceberg").option("start-snapshot-id", str(first))
    return (reader.option("end-snapshot-id", str(last)) if last else reader).load(table)
