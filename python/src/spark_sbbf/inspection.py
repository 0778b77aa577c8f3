"""Lists the filters of files and probes them for a value."""

from __future__ import annotations

import os
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Union

from spark_sbbf.bridge import add_jar, jar_class_loader, running, table_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Literal = Union[int, float, str, bytes, bool, Decimal, date, datetime]


def inspect(spark: SparkSession, table: str | os.PathLike[str]) -> DataFrame:
    """Lists the bloom filters of a table's Parquet files, or of the ORC files of a path.

    Of ORC files, a row group of the result is a stripe, and its filters are those of the row groups
    in the stripe together.

    Args:
        spark: A session, classic or Spark Connect.
        table: A table name such as ``"db.events"``, also of a Delta or Iceberg table, whose current
            files are listed, or a file, a folder or a glob pattern.

    Returns:
        One row for each file, row group and column that has a filter, or whose filter cannot be
        read, such as that of an encrypted column; ``reason`` says why. The columns are those of the
        data source ``format("sbbf")``: the location of the filter, its size, its fill and its
        effective false positive probability. ``verdict`` is null.

    Raises:
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    return _read(spark, table, {})


def probe(
    spark: SparkSession, table: str | os.PathLike[str], column: str, value: Literal
) -> DataFrame:
    """Shows which row groups of Parquet files, or stripes of ORC files, might hold a value.

    A column that no file has, and a value that cannot be cast, are errors of Spark when the rows
    are fetched.

    Args:
        spark: A session, classic or Spark Connect.
        table: A table name as in ``inspect``, or a file, a folder or a glob pattern.
        column: Dotted path of the field, as the table names it.
        value: The value, which is cast to the type of the column. A datetime without a time zone is
            local time, as everywhere in PySpark.

    Returns:
        One row for each file and row group, with ``verdict``, ``evidence`` and ``reason``.

    Raises:
        ValueError: If the value is None, because filters hold no nulls.
        TypeError: If the value has another type, or as in ``enable``.
        RuntimeError: As in ``enable``.
    """
    return _read(spark, table, {"column": column, **_value_option(value)})


def _read(spark: SparkSession, table: str | os.PathLike[str], options: dict[str, str]) -> DataFrame:
    add_jar(running(spark))
    with jar_class_loader(spark):
        return spark.read.format("sbbf").options(**options).load(table_text(table))


def _value_option(value: Literal) -> dict[str, str]:
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
        "Decimal, date or datetime can be"
    )
