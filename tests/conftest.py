"""Fixtures of all tests: one Spark, a session with the extension and two without it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import BRIEF, local_builder, session_with

SECONDS = Path(__file__).parent / "results" / "seconds.txt"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Starts the files that took longest in the last full run first: two processes share them."""
    lines = [line.split(" ") for line in SECONDS.read_text(encoding="utf-8").splitlines()[1:]]
    seconds = {name: float(time) for time, name in lines}

    def cost(item: pytest.Item) -> float:
        module = ".".join(item.path.relative_to(SECONDS.parents[1]).with_suffix("").parts)
        return seconds.get(module, 0)

    items.sort(key=cost, reverse=True)


@pytest.fixture(scope="session", autouse=True)
def brief() -> Iterator[None]:
    """Starts every other JVM with the first compiler only: it ends after seconds."""
    with pytest.MonkeyPatch.context() as environment:
        for name, options in BRIEF.items():
            environment.setenv(name, options, prepend=" ")
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with the extension at its defaults."""
    builder = sbbf.enable(local_builder(tmp_path_factory.mktemp("warehouse")))
    with pytest.MonkeyPatch.context() as environment:
        for name in BRIEF:
            environment.delenv(name)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark_alone(spark: SparkSession) -> SparkSession:
    """Spark without the extension, with its own pushdown: the reference for costs and errors."""
    return session_with(spark, {"spark.sbbf.enabled": "false"})


@pytest.fixture(scope="session")
def oracle(spark: SparkSession) -> SparkSession:
    """The reference for results: Spark reads and filters every row, and pushes nothing down."""
    return session_with(
        spark, {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
    )


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints past pytest's capture, because every run shows its seeds and distributions.

    Prints on standard error where pytest-xdist uses the standard output of its workers itself.
    """

    def printed(line: str) -> None:
        with capsys.disabled():
            several = "PYTEST_XDIST_WORKER" in os.environ
            print(f"\n  {line}", end="", file=sys.__stderr__ if several else sys.stdout)

    return printed


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """A folder of public Parquet files with filters, outside the tree."""
    folder = os.environ.get("SBBF_FIXTURES")
    if not folder:
        pytest.skip("SBBF_FIXTURES is not set: no folder of public files to read")
    return Path(folder)
