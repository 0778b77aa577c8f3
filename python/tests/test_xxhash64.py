"""Compares the hash with vectors of the specification and with another implementation."""

from __future__ import annotations

import random

import pytest

from spark_sbbf.xxhash64 import xxhash64


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0xEF46DB3751D8E999),
        (b"a", 0xD24EC4F1A98C6E5B),
        (b"abc", 0x44BC2CF5AD770999),
        (b"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1),
    ],
)
def test_vectors(data: bytes, expected: int) -> None:
    assert xxhash64(data) == expected


def test_any_bytes_as_another_implementation() -> None:
    other = pytest.importorskip("xxhash")
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for length in [*range(100), 1000, 4095]:
        data = source.randbytes(length)
        assert xxhash64(data) == other.xxh64_intdigest(data)
