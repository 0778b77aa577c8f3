"""Tests that searches for words and substrings use the index of a table."""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import rows, session_with
from indexed import KEYS, PLAIN

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
