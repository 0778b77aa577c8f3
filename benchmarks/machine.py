"""Describes the machine in a results file."""

from __future__ import annotations

import platform
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSION = Path(__file__).parents[1] / "VERSION"


def cpu() -> str:
    models = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{models[0]}, {len(models)} cores" if models else platform.processor()


def run_on(spark: SparkSession) -> list[str]:
    """Returns what a session ran on, and when."""
    jvm = spark._jvm.java.lang.System  # type: ignore[union-attr]
    return [
        f"CPU: {cpu()}, 2 task threads; shared machine",
        f"JDK: {jvm.getProperty('java.vm.version')}; Spark {spark.version}; spark-sbbf "
        f"{VERSION.read_text().strip()}; Python {platform.python_version()}",
        f"Date: {date.today()}",
    ]
