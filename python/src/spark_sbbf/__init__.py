"""Fast key lookups on Parquet: Spark skips files and row groups before it schedules tasks.

Examples:
    >>> import spark_sbbf as sbbf
    >>> from pyspark.sql import SparkSession
    >>> builder = SparkSession.builder.appName("lookups")
    >>> spark = sbbf.enable(builder).getOrCreate()  # doctest: +SKIP
    >>> spark.read.parquet("events").where("user_id = 42").show()  # doctest: +SKIP
"""

TYPE_CHECKING = False  # type checkers know this name, and importing typing takes long
if TYPE_CHECKING:
    from spark_sbbf.advice import advise
    from spark_sbbf.existing_filters import add_filters, drop_filters
    from spark_sbbf.filter_report import FileOutcome, FilterChangeError, FilterReport
    from spark_sbbf.filter_size import FilterSize, sizing
    from spark_sbbf.inspection import inspect, probe
    from spark_sbbf.jar import jar_path
    from spark_sbbf.lance_index import LanceZone, probe_lance_index
    from spark_sbbf.report import PruneReport, ScanReport, UnprunedRelation, explain, explain_last
    from spark_sbbf.session import disable, doctor, enable, is_enabled
    from spark_sbbf.table_index import (
        IndexReport,
        create_index,
        drop_index,
        index_info,
        refresh_index,
    )
    from spark_sbbf.writer import bloom_options

__all__ = [
    "FileOutcome",
    "FilterChangeError",
    "FilterReport",
    "FilterSize",
    "IndexReport",
    "LanceZone",
    "PruneReport",
    "ScanReport",
    "UnprunedRelation",
    "add_filters",
    "advise",
    "bloom_options",
    "create_index",
    "disable",
    "doctor",
    "drop_filters",
    "drop_index",
    "enable",
    "explain",
    "explain_last",
    "index_info",
    "inspect",
    "is_enabled",
    "jar_path",
    "probe",
    "probe_lance_index",
    "refresh_index",
    "sizing",
]

_MODULES = {
    "advice": ("advise",),
    "existing_filters": ("add_filters", "drop_filters"),
    "filter_report": ("FileOutcome", "FilterChangeError", "FilterReport"),
    "filter_size": ("FilterSize", "sizing"),
    "inspection": ("inspect", "probe"),
    "jar": ("jar_path",),
    "lance_index": ("LanceZone", "probe_lance_index"),
    "report": ("PruneReport", "ScanReport", "UnprunedRelation", "explain", "explain_last"),
    "session": ("disable", "doctor", "enable", "is_enabled"),
    "table_index": ("IndexReport", "create_index", "drop_index", "index_info", "refresh_index"),
    "writer": ("bloom_options",),
}


def __dir__() -> list[str]:
    """Lists the names that notebooks complete."""
    return [*globals(), *__all__]


def __getattr__(name: str) -> object:
    """Loads a public name at its first use (PEP 562)."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"spark_sbbf.{module}"), name)
    raise AttributeError(f"module 'spark_sbbf' has no attribute {name!r}")
