"""Runs commands in a JVM with Spark's JARs.

Only commands that need a session start one, because its start takes most of the time.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from typing import Any
from urllib.parse import unquote, urlsplit

from spark_sbbf.builder import VECTOR_MODULE
from spark_sbbf.defaults import defaults_file
from spark_sbbf.jar import Spark, jar_path
from spark_sbbf.java import check_java

MAIN = "io.sbbf.spark.cli.Main"
FAILURE = '{"error":'
# Packages of the JDK that Spark's code accesses; its launcher opens them (JavaModuleOptions).
OPEN_PACKAGES = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util "
    "java.util.concurrent java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs "
    "sun.security.action sun.util.calendar"
).split()

SHORT_COMMANDS = ("list", "doctor")
"""The commands that run no Spark job, at least mostly."""


def run_command(
    spark: Spark,
    command: str,
    options: Mapping[str, Any],
    settings: Mapping[str, str],
) -> Generator[str, None, None]:
    """Yields the lines that the JAR's main class prints for a command.

    Passes the options and settings through a pipe, because they may hold secrets. Closing the
    generator ends the JVM.

    Raises:
        RuntimeError: If the JVM reports a failure, or as in ``check_java``.
    """
    program = [check_java(spark), *_java_options(spark, command, settings)]
    program += ["-cp", os.pathsep.join(_class_path(spark, settings)), MAIN, command]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as log,
        subprocess.Popen(
            program,
            stdin=PIPE,
            stdout=PIPE,
            stderr=log,
            encoding="utf-8",
            env=_environment(spark, settings),
        ) as jvm,
    ):
        assert jvm.stdin and jvm.stdout
        try:
            with suppress(BrokenPipeError), jvm.stdin:  # if the JVM ended, see its status below
                json.dump({"options": dict(options), "settings": dict(settings)}, jvm.stdin)
            for line in jvm.stdout:
                if not line.startswith("{"):
                    continue  # Java options can make the JVM print lines of its own
                if line.startswith(FAILURE):
                    raise RuntimeError(json.loads(line)["error"])
                yield line
            if jvm.wait():
                log.seek(0)
                raise RuntimeError(f"java ended with status {jvm.returncode}: {log.read().strip()}")
        finally:
            jvm.terminate()  # has no effect on a JVM that ended


def _environment(spark: Spark, settings: Mapping[str, str]) -> dict[str, str]:
    added = {"SPARK_HOME": str(spark.home)}
    if settings.get("spark.master", "local").startswith("local"):
        added["SPARK_LOCAL_HOSTNAME"] = "localhost"  # avoids a DNS lookup
    return {**added, **os.environ}


def _java_options(spark: Spark, command: str, settings: Mapping[str, str]) -> list[str]:
    """Returns the options of a driver's JVM. ``list`` runs without the C2 compiler: it is short."""
    options = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPEN_PACKAGES]
    extra = settings.get("spark.driver.extraJavaOptions", "")
    if spark.line != "3.5" or VECTOR_MODULE in extra:
        options.append(f"--add-modules={VECTOR_MODULE}")  # Spark 4 adds it to every JVM
    if "spark.driver.memory" in settings:
        options.append(f"-Xmx{settings['spark.driver.memory']}")
    if command not in SHORT_COMMANDS:
        options += shlex.split(extra)
    else:
        options += [option for option in shlex.split(extra) if option.startswith("-D")]
        options.append("-XX:+UseSerialGC")
        if command == "list":
            options.append("-XX:TieredStopAtLevel=1")
    return [*options, "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]


def _class_path(spark: Spark, settings: Mapping[str, str]) -> list[str]:
    """Returns the JAR, the user's entries, the settings of Spark and Hadoop, and Spark's JARs."""
    listed = settings.get("spark.driver.extraClassPath", "").split(os.pathsep)
    listed += [_local(jar.strip()) for jar in settings.get("spark.jars", "").split(",")]
    listed += [str(defaults_file(spark.home).parent), os.environ.get("HADOOP_CONF_DIR", "")]
    users = [item for item in listed if item and Path(item.split("*")[0]).exists()]
    without_hadoop = os.environ.get("SPARK_DIST_CLASSPATH", "").split(os.pathsep)
    own = [str(spark.home / "jars" / "*"), *filter(None, without_hadoop)]
    return [jar_path(), *users, *own]


def _local(jar: str) -> str:
    """Returns the path of a JAR that is given as a path or a local URI."""
    return unquote(urlsplit(jar).path) if jar.startswith(("file:", "local:")) else jar
