"""Tests that files with exact filters, written or added later, are plain Parquet for every reader.

Tests that readers prune by these filters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import SUPPORT, fresh, rows, session_with
from processes import standalone_cluster
from readers import READ_BY, read_by_all

pytestmark = pytest.mark.full

ROWS, COLUMNS = 30_000, ("key", "name", "price", "st.tag", "tags.list.element", "few")
SMALL_ROW_GROUPS = {"parquet.block.size": "262144", "parquet.page.size": "16384"}


def rows_of(count: int) -> str:
    """Keys are even, in no order: an odd one is absent, within min and max of each row group."""
    return f"""
        SELECT id, (id * 7919 % {count}) * 2 AS key, concat('user-', id % 4000) AS name,
          id % 9 AS few, cast(id * 0.25 AS decimal(9, 2)) AS price, timestamp_seconds(id) AS at,
          named_struct('tag', concat('t', id % 500)) AS st, array(id, id + 1) AS tags
        FROM range(0, {count}, 1, 1)
    """


ABSENT = 10_001
# For each column with filters: an absent and a present value within the bounds of row groups, and
# the other readers that use filters of such columns.
LOOK_UPS = {
    "key": (ABSENT, ABSENT - 1, ("duckdb", "datafusion", "chdb")),
    "name": ("'user-1000x'", "'user-1500'", ("duckdb", "datafusion", "chdb")),
    "price": (17.33, 17.25, ("duckdb",)),
    "st.tag": ("'t10x'", "'t100'", ("duckdb",)),
}
OTHERS = [(reader, column) for column, (_, _, readers) in LOOK_UPS.items() for reader in readers]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> DataFrame:
    times = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}
    return session_with(spark, times).sql(rows_of(ROWS))


@pytest.fixture(scope="module", params=["written", "added"])
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
    if request.param == "added":
        (outcome,) = sbbf.add_filters(spark, str(folder), COLUMNS).files
        assert outcome.status == "done"
    (file,) = folder.glob("*.parquet")
    assert pq.ParquetFile(file).num_row_groups >= 4
    return file


def test_filters_are_a_fraction_of_the_size_of_sparks_own(spark: SparkSession, exact: Path) -> None:
    found = sbbf.inspect(spark, str(exact)).where("filter_bytes IS NOT NULL").collect()
    groups = pq.ParquetFile(exact).num_row_groups
    assert len(found) == groups * len(COLUMNS)
    assert {row.reason for row in found} == {""}
    assert max(row.filter_bytes for row in found) <= 32 * 1024
    assert all(row.fpp <= 0.013 for row in found)


@pytest.fixture(scope="module")
def unfiltered(table: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that Spark writes of the same rows, without any filter."""
    folder = tmp_path_factory.mktemp("unfiltered") / "table"
    table.write.options(**SMALL_ROW_GROUPS).parquet(str(folder))
    (file,) = folder.glob("*.parquet")
    return file


def test_every_reader_reads_the_same_rows_with_and_without_filters(
    spark: SparkSession, oracle: SparkSession, exact: Path, unfiltered: Path, table: DataFrame
) -> None:
    wanted = read_by_all(unfiltered, oracle)
    assert read_by_all(exact, oracle) == wanted
    assert rows(spark.read.parquet(str(exact))) == rows(table)
    assert all(said.count("user-") == ROWS for said in wanted.values())


def described(file: Path) -> list[dict[str, Any]]:
    metadata = pq.ParquetFile(file).metadata
    chunks = [
        metadata.row_group(g).column(c).to_dict()
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    ]
    return [{k: v for k, v in chunk.items() if "bloom" not in k} for chunk in chunks]


def test_all_but_the_filters_is_as_spark_writes_it(exact: Path, unfiltered: Path) -> None:
    assert described(exact) == described(unfiltered)
    metadata = pq.ParquetFile(exact).metadata
    chunk = metadata.row_group(0).column(1)
    assert chunk.has_column_index and chunk.has_offset_index
    filters = [
        (chunk.bloom_filter_offset, chunk.bloom_filter_length)
        for g in range(metadata.num_row_groups)
        for chunk in map(metadata.row_group(g).column, range(metadata.num_columns))
        if chunk.bloom_filter_offset
    ]
    assert len(filters) == len(COLUMNS) * metadata.num_row_groups
    # each filter fills the length in the footer: the next one begins behind it
    ends = {offset + length for offset, length in filters}
    assert len({offset for offset, _ in filters} - ends) == 1
    data = min(offset for offset, _ in filters)
    assert exact.read_bytes()[:data] == unfiltered.read_bytes()[:data]


@pytest.mark.parametrize(("reader", "column"), OTHERS)
def test_other_readers_prune_by_the_filters(
    exact: Path, unfiltered: Path, reader: str, column: str
) -> None:
    read = READ_BY[reader]
    absent, present, _ = LOOK_UPS[column]
    assert read(exact, f"{column} = {absent}") == 0 < read(unfiltered, f"{column} = {absent}")
    assert 0 < read(exact, f"{column} = {present}") <= read(unfiltered, f"{column} = {present}")


def test_spark_prunes_by_the_filters_with_and_without_the_extension(
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


@pytest.mark.parametrize("writer", ["3.5.9", "4.3.0"])
def test_files_of_the_oldest_and_the_newest_spark_are_read_and_pruned_by_each(
    spark: SparkSession, oracle: SparkSession, writer: str
) -> None:
    """The files hold 3,000 of the rows, written with `bloom_options(*COLUMNS)`."""
    file = str(SUPPORT / "files" / f"exact-{writer}.parquet")
    off = session_with(spark, {"spark.sbbf.enabled": "false"})
    wanted = rows(spark.sql(rows_of(3000)))
    for session in (spark, off, oracle):
        assert rows(session.read.parquet(file)) == wanted
    for key, kept in ((3001, 0), (3000, 1)):
        found = spark.read.parquet(file).where(f"key = {key}")
        (scan,) = sbbf.explain(found).scans
        assert (scan.row_groups_kept, scan.row_groups, found.count()) == (kept, 9, kept)
        assert off.read.parquet(file).where(f"key = {key}").count() == kept
    assert {row.checks for row in sbbf.inspect(spark, file).collect()} == {"passed"}


TWICE = """
    import os, signal, time
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark import TaskContext
    conf = {
        "spark.speculation": "true", "spark.speculation.interval": "100ms",
        "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.1",
        "spark.executor.memory": "512m", "spark.python.worker.reuse": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    }
    master, folder, algorithm = sys.argv[1:]
    conf["spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version"] = algorithm
    spark = sbbf.enable(builder().config(map=conf).master(master)).getOrCreate()
    def attempt(table):
        context = TaskContext.get()
        open(f"{folder}/{table}-{context.partitionId()}-{context.attemptNumber()}", "w").close()
        return context.partitionId(), context.attemptNumber()
    def slow(batches):
        task = attempt("slow")
        for n, batch in enumerate(batches):
            if task == (0, 0) and n == 20:  # more than pipes hold: its file is begun
                time.sleep(90)
            if task == (0, 1) and n == 39:
                begun = Path(f"{folder}/slow").glob("_temporary/0/*/*_m_000000_*/*.parquet")
                Path(f"{folder}/begun").write_text(str(len({path.parent for path in begun})))
            yield batch
    def killed(batches):
        first = attempt("killed") == (1, 0)
        for n, batch in enumerate(batches):
            if first and n == 5:
                with open(f"/proc/{os.getppid()}/stat") as daemon:
                    os.kill(int(daemon.read().split()[3]), signal.SIGKILL)  # the executor
                time.sleep(90)
            yield batch
    for task in (slow, killed):
        table = f"{folder}/{task.__name__}"
        df = spark.range(0, 160000, 1, 4).mapInArrow(task, "id bigint")
        df.write.options(**sbbf.bloom_options("id")).parquet(table)
        files = list(Path(table).glob("*.parquet"))
        found = sbbf.inspect(spark, table).where("filter_bytes IS NOT NULL").collect()
        count = spark.read.parquet(table).distinct().count()
        print("#", len(files), len(found), count)
"""


@pytest.mark.parametrize("algorithm", ["1", "2"])
def test_a_task_that_runs_twice_or_is_killed_leaves_one_file(
    tmp_path: Path, algorithm: str
) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    # needs two hosts: no host runs a task twice at a time
    with standalone_cluster(tmp_path) as master:
        assert fresh(TWICE, master, str(folder), algorithm) == ["4 4 160000"] * 2
    assert (folder / "begun").read_text() == "2"  # two tasks had a file for the same rows
    attempts = {path.name for path in folder.iterdir()}
    assert {"slow-0-0", "slow-0-1", "killed-1-0", "killed-1-1"} <= attempts
    assert len(list(tmp_path.rglob("app-*/*/stderr"))) == 3  # one replaces the killed executor
