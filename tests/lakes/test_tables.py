"""Tests tables of every kind: pruned or reported as not pruned, with the oracle's answers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import SUPPORT, explain_text, only_scan, rows, session_with
from hive_tables import EXTERNAL, TABLES

pytestmark = pytest.mark.full

Answer = dict[str, Any]
ROWS_OF_CASE = {
    "look-up": 1,
    "of a day": 1,
    "analyzed": 1,
    "view": 1,
    "no longer cached": 1,
    "inserted": 1,
    "overwritten": 1,
    "overwritten, the old": 0,
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """The cases of hive_tables.py by their names; the metastore needs a JVM of its own."""
    folder = tmp_path_factory.mktemp("hive")
    script = str(SUPPORT / "hive_tables.py")
    done = subprocess.run(
        [sys.executable, script, str(folder)],
        capture_output=True,
        text=True,
        timeout=900,
        cwd=folder,  # Derby writes its log where it runs
    )
    assert done.returncode == 0, done.stderr[-3000:]
    printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {answer["case"]: answer for answer in printed}


@pytest.mark.parametrize("case", ROWS_OF_CASE)
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_of_the_catalog_is_pruned_and_answers_as_the_oracle(
    answers: dict[str, Answer], kind: str, case: str
) -> None:
    answer = answers[f"{kind}: {case}"]
    assert answer["rows"] == answer["oracle"]
    assert len(answer["rows"]) == ROWS_OF_CASE[case]
    ((kept, row_groups),) = answer["scans"]
    assert kept == len(answer["rows"]) < row_groups
    assert answer["unpruned"] == []


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_created_or_cached_by_a_pruned_query_is_whole(
    answers: dict[str, Answer], kind: str
) -> None:
    created, cached = answers[f"{kind}: created as select"], answers[f"{kind}: cached"]
    assert created["rows"] == created["oracle"] == answers[f"{kind}: look-up"]["rows"]
    assert cached["rows"] == cached["oracle"] == answers[f"{kind}: look-up"]["rows"]
    assert cached["scans"] == [] and cached["unpruned"] == ["cached by the session"]


@pytest.mark.parametrize("kind", TABLES)
def test_functions_take_the_name_of_a_table_and_its_queries_see_what_changed(
    answers: dict[str, Answer], kind: str
) -> None:
    answer = answers[f"{kind}: by name"]
    assert answer["held"] == [True] and answer["probed"] == 1
    assert set(answer["done"]) == {"done"} and answer["listed"] == ["seq", "user_id"]
    assert answer["advised"] >= 2
    assert answer["rows"] == answer["oracle"] and len(answer["rows"]) == 1


def test_a_table_of_orc_files_of_hive_is_listed_by_its_name(answers: dict[str, Answer]) -> None:
    answer = answers["orc: by name"]
    assert not answer["named_orc"] and set(answer["listed"]) == {"user_id"}
    assert answer["held"] == [True]


@pytest.mark.parametrize("kind", EXTERNAL)
def test_files_that_the_catalog_does_not_know_are_found_after_refresh(
    answers: dict[str, Answer], kind: str
) -> None:
    answer = answers[f"{kind}: refreshed"]
    assert answer["rows"] == answer["oracle"] and len(answer["rows"]) == 1
    assert answer["scans"][0][0] < answer["scans"][0][1]


def test_a_table_that_hive_reads_is_named(answers: dict[str, Answer]) -> None:
    answer = answers["hive: not converted"]
    assert answer["rows"] == answer["oracle"] and len(answer["rows"]) == 1
    assert answer["scans"] == [] and not answer["wrapped"]
    (reason,) = answer["unpruned"]
    assert "spark.sql.hive.convertMetastoreParquet" in reason


KEYS = samples.scattered(400)
LOOK_UP = f"key = {KEYS[60]}L"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tables")
    for part in range(4):
        keys = KEYS[part * 100 : (part + 1) * 100]
        samples.write(folder / f"{part}.parquet", {"key": keys}, 50, filters=("key",))
    return str(folder)


def test_parquet_through_datasource_v2_answers_and_is_named(
    spark: SparkSession, oracle: SparkSession, lake: str
) -> None:
    session = session_with(spark, {"spark.sql.sources.useV1SourceList": "avro,csv,json,orc,text"})
    df = session.read.parquet(lake).where(LOOK_UP)
    assert "BatchScan" in explain_text(df)
    assert rows(df) == rows(oracle.read.parquet(lake).where(LOOK_UP))
    report = sbbf.explain(df)
    (relation,) = report.unpruned
    assert report.scans == [] and lake in relation.relation
    assert "spark.sql.sources.useV1SourceList" in relation.reason
    assert relation.reason in str(report)


def test_a_stream_is_not_touched(spark: SparkSession, lake: str) -> None:
    stream = spark.readStream.schema("key bigint").parquet(lake).where(LOOK_UP)
    query = (
        stream.writeStream.format("memory").queryName("untouched")
        .trigger(availableNow=True).start()
    )  # fmt: skip
    query.awaitTermination()
    plan = query._jsq.explainInternal(True)
    assert "Scan parquet" in plan or "FileScan parquet" in plan
    assert "PrunedFileIndex" not in plan
    assert spark.table("untouched").count() == 1


def test_without_the_format_swap_explain_and_the_plan_say_the_same(
    spark: SparkSession, lake: str
) -> None:
    session = session_with(spark, {"spark.sbbf.rowGroupPruning.enabled": "false"})
    df = session.read.parquet(lake).where(LOOK_UP)
    assert (only_scan(df).files_kept, len(df.inputFiles())) == (1, 1)
    leaf = df._jdf.queryExecution().optimizedPlan().collectLeaves().apply(0)
    own_format = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
    assert leaf.relation().fileFormat().getClass().getName() == own_format
