"""Tests the filters that Delta's and Iceberg's own writers make by properties of their tables."""

from __future__ import annotations

from typing import Any

import pytest

from lake_filters import FILES, FPP
from lake_scripts import by_case, run
from lake_session import LINE
from lake_tables import LINES

pytestmark = pytest.mark.skipif(LINE not in LINES, reason=f"no build of both formats for {LINE}")
WRITERS_LIMIT = 1 << 20
"""parquet-mr's own limit, which each filter takes without a number of distinct values."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("filters")
    return by_case(run("lake_filters.py", "the packages of Delta and Iceberg", str(folder)))


@pytest.mark.parametrize("using", ["delta", "iceberg"])
def test_filters_fit_the_files_that_a_table_is_written_with_and_merged_into(
    answers: dict[str, Any], using: str
) -> None:
    new, merged = (answers[f"{using}: {state}"]["filters"] for state in ("new", "merged"))
    assert len(new) == FILES and len(merged) == 1
    # the writer's formula has up to 1.5 times the FPP
    assert all(fpp < 2 * FPP and reason == "" for _, fpp, reason in [*new, *merged])
    if using == "delta" and LINE == "3.5":
        assert {size for size, _, _ in [*new, *merged]} == {WRITERS_LIMIT}
    else:
        assert max(size for size, _, _ in new) < merged[0][0] < WRITERS_LIMIT


def test_an_absent_key_opens_no_file(answers: dict[str, Any]) -> None:
    assert answers["delta: new"]["kept"] == [0]


@pytest.mark.parametrize("using", ["delta", "iceberg"])
@pytest.mark.parametrize("column", ["c0", "c1", "c2", "c3", "c4"])
def test_a_write_whose_options_are_ignored_says_which_properties_to_set(
    answers: dict[str, Any], using: str, column: str
) -> None:
    said = answers[f"{using}: ignored"]["said"]
    (line,) = [s for s in said if f"of {column}." in s and f"format='{using}'" in s]
    assert "ALTER TABLE ... SET TBLPROPERTIES" in line
