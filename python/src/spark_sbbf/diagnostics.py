"""Reports what sessions of the installed Spark would run on, without starting one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from spark_sbbf.bridge import EXTENSIONS
from spark_sbbf.builder import VECTOR_MODULE
from spark_sbbf.defaults import SparkDefaults, defaults_file, items
from spark_sbbf.jar import Spark, find_spark, is_ours, jar_path
from spark_sbbf.jvm import run_command


def doctor(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the findings under short names; ``problem`` is the error that ended the check.

    ``settings`` override those of the installation's ``spark-defaults.conf``.
    """
    findings: dict[str, str] = {}
    try:
        spark = find_spark()
        findings["spark"] = f"{spark.version} in {spark.home}"
        findings["jar"] = jar_path()
        conf = settings_of(spark, settings)
        findings["settings"] = str(defaults_file(spark.home))
        findings["extension"] = extension(spark, conf)
        of_jvm = json.loads("".join(run_command(spark, "doctor", {}, conf)))
    except (RuntimeError, FileNotFoundError) as error:
        return {**findings, "problem": str(error)}
    findings["scala"], findings["java"] = of_jvm.pop("scala"), of_jvm.pop("java")
    findings[VECTOR_MODULE] = _module(spark, of_jvm.pop("vector module"))
    return {**findings, **of_jvm}


def settings_of(spark: Spark, settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings of every session of this Spark, overridden by ``settings``."""
    return {**SparkDefaults.read(defaults_file(spark.home)).settings(), **settings}


def extension(spark: Spark, conf: Mapping[str, str]) -> str:
    """Returns whether sessions with this configuration have the extension, or why not."""
    jars = [jar for jar in map(Path, items(conf.get("spark.jars", ""))) if is_ours(jar)]
    has_jar = bool(jars) or any(map(is_ours, (spark.home / "jars").glob("*.jar")))
    is_named = EXTENSIONS in items(conf.get("spark.sql.extensions", ""))
    remedy = "run 'spark-sbbf install', or call spark_sbbf.enable in each session"
    gone = [jar for jar in jars if jar.is_absolute() and not jar.is_file()]
    if gone:
        return f"spark.jars names {gone[0]}, which does not exist; {remedy}"
    other = [jar for jar in jars if f"_{spark.scala}-" not in jar.name]
    if other:
        return f"spark.jars names {other[0]}, but this Spark has Scala {spark.scala}; {remedy}"
    if conf.get("spark.sbbf.enabled", "true").strip().lower() == "false":
        return "off in every session: spark.sbbf.enabled is false"
    if has_jar and (is_named or spark.line != "3.5"):
        return "in every session"
    if has_jar:
        return f"not configured: spark.sql.extensions does not name {EXTENSIONS}; {remedy}"
    if is_named:
        return f"named in spark.sql.extensions, but its JAR is not in spark.jars; {remedy}"
    return f"not configured for all sessions; {remedy}"


def _module(spark: Spark, has_it: bool) -> str:
    if has_it:
        return "present"
    return (
        "missing, so scalar code probes the filters: set "
        f"--add-modules={VECTOR_MODULE} in spark.driver.extraJavaOptions and "
        f"spark.executor.extraJavaOptions of Spark {spark.line}"
    )
