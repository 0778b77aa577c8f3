"""The writers of the fuzzer's files, each with random options."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datafusion
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import footers

ROW_GROUPS = 4
ROWS = 40  # of one row group
PAGES = (1, 3, 20_000)  # the most rows of a page

Writer = Callable[[pa.Table, Path, random.Random], str]


def spark_options(rng: random.Random) -> dict[str, str]:
    """Settings (`spark.`) and write options (`parquet.`) with which Spark writes one file."""
    dates = rng.choice(("CORRECTED", "CORRECTED", "LEGACY"))
    return {
        "spark.sql.parquet.outputTimestampType": rng.choice(
            ("TIMESTAMP_MICROS", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS", "INT96")
        ),
        "spark.sql.parquet.writeLegacyFormat": rng.choice(("false", "false", "true")),
        "spark.sql.parquet.datetimeRebaseModeInWrite": dates,
        "spark.sql.parquet.int96RebaseModeInWrite": dates,
        "parquet.enable.dictionary": rng.choice(("true", "false")),
        "parquet.bloom.filter.enabled": rng.choice(("true", "true", "false")),
        # Without a number of distinct values filters have the greatest size.
        "parquet.bloom.filter.max.bytes": rng.choice(("64", "1024")),
        "parquet.compression": rng.choice(("snappy", "gzip", "uncompressed")),
        "parquet.writer.version": rng.choice(("PARQUET_1_0", "PARQUET_1_0", "PARQUET_2_0")),
        "parquet.page.row.count.limit": str(rng.choice(PAGES)),
        # Row groups end when full, which is looked at every ROWS rows.
        "parquet.block.size": "1",
        "parquet.page.size.row.check.min": str(ROWS),
        "parquet.page.size.row.check.max": str(ROWS),
    }


def leaf_paths(kind: pa.DataType, path: str, element: str) -> list[str]:
    """Parquet's names of the leaves; `element` is what a list's is called."""
    if pa.types.is_struct(kind):
        return [p for f in kind for p in leaf_paths(f.type, f"{path}.{f.name}", element)]
    if pa.types.is_list(kind):
        return leaf_paths(kind.value_type, f"{path}.list.{element}", element)
    if pa.types.is_map(kind):
        pair = f"{path}.key_value"
        return [f"{pair}.key", *leaf_paths(kind.item_type, f"{pair}.value", element)]
    return [] if pa.types.is_boolean(kind) else [path]  # pyarrow refuses BOOLEAN


def by_pyarrow(table: pa.Table, to: Path, rng: random.Random) -> str:
    compliant = rng.random() < 0.7
    element = "element" if compliant else "item"
    paths = [p for f in table.schema for p in leaf_paths(f.type, f.name, element)]
    filtered = [path for path in paths if rng.random() < 0.75]
    page = rng.choice(PAGES)
    options: dict[str, Any] = {
        "use_dictionary": rng.random() < 0.4,
        "write_statistics": rng.random() < 0.8,
        "data_page_version": rng.choice(("1.0", "2.0")),
        "store_decimal_as_integer": rng.random() < 0.5,
        "use_compliant_nested_type": compliant,
        "write_page_index": rng.random() < 0.5,
        "max_rows_per_page": page,
        "write_batch_size": page,
        "compression": rng.choice(("snappy", "zstd", "none")),
    }
    pq.write_table(
        table,
        to,
        row_group_size=ROWS,
        bloom_filter_options={path: {"ndv": ROWS, "fpp": 0.01} for path in filtered},
        **options,
    )
    features = " ".join(f"{key}={value}" for key, value in options.items())
    return f"{features} {changed(table, to, rng, filtered)}"


def changed(table: pa.Table, file: Path, rng: random.Random, filtered: list[str]) -> str:
    """Makes the file one of a writer that states less, or whose filters or bounds are invalid."""
    texts = [f.name for f in table.schema if pa.types.is_string(f.type)]
    kinds = {
        "no lengths": filtered,
        "equal bounds": texts,
        "no bits": filtered,
        "damaged headers": filtered,
    }
    kind = rng.choice([*kinds, *[""] * 8])
    if not kinds.get(kind):
        return ""
    column = rng.choice(kinds[kind])
    match kind:
        case "no lengths":
            gap = rng.choice((0, 1, 55, 4096))
            footers.edit(file, footers.without_filter_lengths, b"?" * gap)
        case "equal bounds":
            footers.edit(file, lambda footer: footers.with_equal_bounds(footer, column))
        case "no bits":
            footers.overwrite_filters(file, column, footers.clear_bits)
        case "damaged headers":
            footers.overwrite_filters(file, column, footers.damage_header)
    return f"{kind} of {column}"


def by_duckdb(table: pa.Table, to: Path, rng: random.Random) -> str:
    """Filters only where a chunk is all dictionary: the limit makes every column so.

    DuckDB's row groups are multiples of its vectors of 2,048 rows: one for this file.
    """
    limit = rng.choice((1, 100_000))
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        connection.register("content", table)
        connection.execute(
            f"copy content to '{to}' (format parquet, dictionary_size_limit {limit}, "
            f"parquet_version {rng.choice(('v1', 'v2'))})"
        )
    return f"dictionary_size_limit={limit}"


def by_datafusion(table: pa.Table, to: Path, rng: random.Random) -> str:
    dictionary, statistics = rng.random() < 0.5, rng.choice(("page", "chunk", "none"))
    page = rng.choice(PAGES)
    options = datafusion.ParquetWriterOptions(
        max_row_group_size=ROWS,
        dictionary_enabled=dictionary,
        statistics_enabled=statistics,
        bloom_filter_on_write=True,
        bloom_filter_fpp=0.01,
        bloom_filter_ndv=ROWS,
        compression="snappy",
        data_page_row_count_limit=page,
        write_batch_size=page,
    )
    frame = datafusion.SessionContext().from_arrow(table)
    frame = frame.repartition(1).sort(id_of(table))
    frame.write_parquet_with_options(str(to), options)
    return f"dictionary={dictionary} statistics={statistics} page={page}"


def id_of(table: pa.Table) -> Any:
    (name,) = (n for n in table.column_names if n.lower() == "id")
    return datafusion.col(f'"{name}"')


FOREIGN: dict[str, Writer] = {
    "pyarrow": by_pyarrow,
    "duckdb": by_duckdb,
    "datafusion": by_datafusion,
}
