"""Tests that lookups and joins in Iceberg tables plan only the files that may hold a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iceberg_session import PACKAGES
from lake_scripts import by_case, check_histories, run
from lake_session import LINE

pytestmark = pytest.mark.skipif(
    LINE not in PACKAGES, reason=f"Iceberg has builds for {', '.join(PACKAGES)}, not for {LINE}"
)
FILES = 100


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("iceberg")
    return by_case(run("iceberg_tables.py", PACKAGES[LINE], str(folder), str(FILES)))


def test_every_case_answers_as_the_oracle(answers: dict[str, Any]) -> None:
    assert len(answers) > 300
    compared = [answer for answer in answers.values() if "case" in answer]
    assert [a["case"] for a in compared if a["rows"] != a["oracle"]] == []


def test_random_histories_of_tables_answer_as_the_oracle(tmp_path: Path) -> None:
    check_histories("iceberg_histories.py", PACKAGES[LINE], tmp_path)
