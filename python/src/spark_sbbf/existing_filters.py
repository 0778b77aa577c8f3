"""Adds bloom filters to Parquet files that exist already, without rewriting their data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from spark_sbbf.bridge import where_option
from spark_sbbf.filter_report import FilterReport
from spark_sbbf.procedures import run
from spark_sbbf.writer import DEFAULT_FPP, bloom_options, flag

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_filters(
    spark: SparkSession,
    table: str | os.PathLike[str],
    columns: str | Iterable[str],
    *,
    fpp: float | str | Mapping[str, float | str] = DEFAULT_FPP,
    ndv: int | Mapping[str, int] | None = None,
    max_bytes: int | None = None,
    min_ndv: int | Mapping[str, int] | None = None,
    dictionary: bool | Mapping[str, bool] | None = None,
    replace: bool = False,
    allow_table_formats: bool = False,
    where: str | None = None,
    dry_run: bool = False,
    progress: bool | None = None,
) -> FilterReport:
    """Adds bloom filters for ``columns`` to the Parquet files of a table, as a Spark job.

    The job copies each file byte by byte, adds exact filters and a new footer, and replaces the
    file atomically. It decodes only the column chunks of ``columns``. Concurrent readers see the
    old file or the new one. After a killed run, each file is old or new, and the next run
    continues with the files that are left. Warns if files were refused; the report names them.

    Args:
        spark: A session, classic or Spark Connect (4.0 or newer).
        table: A table name such as ``"db.events"``, or a file, a folder or a glob pattern.
        columns: Dotted Parquet paths, such as ``"user_id"``, ``"st.a"`` or
            ``"tags.list.element"``.
        fpp: False positive probability of one filter, as in ``bloom_options``.
        ndv: Most distinct values of a row group, as in ``bloom_options``.
        max_bytes: Largest bitset in bytes, as in ``bloom_options``.
        min_ndv: Fewest distinct values of a row group with a filter, as in ``bloom_options``.
        dictionary: Whether dictionary-encoded chunks get a filter, as in ``bloom_options``.
        replace: Also replace existing filters, which are kept otherwise.
        allow_table_formats: Also change files of Delta, Iceberg and Hudi tables. Their logs record
            the length of each file, so readers of the table may fail. Use it only on copies
            outside the table.
        where: A condition of SQL on partition columns, such as ``"day = '2026-11-25'"``: changes
            only files of these partitions.
        dry_run: Only report the files, the bytes and the approximate time.
        progress: Whether to show a progress bar. None shows it in a terminal and in notebooks.

    Returns:
        The outcome for each file.

    Raises:
        ValueError: If an option is invalid, or, before any file changes, if no file has one of the
            columns or its type has no filters, or if ``where`` does not select partitions.
        FilterChangeError: If files failed, after all others were changed.
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    named = [columns] if isinstance(columns, str) else list(columns)
    settings = bloom_options(
        *named, fpp=fpp, ndv=ndv, max_bytes=max_bytes, min_ndv=min_ndv, dictionary=dictionary
    )
    return _change(
        *(spark, "add_filters", table, settings, where, progress),
        replace=replace,
        allow_table_formats=allow_table_formats,
        dry_run=dry_run,
    )


def drop_filters(
    spark: SparkSession,
    table: str | os.PathLike[str],
    columns: str | Iterable[str] | None = None,
    *,
    allow_table_formats: bool = False,
    where: str | None = None,
    dry_run: bool = False,
    progress: bool | None = None,
) -> FilterReport:
    """Removes the bloom filters of columns from the footers of a table's Parquet files.

    The bytes of the filters stay in the files, where no reader looks for them. The guarantees and
    the errors are those of ``add_filters``.

    Args:
        spark: A session, classic or Spark Connect (4.0 or newer).
        table: A table name, or a file, a folder or a glob pattern.
        columns: Dotted Parquet paths. None removes the filters of all columns.
        allow_table_formats: Also change files of Delta, Iceberg and Hudi tables.
        where: As in ``add_filters``.
        dry_run: Only report the files, the bytes and the approximate time.
        progress: Whether to show a progress bar. None shows it in a terminal and in notebooks.

    Returns:
        The outcome for each file.
    """
    named = [columns] if isinstance(columns, str) else columns
    settings = {} if named is None else bloom_options(*named)
    return _change(
        *(spark, "drop_filters", table, settings, where, progress),
        allow_table_formats=allow_table_formats,
        dry_run=dry_run,
    )


def _change(
    spark: SparkSession,
    command: str,
    table: str | os.PathLike[str],
    settings: Mapping[str, str],
    where: str | None,
    progress: bool | None,
    **flags: bool,
) -> FilterReport:
    own = {name: flag(name, value) for name, value in flags.items()}
    options = {"options": settings, **own, **where_option(where)}
    report = FilterReport.of_rows(run(spark, command, table, options, progress))
    report.raise_on_failure()
    if refused := report.of("refused"):
        counts = f"{len(refused):,} of {len(report.files):,} files were refused and are unchanged"
        warnings.warn(f"{counts}; {refused[0].file_name}: {refused[0].reason}", stacklevel=3)
    return report
