"""Small tables whose row groups are known exactly, written by pyarrow."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def write(
    file: Path,
    columns: dict[str, pa.Array | list[Any]],
    rows_per_group: int,
    filters: Sequence[str] = (),
    **options: Any,
) -> Path:
    """Writes one file, with filters of 0.0001 on the columns named and without dictionaries."""
    file.parent.mkdir(parents=True, exist_ok=True)
    blooms = {name: {"ndv": rows_per_group, "fpp": 0.0001} for name in filters}
    settings = {"use_dictionary": False, "bloom_filter_options": blooms, **options}
    pq.write_table(pa.table(columns), file, row_group_size=rows_per_group, **settings)
    return file


def write_lake(folder: Path, keys: Sequence[int], files: int, rows_per_group: int) -> str:
    """Spreads the keys in order over files of equal length, with filters; `seq` counts the rows."""
    size = len(keys) // files
    for n in range(files):
        columns = {"key": list(keys[n * size : (n + 1) * size]), "seq": list(range(size))}
        write(folder / f"{n}.parquet", columns, rows_per_group, filters=("key",))
    return str(folder)


def scattered(count: int, salt: int = 0) -> list[int]:
    """Distinct 64-bit integers in no order: the multiplication is a permutation."""
    odd = 0x9E3779B97F4A7C15
    words = ((n + salt) * odd % 2**64 for n in range(1, count + 1))
    return [word - 2**63 for word in words]


def doubles(bits: Sequence[int | None]) -> pa.Array:
    """DOUBLE values by their bit patterns, which keeps a NaN's payload."""
    return pa.array(bits, pa.uint64()).view(pa.float64())


def floats(bits: Sequence[int | None]) -> pa.Array:
    return pa.array(bits, pa.uint32()).view(pa.float32())


def bits_of(value: float, real: str = "d") -> int:
    (bits,) = struct.unpack("<Q" if real == "d" else "<I", struct.pack(f"<{real}", value))
    return bits


def write_with_and_without_filters(folder: Path, keys: list[int], rows_per_group: int) -> str:
    """One file with filters on `key`, and one of as many row groups without any; the folder."""
    columns = {"key": keys, "seq": list(range(len(keys)))}
    write(folder / "filtered.parquet", columns, rows_per_group, filters=("key",))
    moved = {"key": [key ^ 1 for key in keys], "seq": columns["seq"]}
    write(folder / "plain.parquet", moved, rows_per_group)
    return str(folder)
