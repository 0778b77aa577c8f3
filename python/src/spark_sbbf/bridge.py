"""Adds the JAR to running sessions, and gives access to the JVM of classic ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from spark_sbbf.catalog import has_catalog
from spark_sbbf.jar import is_ours, jar_path, require_pyspark

EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
BRIDGE = "io.sbbf.spark.SessionBridge"

CONNECT_ON_3 = (
    "Spark Connect sessions can be enabled from Spark 4.0 on, and this is Spark {version}: use a "
    "classic session, or start the server with --jars <the path that 'spark-sbbf jar' prints> "
    f"--conf spark.sql.extensions={EXTENSIONS}"
)

_supplied: WeakSet[Any] = WeakSet()
"""Spark Connect sessions that received the JAR, so that it is sent only once."""


def is_connect(thing: Any) -> bool:
    """Returns whether a session, a builder or a DataFrame belongs to Spark Connect."""
    return type(thing).__module__.startswith("pyspark.sql.connect.")


def running(session: Any) -> Any:
    """Returns the session, classic or Spark Connect.

    Raises:
        TypeError: If it is not a session.
        RuntimeError: If it was stopped, or uses Spark Connect before Spark 4.0 and its server does
            not have the extension.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    if is_connect(session):
        if session.version.startswith("3.") and not has_catalog(session):
            raise RuntimeError(CONNECT_ON_3.format(version=session.version))
    elif not (isinstance(session, SparkSession) and hasattr(session, "_jsparkSession")):
        kind = type(session)
        raise TypeError(
            "expected a SparkSession or a SparkSession.Builder, "
            f"not a {kind.__module__}.{kind.__qualname__}"
        )
    elif session._sc._jsc is None:
        raise RuntimeError("this session was stopped: create a new one with builder.getOrCreate()")
    return session


def table_text(table: str | os.PathLike[str]) -> str:
    """Returns a table's name or a path as the JVM reads it.

    Only a string may be a table's name: a relative path object gets ``./`` in front.

    Raises:
        TypeError: If it is neither a string nor a path object.
        ValueError: If it is empty.
    """
    text = os.fspath(table) if isinstance(table, (str, os.PathLike)) else table
    if not isinstance(text, str):
        raise TypeError(
            f"table: expected a table's name or a path, not a {type(table).__qualname__}"
        )
    if not text:
        raise ValueError("table: the name is empty")
    is_name = isinstance(table, str) or os.sep in text
    return text if is_name else os.path.join(os.curdir, text)


def where_option(where: str | None) -> dict[str, str]:
    """Returns the option of a condition on partition columns, none without a condition.

    Raises:
        TypeError: If it is no text.
    """
    if where is None:
        return {}
    if not isinstance(where, str):
        raise TypeError(
            f"where: expected a condition of SQL as text, not a {type(where).__qualname__}"
        )
    return {"where": where}


def add_jar(session: Any) -> None:
    """Adds the bundled JAR to a session and its executors, unless they have it.

    A Spark Connect session gets it for itself, a classic one for its whole application.
    """
    if is_connect(session):
        if session not in _supplied and not has_catalog(session):
            session.addArtifact(jar_path(session.version))
            _supplied.add(session)
        return
    jvm, loader = session._jvm, _jar_loader(session)
    jar = jar_path(session.version, jvm.scala.util.Properties.versionNumberString())
    if _class_or_none(loader, BRIDGE) is None:
        shared = loader.getParent()  # of all Python threads, so that each finds format("sbbf")
        show_jar(jvm, shared if _takes_jars(shared) else loader, jar)
    if not _executors_have(session, loader, jar):
        session._sc._jsc.addJar(jar)


def _takes_jars(loader: Any) -> bool:
    return loader is not None and loader.getClass().getName() in (
        "org.apache.spark.util.MutableURLClassLoader",
        "org.apache.spark.util.ChildFirstURLClassLoader",
    )


def _executors_have(session: Any, loader: Any, jar: str) -> bool:
    """Returns whether the executors have the JAR on their class path or receive it from Spark.

    The driver's classes prove nothing: a stopped session may have left them.
    """
    system = session._jvm.java.lang.ClassLoader.getSystemClassLoader()
    if loader.loadClass(BRIDGE).getClassLoader().equals(system):
        return True
    listed = session._sc._jsc.sc().listJars().mkString("\n").split("\n")
    names = [PurePosixPath(unquote(urlsplit(entry).path)) for entry in listed]
    return any(is_ours(name) or name.name == Path(jar).name for name in names)


def bridge_of(session: Any) -> Any:
    """Returns a ``SessionBridge`` of the JVM, or None if the classic session has no JAR.

    The session's JAR loader finds the class from every Python thread.
    """
    bridge = _class_or_none(_jar_loader(session), BRIDGE)
    if bridge is None:
        return None
    gateway = session._sc._gateway
    constructor = bridge.getConstructor(gateway.new_array(gateway.jvm.java.lang.Class, 0))
    return constructor.newInstance(gateway.new_array(gateway.jvm.java.lang.Object, 0))


def show_jar(jvm: Any, loader: Any, jar: str) -> None:
    """Adds the JAR to a class loader of Spark, unless the loader finds the classes already.

    SQL's ``ADD JAR`` does the same, but cannot parse a path with a quote or a space.

    Raises:
        RuntimeError: If the JAR does not contain the classes.
    """
    if _class_or_none(loader, BRIDGE) is None:
        loader.addURL(jvm.java.io.File(jar).toURI().toURL())
        if _class_or_none(loader, BRIDGE) is None:
            raise RuntimeError(
                f"there is no {BRIDGE} in {jar}: reinstall spark-sbbf from its wheel, or correct "
                "SPARK_SBBF_JAR if it is set"
            )


@contextmanager
def jar_class_loader(session: Any) -> Iterator[None]:
    """Makes Spark find the data sources and catalogs of the JAR from this thread.

    Spark Connect sets the class loader of each session itself.
    """
    if is_connect(session):
        yield
        return
    thread = session._jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(_jar_loader(session))
    try:
        yield
    finally:
        thread.setContextClassLoader(before)


@contextmanager
def translate_jvm_errors() -> Iterator[None]:
    """Raises ValueError or RuntimeError instead of the JVM's exceptions, without their stack.

    Raises:
        ValueError: If the JVM rejects an argument.
        RuntimeError: If the JVM rejects the state of the session.
    """
    try:
        yield
    except Exception as error:
        java = getattr(error, "java_exception", None)  # py4j sets it; PySpark translates only some
        if type(error).__name__ == "IllegalArgumentException":
            raise ValueError(str(error).splitlines()[0]) from None
        if java is not None and java.getClass().getName() == "java.lang.IllegalStateException":
            raise RuntimeError(java.getMessage()) from None
        raise


def _jar_loader(session: Any) -> Any:
    return session._jsparkSession.sharedState().jarClassLoader()


def _class_or_none(loader: Any, name: str) -> Any:
    from py4j.protocol import Py4JJavaError

    try:
        return loader.loadClass(name)
    except Py4JJavaError as error:
        if error.java_exception.getClass().getName() == "java.lang.ClassNotFoundException":
            return None
        raise
