"""Spark plans only the Parquet row groups whose bloom filters and statistics might match.

Examples:
    >>> import spark_sbbf as sbbf
    >>> from pyspark.sql import SparkSession
    >>> builder = SparkSession.builder.appName("lookups")
    >>> spark = sbbf.enable(builder).getOrCreate()  # doctest: +SKIP
    >>> spark.read.parquet("events").where("user_id = 42").show()  # doctest: +SKIP
"""

TYPE_CHECKING = False  # as type checkers know it: importing typing takes longer than all else here
if TYPE_CHECKING:
    from spark_sbbf.advice import advise
    from spark_sbbf.attached import AttachedFile, AttachError, AttachReport
    from spark_sbbf.evidence import inspect, probe
    from spark_sbbf.existing import attach, detach
    from spark_sbbf.jar import jar_path
    from spark_sbbf.report import PruneReport, ScanReport, UnprunedRelation, explain
    from spark_sbbf.session import disable, doctor, enable, is_enabled
    from spark_sbbf.size import FilterSize, sizing
    from spark_sbbf.writer import bloom_options

__all__ = [
    "AttachError",
    "AttachReport",
    "AttachedFile",
    "FilterSize",
    "PruneReport",
    "ScanReport",
    "UnprunedRelation",
    "advise",
    "attach",
    "bloom_options",
    "detach",
    "disable",
    "doctor",
    "enable",
    "explain",
    "inspect",
    "is_enabled",
    "jar_path",
    "probe",
    "sizing",
]

_MODULES = {
    "advice": ("advise",),
    "attached": ("AttachError", "AttachReport", "AttachedFile"),
    "existing": ("attach", "detach"),
    "evidence": ("inspect", "probe"),
    "jar": ("jar_path",),
    "report": ("PruneReport", "ScanReport", "UnprunedRelation", "explain"),
    "session": ("disable", "doctor", "enable", "is_enabled"),
    "size": ("FilterSize", "sizing"),
    "writer": ("bloom_options",),
}


def __dir__() -> list[str]:
    """What notebooks complete."""
    return [*globals(), *__all__]


def __getattr__(name: str) -> object:
    """Loads what the package offers when it is first asked for (PEP 562)."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"spark_sbbf.{module}"), name)
    raise AttributeError(f"module 'spark_sbbf' has no attribute {name!r}")
