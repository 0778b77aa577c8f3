"""Are the files that other projects test their filters with answered as without pushdown?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import outcome, rows
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import AtomicType, StructField, StructType

VALUES = 4


def leaves(fields: list[StructField], prefix: str = "") -> list[tuple[str, AtomicType]]:
    found = []
    for field in fields:
        name = f"{prefix}`{field.name}`"
        if isinstance(field.dataType, StructType):
            found += leaves(field.dataType.fields, f"{name}.")
        elif isinstance(field.dataType, AtomicType):
            found.append((name, field.dataType))
    return found


def some_values(table: DataFrame, column: str) -> list[Any]:
    held = table.select(F.col(column).alias("value")).where("value is not null")
    return [row.value for row in held.distinct().limit(VALUES).collect()]


def test_every_public_file_answers_as_without_pushdown(
    spark: SparkSession, oracle: SparkSession, fixtures: Path, say: Callable[[str], None]
) -> None:
    readable, unreadable, queries = [], [], 0
    for file in sorted(fixtures.rglob("*.parquet*")):
        try:
            table = oracle.read.parquet(str(file))
            columns = leaves(table.schema.fields)
            samples = [some_values(table, column) for column, _ in columns]
        except PySparkException as failure:
            unreadable.append(file.name)
            condition = failure.getCondition()
            assert outcome(lambda: spark.read.parquet(str(file))) == (  # noqa: B023
                condition or type(failure).__name__
            )
            continue
        readable.append(file.name)
        mine = spark.read.parquet(str(file))
        for (column, kind), found in zip(columns, samples, strict=True):
            for value in found:
                condition = F.col(column) == F.lit(value).cast(kind)
                expected = rows(table.where(condition))
                assert rows(mine.where(condition)) == expected, (file.name, column)
                queries += 1
    say(f"{queries} queries on {len(readable)} public files; not readable by Spark: {unreadable}")
    assert queries > 20


def test_known_values_are_found_in_files_of_several_writers(
    spark: SparkSession, fixtures: Path
) -> None:
    cases = [
        ("parquet-testing/data_index_bloom_encoding_stats.parquet", "String = 'Hello'", 1),
        ("parquet-testing/data_index_bloom_encoding_with_length.parquet", "String = 'Hello'", 1),
        ("parquet-testing/data_index_bloom_encoding_stats.parquet", "String = 'Hello_Not_Exists'", 0),
    ]
    for file, condition, expected in cases:
        table = spark.read.parquet(str(fixtures / file))
        assert table.where(condition).count() == expected, file
