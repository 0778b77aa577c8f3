"""Tests that lookups in lake tables stay right while files are changed, removed or damaged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import delta_session
import iceberg_session
from lake_scripts import run
from lake_session import LINE

PACKAGES = {"delta": delta_session.PACKAGES, "iceberg": iceberg_session.PACKAGES}
FORMATS = [name for name, packages in PACKAGES.items() if LINE in packages]
pytestmark = pytest.mark.skipif(not FORMATS, reason=f"no format has a build for Spark {LINE}")
RIGHT = {
    "key of another file": ["Row(id=5)"],
    "key of the file": ["Row(id=155)"],
    "absent key": [],
    "join": ["Row(id=100)", "Row(id=5)"],
    "all": ["Row(sum(id)=79800)"],
}
"""The rows of each query of lake_faults.py if no file is bad."""
SECONDS = os.environ.get("SBBF_WRITER_SECONDS", "12")


@pytest.mark.parametrize("name", FORMATS)
def test_lookups_beside_a_writer_find_each_key_once_and_never_an_old_row(
    name: str, tmp_path: Path
) -> None:
    package = PACKAGES[name][LINE]
    (found,) = run("lake_writers.py", package, name, str(tmp_path), SECONDS)
    assert found["wrong"] == [] and found["failed"] == []
    assert found["changes"] >= 2 and found["lookups"] >= 5 and found["pruned"] >= 2, found


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.full if n == "delta" else ()) for n in FORMATS]
)
def test_a_bad_file_fails_no_query_that_the_format_answers(name: str, tmp_path: Path) -> None:
    cases = run("lake_faults.py", PACKAGES[name][LINE], name, str(tmp_path))
    assert len(cases) == 7 * 2 * 5
    differ = [c for c in cases if c["found"] != c["expected"] and c["expected"] != ["fails"]]
    assert differ == []
    # a file that is not read cannot fail a query; one that is read does
    for query, right in RIGHT.items():
        found = [c["found"] for c in cases if c["query"] == query]
        assert all(answer in (["fails"], right) for answer in found)
        assert (right in found) == (query not in ("all", "key of the file"))
