"""Tests that lookups in CSV, JSON and ORC files with an index read only the files of their keys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from harness import only_scan, rows, session_with, tasks_of

FILES, ROWS = 8, 400
SCHEMA = "key bigint, name string, day date"
PLAIN = {"spark.sbbf.enabled": "false"}


def written(spark: SparkSession, folder: Path, fmt: str) -> str:
    """Writes files that were modified long ago."""
    data = spark.range(0, FILES * ROWS, 1, FILES).select(
        F.xxhash64("id").alias("key"),
        F.concat(F.lit("n"), "id").alias("name"),
        F.expr("date_add(date'2026-01-01', cast(id % 99 as int))").alias("day"),
    )
    path = folder / fmt
    data.write.format(fmt).option("header", "true").save(str(path))
    for file in path.iterdir():
        os.utime(file, (1_700_000_000, 1_700_000_000))
    return str(path)


def read(spark: SparkSession, path: str, fmt: str) -> DataFrame:
    return spark.read.format(fmt).option("header", "true").schema(SCHEMA).load(path)


def key(spark: SparkSession, n: int) -> int:
    (row,) = spark.range(n, n + 1).select(F.xxhash64("id")).collect()
    return int(row[0])


@pytest.mark.parametrize("fmt", ["csv", "json", "orc"])
def test_a_lookup_plans_and_reads_only_the_files_that_hold_it(
    spark: SparkSession, tmp_path: Path, fmt: str
) -> None:
    path = written(spark, tmp_path, fmt)
    read(spark, path, fmt).createOrReplaceTempView("read_of_files")
    change = sbbf.create_index(spark, "read_of_files", ["key", "name"])
    assert (change.files, change.row_groups, change.skipped_files) == (FILES, FILES, 0)
    for condition, kept in [
        (f"key = {key(spark, 777)}", 1),
        (f"key IN ({key(spark, 1)}, {key(spark, 3000)}, 5)", 2),
        ("name <=> 'n5'", 1),
        ("name = 'N5'", 0),
        (f"key = {key(spark, 1)} AND name = 'n3000'", 0),
        (f"key = {key(spark, 1)} OR name = 'n3000'", 2),
    ]:
        scan = only_scan(read(spark, path, fmt).where(condition))
        assert scan.files_kept == kept and scan.refuted_by["index"] == FILES - kept
        found, tasks = tasks_of(spark, lambda c=condition: rows(read(spark, path, fmt).where(c)))
        assert tasks == kept
        assert found == rows(read(session_with(spark, PLAIN), path, fmt).where(condition))
    assert "index: 1 segment" in str(
        sbbf.explain(read(spark, path, fmt).where("key = 5"), show=False)
    )
    info = sbbf.index_info(spark, "read_of_files").collect()
    assert [(row.path_in_schema, row.files_covered) for row in info] == [
        ("key", FILES),
        ("name", FILES),
    ]
    assert sbbf.refresh_index(spark, "read_of_files").files == 0
    assert sbbf.drop_index(spark, "read_of_files") > 0


def test_a_read_with_other_options_reads_all_files(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path, "csv")
    read(spark, path, "csv").createOrReplaceTempView("read_of_files")
    sbbf.create_index(spark, "read_of_files", "name")
    other = read(spark, path, "csv").where("name = 'n5'").count()
    assert other == 1
    query = spark.read.schema(SCHEMA).option("nullValue", "n5").option("header", "true")
    without = query.csv(path).where("name = 'n5'")
    assert without.count() == 0
    report = sbbf.explain(without, show=False)
    assert not report.scans
    assert "same options, schema and settings" in str(report)


def test_keys_of_a_join_search_the_index(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path, "json")
    read(spark, path, "json").createOrReplaceTempView("read_of_files")
    sbbf.create_index(spark, "read_of_files", "key")
    keys = spark.createDataFrame([(key(spark, n),) for n in (7, 3000)], "key long")
    query = read(spark, path, "json").join(F.broadcast(keys), "key")
    assert len(query.collect()) == 2
    scan = only_scan(query)
    assert scan.files_kept == 2 and scan.late_keys


def test_an_orc_path_needs_no_options(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path, "orc")
    assert sbbf.create_index(spark, path, "name").files == FILES
    assert only_scan(spark.read.orc(path).where("name = 'n5'")).files_kept == 1
