"""Tests that filters prune as advice predicts, and that the advice fits each column."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import ONE_COMPILER, only_scan, session_with
from spark_sbbf import cli

FILES, GROUPS, ROWS = 4, 3, 500
COUNT = FILES * GROUPS * ROWS
KEYS = samples.scattered(COUNT)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Without filters: unique keys, texts each in two row groups, a sorted and a scarce column."""
    folder = tmp_path_factory.mktemp("lake")
    for n in range(FILES):
        ids = range(n * GROUPS * ROWS, (n + 1) * GROUPS * ROWS)
        columns: dict[str, Any] = {
            "key": [KEYS[i] for i in ids],
            "Name": [f"user-{KEYS[i % (COUNT // 2)]}" for i in ids],
            "seq": list(ids),
            "few": [i % 5 for i in ids],
            "st": pa.array([{"trace": str(KEYS[i])} for i in ids]),
        }
        samples.write(folder / f"{n}.parquet", columns, ROWS)
    return str(folder)


def advised(df: Any) -> dict[str, Any]:
    return {row.path_in_schema: row for row in df.collect()}


def kept(spark: SparkSession, path: str, keys: list[int]) -> float:
    """Returns the average number of row groups that lookups keep."""
    df = spark.read.parquet(path)
    return sum(only_scan(df.where(df.key == key)).row_groups_kept for key in keys) / len(keys)


def test_advice_predicts_the_row_groups_that_lookups_keep(
    spark: SparkSession, lake: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "lake")
    shutil.copytree(lake, path)
    present, absent = KEYS[:: COUNT // 30], samples.scattered(30, salt=10**6)
    before = advised(sbbf.advise(spark, path, fpp=0.01))["key"]
    assert before.kept_present == pytest.approx(kept(spark, path, present), abs=0.7)
    assert before.kept_absent == pytest.approx(kept(spark, path, absent), abs=0.7)
    report = sbbf.add_filters(spark, path, "key", fpp=0.01)
    assert sum(file.filter_bytes for file in report.files) == before.new_filter_bytes
    assert before.new_kept_present == pytest.approx(kept(spark, path, present), abs=0.3)
    assert before.new_kept_absent == pytest.approx(kept(spark, path, absent), abs=0.3)
    after = advised(sbbf.advise(spark, path, fpp=0.01))["key"]
    assert (after.advice, after.filters) == ("keep", FILES * GROUPS)
    assert after.kept_absent == pytest.approx(before.new_kept_absent, abs=0.1)


def test_each_column_gets_the_advice_that_fits_it(
    spark: SparkSession, lake: str, tmp_path: Path
) -> None:
    page = tmp_path / "advice.html"
    found = sbbf.advise(spark, lake, report=page)
    by_column = advised(found)
    assert {name: row.advice for name, row in by_column.items()} == {
        "key": "add",
        "Name": "add",
        "st.trace": "add",
        "seq": "min_max",
        "few": "sort",
    }
    assert [row.path_in_schema for row in found.where("advice = 'min_max'").collect()] == ["seq"]
    assert by_column["key"].row_groups == by_column["key"].sampled_row_groups == FILES * GROUPS
    assert by_column["Name"].row_groups_with_value == pytest.approx(2, abs=0.05)
    assert (by_column["few"].ndv, by_column["few"].ndv_per_row_group) == (5, 5)
    whole = f"{FILES * GROUPS} of its {FILES * GROUPS} row groups have no offset index"
    assert all(whole in row.reason for row in by_column.values())  # as pyarrow writes by default
    html = page.read_text(encoding="utf-8")
    assert f'sbbf.add_filters(spark, "{lake}", ["' in html.replace("&#34;", '"')
    assert html.count("<svg viewBox") == len(by_column)
    assert all(f"<td>{name}<br>" in html for name in by_column)


def test_columns_can_be_named_and_errors_name_the_mistake(spark: SparkSession, lake: str) -> None:
    assert set(advised(sbbf.advise(spark, lake, "key"))) == {"key"}
    assert set(advised(sbbf.advise(spark, lake, ["Name", "st.trace"]))) == {"Name", "st.trace"}
    for arguments, said in (
        ({"columns": "kye"}, "has 'kye'"),
        ({"fpp": 2}, "fpp must be between 0 and 1"),
        ({"row_groups": 1}, "row_groups must be from 4 to 1000000"),
    ):
        with pytest.raises(ValueError, match=said):
            sbbf.advise(spark, lake, **arguments)
    with pytest.raises(ValueError, match="no file or folder"):
        sbbf.advise(spark, f"{lake}-not")
    with pytest.raises(FileNotFoundError, match="report: no folder"):
        sbbf.advise(spark, lake, report=f"{lake}-not/page.html")


def test_queries_weigh_the_columns_and_are_not_run(spark: SparkSession, lake: str) -> None:
    df = spark.read.parquet(lake)
    queries = [
        df.where("Name = 'x' AND few > 1"),
        f"SELECT count(*) FROM parquet.`{lake}` WHERE name IN ('y', 'z') OR key = 1",
        spark.range(5).where("id = 1"),
    ]
    views = len(spark.catalog.listTables())
    found = advised(sbbf.advise(spark, lake, queries=queries))
    assert {name: row.lookups for name, row in found.items()} == {
        "Name": 2,
        "key": 1,
        "few": 0,
        "seq": 0,
        "st.trace": 0,
    }
    assert list(found)[:2] == ["Name", "key"]
    reason, _ = found["st.trace"].reason.split("; ")
    assert reason == "no query looks up a value in the column"
    with pytest.raises(PySparkException):
        sbbf.advise(spark, lake, queries=[f"CREATE DATABASE d{COUNT}"])
    with pytest.raises(ValueError, match="of the same session"):
        sbbf.advise(spark, lake, queries=session_with(spark, {}).range(5))
    with pytest.raises(ValueError, match="no query looks up a value"):
        sbbf.advise(spark, lake, queries=df.where("seq > 5"))
    one = sbbf.advise(spark, lake, "key", queries=f"SELECT * FROM parquet.`{lake}` WHERE key=1;")
    assert one.first().lookups == 1
    assert not spark.catalog.databaseExists(f"d{COUNT}")
    assert len(spark.catalog.listTables()) == views


def test_the_history_of_a_session_weighs_the_columns(spark: SparkSession, lake: str) -> None:
    session = session_with(spark, {})
    with pytest.raises(ValueError, match="no query looks up a value"):
        sbbf.advise(session, lake, "key", history=True)
    session.read.parquet(lake).where(f"st.trace = '{KEYS[0]}' AND key > 0").count()
    found = advised(sbbf.advise(session, lake, history=True))
    assert {name for name, row in found.items() if row.lookups} == {"st.trace"}
    assert advised(sbbf.advise(session, lake))["key"].lookups is None


@pytest.mark.full
def test_the_command_says_the_same(
    spark: SparkSession, lake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    given = ["advise", lake, "key", "seq", "--fpp", "0.001", "--row-groups", "6"]
    given += ["--conf", f"spark.driver.extraJavaOptions={ONE_COMPILER}"]
    assert cli.main([*given, "--report", str(page), "--json"]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    wanted = sbbf.advise(spark, lake, ["key", "seq"], fpp=0.001, row_groups=6)
    assert printed == [row.asDict() for row in wanted.collect()]
    assert "<svg" in page.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""
    assert cli.main(given) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.match(r"key +add ", lines[1])
    assert re.match(r"seq +min_max ", lines[2])
