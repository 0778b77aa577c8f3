"""How large a bloom filter has to be."""

from __future__ import annotations

import json
import operator
from dataclasses import dataclass

from spark_sbbf.jar import find_spark
from spark_sbbf.jvm import answers
from spark_sbbf.writer import DEFAULT_FPP


@dataclass(frozen=True)
class FilterSize:
    """A split-block bloom filter: of how many bytes, and how often it lies."""

    bytes: int
    """Of the bitset, a power of two."""
    blocks: int
    """Of 32 bytes."""
    fpp: float
    """The share of absent values that it will seem to hold, once it holds ``ndv`` values."""
    stock_bytes: int
    """What parquet-mr takes for this ``ndv`` and ``fpp``, by a formula that may miss the FPP."""


def sizing(ndv: int, fpp: float = DEFAULT_FPP) -> FilterSize:
    """The smallest filter for ``ndv`` distinct values that keeps ``fpp``.

    Examples:
        >>> sizing(1_000_000, 0.01).bytes  # doctest: +SKIP
        2097152

    It is what the exact writer and ``attach`` take, up to 32 MiB unless ``max_bytes`` says more, so
    the JAR is asked (a JVM of the Spark found runs for a moment). By equation 3 of Putze,
    Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters". Filters end at 128 MiB,
    which may be too few for ``fpp``.

    Raises ValueError for an ``ndv`` below 0 or an ``fpp`` outside of 0 and 1, both excluded;
    TypeError for an ``ndv`` that is no whole number; RuntimeError as ``jar_path`` does.
    """
    count = operator.index(ndv)
    if count < 0:
        raise ValueError(f"ndv must be at least 0, not {ndv!r}")
    if not 0 < fpp < 1:
        raise ValueError(f"fpp must lie between 0 and 1, both excluded, not {fpp!r}")
    asked = {"ndv": str(count), "fpp": repr(float(fpp))}
    (line,) = answers(find_spark(), "size", asked, {})
    return FilterSize(**json.loads(line))
