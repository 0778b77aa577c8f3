"""Does the fuzzer find nothing in the extension, and what is known of stock Spark?"""

from __future__ import annotations

import os
from collections.abc import Callable

from catalogue import REALS
from fuzzer import Fuzzer
from pyspark.sql import SparkSession

SEED = os.environ.get("SBBF_SEED", "20261121")
QUERIES = int(os.environ.get("SBBF_QUERIES", "500"))
STOCK_QUERIES = 150


def test_random_queries_answer_as_without_any_pushdown(
    spark: SparkSession, say: Callable[[str], None]
) -> None:
    findings = Fuzzer(spark, SEED).run(lambda found: found.queries >= QUERIES)
    say(str(findings))
    assert not findings.differences, findings.differences[0].report
    assert findings.share >= 0.4
    for evidence in ("null count", "min/max", "dictionary", "bloom"):
        assert findings.refuted[evidence] > findings.queries / 20, evidence


def test_stock_spark_is_caught_losing_rows_about_zeros_and_nan(
    spark: SparkSession, say: Callable[[str], None]
) -> None:
    fuzzer = Fuzzer(spark, "stock", contender="stock", only=REALS)
    findings = fuzzer.run(lambda found: found.queries >= STOCK_QUERIES)
    say(f"stock Spark: {len(findings.differences)} differences in {findings.queries} queries")
    caught = [difference.query.tests[0].sql for difference in findings.differences]
    assert any("= cast('0.0'" in sql or "= cast('-0.0'" in sql for sql in caught), caught
    assert any("NaN" in sql for sql in caught), caught
    assert any(" > " in sql or " >= " in sql for sql in caught), caught
