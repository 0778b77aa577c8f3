"""What a builder needs so that its session starts with the pruning."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from spark_sbbf.bridge import EXTENSIONS, is_connect, need_connect_of_4, show_jar
from spark_sbbf.defaults import SparkDefaults, defaults_file
from spark_sbbf.jar import find_spark, jar_path, spark_home

VECTOR_MODULE = "jdk.incubator.vector"
"""The module of the Vector API, which Spark 4 adds to its JVMs and Spark 3.5 does not."""


def is_builder(target: Any) -> bool:
    """Whether it builds sessions, classic or those of Spark Connect."""
    from pyspark.sql import SparkSession

    connects = is_connect(target) and hasattr(target, "getOrCreate")
    return connects or isinstance(target, SparkSession.Builder)


def enable_builder(builder: Any, then: Callable[[Any], Any]) -> None:
    """Adds to the builder what is missing in it.

    ``then`` enables a session that takes too little from its builder: the one of this process that
    runs already, or one of Spark Connect, whose server does.
    """
    if _wants_connect(builder):
        import pyspark

        need_connect_of_4(pyspark.__version__)
        for name in ("getOrCreate", "create"):
            setattr(builder, name, _followed_by(then, getattr(builder, name)))
        return
    _configure(builder)
    session = _running_session()
    if session is not None:
        then(session)


def _running_session() -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession._instantiatedSession
    return session if session is not None and session._sc._jsc is not None else None


def _configure(builder: Any) -> None:
    from pyspark import SparkContext

    options = builder._options
    # under spark-submit the JVM is already there
    jvm_runs = SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ
    if not jvm_runs:
        from spark_sbbf.java import check_java  # what starts programs takes its time to import

        check_java()
        if find_spark().line == "3.5":  # later ones do it themselves
            for key in ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"):
                builder.config(key, _with_vectors(_configured(options, key)))
    builder.config("spark.jars", _with(_configured(options, "spark.jars"), jar_path()))
    builder.config(
        "spark.sql.extensions", _with(_configured(options, "spark.sql.extensions"), EXTENSIONS)
    )
    jvm = SparkContext._jvm
    if jvm is not None and _running_session() is None:
        # left by a session that was stopped: too late for spark.jars
        show_jar(jvm, jvm.java.lang.Thread.currentThread().getContextClassLoader())


def _wants_connect(builder: Any) -> bool:
    """Whether ``getOrCreate`` would make a Spark Connect session (Spark's own conditions)."""
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


def _followed_by(then: Callable[[Any], Any], make: Callable[[], Any]) -> Callable[[], Any]:
    @wraps(make)
    def made() -> Any:
        return then(make())

    return made


def _with(listed: str, entry: str) -> str:
    """A comma-separated list with ``entry`` in it once, behind what was there."""
    entries = [e.strip() for e in listed.split(",") if e.strip()]
    there = entry in [unquote(urlsplit(e).path) for e in entries]  # Spark makes URIs of paths
    return ",".join(entries if there else [*entries, entry])


def _with_vectors(java_options: str) -> str:
    """Java's options with the module of the Vector API, behind what was there."""
    if VECTOR_MODULE in java_options:
        return java_options
    return f"{java_options} --add-modules={VECTOR_MODULE}".lstrip()


def _configured(options: dict[str, Any], key: str) -> str:
    """What the session would get for ``key`` without us: setting it would hide the defaults."""
    if key in options:
        return str(options[key])
    from pyspark import SparkConf, SparkContext

    if "PYSPARK_GATEWAY_PORT" in os.environ:  # under spark-submit the JVM is already there
        SparkContext._ensure_initialized()
    if SparkContext._jvm is not None:
        return SparkConf().get(key, "") or ""
    home = spark_home()
    settings = SparkDefaults.read(defaults_file(Path(home))).settings() if home else {}
    return settings.get(key, "")
