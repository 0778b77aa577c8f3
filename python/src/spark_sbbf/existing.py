"""Bloom filters for Parquet files that exist already, without writing their data anew."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from spark_sbbf.attached import AttachReport
from spark_sbbf.bridge import (
    bridge_of,
    bring_jar,
    is_connect,
    mistakes,
    running,
    seeing_the_jar,
)
from spark_sbbf.catalog import bring_catalog
from spark_sbbf.progress import Progress, progress_bar
from spark_sbbf.writer import DEFAULT_FPP, bloom_options, flag

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def attach(
    spark: SparkSession,
    path: str | os.PathLike[str],
    columns: str | Iterable[str],
    *,
    fpp: float | str | Mapping[str, float | str] = DEFAULT_FPP,
    ndv: int | Mapping[str, int] | None = None,
    max_bytes: int | None = None,
    min_ndv: int | Mapping[str, int] | None = None,
    dictionary: bool | Mapping[str, bool] | None = None,
    replace: bool = False,
    force: bool = False,
    dry_run: bool = False,
    progress: bool | None = None,
) -> AttachReport:
    """Gives the Parquet files under a path bloom filters of ``columns``, as a Spark job.

    Each file is copied byte by byte and takes the old one's place in one step, with exact filters
    and a new footer behind what it was; only the column chunks of ``columns`` are decoded. Whoever
    reads meanwhile sees the old file or the new one. What is killed leaves each file old or new,
    and the next run goes on with those that are left.

    Args:
        spark: a session, classic or Spark Connect (4.0 and newer).
        path: a file, a folder or a pattern of Hadoop's.
        columns: dotted Parquet paths, as ``"user_id"``, ``"st.a"`` or ``"tags.list.element"``.
        fpp: as ``ndv``, ``max_bytes``, ``min_ndv`` and ``dictionary`` those of ``bloom_options``.
        replace: also in place of filters that are there; they stay otherwise.
        force: also for Delta, Iceberg and Hudi tables, whose logs know the length of each file.
        dry_run: only tell which files, how many bytes and about how long.
        progress: show a bar; None does so in a terminal and in notebooks.

    Warns where files were refused, which the report names.

    Raises ValueError for an option that is wrong and, before anything is done, for a column that no
    file has or whose type has no filters; AttachError, a RuntimeError with the ``report``, when
    files failed, after all others were done; TypeError and RuntimeError for a session as ``enable``
    does.
    """
    named = [columns] if isinstance(columns, str) else list(columns)
    options = bloom_options(
        *named, fpp=fpp, ndv=ndv, max_bytes=max_bytes, min_ndv=min_ndv, dictionary=dictionary
    )
    flags = {"replace": replace, "force": force, "dry_run": dry_run}
    return _change(spark, "attach", path, options, flags, progress)


def detach(
    spark: SparkSession,
    path: str | os.PathLike[str],
    columns: str | Iterable[str] | None = None,
    *,
    force: bool = False,
    dry_run: bool = False,
    progress: bool | None = None,
) -> AttachReport:
    """Takes bloom filters out of the footers of the Parquet files under a path; of all columns
    where ``columns`` is None. Their bytes stay in the files, where nobody looks for them any more.

    Arguments, safety and errors are those of ``attach``.
    """
    named = [columns] if isinstance(columns, str) else columns
    options = {} if named is None else bloom_options(*named)
    flags = {"force": force, "dry_run": dry_run}
    return _change(spark, "detach", path, options, flags, progress)


def _change(
    spark: SparkSession,
    procedure: str,
    path: str | os.PathLike[str],
    options: Mapping[str, str],
    flags: Mapping[str, bool],
    progress: bool | None,
) -> AttachReport:
    bring_jar(running(spark))
    own = {name: _text(flag(name, value)) for name, value in flags.items()}
    path = os.fspath(path)
    if is_connect(spark):
        if spark.version.startswith("3."):  # which has no CALL
            raise RuntimeError(
                f"{procedure} over Spark Connect needs Spark 4.0 or newer, and this is Spark "
                f"{spark.version}: use a classic session, or the command 'spark-sbbf {procedure}'"
            )
        with progress_bar(procedure, "task", progress) as show, mistakes():
            return _report(_called(spark, procedure, path, options, own, show))
    asked = {"path": path, "drop": _text(procedure == "detach"), **options, **own}
    with progress_bar(procedure, "B", progress) as show, mistakes():
        return _report(_bridged(spark, asked, show))


def _report(rows: Iterable[Mapping[str, Any]]) -> AttachReport:
    report = AttachReport.of_rows(rows)
    report.need_no_failure()
    if refused := report.of("refused"):
        told = f"{len(refused):,} of {len(report.files):,} files were refused and are as they were"
        warnings.warn(f"{told}; {refused[0].file}: {refused[0].reason}", stacklevel=4)
    return report


def _called(
    spark: Any,
    procedure: str,
    path: str,
    options: Mapping[str, str],
    flags: Mapping[str, str],
    show: Progress,
) -> list[dict[str, Any]]:
    bring_catalog(spark)
    pairs = ", ".join(f"{_quoted(key)}, {_quoted(value)}" for key, value in options.items())
    arguments = [f"path => {_quoted(path)}", *(f"{key} => {text}" for key, text in flags.items())]
    if pairs:
        arguments.append(f"options => map({pairs})")

    def tasks_done(stages: Any, **_: Any) -> None:
        stages = stages or ()
        show(sum(s.num_completed_tasks for s in stages), sum(s.num_tasks for s in stages))

    spark.registerProgressHandler(tasks_done)
    try:
        rows = spark.sql(f"CALL sbbf.{procedure}({', '.join(arguments)})").collect()
    finally:
        spark.removeProgressHandler(tasks_done)
    return [row.asDict() for row in rows]


def _bridged(spark: Any, asked: Mapping[str, str], show: Progress) -> list[dict[str, Any]]:
    bridge, context = bridge_of(spark), spark.sparkContext
    options = spark._jvm.java.util.HashMap()
    for key, value in asked.items():
        options.put(key, value)
    group = f"spark-sbbf attach {uuid4().hex}"

    def work() -> str:
        context.setJobGroup(group, "spark-sbbf attach", interruptOnCancel=True)
        with seeing_the_jar(spark):  # of this thread
            return str(bridge.attach(spark._jsparkSession, options))

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], timeout=0.2).done:
                show(bridge.attached(), bridge.toAttach())
            show(bridge.attached(), bridge.toAttach())
            return [json.loads(line) for line in future.result().split("\n") if line]
        except KeyboardInterrupt:
            bridge.stopAttach()
            context.cancelJobGroup(group)
            raise


def _text(value: bool) -> str:
    return str(value).lower()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
