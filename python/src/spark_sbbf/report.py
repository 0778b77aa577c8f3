"""Reports what pruning did to one query, as text and as HTML."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spark_sbbf.bridge import bridge_of, is_connect, running
from spark_sbbf.catalog import has_catalog, last_report_json, report_json
from spark_sbbf.progress import is_interactive

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class FileBar:
    """One bar in the picture of a scan: a range of adjacent files."""

    first: str
    """Name of the first file, without its folders."""
    last: str
    """Name of the last file."""
    files: int
    """Number of files."""
    files_unknown: int
    """Number of files that were not checked or are unreadable. They are kept, and their row groups
    are not counted."""
    row_groups: int
    """Number of row groups before pruning."""
    row_groups_kept: int
    """Number of row groups that might match."""
    refuted_by: dict[str, int]
    """Number of row groups that each kind of evidence ruled out."""


@dataclass(frozen=True)
class ScanReport:
    """The effect of pruning on one scan, in the partitions that the query reads."""

    paths: list[str]
    """Paths of the table."""
    predicate: str
    """The part of the filter that pruning used, with ``?`` for values."""
    not_used: list[str]
    """Why the other parts of the filter, and keys of joins, cannot rule out row groups: functions
    and columns, no values."""
    late_keys: list[str]
    """The keys that pruned the scan while the query ran, by number and origin: those of broadcast
    joins, and results of subqueries. Empty before the query has run."""
    files: int
    """Number of files before pruning."""
    files_kept: int
    """Number of files that the scan reads."""
    row_groups: int
    """Number of row groups before pruning, in the files that were checked."""
    row_groups_kept: int
    """Number of these row groups that might match."""
    bytes: int
    """Bytes of all files."""
    bytes_kept: int
    """Compressed bytes of the kept row groups; the size of the file if it keeps all of them."""
    refuted_by: dict[str, int]
    """Number of row groups that each kind of evidence ruled out."""
    kept_because: dict[str, int]
    """Number of row groups that were kept for each reason."""
    filters_rejected: dict[str, int]
    """Number of row groups with a filter that was invalid, for each reason."""
    millis: float
    """Milliseconds that pruning took."""
    bytes_read: int
    """Bytes that pruning read."""
    files_opened: int
    """Number of files that pruning opened."""
    files_read_by_tasks: int
    """Number of these files that a Spark job read on executors."""
    files_missed_by_tasks: int
    """Number of files that this job was to read, but failed to or was too slow for. The driver read
    them, or kept them."""
    stopped_early: bool
    """Whether a sample of the files showed that the filters do not help. The other files are then
    kept."""
    files_not_cached: int
    """Number of files without space in the cache. Later queries read them again."""
    index_segments: int
    """Number of segments of the table's index that pruning searched; 0 without an index."""
    index_pages: int
    """Number of pages of keys that it read in these."""
    index_bytes: int
    """Bytes that it read in these."""
    pages_read: int
    """Number of pages that tasks read where they chose pages by the filter's columns. 0 before the
    query has run, as the next two."""
    pages_skipped: int
    """Number of pages that these tasks left out."""
    rows_skipped: int
    """Number of rows of kept row groups that these tasks left out."""
    bars: list[FileBar]
    """All files, in the order of their listing, in at most 50 ranges."""
    summary: str
    """One line of text with the main numbers."""

    @classmethod
    def from_dict(cls, tree: dict[str, Any]) -> ScanReport:
        """Reads one scan of the JSON report.

        Args:
            tree: The scan's object, as dictionaries and lists.

        Returns:
            The scan.

        Raises:
            KeyError: If a field is missing.
            TypeError: If the fields differ otherwise.
        """
        return cls(**{**tree, "bars": [FileBar(**bar) for bar in tree["bars"]]})

    @property
    def title(self) -> str:
        """The paths and the summary."""
        return f"{', '.join(self.paths)}: {self.summary}"

    def __str__(self) -> str:
        lines = [self.title, f"  predicate     {self.predicate}"]
        lines += [f"  late keys     {keys}" for keys in self.late_keys]
        lines += [f"  not used      {reason}" for reason in self.not_used]
        if self.refuted_by:
            lines.append(f"  refuted by    {_counts(self.refuted_by)}")
        if self.kept_because:
            lines.append(f"  kept because  {_counts(self.kept_because)}")
        if self.filters_rejected:
            lines.append(f"  rejected      filters: {_counts(self.filters_rejected)}")
        lines.append(f"  bytes         {self.bytes_kept:,} of {self.bytes:,}")
        if self.rows_skipped:
            pages = self.pages_read + self.pages_skipped
            counts = f"{self.pages_read:,} of {pages:,} pages"
            read = counts if pages else "no page of other columns"
            lines.append(
                f"  skipped       {self.rows_skipped:,} rows of kept row groups; read {read}"
            )
        if self.stopped_early:
            lines.append("  stopped early: a sample of the files showed no benefit of the filters")
        if self.files_not_cached:
            lines.append(
                f"  cache full    later queries read {self.files_not_cached:,} files again; "
                "raise spark.sbbf.cache.maxBytes, or the driver's memory"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class UnprunedRelation:
    """A relation of the query that was not pruned, and the reason."""

    relation: str
    """Paths or name of the relation."""
    reason: str
    """Why it was not pruned; holds no value of the query."""

    def __str__(self) -> str:
        return f"{self.relation}: not pruned, {self.reason}"


@dataclass(frozen=True, repr=False)
class PruneReport:
    """The effect of pruning on one query, its evidence and its cost.

    Converts to text with ``str`` and ``print``; a notebook shows it with a picture of each scan.
    """

    enabled: bool
    """Whether pruning is enabled in the session."""
    scans: list[ScanReport]
    """The scans that were pruned."""
    unpruned: list[UnprunedRelation]
    """The relations that were not pruned."""
    statement: int | None = None
    """The number of the statement in the SQL tab; None for a query that ``explain`` was given."""

    @classmethod
    def from_json(cls, text: str) -> PruneReport:
        """Reads the JSON that the JAR writes.

        Args:
            text: The JSON of one report.

        Returns:
            The report.

        Raises:
            RuntimeError: If a JAR of another version wrote it.
        """
        tree = json.loads(text)
        try:
            return cls(
                scans=[ScanReport.from_dict(scan) for scan in tree.pop("scans")],
                unpruned=[UnprunedRelation(**relation) for relation in tree.pop("unpruned")],
                **tree,
            )
        except (KeyError, TypeError) as error:
            raise RuntimeError(_OTHER_VERSION) from error

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as plain dictionaries and lists.

        Returns:
            The fields of the report, nested as in its JSON.
        """
        return asdict(self)

    def __str__(self) -> str:
        if not self.enabled:
            return _OFF
        lines = [str(part) for part in [*self.scans, *self.unpruned]]
        if self.statement is not None:
            lines.insert(0, f"statement {self.statement}, by its number in the SQL tab")
        return "\n".join(lines) or _NOTHING

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Returns a picture of each scan and a table of the numbers, for notebooks."""
        from spark_sbbf.rendering import render  # only notebooks need it
        from spark_sbbf.svg import svg

        if not (self.enabled and (self.scans or self.unpruned)):
            return f"<p>{self}</p>"
        return render("explain.html", report=self, svg=svg)


def explain(df: DataFrame, *, show: bool | None = None) -> PruneReport:
    """Returns what pruning does to a query, and prints it in a script.

    Plans the query if it is not planned yet, and runs no job of it. Once the query has run, the
    report includes the keys of joins and subqueries that pruned a scan meanwhile. A notebook and an
    interactive shell show the returned report themselves, so nothing is printed there. Spark
    Connect plans each use of a DataFrame anew, so its report has the time and the bytes of its own
    planning, and no late keys.

    Args:
        df: The query.
        show: Whether to print the report. None prints it in a script.

    Returns:
        The report.

    Raises:
        TypeError: If ``df`` is not a DataFrame.
        RuntimeError: If its session was never enabled.
    """
    return _shown(_report(df), show)


def explain_last(spark: Any, *, show: bool | None = None) -> PruneReport:
    """Returns what pruning did to the last statement of a session, and prints it in a script.

    A statement is what ran at once: a SELECT by any action, INSERT, CREATE TABLE AS, MERGE, UPDATE,
    DELETE. The report has the scans of all its queries, in the order in which they ended.
    Statements that fail, or that read no files, tables or caches, do not count, nor do the jobs of
    ``df.rdd``. In ``foreachBatch``, pass ``batch.sparkSession``.

    Args:
        spark: The session.
        show: Whether to print the report. None prints it in a script.

    Returns:
        The report.

    Raises:
        TypeError: If ``spark`` is not a session.
        RuntimeError: If it was never enabled, or has run no statement since.
    """
    session = running(spark)
    if not has_catalog(session):
        raise RuntimeError(_ABSENT)
    text = last_report_json(session)
    if text is None:
        raise RuntimeError(_NO_STATEMENT)
    return _shown(PruneReport.from_json(text), show)


def _shown(report: PruneReport, show: bool | None) -> PruneReport:
    if not is_interactive() if show is None else show:
        print(report)
    return report


def _report(df: DataFrame) -> PruneReport:
    if not hasattr(df, "sparkSession"):
        raise TypeError(f"explain: expected a DataFrame, not a {type(df).__qualname__}")
    session = running(df.sparkSession)
    if is_connect(session):
        if not has_catalog(session):
            raise RuntimeError(_ABSENT)
        return PruneReport.from_json(report_json(df))
    bridge = bridge_of(session)
    if bridge is None:
        raise RuntimeError(_ABSENT)
    # only py4j reaches this DataFrame's own plan, which holds the cost of its planning
    return PruneReport.from_json(bridge.explain(df._jdf.queryExecution()))


_OFF = (
    "spark-sbbf is off in this session: call spark_sbbf.enable(spark), "
    "which also sets spark.sbbf.enabled"
)
_ABSENT = "spark-sbbf is not in this session: call spark_sbbf.enable(spark) first"
_NO_STATEMENT = (
    "explain_last: this session has run no statement that reads files, tables or caches since "
    "spark-sbbf was enabled"
)
_OTHER_VERSION = (
    "the spark-sbbf JAR in this session is of another version than the package: start the session "
    "with the JAR that 'spark-sbbf jar' prints, and if an older one is installed, run "
    "'spark-sbbf install' again"
)
_NOTHING = "nothing to prune: the query reads no Parquet files"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
