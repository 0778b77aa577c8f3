"""Tests that batches of keys that are merged into tables search only files that may hold one."""

from __future__ import annotations

import os
from typing import Any

import pytest

from lake_scripts import by_case, run
from lake_session import LINE
from lake_upserts import CLAUSES, FILES, FILES_OF_BATCH, TABLES

pytestmark = pytest.mark.skipif(not TABLES, reason=f"no build of a format for {LINE}")
SOURCES = ["checkpointed"]
if "SBBF_GATE" not in os.environ:
    SOURCES += ["cached", "local", "external", "parquet"]
FALSE_FILES = 2
"""The most files that a scan reads although they hold no key, by filters with an FPP of 0.01."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("upserts")
    package = "the packages of Delta and Iceberg"
    return by_case(run("lake_upserts.py", package, str(folder), ",".join(SOURCES)))


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("table", TABLES)
def test_a_merge_searches_only_files_that_may_match_and_changes_the_same_rows(
    answers: dict[str, Any], table: str, source: str, clause: str
) -> None:
    answer = answers[f"{table}: {source}: {clause}"]
    assert answer["equal"]
    # a table also has the files of rows that an earlier statement has inserted
    assert answer["kept"] and max(answer["kept"]) <= FILES_OF_BATCH + FALSE_FILES < FILES


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("table", TABLES)
def test_the_report_on_a_merge_names_the_keys_that_its_search_has_used(
    answers: dict[str, Any], table: str, clause: str
) -> None:
    answer = answers[f"{table}: checkpointed: {clause}"]
    search = answer["said"]["scans"][0]
    assert search["late_keys"] == ["4 keys of a join on k"]
    assert search["files_kept"] == max(answer["kept"]) < search["files"]
    # the other scans read what the search has left
    others = answer["said"]["scans"][1:]
    assert all(scan["files"] <= search["files_kept"] for scan in others)
    assert "_delta_log" not in str(answer["said"])


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "LEFT ANTI JOIN", "LEFT SEMI JOIN"])
@pytest.mark.parametrize("table", TABLES)
def test_joins_that_keep_the_rows_of_a_batch_read_only_files_that_may_match(
    answers: dict[str, Any], table: str, kind: str
) -> None:
    answer = answers[f"{table}: {kind}"]
    assert answer["rows"] == answer["oracle"]
    assert FILES_OF_BATCH <= max(answer["read"]) <= FILES_OF_BATCH + FALSE_FILES


@pytest.mark.parametrize("table", TABLES)
def test_rows_that_a_batch_changes_twice_are_refused(answers: dict[str, Any], table: str) -> None:
    error = answers[f"{table}: duplicates"]["error"].upper()
    assert "MULTIPLE" in error or "CARDINALITY" in error
