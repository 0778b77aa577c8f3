"""Are files with exact filters, written or attached, plain Parquet for every reader, and do readers
prune by them?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import datafusion
import duckdb
import pyarrow.parquet as pq
import pytest
from chdb import session as chdb
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import fresh, rows, session_with
from test_ways_in import standalone_cluster

ROWS, COLUMNS = 30_000, ("key", "name", "price", "st.tag", "tags.list.element", "few")
SMALL_ROW_GROUPS = {"parquet.block.size": "262144", "parquet.page.size": "16384"}

# All even, in no order, so that an odd one is absent and within min and max of each row group.
ROWS_OF = f"""
    SELECT id, (id * 7919 % {ROWS}) * 2 AS key, concat('user-', id % 4000) AS name, id % 9 AS few,
      cast(id * 0.25 AS decimal(9, 2)) AS price, timestamp_seconds(id) AS at,
      named_struct('tag', concat('t', id % 500)) AS st, array(id, id + 1) AS tags
    FROM range(0, {ROWS}, 1, 1)
"""
ABSENT = 10_001


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    times = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}
    return session_with(spark, times).sql(ROWS_OF)


@pytest.fixture(scope="module", params=["written", "attached"])
def exact(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    table: DataFrame,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A file of several row groups, with filters of some columns."""
    folder = tmp_path_factory.mktemp("exact") / "table"
    filters = sbbf.bloom_options(*COLUMNS) if request.param == "written" else {}
    table.write.options(**filters, **SMALL_ROW_GROUPS).parquet(str(folder))
    if request.param == "attached":
        (attached,) = sbbf.attach(spark, str(folder), COLUMNS).files
        assert attached.status == "done"
    (file,) = folder.glob("*.parquet")
    assert pq.ParquetFile(file).num_row_groups >= 4
    return file


def test_filters_are_a_fraction_of_stock_s(spark: SparkSession, exact: Path) -> None:
    found = sbbf.inspect(spark, str(exact)).where("filter_bytes IS NOT NULL").collect()
    groups = pq.ParquetFile(exact).num_row_groups
    assert len(found) == groups * len(COLUMNS)
    assert {row.reason for row in found} == {""}
    assert max(row.filter_bytes for row in found) <= 32 * 1024
    assert all(row.fpp <= 0.013 for row in found)


def test_every_reader_reads_the_same_rows(
    spark: SparkSession, oracle: SparkSession, exact: Path, table: DataFrame
) -> None:
    wanted = rows(table)
    for session in (spark, oracle):
        assert rows(session.read.parquet(str(exact))) == wanted
    written = pq.read_table(exact)
    ids = written.column("id").to_pylist()
    sums = (ROWS, sum(ids), len(set(written.column("name").to_pylist())))
    aggregate = "count(*), sum(id), count(distinct name)"
    context = datafusion.SessionContext()
    context.register_parquet("t", str(exact))
    (of_datafusion,) = context.sql(f"select {aggregate} from t").collect()
    of_duckdb = duckdb.sql(f"select {aggregate} from '{exact}'").fetchall()[0]
    of_chdb = chdb.Session().query(f"select {aggregate} from file('{exact}')", "JSONCompact")
    assert sums == (ROWS, ROWS * (ROWS - 1) // 2, 4000)
    assert tuple(column[0].as_py() for column in of_datafusion.columns) == sums
    assert of_duckdb == sums
    assert tuple(map(int, json.loads(str(of_chdb))["data"][0])) == sums


def described(file: Path) -> list[dict[str, Any]]:
    metadata = pq.ParquetFile(file).metadata
    chunks = [
        metadata.row_group(g).column(c).to_dict()
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    ]
    return [{k: v for k, v in chunk.items() if "bloom" not in k} for chunk in chunks]


def test_all_but_the_filters_is_as_stock_writes_it(
    table: DataFrame, exact: Path, tmp_path: Path
) -> None:
    table.write.options(**SMALL_ROW_GROUPS).parquet(str(tmp_path / "stock"))
    (stock,) = (tmp_path / "stock").glob("*.parquet")
    assert described(exact) == described(stock)
    metadata = pq.ParquetFile(exact).metadata
    chunk = metadata.row_group(0).column(1)
    assert chunk.has_column_index and chunk.has_offset_index
    offsets = [
        metadata.row_group(g).column(c).bloom_filter_offset
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    ]
    data = min(offset for offset in offsets if offset)
    assert exact.read_bytes()[:data] == stock.read_bytes()[:data]


def test_duckdb_prunes_by_them(exact: Path) -> None:
    query = f"explain analyze select count(*) from '{exact}' where key = {{}}"
    groups = pq.ParquetFile(exact).num_row_groups
    for key, kept in ((ABSENT, 0), (ABSENT - 1, 1)):
        told = duckdb.sql(query.format(key)).fetchall()[0][1]
        assert re.search(rf"Scanned:\s*{kept} / {groups}\b", told), told


def test_datafusion_prunes_by_them(exact: Path) -> None:
    context = datafusion.SessionContext()
    context.register_parquet("t", str(exact))
    groups = pq.ParquetFile(exact).num_row_groups
    for key, kept in ((ABSENT, 0), (ABSENT - 1, 1)):
        plan = context.sql(f"explain analyze select count(*) from t where key = {key}")
        told = str(plan.to_pylist())
        assert re.search(
            rf"row_groups_pruned_bloom_filter={groups} total . {kept} matched", told
        ), told


def test_chdb_prunes_by_them(exact: Path) -> None:
    query = f"select count() from file('{exact}', 'Parquet') where key = {{}} settings "
    query += "input_format_parquet_bloom_filter_push_down = 1"
    told = json.loads(str(chdb.Session().query(query.format(ABSENT), "JSON")))
    assert told["statistics"]["rows_read"] == 0
    told = json.loads(str(chdb.Session().query(query.format(ABSENT - 1), "JSON")))
    assert 0 < told["statistics"]["rows_read"] < ROWS


def test_spark_prunes_by_them_with_and_without_the_extension(
    spark: SparkSession, exact: Path
) -> None:
    off = session_with(spark, {"spark.sbbf.enabled": "false"})
    for session in (spark, off):
        df = session.read.parquet(str(exact)).where(f"key = {ABSENT}")
        assert df.collect() == []
        scan = df._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
        assert scan.metrics().apply("numOutputRows").value() == 0
    (scan,) = sbbf.explain(spark.read.parquet(str(exact)).where(f"key = {ABSENT}")).scans
    assert scan.row_groups_kept == 0 and scan.refuted_by["bloom"] == scan.row_groups


SPECULATION = """
    import os, time
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark import TaskContext
    conf = {
        "spark.speculation": "true", "spark.speculation.interval": "100ms",
        "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.1",
        "spark.executor.memory": "512m", "spark.python.worker.reuse": "false",
    }
    master, table, attempts = sys.argv[1:]
    spark = sbbf.enable(builder().config(map=conf).master(master)).getOrCreate()
    def slow(batches):
        context = TaskContext.get()
        if context.partitionId() == 0:
            open(f"{attempts}/{context.attemptNumber()}", "w").close()
        for batch in batches:
            if context.partitionId() == 0 and context.attemptNumber() == 0:
                time.sleep(90)
            yield batch
    df = spark.range(0, 4000, 1, 4).mapInArrow(slow, "id bigint")
    options = sbbf.bloom_options("id")
    df.write.options(**options).parquet(table)
    files = list(Path(table).glob("*.parquet"))
    found = sbbf.inspect(spark, table).where("filter_bytes IS NOT NULL").collect()
    count = spark.read.parquet(table).distinct().count()
    print("#", len(files), len(found), count, sorted(os.listdir(attempts)))
"""


def test_a_task_that_runs_twice_leaves_one_file(tmp_path: Path) -> None:
    (tmp_path / "attempts").mkdir()
    with standalone_cluster(tmp_path) as master:  # no host runs a task twice at a time
        told = fresh(SPECULATION, master, str(tmp_path / "table"), str(tmp_path / "attempts"))
    assert told == ["4 4 4000 ['0', '1']"]
