"""Tests that the fuzzer finds no fault in the extension, and the known faults of Spark alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest
from catalogue import REALS
from fuzzer import Findings, Fuzzer
from pyspark.sql import SparkSession

from harness import times

SEED = os.environ.get("SBBF_SEED", "20261121")
QUERIES = times(500, in_gate=60)
SPARK_QUERIES = 1000  # at most
FAULTS = {"zero", "NaN", "range"}


def test_random_queries_answer_as_without_any_pushdown(
    spark: SparkSession, say: Callable[[str], None]
) -> None:
    findings = Fuzzer(spark, SEED).run(lambda found: found.queries >= QUERIES)
    say(str(findings))
    assert not findings.differences, findings.differences[0].report
    assert findings.share >= 0.4
    assert findings.paged > findings.queries / 50
    for evidence in ("null_count", "min_max", "dictionary", "bloom"):
        assert findings.refuted[evidence] > findings.queries / 20, evidence


def zeros_and_nan_and_ranges(findings: Findings) -> set[str]:
    """Returns those of Spark's known faults that are among the differences."""
    caught = set()
    for difference in findings.differences:
        sql = difference.query.tests[0].sql
        if re.search(r"'-?0\.0'", sql) and re.search(r" = | <=> | in ", sql):
            caught.add("zero")
        if "'NaN'" in sql:
            caught.add("NaN")
        elif re.search(r" [<>]=? ", sql):
            caught.add("range")
    return caught


@pytest.mark.full
def test_the_fuzzer_catches_spark_alone_losing_rows_with_zeros_and_nan(
    spark: SparkSession, say: Callable[[str], None]
) -> None:
    fuzzer = Fuzzer(spark, "stock", contender="spark", only=REALS)
    findings = fuzzer.run(
        lambda found: found.queries >= SPARK_QUERIES or zeros_and_nan_and_ranges(found) == FAULTS
    )
    say(f"Spark alone: {len(findings.differences)} differences in {findings.queries} queries")
    assert zeros_and_nan_and_ranges(findings) == FAULTS
