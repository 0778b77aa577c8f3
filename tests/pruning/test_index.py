"""Tests that lookups search the index of a table, before and after its files change."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import fresh, rows, session_with, tasks_of
from indexed import ABSENT, FILES, GROUPS, KEYS, PLAIN, ROWS, looked_up, write


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write(tmp_path_factory.mktemp("indexed"), range(FILES))
    change = sbbf.create_index(spark, path, ["key", "name"])
    assert change.files == FILES and change.row_groups == FILES * GROUPS
    # different values may share a key
    assert change.entries == 2 * len(KEYS) >= change.keys > 2 * len(KEYS) - 10
    assert change.skipped_files == 0
    return path


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (f"key = {KEYS[4321]}", 1),
        (f"key <=> {KEYS[4321]}", 1),
        (f"key IN ({KEYS[1]}, {KEYS[4321]}, {ABSENT})", 2),
        (f"name = 'n{KEYS[77]}'", 1),
        (f"key = {ABSENT}", 0),
        (f"key = {KEYS[1]} AND name = 'n{KEYS[4321]}'", 0),
        (f"key = {KEYS[1]} OR name = 'n{KEYS[4321]}'", 2),
        (f"key = {KEYS[1]} AND length(name) > 0", 1),
    ],
)
def test_a_lookup_plans_and_opens_only_the_files_that_hold_it(
    spark: SparkSession, lake: str, condition: str, kept: int
) -> None:
    query = looked_up(spark, lake, condition)
    (scan,) = sbbf.explain(query, show=False).scans
    assert (scan.files_kept, scan.row_groups_kept) == (kept, kept)
    assert scan.refuted_by["index"] == scan.row_groups - kept
    found, tasks = tasks_of(spark, lambda: rows(looked_up(spark, lake, condition)))
    assert tasks == kept
    assert found == rows(looked_up(session_with(spark, PLAIN), lake, condition))


def test_explain_names_the_work_of_the_search(spark: SparkSession, lake: str) -> None:
    report = sbbf.explain(looked_up(spark, lake, f"key = {KEYS[9]}"), show=False)
    assert "; index: 1 segment, 2 pages" in str(report)
    (scan,) = report.scans
    assert (scan.index_segments, scan.index_pages) == (1, 2) and 0 < scan.index_bytes < 100_000


def test_keys_of_a_join_search_the_index(spark: SparkSession, lake: str) -> None:
    joined = spark.createDataFrame([(KEYS[5],), (KEYS[6000],)], "key long")
    dim = joined.where("length(concat('k', key)) > 0")
    query = looked_up(spark, lake, "seq >= 0").join(dim, "key").select("key")
    assert sorted(row.key for row in query.collect()) == sorted((KEYS[5], KEYS[6000]))


def test_new_files_are_found_before_and_after_a_refresh(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(tmp_path / "daily", range(2))
    sbbf.create_index(spark, path, "key")
    write(tmp_path / "daily", range(FILES, FILES + 1))
    keys = (KEYS[3], KEYS[3] ^ 1)
    for refreshed in (False, True):
        for key in keys:
            assert [row.key for row in looked_up(spark, path, f"key = {key}").collect()] == [key]
        if not refreshed:
            assert sbbf.refresh_index(spark, path, dry_run=True).files == 1
            assert sbbf.refresh_index(spark, path).files == 1
    assert (
        str(sbbf.refresh_index(spark, path))
        == "nothing to do: the index knows all files that were selected"
    )
    (info,) = sbbf.index_info(spark, path).collect()
    assert (info.path_in_schema, info.files, info.files_covered, info.segments) == ("key", 3, 3, 2)
    assert info.bytes > 0 and info.folder.endswith("/daily/_sbbf")


def test_a_replaced_file_is_read_itself(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "replaced", range(1))
    sbbf.create_index(spark, path, "key")
    file = tmp_path / "replaced" / "0.parquet"
    (tmp_path / "replaced" / ".0.parquet.crc").unlink(missing_ok=True)
    columns = {"key": [ABSENT] * 3, "seq": [1] * 3, "name": ["x"] * 3}
    samples.write(file, columns, ROWS)
    assert looked_up(spark, path, f"key = {ABSENT}").count() == 3
    assert looked_up(spark, path, f"key = {KEYS[0]}").count() == 0


@pytest.mark.full
def test_a_fresh_process_opens_only_the_survivors(lake: str) -> None:
    script = """
        spark = sbbf.enable(builder()).getOrCreate()
        query = spark.read.schema("key long").parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        (scan,) = sbbf.explain(query, show=False).scans
        print("#", scan.files_kept, scan.files_opened, query.count())
    """
    assert fresh(script, lake, str(KEYS[4321])) == ["1 1 1"]
    assert fresh(script, lake, str(ABSENT)) == ["0 0 0"]
