"""Prunes independently of the extension, for columns without dictionaries.

Reads footers by pyarrow and filters by the specification, and shares no code with the extension.
"""

from __future__ import annotations

import math
import struct
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow.parquet as pq
import xxhash

# https://github.com/apache/parquet-format/blob/master/BloomFilter.md
SALT = (
    0x47B6137B,
    0x44974D91,
    0x8824AD5B,
    0xA2B7289D,
    0x705495C7,
    0x2DF1424B,
    0x9EFC4947,
    0x5C6BFB31,
)
SPLIT_BLOCK_XXHASH_UNCOMPRESSED = bytes.fromhex("1c1c00001c1c00001c1c000000")


class Filter:
    """One filter: eight 32-bit words a block, in each of which a value owns one bit."""

    def __init__(self, data: bytes, offset: int):
        assert data[offset] == 0x15, "a thrift i32, field 1"
        at, size, shift = offset + 1, 0, 0
        while data[at] & 0x80:
            size, at, shift = size | (data[at] & 0x7F) << shift, at + 1, shift + 7
        size = (size | data[at] << shift) >> 1
        at += 1
        kind = data[at : at + len(SPLIT_BLOCK_XXHASH_UNCOMPRESSED)]
        assert kind == SPLIT_BLOCK_XXHASH_UNCOMPRESSED
        at += len(kind)
        assert sys.byteorder == "little", "as the file's words are"
        self.words = memoryview(data[at : at + size]).cast("I")

    def might_contain(self, plain: bytes) -> bool:
        """Returns whether the value with that PLAIN encoding may have been inserted."""
        digest = xxhash.xxh64_intdigest(plain)
        block = ((digest >> 32) * (len(self.words) // 8) >> 32) * 8
        low = digest & 0xFFFFFFFF
        return all(
            self.words[block + n] >> ((low * salt & 0xFFFFFFFF) >> 27) & 1
            for n, salt in enumerate(SALT)
        )

    @cached_property
    def false_positive_rate(self) -> float:
        """Returns the exact rate for values that were never inserted, from the bits set."""
        blocks = range(0, len(self.words), 8)
        hit = (math.prod(w.bit_count() / 32 for w in self.words[b : b + 8]) for b in blocks)
        return sum(hit) / len(blocks)


@dataclass(frozen=True)
class RowGroup:
    """The evidence of one row group for one column."""

    file: str
    ordinal: int
    low: object
    high: object
    filter: Filter | None

    def might_hold(self, value: object) -> bool:
        if not self.low <= value <= self.high:
            return False
        return self.filter is None or self.filter.might_contain(plain(value))


def plain(value: object) -> bytes:
    """PLAIN encoding of an INT64 or a string, without a length."""
    return value.encode() if isinstance(value, str) else struct.pack("<q", value)


def read_row_groups(folder: str | Path, column: str) -> list[RowGroup]:
    """Every row group of every Parquet file right inside `folder`."""
    found = []
    for path in sorted(Path(folder).glob("*.parquet")):
        data = path.read_bytes()
        footer = pq.ParquetFile(path).metadata
        for ordinal in range(footer.num_row_groups):
            group = footer.row_group(ordinal)
            chunks = (group.column(n) for n in range(group.num_columns))
            (chunk,) = (c for c in chunks if c.path_in_schema == column)
            assert not chunk.has_dictionary_page and chunk.statistics.has_min_max
            offset = chunk.bloom_filter_offset
            bloom = Filter(data, offset) if offset is not None else None
            low, high = chunk.statistics.min, chunk.statistics.max
            found.append(RowGroup(path.name, ordinal, low, high, bloom))
    return found
