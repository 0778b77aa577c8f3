"""Tests the laws of the architecture, one section each; law nine belongs to the kernels."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import samples
import spark_sbbf as sbbf
from harness import (
    bytes_read,
    explain_text,
    final_plan,
    input_files,
    locations,
    only_scan,
    planned,
    rows,
    session_with,
)

GROUPS, ROWS = 12, 50
KEYS = samples.scattered(GROUPS * ROWS)
NO_TRIM = {"spark.sbbf.rowGroupPruning.enabled": "false"}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Four files of twelve row groups: `key` has filters, `other` none, `day` is sorted."""
    folder = tmp_path_factory.mktemp("lake")
    for file in range(4):
        keys = samples.scattered(GROUPS * ROWS, salt=file * GROUPS * ROWS)
        samples.write(
            folder / f"part-{file}.parquet",
            {
                "key": keys,
                "text": [f"{key:016x}" for key in keys],
                "other": keys[::-1],
                "day": [file * GROUPS + row // ROWS for row in range(GROUPS * ROWS)],
                "row": list(range(file * GROUPS * ROWS, (file + 1) * GROUPS * ROWS)),
            },
            ROWS,
            filters=("key", "text"),
        )
        os.utime(folder / f"part-{file}.parquet", (1e9, 1e9))  # old enough to be cached
    return str(folder)


def where(session: SparkSession, path: str, condition: str) -> DataFrame:
    return session.read.parquet(path).where(condition)


# 1. Never lose a row, never return one twice.


@pytest.mark.parametrize("split", ["4000", "20000", "134217728"])
@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_law_1_trimmed_files_give_each_row_once(
    spark: SparkSession, oracle: SparkSession, lake: str, split: str, vectorized: str
) -> None:
    reader = {
        "spark.sql.files.maxPartitionBytes": split,
        "spark.sql.parquet.enableVectorizedReader": vectorized,
    }
    session = session_with(spark, reader)
    for groups in ((0,), (11,), (1, 2), (0, 5, 6, 7, 11), range(1, 12)):
        keys = ", ".join(f"{KEYS[group * ROWS + 7]}L" for group in groups)
        df = where(session, lake, f"key in ({keys})")
        answer = rows(df)
        assert answer == rows(where(oracle, lake, f"key in ({keys})"))
        assert len(answer) == len(groups) == only_scan(df).row_groups_kept


# 2. The oracle is what Spark answers without any pushdown, for floating point too.

ZERO, NEGATIVE_ZERO = samples.bits_of(0.0), samples.bits_of(-0.0)
NAN, PAYLOAD = samples.bits_of(float("nan")), 0x7FF8000000000123
REALS = [
    "d = 0.0D", "d <=> 0.0D", "d in (0.0D, 7.5D)", "d <> 0.0D", "d < 0.0D", "d >= 0.0D",
    "not (d = 0.0D)", "d not in (0.0D, 1.5D)", "d = double('NaN')", "d <=> double('NaN')",
    "d in (double('NaN'), 7.5D)", "d > 1000.0D", "d >= double('Infinity')", "not (d <= 1000.0D)",
    "d <> 1.5D", "not (d = double('NaN'))", "d < double('NaN')", "d = 7.5D", "d is null",
    "d = 0.0D or id = 3", "d = double('NaN') and id > 0", "d = -0.0D",
    "f = 0.0F", "f = float('NaN')", "f >= 0.0F", "f in (0.0F, 9.0F)",
]  # fmt: skip


@pytest.fixture(scope="module")
def reals(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Row groups of one kind of special value each, by stored dictionary and filter."""
    folder = tmp_path_factory.mktemp("reals")
    kinds = [[NEGATIVE_ZERO], [ZERO], [NAN], [PAYLOAD], [samples.bits_of(1.5)]]
    kinds += [[samples.bits_of(1.5), NAN], [samples.bits_of(-1.5), NEGATIVE_ZERO, None]]
    bits = [kind[n % len(kind)] for kind in kinds for n in range(6)]
    singles = [samples.bits_of(1.5, "f") if b == samples.bits_of(1.5) else 0x80000000 for b in bits]
    for name, dictionary in (("plain", False), ("dictionary", True)):
        ids = range(len(bits)) if dictionary else range(1000, 1000 + len(bits))
        samples.write(
            folder / f"{name}.parquet",
            {"id": list(ids), "d": samples.doubles(bits), "f": samples.floats(singles)},
            6,
            filters=("d", "f"),
            use_dictionary=dictionary,
        )
    return str(folder)


@pytest.mark.parametrize("conf", [{}, NO_TRIM], ids=["swapped", "not swapped"])
def test_law_2_floating_point_answers_equal_the_oracle(
    spark: SparkSession, oracle: SparkSession, reals: str, conf: dict[str, str]
) -> None:
    session = session_with(spark, conf)
    wrong = [c for c in REALS if rows(where(session, reals, c)) != rows(where(oracle, reals, c))]
    assert wrong == []


def test_law_2_covers_answers_that_spark_alone_gets_wrong(
    spark_alone: SparkSession, oracle: SparkSession, reals: str
) -> None:
    wrong = [
        c for c in REALS if rows(where(spark_alone, reals, c)) != rows(where(oracle, reals, c))
    ]
    assert {"d = 0.0D", "d = double('NaN')"} <= set(wrong)


# 3. Verdicts are per leaf, then combined.


def test_law_3_each_arm_of_an_or_has_its_own_evidence(spark: SparkSession, lake: str) -> None:
    absent = only_scan(where(spark, lake, "text = 'no such text' or day > 1000"))
    assert absent.row_groups_kept == 0
    one = only_scan(where(spark, lake, f"key = {KEYS[3]}L or day = 20 or text is null"))
    assert (one.row_groups_kept, one.files_kept) == (2, 2)
    assert only_scan(where(spark, lake, "key = 5L or other = 5L")).row_groups_kept > 40


# 4. Rows depend only on the filters handed to listFiles.


def empty_seq(spark: SparkSession) -> Any:
    return getattr(spark._jvm, "scala.collection.immutable.Nil$").__getattr__("MODULE$")


def listed(index: Any, filters: Any, spark: SparkSession) -> int:
    directories = index.listFiles(empty_seq(spark), filters)
    return sum(directories.apply(n).files().size() for n in range(directories.size()))


def test_law_4_listing_forgets_the_filters_it_was_planned_with(
    spark: SparkSession, lake: str
) -> None:
    (index,) = locations(where(spark, lake, f"key = {KEYS[0]}L"))
    assert index.getClass().getSimpleName() == "PrunedFileIndex"
    condition = where(spark, lake, f"key = {KEYS[0]}L")._jdf.queryExecution().optimizedPlan()
    filters = spark._jvm.PythonUtils.toSeq([condition.condition()])
    assert listed(index, filters, spark) == 1
    assert listed(index, empty_seq(spark), spark) == 4


def test_law_4_wrappers_are_equal_exactly_when_their_bases_are(
    spark: SparkSession, spark_alone: SparkSession, lake: str, reals: str
) -> None:
    one, two = (locations(where(spark, lake, f"key = {key}L"))[0] for key in KEYS[:2])
    (elsewhere,) = locations(where(spark, reals, "d = 7.5D"))
    (base,) = locations(where(spark_alone, lake, f"key = {KEYS[0]}L"))
    assert one.equals(two) and two.equals(one) and one.hashCode() == two.hashCode()
    assert not one.equals(elsewhere)
    assert not base.equals(one) and not one.equals(base)
    assert one.getClass().getSuperclass().getName() == "java.lang.Object"


def test_law_4_exchanges_are_reused_as_in_spark_alone(
    spark: SparkSession, spark_alone: SparkSession, lake: str
) -> None:
    def reused(session: SparkSession) -> tuple[list[str], int]:
        session = session_with(session, {"spark.sql.autoBroadcastJoinThreshold": "-1"})
        session.read.parquet(lake).createOrReplaceTempView("lake")
        one = f"select day, count(*) n from lake where key = {KEYS[5]}L group by day"
        df = session.sql(f"select * from ({one}) a join ({one}) b using (day)")
        return rows(df), final_plan(df).count("ReusedExchange")

    assert reused(spark) == reused(session_with(spark_alone, {"spark.sbbf.enabled": "false"}))
    assert reused(spark)[1] > 0


def test_law_4_the_swap_survives_the_optimizer_also_on_a_second_visit(
    spark: SparkSession, lake: str
) -> None:
    execution = where(spark, lake, f"key = {KEYS[0]}L")._jdf.queryExecution()
    once = execution.optimizedPlan()
    twice = execution.sparkSession().sessionState().optimizer().execute(once)
    for plan in (once, twice):
        index = plan.collectLeaves().apply(0).relation().location()
        assert index.getClass().getSimpleName() == "PrunedFileIndex"
        assert str(index.toString()).count("PrunedFileIndex") <= 1
    assert once.collectLeaves().apply(0).relation().location().equals(index)


# 6. No overhead where filters cannot help.


@pytest.mark.parametrize(
    "condition",
    ["true", "row % 2 = 0", "key * 3 = 5", "key = row", "text like '%a%'", "rand() < 2"],
)
def test_law_6_a_query_without_a_usable_leaf_opens_no_file(
    spark: SparkSession, tmp_path: Path, condition: str
) -> None:
    columns = {"key": KEYS[:40], "row": list(range(40)), "text": [str(key) for key in KEYS[:40]]}
    samples.write(tmp_path / "unseen.parquet", columns, 10, filters=("key", "text"))
    df = where(spark, str(tmp_path), condition)
    before = bytes_read(spark)
    planned(df)
    assert bytes_read(spark) == before
    assert sum(scan.files_opened for scan in sbbf.explain(df).scans) == 0


def test_law_6_cached_metadata_of_a_file_is_not_read_again(spark: SparkSession, lake: str) -> None:
    planned(where(spark, lake, "other = 5L"))
    other = where(spark, lake, "other = 6L")
    before = bytes_read(spark)
    again = only_scan(planned(other))
    assert bytes_read(spark) == before
    assert (again.files_opened, again.bytes_read) == (0, 0)


def test_law_6_a_pass_that_does_not_prune_stops_after_its_sample(
    spark: SparkSession, tmp_path: Path
) -> None:
    for file in range(60):
        keys = samples.scattered(20, salt=file * 20)
        samples.write(tmp_path / f"{file:03}.parquet", {"key": keys}, 10)
        os.utime(tmp_path / f"{file:03}.parquet", (1e9, 1e9))
    session = session_with(spark, {"spark.sbbf.planning.sampleFiles": "8"})
    df = where(session, str(tmp_path), "key = 5L")
    scan = only_scan(planned(df))
    assert scan.stopped_early and scan.files_opened <= 8 and scan.files_kept == 60
    assert "stopped" in explain_text(df) + scan.summary
    whole = session_with(spark, {"spark.sbbf.planning.sampleFiles": "0"})
    assert not only_scan(planned(where(whole, str(tmp_path), "key = 5L"))).stopped_early


def test_law_6_the_sample_is_spread_over_the_ages_of_the_files(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Old files without filters are listed first; stopping after them would miss the new ones."""
    paths = [tmp_path / f"{file:03}.parquet" for file in range(30)]
    for file, path in enumerate(paths):
        keys = samples.scattered(20, salt=file * 20)
        samples.write(path, {"key": keys}, 10, filters=("key",) if file >= 15 else ())
        os.utime(path, (1e9 + file * 86_400, 1e9 + file * 86_400))
    session = session_with(spark, {"spark.sbbf.planning.sampleFiles": "6"})
    scan = only_scan(session.read.parquet(*map(str, paths)).where("key = 5L"))
    assert not scan.stopped_early and scan.files_kept == 15


# 7. The rest of the query works as without the extension.


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_law_7_metadata_columns_are_as_in_spark_alone(
    spark: SparkSession, oracle: SparkSession, lake: str, vectorized: str
) -> None:
    reader = {"spark.sql.parquet.enableVectorizedReader": vectorized}
    columns = ["row", "_metadata.*", "input_file_name()", "input_file_block_start()"]

    def answer(session: SparkSession) -> list[str]:
        keys = f"key in ({KEYS[30]}L, {KEYS[333]}L, {KEYS[580]}L)"
        return rows(where(session, lake, keys).selectExpr(*columns, "_metadata.row_index"))

    plain = {**reader, "spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
    assert answer(session_with(spark, reader)) == answer(session_with(oracle, plain))


# 8. The format swap only narrows.


def test_law_8_without_the_swap_the_format_is_sparks_own_and_files_are_pruned(
    spark: SparkSession, oracle: SparkSession, lake: str
) -> None:
    def format_of(df: DataFrame) -> str:
        leaf = df._jdf.queryExecution().optimizedPlan().collectLeaves().apply(0)
        return str(leaf.relation().fileFormat().getClass().getName())

    own_format = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
    condition = f"key = {KEYS[100]}L"
    df = where(session_with(spark, NO_TRIM), lake, condition)
    assert format_of(df) == own_format
    assert format_of(where(spark, lake, condition)) != own_format
    assert len(input_files(df)) == 1
    assert rows(df) == rows(where(oracle, lake, condition))
