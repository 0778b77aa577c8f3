"""Finds the Java that would run Spark, and checks its version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from spark_sbbf.jar import Spark, find_spark

OLDEST_JAVA = 17

NEWEST_JAVA = {"3.5": 22, "4.0": 22, "4.1": 22}
"""Newest Java, by Spark line. Its Hadoop calls ``Subject.getSubject``, which Java 23 removed."""


def check_java(spark: Spark | None = None) -> str:
    """Returns the program ``java`` that would run this Spark, or the installed one if None.

    Raises:
        RuntimeError: If there is no Java, or it is too old or too new.
    """
    spark = spark or find_spark()
    java = find_java()
    version = java_version(java)
    newest = NEWEST_JAVA.get(spark.line)
    if version < OLDEST_JAVA:
        raise RuntimeError(
            f"spark-sbbf needs Java {OLDEST_JAVA} or newer, but {java} is Java {version}: "
            "install a JDK 17 and set JAVA_HOME to its folder"
        )
    if newest is not None and version > newest:
        raise RuntimeError(
            f"Spark {spark.version} does not start on Java {version} ({java}): set JAVA_HOME to "
            f"a Java from {OLDEST_JAVA} to {newest}, or use Spark 4.2 or newer"
        )
    return java


def find_java() -> str:
    """Returns the ``java`` of ``JAVA_HOME``, else the first on PATH, as Spark's scripts do.

    Raises:
        RuntimeError: If there is none.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        place = f"in JAVA_HOME ({home})" if home else "on the PATH, and JAVA_HOME is not set"
        raise RuntimeError(
            f"no Java found {place}: install a JDK 17 and set JAVA_HOME to its folder"
        )
    return java


def java_version(java: str) -> int:
    """Returns the feature version of a ``java``, for example 17.

    Raises:
        RuntimeError: If it does not run.
    """
    text = _release(Path(java).resolve()) or _version_output(java)
    match = re.search(r'"(?:1\.)?(\d+)', text)
    if match is None:
        raise RuntimeError(
            f"cannot read the version of {java}: set JAVA_HOME to the folder of a JDK 17"
        )
    return int(match[1])


def _release(java: Path) -> str:
    """Reads the version from the JDK's file ``release``, which saves the start of a JVM."""
    for folder in list(java.parents)[1:3]:  # Python 3.9 cannot slice parents
        file = folder / "release"
        if file.is_file():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            return next((line for line in lines if line.startswith("JAVA_VERSION=")), "")
    return ""


def _version_output(java: str) -> str:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stderr + done.stdout
