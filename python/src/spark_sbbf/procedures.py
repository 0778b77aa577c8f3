"""Runs what changes files in the JVM: by SQL over Spark Connect, by the bridge elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
from uuid import uuid4

from spark_sbbf.bridge import jar_class_loader
from spark_sbbf.catalog import add_catalog
from spark_sbbf.progress import Progress


def require_call(spark: Any, procedure: str, otherwise: str) -> None:
    """Checks that a Spark Connect session has SQL's CALL.

    Raises:
        RuntimeError: If it has not; the message names ``otherwise``.
    """
    if spark.version.startswith("3."):
        raise RuntimeError(
            f"{procedure} over Spark Connect needs Spark 4.0 or newer, and this is Spark "
            f"{spark.version}: use {otherwise}"
        )


def call(
    spark: Any, procedure: str, arguments: Mapping[str, str], show: Progress
) -> list[dict[str, Any]]:
    """Calls a procedure of the catalog over Spark Connect, and returns its rows.

    Args:
        spark: The session.
        procedure: Its name.
        arguments: The SQL text of each argument.
        show: Receives the tasks done and all tasks.
    """
    add_catalog(spark)

    def tasks_done(stages: Any, **_: Any) -> None:
        stages = stages or ()
        show(sum(s.num_completed_tasks for s in stages), sum(s.num_tasks for s in stages))

    named = ", ".join(f"{name} => {text}" for name, text in arguments.items())
    spark.registerProgressHandler(tasks_done)
    try:
        rows = spark.sql(f"CALL sbbf.system.{procedure}({named})").collect()
    finally:
        spark.removeProgressHandler(tasks_done)
    return [row.asDict() for row in rows]


def in_jvm(
    spark: Any,
    title: str,
    work: Callable[[], str],
    watch: Callable[[str], None],
    cancel: Callable[[], None] = lambda: None,
) -> str:
    """Runs ``work`` in a classic session, in a job group that an interrupt cancels.

    Args:
        spark: The session.
        title: The description of the jobs.
        work: Calls the JVM, in a thread of its own.
        watch: Receives the job group, several times a second.
        cancel: Stops the work before its next job.
    """
    context = spark.sparkContext
    group = f"{title} {uuid4().hex}"

    def run() -> str:
        context.setJobGroup(group, title, interruptOnCancel=True)
        with jar_class_loader(spark):  # the class loader of this thread
            return work()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run)
        try:
            while not wait([future], timeout=0.2).done:
                watch(group)
            watch(group)
            return future.result()
        except KeyboardInterrupt:
            cancel()
            context.cancelJobGroup(group)
            raise


def jvm_map(spark: Any, entries: Mapping[str, str]) -> Any:
    """Returns a map of Java."""
    found = spark._jvm.java.util.HashMap()
    for key, value in entries.items():
        found.put(key, value)
    return found


def flag_text(value: bool) -> str:
    """Returns a flag as SQL and the JVM parse it."""
    return str(value).lower()


def quoted(text: str) -> str:
    """Returns a text literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
