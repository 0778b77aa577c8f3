"""Do queries of every shape answer, and share their work, as they do without the extension?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_sbbf as sbbf
from harness import active, explain_text, final_plan, only_scan, rows, session_with
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

FILES = 6
ROWS_PER_GROUP = 100
ROWS = FILES * 2 * ROWS_PER_GROUP
OFF = {"spark.sbbf.enabled": "false"}
KEY, OTHER, ABSENT = "xxhash64(77L)", "xxhash64(901L)", "12345L"

SHAPES = {
    "point": f"select * from log where user_id = {KEY}",
    "scalar subquery": f"select * from log where user_id = (select max(user_id) from log where seq = 5) or user_id = {KEY}",
    "scalar subqueries over one table": f"select (select max(seq) from log where user_id = {KEY}) a, (select min(seq) from log where user_id = {OTHER}) b, (select count(*) from log where user_id = {KEY}) c",
    "in subquery": f"select * from log where kind in (select kind from log where user_id = {KEY})",
    "not in subquery": f"select seq from log where seq < 30 and kind not in (select kind from log where user_id = {KEY})",
    "exists": f"select seq from kinds k join log l using (kind) where exists (select 1 from log x where x.user_id = {KEY} and x.kind = k.kind) and seq < 50",
    "cte twice": f"with one as (select * from log where user_id in ({KEY}, {OTHER})) select a.seq, b.seq from one a join one b on a.kind <> b.kind",
    "union": f"select * from log where user_id = {KEY} union all select * from log where user_id = {OTHER}",
    "union of the same": f"select kind, count(*) from (select * from log where user_id = {KEY} union all select * from log where user_id = {KEY}) group by kind",
    "self join, other filters": f"select a.seq, b.seq from log a join log b on a.kind = b.kind where a.user_id = {KEY} and b.user_id = {OTHER}",
    "self join, one filter": f"select a.seq, b.seq from log a join log b on a.user_id = b.user_id where a.user_id = {KEY}",
    "same aggregate twice": f"select * from (select kind, count(*) n from log where user_id = {KEY} group by kind) a join (select kind, count(*) n from log where user_id = {KEY} group by kind) b using (kind)",
    "left outer join": f"select k.kind, l.seq from kinds k left join (select * from log where user_id = {KEY}) l using (kind)",
    "full outer join": f"select k.kind, l.seq from kinds k full join (select * from log where user_id = {KEY}) l using (kind)",
    "left semi join": f"select * from kinds left semi join (select * from log where user_id = {KEY}) l using (kind)",
    "left anti join": f"select * from kinds left anti join (select * from log where user_id = {KEY}) l using (kind)",
    "join with an empty side": f"select k.kind, l.seq from kinds k left join (select * from log where user_id = {ABSENT}) l using (kind)",
    "global aggregate of nothing": f"select count(*), max(seq) from log where user_id = {ABSENT}",
    "dynamic partition pruning": f"select p.seq from parts p join (select * from parts where user_id = {KEY} and seq >= 0) d on p.day = d.day",
    "partition filter": f"select * from parts where day = 2 and user_id in ({KEY}, {OTHER})",
    "partition or key": f"select seq, day from parts where day = 1 and seq < 40 or user_id = {KEY}",
    "partition column only": "select count(*), sum(seq) from parts where day = 3",
    "limit": f"select * from log where user_id = {KEY} limit 5",
    "order and limit": f"select * from log where user_id in ({KEY}, {OTHER}) order by seq desc limit 1",
    "window": f"select seq, row_number() over (partition by kind order by seq) from log where user_id in ({KEY}, {OTHER})",
    "distinct": f"select distinct kind from log where user_id in ({KEY}, {OTHER}, {ABSENT})",
    "view": f"select * from ids where user_id = {KEY}",
    "metadata": f"select seq, _metadata.file_name, _metadata.row_index, _metadata.file_size from saved where user_id = {KEY}",
    "input file name": f"select seq, input_file_name() from log where user_id = {KEY}",
    "lateral": f"select * from kinds k, lateral (select max(seq) from log l where l.kind = k.kind and l.user_id = {KEY})",
    "udf in the filter": f"select seq from log where user_id = {KEY} and hash(seq) % 2 in (0, 1, -1)",
    "random in the filter": f"select seq from log where user_id = {KEY} and rand() >= 0",
    "catalog table": f"select * from saved where user_id = {KEY}",
    "catalog partitions": f"select * from saved_parts where day in (0, 2) and user_id in ({KEY}, {OTHER})",
    "bucketed join": f"select a.seq from bucketed a join bucketed b on a.user_id = b.user_id where a.user_id in ({KEY}, {OTHER})",
    "bucketed aggregate": f"select user_id, count(*) from bucketed where user_id in ({KEY}, {OTHER}) group by user_id",
}  # fmt: skip


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Event logs as folders and as tables of the catalog: plain, partitioned, bucketed."""
    folder = tmp_path_factory.mktemp("shapes")
    log = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id as seq", "xxhash64(id) as user_id", "id % 7 as kind", "id % 4 as day"
    )
    options = {
        **sbbf.bloom_options("user_id", fpp=0.001, ndv=ROWS_PER_GROUP),
        "parquet.block.row.count.limit": str(ROWS_PER_GROUP),
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


@pytest.fixture(scope="module", params=["true", "false"], ids=["AQE", "no AQE"])
def sides(
    request: pytest.FixtureRequest, spark: SparkSession, lake: Path
) -> tuple[SparkSession, SparkSession]:
    """The same views with and without the extension."""
    adaptive = {"spark.sql.adaptive.enabled": request.param}
    on = opened(spark, lake, adaptive)
    return on, opened(spark, lake, {**adaptive, **OFF})


JOINS = re.compile(r"\b(BroadcastHashJoin|SortMergeJoin|ShuffledHashJoin|BroadcastNestedLoopJoin)\b")
SHARED = re.compile(r"\b(ReusedExchange|ReusedSubquery|Scan parquet)\b")


def test_every_shape_answers_and_shares_its_work_as_in_stock(
    sides: tuple[SparkSession, SparkSession],
) -> None:
    pruned, compared = set(), Counter()
    for name, query in SHAPES.items():
        df, reference = (session.sql(query) for session in sides)
        assert rows(df) == rows(reference), name
        mine, stock = final_plan(df), final_plan(reference)
        if sorted(JOINS.findall(mine)) == sorted(JOINS.findall(stock)):
            assert Counter(SHARED.findall(mine)) == Counter(SHARED.findall(stock)), name
            compared.update(SHARED.findall(stock))
        if any(scan.row_groups_kept < scan.row_groups for scan in sbbf.explain(df).scans):
            pruned.add(name)
    assert set(SHAPES) - pruned <= {"partition column only"}
    assert compared["ReusedExchange"] > 0 and compared["ReusedSubquery"] > 0


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
        with active(session):  # statistics are worked out when asked for
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


def test_overwriting_the_table_being_read_fails_as_in_stock(
    spark: SparkSession, stock: SparkSession, lake: Path
) -> None:
    def attempt(session: SparkSession) -> tuple[str | None, str]:
        with pytest.raises(AnalysisException) as failure:
            session.sql(f"insert overwrite saved select * from saved where user_id = {KEY}")
        return failure.value.getCondition(), str(failure.value)

    assert attempt(spark) == attempt(stock)
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
