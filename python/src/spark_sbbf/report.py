"""What pruning did to one query, readable as text and as HTML."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spark_sbbf.bridge import bridge_of, is_connect, running
from spark_sbbf.catalog import has_catalog, report_json
from spark_sbbf.progress import is_interactive

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class FileBar:
    """Some neighbouring files of a scan, as a picture of it shows them."""

    first: str
    """Name of the first file, without its folders."""
    last: str
    files: int
    files_unknown: int
    """Files that were not asked or gave no answer: kept whole, their row groups are not counted."""
    row_groups: int
    row_groups_kept: int
    refuted_by: dict[str, int]
    """Evidence to the number of row groups it ruled out."""


@dataclass(frozen=True)
class ScanReport:
    """One scan that the pruner looked at; totals are of the partitions that the query asks for."""

    paths: list[str]
    predicate: str
    """The part of the filter that was used, with ``?`` for values."""
    not_used: list[str]
    """Why other parts of the filter cannot rule out anything: functions and columns, no values."""
    files: int
    files_kept: int
    row_groups: int
    row_groups_kept: int
    bytes: int
    bytes_kept: int
    refuted_by: dict[str, int]
    """Evidence to the number of row groups it ruled out."""
    kept_because: dict[str, int]
    """Reason to the number of row groups kept for it."""
    filters_rejected: dict[str, int]
    """Reason to the number of row groups in which a filter was asked and not believed."""
    millis: float
    bytes_read: int
    files_opened: int
    stopped_early: bool
    """True when a sample of the files showed that the filters do not help; all others are kept."""
    bars: list[FileBar]
    """All files, in the order of their listing; never more than 50 bars."""
    summary: str

    @classmethod
    def from_dict(cls, tree: dict[str, Any]) -> ScanReport:
        return cls(**{**tree, "bars": [FileBar(**bar) for bar in tree["bars"]]})

    @property
    def title(self) -> str:
        return f"{', '.join(self.paths)}: {self.summary}"

    def __str__(self) -> str:
        lines = [self.title, f"  predicate     {self.predicate}"]
        lines += [f"  not used      {reason}" for reason in self.not_used]
        if self.refuted_by:
            lines.append(f"  refuted by    {_counts(self.refuted_by)}")
        if self.kept_because:
            lines.append(f"  kept because  {_counts(self.kept_because)}")
        if self.filters_rejected:
            lines.append(f"  rejected      filters: {_counts(self.filters_rejected)}")
        lines.append(f"  bytes         {self.bytes_kept:,} of {self.bytes:,}")
        if self.stopped_early:
            lines.append("  stopped early: a sample showed that the filters do not help here")
        return "\n".join(lines)


@dataclass(frozen=True)
class UnprunedRelation:
    """A relation of the query that was left as it is, and why."""

    relation: str
    reason: str

    def __str__(self) -> str:
        return f"{self.relation}: not pruned, {self.reason}"


@dataclass(frozen=True, repr=False)
class PruneReport:
    """What was pruned from one query, by which evidence, and what that cost."""

    enabled: bool
    scans: list[ScanReport]
    unpruned: list[UnprunedRelation]

    @classmethod
    def from_json(cls, text: str) -> PruneReport:
        """Reads what ``SessionBridge.explain`` writes.

        Raises RuntimeError, saying what to do, for what a JAR of another version writes.
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
        """The report as plain dictionaries and lists, in the shape of its JSON."""
        return asdict(self)

    def __str__(self) -> str:
        if not self.enabled:
            return _OFF
        lines = [str(part) for part in [*self.scans, *self.unpruned]]
        return "\n".join(lines) or _NOTHING

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks: a picture of each scan, and the numbers in a table."""
        from spark_sbbf.rendering import render  # when it is looked at
        from spark_sbbf.svg import svg

        if not (self.enabled and (self.scans or self.unpruned)):
            return f"<p>{self}</p>"
        return render("explain.html", report=self, svg=svg)


def explain(df: DataFrame) -> PruneReport:
    """Returns what pruning does to a query, and prints it in a script.

    Plans the query if it is not planned yet, and runs no job of it. A notebook and an interactive
    shell show the returned report themselves, so nothing is printed there. Spark Connect plans each
    use of a DataFrame anew, so its report has the time and the bytes of its own planning.

    Args:
        df: The query.

    Returns:
        The report.

    Raises:
        TypeError: If ``df`` is not a DataFrame.
        RuntimeError: If its session was never enabled.
    """
    report = _report(df)
    if not is_interactive():
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
    # only py4j reaches the plan of this DataFrame, with the cost of its planning
    return PruneReport.from_json(bridge.explain(df._jdf.queryExecution()))


_OFF = (
    "spark-sbbf is off in this session: call spark_sbbf.enable(spark), "
    "which also sets spark.sbbf.enabled"
)
_ABSENT = "spark-sbbf is not in this session: call spark_sbbf.enable(spark) first"
_OTHER_VERSION = (
    "the spark-sbbf JAR in this session is of another version than the package: start the session "
    "with the JAR that 'spark-sbbf jar' prints; where an older one is installed, run "
    "'spark-sbbf install' again"
)
_NOTHING = "nothing to prune: the query reads no Parquet files"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
