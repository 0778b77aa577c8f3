"""Tests that lookups and joins in Delta tables plan only the files that may hold a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from delta_session import PACKAGES
from lake_scripts import FALSE_FILES, FILES, by_case, check_histories, run
from lake_session import LINE

pytestmark = pytest.mark.skipif(
    LINE not in PACKAGES, reason=f"Delta has builds for {', '.join(PACKAGES)}, not for {LINE}"
)

# The files that the scan lists: with a filter of FPP 0.01 now and then one more than hold a key.
READ_OF_CASE = {
    "key": 1,
    "absent key": 0,
    "aggregate": 1,
    "nested key": 1,
    "two keys": 2,
    "view": 1,
    "without adaptive execution": 1,
    "without skipping by Delta": 1,
    "partitioned": 1,
    "row tracking": 1,
    "plain: key": 1,
    "plain: deleted": 0,
    "plain: beside a deleted row": 1,
    "plain: before": 1,
    "plain: updated": 1,
    "plain: merged": 1,
    "vectors: key": 1,
    "vectors: deleted": 1,
    "vectors: beside a deleted row": 1,
    "vectors: before": 1,
    "vectors: updated": 2,
    "vectors: merged": 2,
    "mapped_name: key": 1,
    "mapped_name: added": 0,
    "mapped_name: added, NULL": 1,
    "mapped_name: nested": 1,
    "mapped_name: nested, renamed": 1,
    "mapped_id: key": 1,
    "mapped_id: added, NULL": 1,
    "mapped_id: nested": 1,
    "mapped_id: nested, renamed": 1,
}
LATE_OF_CASE = {"join": 3, "in subquery": 3, "scalar subquery": 1, "vectors: join": 3}
WIDENED = {} if LINE == "3.5" else {"widened": 1}
# Before Delta 4.1, its own skipping takes a part of `_metadata` for the column of that name.
METADATA = {} if LINE in ("3.5", "4.0") else {"metadata": 1}
ROWS_OF_CASE = {
    **METADATA,
    "key": 1,
    "absent key": 0,
    "plain: deleted": 0,
    "vectors: deleted": 0,
    "plain: before": 1,
    "vectors: before": 1,
    "plain: optimized": 1,
    "vectors: optimized": 1,
    "mapped_id: join": 1,
    "mapped_name: join": 1,
    "metadata join": 50,
    "filters of a later property": 1,
    "vectors: join": 3,
    "change data feed": 3,
    "shallow clone": 1,
    "stream": 1,
    "persons: deleted": 0,
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("delta")
    return by_case(run("delta_tables.py", PACKAGES[LINE], str(folder), str(FILES)))


def test_every_case_answers_as_the_oracle(answers: dict[str, Any]) -> None:
    assert len(answers) > 40
    compared = [answer for answer in answers.values() if "case" in answer]
    assert [a["case"] for a in compared if a["rows"] != a["oracle"]] == []


@pytest.mark.parametrize("case", READ_OF_CASE | WIDENED)
def test_the_scan_lists_only_files_that_may_hold_a_key(answers: dict[str, Any], case: str) -> None:
    answer, expected = answers[case], (READ_OF_CASE | WIDENED)[case]
    (read,) = answer["read"]
    assert expected <= read <= expected + FALSE_FILES
    assert answer["kept"][0] == read and answer["kept"][1] >= 20
    assert answer["unpruned"] == []


@pytest.mark.parametrize("case", LATE_OF_CASE)
def test_keys_that_come_late_prune_the_files_of_a_table(answers: dict[str, Any], case: str) -> None:
    answer, expected = answers[case], LATE_OF_CASE[case]
    kept, files = answer["kept"]
    assert len(answer["late_keys"]) == 1
    assert files >= 20 and expected <= kept <= expected + FALSE_FILES and kept in answer["read"]


@pytest.mark.parametrize("command", ["DELETE", "UPDATE"])
@pytest.mark.parametrize("table", ["plain", "vectors"])
def test_a_command_searches_only_files_that_may_match(
    answers: dict[str, Any], table: str, command: str
) -> None:
    # the table is the only one that the command scans; a rewritten file may be scanned whole
    kept = answers[f"{table}: {command}"]["kept"]
    assert kept and max(kept) <= 2


def test_a_list_of_literals_is_deleted_and_leaves_the_files(answers: dict[str, Any]) -> None:
    kept, erased = answers["persons: DELETE"]["kept"], answers["persons: erased"]
    assert "DELTA_UNSUPPORTED_SUBQUERY" in erased["refused"]
    assert kept and max(kept) <= 3 + FALSE_FILES
    before, after = erased["held"]
    assert 3 <= before <= 3 + FALSE_FILES and after <= FALSE_FILES


@pytest.mark.parametrize("case", ["key", "join", "expression"])
@pytest.mark.parametrize("table", ["paged", "paged_mapped"])
def test_tasks_read_the_pages_that_hold_the_rows(
    answers: dict[str, Any], table: str, case: str
) -> None:
    assert answers[f"{table}: {case}"]["rows_skipped"] > 4000


def test_the_optimizer_gets_the_size_of_what_is_left(answers: dict[str, Any]) -> None:
    assert answers["key"]["size"] * 10 < answers["switched off"]["size"]


@pytest.mark.parametrize("case", ROWS_OF_CASE)
def test_a_change_leaves_the_rows_that_it_should(answers: dict[str, Any], case: str) -> None:
    assert len(answers[case]["rows"]) == ROWS_OF_CASE[case]


def test_a_property_makes_filters_in_files_that_are_rewritten(answers: dict[str, Any]) -> None:
    before, after = answers["filters"]["before"], answers["filters"]["after"]
    assert before == 0 and after >= 20
    answer = answers["filters of a later property"]
    assert answer["read"][0] <= 2 and answer["kept"][1] >= 20


def test_a_table_is_left_alone_where_pruning_is_off(answers: dict[str, Any]) -> None:
    off = answers["switched off"]
    assert off["read"] == [FILES] and off["kept"] is None
    assert off["unpruned"] == ["spark.sbbf.delta.enabled is false"]
    assert answers["change data feed"]["kept"] is None


def test_the_report_names_columns_as_the_table_does(answers: dict[str, Any]) -> None:
    assert answers["mapped_id: nested, renamed"]["predicate"] == "st.c = ?"
    assert answers["mapped_name: key"]["predicate"] == "uid = ?"


def test_a_stream_reads_every_row(answers: dict[str, Any]) -> None:
    read = answers["stream"]["input"]
    assert read["true"] == read["false"] > 0


@pytest.mark.full
def test_random_histories_of_tables_answer_as_the_oracle(tmp_path: Path) -> None:
    check_histories("delta_histories.py", PACKAGES[LINE], tmp_path)
