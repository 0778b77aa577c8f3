"""Tests that lookups in ORC files plan only stripes that might hold the key."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from harness import only_scan, rows, session_with, tasks_of

FILES, ROWS = 20, 4000
PLAIN = {"spark.sbbf.enabled": "false", "spark.sql.orc.filterPushdown": "false"}


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Writes files of keys that are spread over their whole range."""
    path = str(tmp_path_factory.mktemp("orc") / "lake")
    data = spark.range(0, FILES * ROWS, 1, FILES).select(
        F.xxhash64("id").alias("key"), F.concat(F.lit("n"), "id").alias("name"), "id"
    )
    options = sbbf.bloom_options("key", "name", fpp=0.0001, df=data, format="orc")
    data.write.options(**options, **{"orc.row.index.stride": "1000"}).orc(path)
    return path


def key(spark: SparkSession, n: int) -> int:
    (row,) = spark.range(n, n + 1).select(F.xxhash64("id")).collect()
    return int(row[0])


@pytest.mark.parametrize("column", ["key", "name"])
@pytest.mark.parametrize(("ids", "most"), [([5], 1), ([5, 79_999], 2), ([-5], 0)])
def test_a_lookup_plans_the_stripes_of_its_keys(
    spark: SparkSession, lake: str, column: str, ids: list[int], most: int
) -> None:
    values = [str(key(spark, n)) if column == "key" else f"'n{n}'" for n in ids]
    condition = f"{column} IN ({', '.join(values)})"
    query = spark.read.orc(lake).where(condition)
    scan = only_scan(query)
    assert scan.row_groups == FILES
    assert scan.row_groups_kept == scan.files_kept == most
    plain = session_with(spark, PLAIN).read.orc(lake).where(condition)
    assert rows(query) == rows(plain)


def test_an_absent_key_runs_no_task(spark: SparkSession, lake: str) -> None:
    query = spark.read.orc(lake).where(f"key = {key(spark, -1)}")
    assert tasks_of(spark, query.collect) == ([], 0)


def test_keys_of_a_join_prune_stripes(spark: SparkSession, lake: str) -> None:
    keys = spark.createDataFrame([(key(spark, n),) for n in (7, 70_000)], "key long")
    query = spark.read.orc(lake).join(F.broadcast(keys), "key")
    assert len(query.collect()) == 2
    scan = only_scan(query)
    assert scan.row_groups_kept == 2 and scan.late_keys


def test_a_table_of_the_catalog_is_pruned(spark: SparkSession, lake: str) -> None:
    spark.sql(f"CREATE TABLE orc_lake USING orc LOCATION '{lake}'")
    try:
        assert only_scan(spark.sql("SELECT * FROM orc_lake WHERE name = 'n8'")).files_kept == 1
    finally:
        spark.sql("DROP TABLE orc_lake")


def test_explain_names_the_setting_that_turns_it_off(spark: SparkSession, lake: str) -> None:
    off = session_with(spark, {"spark.sbbf.orc.enabled": "false"})
    (relation,) = sbbf.explain(off.read.orc(lake).where("key = 1"), show=False).unpruned
    assert relation.reason == "spark.sbbf.orc.enabled is false"


def test_both_zeros_are_found_where_spark_alone_loses_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = str(tmp_path / "zeros")
    spark.createDataFrame([(-0.0,), (1.0,)], "x float").coalesce(1).write.options(
        **sbbf.bloom_options("x", format="orc")
    ).orc(path)
    assert len(spark.read.orc(path).where("x = float('0.0')").collect()) == 1


def test_files_of_pyarrow_are_pruned(spark: SparkSession, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    orc = pytest.importorskip("pyarrow.orc")
    for n in range(4):
        values = pa.array([2 * (n + 4 * i) for i in range(5000)], pa.int64())
        orc.write_table(
            pa.table({"k": values, "s": values.cast(pa.string())}),
            str(tmp_path / f"{n}.orc"),
            bloom_filter_columns=[1, 2],
            bloom_filter_fpp=0.001,
        )
    lake = spark.read.orc(str(tmp_path))
    for condition, kept in [("k = 2468", 1), ("s = '2468'", 1), ("k = 2469", 0), ("s = 'x'", 0)]:
        query = lake.where(condition)
        assert len(query.collect()) == kept
        assert only_scan(query).files_kept == kept, condition


def test_inspect_lists_the_filters_of_each_stripe(spark: SparkSession, lake: str) -> None:
    found = sbbf.inspect(spark, lake).collect()
    assert len(found) == 2 * FILES
    assert {row.path_in_schema for row in found} == {"key", "name"}
    for row in found:
        assert row.row_group_id == 0 and row.row_group_num_rows == ROWS
        assert row.filter_bytes > 0 and 0 < row.fill < 1 and row.fpp < 0.01
        assert row.stats_null_count == 0 and row.checks == "passed"


@pytest.mark.parametrize("column", ["key", "name", "id"])
def test_probe_names_the_stripes_that_might_hold_a_value(
    spark: SparkSession, lake: str, column: str
) -> None:
    value: int | str = {"key": key(spark, 9), "name": "n9", "id": 9}[column]
    found = sbbf.probe(spark, lake, column, value).collect()
    assert len(found) == FILES
    might = [row for row in found if row.verdict == "might_match"]
    assert len(might) == 1
    refuted = {row.evidence for row in found if row.verdict == "cannot_match"}
    assert refuted <= {"bloom", "min_max"}


def test_a_column_that_no_file_has_is_an_error(spark: SparkSession, lake: str) -> None:
    with pytest.raises(Exception, match="has no column 'nothing'"):
        sbbf.probe(spark, lake, "nothing", 5).collect()


def test_add_filters_names_the_options_of_orc(spark: SparkSession, lake: str) -> None:
    with pytest.raises(Exception, match="has ORC files, expected Parquet files"):
        sbbf.add_filters(spark, lake, "key")
