"""Enables and disables pruning, for builders and for running sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from spark_sbbf import catalog
from spark_sbbf.bridge import add_jar, jar_class_loader, running
from spark_sbbf.builder import enable_builder, is_builder
from spark_sbbf.jar import require_pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Target = TypeVar("Target", SparkSession.Builder, SparkSession)


def enable(target: Target, *, class_archive: bool = False) -> Target:
    """Enables pruning in a builder or a session, and returns it.

    Spark then skips files and row groups that cannot match, from the next query on. Files that are
    written with bloom filters get filters of the exact size (``bloom_options``). A second call
    changes nothing. ``spark.conf.set("spark.sbbf.enabled", "false")`` disables everything from the
    next query on.

    A session is enabled alone: other sessions of its application stay as they are.

    A builder gets the JAR and the extension added to its configuration. Call ``remote`` and
    configure packages before this. On Spark 3.5 the builder also gets the Java option for vector
    code, unless the JVM runs already. A session that runs in this process is enabled as well,
    because ``getOrCreate`` returns it.

    A builder of a Spark Connect session creates the session first and enables it then. So does a
    builder with ``spark.jars.packages`` or with JARs in PYSPARK_SUBMIT_ARGS, because setting
    ``spark.jars`` would hide those JARs from the executors.

    With ``class_archive`` the driver's JVM loads its classes from an archive. The first process
    writes it when it ends; later ones start their session and run their first query in less time.
    The archive is a file of some 180 MB in the folder ``spark-sbbf`` of ``XDG_CACHE_HOME``, or else
    of ``~/.cache``. The option has no effect if the JVM runs already, for example under
    spark-submit.

    Examples:
        >>> spark = enable(SparkSession.builder.appName("lookups")).getOrCreate()  # doctest: +SKIP
        >>> enable(spark)  # doctest: +SKIP

    Args:
        target: A builder or a session, classic or Spark Connect.
        class_archive: Whether a JVM that the builder starts uses an archive of classes.

    Returns:
        ``target``.

    Raises:
        TypeError: If ``target`` is no session and no builder.
        ValueError: If ``class_archive`` is given with a session, whose JVM runs.
        OSError: If the folder for archives cannot be made.
        RuntimeError: If the session was stopped, the Java or the Spark is unsupported, or as in
            ``jar_path``. Spark Connect before Spark 4.0 is supported only if its server has the
            extension.
        FileNotFoundError: As in ``jar_path``.
        ModuleNotFoundError: If PySpark is not installed.
    """
    require_pyspark()
    if is_builder(target):
        enable_builder(target, class_archive, then=enable)
    elif class_archive:
        raise ValueError(
            "class_archive needs a builder: the JVM of this session runs already. Call "
            "enable(builder, class_archive=True) before getOrCreate"
        )
    else:
        session = running(target)
        add_jar(session)
        with jar_class_loader(session):
            catalog.start(session)
    return target


def disable(session: SparkSession) -> None:
    """Disables pruning in a running session. A second call changes nothing.

    Query results stay the same. If the configuration of all sessions has the extension, this
    session gets ``spark.sbbf.enabled=false``. The catalog ``sbbf`` stays, so that ``inspect`` and
    ``doctor`` still work.

    Args:
        session: A session, classic or Spark Connect.

    Raises:
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    if catalog.has_catalog(running(session)):
        with jar_class_loader(session):
            catalog.stop(session)


def is_enabled(session: SparkSession) -> bool:
    """Returns whether the session's next query would be pruned.

    Args:
        session: A session, classic or Spark Connect.

    Returns:
        True if pruning is enabled, False if it is disabled or was never enabled.

    Raises:
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    return doctor(session)["extension"] == "active"


def doctor(session: SparkSession) -> dict[str, str]:
    """Returns what a session runs on and how spark-sbbf works in it.

    Examples:
        >>> doctor(spark)["kernels"]  # doctest: +SKIP
        'hashes of numbers: scalar (...), ..., filter blocks: vector (...)'

    Args:
        session: A session, classic or Spark Connect.

    Returns:
        Texts under short names. ``spark`` and ``extension`` always exist. A session that was
        enabled or has the extension adds ``scala``, ``java``, ``executors`` (whether they have the
        JAR), ``kernels`` (the code that hashes keys and probes filters), ``sbbf.kernel`` and the
        value of each ``spark.sbbf.*`` setting.

    Raises:
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    if not catalog.has_catalog(running(session)):
        return {"spark": session.version, "extension": "not in this session: sbbf.enable(spark)"}
    with jar_class_loader(session):
        return catalog.findings(session)
