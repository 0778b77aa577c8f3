"""Estimates the cost and the benefit of bloom filters before they are written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_sbbf.bridge import (
    add_jar,
    jar_class_loader,
    running,
    table_text,
    translate_jvm_errors,
    where_option,
)
from spark_sbbf.catalog import add_catalog, as_view
from spark_sbbf.progress import in_notebook
from spark_sbbf.rendering import render
from spark_sbbf.svg import BLUE, GREEN, ORANGE, SKY_BLUE, VERMILION, Bar, Part
from spark_sbbf.writer import AUTO, TABLE_PROPERTIES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Queries = DataFrame | str | Iterable[DataFrame | str] | None

Row = Mapping[str, Any]

ACTIONABLE = ("add", "replace")


def advise(
    spark: SparkSession,
    table: str | os.PathLike[str],
    columns: str | Iterable[str] = (),
    *,
    fpp: float | str = AUTO,
    row_groups: int = 16,
    queries: Queries = None,
    history: bool = False,
    where: str | None = None,
    report: str | Path | None = None,
) -> DataFrame:
    """Estimates, for each column, the cost and the benefit of bloom filters in a table's files.

    Reads the footers of at most 1,000 files, drawn at random, and the values of a few row groups.
    A notebook shows a chart of the result.

    ``advice`` is one of ``add``, ``replace`` (existing filters are too full or far too large),
    ``keep``, ``min_max`` or ``dictionary`` (which prune as well), ``sort`` (most values are in most
    row groups, which sorting would change), ``none`` and ``unknown`` (nothing could be sampled);
    ``reason`` has the numbers behind it. A lookup reads, on average, ``kept_present`` row groups
    for a present value and ``kept_absent`` for an absent one; with filters of the FPP ``fpp``,
    ``new_kept_present`` and ``new_kept_absent``. For a Delta or Iceberg table,
    ``table_properties`` has the properties that make the advised filters. The documentation
    describes all columns and their estimation.

    Examples:
        >>> advise(spark, "events").select("path_in_schema", "advice").show()  # doctest: +SKIP

    Args:
        spark: A session, classic or Spark Connect (4.0 or newer).
        table: A table name such as ``"db.events"``, also of a Delta or Iceberg table, or a file, a
            folder or a glob pattern.
        columns: Dotted Parquet paths, as in ``add_filters``; for a Delta or Iceberg table, the
            names of its columns. The default is all columns.
        fpp: FPP of the advised filters. ``"auto"`` follows the number of row groups.
        row_groups: Number of row groups whose values are read, at least 4.
        queries: DataFrames of this session or texts of SELECT, whose lookups weigh the columns.
            They are planned, but not run.
        history: Whether the queries that this session has planned while enabled weigh the columns.
        where: A condition of SQL on partition columns, such as ``"day >= '2026-11-01'"``: advises
            for the files of these partitions alone. For an Iceberg table it may use any column.
        report: A file for the chart and the numbers, as HTML.

    Returns:
        One row for each column. Columns with something to do come first.

    Raises:
        ValueError: If an option is invalid, there are no files, ``where`` selects none, no file has
            a named column, the queries look nothing up in the files, or the path is in the folder
            of a Delta, Iceberg or Hudi table.
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
        FileNotFoundError: If the folder of ``report`` does not exist.
        IsADirectoryError: If ``report`` is a folder.
    """
    add_jar(running(spark))
    target = None if report is None else writable(Path(report))
    named = [columns] if isinstance(columns, str) else list(columns)
    name = table_text(table)
    options = {"columns": json.dumps(named), "fpp": str(fpp), "row_groups": str(row_groups)}
    options |= where_option(where)
    if history:
        options["history"] = "true"
    with ExitStack() as stack:
        stack.enter_context(translate_jvm_errors())
        stack.enter_context(jar_class_loader(spark))
        add_catalog(spark)
        if queries is not None:
            frames = [_frame(spark, query) for query in _listed(queries)]
            options["views"] = ",".join(stack.enter_context(as_view(df)) for df in frames)
        quoted = name.replace("`", "``")
        advice = spark.read.options(**options).table(f"sbbf.advice.`{quoted}`")
        rows = advice.collect()
        found: DataFrame = spark.createDataFrame(rows, advice.schema)
    page = as_html(name, [row.asDict() for row in rows])
    if target is not None:
        write_page(target, page)
    if in_notebook():
        _display(page)
    return found


def as_html(table: str, rows: Sequence[Row]) -> str:
    """Returns the rows of ``advise`` as a chart and a table."""
    named = {
        advice: [row["path_in_schema"] for row in rows if row["advice"] == advice]
        for advice in ACTIONABLE
    }
    return render(
        "advice.html",
        table=table,
        columns=[AdvisedColumn(row) for row in rows],
        sampled=max((row["sampled_row_groups"] for row in rows), default=0),
        actions={advice: names for advice, names in named.items() if names},
        properties=table_properties(rows),
        unset=fixed_sizes(table_properties(rows)),
    )


def table_properties(rows: Sequence[Row]) -> dict[str, str]:
    """Returns the properties of a table for all advised filters; none for files without a table.

    The largest size of a filter is a property of the whole table: the largest one serves all.
    """
    merged: dict[str, str] = {}
    for row in rows:
        for key, value in (row.get("table_properties") or {}).items():
            merged[key] = max(merged.get(key, value), value, key=lambda text: (len(text), text))
    return dict(sorted(merged.items()))


def fixed_sizes(properties: Mapping[str, str]) -> list[str]:
    """Returns the properties that would fix the size of filters whose writer is to choose it."""
    return [
        names.ndv + key.removeprefix(names.enabled)
        for names in TABLE_PROPERTIES.values()
        for key in properties
        if names.adaptive in properties and key.startswith(names.enabled)
    ]


def write_page(file: Path, html: str) -> None:
    """Writes a file that a browser shows."""
    file.write_text(f"<!doctype html>\n<meta charset='utf-8'>\n{html}", encoding="utf-8")


@dataclass(frozen=True)
class AdvisedColumn:
    """One column of the chart."""

    row: Row

    @property
    def bars(self) -> list[Bar]:
        """The row groups that a lookup reads, out of all row groups of the column."""
        most = max(1, self.row["row_groups"])
        bars = []
        for index, (name, (key, colour)) in enumerate(SERIES.items()):
            width = max(1.0, WIDTH * min(1.0, self.row[key] / most))
            label = f"{self.row[key]:,.1f}"
            part = Part(name, colour, 0, LINE * index, width, LINE - 3)
            bars.append(Bar(f"{name}: {label}", [part], label))
        return bars


SERIES = {
    "now, for a present value": ("kept_present", VERMILION),
    "now, for an absent value": ("kept_absent", ORANGE),
    "with filters, for a present value": ("new_kept_present", BLUE),
    "with filters, for an absent value": ("new_kept_absent", SKY_BLUE),
    "sorted by the column, without filters": ("kept_sorted", GREEN),
}
WIDTH, LINE = 240.0, 12.0


def _listed(queries: Any) -> list[Any]:
    """Returns a list of queries. A text or a DataFrame is one query, though both are iterable."""
    one = isinstance(queries, str) or hasattr(queries, "sparkSession")
    return [queries] if one else list(queries)


def _frame(spark: SparkSession, query: Any) -> Any:
    """Returns the DataFrame of a query. Wraps a text, so that commands are rejected, not run."""
    if isinstance(query, str):
        return spark.sql(f"SELECT * FROM (\n{query.strip().rstrip(';')}\n)")
    if getattr(query, "sparkSession", None) is not spark:
        raise ValueError("queries: expected DataFrames of the same session, or texts of SELECT")
    return query


def writable(file: Path) -> Path:
    """Returns the file.

    Raises:
        IsADirectoryError: If it is a folder.
        FileNotFoundError: If its folder does not exist.
    """
    if file.is_dir():
        raise IsADirectoryError(f"report: {file} is a folder: name a file in it")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"report: no folder {file.parent}")
    return file


def _display(page: str) -> None:
    from IPython import display  # present in every notebook

    display.display_html(page, raw=True)
