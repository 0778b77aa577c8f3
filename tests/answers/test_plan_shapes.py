"""Tests that queries of every shape answer, and share their work, as without the extension."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import (
    SUPPORT,
    active,
    condition_of,
    explain_text,
    final_plan,
    only_scan,
    rows,
    rows_per_row_group,
    session_with,
)

FILES = 6
ROWS_PER_GROUP = 100
ROWS = FILES * 2 * ROWS_PER_GROUP
OFF = {"spark.sbbf.enabled": "false"}
KEY, OTHER, ABSENT = "xxhash64(77L)", "xxhash64(901L)", "12345L"


def shapes() -> dict[str, str]:
    """The queries of shapes.sql by their names."""
    text = (SUPPORT / "shapes.sql").read_text()
    named = re.findall(r"^-- (.+)\n([^;]+);", text, flags=re.MULTILINE)
    return {name: query.format(key=KEY, other=OTHER, absent=ABSENT) for name, query in named}


SHAPES = shapes()


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Event logs as folders and as tables of the catalog: plain, partitioned, bucketed."""
    folder = tmp_path_factory.mktemp("shapes")
    log = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id as seq", "xxhash64(id) as user_id", "id % 7 as kind", "id % 4 as day"
    )
    options = {
        **sbbf.bloom_options("user_id", fpp=0.001, ndv=ROWS_PER_GROUP),
        **rows_per_row_group(ROWS_PER_GROUP),
        "parquet.enable.dictionary": "false",
    }
    log.write.options(**options).parquet(str(folder / "log"))
    log.repartition(2).write.partitionBy("day").options(**options).parquet(str(folder / "parts"))
    spark.range(7).selectExpr("id as kind").write.parquet(str(folder / "kinds"))
    tables = {"saved": log.write, "saved_parts": log.write.partitionBy("day")}
    tables["bucketed"] = log.write.bucketBy(4, "user_id").sortBy("user_id")
    for name, writer in tables.items():
        writer.options(**options).saveAsTable(name, format="parquet")
    yield folder
    for name in tables:
        spark.sql(f"drop table {name}")


def opened(base: SparkSession, lake: Path, conf: dict[str, str]) -> SparkSession:
    session = session_with(base, conf)
    for name in ("log", "parts", "kinds"):
        session.read.parquet(str(lake / name)).createOrReplaceTempView(name)
    session.sql("create temporary view ids as select user_id, seq from log")
    return session


@pytest.fixture(
    scope="module",
    params=["true", pytest.param("false", marks=pytest.mark.full)],
    ids=["AQE", "no AQE"],
)
def sides(
    request: pytest.FixtureRequest, spark: SparkSession, lake: Path
) -> tuple[SparkSession, SparkSession]:
    """The same views with and without the extension."""
    adaptive = {"spark.sql.adaptive.enabled": request.param}
    on = opened(spark, lake, adaptive)
    return on, opened(spark, lake, {**adaptive, **OFF})


JOINS = re.compile(
    r"\b(BroadcastHashJoin|SortMergeJoin|ShuffledHashJoin|BroadcastNestedLoopJoin)\b"
)
SHARED = re.compile(r"\b(ReusedExchange|ReusedSubquery|Scan parquet|dynamicpruning)")


def test_every_shape_answers_and_shares_its_work_as_in_spark_alone(
    sides: tuple[SparkSession, SparkSession],
) -> None:
    pruned, compared = set(), Counter()
    for name, query in SHAPES.items():
        df, reference = (session.sql(query) for session in sides)
        assert rows(df) == rows(reference), name
        mine, theirs = final_plan(df), final_plan(reference)
        if sorted(JOINS.findall(mine)) == sorted(JOINS.findall(theirs)):
            assert Counter(SHARED.findall(mine)) == Counter(SHARED.findall(theirs)), name
            compared.update(SHARED.findall(theirs))
        if any(scan.row_groups_kept < scan.row_groups for scan in sbbf.explain(df).scans):
            pruned.add(name)
    assert set(SHAPES) - pruned <= {"partition column only"}
    assert all(compared[kind] for kind in ("ReusedExchange", "ReusedSubquery", "dynamicpruning"))


def test_a_pruned_side_becomes_a_broadcast_join(spark: SparkSession, lake: Path) -> None:
    size = sum(file.stat().st_size for file in (lake / "log").glob("*.parquet"))
    small = {
        "spark.sql.autoBroadcastJoinThreshold": str(size // 4),
        "spark.sql.adaptive.enabled": "false",
    }
    query = f"select a.seq from log a join log b on a.kind = b.kind where a.user_id = {KEY}"
    assert "SortMergeJoin" in explain_text(opened(spark, lake, {**small, **OFF}).sql(query))
    df = opened(spark, lake, small).sql(query)
    assert "BroadcastHashJoin" in explain_text(df)
    assert "SortMergeJoin" not in explain_text(df)


@pytest.mark.parametrize("table", ["saved", "saved_parts"])
def test_statistics_of_an_analyzed_table_shrink_with_it(
    spark: SparkSession, lake: Path, table: str
) -> None:
    spark.sql(f"analyze table {table} compute statistics for all columns")

    def statistics(session: SparkSession) -> Any:
        plan = session.table(table).where(f"user_id = {KEY}")._jdf.queryExecution().optimizedPlan()
        with active(session):  # Spark computes statistics lazily
            return plan.collectLeaves().apply(0).stats()

    conf = {"spark.sql.cbo.planStats.enabled": "true"}  # or row counts stay hidden
    whole, left = (statistics(session_with(spark, {**conf, **switch})) for switch in (OFF, {}))
    assert whole.rowCount().get() == ROWS
    assert left.sizeInBytes() < whole.sizeInBytes() / 2
    if left.rowCount().isDefined():
        assert left.rowCount().get() < ROWS / 2
    assert left.attributeStats().isEmpty() or left.rowCount().isDefined()


def test_a_partitioned_catalog_table_is_pruned_by_partition_and_by_filter(
    spark: SparkSession, lake: Path
) -> None:
    scan = only_scan(spark.table("saved_parts").where(f"day = {901 % 4} and user_id = {OTHER}"))
    assert scan.row_groups_kept == scan.files_kept == 1
    everywhere = only_scan(spark.table("saved_parts").where(f"user_id = {OTHER}"))
    assert scan.files < everywhere.files


def test_a_cached_table_holds_all_rows_and_a_cached_query_its_own(
    spark: SparkSession, lake: Path
) -> None:
    session = opened(spark, lake, {})
    one = session.table("log").where(f"user_id = {KEY}").cache()
    assert one.count() == 1
    whole = session.table("log").cache()
    assert whole.where(f"user_id = {OTHER}").count() == 1
    assert whole.count() == ROWS
    assert one.count() == 1 and one.where(f"user_id = {OTHER}").count() == 0
    session.conf.set("spark.sbbf.enabled", "false")
    assert one.count() == 1 and whole.count() == ROWS
    one.unpersist()
    whole.unpersist()


def test_overwriting_the_table_being_read_fails_as_in_spark_alone(
    spark: SparkSession, spark_alone: SparkSession, lake: Path
) -> None:
    def attempt(session: SparkSession) -> tuple[str | None, str]:
        with pytest.raises(AnalysisException) as failure:
            session.sql(f"insert overwrite saved select * from saved where user_id = {KEY}")
        return condition_of(failure.value), str(failure.value)

    assert attempt(spark) == attempt(spark_alone)
    assert spark.table("saved").count() == ROWS


def test_a_streaming_file_source_reads_every_file_once(spark: SparkSession, lake: Path) -> None:
    schema = spark.read.parquet(str(lake / "log")).schema
    stream: DataFrame = spark.readStream.schema(schema).parquet(str(lake / "log"))
    for condition, expected in ((f"user_id = {KEY}", 1), ("kind = 3", ROWS // 7 + 1)):
        sink = f"sink{expected}"
        query = (
            stream.where(condition).writeStream.format("memory").queryName(sink)
            .trigger(availableNow=True).start()
        )  # fmt: skip
        query.awaitTermination()
        assert abs(spark.table(sink).count() - expected) <= 1


def test_rows_appended_after_a_look_up_are_found(spark: SparkSession, tmp_path: Path) -> None:
    path, options = str(tmp_path / "t"), sbbf.bloom_options("id", ndv=100)
    spark.range(100).write.options(**options).parquet(path)
    assert spark.read.parquet(path).where("id = 250").count() == 0
    spark.range(200, 300).write.mode("append").options(**options).parquet(path)
    assert spark.read.parquet(path).where("id = 250").count() == 1
    spark.range(250, 260).write.mode("overwrite").parquet(path)
    assert [row.id for row in spark.read.parquet(path).where("id in (5, 250)").collect()] == [250]
