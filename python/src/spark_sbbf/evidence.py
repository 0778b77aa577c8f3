"""Looking at the filters of files, and asking them for a value."""

from __future__ import annotations

import os
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Union

from spark_sbbf.bridge import bring_jar, running, seeing_the_jar

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Literal = Union[int, float, str, bytes, bool, Decimal, date, datetime]


def inspect(spark: SparkSession, path: str | os.PathLike[str]) -> DataFrame:
    """One row for each file, row group and column under ``path`` that has a bloom filter, or whose
    filter cannot be read, as of encrypted columns, with the ``reason``.

    The columns are those of the data source ``format("sbbf")``: where the filter is, how large and
    how full it is, what false positive probability that gives. ``verdict`` is null, as nothing is
    asked.

    Raises TypeError and RuntimeError for a session as ``enable`` does.
    """
    return _read(spark, path, {})


def probe(
    spark: SparkSession, path: str | os.PathLike[str], column: str, value: Literal
) -> DataFrame:
    """Which row groups under ``path`` might hold ``value`` in ``column``, and what says so.

    One row for each file and row group; ``verdict`` and ``evidence`` tell the answer, ``reason``
    why. ``column`` is the dotted path of the field. The value is cast to the type of the column; a
    datetime without a time zone is local time, as everywhere in PySpark.

    Raises ValueError for None (no filter holds nulls), TypeError for other types, and TypeError and
    RuntimeError for a session as ``enable`` does. A column that no file has, and a value that
    cannot be cast, are Spark's error when the rows are fetched.
    """
    return _read(spark, path, {"column": column, **_value_option(value)})


def _read(spark: SparkSession, path: str | os.PathLike[str], options: dict[str, str]) -> DataFrame:
    bring_jar(running(spark))
    with seeing_the_jar(spark):
        return spark.read.format("sbbf").options(**options).load(os.fspath(path))


def _value_option(value: Literal) -> dict[str, str]:
    if value is None:
        raise ValueError("value: None cannot be probed, filters hold no nulls; ask IS NULL instead")
    if isinstance(value, (bytes, bytearray)):
        return {"valueHex": value.hex()}
    return {"value": _as_text(value)}


def _as_text(value: Literal) -> str:
    """The value as Spark's cast from STRING reads it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):  # also numpy's, which pandas hands out
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
