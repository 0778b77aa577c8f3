"""Names the columns of a DataFrame as its Parquet files will."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

MOST_NAMED = 20
"""The most columns that an error lists."""


def check_columns(columns: Iterable[str], schema: Any) -> None:
    """Checks that files of a schema store these columns, and that their types have filters.

    Args:
        columns: Dotted Parquet paths.
        schema: A ``StructType``.

    Raises:
        ValueError: If not; the message names the column and those that there are.
    """
    stored = dict(stored_columns(schema))
    for column in columns:
        kind = stored.get(column)
        if kind is None:
            raise ValueError(f"columns: {column!r} is no column of df. {_hint(column, stored)}")
        if kind == "boolean":
            raise ValueError(
                f"columns: {column!r} is BOOLEAN, a type that has no filters: leave it out"
            )


def stored_columns(schema: Any) -> Iterator[tuple[str, str]]:
    """Returns the dotted Parquet path of each leaf of a schema with the name of its type.

    Source: ``SparkToParquetSchemaConverter`` of Spark, in the format that is not legacy.
    """
    for field in schema.fields:
        yield from _leaves(field.name, field.dataType)


def _leaves(path: str, kind: Any) -> Iterator[tuple[str, str]]:
    if hasattr(kind, "sqlType"):  # a type of the user
        yield from _leaves(path, kind.sqlType())
    elif hasattr(kind, "fields"):
        for field in kind.fields:
            yield from _leaves(f"{path}.{field.name}", field.dataType)
    elif hasattr(kind, "elementType"):
        yield from _leaves(f"{path}.list.element", kind.elementType)
    elif hasattr(kind, "keyType"):
        yield from _leaves(f"{path}.key_value.key", kind.keyType)
        yield from _leaves(f"{path}.key_value.value", kind.valueType)
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
