"""How Python reaches the JVM side of a classic session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spark_sbbf.jar import jar_path

EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
BRIDGE = "io.sbbf.spark.SessionBridge"

CONNECT_HELP = (
    "Spark Connect sessions cannot be enabled from the client yet: start the server with "
    f"--jars <the path that 'spark-sbbf jar' prints> --conf spark.sql.extensions={EXTENSIONS}"
)


def classic(session: Any) -> Any:
    """The session itself if it is a classic one, else TypeError saying what to do."""
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

    The class is asked of the session's JAR loader, which finds it from every Python thread;
    ``ADD JAR`` alone would reveal it only to the thread that ran it.
    """
    from py4j.protocol import Py4JJavaError

    loader = session._jsparkSession.sharedState().jarClassLoader()
    try:
        bridge = loader.loadClass(BRIDGE)
    except Py4JJavaError as error:
        if error.java_exception.getClass().getName() == "java.lang.ClassNotFoundException":
            return None
        raise
    gateway = session._sc._gateway
    constructor = bridge.getConstructor(gateway.new_array(gateway.jvm.java.lang.Class, 0))
    return constructor.newInstance(gateway.new_array(gateway.jvm.java.lang.Object, 0))


def load_bridge(session: Any) -> Any:
    """The same, but adds the bundled JAR to a session that does not have it."""
    bridge = bridge_of(session)
    if bridge is None:
        session.sql(f"ADD JAR '{Path(jar_path()).as_uri()}'")
        bridge = bridge_of(session)
    if bridge is None:
        raise RuntimeError(f"{jar_path()} was added to the session, but has no {BRIDGE}")
    return bridge


@contextmanager
def seeing_the_jar(session: Any) -> Iterator[None]:
    """Inside, this thread finds data sources of the JAR: Spark asks the thread's class loader."""
    thread = session._jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(session._jsparkSession.sharedState().jarClassLoader())
    try:
        yield
    finally:
        thread.setContextClassLoader(before)
