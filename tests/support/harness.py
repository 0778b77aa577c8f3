"""Helpers that read a query's rows, tasks, plan and pruning."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import io
import itertools
import os
import subprocess
import sys
import tempfile
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

SUPPORT = Path(__file__).parent
"""The folder of the tests' helpers, scripts and data."""

_groups = itertools.count()

# For JVMs that end after seconds, because the second compiler costs them more than it saves. With
# one compiler Java reserves 48 MB for code, which some fill; a context of Spark then stops.
ONE_COMPILER = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
BRIEF = {
    "SPARK_SUBMIT_OPTS": f'{ONE_COMPILER} "-Dspark.executor.extraJavaOptions={ONE_COMPILER}"',
    "SPARK_DAEMON_JAVA_OPTS": ONE_COMPILER,
}

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""For sessions with many small queries, which take less time to interpret than to compile."""


def times(all_cases: int, in_gate: int) -> int:
    """Returns how many random cases a test tries; SBBF_QUERIES overrides it."""
    number = in_gate if "SBBF_GATE" in os.environ else all_cases
    return int(os.environ.get("SBBF_QUERIES", number))


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


def with_packages(builder: SparkSession.Builder) -> SparkSession:
    """Starts a session that fetches packages, after those of other processes.

    Of two processes that fetch the same package into an empty cache, Ivy fails one.
    """
    with (Path(tempfile.gettempdir()) / "spark-sbbf-packages.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return sbbf.enable(builder).getOrCreate()


def fresh(
    script: str, *arguments: str, compilers: int = 1, python: str = sys.executable
) -> list[str]:
    """Runs a script in a new process with its own JVM. Returns the lines printed after `#`."""
    return fresh_with_log(script, *arguments, compilers=compilers, python=python)[0]


def fresh_with_log(
    script: str, *arguments: str, compilers: int = 1, python: str = sys.executable
) -> tuple[list[str], str]:
    """Runs a script as `fresh` does. Returns Spark's log in addition."""
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
    """Makes a new session with the catalog and JAR of `spark`, and other settings."""
    session = spark.newSession()
    for key, value in {"spark.sql.shuffle.partitions": "4", **conf}.items():
        session.conf.set(key, value)
    return session


def rows_per_row_group(count: int) -> dict[str, str]:
    """Returns writer options that end a row group after `count` rows.

    parquet-java checks the size of a row group after `count` rows, and every size is above the
    limit. Since 1.16 (Spark 4.1) it has an option for it: parquet.block.row.count.limit.
    """
    checks = ("parquet.page.size.row.check.min", "parquet.page.size.row.check.max")
    return {"parquet.block.size": "1024", **dict.fromkeys(checks, str(count))}


def rows(df: DataFrame) -> list[str]:
    """Returns the rows as a comparable multiset: NaN equals NaN, and -0.0 differs from 0.0."""
    return sorted(map(repr, df.collect()))


def rows_returned(df: DataFrame) -> int:
    """Returns the number of rows that the scans of `df`, which has run, returned."""
    leaves = df._jdf.queryExecution().executedPlan().collectLeaves()
    metrics = [leaves.apply(n).metrics() for n in range(leaves.size())]
    return sum(int(m.apply("numOutputRows").value()) for m in metrics if m.contains("numFiles"))


def only_scan(df: DataFrame) -> Any:
    """Returns the pruning report of the only scan of `df`."""
    (scan,) = sbbf.explain(df, show=False).scans
    return scan


def explain_text(df: DataFrame, mode: str = "formatted") -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        df.explain(mode)
    return text.getvalue()


def final_plan(df: DataFrame) -> str:
    """Returns the physical plan that ran, without AQE's initial plan. `df` must have run."""
    return df._jdf.queryExecution().executedPlan().toString().split("== Initial Plan ==")[0]


@contextlib.contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Makes `session` the JVM's active session, whose settings lazy parts of a plan read."""
    kind = session._jsparkSession.getClass().getName()  # Spark 4 has it in its own package
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
    """Makes the physical plan and the list of files of `df`, and runs nothing."""
    with active(df.sparkSession):
        leaf = df._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
        if leaf.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
            leaf = leaf.initialPlan().collectLeaves().apply(0)
        leaf.inputRDDs()
    return df


def outcome(action: Callable[[], DataFrame]) -> list[str] | str:
    """Returns the rows, or the name of the failure."""
    try:
        return rows(action())
    except PySparkException as failure:
        return condition_of(failure) or type(failure).__name__
    except Py4JJavaError as failure:
        cause = failure.java_exception
        named = cause.getClass().getName() == "org.apache.spark.SparkException"
        return (condition_of(cause) if named else None) or cause.getClass().getName()


def condition_of(failure: Any) -> str | None:
    """Returns an error's condition, which Spark 3.5 calls its class."""
    old = pyspark.__version__.startswith("3.")
    return failure.getErrorClass() if old else failure.getCondition()


def locations(df: DataFrame) -> list[Any]:
    """Returns the file index (a JVM object) of each file relation in the optimized plan of `df`."""
    leaves = df._jdf.queryExecution().optimizedPlan().collectLeaves()
    relations = (leaves.apply(n) for n in range(leaves.size()))
    return [leaf.relation().location() for leaf in relations]


def input_files(df: DataFrame) -> list[str]:
    """Returns the names of the files that `df.inputFiles()` lists."""
    return sorted(Path(unquote(urlparse(file).path)).name for file in df.inputFiles())


def tasks_of(
    spark: SparkSession, action: Callable[[], Any], as_jobs: bool = True
) -> tuple[Any, int]:
    """Returns the action's result and the number of tasks that it runs.

    With `as_jobs`, small lookups run as jobs as well.
    """
    context = spark.sparkContext
    group = f"counted-{next(_groups)}"
    context.setJobGroup(group, group)
    spark.conf.set("spark.sbbf.localLookup.enabled", str(not as_jobs).lower())
    try:
        result = action()
    finally:
        spark.conf.unset("spark.sbbf.localLookup.enabled")
        context.setLocalProperty("spark.jobGroup.id", None)
    context._jsc.sc().listenerBus().waitUntilEmpty()
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return result, sum(s.numCompletedTasks + s.numFailedTasks for s in stages if s)


def bytes_read(spark: SparkSession) -> int:
    """Returns the bytes read through Hadoop's local file system in this JVM so far."""
    statistics = spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
    return sum(s.getBytesRead() for s in statistics)
