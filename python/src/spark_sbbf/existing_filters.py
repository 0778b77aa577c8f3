"""Adds bloom filters to Parquet files that exist already, without rewriting their data."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from spark_sbbf.bridge import (
    add_jar,
    bridge_of,
    is_connect,
    jar_class_loader,
    running,
    table_text,
    translate_jvm_errors,
)
from spark_sbbf.catalog import add_catalog
from spark_sbbf.filter_report import FilterReport
from spark_sbbf.progress import Progress, progress_bar
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
        dry_run: Only report the files, the bytes and the approximate time.
        progress: Whether to show a progress bar. None shows it in a terminal and in notebooks.

    Returns:
        The outcome for each file.

    Raises:
        ValueError: If an option is invalid, or, before any file changes, if no file has one of the
            columns or its type has no filters.
        FilterChangeError: If files failed, after all others were changed.
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    named = [columns] if isinstance(columns, str) else list(columns)
    options = bloom_options(
        *named, fpp=fpp, ndv=ndv, max_bytes=max_bytes, min_ndv=min_ndv, dictionary=dictionary
    )
    flags = {"replace": replace, "allow_table_formats": allow_table_formats, "dry_run": dry_run}
    return _change(spark, "add_filters", table, options, flags, progress)


def drop_filters(
    spark: SparkSession,
    table: str | os.PathLike[str],
    columns: str | Iterable[str] | None = None,
    *,
    allow_table_formats: bool = False,
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
        dry_run: Only report the files, the bytes and the approximate time.
        progress: Whether to show a progress bar. None shows it in a terminal and in notebooks.

    Returns:
        The outcome for each file.
    """
    named = [columns] if isinstance(columns, str) else columns
    options = {} if named is None else bloom_options(*named)
    flags = {"allow_table_formats": allow_table_formats, "dry_run": dry_run}
    return _change(spark, "drop_filters", table, options, flags, progress)


def _change(
    spark: SparkSession,
    procedure: str,
    table: str | os.PathLike[str],
    options: Mapping[str, str],
    flags: Mapping[str, bool],
    progress: bool | None,
) -> FilterReport:
    add_jar(running(spark))
    own = {name: _text(flag(name, value)) for name, value in flags.items()}
    table = table_text(table)
    if is_connect(spark):
        if spark.version.startswith("3."):  # which has no CALL
            raise RuntimeError(
                f"{procedure} over Spark Connect needs Spark 4.0 or newer, and this is Spark "
                f"{spark.version}: use a classic session, or the command "
                f"'spark-sbbf {procedure.replace('_', '-')}'"
            )
        with progress_bar(procedure, "task", progress) as show, translate_jvm_errors():
            return _report(_called(spark, procedure, table, options, own, show))
    request = {"table": table, "drop": _text(procedure == "drop_filters"), **options, **own}
    with progress_bar(procedure, "B", progress) as show, translate_jvm_errors():
        return _report(_bridged(spark, procedure, request, show))


def _report(rows: Iterable[Mapping[str, Any]]) -> FilterReport:
    report = FilterReport.of_rows(rows)
    report.raise_on_failure()
    if refused := report.of("refused"):
        counts = f"{len(refused):,} of {len(report.files):,} files were refused and are unchanged"
        warnings.warn(f"{counts}; {refused[0].file_name}: {refused[0].reason}", stacklevel=4)
    return report


def _called(
    spark: Any,
    procedure: str,
    table: str,
    options: Mapping[str, str],
    flags: Mapping[str, str],
    show: Progress,
) -> list[dict[str, Any]]:
    add_catalog(spark)
    pairs = ", ".join(f"{_quoted(key)}, {_quoted(value)}" for key, value in options.items())
    arguments = [f"table => {_quoted(table)}", *(f"{key} => {text}" for key, text in flags.items())]
    if pairs:
        arguments.append(f"options => map({pairs})")

    def tasks_done(stages: Any, **_: Any) -> None:
        stages = stages or ()
        show(sum(s.num_completed_tasks for s in stages), sum(s.num_tasks for s in stages))

    spark.registerProgressHandler(tasks_done)
    try:
        rows = spark.sql(f"CALL sbbf.system.{procedure}({', '.join(arguments)})").collect()
    finally:
        spark.removeProgressHandler(tasks_done)
    return [row.asDict() for row in rows]


def _bridged(
    spark: Any, procedure: str, request: Mapping[str, str], show: Progress
) -> list[dict[str, Any]]:
    bridge, context = bridge_of(spark), spark.sparkContext
    options = spark._jvm.java.util.HashMap()
    for key, value in request.items():
        options.put(key, value)
    title = f"spark-sbbf {procedure}"
    group = f"{title} {uuid4().hex}"

    def work() -> str:
        context.setJobGroup(group, title, interruptOnCancel=True)
        with jar_class_loader(spark):  # the class loader of this thread
            return str(bridge.changeFilters(spark._jsparkSession, options))

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], timeout=0.2).done:
                show(bridge.doneBytes(), bridge.totalBytes())
            show(bridge.doneBytes(), bridge.totalBytes())
            return [json.loads(line) for line in future.result().split("\n") if line]
        except KeyboardInterrupt:
            bridge.cancel()
            context.cancelJobGroup(group)
            raise


def _text(value: bool) -> str:
    return str(value).lower()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
