"""Damages Parquet files, a few bytes at a time."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow.parquet as pq


def zigzag_varint(value: int) -> bytes:
    """Encodes an integer as Thrift's compact protocol does."""
    value, out = value << 1 if value >= 0 else (-value << 1) - 1, bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def chunk(file: Path, column: str, row_group: int = 0) -> pq.ColumnChunkMetaData:
    group = pq.ParquetFile(file).metadata.row_group(row_group)
    chunks = (group.column(n) for n in range(group.num_columns))
    return next(c for c in chunks if c.path_in_schema == column)


def footer_start(data: bytes) -> int:
    (length,) = struct.unpack("<I", data[-8:-4])
    return len(data) - 8 - length


def patch_footer(file: Path, old: int, new: int) -> None:
    """Replaces the only `old` in the footer by `new`, which must have the same length."""
    data = file.read_bytes()
    start = footer_start(data)
    before, after = zigzag_varint(old), zigzag_varint(new)
    assert len(before) == len(after) and data.count(before, start) == 1
    file.write_bytes(data[:start] + data[start:].replace(before, after))


def patch(file: Path, offset: int, replacement: bytes) -> None:
    data = bytearray(file.read_bytes())
    data[offset : offset + len(replacement)] = replacement
    file.write_bytes(data)


def set_footer_length(file: Path, length: int) -> None:
    patch(file, file.stat().st_size - 8, struct.pack("<I", length))
