"""Switching the pruning on and off, for a session to come or one that already runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from spark_sbbf import catalog
from spark_sbbf.bridge import add_jar, jar_class_loader, running
from spark_sbbf.builder import enable_builder, is_builder
from spark_sbbf.jar import require_pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Target = TypeVar("Target", SparkSession.Builder, SparkSession)


def enable(target: Target) -> Target:
    """Makes Spark leave out row groups that cannot match, and returns ``target``.

    Files that are written with bloom filters get them of exact size (``bloom_options``).

    Examples:
        >>> spark = enable(SparkSession.builder.appName("lookups")).getOrCreate()  # doctest: +SKIP
        >>> enable(spark)  # doctest: +SKIP

    A builder gets the JAR and the extension added to those it is already configured with; on Spark
    3.5 also the Java option for vector code, if the JVM is still to come. If a session runs in this
    process, ``getOrCreate`` would return that one, so it is enabled as well. A builder of a Spark
    Connect session makes the session and enables it then; so does one with ``spark.jars.packages``,
    or with JARs in PYSPARK_SUBMIT_ARGS, as naming ours would hide those from executors. Call
    ``remote`` and configure packages before this.

    A session, classic or Spark Connect, is enabled for its next query, and no other session with
    it. Doing either twice changes nothing.

    ``spark.conf.set("spark.sbbf.enabled", "false")`` switches everything off for the next query.

    Raises TypeError for anything else; RuntimeError for Spark Connect before Spark 4.0 unless its
    server has the extension, for a session that was stopped and for a Java that cannot run it;
    RuntimeError or FileNotFoundError as in ``jar_path``.
    """
    require_pyspark()
    if is_builder(target):
        enable_builder(target, then=enable)
    else:
        session = running(target)
        add_jar(session)
        with jar_class_loader(session):
            catalog.start(session)
    return target


def disable(session: SparkSession) -> None:
    """Takes the pruning out of a session that runs; answers stay the same. Idempotent.

    What ``enable`` added to the planning of the session goes; if the pruning is there by the
    configuration of all sessions, this one gets ``spark.sbbf.enabled=false``. The catalog ``sbbf``,
    which plans nothing, stays, so that ``inspect`` and ``doctor`` still answer.
    """
    if catalog.has_catalog(running(session)):
        with jar_class_loader(session):
            catalog.stop(session)


def is_enabled(session: SparkSession) -> bool:
    """Whether the next query of this session would be pruned."""
    return doctor(session)["extension"] == "active"


def doctor(session: SparkSession) -> dict[str, str]:
    """What a session runs on and how spark-sbbf works in it, as text under short names.

    Examples:
        >>> doctor(spark)["kernels"]  # doctest: +SKIP
        'hashes of numbers: scalar (at first; ...), ..., filter blocks: vector (...)'

    Always ``spark`` and ``extension``; where the session was enabled or has the extension also
    ``scala``, ``java``, ``kernels`` (what hashes and asks filters, and why) and each
    ``spark.sbbf.*`` key's value. Raises TypeError and RuntimeError as ``enable`` does.
    """
    if not catalog.has_catalog(running(session)):
        return {"spark": session.version, "extension": "not in this session: sbbf.enable(spark)"}
    with jar_class_loader(session):
        return catalog.findings(session)
