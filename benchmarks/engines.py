"""Looks up keys in a folder of Parquet files by other engines, beside Spark."""

from __future__ import annotations

from abc import ABC, abstractmethod

import datafusion
import duckdb


class Engine(ABC):
    """An engine with two threads that keeps what it can of a table between lookups."""

    name: str

    @abstractmethod
    def lookup(self, keys: list[int]) -> int:
        """Reads the rows with these keys, and returns their number."""


def condition(keys: list[int]) -> str:
    return f"key IN ({', '.join(map(str, keys))})"


class DuckDB(Engine):
    name = f"DuckDB {duckdb.__version__}"

    def __init__(self, folder: str) -> None:
        self._connection = duckdb.connect(config={"threads": 2})
        self._connection.execute("SET parquet_metadata_cache = true")
        self._table = f"read_parquet('{folder}/*.parquet')"

    def lookup(self, keys: list[int]) -> int:
        query = f"SELECT * FROM {self._table} WHERE {condition(keys)}"
        return len(self._connection.execute(query).fetchall())


class DataFusion(Engine):
    name = f"DataFusion {datafusion.__version__}"

    def __init__(self, folder: str) -> None:
        config = datafusion.SessionConfig().with_target_partitions(2)
        self._context = datafusion.SessionContext(config)
        self._context.register_parquet("events", folder)

    def lookup(self, keys: list[int]) -> int:
        batches = self._context.sql(f"SELECT * FROM events WHERE {condition(keys)}").collect()
        return sum(batch.num_rows for batch in batches)
