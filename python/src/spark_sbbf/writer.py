"""Writer options of Parquet and ORC that give columns a bloom filter."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Union

from spark_sbbf.stored_columns import check_columns, schema_of

DEFAULT_FPP = 0.01
"""parquet-mr's own default (``ParquetProperties.DEFAULT_BLOOM_FILTER_FPP``)."""

AUTO = "auto"
"""An ``fpp`` that follows the size of the table."""

MAX_FILTER_BYTES = 128 << 20
"""The largest bitset parquet-mr writes or reads (``BlockSplitBloomFilter.UPPER_BOUND_BYTES``)."""

MIN_FILTER_BYTES = 32
"""One block of a split-block bloom filter: 256 bits."""

MOST_MIN_NDV = 65_536
"""The distinct hashes that a task counts before it creates a filter."""

PerColumn = Union[Any, Mapping[str, Any]]


def bloom_options(
    *columns: str,
    fpp: float | str | Mapping[str, float | str] = DEFAULT_FPP,
    ndv: int | Mapping[str, int] | None = None,
    max_bytes: int | None = None,
    min_ndv: int | Mapping[str, int] | None = None,
    dictionary: bool | Mapping[str, bool] | None = None,
    auto: bool = False,
    df: Any = None,
    format: str = "parquet",
) -> dict[str, str]:
    """Returns options that make Spark write bloom filters.

    They are options of ``df.write``, ``df.writeStream`` and tables. In a session with spark-sbbf,
    the filter of each row group is the smallest power of two of bytes that keeps ``fpp`` for the
    distinct values in the row group; ``ndv`` is not needed. In other sessions, parquet-mr writes
    the filters.

    Spark ignores the options of writers into existing tables (``insertInto``, and ``saveAsTable``
    with the mode ``append``): the table's own options and the session's settings apply there.

    With ``format="orc"`` they are options of ORC's own writer, which makes a filter for each row
    group of 10,000 rows. It takes one ``fpp`` for all columns, and none of the other arguments.

    With ``format="delta"`` or ``"iceberg"`` they are properties of a table, which its writes obey:
    these formats ignore the options of a writer. The writer chooses the size of each filter by the
    distinct values of its row group, up to ``max_bytes`` (1 MiB), so that the files that MERGE and
    OPTIMIZE write have fitting filters. Delta on Spark 3.5 and Iceberg before 1.12 cannot: set
    ``ndv`` there. With ``ndv``, all filters of a column have one size. They take ``fpp`` as a
    number, ``ndv`` and ``max_bytes``.

    BOOLEAN columns get no filter. Do not name them for sessions without spark-sbbf: Spark's BOOLEAN
    filters are empty, so other readers lose rows.

    Examples:
        >>> bloom_options("user_id", fpp=0.001, ndv=50_000)["parquet.bloom.filter.fpp#user_id"]
        '0.001'

    Args:
        *columns: Names as in the schema; nested fields by their Parquet path, such as ``"st.a"`` or
            ``"tags.list.element"``.
        fpp: False positive probability of one filter, between 0 and 1, for all columns or
            ``{column: fpp}`` (0.01 for columns that it lacks). A lookup keeps about
            ``fpp * row groups`` row groups that do not hold its key:

            | ``fpp`` | 100 row groups | 1,000 row groups | 10,000 row groups |
            | --- | --- | --- | --- |
            | ``0.01`` | 1 | 10 | 100 |
            | ``0.001`` | 0.1 | 1 | 10 |
            | ``0.0001`` | 0.01 | 0.1 | 1 |

            ``"auto"`` selects 0.01 or less, down to 0.00001, so that a lookup falsely keeps about
            one row group of the table. It uses the size of the table at the time of the write;
            parquet-mr uses 0.01.
        ndv: The most distinct values of one ROW GROUP (not file, not table), for all columns or
            ``{column: ndv}``; filters are never larger than these need. parquet-mr sizes filters by
            it; without it, parquet-mr writes ``max_bytes``, or 1 MiB, for every column chunk.
        max_bytes: The largest bitset in bytes, for all columns: a power of two, 32 to 128 MiB. The
            default is 32 MiB, enough for 25 million values at an fpp of 0.01; parquet-mr's 1 MiB is
            enough for about 800,000.
        min_ndv: The fewest distinct values, at most 65,536, of a row group that gets a filter, for
            all columns or ``{column: min_ndv}``. parquet-mr ignores it.
        dictionary: False for no filter where all pages of a column chunk are dictionary encoded, as
            parquet-mr does. The dictionary holds all values, but is slower to read than a filter.
        auto: Also write filters for columns that are not named, if their type is that of keys
            (integers, texts, bytes, UUIDs). Row groups get them that have at least 1,000 distinct
            values (``min_ndv``) and are not all dictionary encoded. The writer hashes all of these
            columns. parquet-mr ignores it, and ``add_filters`` rejects it.
        df: The DataFrame to write, whose columns are checked.
        format: ``"parquet"``, ``"orc"``, ``"delta"`` or ``"iceberg"``.

    Returns:
        The options, or the properties of a table, each a string.

    Raises:
        ValueError: If an argument is invalid, or ``df`` lacks a column or has it in a type without
            filters; the message names it.
    """
    if not flag("auto", auto) and not columns:
        raise ValueError("columns: name at least one column")
    _check_names(columns)
    if format not in ("parquet", "orc", *TABLE_PROPERTIES):
        names = "'parquet', 'orc', 'delta' or 'iceberg'"
        raise ValueError(f"format must be {names}, not {format!r}")
    if df is not None:
        check_columns(columns, schema_of(df), "orc" if format == "orc" else "parquet")
    if format == "orc":
        if auto or any(given is not None for given in (ndv, max_bytes, min_ndv, dictionary)):
            raise ValueError("format: ORC's writer takes columns and one fpp only")
        return _of_orc(columns, fpp)
    if format in TABLE_PROPERTIES:
        if auto or min_ndv is not None or dictionary is not None:
            raise ValueError(
                f"format: a table of {format} takes columns, fpp, ndv and max_bytes only"
            )
        return _of_table(TABLE_PROPERTIES[format], columns, fpp, ndv, max_bytes)
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
    for column, count in _per_column("min_ndv", min_ndv, columns, _few).items():
        options[f"sbbf.bloom.filter.min.ndv#{column}"] = str(count)
    for column, value in _per_column("dictionary", dictionary, columns, flag).items():
        options[f"sbbf.bloom.filter.dictionary#{column}"] = str(value).lower()
    if auto:
        if not columns and ndv is not None:
            raise ValueError("ndv: name the columns; auto uses only max_bytes")
        options |= _for_all(fpp, min_ndv, dictionary)
    if max_bytes is not None:
        options["parquet.bloom.filter.max.bytes"] = str(_filter_bytes("max_bytes", max_bytes))
    return options


def _of_orc(columns: tuple[str, ...], fpp: Any) -> dict[str, str]:
    return {
        "orc.bloom.filter.columns": ",".join(columns),
        "orc.bloom.filter.fpp": repr(check_probability("fpp", fpp)),
    }


class TableProperties(NamedTuple):
    """The names of a table's properties; those of a column end with its name."""

    enabled: str
    fpp: str
    ndv: str
    adaptive: str
    candidates: str | None
    """How many sizes the writer tries, if a table can say so."""
    max_bytes: str


TABLE_PROPERTIES = {
    "delta": TableProperties(
        enabled="parquet.bloom.filter.enabled#",
        fpp="parquet.bloom.filter.fpp#",
        ndv="parquet.bloom.filter.expected.ndv#",
        adaptive="parquet.bloom.filter.adaptive.enabled",
        candidates="parquet.bloom.filter.candidates.number#",
        max_bytes="parquet.bloom.filter.max.bytes",
    ),
    "iceberg": TableProperties(
        enabled="write.parquet.bloom-filter-enabled.column.",
        fpp="write.parquet.bloom-filter-fpp.column.",
        ndv="write.parquet.bloom-filter-ndv.column.",
        adaptive="write.parquet.bloom-filter-adaptive-enabled",
        candidates=None,
        max_bytes="write.parquet.bloom-filter-max-bytes",
    ),
}


def _of_table(
    names: TableProperties,
    columns: tuple[str, ...],
    fpp: PerColumn,
    ndv: PerColumn,
    max_bytes: int | None,
) -> dict[str, str]:
    probabilities = _per_column("fpp", fpp, columns, check_probability)
    options = {names.adaptive: "true"}
    for column in columns:
        options[names.enabled + column] = "true"
        options[names.fpp + column] = repr(probabilities.get(column, DEFAULT_FPP))
        if names.candidates is not None:
            options[names.candidates + column] = "10"  # from 1 MiB down to 2 KiB
    for column, count in _per_column("ndv", ndv, columns, _count).items():
        options[names.ndv + column] = str(count)
    if max_bytes is not None:
        options[names.max_bytes] = str(_filter_bytes("max_bytes", max_bytes))
    return options


def check_probability(option: str, value: Any) -> float:
    """Returns a false positive probability.

    Raises:
        ValueError: If the value is not between 0 and 1, both excluded; the message names the
            option.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if isinstance(value, (bool, str)) or not 0 < number < 1:
        raise ValueError(f"{option} must be between 0 and 1, both excluded, not {value!r}")
    return number


def flag(option: str, value: Any) -> bool:
    """Returns a boolean.

    Raises:
        ValueError: If the value is not True or False; the message names the option.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{option} must be True or False, not {value!r}")
    return value


def _for_all(fpp: PerColumn, min_ndv: PerColumn, dictionary: PerColumn) -> dict[str, str]:
    """Returns the options of columns that are not named."""
    options = {"sbbf.bloom.filter.auto": "true"}
    if not isinstance(fpp, Mapping):
        options["sbbf.bloom.filter.fpp"] = str(_probability("fpp", fpp))
    if min_ndv is not None and not isinstance(min_ndv, Mapping):
        options["sbbf.bloom.filter.min.ndv"] = str(_few("min_ndv", min_ndv))
    if dictionary is not None and not isinstance(dictionary, Mapping):
        options["sbbf.bloom.filter.dictionary"] = str(flag("dictionary", dictionary)).lower()
    return options


def _check_names(columns: tuple[str, ...]) -> None:
    for column in columns:
        if not isinstance(column, str) or not column:
            raise ValueError(f"columns: {column!r} is not the name of a column")
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise ValueError(f"columns: {', '.join(twice)} named more than once")


def _per_column(
    option: str, given: PerColumn, columns: tuple[str, ...], check: Callable[[str, Any], Any]
) -> dict[str, Any]:
    """Returns the checked value of each column that has one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = dict.fromkeys(columns, given)
    strangers = sorted(str(column) for column in given if column not in columns)
    if strangers:
        raise ValueError(f"{option}: {', '.join(strangers)} not among the named columns")
    return {column: check(option, value) for column, value in given.items()}


def _probability(option: str, value: Any) -> float | str:
    return AUTO if value == AUTO else check_probability(option, value)


def _count(option: str, value: Any) -> int:
    number = whole_number(option, value)
    if number < 1:
        raise ValueError(f"{option} must be at least 1, not {value!r}")
    return number


def _few(option: str, value: Any) -> int:
    number = _count(option, value)
    if number > MOST_MIN_NDV:
        raise ValueError(f"{option} must be at most {MOST_MIN_NDV:,}, not {value!r}")
    return number


def _filter_bytes(option: str, value: Any) -> int:
    number = whole_number(option, value)
    power_of_two = number > 0 and number & (number - 1) == 0
    if not power_of_two or not MIN_FILTER_BYTES <= number <= MAX_FILTER_BYTES:
        raise ValueError(
            f"{option} must be a power of two from {MIN_FILTER_BYTES} to {MAX_FILTER_BYTES} "
            f"(128 MiB), not {value!r}"
        )
    return number


def whole_number(option: str, value: Any) -> int:
    """Returns a whole number.

    Raises:
        ValueError: If the value is none; the message names the option.
    """
    if isinstance(value, bool):
        raise ValueError(f"{option} must be a whole number, not {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{option} must be a whole number, not {value!r}") from None
