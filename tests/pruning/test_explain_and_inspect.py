"""Tests the reports of pruning and of the filters in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import fresh, only_scan, rows, session_with, tasks_of

GROUPS, ROWS = 4, 50
KEYS = samples.scattered(GROUPS * ROWS)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return samples.write_with_and_without_filters(tmp_path_factory.mktemp("looking"), KEYS, ROWS)


def test_explain_reports_what_each_kind_of_evidence_pruned_and_at_what_cost(
    spark: SparkSession, lake: str
) -> None:
    df = spark.read.parquet(lake).where(f"key = {KEYS[60]}L and seq < 100")
    scan = only_scan(df)
    assert (scan.files, scan.row_groups) == (2, 8)
    # The filtered file: its second row group holds the key, two fail on `seq`, one on the filter.
    # The plain file: two row groups have `seq` below 100, and min/max of `key` may refute them.
    assert scan.row_groups_kept <= 3 and scan.files_kept <= 2
    assert scan.refuted_by["min_max"] >= 4 and scan.refuted_by["bloom"] >= 1
    assert sum(scan.refuted_by.values()) == scan.row_groups - scan.row_groups_kept
    assert scan.summary.startswith(f"kept {scan.row_groups_kept} of 8 row groups in ")
    assert " ms; " in scan.summary and scan.summary.endswith(" read")
    html = sbbf.explain(df)._repr_html_()
    for text in ("<table", f"{scan.row_groups_kept} of 8", "min_max", "bloom"):
        assert text in html
    assert scan.summary.split(";")[0] in str(sbbf.explain(df))


def test_explain_of_a_query_that_was_not_touched_says_so(spark: SparkSession) -> None:
    assert list(sbbf.explain(spark.range(10)).scans) == []
    said = "nothing to prune: the query reads no Parquet files"
    assert str(sbbf.explain(spark.range(10))) == said


def test_the_last_statement_is_reported_whatever_has_run_it(
    spark: SparkSession, lake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    df = spark.read.parquet(lake).where(f"key = {KEYS[60]}L")
    df.write.parquet(str(tmp_path / "found"))
    (scan,) = sbbf.explain_last(spark, show=True).scans
    assert (scan.files, scan.predicate) == (2, "key = ?")
    assert scan.files_kept == only_scan(df).files_kept
    assert scan.summary in capsys.readouterr().out


def test_a_session_without_a_statement_has_no_last_one(spark: SparkSession) -> None:
    with pytest.raises(RuntimeError, match="has run no statement that reads files"):
        sbbf.explain_last(spark.newSession())
    with pytest.raises(TypeError, match="expected a SparkSession"):
        sbbf.explain_last("session")  # type: ignore[arg-type]


def test_explain_in_a_session_without_the_extension_says_how_to_get_it() -> None:
    script = """
        try:
            sbbf.explain(builder().getOrCreate().range(10))
        except RuntimeError as error:
            print("#", error)
    """
    said = "spark-sbbf is not in this session: call spark_sbbf.enable(spark) first"
    assert fresh(script) == [said]


def test_inspect_lists_every_filter_with_its_size_and_fill(spark: SparkSession, lake: str) -> None:
    found = sbbf.inspect(spark, lake)
    assert set(found.columns) >= {
        "file_name", "row_group_id", "path_in_schema", "row_group_num_rows", "type",
        "stats_null_count",
        "bloom_filter_offset", "bloom_filter_length",
        "filter_bytes", "blocks", "fill", "fpp", "distinct_estimate", "checks", "evidence",
        "verdict", "reason",
    }  # fmt: skip
    filters = found.where("bloom_filter_offset is not null").orderBy("row_group_id").collect()
    assert [
        (Path(f.file_name).name, f.row_group_id, f.path_in_schema, f.row_group_num_rows)
        for f in filters
    ] == [("filtered.parquet", group, "key", ROWS) for group in range(GROUPS)]
    for f in filters:
        assert f.type == "INT64" and f.stats_null_count == 0 and f.filter_bytes == 32 * f.blocks > 0
        assert 0 < f.fill < 0.6 and 0 < f.fpp < 0.01
        assert abs(f.distinct_estimate - ROWS) < ROWS / 5
        assert (f.checks, f.reason) == ("passed", "")


def test_inspect_and_probe_look_at_files_in_tasks(spark: SparkSession, lake: str) -> None:
    files = len(list(Path(lake).glob("*.parquet")))
    _, tasks = tasks_of(spark, sbbf.inspect(spark, lake).collect)
    assert tasks == files > 1
    _, tasks = tasks_of(spark, sbbf.probe(spark, lake, "key", KEYS[60]).collect)
    assert tasks == files + 1  # in which Spark finds the type of the column


def test_probe_says_which_row_groups_might_hold_a_value_and_why(
    spark: SparkSession, lake: str
) -> None:
    probed = sbbf.probe(spark, lake, "key", KEYS[60]).orderBy("file_name", "row_group_id").collect()
    verdicts = [row.verdict for row in probed if row.file_name.endswith("filtered.parquet")]
    assert verdicts == ["cannot_match", "might_match", "cannot_match", "cannot_match"]
    assert {row.evidence for row in probed} <= {"bloom", "dictionary", "min_max", "none"}
    assert all(row.reason for row in probed if row.evidence == "none")
    absent = sbbf.probe(spark, lake, "key", 5).where("file_name like '%filtered%'")
    assert rows(absent.select("verdict").distinct()) == ["Row(verdict='cannot_match')"]


def test_probe_of_a_column_that_is_not_there_names_it(spark: SparkSession, lake: str) -> None:
    with pytest.raises(Exception, match="no_such_column"):
        sbbf.probe(spark, lake, "no_such_column", 1).collect()


@pytest.mark.parametrize("fpp", [0, 1, -0.1, 2.5, float("nan")])
def test_bloom_options_refuses_an_impossible_rate(fpp: float) -> None:
    with pytest.raises(ValueError, match="fpp"):
        sbbf.bloom_options("key", fpp=fpp)


def test_bloom_options_make_sparks_own_writer_write_filters(
    spark: SparkSession, tmp_path: Path
) -> None:
    options = sbbf.bloom_options("id", "st.leaf", fpp=0.01, ndv=100)
    session = session_with(spark, {"spark.sbbf.exactFilters.enabled": "false"})
    frame = session.range(100).selectExpr("id", "named_struct('leaf', id * 7) as st", "id as none")
    plain = {"parquet.enable.dictionary": "false"}
    frame.coalesce(1).write.options(**options, **plain).parquet(str(tmp_path / "t"))
    found = (
        sbbf.inspect(spark, str(tmp_path / "t")).where("filter_bytes > 0").select("path_in_schema")
    )
    assert rows(found) == ["Row(path_in_schema='id')", "Row(path_in_schema='st.leaf')"]
