"""Bloom filters for Parquet files that exist already, without writing their data anew."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from spark_sbbf.bridge import (
    bridge_of,
    bring_jar,
    is_connect,
    need_connect_of_4,
    running,
    seeing_the_jar,
)
from spark_sbbf.catalog import CATALOG, KEY, knows_catalog
from spark_sbbf.writer import DEFAULT_FPP, bloom_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class AttachedFile:
    """What became of the filters of one file."""

    file: str
    status: str
    """``done``, ``planned`` (a dry run), ``unchanged`` (had them already, or has none of the
    columns), ``refused`` (must not be changed) or ``failed`` (is as it was)."""
    reason: str
    row_groups: int
    filters: int
    """Filters that were written, or would be."""
    filter_bytes: int
    """Bytes of their bitsets; in a dry run by a sample."""
    bytes_read: int
    """Bytes of column chunks, compressed."""
    bytes: int
    """Bytes of the file with its filters."""
    seconds: float
    """In a dry run this file's share of the time on all cores, else how long its task took to write
    it."""


@dataclass(frozen=True, repr=False)
class AttachReport:
    """What became of the filters of some files, in the order of their paths."""

    files: list[AttachedFile]

    def of(self, status: str) -> list[AttachedFile]:
        """The files of one status."""
        return [file for file in self.files if file.status == status]

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> AttachReport:
        """The report of what the JVM answers."""
        return cls([AttachedFile(**row) for row in rows])

    def need_no_failure(self) -> None:
        """Raises RuntimeError that names files which failed."""
        failed = self.of("failed")
        if failed:
            named = "; ".join(f"{file.file}: {file.reason}" for file in failed[:_MOST_SHOWN])
            raise RuntimeError(
                f"{len(failed):,} of {len(self.files):,} files failed and are as they were, "
                f"{len(self.of('done')):,} are done; mend the cause and run it again to go on. "
                + named
            )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries and lists."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [self._done(), self._planned()]
        for status in ("unchanged", "refused", "failed"):
            files = self.of(status)
            lines.append(f"{len(files):,} files {status}" if files else "")
            lines += [f"  {f.file}: {f.reason}" for f in files if f.reason][:_MOST_SHOWN]
        return "\n".join(line for line in lines if line) or "no files"

    __repr__ = __str__

    def _done(self) -> str:
        files = self.of("done")
        if not files:
            return ""
        if not any(file.filters for file in files):
            return f"took filters out of {len(files):,} files"
        return f"wrote {_amounts(files)}"

    def _planned(self) -> str:
        files = self.of("planned")
        if not files:
            return ""
        seconds = sum(file.seconds for file in files)
        return f"would write {_amounts(files)}; that takes about {seconds:,.1f} s"


_MOST_SHOWN = 10


def _amounts(files: Sequence[AttachedFile]) -> str:
    filters = sum(file.filters for file in files)
    filter_bytes = sum(file.filter_bytes for file in files)
    read, written = sum(file.bytes_read for file in files), sum(file.bytes for file in files)
    return (
        f"{len(files):,} files of {written:,} bytes with {filters:,} new filters of "
        f"{filter_bytes:,} bytes, from {read:,} bytes of columns"
    )


def attach(
    spark: SparkSession,
    path: str,
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

    Raises ValueError for an option that is wrong and, before anything is done, for a column that no
    file has or whose type has no filters; RuntimeError when files failed, after all others were
    done; TypeError and RuntimeError for a session as ``enable`` does.
    """
    named = [columns] if isinstance(columns, str) else list(columns)
    options = bloom_options(
        *named, fpp=fpp, ndv=ndv, max_bytes=max_bytes, min_ndv=min_ndv, dictionary=dictionary
    )
    flags = {"replace": replace, "force": force, "dry_run": dry_run}
    return _change(spark, "attach", path, options, flags, progress)


def detach(
    spark: SparkSession,
    path: str,
    columns: str | Iterable[str] = (),
    *,
    force: bool = False,
    dry_run: bool = False,
    progress: bool | None = None,
) -> AttachReport:
    """Takes bloom filters out of the footers of the Parquet files under a path; of all columns if
    none is named. Their bytes stay in the files, where nobody looks for them any more.

    Arguments, safety and errors are those of ``attach``.
    """
    named = [columns] if isinstance(columns, str) else list(columns)
    options = bloom_options(*named) if named else {}
    flags = {"force": force, "dry_run": dry_run}
    return _change(spark, "detach", path, options, flags, progress)


def _change(
    spark: SparkSession,
    procedure: str,
    path: str,
    options: Mapping[str, str],
    flags: Mapping[str, bool],
    progress: bool | None,
) -> AttachReport:
    bring_jar(running(spark))
    own = {name: _text(value) for name, value in flags.items()}
    if is_connect(spark):
        need_connect_of_4(spark.version)
        with progress_bar(procedure, "task", progress) as show, _mistakes():
            return _report(_called(spark, procedure, path, options, own, show))
    asked = {"path": path, "drop": _text(procedure == "detach"), **options, **own}
    with progress_bar(procedure, "B", progress) as show, _mistakes():
        return _report(_bridged(spark, asked, show))


def _report(rows: Iterable[Mapping[str, Any]]) -> AttachReport:
    report = AttachReport.of_rows(rows)
    report.need_no_failure()
    return report


def _called(
    spark: Any,
    procedure: str,
    path: str,
    options: Mapping[str, str],
    flags: Mapping[str, str],
    show: Progress,
) -> list[dict[str, Any]]:
    if not knows_catalog(spark):
        spark.conf.set(KEY, CATALOG)
    pairs = ", ".join(f"{_quoted(key)}, {_quoted(value)}" for key, value in options.items())
    arguments = [f"path => {_quoted(path)}", *(f"{key} => {flag}" for key, flag in flags.items())]
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
            return [json.loads(line) for line in future.result().splitlines()]
        except KeyboardInterrupt:
            bridge.stopAttach()
            context.cancelJobGroup(group)
            raise


@contextmanager
def _mistakes() -> Iterator[None]:
    """What the JVM says of an argument is a ValueError, without where in the JVM; of a session, a
    RuntimeError."""
    try:
        yield
    except Exception as error:
        java = getattr(error, "java_exception", None)  # of py4j, which PySpark translates in part
        if type(error).__name__ == "IllegalArgumentException":
            raise ValueError(str(error).splitlines()[0]) from None
        if java is not None and java.getClass().getName() == "java.lang.IllegalStateException":
            raise RuntimeError(java.getMessage()) from None
        raise


@contextmanager
def progress_bar(title: str, unit: str, wanted: bool | None) -> Iterator[Progress]:
    """Shows how many units are done; None shows it in a terminal and in notebooks."""
    shown = wanted if wanted is not None else sys.stderr.isatty() or "ipykernel" in sys.modules
    if not shown:
        yield lambda done, all_: None
        return
    from tqdm.auto import tqdm

    lock = threading.Lock()
    with tqdm(desc=title, unit=unit, unit_scale=True) as bar:

        def show(done: int, all_: int) -> None:
            with lock:
                bar.total = all_ or None
                bar.update(done - bar.n)

        yield show


def _text(value: bool) -> str:
    return str(value).lower()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
