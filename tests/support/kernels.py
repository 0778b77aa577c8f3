"""Calls both kernels of the JVM directly."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from spark_sbbf.bridge import BRIDGE


class Kernel:
    """The `scalar` or the `vector` kernel. Each call copies Python's bytes into a new JVM array."""

    def __init__(self, spark: SparkSession, name: str):
        self.java, self.gateway = spark._jvm.java, spark._sc._gateway
        loader = spark._jsparkSession.sharedState().jarClassLoader()
        core = BRIDGE.rsplit(".", 2)[0] + ".core.kernel."
        kind = loader.loadClass(f"{core}{name.capitalize()}Kernel$")
        self.kernel = kind.getField("MODULE$").get(None)
        assert self.kernel.name() == name

    def hash(self, values: Sequence[bytes]) -> Any:
        """Returns XXH64 of each value, as an array of the JVM."""
        ends = list(itertools.accumulate(map(len, values), initial=0))
        offsets = self.gateway.new_array(self.gateway.jvm.int, len(ends))
        packed = self.java.nio.ByteBuffer.wrap(struct.pack(f">{len(ends)}i", *ends))
        packed.asIntBuffer().get(offsets)
        hashes = self.longs(len(values))
        self.kernel.hashBytes(b"".join(values), offsets, 0, len(values), hashes, 0)
        return hashes

    def probe(self, bitset: bytes, hashes: Any) -> list[bool]:
        """Probes the filter for all hashes in one call."""
        matches = self.longs(len(hashes) // 64 + 1)
        self.kernel.probe(bitset, hashes, 0, len(hashes), matches)
        words = self.unsigned(matches)
        return [bool(words[n // 64] >> n % 64 & 1) for n in range(len(hashes))]

    def contains(self, bitset: bytes, hashes: Any, n: int) -> bool:
        """Probes the filter for hash `n` alone."""
        return bool(self.kernel.containsAny(bitset, hashes, n, n + 1))

    def unsigned(self, longs: Any) -> list[int]:
        buffer = self.java.nio.ByteBuffer.allocate(8 * len(longs))
        buffer.asLongBuffer().put(longs)
        return list(struct.unpack(f">{len(longs)}Q", buffer.array()))

    def longs(self, size: int) -> Any:
        return self.gateway.new_array(self.gateway.jvm.long, size)
