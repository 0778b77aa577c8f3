"""Tests that tasks read no more rows than those of Spark alone, where Spark alone is right."""

from __future__ import annotations

import pytest
from pyspark import __version__
from pyspark.sql import SparkSession

from pushdown_table import CASES, DOCUMENT, Line, measured, rendered

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not __version__.startswith("4.3"), reason="pushdown.md has the numbers of Spark 4.3"
    ),
]


@pytest.fixture(scope="module")
def lines(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    return list(measured(spark, tmp_path_factory.mktemp("pushdown")))


def test_the_document_is_what_the_command_writes(lines: list[Line]) -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == rendered(lines), "run 'make predicates'"


def test_every_answer_is_right(lines: list[Line]) -> None:
    assert len(lines) >= 400
    assert [f"{line.case.type}: {line.predicate}" for line in lines if not line.right] == []


def test_a_file_of_which_spark_loses_no_row_is_checked_as_by_spark(lines: list[Line]) -> None:
    for case in CASES:
        of_case = [line for line in lines if line.case == case]
        if not any(line.wrong for line in of_case):
            assert [line.predicate for line in of_case if line.on > line.off] == [], case


def test_files_as_declared_are_checked_as_by_spark(lines: list[Line]) -> None:
    declared = [line for line in lines if line.case.file.startswith("as declared")]
    more = [line for line in declared if line.on > line.off]
    kinds = {(line.case.type, line.case.file) for line in more}
    assert kinds <= {("DATE", "as declared, old")}, "only days that the calendars do not share"
    assert len(declared) >= 200
