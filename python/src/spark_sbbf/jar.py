"""Finds the installed Spark and the JAR for it."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path, PurePath
from typing import NamedTuple

SCALA_OF_SPARK = {"3.5": "2.12", "4.0": "2.13", "4.1": "2.13", "4.2": "2.13", "4.3": "2.13"}
"""Scala version of the JAR, by Spark line."""

JARS = Path(__file__).parent / "jars"

_OUR_JAR = re.compile(r"(io\.sbbf_)?spark-sbbf_.*\.jar")
"""The JAR's name, for any version and any Scala; Ivy puts the group before it."""


def is_ours(jar: PurePath) -> bool:
    """Returns whether a JAR is one of ours, by its name."""
    return _OUR_JAR.fullmatch(jar.name) is not None


class Spark(NamedTuple):
    """A Spark on this machine and its versions."""

    home: Path
    version: str
    scala: str

    @property
    def line(self) -> str:
        """The first two numbers of the version, on which compatibility depends."""
        return ".".join(self.version.split(".")[:2])


def jar_path(version: str | None = None, scala: str | None = None) -> str:
    """Returns the path of the bundled JAR for a Spark.

    The environment variable ``SPARK_SBBF_JAR`` overrides the path.

    Args:
        version: Version of the Spark, which may run elsewhere. None is the Spark that this process
            would start: the one in ``SPARK_HOME`` if set, else the installed pyspark.
        scala: Scala version of that Spark. None is the usual one of ``version``.

    Returns:
        The path of the JAR.

    Raises:
        RuntimeError: If there is no Spark, or it is unsupported.
        FileNotFoundError: If the JAR does not exist.
    """
    override = os.environ.get("SPARK_SBBF_JAR")
    if override:
        if not Path(override).is_file():
            raise FileNotFoundError(
                f"SPARK_SBBF_JAR names no file: {override}. Correct it, or unset it to use the "
                "JAR of this package"
            )
        return str(Path(override).resolve())
    if version is None:
        ours = _supported_scala(find_spark())
    elif scala is None:
        ours = _scala_of(version)
    else:
        ours = _supported_scala(Spark(JARS, version, ".".join(scala.split(".")[:2])))
    found = sorted(JARS.glob(f"spark-sbbf_{ours}-*.jar"))
    if len(found) != 1:
        raise FileNotFoundError(
            f"expected one spark-sbbf JAR for Scala {ours} in {JARS}, found {len(found)}: "
            "reinstall spark-sbbf from its wheel, or set SPARK_SBBF_JAR to one built by 'make jar'"
        )
    return str(found[0])


def find_spark() -> Spark:
    """Returns the Spark that this process would start: ``SPARK_HOME``, else the installed pyspark.

    Reads the versions from the name of the spark-core JAR, and imports nothing.

    Raises:
        RuntimeError: If there is no Spark.
    """
    home = spark_home()
    for core in sorted(Path(home, "jars").glob("spark-core_*.jar")) if home else ():
        match = re.fullmatch(r"spark-core_(\d+\.\d+)-(.+)\.jar", core.name)
        if match:
            return Spark(core.parents[1], match[2], match[1])
    if "SPARK_HOME" in os.environ and home:
        raise RuntimeError(f"SPARK_HOME ({home}) holds no Spark: correct it, or unset it")
    raise RuntimeError(
        "no Spark found: install pyspark ('pip install spark-sbbf[pyspark]'), "
        "or set SPARK_HOME to a Spark distribution"
    )


def _supported_scala(spark: Spark) -> str:
    if SCALA_OF_SPARK.get(spark.line) != spark.scala:
        raise _unsupported(f"Spark {spark.version} with Scala {spark.scala}")
    return spark.scala


def _scala_of(version: str) -> str:
    """Returns the usual Scala of a Spark that is not on this machine."""
    scala = SCALA_OF_SPARK.get(".".join(version.split(".")[:2]))
    if scala is None:
        raise _unsupported(f"Spark {version}")
    return scala


def _unsupported(what: str) -> RuntimeError:
    supported = ", ".join(f"{s} (Scala {v})" for s, v in SCALA_OF_SPARK.items())
    return RuntimeError(
        f"{what} is not supported; supported are {supported}. Set SPARK_SBBF_JAR to use another JAR"
    )


def require_pyspark() -> None:
    """Checks that PySpark can be imported.

    Raises:
        ModuleNotFoundError: If it cannot; the message says how to install it.
    """
    if importlib.util.find_spec("pyspark") is None:
        raise ModuleNotFoundError(
            "No module named 'pyspark': pip install 'spark-sbbf[pyspark]', or put the python "
            "folder of an installed Spark on PYTHONPATH",
            name="pyspark",
        )


def spark_home() -> str | None:
    """Returns the folder of the Spark that PySpark uses, or None."""
    return os.environ.get("SPARK_HOME") or _pyspark_home()


def _pyspark_home() -> str | None:
    """Finds the folder of the installed pyspark without importing it."""
    spec = importlib.util.find_spec("pyspark")
    return str(Path(spec.origin).parent) if spec and spec.origin else None
