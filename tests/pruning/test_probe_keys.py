"""Tests probes of many keys: the row groups that might hold them are those of each key alone."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import samples
import spark_sbbf as sbbf
from harness import explain_text, rows, tasks_of

GROUPS, ROWS = 4, 50
KEYS = samples.scattered(GROUPS * ROWS)
SEED = random.randrange(2**32)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One file with filters, one without, and one with dictionaries, of 4 row groups each."""
    folder = tmp_path_factory.mktemp("keys")
    samples.write_with_and_without_filters(folder, KEYS, ROWS)
    few = {"key": [KEYS[n % 7] for n in range(GROUPS * ROWS)], "seq": list(range(GROUPS * ROWS))}
    samples.write(folder / "dictionary.parquet", few, ROWS, use_dictionary=True)
    return str(folder)


def pairs(found: DataFrame) -> set[tuple[Any, str, int]]:
    named = [(row.key, row.file_name, row.row_group_id) for row in found.collect()]
    assert len(named) == len(set(named))
    return set(named)


def alone(spark: SparkSession, table: str, column: str, keys: Any) -> set[tuple[Any, str, int]]:
    """Returns the pairs that the probes of the keys one by one find."""
    return {
        (key, row.file_name, row.row_group_id)
        for key in keys
        for row in sbbf.probe(spark, table, column, key).collect()
        if row.verdict == "might_match"
    }


def test_many_keys_are_where_each_of_them_alone_is(
    spark: SparkSession, lake: str, say: Any
) -> None:
    say(f"keys by seed {SEED}")
    source = random.Random(SEED)
    keys = [*source.sample(KEYS, 12), *(source.getrandbits(63) for _ in range(4)), -(2**63)]
    found = sbbf.probe(spark, lake, "key", keys)
    assert found.columns == [
        "key", "file_name", "row_group_id", "row_group_num_rows", "evidence", "reason",
    ]  # fmt: skip
    expected = alone(spark, lake, "key", keys)
    assert pairs(found) == expected
    held = {(row.key, row.file_name) for row in spark.read.parquet(lake)
            .where(F.col("key").isin(keys)).select("key", F.col("_metadata.file_path")
            .alias("file_name")).collect()}  # fmt: skip
    names = {(key, name.replace("file:///", "file:/")) for key, name, _ in expected}
    assert {(key, name.replace("file:///", "file:/")) for key, name in held} <= names
    assert {row.evidence for row in found.collect()} <= {"bloom", "dictionary", "none"}


@pytest.mark.parametrize("collect", [tuple, set, frozenset])
def test_keys_may_be_a_list_a_tuple_a_set_or_a_dataframe(
    spark: SparkSession, lake: str, collect: Any
) -> None:
    keys = KEYS[::40]
    expected = pairs(sbbf.probe(spark, lake, "key", [*keys, *keys]))
    assert pairs(sbbf.probe(spark, lake, "key", collect(keys))) == expected
    frame = spark.createDataFrame([(key,) for key in keys * 2], "`a key` BIGINT")
    assert pairs(sbbf.probe(spark, lake, "key", frame)) == expected
    text = frame.select(F.col("a key").cast("string"))
    assert pairs(sbbf.probe(spark, lake, "key", text)) == expected
    assert not {view.name for view in spark.catalog.listTables() if view.name.startswith("sbbf_")}


def test_no_keys_are_nowhere(spark: SparkSession, lake: str) -> None:
    assert sbbf.probe(spark, lake, "key", spark.createDataFrame([], "k BIGINT")).collect() == []


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        ("i", [3, 99]),
        ("s", ["text 5", "none", ""]),
        ("bin", [b"b6", b"none"]),
        ("d", [Decimal("1.25"), Decimal("-7")]),
        ("day", ["2026-01-04", "1582-10-04"]),
        ("ts", ["2026-01-01 00:00:05", "2026-01-01 00:00:05.5"]),
        ("f", [0.0, -0.0, float("nan"), 2.25]),
        ("flag", [True]),
        ("st.leaf", [7, -1]),
    ],
)
def test_keys_of_every_type_have_the_type_of_the_column(
    spark: SparkSession, tmp_path: Path, column: str, keys: list[Any]
) -> None:
    path = str(tmp_path / "typed")
    spark.range(100).selectExpr(
        "CAST(id AS INT) AS i", "concat('text ', id) AS s",
        "CAST(concat('b', id) AS BINARY) AS bin",
        "CAST(id / 4 AS DECIMAL(9, 2)) AS d", "date_add(DATE'2026-01-01', CAST(id AS INT)) AS day",
        "timestamp_seconds(1767225600 + id) AS ts", "id / 4D AS f", "id % 2 = 0 AS flag",
        "named_struct('leaf', id) AS st",
    ).coalesce(2).write.options(
        **sbbf.bloom_options("i", "s", "bin", "d", "day", "ts", "f", "st.leaf", fpp=0.0001)
    ).parquet(path)  # fmt: skip
    found = sbbf.probe(spark, path, column, keys)
    assert (
        found.schema["key"].dataType == spark.read.parquet(path).select(column).schema[0].dataType
    )
    expected = {
        (row.file_name, row.row_group_id)
        for key in keys
        for row in sbbf.probe(spark, path, column, key).collect()
        if row.verdict == "might_match"
    }
    assert {(row.file_name, row.row_group_id) for row in found.collect()} == expected


def test_stripes_of_orc_files_are_named(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "orc")
    data = spark.range(0, 4000, 1, 4).selectExpr("xxhash64(id) AS key")
    data.write.options(**sbbf.bloom_options("key", fpp=0.0001, format="orc")).orc(path)
    keys = [row.key for row in data.limit(3).collect()] + [5]
    found = pairs(sbbf.probe(spark, path, "key", keys))
    assert found == alone(spark, path, "key", keys) and 3 <= len(found) < 8


def test_a_file_that_cannot_be_read_might_hold_all_keys(
    spark: SparkSession, lake: str, tmp_path: Path
) -> None:
    samples.write(tmp_path / "a.parquet", {"key": KEYS[:10]}, 10, filters=("key",))
    (tmp_path / "b.parquet").write_bytes(b"no Parquet file")
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        found = sbbf.probe(spark, str(tmp_path), "key", [KEYS[0], 5]).collect()
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")
    damaged = [row for row in found if row.file_name.endswith("b.parquet")]
    assert {row.key for row in damaged} == {KEYS[0], 5} and all(row.reason for row in damaged)
    assert {row.row_group_id for row in damaged} == {None}
    assert [row.key for row in found if row.file_name.endswith("a.parquet")] == [KEYS[0]]


def test_files_are_searched_in_tasks(spark: SparkSession, lake: str) -> None:
    keys = spark.createDataFrame([(key,) for key in KEYS], "key BIGINT").coalesce(1)
    found = sbbf.probe(spark, lake, "key", keys)
    _, tasks = tasks_of(spark, found.collect)
    assert tasks >= 3


def test_keys_are_in_no_plan(spark: SparkSession, lake: str) -> None:
    key = str(KEYS[60])
    found = sbbf.probe(spark, lake, "key", [KEYS[60]], where=None)
    assert key not in explain_text(found, "extended")
    assert "keys in " in explain_text(found, "extended")


def test_the_files_of_the_keys_join_with_the_list(spark: SparkSession, lake: str) -> None:
    people = spark.createDataFrame([(KEYS[0], "a"), (KEYS[199], "b")], "key BIGINT, name STRING")
    found = sbbf.probe(spark, lake, "key", people.select("key")).join(people, "key")
    assert {row.name for row in found.collect()} == {"a", "b"}


def test_sql_names_the_table_of_the_keys(spark: SparkSession, lake: str) -> None:
    spark.createDataFrame([(KEYS[3],), (5,)], "key BIGINT").createOrReplaceTempView("gone")
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW hits USING sbbf "
        f"OPTIONS (path '{lake}', column 'key', keys 'gone')"
    )
    try:
        expected = rows(sbbf.probe(spark, lake, "key", [KEYS[3], 5]))
        assert rows(spark.table("hits")) == expected
        spark.catalog.dropTempView("gone")
        assert rows(spark.table("hits")) == expected
    finally:
        spark.catalog.dropTempView("hits")


@pytest.fixture(scope="module")
def days(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("where") / "days")
    day = "date_add(DATE'2026-11-01', CAST(id % 3 AS INT)) AS day"
    data = spark.range(300).selectExpr("xxhash64(id) AS key", "id", day).repartition(3, "day")
    data.write.partitionBy("day").options(**sbbf.bloom_options("key")).parquet(path)
    return path


def partitions(found: DataFrame) -> set[str]:
    return {Path(row.file_name).parent.name for row in found.collect()}


def test_a_condition_on_partitions_selects_what_is_listed_probed_and_advised(
    spark: SparkSession, days: str
) -> None:
    where = "day >= '2026-11-02' AND day < '2026-11-03'"
    assert partitions(sbbf.inspect(spark, days)) == {f"day=2026-11-0{n}" for n in (1, 2, 3)}
    assert partitions(sbbf.inspect(spark, days, where=where)) == {"day=2026-11-02"}
    assert partitions(sbbf.probe(spark, days, "key", 5, where=where)) == {"day=2026-11-02"}
    keys = [row.key for row in spark.read.parquet(days).select("key").collect()]
    assert len(pairs(sbbf.probe(spark, days, "key", keys, where=where))) >= 100
    assert partitions(sbbf.probe(spark, days, "key", keys, where=where)) == {"day=2026-11-02"}
    every, some = (
        sbbf.advise(spark, days, "key", row_groups=4, where=condition).first()
        for condition in (None, where)
    )
    assert every.row_groups == 3 * some.row_groups
    assert sbbf.inspect(spark, days, where="day > '2027-01-01'").collect() == []


def test_a_condition_on_partitions_works_by_the_name_of_the_table(
    spark: SparkSession, days: str
) -> None:
    spark.sql(
        "CREATE TABLE daily (key BIGINT, id BIGINT, day DATE) USING parquet "
        f"PARTITIONED BY (day) LOCATION '{days}'"
    )
    try:
        spark.sql("MSCK REPAIR TABLE daily")
        where = "day = DATE'2026-11-03'"
        for name in ("daily", "default.daily", "spark_catalog.default.daily"):
            assert partitions(sbbf.inspect(spark, name, where=where)) == {"day=2026-11-03"}
            assert partitions(sbbf.probe(spark, name, "key", 5, where=where)) == {"day=2026-11-03"}
        advised = sbbf.advise(spark, "daily", "key", row_groups=4, where=where)
        assert advised.first().row_groups == 1
        options = "WITH (where = \"day = '2026-11-03'\")"
        if not spark.version.startswith("3."):  # which has no WITH
            listed = spark.sql(f"SELECT * FROM sbbf.filters.daily {options}")
            assert partitions(listed) == {"day=2026-11-03"}
    finally:
        spark.sql("DROP TABLE daily")


def test_a_table_of_orc_files_is_listed_and_probed_by_its_name(spark: SparkSession) -> None:
    data = spark.range(400).selectExpr("xxhash64(id) AS key", "id % 2 AS part")
    options = sbbf.bloom_options("key", format="orc")
    data.coalesce(1).write.options(**options).partitionBy("part").format("orc").saveAsTable("ores")
    try:
        assert {row.path_in_schema for row in sbbf.inspect(spark, "ores").collect()} == {"key"}
        key = data.first().key
        verdicts = [row.verdict for row in sbbf.probe(spark, "ores", "key", key).collect()]
        assert sorted(verdicts) == ["cannot_match", "might_match"]
        assert len(pairs(sbbf.probe(spark, "ores", "key", [key, 5]))) == 1
        assert partitions(sbbf.inspect(spark, "ores", where="part = 1")) == {"part=1"}
        with pytest.raises(ValueError, match="ores has the format orc, expected parquet, delta"):
            sbbf.advise(spark, "ores")
    finally:
        spark.sql("DROP TABLE ores")


def test_queries_by_name_see_the_files_that_filters_were_added_to(spark: SparkSession) -> None:
    data = spark.range(400).selectExpr("xxhash64(id) AS key", "id", "id % 2 AS part")
    for name, by in (("plain_names", []), ("part_names", ["part"])):
        data.coalesce(1).write.partitionBy(*by).saveAsTable(name)
        try:
            query = f"SELECT * FROM {name} WHERE key = {data.first().key}"
            assert len(spark.sql(query).collect()) == 1  # lists the files
            assert sbbf.add_filters(spark, f"default.{name}", "key").of("done")
            after = spark.sql(query)
            assert len(after.collect()) == 1
            (scan,) = sbbf.explain(after, show=False).scans
            assert scan.refuted_by.get("bloom", 0) == len(by)
            assert len(spark.sql(f"SELECT count(id) FROM {name}").collect()) == 1
            sbbf.drop_filters(spark, name)
            assert len(spark.sql(query).collect()) == 1
        finally:
            spark.sql(f"DROP TABLE {name}")
