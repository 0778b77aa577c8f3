"""Tests that extensions and tables of Delta and Iceberg work unchanged beside the extension."""

from __future__ import annotations

from typing import Any

import pytest

from lake_formats import FORMATS, LINES, ROWS
from lake_scripts import by_case, run
from lake_session import LINE

pytestmark = pytest.mark.skipif(
    not FORMATS,
    reason=f"tested on the newest Sparks that they support, {', '.join(LINES)}, not on {LINE}",
)
needs_iceberg = pytest.mark.skipif(
    "iceberg" not in FORMATS, reason=f"Iceberg has no build for Spark {LINE}"
)
ROWS_OF_CASE = {"look-up": 1, "join": 1, "updated": 1, "deleted": 0, "merged": 1}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The cases of lake_formats.py by their names."""
    folder = tmp_path_factory.mktemp("lake-formats")
    return by_case(run("lake_formats.py", ", ".join(FORMATS.values()), str(folder)))


def test_parquet_beside_delta_and_iceberg_is_pruned(answers: dict[str, Any]) -> None:
    plain = answers["plain"]
    assert plain["rows"] == plain["oracle"] and len(plain["rows"]) == 1
    assert plain["scans"] == [[1, 4]] and plain["unpruned"] == {}


@pytest.mark.parametrize("case", ROWS_OF_CASE)
@pytest.mark.parametrize("name", FORMATS)
def test_delta_and_iceberg_tables_answer_as_the_oracle(
    answers: dict[str, Any], name: str, case: str
) -> None:
    answer = answers[f"{name}: {case}"]
    assert answer["rows"] == answer["oracle"]
    assert len(answer["rows"]) == ROWS_OF_CASE[case]


@pytest.mark.parametrize("name", FORMATS)
def test_a_merged_table_has_every_row(answers: dict[str, Any], name: str) -> None:
    answer = answers[f"{name}: whole"]
    assert answer["rows"] == answer["oracle"]
    assert answer["rows"] == [f"Row(count(1)={ROWS}, sum(seq)={sum(range(ROWS))})"]


@needs_iceberg
def test_explain_shows_what_is_left_of_iceberg_tables(answers: dict[str, Any]) -> None:
    for case, scan in {"look-up": [1, 4], "updated": [1, 4], "deleted": [0, 4]}.items():
        answer = answers[f"iceberg: {case}"]
        assert answer["scans"] == [scan] and answer["unpruned"] == {}
        assert f"iceberg_log: kept {scan[0]} of {scan[1]} row groups" in answer["text"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_join_prunes_its_parquet_side_by_a_literal_and_reports_the_other_side(
    answers: dict[str, Any], name: str
) -> None:
    answer = answers[f"{name}: join"]
    assert [1, 4] in answer["scans"] and len(answer["scans"]) == 2
