"""Tests that keys of joins and subqueries plan only the files and row groups that may hold them."""

from __future__ import annotations

import math
import uuid
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import samples
import spark_sbbf as sbbf
from harness import rows, session_with

FILES, GROUPS, ROWS, FPP = 1000, 4, 20, 0.0001
PER_FILE = GROUPS * ROWS
KEYS = samples.scattered(FILES * PER_FILE)
PLAIN = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}

SHAPES = {
    "join": "SELECT f.* FROM fact f JOIN dim USING (key)",
    "join from the other side": "SELECT f.* FROM dim JOIN fact f USING (key)",
    "in": "SELECT * FROM fact WHERE key IN (SELECT key FROM dim)",
    "exists": "SELECT * FROM fact f WHERE EXISTS (SELECT 1 FROM dim WHERE dim.key = f.key)",
    "composite key": "SELECT f.* FROM fact f JOIN dim ON f.key = dim.key AND f.seq = dim.seq",
    "star of three": "SELECT f.* FROM fact f JOIN dim a ON f.key = a.key "
    "JOIN dim b ON f.key = b.key JOIN dim c ON f.seq = c.seq AND f.key = c.key",
    "join below an aggregate": "SELECT key, max(f.seq) FROM fact f JOIN dim USING (key) GROUP BY 1",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("late")
    samples.write_lake(folder / "fact", KEYS, FILES, ROWS)
    return folder


def tables(
    spark: SparkSession, lake: Path, places: list[int], conf: dict[str, str]
) -> SparkSession:
    """Makes the views `fact` and `dim`, whose keys stand at these places of the fact table.

    No evidence of the dimension's files chooses its rows. One task reads one file.
    """
    sizes = {
        "spark.sql.files.maxPartitionBytes": "4m",
        "spark.sql.autoBroadcastJoinThreshold": "1m",  # the fact table is larger
    }
    session = session_with(spark, {**sizes, **conf})
    columns = {"key": [KEYS[n] for n in places], "seq": [n % PER_FILE for n in places]}
    path = samples.write(lake / f"dim-{uuid.uuid4()}" / "0.parquet", columns, max(1, len(places)))
    session.read.parquet(str(lake / "fact")).createOrReplaceTempView("fact")
    dim = session.read.parquet(str(path.parent)).where("length(concat('k', key)) > 0")
    dim.createOrReplaceTempView("dim")
    return session


def most_tasks(session: SparkSession, df: DataFrame) -> int:
    """Runs the query and returns the number of tasks of its largest stage."""
    group = str(uuid.uuid4())
    session.sparkContext.setJobGroup(group, "")
    df.collect()
    status = session.sparkContext.statusTracker()
    stages = [s for j in status.getJobIdsForGroup(group) for s in status.getJobInfo(j).stageIds]
    return max(info.numTasks for s in stages if (info := status.getStageInfo(s)))


def places_of(count: int) -> list[int]:
    return [len(KEYS) // count * n + n % PER_FILE for n in range(count)]


def bound(holding: int, keys: int) -> float:
    """Returns the most row groups that may be kept: those with a key, and false ones."""
    others = FILES * GROUPS - holding
    false = others * (1 - (1 - FPP) ** keys)
    return holding + false + 5 * math.sqrt(false) + 1


@pytest.mark.parametrize(
    "count", [10, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 100, 1000))]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_only_row_groups_with_a_key_are_planned(
    spark: SparkSession, lake: Path, shape: str, count: int
) -> None:
    places = places_of(count)
    session = tables(spark, lake, places, {})
    df = session.sql(SHAPES[shape])
    tasks = most_tasks(session, df)
    scan = max(sbbf.explain(df, show=False).scans, key=lambda scan: scan.files)
    holding = {n // ROWS for n in places}
    assert scan.files == FILES and scan.late_keys
    assert len(holding) <= scan.row_groups_kept <= bound(len(holding), count)
    assert scan.files_kept <= scan.row_groups_kept
    assert tasks == max(scan.files_kept, 1)
    assert len(df.collect()) == count


def test_the_result_of_a_scalar_subquery_plans_one_file(spark: SparkSession, lake: Path) -> None:
    session = tables(spark, lake, places_of(100), {})
    df = session.sql("SELECT * FROM fact WHERE key = (SELECT max(key) FROM dim)")
    assert len(df.collect()) == 1
    scan = max(sbbf.explain(df, show=False).scans, key=lambda scan: scan.files)
    assert 1 <= scan.row_groups_kept <= 2 and scan.late_keys == ["1 result of a subquery"]


def test_an_empty_dimension_plans_nothing(spark: SparkSession, lake: Path) -> None:
    session = tables(spark, lake, [], {})
    for shape in SHAPES.values():
        assert session.sql(shape).collect() == []


def test_keys_above_the_limit_leave_the_scan_as_planned(spark: SparkSession, lake: Path) -> None:
    session = tables(spark, lake, places_of(10), {"spark.sbbf.runtimePruning.maxKeys": "9"})
    df = session.sql(SHAPES["join"])
    assert len(df.collect()) == 10
    scan = max(sbbf.explain(df, show=False).scans, key=lambda scan: scan.files)
    assert scan.late_keys == [] and "a join has more than 9 keys" in scan.not_used


@pytest.mark.full
def test_the_answers_are_those_of_spark_alone(spark: SparkSession, lake: Path) -> None:
    places = [3, 4, 5000, 79_000]
    session, plain = tables(spark, lake, places, {}), tables(spark, lake, places, PLAIN)
    for shape in SHAPES.values():
        assert rows(session.sql(shape)) == rows(plain.sql(shape))
