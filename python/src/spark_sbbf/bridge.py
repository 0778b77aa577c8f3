"""How Python reaches the JVM side of a classic session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spark_sbbf.jar import jar_path, need_pyspark

EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
BRIDGE = "io.sbbf.spark.SessionBridge"

CONNECT_HELP = (
    "Spark Connect sessions cannot be enabled from the client yet: start the server with "
    f"--jars <the path that 'spark-sbbf jar' prints> --conf spark.sql.extensions={EXTENSIONS}"
)


def classic(session: Any) -> Any:
    """The session itself if it is a classic one, else TypeError saying what to do."""
    need_pyspark()
    from pyspark.sql import SparkSession

    if isinstance(session, SparkSession) and hasattr(session, "_jsparkSession"):
        return session
    kind = type(session)
    if kind.__module__.startswith("pyspark.sql.connect."):
        raise TypeError(CONNECT_HELP)
    raise TypeError(
        "expected a SparkSession or a SparkSession.Builder, "
        f"not a {kind.__module__}.{kind.__qualname__}"
    )


def bridge_of(session: Any) -> Any:
    """A ``SessionBridge`` of the JVM, or None where the session does not have the JAR.

    The class is asked of the session's JAR loader, which finds it from every Python thread.
    """
    bridge = _class_or_none(_jar_loader(session), BRIDGE)
    if bridge is None:
        return None
    gateway = session._sc._gateway
    constructor = bridge.getConstructor(gateway.new_array(gateway.jvm.java.lang.Class, 0))
    return constructor.newInstance(gateway.new_array(gateway.jvm.java.lang.Object, 0))


def load_bridge(session: Any) -> Any:
    """The same, but adds the bundled JAR to a session that does not have it."""
    bridge = bridge_of(session)
    if bridge is None:
        session._sc._jsc.addJar(jar_path())  # for the executors
        show_jar(session._jvm, _jar_loader(session))
        # for format("sbbf") in this thread, as ADD JAR does it
        session._jvm.java.lang.Thread.currentThread().setContextClassLoader(_jar_loader(session))
        bridge = bridge_of(session)
    return bridge


def show_jar(jvm: Any, loader: Any) -> None:
    """Adds the JAR to a class loader of Spark unless it finds the classes already.

    The same as SQL's ``ADD JAR``, whose parser takes no path with a quote or a space in it.
    Raises RuntimeError when the classes are not in the JAR.
    """
    if _class_or_none(loader, BRIDGE) is None:
        loader.addURL(jvm.java.io.File(jar_path()).toURI().toURL())
        if _class_or_none(loader, BRIDGE) is None:
            raise RuntimeError(f"there is no {BRIDGE} in {jar_path()}")


@contextmanager
def seeing_the_jar(session: Any) -> Iterator[None]:
    """Inside, this thread finds data sources of the JAR: Spark asks the thread's class loader."""
    thread = session._jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(_jar_loader(session))
    try:
        yield
    finally:
        thread.setContextClassLoader(before)


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
