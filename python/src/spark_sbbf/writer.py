"""Parquet writer options that give columns a bloom filter."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Callable, Union

DEFAULT_FPP = 0.01
"""parquet-mr's own default (``ParquetProperties.DEFAULT_BLOOM_FILTER_FPP``)."""

AUTO = "auto"
"""An ``fpp`` by the size of the table that is written to."""

MAX_FILTER_BYTES = 128 << 20
"""The largest bitset parquet-mr writes or reads (``BlockSplitBloomFilter.UPPER_BOUND_BYTES``)."""

MIN_FILTER_BYTES = 32
"""One block of a split-block bloom filter: 256 bits."""

MOST_MIN_NDV = 65_536
"""The distinct hashes that a task counts before it makes a filter of them."""

PerColumn = Union[Any, Mapping[str, Any]]


def bloom_options(
    *columns: str,
    fpp: float | str | Mapping[str, float | str] = DEFAULT_FPP,
    ndv: int | Mapping[str, int] | None = None,
    max_bytes: int | None = None,
    adaptive: bool | None = None,
    candidates: int | Mapping[str, int] | None = None,
    min_ndv: int | Mapping[str, int] | None = None,
    dictionary: bool | Mapping[str, bool] | None = None,
    auto: bool = False,
    **unknown: object,
) -> dict[str, str]:
    """Options of ``df.write``, ``df.writeStream`` and tables that make Spark write bloom filters.

    In a session with spark-sbbf each row group's filter is the smallest power of two of bytes that
    keeps ``fpp`` for the distinct values that the row group really holds; ``ndv`` need not be
    known. Without, the same options give stock Spark's filters.

    Examples:
        >>> bloom_options("user_id", fpp=0.001, ndv=50_000)["parquet.bloom.filter.fpp#user_id"]
        '0.001'

    Args:
        *columns: names as in the schema; nested fields by their Parquet path, ``"st.a"`` or
            ``"tags.list.element"``.
        fpp: false positive probability of one filter, between 0 and 1, for all columns or
            ``{column: fpp}`` (0.01 where a column is not named). A lookup keeps about
            ``fpp * row groups`` row groups that do not hold its key:

            | ``fpp`` | 100 row groups | 1,000 row groups | 10,000 row groups |
            | --- | --- | --- | --- |
            | ``0.01`` | 1 | 10 | 100 |
            | ``0.001`` | 0.1 | 1 | 10 |
            | ``0.0001`` | 0.01 | 0.1 | 1 |

            ``"auto"`` takes 0.01 or less, down to 0.00001, so that about one row group of the table
            is kept falsely, by the size that the table has when it is written to; stock Spark 0.01.
        ndv: distinct values in one ROW GROUP (not file, not table), for all columns or
            ``{column: ndv}``: the most that filters are made for. Stock Spark sizes filters by it,
            and without it writes ``max_bytes``, 1 MiB unless said otherwise, for every column of
            every row group, or adapts if ``adaptive``.
        max_bytes: the largest bitset in bytes, for all columns: a power of two, 32 to 128 MiB.
            32 MiB where it is not given, enough for 25 million values at an fpp of 0.01; stock
            Spark's 1 MiB is enough for about 800,000.
        adaptive: let stock Spark (4.0 and newer) try several sizes where ``ndv`` is not given.
        candidates: how many sizes ``adaptive`` tries, for all columns or ``{column: candidates}``.
        min_ndv: no filter for row groups with fewer distinct values, at most 65,536, for all
            columns or ``{column: min_ndv}``. Not for stock Spark.
        dictionary: False for no filter where all pages of a column chunk are dictionary encoded,
            as stock Spark does it: its dictionary already says exactly which values are there, but
            takes longer to read.
        auto: filters also of columns that are not named, if their type is that of keys (integers,
            texts, bytes, UUIDs), for row groups in which they have at least 1,000 distinct values
            (``min_ndv``) and are not all dictionary encoded. All of these columns are hashed while
            they are written. Not for stock Spark, and not for ``attach``.

    Spark drops the options of writers into tables that exist (``insertInto``, and ``saveAsTable``
    with the mode ``append``): the table's own options and the session's settings count there.

    BOOLEAN columns get no filter. Do not name them where stock Spark may write: its filters of them
    have not one bit set, so that other readers find nothing.

    Raises ValueError naming the argument that is wrong.
    """
    if unknown:
        raise ValueError(f"unknown option {', '.join(sorted(unknown))}; known are {_OPTIONS}")
    if not flag("auto", auto) and not columns:
        raise ValueError("columns: name at least one column")
    _check_columns(columns)
    options = {f"parquet.bloom.filter.enabled#{column}": "true" for column in columns}
    probabilities = _per_column("fpp", fpp, columns, _probability)
    for column in columns:
        value = probabilities.get(column, DEFAULT_FPP)
        if value == AUTO:
            options[f"sbbf.bloom.filter.fpp#{column}"] = AUTO
            value = DEFAULT_FPP
        options[f"parquet.bloom.filter.fpp#{column}"] = repr(value)
    for column, count in _per_column("ndv", ndv, columns, _count).items():
        options[f"parquet.bloom.filter.expected.ndv#{column}"] = str(count)
    for column, count in _per_column("candidates", candidates, columns, _count).items():
        options[f"parquet.bloom.filter.candidates.number#{column}"] = str(count)
    for column, count in _per_column("min_ndv", min_ndv, columns, _few).items():
        options[f"sbbf.bloom.filter.min.ndv#{column}"] = str(count)
    for column, also in _per_column("dictionary", dictionary, columns, flag).items():
        options[f"sbbf.bloom.filter.dictionary#{column}"] = str(also).lower()
    if auto:
        if not columns and (ndv is not None or candidates is not None):
            raise ValueError("ndv, candidates: name the columns; auto knows max_bytes alone")
        options |= _for_all(fpp, min_ndv, dictionary)
    if max_bytes is not None:
        options["parquet.bloom.filter.max.bytes"] = str(_filter_bytes("max_bytes", max_bytes))
    if adaptive is not None:
        options["parquet.bloom.filter.adaptive.enabled"] = str(flag("adaptive", adaptive)).lower()
    return options


_OPTIONS = "fpp, ndv, max_bytes, adaptive, candidates, min_ndv, dictionary, auto"


def _for_all(fpp: PerColumn, min_ndv: PerColumn, dictionary: PerColumn) -> dict[str, str]:
    """What counts for columns that are not named."""
    options = {"sbbf.bloom.filter.auto": "true"}
    if not isinstance(fpp, Mapping):
        options["sbbf.bloom.filter.fpp"] = str(_probability("fpp", fpp))
    if min_ndv is not None and not isinstance(min_ndv, Mapping):
        options["sbbf.bloom.filter.min.ndv"] = str(_few("min_ndv", min_ndv))
    if dictionary is not None and not isinstance(dictionary, Mapping):
        options["sbbf.bloom.filter.dictionary"] = str(flag("dictionary", dictionary)).lower()
    return options


def _check_columns(columns: tuple[str, ...]) -> None:
    for column in columns:
        if not isinstance(column, str) or not column:
            raise ValueError(f"columns: {column!r} is not the name of a column")
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise ValueError(f"columns: {', '.join(twice)} named more than once")


def _per_column(
    option: str, given: PerColumn, columns: tuple[str, ...], check: Callable[[str, Any], Any]
) -> dict[str, Any]:
    """The checked value of each column that has one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = dict.fromkeys(columns, given)
    strangers = sorted(str(column) for column in given if column not in columns)
    if strangers:
        raise ValueError(f"{option}: {', '.join(strangers)} not among the columns asked for")
    return {column: check(option, value) for column, value in given.items()}


def _probability(option: str, value: Any) -> float | str:
    if value == AUTO:
        return AUTO
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if isinstance(value, (bool, str)) or not 0 < number < 1:
        raise ValueError(f"{option} must lie between 0 and 1, both excluded, not {value!r}")
    return number


def flag(option: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{option} must be True or False, not {value!r}")
    return value


def _count(option: str, value: Any) -> int:
    number = _integer(option, value)
    if number < 1:
        raise ValueError(f"{option} must be at least 1, not {value!r}")
    return number


def _few(option: str, value: Any) -> int:
    number = _count(option, value)
    if number > MOST_MIN_NDV:
        raise ValueError(f"{option} must be at most {MOST_MIN_NDV:,}, not {value!r}")
    return number


def _filter_bytes(option: str, value: Any) -> int:
    number = _integer(option, value)
    power_of_two = number > 0 and number & (number - 1) == 0
    if not power_of_two or not MIN_FILTER_BYTES <= number <= MAX_FILTER_BYTES:
        raise ValueError(
            f"{option} must be a power of two from {MIN_FILTER_BYTES} to {MAX_FILTER_BYTES} "
            f"(128 MiB), not {value!r}"
        )
    return number


def _integer(option: str, value: Any) -> int:
    if isinstance(value, bool):
        raise ValueError(f"{option} must be a whole number, not {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{option} must be a whole number, not {value!r}") from None
