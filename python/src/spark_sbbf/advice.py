"""What bloom filters would cost and give, column by column, before anybody writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_sbbf.bridge import bring_jar, mistakes, running, seeing_the_jar
from spark_sbbf.catalog import as_view, bring_catalog
from spark_sbbf.page import render
from spark_sbbf.progress import in_notebook
from spark_sbbf.writer import AUTO

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Queries = DataFrame | str | Iterable[DataFrame | str] | None

Row = Mapping[str, Any]

TO_DO = ("attach", "replace")


def advise(
    spark: SparkSession,
    path: str | os.PathLike[str],
    columns: str | Iterable[str] = (),
    *,
    fpp: float | str = AUTO,
    row_groups: int = 16,
    queries: Queries = None,
    history: bool = False,
    report: str | Path | None = None,
) -> DataFrame:
    """What to do about the filters of the Parquet files under a path: a row for each column, first
    those for which something is to be done.

    Examples:
        >>> advise(spark, "events").select("column", "advice", "reason").show()  # doctest: +SKIP

    The footers of at most 1,000 files are read, drawn by chance, and the values of a few row
    groups. ``advice`` is ``attach``, ``replace`` (the filters that are there are too full or far
    too large), ``keep``, ``min/max`` or ``dictionary`` (which tell as much), ``sort`` (most values
    are in most row groups, which sorting would change), ``none`` or ``unknown`` (nothing could be
    sampled); ``reason`` says why in numbers. A lookup reads, on average, ``kept_present`` row
    groups for a value that the table has and ``kept_absent`` for one that it does not have; with
    filters of the FPP ``fpp``, ``new_kept_present`` and ``new_kept_absent``. The documentation
    tells all columns and how they are estimated. A notebook shows a picture of it.

    Args:
        spark: a session, classic or Spark Connect (4.0 and newer).
        path: a file, a folder or a pattern of Hadoop's.
        columns: dotted Parquet paths, as of ``attach``; all if none is named.
        fpp: of the filters that may be advised, or ``"auto"`` for one that follows the number of
            row groups.
        row_groups: how many have their values read, at least 4.
        queries: one or some DataFrames of this session, or texts of SELECT, whose lookups weigh the
            columns. They are planned, and not run.
        history: weigh the columns by the queries that this session planned while it was enabled.
        report: a file that gets the picture and the numbers, as HTML.

    Raises ValueError for an option that is wrong, a path without files, a column that no file has,
    queries that look nothing up in these files, and for tables of Delta, Iceberg and Hudi;
    TypeError and RuntimeError for a session as ``enable`` does; FileNotFoundError for a ``report``
    in a folder that is not there, IsADirectoryError for one that is a folder.
    """
    bring_jar(running(spark))
    target = None if report is None else writable(Path(report))
    named = [columns] if isinstance(columns, str) else list(columns)
    path = os.fspath(path)
    options = {"columns": json.dumps(named), "fpp": str(fpp), "row_groups": str(row_groups)}
    if history:
        options["history"] = "true"
    with ExitStack() as stack:
        stack.enter_context(mistakes())
        stack.enter_context(seeing_the_jar(spark))
        bring_catalog(spark)
        if queries is not None:
            frames = [_frame(spark, query) for query in _listed(queries)]
            options["views"] = ",".join(stack.enter_context(as_view(df)) for df in frames)
        quoted = path.replace("`", "``")
        table = spark.read.options(**options).table(f"sbbf.advice.`{quoted}`")
        rows = table.collect()
        found: DataFrame = spark.createDataFrame(rows, table.schema)
    page = as_html(path, [row.asDict() for row in rows])
    if target is not None:
        write_page(target, page)
    if in_notebook():
        _display(page)
    return found


def as_html(path: str, rows: Sequence[Row]) -> str:
    """The rows of ``advise`` as a picture and a table."""
    to_do = {advice: [r["column"] for r in rows if r["advice"] == advice] for advice in TO_DO}
    return render(
        "advice.html",
        path=path,
        columns=[AdvisedColumn(row) for row in rows],
        sampled=max((row["sampled_row_groups"] for row in rows), default=0),
        to_do={advice: names for advice, names in to_do.items() if names},
    )


def write_page(file: Path, html: str) -> None:
    """A file that a browser shows."""
    file.write_text(f"<!doctype html>\n<meta charset='utf-8'>\n{html}", encoding="utf-8")


@dataclass(frozen=True)
class AdvisedColumn:
    """One column, as the page draws it."""

    row: Row

    @property
    def bars(self) -> list[Bar]:
        """Row groups that a lookup reads, of those that there are."""
        kept = {
            "now, of a value that is there": ("kept_present", "#d55e00"),
            "now, of one that is not": ("kept_absent", "#e69f00"),
            "with filters, of a value that is there": ("new_kept_present", "#0072b2"),
            "with filters, of one that is not": ("new_kept_absent", "#56b4e9"),
            "sorted by it, without filters": ("kept_sorted", "#009e73"),
        }
        most = max(1, self.row["row_groups"])
        return [
            Bar(title, self.row[name], WIDTH * min(1.0, self.row[name] / most), colour)
            for title, (name, colour) in kept.items()
        ]


@dataclass(frozen=True)
class Bar:
    title: str
    row_groups: float
    width: float
    colour: str


WIDTH = 240.0


def _listed(queries: Any) -> list[Any]:
    """One query is a list of one: texts and DataFrames are iterable themselves."""
    one = isinstance(queries, str) or hasattr(queries, "sparkSession")
    return [queries] if one else list(queries)


def _frame(spark: SparkSession, query: Any) -> Any:
    """A text within a query of our own: what is no query is refused, and not run."""
    if isinstance(query, str):
        return spark.sql(f"SELECT * FROM (\n{query.strip().rstrip(';')}\n)")
    if getattr(query, "sparkSession", None) is not spark:
        raise ValueError("queries: expected DataFrames of the same session, or texts of SELECT")
    return query


def writable(file: Path) -> Path:
    """The file, or an OSError where it cannot be one, before any work is done for it."""
    if file.is_dir():
        raise IsADirectoryError(f"report: {file} is a folder, name a file in it")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"report: there is no folder {file.parent}")
    return file


def _display(page: str) -> None:
    from IPython import display  # of the notebook that is there

    display.display_html(page, raw=True)  # type: ignore[no-untyped-call]
