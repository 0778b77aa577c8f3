"""Questions to a JVM that has Spark's JARs, and a session only where jobs answer them: that saves
most of a start."""

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
from urllib.parse import unquote, urlsplit

from spark_sbbf.builder import VECTOR_MODULE
from spark_sbbf.defaults import defaults_file
from spark_sbbf.jar import Spark, jar_path
from spark_sbbf.java import check_java

MAIN = "io.sbbf.spark.cli.Main"
FAILURE = '{"error":'
# Spark's code reaches into these packages, as its own launcher lets it (JavaModuleOptions).
OPEN_PACKAGES = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util "
    "java.util.concurrent java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs "
    "sun.security.action sun.util.calendar"
).split()

# The questions that run Spark jobs.
DRIVERS = ("change", "advise")


def answers(
    spark: Spark,
    question: str,
    options: Mapping[str, str],
    settings: Mapping[str, str],
) -> Generator[str, None, None]:
    """The lines that the JAR's main class prints for a question, as they come.

    Options and settings go through a pipe, because they may hold secrets. Raises RuntimeError with
    the reason that the JVM gives, and as ``check_java`` does. Who closes it early ends the JVM.
    """
    command = [check_java(spark), *_java_options(spark, question, settings)]
    command += ["-cp", os.pathsep.join(_class_path(spark, settings)), MAIN, question]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=log,
            encoding="utf-8",
            env=_environment(spark, settings),
        ) as jvm,
    ):
        assert jvm.stdin and jvm.stdout
        try:
            with suppress(BrokenPipeError), jvm.stdin:  # of a JVM that ended, its status tells
                json.dump({"options": dict(options), "settings": dict(settings)}, jvm.stdin)
            for line in jvm.stdout:
                if not line.startswith("{"):
                    continue  # what Java options have the JVM say
                if line.startswith(FAILURE):
                    raise RuntimeError(json.loads(line)["error"])
                yield line
            if jvm.wait():
                log.seek(0)
                raise RuntimeError(f"java ended with status {jvm.returncode}: {log.read().strip()}")
        finally:
            jvm.terminate()  # of one that has ended: nothing


def _environment(spark: Spark, settings: Mapping[str, str]) -> dict[str, str]:
    added = {"SPARK_HOME": str(spark.home)}
    if settings.get("spark.master", "local").startswith("local"):
        added["SPARK_LOCAL_HOSTNAME"] = "localhost"  # no question to a name server
    return {**added, **os.environ}


def _java_options(spark: Spark, question: str, settings: Mapping[str, str]) -> list[str]:
    """As Spark starts a driver; short questions do without the second compiler, a second's cost."""
    options = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPEN_PACKAGES]
    extra = settings.get("spark.driver.extraJavaOptions", "")
    if spark.line != "3.5" or VECTOR_MODULE in extra:
        options.append(f"--add-modules={VECTOR_MODULE}")  # Spark 4 adds it to every JVM
    if question in DRIVERS:
        if "spark.driver.memory" in settings:
            options.append(f"-Xmx{settings['spark.driver.memory']}")
        options += shlex.split(extra)
    else:
        options.append("-XX:+UseSerialGC")
        if question == "list":
            options.append("-XX:TieredStopAtLevel=1")
    return [*options, "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]


def _class_path(spark: Spark, settings: Mapping[str, str]) -> list[str]:
    """Ours, the user's, Spark's and the folders of Hadoop's settings, as Spark's launcher does."""
    listed = settings.get("spark.driver.extraClassPath", "").split(os.pathsep)
    listed += [_local(jar.strip()) for jar in settings.get("spark.jars", "").split(",")]
    listed += [str(defaults_file(spark.home).parent), os.environ.get("HADOOP_CONF_DIR", "")]
    users = [item for item in listed if item and Path(item.split("*")[0]).exists()]
    without_hadoop = os.environ.get("SPARK_DIST_CLASSPATH", "").split(os.pathsep)
    own = [str(spark.home / "jars" / "*"), *filter(None, without_hadoop)]
    return [jar_path(), *users, *own]


def _local(jar: str) -> str:
    """The path of a JAR that may be told as a URI of this machine's."""
    return unquote(urlsplit(jar).path) if jar.startswith(("file:", "local:")) else jar
