"""Fast key lookups on Parquet: Spark skips files and row groups before it schedules tasks.

Examples:
    >>> import spark_sbbf as sbbf
    >>> from pyspark.sql import SparkSession
    >>> builder = SparkSession.builder.appName("lookups")
    >>> spark = sbbf.enable(builder).getOrCreate()  # doctest: +SKIP
    >>> spark.read.parquet("events").where("user_id = 42").show()  # doctest: +SKIP
"""

TYPE_CHECKING = False  # importing typing would take longer than the rest of this module
if TYPE_CHECKING:
    from spark_sbbf.advice import advise
    from spark_sbbf.existing_filters import attach, detach
    from spark_sbbf.filter_report import AttachedFile, AttachError, AttachReport
    from spark_sbbf.filter_size import FilterSize, sizing
    from spark_sbbf.inspection import inspect, probe
    from spark_sbbf.jar import jar_path
    from spark_sbbf.report import PruneReport, ScanReport, UnprunedRelation, explain
    from spark_sbbf.session import disable, doctor, enable, is_enabled
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

# No module may have the name of a public function: importing it would hide the function.
_MODULES = {
    "advice": ("advise",),
    "existing_filters": ("attach", "detach"),
    "filter_report": ("AttachError", "AttachReport", "AttachedFile"),
    "filter_size": ("FilterSize", "sizing"),
    "inspection": ("inspect", "probe"),
    "jar": ("jar_path",),
    "report": ("PruneReport", "ScanReport", "UnprunedRelation", "explain"),
    "session": ("disable", "doctor", "enable", "is_enabled"),
    "writer": ("bloom_options",),
}


def __dir__() -> list[str]:
    """Returns the names that notebooks complete."""
    return [*globals(), *__all__]


def __getattr__(name: str) -> object:
    """Loads a public name on its first use (PEP 562)."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"spark_sbbf.{module}"), name)
    raise AttributeError(f"module 'spark_sbbf' has no attribute {name!r}")
