"""Tests that types that Spark 3.5 lacks answer as the oracle, and prune where that is sound."""

from __future__ import annotations

import datetime
import itertools
import re
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import active, outcome, session_with

ORACLE = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
VARIANTS = (
    "variant_get(v, '$.a', 'int') = 5",
    "variant_get(v, '$.a', 'int') <> 5",
    "variant_get(v, '$.a', 'int') IS NULL",
    "try_variant_get(v, '$.b', 'string') = 'x7'",
    "variant_get(v, '$.c.d', 'double') >= 0.0D",
    "NOT (variant_get(v, '$.a', 'bigint') < 100)",
    "cast(variant_get(v, '$.a') as string) = '7'",
    "is_variant_null(v)",
    "v IS NULL",
    "v IS NOT NULL AND id = 7",
)


def need(session: SparkSession, expression: str) -> None:
    """Skips the test where Spark does not know a type or function of the expression."""
    try:
        session.sql(f"SELECT {expression}").collect()
    except AnalysisException as unknown:
        pytest.skip(f"Spark {session.version}: {str(unknown).splitlines()[0]}")


@pytest.mark.parametrize("shredded", [False, True])
def test_a_variant_answers_as_the_oracle_shredded_or_not(
    spark: SparkSession, tmp_path: Path, shredded: bool
) -> None:
    """The parts of a shredded variant are columns, whose statistics do not cover all rows."""
    writer = {
        "spark.sql.variant.writeShredding.enabled": str(shredded).lower(),
        "spark.sql.variant.forceShreddingSchemaForTest": "a int, b string" if shredded else "",
    }
    need(spark, "parse_json('1')")
    json = """CASE id % 5 WHEN 0 THEN '{"a":' || id || ',"b":"x' || id || '"}'
        WHEN 1 THEN '{"a":"text","c":{"d":-0.0}}' WHEN 2 THEN 'null' WHEN 3 THEN '[5]' END"""
    target = str(tmp_path / "variants")
    session_with(spark, writer).range(0, 400, 1, 4).selectExpr(
        "id", f"parse_json({json}) AS v"
    ).write.option("parquet.bloom.filter.enabled", "true").parquet(target)
    for predicate, pushed in itertools.product(VARIANTS, ("true", "false")):
        conf = {"spark.sql.variant.pushVariantIntoScan": pushed}
        sides = [
            outcome(lambda s=session: s.read.parquet(target).where(predicate).select("id"))
            for session in (session_with(spark, conf), session_with(spark, {**conf, **ORACLE}))
        ]
        assert sides[0] == sides[1], (predicate, pushed)


TIMES = (
    ("t = TIME'00:01:40'", 1),
    ("t = TIME'00:01:40.5'", 0),
    ("t IN (TIME'00:00:01', TIME'00:06:30', NULL)", 2),
    ("t < TIME'00:00:50'", 1),
    ("NOT (t >= TIME'00:00:50')", 1),
    ("t BETWEEN TIME'00:01:39' AND TIME'00:01:41'", 2),
    ("t IS NULL", 0),
)


def test_a_time_of_day_is_pruned_by_bounds_and_filter(spark: SparkSession, tmp_path: Path) -> None:
    session = session_with(spark, {"spark.sql.timeType.enabled": "true"})
    need(session, "TIME'00:00:00' + make_dt_interval(0, 0, 0, 1)")
    target = str(tmp_path / "times")
    session.range(0, 400, 1, 4).selectExpr(
        "id", "TIME'00:00:00' + make_dt_interval(0, 0, 0, id) AS t"
    ).write.options(**sbbf.bloom_options("t", fpp=0.0001, ndv=100)).parquet(target)
    oracle = session_with(spark, {"spark.sql.timeType.enabled": "true", **ORACLE})
    for predicate, kept in TIMES:
        query = session.read.parquet(target).where(predicate)
        right = outcome(lambda p=predicate: oracle.read.parquet(target).where(p))
        assert outcome(lambda q=query: q) == right, predicate
        assert sum(scan.files_kept for scan in sbbf.explain(query).scans) == kept, predicate


def test_a_time_of_day_that_is_read_less_exactly_is_found(
    spark: SparkSession, tmp_path: Path
) -> None:
    times = {"spark.sql.timeType.enabled": "true"}
    session, oracle = session_with(spark, times), session_with(spark, {**times, **ORACLE})
    need(session, "CAST(TIME'12:00:00.5' AS TIME(0))")
    target = str(tmp_path / "halves")
    session.range(0, 9, 1, 1).selectExpr("TIME'12:00:00.5' AS t").write.parquet(target)

    def query(session: SparkSession, condition: str) -> DataFrame:
        table = session.read.schema("t TIME(0)").parquet(target)
        return table.where(f"t {condition} CAST('12:00:00' AS TIME(0))")

    for condition in ("=", "<=", "<", ">"):
        assert outcome(lambda: query(session, condition)) == outcome(
            lambda: query(oracle, condition)
        )


@pytest.mark.parametrize("digits", [7, 9])
@pytest.mark.parametrize("zone", ["timestamp_ntz", "timestamp_ltz"])
def test_timestamps_of_more_digits_are_right_and_refused_by_sentences_of_ours(
    spark: SparkSession, tmp_path: Path, zone: str, digits: int
) -> None:
    kind, nanos = f"{zone}({digits})", {"spark.sql.timestampNanosTypes.enabled": "true"}
    session, oracle = session_with(spark, nanos), session_with(spark, {**nanos, **ORACLE})
    with active(session):  # where Spark looks whether the types are enabled
        need(session, f"cast('2020-01-01 00:00:00.123456789' as {kind}) IS NULL")
        values = f"cast(concat('2020-01-01 00:00:', id % 60, '.12345678', id % 10) as {kind})"
        frame = session.range(200).selectExpr("id", f"{values} t", f"named_struct('t', {values}) s")
        options = sbbf.bloom_options("id", "t", "s.t", df=frame)
        with pytest.raises(ValueError, match="'u' is no column of df"):
            sbbf.bloom_options("u", df=frame)
        frame.coalesce(1).write.options(**options).parquet(str(tmp_path / "t"))

        def query(session: SparkSession, where: str) -> DataFrame:
            return session.read.parquet(str(tmp_path / "t")).where(where).select("id")

        for operator, text in itertools.product(("=", "<", ">=", "<>"), ("07.123456787", "30.5")):
            where = f"t {operator} cast('2020-01-01 00:00:{text}' as {kind})"
            assert outcome(lambda: query(session, where)) == outcome(lambda: query(oracle, where))
        (relation,) = sbbf.explain(query(session, where), show=False).unpruned
        assert f"unsupported comparison with a literal: t of type {kind}" in relation.reason
        with pytest.raises(
            IllegalArgumentException, match=f"cannot be read as {re.escape(kind.upper())}"
        ):
            sbbf.probe(session, str(tmp_path / "t"), "t", datetime.datetime(2020, 1, 1)).collect()
