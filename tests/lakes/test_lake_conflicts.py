"""Tests that merges which fail, are cancelled or are overtaken end as without the extension."""

from __future__ import annotations

from typing import Any

import pytest

from lake_scripts import by_case, run
from lake_session import LINE
from lake_upserts import TABLES

pytestmark = [
    pytest.mark.skipif(not TABLES, reason=f"no build of a format for {LINE}"),
    pytest.mark.full,
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("conflicts")
    return by_case(run("lake_conflicts.py", "the packages of Delta and Iceberg", str(folder)))


@pytest.mark.parametrize("case", ["failing", "interrupted", "overtaken", "after"])
@pytest.mark.parametrize("table", TABLES)
def test_a_merge_that_fails_or_is_overtaken_ends_as_without_the_extension(
    answers: dict[str, Any], table: str, case: str
) -> None:
    answer = answers[f"{table}: {case}"]
    own, twin = answer["ended"]
    assert own == twin
    assert answer["equal"]


@pytest.mark.parametrize(
    ("case", "ended"), [("failing", "a bad source"), ("interrupted", "cancelled")]
)
@pytest.mark.parametrize("table", TABLES)
def test_a_merge_that_fails_leaves_the_table_as_it_was(
    answers: dict[str, Any], table: str, case: str, ended: str
) -> None:
    answer = answers[f"{table}: {case}"]
    assert answer["ended"][0] == ended
    assert answer["untouched"]


@pytest.mark.parametrize("table", TABLES)
def test_a_merge_whose_row_another_writer_has_changed_is_refused(
    answers: dict[str, Any], table: str
) -> None:
    own, _ = answers[f"{table}: overtaken"]["ended"]
    assert own != "done, other done" and own.endswith("other done")


@pytest.mark.parametrize("table", TABLES)
def test_the_next_merge_succeeds(answers: dict[str, Any], table: str) -> None:
    assert answers[f"{table}: after"]["ended"] == ["done", "done"]
