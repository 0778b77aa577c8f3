"""Configures builders, so that their sessions start with pruning."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from functools import wraps
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from spark_sbbf.bridge import EXTENSIONS, is_connect, show_jar
from spark_sbbf.defaults import SparkDefaults, defaults_file, items
from spark_sbbf.jar import find_spark, is_ours, jar_path, spark_home

VECTOR_MODULE = "jdk.incubator.vector"
"""The module of the Vector API. Spark 4 adds it to its JVMs, Spark 3.5 does not."""

# Options of spark-submit that set a list which the JAR or an option would have to join.
SUBMIT_OPTIONS = {
    "--jars": "spark.jars",
    "--packages": "spark.jars.packages",
    "--driver-java-options": "spark.driver.extraJavaOptions",
}


def is_builder(target: Any) -> bool:
    """Returns whether the target is a builder of classic or Spark Connect sessions."""
    from pyspark.sql import SparkSession

    connects = is_connect(target) and hasattr(target, "getOrCreate")
    return connects or isinstance(target, SparkSession.Builder)


def enable_builder(builder: Any, class_archive: bool, then: Callable[[Any], Any]) -> None:
    """Adds the JAR, the extension and Java options to a builder, unless it has them.

    With ``class_archive``, a JVM that starts gets an archive of classes.

    Calls ``then`` to enable sessions that the builder cannot configure: the running session of this
    process, those of Spark Connect, and those whose JARs come from elsewhere.
    """
    if _wants_connect(builder):
        _follow(builder, then)
        return
    if _jvm_runs():
        _configure(builder)
    else:
        _configure_java(builder, class_archive)
        if _jars_come_from_elsewhere(builder._options):
            _follow(builder, then)
        else:
            _configure(builder)
    session = _running_session()
    if session is not None:
        then(session)


def _running_session() -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession._instantiatedSession
    return session if session is not None and session._sc._jsc is not None else None


def _jvm_runs() -> bool:
    from pyspark import SparkContext

    # spark-submit has started a JVM
    return SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ


def _configure_java(builder: Any, class_archive: bool) -> None:
    from spark_sbbf.java import check_java  # slow to import

    java = check_java()
    spark = find_spark()
    driver, executor = "spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"
    if spark.line == "3.5":  # Spark 4 adds the module itself
        for key in (driver, executor):
            builder.config(key, _with_vectors(_configured(builder._options, key)))
    if class_archive:
        from spark_sbbf.class_archive import with_archive

        options = _configured(builder._options, driver)
        builder.config(driver, with_archive(options, spark, java, jar_path()))


def _jars_come_from_elsewhere(options: dict[str, Any]) -> bool:
    """Returns whether ``spark.jars`` of the builder would hide JARs or miss the driver.

    Spark resolves packages into ``spark.jars`` when its JVM starts, and PySpark then overwrites
    them with the builder's value. The JVM prefers ``spark.jars`` of PYSPARK_SUBMIT_ARGS.
    """
    return "spark.jars" in _submitted() or bool(_configured(options, "spark.jars.packages"))


def _configure(builder: Any) -> None:
    from pyspark import SparkContext

    options = builder._options
    builder.config("spark.jars", _with_jar(_configured(options, "spark.jars"), jar_path()))
    builder.config(
        "spark.sql.extensions", _with(_configured(options, "spark.sql.extensions"), EXTENSIONS)
    )
    jvm = SparkContext._jvm
    if jvm is not None and _running_session() is None:
        # the JVM of a stopped session does not read spark.jars again
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        show_jar(jvm, loader, jar_path())


def _wants_connect(builder: Any) -> bool:
    """Returns whether ``getOrCreate`` would create a Spark Connect session, as Spark decides it."""
    import pyspark.util

    options = builder._options
    is_remote_only = getattr(pyspark.util, "is_remote_only", lambda: False)  # since Spark 4.0
    default_mode = getattr(pyspark.util, "default_api_mode", lambda: "classic")
    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", "")).lower()
    return (
        is_connect(builder)
        or "spark.remote" in options
        or "SPARK_REMOTE" in os.environ
        or "SPARK_CONNECT_MODE_ENABLED" in os.environ
        or is_remote_only()
        or (mode if mode in ("classic", "connect") else default_mode()) == "connect"
    )


def _follow(builder: Any, then: Callable[[Any], Any]) -> None:
    for name in ("getOrCreate", "create"):
        setattr(builder, name, _followed_by(then, getattr(builder, name)))


def _followed_by(then: Callable[[Any], Any], make: Callable[[], Any]) -> Callable[[], Any]:
    @wraps(make)
    def made() -> Any:
        return then(make())

    return made


def _with(listed: str, entry: str) -> str:
    """Returns a comma-separated list with ``entry`` appended, unless the list has it."""
    entries = items(listed)
    there = entry in map(_path, entries)
    return ",".join(entries if there else [*entries, entry])


def _with_jar(listed: str, jar: str) -> str:
    """Returns a list of JARs with ``jar`` once and without its other versions."""
    paths = {entry: _path(entry) for entry in items(listed)}
    others = [e for e, path in paths.items() if path != jar and is_ours(PurePosixPath(path))]
    return _with(",".join(e for e in items(listed) if e not in others), jar)


def _path(entry: str) -> str:
    return unquote(urlsplit(entry).path)  # Spark converts paths to URIs


def _with_vectors(java_options: str) -> str:
    """Returns Java options with the module of the Vector API appended, unless they have it."""
    if VECTOR_MODULE in java_options:
        return java_options
    return f"{java_options} --add-modules={VECTOR_MODULE}".lstrip()


def _configured(options: dict[str, Any], key: str) -> str:
    """Returns the value that the session would have for ``key``, which setting it would hide."""
    if key in options:
        return str(options[key])
    from pyspark import SparkConf, SparkContext

    if "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit has started a JVM
        SparkContext._ensure_initialized()
    if SparkContext._jvm is not None:
        return SparkConf().get(key, "") or ""
    home = spark_home()
    settings = SparkDefaults.read(defaults_file(Path(home))).settings() if home else {}
    return {**settings, **_submitted()}.get(key, "")


def _submitted() -> dict[str, str]:
    """Returns the settings in PYSPARK_SUBMIT_ARGS, with which PySpark starts its JVM."""
    words: list[str] = []
    for word in shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")):
        words += word.split("=", 1) if word.startswith("--") else [word]
    of_file: dict[str, str] = {}
    settings: dict[str, str] = {}
    named: dict[str, str] = {}
    for option, value in zip(words, words[1:]):
        if option in ("--conf", "-c"):
            key, _, setting = value.partition("=")
            settings[key] = setting
        elif option in SUBMIT_OPTIONS:
            named[SUBMIT_OPTIONS[option]] = value
        elif option == "--properties-file":
            of_file = SparkDefaults.read(Path(value)).settings()
    return {**of_file, **settings, **named}  # Spark's precedence, in any order of the options
