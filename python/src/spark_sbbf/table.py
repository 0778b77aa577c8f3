"""Formats rows as a table of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Returns one line for the names and one for each row; numbers are right-aligned."""
    cells = [[_text(row.get(column)) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells)]
    numeric = [all(not isinstance(row.get(c), str) for row in rows) for c in columns]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric)
        ).rstrip()
        for line in [list(columns), *cells]
    ]
    return "\n".join(lines)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def common_folder(files: Sequence[str]) -> str:
    """Returns the longest common start of all paths that ends with a slash."""
    if not files:
        return ""
    first, last = min(files), max(files)
    same = next((n for n, (a, b) in enumerate(zip(first, last)) if a != b), len(first))
    return first[: first.rfind("/", 0, same) + 1]
