"""Names the columns of a DataFrame as its Parquet or ORC files will."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

MOST_NAMED = 20
"""The most columns that an error lists."""


STEPS = {
    "parquet": (".list.element", ".key_value.key", ".key_value.value"),
    "orc": ("._elem", "._key", "._value"),
}
"""How a format names the elements of a list, and the keys and values of a map."""

PARTS = ("elementType", "keyType", "valueType")
"""The keys of the types within a type of Spark's schemas in JSON."""


def check_columns(columns: Iterable[str], schema: Any, format: str = "parquet") -> None:
    """Checks that files of a schema store these columns, and that their types have filters.

    Args:
        columns: Dotted paths.
        schema: A ``StructType``.
        format: ``"parquet"`` or ``"orc"``.

    Raises:
        ValueError: If not; the message names the column and those that there are.
    """
    stored = dict(stored_columns(schema, format))
    for column in columns:
        kind = stored.get(column)
        if kind is None:
            raise ValueError(f"columns: {column!r} is no column of df. {_hint(column, stored)}")
        if kind == "boolean":
            raise ValueError(
                f"columns: {column!r} is BOOLEAN, a type that has no filters: leave it out"
            )


def schema_of(df: Any) -> Any:
    """Returns the schema of a DataFrame, with BINARY for types that PySpark does not know.

    Spark 4.3 has timestamps of seven to nine digits, which its Python cannot describe.

    Raises:
        ValueError: If ``df`` has such a type and belongs to a session of Spark Connect.
    """
    from pyspark.errors import PySparkValueError
    from pyspark.sql.types import StructType

    try:
        return df.schema
    except PySparkValueError:
        if not hasattr(df, "_jdf"):
            raise ValueError("df: it has a type that PySpark does not know; leave df out") from None
        return StructType.fromJson(_described(json.loads(df._jdf.schema().json())))


def _described(kind: Any) -> Any:
    """Returns a type of a schema in JSON, with BINARY for those that PySpark does not know."""
    from pyspark.errors import PySparkValueError
    from pyspark.sql.types import StructField

    if isinstance(kind, dict):
        nested = {key: _described(kind[key]) for key in PARTS if key in kind}
        if "fields" in kind:
            nested["fields"] = [{**f, "type": _described(f["type"])} for f in kind["fields"]]
        return {**kind, **nested}
    try:
        StructField.fromJson({"name": "", "type": kind, "nullable": True})
    except PySparkValueError:
        return "binary"
    return kind


def stored_columns(schema: Any, format: str = "parquet") -> Iterator[tuple[str, str]]:
    """Returns the dotted path of each leaf of a schema with the name of its type.

    Source: ``SparkToParquetSchemaConverter`` of Spark, in the format that is not legacy, and
    ``ParserUtils.findSubtype`` of ORC.
    """
    steps = STEPS[format]
    for field in schema.fields:
        yield from _leaves(field.name, field.dataType, steps)


def _leaves(path: str, kind: Any, steps: tuple[str, str, str]) -> Iterator[tuple[str, str]]:
    element, key, value = steps
    if hasattr(kind, "sqlType"):  # a type of the user
        yield from _leaves(path, kind.sqlType(), steps)
    elif hasattr(kind, "fields"):
        for field in kind.fields:
            yield from _leaves(f"{path}.{field.name}", field.dataType, steps)
    elif hasattr(kind, "elementType"):
        yield from _leaves(path + element, kind.elementType, steps)
    elif hasattr(kind, "keyType"):
        yield from _leaves(path + key, kind.keyType, steps)
        yield from _leaves(path + value, kind.valueType, steps)
    else:
        yield path, kind.typeName()


def _hint(column: str, stored: dict[str, str]) -> str:
    below = [path for path in stored if path.startswith(f"{column}.")]
    if below:
        return f"Name what is in it: {_listed(below)}"
    root = column.split(".")[0]
    if beside := [path for path in stored if path.startswith(f"{root}.")]:
        return f"{root!r} has {_listed(beside)}"
    close = get_close_matches(column, stored, n=3)
    if close:
        return f"Did you mean {' or '.join(map(repr, close))}?"
    return f"Its columns are {_listed(list(stored))}"


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return ", ".join(paths[:MOST_NAMED]) + more
