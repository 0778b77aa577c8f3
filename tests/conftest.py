"""One Spark for the whole run: a session with the extension and two that answer without it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import BRIEF, local_builder, session_with


@pytest.fixture(scope="session", autouse=True)
def brief() -> Iterator[None]:
    """Every JVM but that of the whole run."""
    with pytest.MonkeyPatch.context() as environment:
        for name, options in BRIEF.items():
            environment.setenv(name, options, prepend=" ")
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The extension at its defaults."""
    builder = sbbf.enable(local_builder(tmp_path_factory.mktemp("warehouse")))
    with pytest.MonkeyPatch.context() as environment:
        for name in BRIEF:
            environment.delenv(name)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def stock(spark: SparkSession) -> SparkSession:
    """Stock Spark, with its own pushdown: what cost and errors are compared with."""
    return session_with(spark, {"spark.sbbf.enabled": "false"})


@pytest.fixture(scope="session")
def oracle(spark: SparkSession) -> SparkSession:
    """What is right: every row is read and filtered by Spark, nothing is pushed down."""
    return session_with(
        spark, {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
    )


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints past pytest's capture: seeds and distributions belong into every run's output.

    The standard output of a process among several is pytest's own.
    """

    def printed(line: str) -> None:
        with capsys.disabled():
            several = "PYTEST_XDIST_WORKER" in os.environ
            print(f"\n  {line}", end="", file=sys.__stderr__ if several else sys.stdout)

    return printed


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Public Parquet files with filters, outside the tree."""
    folder = os.environ.get("SBBF_FIXTURES")
    if not folder:
        pytest.skip("SBBF_FIXTURES is not set: no folder of public files to read")
    return Path(folder)
