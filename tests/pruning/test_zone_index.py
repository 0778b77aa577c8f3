"""Tests that lookups search filters of zones, and filters of files that became an index."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import rows, session_with
from indexed import ABSENT, FILES, GROUPS, KEYS, PLAIN, looked_up, write


@pytest.fixture(scope="module")
def zoned(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write(tmp_path_factory.mktemp("zoned"), range(FILES))
    change = sbbf.create_index(spark, path, ["key", "name"], kind="bloom", items=20)
    # each row group of 50 rows has zones of 20, 20 and 10
    assert (change.files, change.keys) == (FILES, 0)
    assert change.entries == 2 * FILES * GROUPS * 3
    assert f"{change.entries:,} zones; " in str(change)
    return path


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (f"key = {KEYS[4321]}", 1),
        (f"key <=> {KEYS[4321]}", 1),
        (f"key IN ({KEYS[1]}, {KEYS[4321]}, {ABSENT})", 2),
        (f"name = 'n{KEYS[77]}'", 1),
        (f"key = {ABSENT}", 0),
        ("name IS NULL", 0),
        (f"key = {KEYS[1]} OR name = 'n{KEYS[4321]}'", 2),
    ],
)
def test_filters_of_zones_find_the_files_of_a_key(
    spark: SparkSession, zoned: str, condition: str, kept: int
) -> None:
    query = looked_up(spark, zoned, condition)
    (scan,) = sbbf.explain(query, show=False).scans
    assert (scan.files_kept, scan.row_groups_kept) == (kept, kept)
    # the cache may have footers
    assert scan.files_opened <= kept and scan.refuted_by["index"] == scan.row_groups - kept
    assert rows(query) == rows(looked_up(session_with(spark, PLAIN), zoned, condition))


def test_a_lookup_in_filters_of_zones_reads_eight_slices(spark: SparkSession, zoned: str) -> None:
    report = sbbf.explain(looked_up(spark, zoned, f"key = {KEYS[9]}"), show=False)
    assert "; index: 1 segment, 8 pages" in str(report)
    (info, _) = sbbf.index_info(spark, zoned).collect()
    assert (info.path_in_schema, info.kind, info.files_covered) == ("key", "bloom", FILES)
    assert (info.keys, info.entries) == (0, FILES * GROUPS * 3)


@pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="Spark 3.5 has no CALL")
def test_sql_creates_and_refreshes_filters_of_zones(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "sql-zones", range(2))
    arguments = (
        f"table => '{path}', columns => array('key'), kind => 'bloom', items => 0, fpp => 0.01"
    )
    (created,) = spark.sql(f"CALL sbbf.system.create_index({arguments})").collect()
    assert (created.files, created.keys, created.entries) == (2, 0, 2 * GROUPS)
    write(tmp_path / "sql-zones", range(FILES, FILES + 1))
    (again,) = spark.sql(f"CALL sbbf.system.refresh_index(table => '{path}')").collect()
    assert (again.files, again.entries) == (1, GROUPS)
    query = looked_up(spark, path, f"key IN ({KEYS[3]}, {KEYS[3] ^ 1})")
    assert query.count() == 2 and sbbf.explain(query, show=False).scans[0].row_groups_kept == 2


def test_filters_of_the_files_become_an_index(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "transposed", range(4))
    sbbf.add_filters(spark, path, "key")
    for file in (tmp_path / "transposed").glob("*.parquet"):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    change = sbbf.create_index(spark, path, "key", kind="bloom", from_filters=True)
    assert (change.files, change.entries) == (4, 4 * GROUPS)
    for key, kept in ((KEYS[5], 1), (ABSENT, 0)):
        (scan,) = sbbf.explain(looked_up(spark, path, f"key = {key}"), show=False).scans
        assert (scan.files_kept, scan.files_opened) == (kept, kept)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "hash"}, "kind must be 'keys' or 'bloom', but was 'hash'"),
        ({"items": 10}, "items needs kind 'bloom'"),
        ({"kind": "bloom", "items": -1}, "items must be at least 0"),
        ({"kind": "bloom", "items": "ten"}, "items must be a whole number"),
        ({"kind": "bloom", "fpp": 2}, "fpp must be between 0 and 1"),
        ({"kind": "bloom", "from_filters": True, "fpp": 0.1}, "fpp does not apply"),
    ],
)
def test_an_option_of_another_kind_is_an_error(
    spark: SparkSession, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    path = write(tmp_path / "options", range(1))
    with pytest.raises(ValueError, match=message):
        sbbf.create_index(spark, path, "key", **options)
    assert not (tmp_path / "options" / "_sbbf").exists()
