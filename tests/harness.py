"""What the tests ask of a query: its rows, its tasks, its plan and what the pruner did for it."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf

_groups = itertools.count()

# For JVMs that end after seconds: the second compiler costs them more than it gives.
ONE_COMPILER = "-XX:TieredStopAtLevel=1"
BRIEF = {
    "SPARK_SUBMIT_OPTS": f"{ONE_COMPILER} -Dspark.executor.extraJavaOptions={ONE_COMPILER}",
    "SPARK_DAEMON_JAVA_OPTS": ONE_COMPILER,
}


def local_builder(warehouse: Path) -> SparkSession.Builder:
    conf = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(warehouse),
    }
    return SparkSession.builder.master("local[2]").config(map=conf)


def fresh(
    script: str, *arguments: str, compilers: int = 1, python: str = sys.executable
) -> list[str]:
    """Runs a script with a JVM of its own and answers the lines that it printed after `#`."""
    return fresh_with_log(script, *arguments, compilers=compilers, python=python)[0]


def fresh_with_log(
    script: str, *arguments: str, compilers: int = 1, python: str = sys.executable
) -> tuple[list[str], str]:
    """As `fresh`, and what Spark logged."""
    prologue = """
        import sys
        from pathlib import Path
        from pyspark.sql import SparkSession
        import spark_sbbf as sbbf
        def pruned(df): return "PrunedFileIndex" in df._jdf.queryExecution().toString()
        def builder():
            conf = {"spark.ui.enabled": "false", "spark.sql.warehouse.dir": "/nonexistent"}
            return SparkSession.builder.master("local[1]").config(map=conf)
    """
    source = textwrap.dedent(prologue) + textwrap.dedent(script)
    hidden = () if compilers == 1 else BRIEF
    done = subprocess.run(
        [python, "-c", source, *arguments],
        capture_output=True,
        text=True,
        timeout=180,
        env={key: value for key, value in os.environ.items() if key not in hidden},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line[2:] for line in done.stdout.splitlines() if line.startswith("# ")]
    return lines, done.stderr


def session_with(spark: SparkSession, conf: Mapping[str, str]) -> SparkSession:
    """A session of its own beside `spark`: same catalog and JAR, other settings."""
    session = spark.newSession()
    for key, value in {"spark.sql.shuffle.partitions": "4", **conf}.items():
        session.conf.set(key, value)
    return session


def rows_per_row_group(count: int) -> dict[str, str]:
    """Writer options: parquet-java weighs a row group each `count` rows, and any is too heavy.

    From 1.16 on (Spark 4.1) there is an option of that meaning, parquet.block.row.count.limit.
    """
    checks = ("parquet.page.size.row.check.min", "parquet.page.size.row.check.max")
    return {"parquet.block.size": "1024", **dict.fromkeys(checks, str(count))}


def rows(df: DataFrame) -> list[str]:
    """The answer as a multiset that can be compared: NaN equals NaN, -0.0 differs from 0.0."""
    return sorted(map(repr, df.collect()))


def only_scan(df: DataFrame) -> Any:
    """What the pruner did for the one scan of `df`."""
    (scan,) = sbbf.explain(df).scans
    return scan


def explain_text(df: DataFrame, mode: str = "formatted") -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        df.explain(mode)
    return text.getvalue()


def final_plan(df: DataFrame) -> str:
    """The physical plan that ran, without AQE's first draft of it; `df` must have run."""
    return df._jdf.queryExecution().executedPlan().toString().split("== Initial Plan ==")[0]


@contextlib.contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Makes `session` the active one of the JVM, whose settings lazy parts of a plan look up."""
    kind = session._jsparkSession.getClass().getName()  # Spark 4 has it in a package of its own
    sessions = functools.reduce(getattr, kind.split("."), session._jvm)
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def planned(df: DataFrame) -> DataFrame:
    """`df` with its physical plan and its list of files made, before anything runs."""
    with active(df.sparkSession):
        leaf = df._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
        if leaf.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
            leaf = leaf.initialPlan().collectLeaves().apply(0)
        leaf.inputRDDs()
    return df


def outcome(action: Callable[[], DataFrame]) -> list[str] | str:
    """The rows, or what the failure is called."""
    try:
        return rows(action())
    except PySparkException as failure:
        return condition_of(failure) or type(failure).__name__
    except Py4JJavaError as failure:
        cause = failure.java_exception
        named = cause.getClass().getName() == "org.apache.spark.SparkException"
        return (condition_of(cause) if named else None) or cause.getClass().getName()


def condition_of(failure: Any) -> str | None:
    """What Spark 4 calls the condition of an error, and 3.5 its class."""
    old = pyspark.__version__.startswith("3.")
    return failure.getErrorClass() if old else failure.getCondition()


def locations(df: DataFrame) -> list[Any]:
    """The file index (a JVM object) of each file relation in the optimized plan of `df`."""
    leaves = df._jdf.queryExecution().optimizedPlan().collectLeaves()
    relations = (leaves.apply(n) for n in range(leaves.size()))
    return [leaf.relation().location() for leaf in relations]


def input_files(df: DataFrame) -> list[str]:
    """Names of the files that `df.inputFiles()` lists."""
    return sorted(Path(unquote(urlparse(file).path)).name for file in df.inputFiles())


def tasks_of(spark: SparkSession, action: Callable[[], Any]) -> tuple[Any, int]:
    """The action's result, and the number of tasks that its jobs ran."""
    context = spark.sparkContext
    group = f"counted-{next(_groups)}"
    context.setJobGroup(group, group)
    try:
        result = action()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    context._jsc.sc().listenerBus().waitUntilEmpty()
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return result, sum(s.numCompletedTasks + s.numFailedTasks for s in stages if s)


def bytes_read(spark: SparkSession) -> int:
    """Bytes that Hadoop's local file system has handed out in this JVM so far."""
    statistics = spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
    return sum(s.getBytesRead() for s in statistics)
