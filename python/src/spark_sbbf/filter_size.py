"""Computes the size of a bloom filter, as the exact writer does."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from spark_sbbf.writer import (
    DEFAULT_FPP,
    MAX_FILTER_BYTES,
    MIN_FILTER_BYTES,
    check_probability,
)

BYTES_PER_BLOCK = 32
"""One block has eight words of 32 bits (BloomFilter.md of the Parquet format)."""


@dataclass(frozen=True)
class FilterSize:
    """The size of a split-block bloom filter and its false positive probability."""

    bytes: int
    """Bytes of the bitset, a power of two."""
    blocks: int
    """Number of blocks of 32 bytes."""
    fpp: float
    """Share of absent values that the filter reports as present once it holds ``ndv`` values."""
    parquet_mr_bytes: int
    """Bytes that parquet-mr uses for this ``ndv`` and ``fpp``, by a formula that may miss the
    FPP."""


def sizing(ndv: int, fpp: float = DEFAULT_FPP) -> FilterSize:
    """Returns the smallest filter for ``ndv`` distinct values that keeps ``fpp``.

    The exact writer and ``add_filters`` use this size, up to 32 MiB unless ``max_bytes`` sets
    another limit. The FPP is that of equation 3 in Putze, Sanders and Singler, "Cache-, Hash- and
    Space-Efficient Bloom Filters". Filters end at 128 MiB, which may be too few for ``fpp``.

    Examples:
        >>> sizing(1_000_000, 0.01).bytes
        2097152

    Args:
        ndv: Number of distinct values, at least 0.
        fpp: False positive probability between 0 and 1, both excluded.

    Returns:
        The size in bytes and blocks, and the FPP that it gives.

    Raises:
        ValueError: If ``ndv`` is below 0 or ``fpp`` is not between 0 and 1.
        TypeError: If ``ndv`` is no whole number.
    """
    count = operator.index(ndv)
    if count < 0:
        raise ValueError(f"ndv must be at least 0, not {ndv!r}")
    probability = check_probability("fpp", fpp)
    size = MIN_FILTER_BYTES
    while size < MAX_FILTER_BYTES and false_positive_probability(count, size) > probability:
        size *= 2
    return FilterSize(
        size,
        size // BYTES_PER_BLOCK,
        false_positive_probability(count, size),
        closed_form_bytes(count, probability),
    )


def closed_form_bytes(ndv: int, fpp: float) -> int:
    """Returns parquet-mr's size: ``bits = -8 ndv / ln(1 - fpp^(1/8))``, as a power of two.

    The formula ignores that blocks fill unevenly (``FilterSizing.closedFormBytes`` of the JVM).
    """
    exact = math.ceil(-ndv / math.log1p(-(fpp ** (1 / 8))))
    size = int(max(MIN_FILTER_BYTES, min(MAX_FILTER_BYTES, exact)))
    return 1 << (size - 1).bit_length()


def false_positive_probability(ndv: int, num_bytes: int) -> float:
    """Returns the exact FPP of a filter after ``ndv`` inserts: equation 3 of Putze et al.

    The number of values in a block has a Poisson distribution. In a block of ``i`` values, each of
    the eight words has the probed bit set with probability ``1 - (31/32)^i``.
    """
    mean = ndv / (num_bytes // BYTES_PER_BLOCK)
    if mean > _CERTAIN_LOAD:
        return 1.0
    return _poisson_sum(mean) if mean else 0.0


_CERTAIN_LOAD = 1280
"""Values per block above which the FPP is 1 in a double: ``8 e^(-load/32) < 2^-54``."""

_LOG_UNSET = math.log1p(-1 / 32)


def _poisson_sum(mean: float) -> float:
    """Sums in log space, because ``e^-mean`` underflows; stops twelve deviations above the mean."""
    log_mean, log_load, total = math.log(mean), -mean, 0.0
    for load in range(1, int(mean + 12 * math.sqrt(mean)) + 65):  # an empty block reports nothing
        log_load += log_mean - math.log(load)
        total += math.exp(log_load) * (-math.expm1(load * _LOG_UNSET)) ** 8
    return min(total, 1.0)
