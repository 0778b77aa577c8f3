"""Where the JAR for the installed Spark is."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

SCALA_OF_SPARK = {"3.5": "2.12", "4.0": "2.13", "4.1": "2.13", "4.2": "2.13", "4.3": "2.13"}
"""Spark line to the Scala version of the JAR that serves it."""

JARS = Path(__file__).parent / "jars"


def jar_path() -> str:
    """The path of the bundled JAR for the Spark that this process would start.

    That is the Spark in ``SPARK_HOME`` if set, else the installed pyspark. The environment
    variable ``SPARK_SBBF_JAR`` overrides the choice with a path of its own.

    Raises RuntimeError when there is no Spark or it is not a supported one, and FileNotFoundError
    when the JAR is not there; both say what to do.
    """
    override = os.environ.get("SPARK_SBBF_JAR")
    if override:
        if not Path(override).is_file():
            raise FileNotFoundError(f"SPARK_SBBF_JAR names no file: {override}")
        return str(Path(override).resolve())
    scala = _scala_of(*_installed_spark())
    found = sorted(JARS.glob(f"spark-sbbf_{scala}-*.jar"))
    if len(found) != 1:
        raise FileNotFoundError(
            f"expected one spark-sbbf JAR for Scala {scala} in {JARS}, found {len(found)}: "
            "reinstall spark-sbbf from its wheel, or set SPARK_SBBF_JAR to one built by 'make jar'"
        )
    return str(found[0])


def _scala_of(spark: str, scala: str) -> str:
    line = ".".join(spark.split(".")[:2])
    if SCALA_OF_SPARK.get(line) != scala:
        supported = ", ".join(f"{s} (Scala {v})" for s, v in SCALA_OF_SPARK.items())
        raise RuntimeError(
            f"Spark {spark} with Scala {scala} is not supported; supported are {supported}. "
            "Set SPARK_SBBF_JAR to use a JAR of your own choice"
        )
    return scala


def _installed_spark() -> tuple[str, str]:
    """Versions of Spark and Scala, from the name of the spark-core JAR that each Spark has."""
    homes = [os.environ.get("SPARK_HOME"), _pyspark_home()]
    for home in filter(None, homes):
        for core in sorted(Path(home, "jars").glob("spark-core_*.jar")):
            match = re.fullmatch(r"spark-core_(\d+\.\d+)-(.+)\.jar", core.name)
            if match:
                return match[2], match[1]
    raise RuntimeError(
        "no Spark found: install pyspark ('pip install spark-sbbf[pyspark]'), "
        "or set SPARK_HOME to a Spark distribution"
    )


def _pyspark_home() -> str | None:
    """The folder of the installed pyspark, found without importing it."""
    spec = importlib.util.find_spec("pyspark")
    return str(Path(spec.origin).parent) if spec and spec.origin else None
