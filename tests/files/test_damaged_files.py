"""Tests that a damaged, changed or missing file loses no row, and fails only as in Spark alone."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import damage
import samples
import spark_sbbf as sbbf
from harness import only_scan, outcome, planned, rows, session_with

pytestmark = pytest.mark.full

ROWS = 50
OFF = {"spark.sbbf.enabled": "false"}
KEYS = samples.scattered(12 * ROWS)

Breaking = Callable[[Path], None]


def lake(folder: Path, files: int = 2) -> Path:
    """Writes files of four row groups, `key` with filters, `seq` sorted; returns their folder."""
    for file in range(files):
        keys = KEYS[file * 4 * ROWS :][: 4 * ROWS]
        columns = {
            "key": keys,
            "seq": list(range(file * 4 * ROWS, (file + 1) * 4 * ROWS)),
            "pad": [f"{key:064}" for key in keys],  # offsets of filters take three bytes
        }
        path = folder / f"part-{file}.parquet"
        samples.write(path, columns, ROWS, filters=("key",), compression="none")
    return folder


def where(session: SparkSession, path: Path, condition: str) -> DataFrame:
    return session.read.schema("key bigint, seq bigint").parquet(str(path)).where(condition)


def same_outcome(
    spark: SparkSession, spark_alone: SparkSession, path: Path, condition: str
) -> list[str] | str:
    mine = outcome(lambda: where(spark, path, condition))
    assert mine == outcome(lambda: where(spark_alone, path, condition)), condition
    return mine


# Damaged filters: each must be detected, and no row lost.


def header(file: Path) -> int:
    return damage.chunk(file, "key").bloom_filter_offset


def length(file: Path) -> int:
    return damage.chunk(file, "key").bloom_filter_length


def zeroed_bits(file: Path) -> None:
    bits = length(file) // 32 * 32  # the rest is the header
    damage.patch(file, header(file) + length(file) - bits, bytes(bits))


DAMAGES: dict[str, Breaking] = {
    "all bits are zero": zeroed_bits,
    "offset beyond the end": lambda f: damage.patch_footer(f, header(f), f.stat().st_size + 4096),
    "offset inside the footer": lambda f: damage.patch_footer(
        f, header(f), damage.footer_start(f.read_bytes()) + 8
    ),
    "offset on another byte": lambda f: damage.patch_footer(f, header(f), header(f) + 1),
    "no thrift at all": lambda f: damage.patch(f, header(f), b"\xff" * 16),
    "endless varint": lambda f: damage.patch(f, header(f), b"\x15" + b"\xff" * 15),
    "nested structures": lambda f: damage.patch(f, header(f), b"\x1c" * 64),
    "unknown algorithm": lambda f: damage.patch(f, header(f) + 3, b"\x1c\x2c"),
    "smaller than it is": lambda f: damage.patch(f, header(f) + 1, damage.zigzag_varint(64)),
    "not whole blocks": lambda f: damage.patch(f, header(f) + 1, damage.zigzag_varint(100)),
    "negative size": lambda f: damage.patch(f, header(f) + 1, damage.zigzag_varint(-100)),
    "larger than it is": lambda f: damage.patch(f, header(f) + 1, damage.zigzag_varint(8000)),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_filter_loses_no_row(
    spark: SparkSession, oracle: SparkSession, tmp_path: Path, kind: str
) -> None:
    path = lake(tmp_path / "lake")
    keys = [f"key = {KEYS[row]}L" for row in (0, 7, ROWS, 3 * ROWS, 5 * ROWS)]
    damaged = path / "part-0.parquet"
    assert only_scan(where(spark, path, "key = 5L")).row_groups_kept == 0
    DAMAGES[kind](damaged)
    whole = session_with(spark, {"spark.sbbf.rowGroupPruning.enabled": "false"})
    for condition in keys:
        expected = rows(where(oracle, path, condition))
        assert len(expected) == 1 and rows(where(spark, path, condition)) == expected
        assert rows(where(whole, path, condition)) == expected
    scan = only_scan(where(spark, path, "key = 5L"))
    assert scan.row_groups_kept == 1, "the other row groups still have valid filters"


def test_every_rejected_filter_is_counted_by_reason_and_listed(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = lake(tmp_path / "lake", files=3)
    for file, kind in ((0, "no thrift at all"), (1, "not whole blocks")):
        DAMAGES[kind](path / f"part-{file}.parquet")
    scan = only_scan(where(spark, path, "key = 5L"))
    reasons = {"damaged header": 1, "not a whole number of blocks": 1}
    assert scan.filters_rejected == reasons and "damaged header 1" in str(scan)
    # the evidence of another leaf, or its absence, does not hide them
    scan = only_scan(where(spark, path, f"seq % 2 = 1 and seq >= 0 and key = {KEYS[1]}L"))
    assert scan.filters_rejected == reasons
    listed = sbbf.inspect(spark, str(path)).where("filter_bytes is null").collect()
    assert sorted((row.checks, row.reason) for row in listed) == [
        ("failed", reason) for reason in sorted(reasons)
    ]


# Files that are no Parquet files.

GARBAGE: dict[str, Breaking] = {
    "text": lambda f: f.write_text("this is not the file that you are looking for\n" * 10),
    "empty": lambda f: f.write_bytes(b""),
    "one byte": lambda f: f.write_bytes(b"P"),
    "magic only": lambda f: f.write_bytes(b"PAR1PAR1"),
    "cut in half": lambda f: f.write_bytes(f.read_bytes()[: f.stat().st_size // 2]),
    "footer of length 0": lambda f: damage.set_footer_length(f, 0),
    "footer longer than the file": lambda f: damage.set_footer_length(f, 1 << 30),
    "footer of negative length": lambda f: damage.set_footer_length(f, (1 << 32) - 5),
    "footer of zeros": lambda f: damage.patch(f, damage.footer_start(f.read_bytes()), bytes(64)),
}


@pytest.mark.parametrize("garbage", GARBAGE)
def test_a_file_that_is_not_parquet_fails_or_is_skipped_as_in_spark_alone(
    spark: SparkSession, tmp_path: Path, garbage: str
) -> None:
    path = lake(tmp_path / "lake", files=3)
    GARBAGE[garbage](path / "part-1.parquet")
    for ignore in ("false", "true"):
        tolerance = {"spark.sql.files.ignoreCorruptFiles": ignore}
        on, off = (session_with(spark, {**tolerance, **switch}) for switch in ({}, OFF))
        for condition in (f"key = {KEYS[3]}L", f"key = {KEYS[5 * ROWS]}L", "key = 5L", "seq < 9"):
            answer = same_outcome(on, off, path, condition)
            skipped = ignore == "true" or garbage == "empty"  # Spark plans no split of 0 bytes
            assert isinstance(answer, list) == skipped


def test_a_hidden_file_and_another_kind_of_file_are_left_alone(
    spark: SparkSession, spark_alone: SparkSession, tmp_path: Path
) -> None:
    path = lake(tmp_path / "lake")
    for name in ("_SUCCESS", ".part.crc", "_metadata.tmp"):
        (path / name).write_text("x")
    assert len(same_outcome(spark, spark_alone, path, f"key = {KEYS[3]}L")) == 1


# Files that change between plan and run.


def changed(
    session: SparkSession, path: Path, condition: str, change: Callable[[], None]
) -> list[str] | str:
    df = planned(where(session, path, condition))
    change()
    return outcome(lambda: df)


@pytest.mark.parametrize("ignore", ["false", "true"])
def test_a_file_deleted_between_plan_and_run_fails_or_is_skipped_as_in_spark_alone(
    spark: SparkSession, tmp_path: Path, ignore: str
) -> None:
    tolerance = {"spark.sql.files.ignoreMissingFiles": ignore}
    outcomes = []
    for name, switch in (("on", {}), ("off", OFF)):
        path = lake(tmp_path / name)
        session = session_with(spark, {**tolerance, **switch})
        delete = (path / "part-0.parquet").unlink
        outcomes.append(changed(session, path, f"key = {KEYS[3]}L", delete))
    assert outcomes[0] == outcomes[1]
    assert isinstance(outcomes[0], list) == (ignore == "true")


def test_a_file_truncated_between_plan_and_run_fails_as_in_spark_alone(
    spark: SparkSession, spark_alone: SparkSession, tmp_path: Path
) -> None:
    outcomes = []
    for name, session in (("on", spark), ("off", spark_alone)):
        path = lake(tmp_path / name)
        file = path / "part-0.parquet"
        outcomes.append(
            changed(session, path, f"key = {KEYS[3]}L", lambda f=file: os.truncate(f, 900))
        )
    assert outcomes[0] == outcomes[1] and isinstance(outcomes[0], str)


@pytest.mark.parametrize("trim", ["true", "false"])
@pytest.mark.parametrize("groups", [1, 2, 4, 8])
def test_a_file_replaced_between_plan_and_run_is_never_read_in_part(
    spark: SparkSession, tmp_path: Path, trim: str, groups: int
) -> None:
    """Replaces the file by one with the same keys in another order and in other row groups.

    The new file is not longer: of a longer one, even Spark alone reads only the planned length.
    """
    session = session_with(spark, {"spark.sbbf.rowGroupPruning.enabled": trim})
    total, other = 4 * ROWS, tmp_path / "new.parquet"
    samples.write(other, {"key": KEYS[:total][::-1], "seq": [1000] * total}, total // groups)
    for wanted in ((3,), (3 * ROWS + 5,), (3, 2 * ROWS), (3, 2 * ROWS, 3 * ROWS + 5)):
        path = lake(tmp_path / f"lake-{len(wanted)}-{wanted[0]}", files=1)
        file = path / "part-0.parquet"
        assert other.stat().st_size <= file.stat().st_size
        condition = f"key in ({', '.join(f'{KEYS[row]}L' for row in wanted)})"
        old, new = (rows(where(session, p, condition)) for p in (file, other))
        assert len(old) == len(new) == len(wanted) and old != new
        answer = changed(session, path, condition, lambda f=file: shutil.copy(other, f) and None)
        assert answer in (old, new) or isinstance(answer, str)
        assert rows(where(session, path, condition)) == new


def test_a_file_replaced_at_once_is_not_answered_from_the_cache(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Keeps name, length and modification time, as on a clock that counts whole seconds."""
    file, clock = tmp_path / "lake" / "part.parquet", time.time() + 60
    lengths = set()
    for turn in range(6):
        keys = [turn * 1_000 + row for row in range(4 * ROWS)]  # out of the bounds before
        samples.write(file, {"key": keys, "seq": keys}, ROWS, compression="none")
        os.utime(file, (clock, clock))
        lengths.add(file.stat().st_size)
        assert where(spark, file.parent, f"key = {keys[3]}").count() == 1, turn
    assert len(lengths) == 1


# Folders and columns out of the ordinary.


def test_a_folder_without_files_answers_nothing(
    spark: SparkSession, spark_alone: SparkSession, tmp_path: Path
) -> None:
    assert same_outcome(spark, spark_alone, tmp_path, "key = 5L") == []
    scan = only_scan(where(spark, tmp_path, "key = 5L"))
    assert (scan.files, scan.row_groups, scan.files_kept) == (0, 0, 0)


@pytest.mark.parametrize("name", ["with space", "ünï-cødé 日本", "per%20cent #? +&"])
def test_a_path_with_spaces_and_unicode_is_read(
    spark: SparkSession, spark_alone: SparkSession, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    frame = where(spark_alone, lake(tmp_path / "plain"), "true").selectExpr("*", "'a b/ü%' as city")
    writer = frame.write.partitionBy("city")
    writer.option("parquet.bloom.filter.enabled#key", "true").parquet(str(path))
    condition = f"key = {KEYS[3]}L and city = 'a b/ü%'"
    on, off = (s.read.parquet(str(path)).where(condition) for s in (spark, spark_alone))
    assert rows(on) == rows(off) and on.count() == 1
    assert only_scan(on).files_kept == 1
    assert only_scan(spark.read.parquet(str(path)).where("key = 5L")).files_kept == 0


def test_the_last_of_300_columns_is_looked_up(spark: SparkSession, tmp_path: Path) -> None:
    columns = {f"c{n}": KEYS[n : n + 2 * ROWS] for n in range(300)}
    samples.write(tmp_path / "wide.parquet", columns, ROWS, filters=("c299", "c7"))
    table = spark.read.parquet(str(tmp_path))
    assert table.where(f"c299 = {KEYS[299]}L").count() == 1
    assert only_scan(table.where(f"c299 = {KEYS[299]}L")).row_groups_kept == 1
    assert only_scan(table.where("c299 = 5L")).row_groups_kept == 0
    assert only_scan(table.where("c0 = 5L or c299 = 5L")).row_groups_kept == 2


def test_a_file_with_no_rows_answers_nothing(spark: SparkSession, tmp_path: Path) -> None:
    samples.write(tmp_path / "none.parquet", {"key": [], "seq": []}, ROWS)
    spark.range(0).selectExpr("id key", "id seq").write.parquet(str(tmp_path / "spark"))
    for path in (tmp_path / "none.parquet", tmp_path / "spark"):
        assert where(spark, path, "key = 5L").collect() == []
