"""Random tables of the differential test: one folder each, its files by different writers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import datafusion
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from columns import COLUMNS, LEAVES, SCHEMA, Column
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf

ROW_GROUPS = 4
ROWS = 40  # of one row group

Draw = Callable[[], Any]


def style(rng: random.Random, column: Column) -> Draw:
    """How one column is filled in one row group: wide, narrow, constant, special or all NULL."""
    centre = column.draw(rng)
    few = [column.draw(rng) for _ in range(4)] + column.special
    return rng.choice(
        (
            lambda: column.draw(rng),
            lambda: column.draw(rng),
            lambda: column.near(rng, column.near(rng, centre)),
            lambda: rng.choice(few),
            lambda: rng.choice(column.special or few),
            lambda: centre,
            lambda: None,
        )
    )


def fill(rng: random.Random, column: Column) -> list[Any]:
    """The values of a file, NULL among them in one row group out of three."""
    values = []
    for _ in range(ROW_GROUPS):
        draw, nulls = style(rng, column), rng.choice((0.0, 0.0, 0.2))
        values += [None if rng.random() < nulls else draw() for _ in range(ROWS)]
    return values


@dataclass
class Content:
    """What one file holds, before a writer has stored it."""

    arrow: pa.Table
    values: dict[str, set[Any]]

    @staticmethod
    def random(rng: random.Random, first_id: int) -> Content:
        size = ROW_GROUPS * ROWS
        filled = {column.name: fill(rng, column) for column in COLUMNS}
        arrays = {c.name: c.array(filled[c.name]) for c in COLUMNS}
        missing = pa.array([rng.random() < 0.1 for _ in range(size)])
        struct = pa.StructArray.from_arrays(
            [arrays.pop(c.name) for c in LEAVES], [c.name[3:] for c in LEAVES], mask=missing
        )
        table = pa.table({"id": pa.array(range(first_id, first_id + size)), **arrays, "st": struct})
        return Content(table, {name: set(v) - {None} for name, v in filled.items()})


@dataclass
class Target:
    """Where a file goes and with which filters."""

    spark: SparkSession
    folder: Path
    name: str
    rng: random.Random
    filtered: list[str] = field(init=False)

    def __post_init__(self) -> None:
        names = [c.name for c in COLUMNS if c.name != "bo"]  # pyarrow refuses BOOLEAN
        self.filtered = [name for name in names if self.rng.random() < 0.7]

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.parquet"


def by_spark(table: pa.Table, to: Target, filters: bool, dictionary: bool, timestamps: str) -> None:
    """Spark reads what pyarrow has written and writes it again, as one file."""
    staged, written = to.folder / f"_{to.name}.staged", to.folder / f"_{to.name}.spark"
    pq.write_table(table, staged)
    options = sbbf.bloom_options(*to.filtered, fpp=0.01, ndv=ROWS) if filters else {}
    to.spark.conf.set("spark.sql.parquet.outputTimestampType", timestamps)
    frame: DataFrame = to.spark.read.schema(SCHEMA).parquet(str(staged)).coalesce(1)
    frame.write.options(**options).options(
        **{
            "parquet.block.row.count.limit": str(ROWS),
            "parquet.enable.dictionary": str(dictionary).lower(),
        }
    ).parquet(str(written))
    next(written.glob("*.parquet")).rename(to.file)


def by_pyarrow(table: pa.Table, to: Target, **options: Any) -> None:
    pq.write_table(table, to.file, row_group_size=ROWS, **options)


def by_duckdb(table: pa.Table, to: Target) -> None:
    """Filters only where a chunk is all dictionary: the limit makes every column so."""
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        connection.register("content", table)
        # DuckDB's row groups are multiples of its vectors of 2,048 rows: one for this file.
        connection.execute(
            f"copy content to '{to.file}' (format parquet, dictionary_size_limit 100000)"
        )


def by_datafusion(table: pa.Table, to: Target) -> None:
    options = datafusion.ParquetWriterOptions(
        max_row_group_size=ROWS,
        dictionary_enabled=to.rng.random() < 0.5,
        bloom_filter_on_write=True,
        bloom_filter_fpp=0.01,
        bloom_filter_ndv=ROWS,
        compression="snappy",
    )
    context = datafusion.SessionContext()
    frame = context.from_arrow(table).repartition(1).sort(datafusion.col("id"))
    frame.write_parquet_with_options(str(to.file), options)


def filters_of(to: Target) -> dict[str, Any]:
    return {"bloom_filter_options": {name: {"ndv": ROWS, "fpp": 0.01} for name in to.filtered}}


WRITERS: dict[str, Callable[[pa.Table, Target], None]] = {
    "spark": lambda t, to: by_spark(t, to, True, False, "TIMESTAMP_MICROS"),
    "spark-dictionary": lambda t, to: by_spark(t, to, True, True, "TIMESTAMP_MILLIS"),
    "spark-plain": lambda t, to: by_spark(t, to, False, False, "INT96"),
    "pyarrow": lambda t, to: by_pyarrow(t, to, use_dictionary=False, **filters_of(to)),
    "pyarrow-dictionary": lambda t, to: by_pyarrow(
        t, to, data_page_version="2.0", store_decimal_as_integer=True, **filters_of(to)
    ),
    "pyarrow-no-statistics": lambda t, to: by_pyarrow(
        t, to, use_dictionary=False, write_statistics=False, **filters_of(to)
    ),
    "duckdb": by_duckdb,
    "datafusion": by_datafusion,
}


@dataclass
class Table:
    """A folder of Parquet files, and every value it was filled with, column by column."""

    path: str
    values: dict[str, list[Any]]


def write_table(spark: SparkSession, folder: Path, rng: random.Random) -> Table:
    """Writes one file for each writer; ids are unique over the table."""
    folder.mkdir()
    values: dict[str, set[Any]] = {column.name: set() for column in COLUMNS}
    for number, (name, write) in enumerate(WRITERS.items()):
        content = Content.random(rng, number * 1_000_000)
        write(content.arrow, Target(spark, folder, name, rng))
        for column, held in content.values.items():
            values[column] |= held
    # Sets of strings iterate in another order in every process: the seed must decide alone.
    return Table(str(folder), {column: sorted(held) for column, held in values.items()})
