"""Inspects, probes and advises on Delta and Iceberg tables by their names: lake_tables.py FOLDER.

Prints one JSON object a line: the name of a case, and what the calls returned or raised.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import delta_session
import iceberg_session
import spark_sbbf as sbbf
from harness import INTERPRETED, local_builder, session_with, with_packages
from lake_session import LINE

LINES = ("3.5", "4.1")
ROWS, FILES = 400, 4
MESSAGE = ", concat('Got id=', id, ' from ', hash(id)) AS message"
ICEBERG_FILTERS = (
    "'write.parquet.bloom-filter-enabled.column.key' = 'true', "
    "'write.parquet.bloom-filter-max-bytes' = '1024'"
)


def opened(folder: Path) -> SparkSession:
    """Starts a session with each format that has a build for this Spark."""
    formats = [f for f in (delta_session, iceberg_session) if LINE in f.PACKAGES]
    conf = {
        "spark.jars.packages": ",".join(f.PACKAGES[LINE] for f in formats),
        "spark.sql.extensions": ",".join(f.EXTENSION for f in formats),
        "spark.sql.shuffle.partitions": "1",
        **INTERPRETED,
        "spark.sql.parquet.fieldId.read.enabled": "true",
        "spark.sql.parquet.fieldId.write.enabled": "true",
    }
    if delta_session in formats:
        conf |= {
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions": "1",
        }
    if iceberg_session in formats:
        conf |= {
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": str(folder / "ice"),
        }
    spark = with_packages(local_builder(folder / "warehouse").config(map=conf))
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def printed(case: str, **found: Any) -> None:
    print(json.dumps({"case": case, **found}), flush=True)


def error_of(action: Callable[[], Any]) -> str | None:
    """Returns what an action raises, None if it succeeds."""
    try:
        action()
    except (PySparkException, ValueError, RuntimeError) as error:
        return str(error).splitlines()[0]
    return None


def rows_of(df: DataFrame) -> list[list[Any]]:
    columns = ("file_name", "row_group_id", "path_in_schema", "verdict", "evidence", "reason")
    return sorted(list(row) for row in df.select(*columns).collect())


def files_of(rows: list[list[Any]]) -> list[str]:
    """Returns the names of the files in rows of `inspect`."""
    return sorted({Path(unquote(row[0])).name for row in rows})


def read_by_queries(spark: SparkSession, table: str) -> list[str]:
    """Returns the names of the files that hold the rows of a table."""
    files = spark.table(table).selectExpr("input_file_name() AS file").distinct().collect()
    return sorted(Path(unquote(row.file)).name for row in files)


def probed_by_sql(spark: SparkSession, table: str, column: str, value: Any) -> DataFrame:
    options = {"column": column, "value": str(value)}
    quoted = table.replace("`", "``")
    return spark.read.options(**options).table(f"sbbf.filters.`{quoted}`")


def look(spark: SparkSession, case: str, table: str, column: str, *values: Any) -> None:
    """Prints the files and verdicts of a table, by Python and by SQL.

    Prints beside the verdicts on each value the files that do hold it; none holds the last one.
    """
    quoted = table.replace("`", "``")
    listed = rows_of(sbbf.inspect(spark, table))
    probes = [rows_of(sbbf.probe(spark, table, column, value)) for value in values]
    held = [
        [
            Path(unquote(row.file)).name
            for row in spark.table(table)
            .where(f"{column} = {value}")
            .selectExpr("input_file_name() AS file")
            .collect()
        ]
        for value in values
    ]
    advice = [row.asDict() for row in sbbf.advise(spark, table).collect()]
    by_sql = [row.asDict() for row in spark.sql(f"SELECT * FROM sbbf.advice.`{quoted}`").collect()]
    printed(
        case,
        listed=listed,
        files=files_of(listed),
        queried=read_by_queries(spark, table),
        same_in_sql=listed == rows_of(spark.sql(f"SELECT * FROM sbbf.filters.`{quoted}`"))
        and probes == [rows_of(probed_by_sql(spark, table, column, v)) for v in values]
        and advice == by_sql,
        probes=[[[Path(unquote(row[0])).name, row[3]] for row in probe] for probe in probes],
        columns=sorted({row[2] for probe in probes for row in probe}),
        held=held,
        advice={row["path_in_schema"]: row for row in advice},
    )


def log(first: int, more: str = "") -> str:
    return (
        f"SELECT id AS seq, xxhash64(id) AS key, id % 2 AS day{more} "
        f"FROM range({first}, {first + ROWS}, 1, {FILES})"
    )


def key(n: int, spark: SparkSession) -> int:
    return int(spark.sql(f"SELECT xxhash64({n}L) AS k").head().k)  # type: ignore[union-attr]


def probed(spark: SparkSession) -> tuple[int, ...]:
    """Returns keys to probe; no row holds the last one."""
    return tuple(key(n, spark) for n in (7, 150, -1))


def changed(spark: SparkSession, name: str, table: str, rewrite: str) -> None:
    """Tables whose files are replaced."""
    values = probed(spark)
    look(spark, f"{name}: new", table, "key", *values)
    spark.sql(f"DELETE FROM {table} WHERE key = {values[0]}")
    spark.sql(f"UPDATE {table} SET day = 7 WHERE key = {values[1]}")
    look(spark, f"{name}: changed", table, "key", *values)
    spark.sql(rewrite)
    look(spark, f"{name}: rewritten", table, "key", *values)


def refused(spark: SparkSession, name: str, table: str, folder: str) -> None:
    printed(
        f"{name}: errors",
        add=error_of(lambda: sbbf.add_filters(spark, table, "key")),
        allowed=error_of(lambda: sbbf.add_filters(spark, table, "key", allow_table_formats=True)),
        drop=error_of(lambda: sbbf.drop_filters(spark, table)),
        add_to_folder=error_of(lambda: sbbf.add_filters(spark, folder, "key")),
        advise_on_folder=error_of(lambda: sbbf.advise(spark, folder)),
        column=error_of(lambda: sbbf.probe(spark, table, "kye", 1).collect()),
        advised_column=error_of(lambda: sbbf.advise(spark, table, "kye")),
    )
    query = f"SELECT * FROM {table} WHERE key = 1"
    advice = {
        row.path_in_schema: row.lookups
        for row in sbbf.advise(spark, table, queries=query).collect()
    }
    printed(f"{name}: queries", lookups=advice)


def indexed(spark: SparkSession, name: str, table: str) -> None:
    """An index of a table whose files are written, changed and deleted."""
    time.sleep(2.1)  # what is read within two seconds of a write does not count
    first = sbbf.create_index(spark, table, "key")
    states = [index_state(spark, table)]
    spark.sql(f"INSERT INTO {table} {log(ROWS)}")
    spark.sql(f"DELETE FROM {table} WHERE seq = 7")
    states.append(index_state(spark, table))
    time.sleep(2.1)
    refreshed = sbbf.refresh_index(spark, table)
    states.append(index_state(spark, table))
    (info,) = sbbf.index_info(spark, table).collect()
    printed(
        f"{name}: indexed",
        first=first.files,
        refreshed=refreshed.files,
        states=states,
        covered=[info.files_covered, info.files],
    )


def indexed_where(spark: SparkSession, name: str, table: str) -> None:
    """An index of one partition, then of all."""
    time.sleep(2.1)
    days = [row.day for row in spark.table(table).select("day").distinct().collect()]
    part = sbbf.create_index(spark, table, "key", where=f"day = {days[0]}")
    state = index_state(spark, table)
    rest = sbbf.refresh_index(spark, table)
    (info,) = sbbf.index_info(spark, table).collect()
    printed(
        f"{name}: indexed where",
        days=len(days),
        files=[part.files, rest.files, info.files],
        refuted=[state["refuted"], index_state(spark, table)["refuted"]],
        error=error_of(lambda: sbbf.refresh_index(spark, table, where="nothing = 1")),
    )


def indexed_words(spark: SparkSession, name: str, table: str) -> None:
    """An index of functions of a text, whose column is renamed."""
    time.sleep(2.1)
    built = sbbf.create_index(spark, table, ["tokens(message)", "lower(message)"])
    states = [words_state(spark, table, "message")]
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN message TO line")
    states.append(words_state(spark, table, "line"))
    error = error_of(lambda: sbbf.create_index(spark, table, "tokens(key)"))
    printed(f"{name}: words", files=built.files, states=states, error=error)


def words_state(spark: SparkSession, table: str, column: str) -> dict[str, Any]:
    """Returns for a word and for a lowered text: rows, files kept, row groups that keys refute."""
    state = {}
    for name, test in (("word", f"{column} LIKE '%=7 %'"), ("lower", f"lower({column}) = 'none'")):
        query = spark.table(table).where(test)
        (scan,) = sbbf.explain(query, show=False).scans
        state[name] = [query.count(), scan.files_kept, scan.refuted_by.get("index", 0) > 0]
    return state


def index_state(spark: SparkSession, table: str) -> dict[str, Any]:
    """Returns what lookups find, and how many row groups the index refutes for an absent key."""
    found = {n: spark.table(table).where(f"key = xxhash64({n}L)").count() for n in (7, 150, 450)}
    query = spark.table(table).where(f"key = {key(-1, spark)}")
    scans = sbbf.explain(query, show=False).scans
    return {"found": found, "refuted": sum(s.refuted_by.get("index", 0) for s in scans)}


def delta(spark: SparkSession, folder: Path) -> None:
    properties = delta_session.filters(ROWS, "key")
    spark.sql(f"CREATE TABLE events USING delta TBLPROPERTIES ({properties}) AS {log(0)}")
    changed(spark, "delta", "events", "OPTIMIZE events")
    place = folder / "warehouse" / "events"
    refused(spark, "delta", "events", str(place))
    values = probed(spark)
    spark.table("events").where(f"key = {values[0]}").collect()
    history = sbbf.advise(spark, "events", history=True).collect()
    printed("delta: history", lookups={row.path_in_schema: row.lookups for row in history})
    for name in ("default.events", "spark_catalog.default.events", f"delta.`{place}`"):
        look(spark, f"delta: {name.split('`')[0]}", name, "key", *values)
    look(spark, "delta: version", f"delta.`{place}@v0`", "key", *values)
    printed("delta: folder", files=files_of(rows_of(sbbf.inspect(spark, str(place)))))
    mapped = f"{delta_session.filters(ROWS // FILES)}, 'delta.columnMapping.mode' = '{{}}'"
    for mode in ("name", "id"):
        table = f"mapped_{mode}"
        spark.sql(
            f"CREATE TABLE {table} (seq BIGINT, key BIGINT, day BIGINT, st STRUCT<a: BIGINT>, "
            f"tags ARRAY<BIGINT>) USING delta TBLPROPERTIES ({mapped.format(mode)})"
        )
        more = ", named_struct('a', id * 3) AS st, array(id) AS tags"
        spark.sql(f"INSERT INTO {table} {log(0, more)}")
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN key TO uid")
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN seq TO key")
        look(spark, f"delta: {table}", table, "uid", *values)
        look(spark, f"delta: {table}, swapped", table, "key", 7, 10**6)
        look(spark, f"delta: {table}, nested", table, "st.a", 21, 10**6)
    spark.sql(
        f"CREATE TABLE parts USING delta PARTITIONED BY (day) TBLPROPERTIES ({properties}) "
        f"AS {log(0)}"
    )
    look(spark, "delta: partitioned", "parts", "key", *values)
    indexed_where(spark, "delta", "parts")
    printed(
        "delta: partition column",
        error=error_of(lambda: sbbf.probe(spark, "parts", "day", 1).collect()),
    )
    spark.sql(f"CREATE TABLE lookups USING delta AS {log(0)}")
    indexed(spark, "delta", "lookups")
    spark.sql(
        "CREATE TABLE words USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name') "
        f"AS {log(0, MESSAGE)}"
    )
    indexed_words(spark, "delta", "words")
    spark.sql("CREATE TABLE empty (key BIGINT) USING delta")
    without_files(spark, "delta", "empty")


def iceberg(spark: SparkSession, folder: Path) -> None:
    table = "ice.db.events"
    spark.sql(f"CREATE TABLE {table} USING iceberg TBLPROPERTIES ({ICEBERG_FILTERS}) AS {log(0)}")
    first = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").head().snapshot_id  # type: ignore[union-attr]
    rewrite = (
        "CALL ice.system.rewrite_data_files(table => 'db.events', "
        "options => map('rewrite-all', 'true'))"
    )
    changed(spark, "iceberg", table, rewrite)
    refused(spark, "iceberg", table, str(folder / "ice" / "db" / "events" / "data"))
    values = probed(spark)
    look(spark, "iceberg: version", f"{table}.snapshot_id_{first}", "key", *values)
    spark.sql("USE ice.db")
    look(spark, "iceberg: current catalog", "events", "key", *values)
    spark.sql("USE spark_catalog.default")
    printed("iceberg: history", error=error_of(lambda: sbbf.advise(spark, table, history=True)))
    place = str(folder / "ice" / "db" / "events")
    printed("iceberg: folder", error=error_of(lambda: sbbf.inspect(spark, place).collect()))
    printed(
        "iceberg: metadata table",
        error=error_of(lambda: sbbf.inspect(spark, f"{table}.files").collect()),
    )
    more = ", named_struct('a', id * 3) AS st, array(id) AS tags"
    renamed = "ice.db.renamed"
    spark.sql(
        f"CREATE TABLE {renamed} USING iceberg TBLPROPERTIES ({ICEBERG_FILTERS}) AS {log(0, more)}"
    )
    spark.sql(f"ALTER TABLE {renamed} RENAME COLUMN key TO uid")
    spark.sql(f"ALTER TABLE {renamed} RENAME COLUMN seq TO key")
    spark.sql(f"INSERT INTO {renamed} {log(ROWS, more)}")
    look(spark, "iceberg: renamed", renamed, "uid", key(ROWS + 7, spark), *values)
    look(spark, "iceberg: renamed, swapped", renamed, "key", 7, ROWS + 7, 10**6)
    look(spark, "iceberg: renamed, nested", renamed, "st.a", 21, 10**6)
    spark.sql(
        "CREATE TABLE ice.db.parts USING iceberg PARTITIONED BY (day) "
        f"TBLPROPERTIES ({ICEBERG_FILTERS}) AS {log(0)}"
    )
    look(spark, "iceberg: partitioned", "ice.db.parts", "key", *values)
    indexed_where(spark, "iceberg", "ice.db.parts")
    spark.sql(f"CREATE TABLE ice.db.lookups USING iceberg AS {log(0)}")
    indexed(spark, "iceberg", "ice.db.lookups")
    spark.sql(f"CREATE TABLE ice.db.words USING iceberg AS {log(0, MESSAGE)}")
    indexed_words(spark, "iceberg", "ice.db.words")
    spark.sql("CREATE TABLE ice.db.empty (key BIGINT) USING iceberg")
    without_files(spark, "iceberg", "ice.db.empty")
    spark.sql(
        "CREATE TABLE ice.db.rows USING iceberg TBLPROPERTIES ('write.format.default' = 'avro') "
        "AS SELECT 1 AS key"
    )
    printed("iceberg: avro", listed=rows_of(sbbf.inspect(spark, "ice.db.rows")))
    in_session_catalog(spark, folder)


def in_session_catalog(spark: SparkSession, folder: Path) -> None:
    """An Iceberg table in the catalog of every session, beside Spark's own tables."""
    catalog = "spark.sql.catalog.spark_catalog"
    conf = {
        catalog: "org.apache.iceberg.spark.SparkSessionCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": str(folder / "own"),
    }
    session = session_with(spark, conf)
    session.sql(f"CREATE TABLE own USING iceberg TBLPROPERTIES ({ICEBERG_FILTERS}) AS {log(0)}")
    values = probed(spark)
    look(session, "iceberg: session catalog", "own", "key", *values)


def without_files(spark: SparkSession, name: str, table: str) -> None:
    printed(
        f"{name}: empty",
        listed=rows_of(sbbf.inspect(spark, table)),
        probed=rows_of(sbbf.probe(spark, table, "key", 1)),
        advise=error_of(lambda: sbbf.advise(spark, table)),
    )


def others(spark: SparkSession) -> None:
    spark.sql("CREATE VIEW seen AS SELECT * FROM events")
    spark.table("events").createOrReplaceTempView("passing")
    for name in (
        "seen",
        "passing",
        "default.nothing",
        "ice.db.nothing",
        "nowhere.db.nothing",
        "delta.`/nothing`",
    ):
        printed(
            f"error: {name}",
            inspect=error_of(lambda name=name: sbbf.inspect(spark, name).collect()),
            probe=error_of(lambda name=name: sbbf.probe(spark, name, "key", 1).collect()),
            advise=error_of(lambda name=name: sbbf.advise(spark, name)),
        )


def main(folder: Path) -> None:
    spark = opened(folder)
    delta(spark, folder)
    iceberg(spark, folder)
    others(spark)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
