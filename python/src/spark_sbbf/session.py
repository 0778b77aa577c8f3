"""Switching the pruning on and off, for a session to come or one that already runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from spark_sbbf.bridge import CONNECT_HELP, EXTENSIONS, bridge_of, classic, load_bridge, show_jar
from spark_sbbf.defaults import SparkDefaults, defaults_file
from spark_sbbf.jar import jar_path, need_pyspark, spark_home
from spark_sbbf.java import check_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Target = TypeVar("Target", SparkSession.Builder, SparkSession)


def enable(target: Target) -> Target:
    """Makes Spark leave out row groups that cannot match, and returns ``target``.

    Examples:
        >>> spark = enable(SparkSession.builder.appName("lookups")).getOrCreate()  # doctest: +SKIP
        >>> enable(spark)  # doctest: +SKIP

    A builder gets the JAR and the extension added to those it is already configured with. If a
    session runs in this process, ``getOrCreate`` would return that one, so it is enabled as well. A
    session is enabled for its next query. Doing either twice changes nothing.

    ``spark.conf.set("spark.sbbf.enabled", "false")`` switches everything off for the next query.

    Raises TypeError for anything else, also for Spark Connect; RuntimeError or FileNotFoundError
    as in ``jar_path``.
    """
    need_pyspark()
    from pyspark.sql import SparkSession

    if isinstance(target, SparkSession.Builder):
        _enable_builder(target)
    else:
        session = classic(target)
        load_bridge(session).enable(session._jsparkSession)
    return target


def disable(session: SparkSession) -> None:
    """Takes the pruning out of a session that runs; answers stay the same. Idempotent."""
    bridge = bridge_of(classic(session))
    if bridge is not None:
        bridge.disable(session._jsparkSession)


def is_enabled(session: SparkSession) -> bool:
    """Whether the next query of this session would be pruned."""
    bridge = bridge_of(classic(session))
    return bridge is not None and bool(bridge.isActive(session._jsparkSession))


def doctor(session: SparkSession) -> dict[str, str]:
    """What a session runs on and how spark-sbbf works in it, as text under short names.

    Examples:
        >>> doctor(spark)["kernels"]  # doctest: +SKIP
        'hashes of numbers: scalar (at first; ...), ..., filter blocks: vector (...)'

    Always ``spark`` and ``extension``; with the JAR in the session also ``scala``, ``java``,
    ``kernels`` (what hashes and asks filters, and why) and each ``spark.sbbf.*`` key's value.
    Raises TypeError as ``enable`` does.
    """
    bridge = bridge_of(classic(session))
    if bridge is None:
        return {"spark": session.version, "extension": "not in this session: sbbf.enable(spark)"}
    return {str(name): str(text) for name, text in bridge.doctor(session._jsparkSession).items()}


def _enable_builder(builder: SparkSession.Builder) -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    options = builder._options
    if _wants_connect(options):
        raise TypeError(CONNECT_HELP)
    if SparkContext._gateway is None:  # else a JVM runs already
        check_java()
    builder.config("spark.jars", _with(_configured(options, "spark.jars"), jar_path()))
    builder.config(
        "spark.sql.extensions", _with(_configured(options, "spark.sql.extensions"), EXTENSIONS)
    )
    running = SparkSession._instantiatedSession
    if running is not None and running._sc._jsc is not None:
        enable(running)
    elif (
        SparkContext._jvm is not None
    ):  # left by a session that was stopped: too late for spark.jars
        thread = SparkContext._jvm.java.lang.Thread.currentThread()
        show_jar(SparkContext._jvm, thread.getContextClassLoader())


def _wants_connect(options: dict[str, Any]) -> bool:
    """Whether ``getOrCreate`` would make a Spark Connect session (Spark's own conditions)."""
    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", ""))
    return "spark.remote" in options or "SPARK_REMOTE" in os.environ or mode.lower() == "connect"


def _with(listed: str, entry: str) -> str:
    """A comma-separated list with ``entry`` in it once, behind what was there."""
    entries = [e.strip() for e in listed.split(",") if e.strip()]
    there = entry in [unquote(urlsplit(e).path) for e in entries]  # Spark makes URIs of paths
    return ",".join(entries if there else [*entries, entry])


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
