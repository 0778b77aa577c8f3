"""Tests that docs/predicates.md is up to date and that pruning uses all evidence."""

from __future__ import annotations

import pytest
from pyspark import __version__
from pyspark.sql import SparkSession

from predicate_table import DOCUMENT, FORMS, Counts, Form, counted, rendered, write_table

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def table(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Form, Counts]]:
    return list(counted(spark, write_table(tmp_path_factory.mktemp("predicates")), FORMS))


@pytest.mark.skipif(not __version__.startswith("4.3"), reason="it counts what Spark 4.3 reads")
def test_the_document_is_what_the_command_writes(table: list[tuple[Form, Counts]]) -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == rendered(table), "run 'make predicates'"


def test_all_is_pruned_that_evidence_can_prune(table: list[tuple[Form, Counts]]) -> None:
    assert len(table) >= 20
    for form, counts in table:
        if form.beyond:
            assert counts.ours > counts.perfect, f"{form.predicate} is perfect after all"
        else:
            assert counts.ours == counts.perfect, form.predicate


def test_tasks_read_no_more_row_groups_than_those_of_spark_alone(
    table: list[tuple[Form, Counts]],
) -> None:
    # tasks of Spark 4.0 must not use filters, which its parquet-java misreads (GH-3249)
    without_filters = __version__.startswith("4.0")
    for form, counts in table:
        if not counts.lost and (form.understood or not without_filters):
            assert counts.read <= counts.alone, form.predicate


def test_what_cannot_be_pruned_says_why(table: list[tuple[Form, Counts]]) -> None:
    for form, counts in table:
        assert bool(counts.reasons) != form.understood, (form.predicate, counts.reasons)
