"""Probes the bloom filter index of a Lance dataset."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_sbbf.xxhash64 import xxhash64

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_BYTES = 32
SALTS = (
    *(0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D),
    *(0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31),
)
"""Multipliers of the eight words of a block (Parquet's BloomFilter.md, which Lance follows)."""


class LanceZone(NamedTuple):
    """A run of rows of a Lance fragment."""

    fragment_id: int
    zone_start: int
    """Offset of its first row in the fragment."""
    zone_length: int


def probe_lance_index(
    path: str | os.PathLike[str], values: Iterable[Any], data_type: pa.DataType
) -> list[LanceZone]:
    """Returns the zones of a Lance dataset that might hold one of some values.

    Lance hashes the bytes of a value in the column's own width, so 8-bit and 16-bit integers differ
    from Parquet, which stores them in 32 bits. A zero is looked up as both zeros. NaN has many
    encodings and may be in any zone, and so may any value of a filter that is damaged.

    Args:
        path: The file ``bloomfilter.lance`` of an index, in the dataset's folder ``_indices``.
        values: Values of the column; None stands for NULL.
        data_type: Arrow type of the column, which the file does not record.

    Returns:
        The zones, in the order of the index. Fragments that it does not list are unknown to it.

    Raises:
        RuntimeError: If the package ``pylance``, which reads the file, is not installed.
        ValueError: If the file is no bloom filter index, or its columns have no such type.
    """
    try:
        from lance.file import LanceFileReader
    except ImportError as error:
        raise RuntimeError(f"{path} cannot be read without Lance: pip install pylance") from error
    table = LanceFileReader(os.fspath(path)).read_all().to_table()
    expected = {"fragment_id", "zone_start", "zone_length", "has_null", "bloom_filter_data"}
    if not expected <= set(table.column_names):
        raise ValueError(f"{path} is no bloom filter index of Lance: its columns are others")
    wanted = list(values)
    encoded = [data for value in wanted for data in encodings(value, data_type)]
    hashes = [xxhash64(data) for data in encoded]
    with_null = any(value is None for value in wanted)
    with_nan = any(value != value for value in wanted)
    return [
        LanceZone(row["fragment_id"], row["zone_start"], row["zone_length"])
        for row in table.to_pylist()
        if with_nan
        or (with_null and row["has_null"])
        or any(might_contain(row["bloom_filter_data"], hashed) for hashed in hashes)
    ]


def encodings(value: Any, data_type: pa.DataType) -> Iterator[bytes]:
    """Returns the bytes that Lance hashes for a value, none for NULL and NaN, two for a zero.

    Raises:
        ValueError: If Lance has no bloom filter index of this type.
    """
    import pyarrow as pa

    types = pa.types
    if value is None or value != value:
        return
    if types.is_string(data_type) or types.is_large_string(data_type):
        yield str(value).encode()
    elif types.is_binary(data_type) or types.is_large_binary(data_type):
        yield bytes(value)
    elif types.is_floating(data_type) and data_type.bit_width >= 32:
        kind = "<f" if data_type.bit_width == 32 else "<d"
        try:
            (stored,) = struct.unpack(kind, struct.pack(kind, value))
        except OverflowError:  # no value of the column equals it
            return
        for number in (stored,) if stored else (0.0, -0.0):
            yield struct.pack(kind, number)
    elif types.is_integer(data_type) or types.is_temporal(data_type):
        yield pa.array([value], data_type).buffers()[1].to_pybytes()[: data_type.bit_width // 8]
    else:
        raise ValueError(f"Lance has no bloom filter index of columns of type {data_type}")


def might_contain(bitset: bytes, hashed: int) -> bool:
    """Returns whether a split-block bloom filter might hold a hash; True if it is damaged."""
    if not bitset or len(bitset) % BLOCK_BYTES:
        return True
    block = (hashed >> 32) * (len(bitset) // BLOCK_BYTES) >> 32
    words = struct.unpack_from("<8I", bitset, block * BLOCK_BYTES)
    key = hashed & 0xFFFFFFFF
    return all(word >> ((key * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(words, SALTS))
