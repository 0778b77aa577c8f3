"""Tests that filter test files of other projects answer as without pushdown.

Repeats the queries after new filters were added to the files.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from harness import outcome, rows

VALUES = 4

# The types that Spark reads: some of these files also have TIME columns, which it does not.
DDL = {
    pa.bool_(): "boolean",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.binary(): "binary",
    pa.date32(): "date",
}


def columns(file: Path) -> dict[str, str] | None:
    """Returns name and type of the columns that Spark can read; None for a bad footer."""
    try:
        schema = pq.read_schema(file)
    except (pa.ArrowInvalid, OSError):
        return None
    return {field.name: DDL[field.type] for field in schema if field.type in DDL}


def some_values(table: DataFrame, column: str, ddl: str) -> list[object]:
    """Returns values of the column, or a default where it cannot be read."""
    name = F.col(f"`{column}`")
    held = table.select(name.alias("value")).where(name.isNotNull()).distinct().limit(VALUES)
    if isinstance(outcome(lambda: held), str):
        return [F.lit("1").cast(ddl)]
    return [row.value for row in held.collect()]


def test_every_public_file_answers_as_without_pushdown(
    spark: SparkSession, oracle: SparkSession, fixtures: Path, say: Callable[[str], None]
) -> None:
    files = sorted(fixtures.rglob("*.parquet*"))
    queries = failed = 0
    for file in files:
        found = columns(file)
        if found is None:
            readers = [session.read for session in (spark, oracle)]
            assert outcome(lambda: readers[0].parquet(str(file))) == outcome(
                lambda: readers[1].parquet(str(file))
            )
            continue
        schema = ", ".join(f"`{name}` {ddl}" for name, ddl in found.items())
        mine, table = (s.read.schema(schema).parquet(str(file)) for s in (spark, oracle))
        for column, ddl in found.items():
            for value in some_values(table, column, ddl):
                condition = F.col(f"`{column}`") == value
                answer = outcome(lambda: table.where(condition))
                assert outcome(lambda: mine.where(condition)) == answer, (file.name, column)
                queries += 1
                failed += isinstance(answer, str)
    say(f"{queries} queries on {len(files)} public files; {failed} fail, as in Spark alone")
    assert queries - failed > 25


def test_every_public_file_gets_filters_and_keeps_its_rows_or_says_why_not(
    spark: SparkSession,
    oracle: SparkSession,
    fixtures: Path,
    tmp_path: Path,
    say: Callable[[str], None],
) -> None:
    results = {}
    for original in sorted(fixtures.rglob("*.parquet")) + sorted(fixtures.rglob("*.encrypted")):
        file = Path(shutil.copy(original, tmp_path))
        found = columns(file) or {"any": "int"}
        filtered = [name for name, ddl in found.items() if ddl != "boolean"]
        before = file.read_bytes()
        try:
            report = sbbf.add_filters(spark, str(file), filtered, replace=True)
        except sbbf.FilterChangeError as error:
            report = error.report
        (changed,) = report.files
        results[file.name] = f"{changed.status} {changed.reason}".strip()
        if changed.status != "done":
            assert file.read_bytes() == before and changed.reason, file.name
            continue
        assert file.read_bytes().startswith(before), file.name
        schema = ", ".join(f"`{name}` {ddl}" for name, ddl in found.items())
        old = oracle.read.schema(schema).parquet(str(original))
        new = spark.read.schema(schema).parquet(str(file))
        assert outcome(lambda: new) == outcome(lambda: old), file.name
        assert pq.read_table(file).equals(pq.read_table(original)), file.name
        for column in filtered:
            for value in some_values(old, column, found[column]):
                condition = F.col(f"`{column}`") == value
                answer = outcome(lambda: old.where(condition))
                assert outcome(lambda: new.where(condition)) == answer, (file.name, column)
    say(f"added to public files: {results}")
    assert list(results.values()).count("done") > 5
    assert {text for name, text in results.items() if "encrypt" in name} == {"refused encrypted"}


@pytest.mark.parametrize("name", ["stats", "with_length"])
def test_a_known_value_is_found_in_files_of_several_writers(
    spark: SparkSession, fixtures: Path, name: str
) -> None:
    file = fixtures / "parquet-testing" / f"data_index_bloom_encoding_{name}.parquet"
    table = spark.read.parquet(str(file))
    assert rows(table.where("String = 'Hello'")) == ["Row(String='Hello')"]
    assert table.where("String = 'Hello_Not_Exists'").count() == 0
