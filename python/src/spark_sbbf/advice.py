"""What bloom filters would cost and give, column by column, before anybody writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_sbbf.bridge import bring_jar, mistakes, running, seeing_the_jar
from spark_sbbf.catalog import as_view, bring_catalog
from spark_sbbf.page import render
from spark_sbbf.progress import in_notebook
from spark_sbbf.writer import AUTO, bloom_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Queries = Iterable["DataFrame | str"] | str | None

Row = Mapping[str, Any]

HISTORY = "history"
WRITES = ("attach", "replace")


def advise(
    spark: SparkSession,
    path: str,
    columns: str | Iterable[str] = (),
    *,
    fpp: float | str = AUTO,
    row_groups: int = 16,
    queries: Queries = None,
    report: str | Path | None = None,
) -> DataFrame:
    """What to do about the filters of the Parquet files under a path: a row for each column, those
    that are most worth filters first.

    Examples:
        >>> advise(spark, "events").select("column", "advice", "reason").show()  # doctest: +SKIP

    The footers of at most 1,000 files are read, drawn by chance, and the values of a few row
    groups. ``advice`` is ``attach``, ``replace`` (the filters that are there are too full or far
    too large), ``keep``, ``min/max`` or ``dictionary`` (which tell as much), ``sort`` (most values
    are in most row groups, which sorting would change) or ``none``; ``reason`` says why in numbers.
    A lookup reads, on average, ``kept_present`` row groups for a value that the table has and
    ``kept_absent`` for one that it does not have; with the advised filters ``kept_present_then``
    and ``kept_absent_then``; ``kept_sorted`` if the table were sorted by the column and had no
    filters. The documentation tells all columns and how they are estimated.

    A notebook shows a picture of it.

    Args:
        spark: a session, classic or Spark Connect (4.0 and newer).
        path: a file, a folder or a pattern of Hadoop's.
        columns: dotted Parquet paths, as of ``attach``; all if none is named.
        fpp: of the filters that may be advised, or ``"auto"`` for one that follows the number of
            row groups.
        row_groups: how many have their values read, at least 2.
        queries: DataFrames, or texts of SELECT, whose lookups weigh the columns; or ``"history"``
            for the queries that this session has planned while it was enabled.
        report: a file that gets the picture and the numbers, as HTML.

    Raises ValueError for an option that is wrong, a path without files and a column that no file
    has; TypeError and RuntimeError for a session as ``enable`` does.
    """
    bring_jar(running(spark))
    named = [columns] if isinstance(columns, str) else list(columns)
    options = {**(bloom_options(*named) if named else {}), "row_groups": str(row_groups)}
    with ExitStack() as stack:
        stack.enter_context(mistakes())
        stack.enter_context(seeing_the_jar(spark))
        bring_catalog(spark)
        if queries == HISTORY:
            options["history"] = "true"
        elif queries is not None:
            frames = [_frame(spark, query) for query in queries]
            options["views"] = ",".join(stack.enter_context(as_view(df)) for df in frames)
        quoted = path.replace("`", "``")
        table = spark.read.options(**options, fpp=str(fpp)).table(f"sbbf.advice.`{quoted}`")
        rows = table.collect()
        found: DataFrame = spark.createDataFrame(rows, table.schema)
    page = as_html(path, [row.asDict() for row in rows])
    if report is not None:
        write_page(Path(report), page)
    if in_notebook():
        _display(page)
    return found


def as_html(path: str, rows: Sequence[Row]) -> str:
    """The rows of ``advise`` as a picture and a table."""
    return render("advice.html", path=path, columns=[AdvisedColumn(row) for row in rows])


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
            "with filters, of a value that is there": ("kept_present_then", "#0072b2"),
            "with filters, of one that is not": ("kept_absent_then", "#56b4e9"),
            "sorted by it, without filters": ("kept_sorted", "#009e73"),
        }
        most = max(1, self.row["row_groups"])
        return [
            Bar(title, self.row[name], WIDTH * min(1.0, self.row[name] / most), colour)
            for title, (name, colour) in kept.items()
        ]

    @property
    def writes(self) -> bool:
        return self.row["advice"] in WRITES


@dataclass(frozen=True)
class Bar:
    title: str
    row_groups: float
    width: float
    colour: str


WIDTH = 240.0


def _frame(spark: SparkSession, query: DataFrame | str) -> DataFrame:
    """A text within a query of our own: what is no query is refused, and not run."""
    return spark.sql(f"SELECT * FROM (\n{query}\n)") if isinstance(query, str) else query


def _display(page: str) -> None:
    from IPython import display  # of the notebook that is there

    display.display_html(page, raw=True)  # type: ignore[no-untyped-call]
