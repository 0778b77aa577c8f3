"""Tests that lookups use the index of a table: Python, SQL, names, joins and fresh processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

import samples
import spark_sbbf as sbbf
from harness import fresh, rows, session_with, tasks_of

FILES, GROUPS, ROWS = 40, 4, 50
PER_FILE = GROUPS * ROWS
KEYS = samples.scattered(FILES * PER_FILE)
ABSENT = samples.scattered(1, salt=10**9)[0]
PLAIN = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}


def write(folder: Path, files: range) -> str:
    """Writes files without filters, which were modified long ago."""
    for n in files:
        keys = KEYS[n % FILES * PER_FILE : (n % FILES + 1) * PER_FILE]
        moved = keys if n < FILES else [key ^ 1 for key in keys]
        columns = {"key": moved, "seq": list(range(PER_FILE)), "name": [f"n{k}" for k in moved]}
        file = samples.write(folder / f"{n}.parquet", columns, ROWS)
        os.utime(file, (1_700_000_000, 1_700_000_000 + n))
    return str(folder)


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write(tmp_path_factory.mktemp("indexed"), range(FILES))
    change = sbbf.create_index(spark, path, ["key", "name"])
    assert change.files == FILES and change.row_groups == FILES * GROUPS
    # different values may share a key
    assert change.entries == 2 * len(KEYS) >= change.keys > 2 * len(KEYS) - 10
    assert change.skipped_files == 0
    return path


def looked_up(spark: SparkSession, lake: str, condition: str) -> DataFrame:
    return spark.read.schema("key long, seq long, name string").parquet(lake).where(condition)


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


def test_a_fresh_process_opens_only_the_survivors(lake: str) -> None:
    script = """
        spark = sbbf.enable(builder()).getOrCreate()
        query = spark.read.schema("key long").parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        (scan,) = sbbf.explain(query, show=False).scans
        print("#", scan.files_kept, scan.files_opened, query.count())
    """
    assert fresh(script, lake, str(KEYS[4321])) == ["1 1 1"]
    assert fresh(script, lake, str(ABSENT)) == ["0 0 0"]


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


WORDY = 200


@pytest.fixture(scope="module")
def logs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Files of 40 log lines in two row groups, with one request of its own in each file."""
    folder = tmp_path_factory.mktemp("logs")
    for n in range(WORDY):
        lines: list[str | None] = [
            f"2026-11-{day:02} worker-{day} [info] request={KEYS[n] if day == 9 else day} done."
            for day in range(1, 39)
        ]
        columns = {"message": [*lines, None, "Grüße"], "mail": [f"User{n}@Example.org"] * 40}
        os.utime(samples.write(folder / f"{n}.parquet", columns, 20), (1_700_000_000 + n,) * 2)
    columns_indexed = ["tokens(message)", "ngrams(message, 8)", "lower(mail)"]
    change = sbbf.create_index(spark, str(folder), columns_indexed)
    assert change.files == WORDY and change.skipped_files == 0
    return str(folder)


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (f"message LIKE '%request={KEYS[77]} %'", 1),
        (f"contains(message, '[info] request={KEYS[77]} ')", 1),
        (f"message LIKE '%quest={str(KEYS[77])[:-2]}%'", 1),
        ("message LIKE '%request=fraud %'", 0),
        ("message LIKE '%requests are%'", 0),
        ("message LIKE '%fraud%' AND message LIKE '% warning %'", 0),
        ("lower(mail) = 'user42@example.org'", 2),
        ("lower(mail) IN ('User42@example.org', 'nobody')", 0),
        (f"message LIKE '%request={KEYS[77]} %' OR lower(mail) = 'user42@example.org'", 3),
    ],
)
def test_a_search_for_words_plans_only_the_row_groups_that_hold_them(
    spark: SparkSession, logs: str, condition: str, kept: int
) -> None:
    query = spark.read.parquet(logs).where(condition)
    (scan,) = sbbf.explain(query, show=False).scans
    assert scan.row_groups_kept == kept and scan.files_opened <= kept
    assert scan.refuted_by["index"] == scan.row_groups - kept == 2 * WORDY - kept
    assert "; index: 1 segment, " in str(sbbf.explain(query, show=False))
    plain = session_with(spark, PLAIN)
    assert rows(query) == rows(plain.read.parquet(logs).where(condition))


@pytest.mark.parametrize("condition", ["message LIKE '%wor%'", "message NOT LIKE '% none %'"])
def test_a_text_without_whole_words_keeps_all_files_unread(
    spark: SparkSession, logs: str, condition: str
) -> None:
    report = sbbf.explain(spark.read.parquet(logs).where(condition), show=False)
    assert not report.scans
    assert "no part of the predicate can prune row groups" in str(report)


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
