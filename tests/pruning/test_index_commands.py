"""Tests the commands that create, refresh and drop indexes: Python, SQL, names and partitions."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import session_with
from indexed import ABSENT, KEYS, PER_FILE, looked_up, write


def test_a_table_has_an_index_by_its_name_until_it_is_dropped(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = spark.read.parquet(write(tmp_path / "source", range(4)))
    source.write.saveAsTable("indexed_events")
    try:
        time.sleep(2.1)  # what is read within two seconds of a write does not count
        assert sbbf.create_index(spark, "indexed_events", "key").keys == 4 * PER_FILE
        query = spark.table("indexed_events").where(f"key = {ABSENT}")
        (scan,) = sbbf.explain(query, show=False).scans
        assert scan.files_kept == 0 and scan.refuted_by["index"] == scan.row_groups > 0
        assert sbbf.drop_index(spark, "indexed_events") > 0
        assert sbbf.index_info(spark, "indexed_events").collect() == []
        assert spark.table("indexed_events").where(f"key = {KEYS[0]}").count() == 1
    finally:
        spark.sql("DROP TABLE indexed_events")


def write_days(spark: SparkSession, folder: Path) -> str:
    """Writes a table of three days with a file each."""
    rows = spark.range(90).selectExpr(
        "id AS key", "date_add(DATE'2026-11-01', CAST(id % 3 AS INT)) AS day"
    )
    rows.repartition("day").write.partitionBy("day").parquet(str(folder))
    return str(folder)


def test_a_daily_job_indexes_its_partition_alone(spark: SparkSession, tmp_path: Path) -> None:
    path = write_days(spark, tmp_path / "days")
    first = sbbf.create_index(spark, path, "key", where="day = '2026-11-01'", dry_run=True)
    assert first.segment is None and first.seconds > 0 and str(first).startswith("would index 1 f")
    assert sbbf.create_index(spark, path, "key", where="day = '2026-11-01'").files == 1
    assert sbbf.refresh_index(spark, path, where="day >= date_sub('2026-11-04', 1)").files == 1
    (info,) = sbbf.index_info(spark, path).collect()
    assert (info.files, info.files_covered) == (3, 2)
    for refused, message in (
        ("key = 3", "may only compare partition columns: day"),
        ("x", "where is invalid"),
    ):
        with pytest.raises(ValueError, match=message):
            sbbf.refresh_index(spark, path, where=refused)


@pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="Spark 3.5 has no CALL")
def test_sql_indexes_a_partition(spark: SparkSession, tmp_path: Path) -> None:
    path = write_days(spark, tmp_path / "days")
    arguments = f"table => '{path}', columns => array('key'), where => 'day <= \"2026-11-02\"'"
    (created,) = spark.sql(f"CALL sbbf.system.create_index({arguments})").collect()
    assert created.files == 2
    refresh = f"refresh_index(table => '{path}', where => 'day IS NOT NULL', dry_run => true)"
    (dry,) = spark.sql(f"CALL sbbf.system.{refresh}").collect()
    assert dry.files == 1 and dry.seconds > 0


@pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="Spark 3.5 has no CALL")
def test_sql_creates_refreshes_and_drops_an_index(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "sql", range(2))
    call = f"CALL sbbf.system.create_index(table => '{path}', columns => array('key'))"
    (created,) = spark.sql(call).collect()
    assert created.files == 2 and created.keys == 2 * PER_FILE
    (again,) = spark.sql(f"CALL sbbf.system.refresh_index(table => '{path}')").collect()
    assert again.segment is None and again.files == 0
    (info,) = spark.sql(f"SELECT * FROM sbbf.indexes.`{path}`").collect()
    assert info.path_in_schema == "key" and info.files_covered == 2
    (dropped,) = spark.sql(f"CALL sbbf.system.drop_index(table => '{path}')").collect()
    assert dropped.bytes > info.bytes and not (tmp_path / "sql" / "_sbbf").exists()


def test_an_index_elsewhere_leaves_the_table_alone(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "read-only", range(2))
    session = session_with(spark, {"spark.sbbf.index.path": str(tmp_path / "indexes")})
    sbbf.create_index(session, path, "key")
    assert not (tmp_path / "read-only" / "_sbbf").exists()
    (scan,) = sbbf.explain(looked_up(session, path, f"key = {ABSENT}"), show=False).scans
    assert scan.refuted_by["index"] == scan.row_groups


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("soundex(name)", "unknown function 'soundex'"),
        ("ngrams(name, 3)", "shorter ones are in nearly every row group"),
        ("tokens(key)", "it is no STRING column"),
        (["LOWER(name)", "tokens(other)"], r"tokens\(other\)"),
        ("nothing", "nothing"),
        (["key", "key"], "named twice"),
        ([], "name the columns to index"),
    ],
)
def test_a_wrong_column_is_an_error_before_anything_is_written(
    spark: SparkSession, tmp_path: Path, columns: str | list[str], message: str
) -> None:
    path = write(tmp_path / "wrong", range(1))
    with pytest.raises(ValueError, match=message):
        sbbf.create_index(spark, path, columns)
    assert not (tmp_path / "wrong" / "_sbbf").exists()


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (lambda folder: f"{folder}/0.parquet", "is no folder"),
        (lambda folder: f"{folder}/missing", "no file or folder"),
        (lambda folder: folder, "has no index"),
    ],
)
def test_a_table_without_an_index_cannot_be_refreshed(
    spark: SparkSession, tmp_path: Path, of: Callable[[str], str], message: str
) -> None:
    path = write(tmp_path / "none", range(1))
    with pytest.raises(ValueError, match=message):
        sbbf.refresh_index(spark, of(path))
