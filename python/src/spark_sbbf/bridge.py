"""How Python brings the JAR to a session that runs, and reaches the JVM of a classic one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from spark_sbbf.catalog import has_catalog
from spark_sbbf.jar import OUR_JAR, jar_path, require_pyspark

EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
BRIDGE = "io.sbbf.spark.SessionBridge"

CONNECT_ON_3 = (
    "Spark Connect sessions can be enabled from Spark 4.0 on, and this is Spark {version}: use a "
    "classic session, or start the server with --jars <the path that 'spark-sbbf jar' prints> "
    f"--conf spark.sql.extensions={EXTENSIONS}"
)


_supplied: WeakSet[Any] = WeakSet()
"""The sessions of Spark Connect that have got the JAR: it goes over the network only once."""


def is_connect(thing: Any) -> bool:
    """Whether a session, a builder or a DataFrame is one of Spark Connect."""
    return type(thing).__module__.startswith("pyspark.sql.connect.")


def running(session: Any) -> Any:
    """The session itself, classic or Spark Connect.

    Raises TypeError for anything else, and RuntimeError for a session that was stopped and for
    Spark Connect before Spark 4.0 unless its server has the extension.
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
        raise RuntimeError("this session was stopped: make a new one with builder.getOrCreate()")
    return session


def add_jar(session: Any) -> None:
    """Adds the bundled JAR to a session that does not have it, and for its executors.

    A Spark Connect session gets it for itself alone, a classic one for all of its application.
    """
    if is_connect(session):
        if session not in _supplied and not has_catalog(session):
            session.addArtifact(jar_path(session.version))
            _supplied.add(session)
        return
    jvm, loader = session._jvm, _jar_loader(session)
    jar = jar_path(session.version, jvm.scala.util.Properties.versionNumberString())
    if _class_or_none(loader, BRIDGE) is None:
        shared = loader.getParent()  # of every Python thread, so that each finds format("sbbf")
        show_jar(jvm, shared if _takes_jars(shared) else loader, jar)
    if not _executors_get_it(session, loader, jar):
        session._sc._jsc.addJar(jar)


def _takes_jars(loader: Any) -> bool:
    return loader is not None and loader.getClass().getName() in (
        "org.apache.spark.util.MutableURLClassLoader",
        "org.apache.spark.util.ChildFirstURLClassLoader",
    )


def _executors_get_it(session: Any, loader: Any, jar: str) -> bool:
    """Whether executors have the JAR by the class path of all JVMs, or Spark ships one to them.

    That the driver has the classes says nothing: a session that was stopped may have left them.
    """
    system = session._jvm.java.lang.ClassLoader.getSystemClassLoader()
    if loader.loadClass(BRIDGE).getClassLoader().equals(system):
        return True
    listed = session._sc._jsc.sc().listJars().mkString("\n").split("\n")
    names = [PurePosixPath(unquote(urlsplit(entry).path)) for entry in listed]
    return any(name.match(OUR_JAR) or name.name == Path(jar).name for name in names)


def bridge_of(session: Any) -> Any:
    """A ``SessionBridge`` of the JVM, or None where the classic session does not have the JAR.

    The class is asked of the session's JAR loader, which finds it from every Python thread.
    """
    bridge = _class_or_none(_jar_loader(session), BRIDGE)
    if bridge is None:
        return None
    gateway = session._sc._gateway
    constructor = bridge.getConstructor(gateway.new_array(gateway.jvm.java.lang.Class, 0))
    return constructor.newInstance(gateway.new_array(gateway.jvm.java.lang.Object, 0))


def show_jar(jvm: Any, loader: Any, jar: str) -> None:
    """Adds the JAR to a class loader of Spark unless it finds the classes already.

    The same as SQL's ``ADD JAR``, whose parser takes no path with a quote or a space in it.
    Raises RuntimeError when the classes are not in the JAR.
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
    """Inside, this thread finds sources and catalogs of the JAR: Spark asks its class loader.

    Spark Connect sets the class loader of each session by itself.
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
    """What the JVM says of an argument is a ValueError, without where in the JVM; of a session, a
    RuntimeError."""
    try:
        yield
    except Exception as error:
        java = getattr(error, "java_exception", None)  # of py4j, which PySpark translates in part
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
