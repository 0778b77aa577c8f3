"""Lists the filters of files and probes them for values."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import ExitStack
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Union
from uuid import uuid4

from spark_sbbf.bridge import (
    add_jar,
    is_connect,
    jar_class_loader,
    running,
    table_text,
    where_option,
)
from spark_sbbf.catalog import add_catalog, as_view

Literal = Union[int, float, str, bytes, bool, Decimal, date, datetime]

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Keys = Union[list[Literal], tuple[Literal, ...], set[Literal], frozenset[Literal], DataFrame]


def inspect(
    spark: SparkSession, table: str | os.PathLike[str], *, where: str | None = None
) -> DataFrame:
    """Lists the bloom filters of a table's Parquet or ORC files.

    Of ORC files, a row group of the result is a stripe, and its filters are those of the row groups
    in the stripe together.

    Args:
        spark: A session, classic or Spark Connect.
        table: A table name such as ``"db.events"``, also of an ORC, Delta or Iceberg table, of
            which the current files are listed, or a file, a folder or a glob pattern.
        where: A condition of SQL on partition columns, such as ``"day >= '2026-11-01'"``: lists
            only files of these partitions. For an Iceberg table it may use any column.

    Returns:
        One row for each file, row group and column that has a filter, or whose filter cannot be
        read, such as that of an encrypted column; ``reason`` says why. The columns are those of the
        data source ``format("sbbf")``: the location of the filter, its size, its fill and its
        effective false positive probability. ``verdict`` is null.

    Raises:
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    return _read(spark, table, where, {})


def probe(
    spark: SparkSession,
    table: str | os.PathLike[str],
    column: str,
    value: Literal | Keys,
    *,
    where: str | None = None,
) -> DataFrame:
    """Shows which row groups of Parquet files, or stripes of ORC files, might hold a value or keys.

    Many keys, up to 1,000,000, are searched together, as a Spark job over the files. A row group
    that might hold none of them is not in the result, so that the files of the result are those
    that a deletion has to read.

    A column that no file has, and values that cannot be cast, are errors of Spark. One value
    raises them when the rows are fetched, keys possibly at the call.

    Examples:
        >>> hits = probe(spark, "events", "user_id", [42, 43])  # doctest: +SKIP
        >>> hits.select("file_name").distinct().show()  # doctest: +SKIP

    Args:
        spark: A session, classic or Spark Connect.
        table: A table name as in ``inspect``, or a file, a folder or a glob pattern.
        column: Dotted path of the field, as the table names it.
        value: A value, which is cast to the type of the column; or keys: a list, a tuple or a set
            of values, or a DataFrame of the session with one column, of text or of a type that the
            column's type can hold. Duplicates count once. A datetime without a time zone is local
            time, as everywhere in PySpark.
        where: As in ``inspect``.

    Returns:
        For one value, one row for each file and row group, with ``verdict``, ``evidence`` and
        ``reason``. For keys, one row for each key and each row group that might hold it: ``key``,
        in the type of the column, ``file_name``, ``row_group_id``, ``row_group_num_rows``,
        ``evidence`` and ``reason``. ``row_group_id`` is null for a file that cannot be read.

    Raises:
        ValueError: If a value is None, because filters hold no nulls, or if a list is empty.
        TypeError: If a value has another type, if a list mixes bytes with others, or as in
            ``enable``.
        RuntimeError: As in ``enable``.
    """
    if _is_frame(value):
        return _probe_keys(spark, table, column, value, where)
    if isinstance(value, (list, tuple, set, frozenset)):
        return _probe_keys(spark, table, column, _keys_frame(running(spark), value), where)
    return _read(spark, table, where, {"column": column, **_value_option(value)})


def _read(
    spark: SparkSession,
    table: str | os.PathLike[str],
    where: str | None,
    options: dict[str, str],
) -> DataFrame:
    add_jar(running(spark))
    options = {**options, **where_option(where)}
    with jar_class_loader(spark):
        return spark.read.format("sbbf").options(**options).load(table_text(table))


def _is_frame(value: Any) -> bool:
    return hasattr(value, "sparkSession") and hasattr(value, "createTempView")


def _keys_frame(spark: SparkSession, values: Collection[Literal]) -> DataFrame:
    if not values:
        raise ValueError("value: the list is empty; name at least one key")
    options = [_value_option(value) for value in values]
    kinds = {kind for option in options for kind in option}
    if len(kinds) > 1:
        raise TypeError(
            "value: the list mixes bytes with other values; probe them one after another"
        )
    texts = [text for option in options for text in option.values()]
    if kinds == {"value_hex"}:
        return spark.createDataFrame([(bytearray.fromhex(key),) for key in texts], "key BINARY")
    return spark.createDataFrame([(key,) for key in texts], "key STRING")


def _probe_keys(
    spark: SparkSession,
    table: str | os.PathLike[str],
    column: str,
    keys: Any,
    where: str | None,
) -> DataFrame:
    add_jar(running(spark))
    if keys.sparkSession is not spark:
        raise ValueError("value: expected a DataFrame of the same session")
    with jar_class_loader(spark), ExitStack() as stack:
        if is_connect(spark):  # which resolves the view with each action: it ends with the session
            view = f"sbbf_{uuid4().hex}"
            keys.createTempView(view)
        else:
            add_catalog(spark)
            view = stack.enter_context(as_view(keys))
        return _read(spark, table, where, {"column": column, "keys": view})


def _value_option(value: Any) -> dict[str, str]:
    if value is None:
        raise ValueError("value: filters hold no nulls; query IS NULL instead of None")
    if isinstance(value, (bytes, bytearray)):
        return {"value_hex": value.hex()}
    return {"value": _as_text(value)}


def _as_text(value: Literal) -> str:
    """Returns the text from which Spark casts the value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):  # also numpy's, as pandas returns them
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))  # shortest text that gives the same double, also 'nan' and 'inf'
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.astimezone()
        return moment.isoformat(sep=" ", timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(
        f"value: cannot probe a {type(value).__qualname__}; an int, float, str, bytes, bool, "
        "Decimal, date or datetime can be, a list of them, or a DataFrame of one column"
    )
