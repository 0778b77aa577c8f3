"""Writes one table with every kind of column, by each Parquet writer on PyPI.

Even numbers make the values that the table holds, odd numbers the absent ones. The rows are
shuffled, so that bounds rule out little.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import datafusion
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf

VALUES = 120  # distinct values of each column; twice as many fit a TINYINT
ROWS = 30  # rows of one row group, where the writer can make them so small
FPP = 0.001

Value = Any


@dataclass(frozen=True)
class Kind:
    """A column: its name, its types and its values. `value` makes a value of a number below 240."""

    name: str
    arrow: pa.DataType
    ddl: str
    value: Callable[[int], Value]

    def present(self) -> list[Value]:
        return [self.value(2 * n) for n in range(VALUES)]

    def absent(self) -> list[Value]:
        return [self.value(2 * n + 1) for n in range(VALUES)]


def spread(bits: int) -> Callable[[int], int]:
    """Spreads numbers over a signed type: multiplication by an odd number is a permutation."""
    odd, half = 0x9E3779B97F4A7C15 >> 64 - bits | 1, 1 << bits - 1
    return lambda n: (n + 1) * odd % (1 << bits) - half


def unsigned(bits: int) -> Callable[[int], int]:
    return lambda n: spread(bits)(n) + (1 << bits - 1)


def money(digits: int, scale: int) -> Callable[[int], Decimal]:
    """Makes decimals of up to `digits` digits and of both signs."""
    of = spread(digits * 3)
    return lambda n: Decimal(of(n)).scaleb(-scale)


def moment(unit: timedelta, zone: Any = UTC) -> Callable[[int], datetime]:
    start = datetime(2013, 1, 1, tzinfo=zone)
    return lambda n: start + (spread(32)(n) + 2**31) * unit


def text(n: int) -> str:
    return f"{spread(48)(n):x} ä😀"[: 4 + n % 20]


KINDS = [
    Kind("i8", pa.int8(), "tinyint", lambda n: n - 120),
    Kind("i16", pa.int16(), "smallint", spread(16)),
    Kind("i32", pa.int32(), "int", spread(32)),
    Kind("i64", pa.int64(), "bigint", spread(64)),
    Kind("u8", pa.uint8(), "smallint", lambda n: n),
    Kind("u16", pa.uint16(), "int", unsigned(16)),
    Kind("u32", pa.uint32(), "bigint", unsigned(32)),
    Kind("u64", pa.uint64(), "decimal(20,0)", unsigned(64)),
    Kind("f32", pa.float32(), "float", lambda n: spread(20)(n) / 64),
    Kind("f64", pa.float64(), "double", lambda n: spread(40)(n) / 7),
    Kind("s", pa.string(), "string", lambda n: f"{n}:" + text(n)),
    Kind("bin", pa.binary(), "binary", lambda n: struct.pack("<q", spread(60)(n))[: 2 + n % 7]),
    Kind("day", pa.date32(), "date", lambda n: date(2013, 1, 1) + timedelta(spread(14)(n))),
    Kind("ms", pa.timestamp("ms", "UTC"), "timestamp", moment(timedelta(milliseconds=1))),
    Kind("us", pa.timestamp("us", "UTC"), "timestamp", moment(timedelta(microseconds=1))),
    Kind("ntz", pa.timestamp("us"), "timestamp_ntz", moment(timedelta(microseconds=1), None)),
    Kind("dec9", pa.decimal128(9, 2), "decimal(9,2)", money(9, 2)),
    Kind("dec18", pa.decimal128(18, 4), "decimal(18,4)", money(18, 4)),
    Kind("dec38", pa.decimal128(38, 10), "decimal(38,10)", money(21, 10)),
]
UNSIGNED = ("u8", "u16", "u32", "u64")


def table(without: tuple[str, ...] = ()) -> pa.Table:
    """Returns the present values, each once, with every column in its own order."""
    columns = {}
    for kind in KINDS:
        if kind.name not in without:
            values = kind.present()
            random.Random(kind.name).shuffle(values)
            columns[kind.name] = pa.array(values, kind.arrow)
    return pa.table(columns)


def by_pyarrow(file: Path, spark: SparkSession) -> None:
    names = [kind.name for kind in KINDS]
    samples.write(file, dict(zip(names, table().columns, strict=True)), ROWS, filters=names)


def by_duckdb(file: Path, spark: SparkSession) -> None:
    """Writes one row group: DuckDB makes none of fewer than 2,048 rows.

    DuckDB writes filters for dictionaries only; the size limit gives every column a dictionary.
    """
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        connection.register("content", table())
        options = f"dictionary_size_limit 100000, bloom_filter_false_positive_ratio {FPP}"
        connection.execute(f"copy content to '{file}' (format parquet, {options})")


def by_datafusion(file: Path, spark: SparkSession) -> None:
    options = datafusion.ParquetWriterOptions(
        max_row_group_size=ROWS,
        dictionary_enabled=False,
        bloom_filter_on_write=True,
        bloom_filter_fpp=FPP,
        bloom_filter_ndv=ROWS,
    )
    frame = datafusion.SessionContext().from_arrow(table()).repartition(1)
    frame.write_parquet_with_options(str(file), options)


def by_chdb(file: Path, spark: SparkSession) -> None:
    from chdb import session

    source = file.with_suffix(".source")
    pq.write_table(table(), source)
    settings = {
        "output_format_parquet_row_group_size": ROWS,
        "output_format_parquet_write_bloom_filter": 1,
        "output_format_parquet_bloom_filter_bits_per_value": 14.4,  # for an FPP of 0.001
        "max_threads": 1,
    }
    assigned = ", ".join(f"{key} = {value}" for key, value in settings.items())
    with closing(session.Session()) as chdb:
        chdb.query(
            f"insert into function file('{file}', 'Parquet') "
            f"select * from file('{source}', 'Parquet') settings {assigned}"
        )


def by_deltalake(file: Path, spark: SparkSession) -> None:
    """Writes without the unsigned types, which Delta does not have."""
    import deltalake

    blooms = deltalake.BloomFilterProperties(set_bloom_filter_enabled=True, fpp=FPP, ndv=ROWS)
    columns = deltalake.ColumnProperties(dictionary_enabled=False, bloom_filter_properties=blooms)
    folder = file.with_suffix(".delta")
    deltalake.write_deltalake(
        folder,
        table(without=UNSIGNED),
        writer_properties=deltalake.WriterProperties(
            max_row_group_size=ROWS, default_column_properties=columns
        ),
    )
    (written,) = folder.glob("*.parquet")
    written.rename(file)


def by_spark(file: Path, spark: SparkSession) -> None:
    source, folder = file.with_suffix(".source"), file.with_suffix(".spark")
    pq.write_table(table(), source)
    schema = ", ".join(f"{kind.name} {kind.ddl}" for kind in KINDS)
    session = spark.newSession()
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    frame = session.read.schema(schema).parquet(str(source)).coalesce(1)
    options = {
        **sbbf.bloom_options(*(kind.name for kind in KINDS), fpp=FPP, ndv=ROWS),
        "parquet.enable.dictionary": "false",
        # the writer checks after this many rows whether a row group is full
        "parquet.block.size": "1",
        "parquet.page.size.row.check.min": str(ROWS),
        "parquet.page.size.row.check.max": str(ROWS),
        "parquet.block.size.row.check.min": str(ROWS),
        "parquet.block.size.row.check.max": str(ROWS),
    }
    frame.write.options(**options).parquet(str(folder))
    (written,) = folder.glob("*.parquet")
    written.rename(file)


WRITERS: dict[str, Callable[[Path, SparkSession], None]] = {
    "pyarrow": by_pyarrow,
    "duckdb": by_duckdb,
    "datafusion": by_datafusion,
    "chdb": by_chdb,
    "deltalake": by_deltalake,
    "spark": by_spark,
}


def plain(value: Value, column: pq.ColumnSchema) -> bytes:
    """Encodes a value as PLAIN in the stored type, without a length, as filters hash it."""
    if isinstance(value, Decimal):
        value = int(value.scaleb(column.scale if column.precision else 0))
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = (value - date(1970, 1, 1)).days
    elif isinstance(value, datetime):
        since = value.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
        units = {"milliseconds": timedelta(milliseconds=1), "microseconds": timedelta.resolution}
        (unit,) = (units[name] for name in units if name in str(column.logical_type))
        value = since // unit
    match column.physical_type:
        case "INT32":
            return (value % 2**32).to_bytes(4, "little")
        case "INT64":
            return (value % 2**64).to_bytes(8, "little")
        case "FLOAT":
            return struct.pack("<f", value)
        case "DOUBLE":
            return struct.pack("<d", value)
        case "FIXED_LEN_BYTE_ARRAY" if isinstance(value, int):
            return value.to_bytes(column.length, "big", signed=True)
        case _:
            return value.encode() if isinstance(value, str) else value


def sql(value: Value, kind: Kind) -> str:
    """Writes a value as a literal of the column's type."""
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, datetime):
        value = value.isoformat(sep=" ", timespec="microseconds")
    return f"cast('{value}' as {kind.ddl})"


def filters(file: Path) -> Iterator[tuple[Kind, int, pq.ColumnSchema, int]]:
    """Yields kind, row group, stored type and offset of every filter of the file."""
    kinds, parquet = {kind.name: kind for kind in KINDS}, pq.ParquetFile(file)
    for group in range(parquet.metadata.num_row_groups):
        row_group = parquet.metadata.row_group(group)
        for n in range(row_group.num_columns):
            offset = row_group.column(n).bloom_filter_offset
            if offset is not None:
                kind = kinds[row_group.column(n).path_in_schema]
                yield kind, group, parquet.schema.column(n), offset
