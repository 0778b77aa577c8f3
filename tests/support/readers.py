"""Reads files by several readers, and measures how much of a file each of them reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import datafusion
import duckdb
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from harness import rows


def chdb(query: str, output: str) -> str:
    from chdb import session  # only in the full run

    return str(session.Session().query(query, output))


def read_by_all(file: Path, session: SparkSession) -> dict[str, str]:
    """Returns the rows of the file as text, by reader."""
    # some readers turn bytes into text
    columns = [name for name in pq.read_schema(file).names if name != "bin"]
    names = ", ".join(f'"{name}"' for name in columns)
    context = datafusion.SessionContext()
    context.register_parquet("t", str(file))
    by_datafusion = sorted(map(str, context.sql(f"select {names} from t").to_pylist()))
    with duckdb.connect() as connection:
        texts = f"select cast(t as varchar) from (select {names} from '{file}') t"
        by_duckdb = sorted(map(str, connection.execute(texts).fetchall()))
    query = f"select {names} from file('{file}', 'Parquet') order by all"
    read = {
        "datafusion": by_datafusion,
        "duckdb": by_duckdb,
        "chdb": chdb(query, "CSV"),
        "pyarrow": pq.read_table(file, columns=columns).to_pydict(),
        "spark": rows(session.read.parquet(str(file))),
    }
    return {reader: str(found) for reader, found in read.items()}


def groups_by_duckdb(file: Path, condition: str) -> int:
    query = f"explain analyze select count(*) from '{file}' where {condition}"
    return _number(r"Scanned:\s*(\d+) / ", str(duckdb.sql(query).fetchall()))


def groups_by_datafusion(file: Path, condition: str) -> int:
    context = datafusion.SessionContext()
    context.register_parquet("t", str(file))
    query = f"explain analyze select count(*) from t where {condition}"
    profile = str(context.sql(query).to_pylist())
    return _number(r"row_groups_pruned_bloom_filter=\d+ total . (\d+) matched", profile)


def rows_by_chdb(file: Path, condition: str) -> int:
    query = f"select count() from file('{file}', 'Parquet') where {condition} settings "
    query += "input_format_parquet_bloom_filter_push_down = 1"
    answer = json.loads(chdb(query, "JSON"))
    return int(answer["statistics"]["rows_read"])


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, text
    return int(found[1])


# The row groups or rows that a reader reads to find the rows of a condition.
READ_BY: dict[str, Callable[[Path, str], int]] = {
    "duckdb": groups_by_duckdb,
    "datafusion": groups_by_datafusion,
    "chdb": rows_by_chdb,
}


def counts_by_duckdb(file: Path, conditions: list[str]) -> list[int]:
    with duckdb.connect() as connection:
        return [
            connection.execute(f"select count(*) from '{file}' where {condition}").fetchall()[0][0]
            for condition in conditions
        ]


def counts_by_datafusion(file: Path, conditions: list[str]) -> list[int]:
    context = datafusion.SessionContext()
    context.register_parquet("t", str(file))
    return [
        context.sql(f"select count(*) as n from t where {condition}").to_pylist()[0]["n"]
        for condition in conditions
    ]


def counts_by_chdb(file: Path, conditions: list[str]) -> list[int]:
    settings = "settings input_format_parquet_bloom_filter_push_down = 1"
    query = f"select count() from file('{file}', 'Parquet') where"
    return [int(chdb(f"{query} {condition} {settings}", "CSV")) for condition in conditions]


# The numbers of rows of conditions, by readers that use filters.
COUNTED_BY: dict[str, Callable[[Path, list[str]], list[int]]] = {
    "duckdb": counts_by_duckdb,
    "datafusion": counts_by_datafusion,
    "chdb": counts_by_chdb,
}
