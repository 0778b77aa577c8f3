"""Edits the footers of Parquet files: structures of Thrift's compact protocol, as Python values.

A structure is a dict of field ids (parquet.thrift) to values. A value keeps its wire type, so that
what was not changed is written as it was read.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from damage import footer_start, zigzag_varint

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

# Fields of parquet.thrift: FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, Statistics
ROW_GROUPS, COLUMN_ORDERS, COLUMNS, META_DATA = 4, 7, 1, 3
PATH_IN_SCHEMA, STATISTICS, FILTER_OFFSET, FILTER_LENGTH = 3, 12, 14, 15
OFFSET_INDEX_OFFSET, COLUMN_INDEX_OFFSET = 4, 6
DATA_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET = 9, 11
MAX_VALUE, MIN_VALUE, MAX_IS_EXACT, MIN_IS_EXACT = 5, 6, 7, 8

Struct = dict[int, "Typed"]


@dataclass
class Typed:
    """A value and its wire type. The value of a list has its elements' type, and the elements."""

    kind: int
    value: Any


class Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def integer(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def struct(self) -> Struct:
        fields: Struct = {}
        field = 0
        while header := self.take(1)[0]:
            kind, delta = header & 0x0F, header >> 4
            field = field + delta if delta else self.integer()
            fields[field] = Typed(kind, self.value(kind))
        return fields

    def value(self, kind: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == TRUE
            case 3:
                return self.take(1)
            case 4 | 5 | 6:
                return self.integer()
            case 7:
                return self.take(8)
            case 8:
                return self.take(self.varint())
            case 9 | 10:
                header = self.take(1)[0]
                count = header >> 4 if header >> 4 < 15 else self.varint()
                kind = header & 0x0F
                return kind, [
                    self.take(1)[0] == TRUE if kind in (TRUE, FALSE) else self.value(kind)
                    for _ in range(count)
                ]
            case 12:
                return self.struct()
            case _:
                raise ValueError(f"type {kind} is in no footer")


def written(fields: Struct) -> bytes:
    out, last = bytearray(), 0
    for field, typed in sorted(fields.items()):
        kind = (TRUE if typed.value else FALSE) if typed.kind in (TRUE, FALSE) else typed.kind
        delta = field - last
        out += bytes([delta << 4 | kind]) if delta < 16 else bytes([kind]) + zigzag_varint(field)
        if kind not in (TRUE, FALSE):
            out += encoded(kind, typed.value)
        last = field
    return bytes(out) + b"\0"


def unsigned_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def encoded(kind: int, value: Any) -> bytes:
    match kind:
        case 1 | 2:
            return bytes([TRUE if value else FALSE])
        case 3 | 7:
            return bytes(value)
        case 4 | 5 | 6:
            return zigzag_varint(value)
        case 8:
            return unsigned_varint(len(value)) + value
        case 9 | 10:
            kind, elements = value
            count = len(elements)
            header = bytes([min(count, 15) << 4 | kind])
            more = unsigned_varint(count) if count >= 15 else b""
            return header + more + b"".join(encoded(kind, element) for element in elements)
        case _:
            return written(value)


def read_footer(file: Path) -> Struct:
    data = file.read_bytes()
    return Reader(data[footer_start(data) : -8]).struct()


def edit(file: Path, change: Callable[[Struct], None], before_footer: bytes = b"") -> None:
    """Changes the footer of a file, and adds some bytes in front of it that no field names."""
    data = file.read_bytes()
    start = footer_start(data)
    footer = Reader(data[start:-8]).struct()
    change(footer)
    thrift = written(footer)
    file.write_bytes(
        data[:start] + before_footer + thrift + struct.pack("<I", len(thrift)) + data[-4:]
    )


def chunks(footer: Struct, column: str | None = None) -> list[Struct]:
    """Returns the metadata of the column chunks, of one column or of all."""
    groups = footer[ROW_GROUPS].value[1]
    found = [
        chunk[META_DATA].value
        for group in groups
        for chunk in group[COLUMNS].value[1]
        if META_DATA in chunk
    ]
    return [chunk for chunk in found if column in (None, path_of(chunk))]


def path_of(chunk: Struct) -> str:
    return ".".join(name.decode() for name in chunk[PATH_IN_SCHEMA].value[1])


def without_filter_lengths(footer: Struct) -> None:
    """Leaves out the lengths of filters, as parquet-mr did before 1.14 and QuestDB does."""
    for chunk in chunks(footer):
        chunk.pop(FILTER_LENGTH, None)


def without_column_orders(footer: Struct) -> None:
    footer.pop(COLUMN_ORDERS, None)


def with_equal_bounds(footer: Struct, column: str) -> None:
    """Cuts both bounds of texts to what they share, as inexact ones, and raises no maximum."""
    for chunk in chunks(footer, column):
        statistics = chunk[STATISTICS].value if STATISTICS in chunk else {}
        if MAX_VALUE in statistics and MIN_VALUE in statistics:
            low, high = statistics[MIN_VALUE].value, statistics[MAX_VALUE].value
            pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(low, high))
            shared = bytes(byte for byte, _ in pairs)
            for bound, is_exact in ((MAX_VALUE, MAX_IS_EXACT), (MIN_VALUE, MIN_IS_EXACT)):
                statistics[bound] = Typed(BINARY, shared)
                statistics[is_exact] = Typed(FALSE, False)


def overwrite_filters(
    file: Path, column: str, change: Callable[[bytearray, int, int], None]
) -> None:
    """Changes the bytes of the filters of a column: `change` gets the file, and start and end."""
    data = bytearray(file.read_bytes())
    for chunk in chunks(read_footer(file), column):
        if FILTER_OFFSET in chunk:
            start = chunk[FILTER_OFFSET].value
            change(data, start, start + chunk[FILTER_LENGTH].value)
    file.write_bytes(data)


def clear_bits(data: bytearray, start: int, end: int) -> None:
    """Clears all bits of a filter."""
    header = Reader(bytes(data[start:end]))
    header.struct()
    data[start + header.at : end] = bytes(end - start - header.at)


def damage_header(data: bytearray, start: int, end: int) -> None:
    data[start] = 0


def halve_header(data: bytearray, start: int, end: int) -> None:
    """Lets the header of a filter claim half of its bytes, in a varint of as many bytes."""
    header = Reader(bytes(data[start + 1 : end]))
    size, length = header.integer(), header.at
    digits = [size >> 7 * n & 0x7F | 0x80 for n in range(length)]  # the zigzag of the half
    digits[-1] &= 0x7F
    data[start + 1 : start + 1 + length] = bytes(digits)
