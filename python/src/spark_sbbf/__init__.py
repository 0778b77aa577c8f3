"""Spark plans only the Parquet row groups whose bloom filters and statistics might match.

Examples:
    >>> import spark_sbbf as sbbf
    >>> from pyspark.sql import SparkSession
    >>> builder = SparkSession.builder.appName("lookups")
    >>> spark = sbbf.enable(builder).getOrCreate()  # doctest: +SKIP
    >>> spark.read.parquet("events").where("user_id = 42").show()  # doctest: +SKIP
"""

from spark_sbbf.evidence import inspect, probe
from spark_sbbf.jar import jar_path
from spark_sbbf.report import PruneReport, ScanReport, UnprunedRelation, explain
from spark_sbbf.session import disable, doctor, enable, is_enabled
from spark_sbbf.writer import bloom_options

__all__ = [
    "PruneReport",
    "ScanReport",
    "UnprunedRelation",
    "bloom_options",
    "disable",
    "doctor",
    "enable",
    "explain",
    "inspect",
    "is_enabled",
    "jar_path",
    "probe",
]
