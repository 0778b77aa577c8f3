"""Runs the commands of the JVM on a table: by SQL over Spark Connect, by the bridge elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
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
from spark_sbbf.progress import Progress, progress_bar

OVER_CONNECT = (
    "{} over Spark Connect needs Spark 4.0 or newer, and this is Spark {}: use a classic session, "
    "or the command 'spark-sbbf {}'"
)


def run(
    spark: Any,
    command: str,
    table: str | os.PathLike[str],
    options: Mapping[str, Any],
    progress: bool | None = False,
) -> list[dict[str, Any]]:
    """Runs a command and returns its rows.

    Args:
        spark: A session, classic or Spark Connect.
        command: The name of the command in the JVM and of the procedure of SQL.
        table: A table name or a path.
        options: Texts, numbers, flags, lists of names and dicts of settings; None for an option
            that is not given.
        progress: As in ``progress_bar``.

    Raises:
        TypeError: If ``table`` is neither a name nor a path, or as in ``running``.
        ValueError: If the JVM rejects an option.
        RuntimeError: If the JVM rejects the state of the session, or the session uses Spark Connect
            before Spark 4.0.
    """
    add_jar(running(spark))
    given = {name: value for name, value in options.items() if value is not None}
    given["table"] = table_text(table)
    if is_connect(spark) and spark.version.startswith("3."):
        script = command.replace("_", "-")
        raise RuntimeError(OVER_CONNECT.format(command, spark.version, script))
    in_bytes = command.endswith("_filters") and not is_connect(spark)
    with (
        progress_bar(command, "B" if in_bytes else "task", progress) as show,
        translate_jvm_errors(),
    ):
        return (_called if is_connect(spark) else _bridged)(spark, command, given, show)


def _called(
    spark: Any, command: str, options: Mapping[str, Any], show: Progress
) -> list[dict[str, Any]]:
    """Calls a procedure of the catalog over Spark Connect."""
    add_catalog(spark)

    def tasks_done(stages: Any, **_: Any) -> None:
        stages = stages or ()
        show(sum(s.num_completed_tasks for s in stages), sum(s.num_tasks for s in stages))

    named = ", ".join(f"{name} => {_sql(value)}" for name, value in options.items())
    spark.registerProgressHandler(tasks_done)
    try:
        rows = spark.sql(f"CALL sbbf.system.{command}({named})").collect()
    finally:
        spark.removeProgressHandler(tasks_done)
    return [row.asDict() for row in rows]


def _bridged(
    spark: Any, command: str, options: Mapping[str, Any], show: Progress
) -> list[dict[str, Any]]:
    """Runs a command in a classic session, in a job group that an interrupt cancels."""
    context, bridge = spark.sparkContext, bridge_of(spark)
    tracker, title = context.statusTracker(), f"spark-sbbf {command}"
    group = f"{title} {uuid4().hex}"

    def work() -> str:
        context.setJobGroup(group, title, interruptOnCancel=True)
        with jar_class_loader(spark):  # the class loader of this thread
            return str(bridge.run(spark._jsparkSession, command, json.dumps(options)))

    def watch() -> None:
        if command.endswith("_filters"):
            show(bridge.doneBytes(), bridge.totalBytes())
            return
        jobs = filter(None, map(tracker.getJobInfo, tracker.getJobIdsForGroup(group)))
        stages = [tracker.getStageInfo(n) for job in jobs for n in job.stageIds]
        known = [stage for stage in stages if stage]
        show(sum(s.numCompletedTasks for s in known), sum(s.numTasks for s in known))

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], timeout=0.2).done:
                watch()
            watch()
            return [json.loads(line) for line in future.result().split("\n") if line]
        except KeyboardInterrupt:
            bridge.cancel()
            context.cancelJobGroup(group)
            raise


def _sql(value: Any) -> str:
    """Returns the text of an option's value in SQL."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(value, Mapping):
        return _typed(
            "map", [part for pair in value.items() for part in pair], "MAP<STRING, STRING>"
        )
    if isinstance(value, list):
        return _typed("array", value, "ARRAY<STRING>")
    return str(value).lower()


def _typed(function: str, parts: Iterable[str], sql_type: str) -> str:
    return f"CAST({function}({', '.join(map(_sql, parts))}) AS {sql_type})"
