"""Reports what a run did to the filters of existing files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class FileOutcome:
    """The outcome for the filters of one file."""

    file_name: str
    status: str
    """``done``, ``planned`` (a dry run), ``unchanged`` (had the filters already, or has none of the
    columns), ``refused`` (must not be changed) or ``failed``."""
    reason: str
    row_groups: int
    filters: int
    """Number of filters that were written, or would be."""
    filter_bytes: int
    """Bytes of their bitsets; in a dry run an estimate from a sample."""
    bytes_read: int
    """Compressed bytes of the column chunks to read."""
    bytes: int
    """Bytes of the file with its filters."""
    seconds: float
    """Time of the task that wrote the file; in a dry run the file's share of the time on all
    cores."""
    has_offset_indexes: bool
    """Whether tasks can read some pages of its row groups, and not only whole ones."""


@dataclass(frozen=True, repr=False)
class FilterReport:
    """The outcomes for a table's files, in the order of their paths."""

    files: list[FileOutcome]

    def of(self, status: str) -> list[FileOutcome]:
        """Returns the files with one status."""
        return [file for file in self.files if file.status == status]

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> FilterReport:
        """Reads the rows that the JVM returns.

        Raises:
            RuntimeError: If a JAR of another version returned them; the message has the rows.
        """
        rows, names = list(rows), [field.name for field in fields(FileOutcome)]
        try:
            return cls([FileOutcome(**{name: row[name] for name in names}) for row in rows])
        except KeyError as error:
            raise RuntimeError(
                "the run ended, but the spark-sbbf JAR has another version than the package, which "
                f"cannot read its report: {rows}"
            ) from error

    def raise_on_failure(self) -> None:
        """Raises FilterChangeError if files failed."""
        if self.of("failed"):
            raise FilterChangeError(self)

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as plain dictionaries and lists."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [self._done(), self._planned()]
        for status in ("unchanged", "refused", "failed"):
            files = self.of(status)
            lines.append(f"{len(files):,} files {status}" if files else "")
            lines += [f"  {f.file_name}: {f.reason}" for f in files if f.reason][:_MOST_SHOWN]
        whole = [file for file in self.files if not file.has_offset_indexes]
        lines.append(f"{len(whole):,} {_WHOLE}" if whole else "")
        return "\n".join(line for line in lines if line) or "no files"

    __repr__ = __str__

    def _done(self) -> str:
        files = self.of("done")
        if not files:
            return ""
        if not any(file.filters for file in files):
            return f"dropped the filters of {len(files):,} files"
        return f"wrote {_amounts(files)}"

    def _planned(self) -> str:
        files = self.of("planned")
        if not files:
            return ""
        seconds = sum(file.seconds for file in files)
        if any(file.filters for file in files):
            change = f"write {_amounts(files)}"
        else:
            written = sum(file.bytes for file in files)
            change = f"drop the filters of {len(files):,} files of {written:,} bytes"
        lines = [f"would {change}; that takes about {max(seconds, 0.1):,.1f} s"]
        lines += [f"  {f.file_name}: {f.bytes:,} bytes, {f.filters:,} filters" for f in files]
        more = len(files) - _MOST_SHOWN
        return "\n".join(lines[: _MOST_SHOWN + 1] + ([f"  and {more:,} more"] if more > 0 else []))


class FilterChangeError(RuntimeError):
    """Some files failed, and all others were changed.

    The message names ten of the failed files. A failed file is unchanged, unless the job that
    wrote it was lost: a second run reports its state.
    """

    report: FilterReport
    """The outcome for each file."""

    def __init__(self, report: FilterReport):
        self.report = report
        failed = report.of("failed")
        named = "; ".join(f"{file.file_name}: {file.reason}" for file in failed[:_MOST_SHOWN])
        super().__init__(
            f"{len(failed):,} of {len(report.files):,} files failed, "
            f"{len(report.of('done')):,} are done; remove the cause and run it again to continue. "
            f"{named}"
        )

    def __reduce__(self) -> tuple[type[FilterChangeError], tuple[FilterReport]]:
        return FilterChangeError, (self.report,)


_MOST_SHOWN = 10
_WHOLE = (
    "files have no offset indexes, so tasks read their row groups whole; "
    "pyarrow writes them with write_page_index=True"
)


def _amounts(files: Sequence[FileOutcome]) -> str:
    filters = sum(file.filters for file in files)
    filter_bytes = sum(file.filter_bytes for file in files)
    read, written = sum(file.bytes_read for file in files), sum(file.bytes for file in files)
    return (
        f"{len(files):,} files of {written:,} bytes with {filters:,} new filters of "
        f"{filter_bytes:,} bytes, from {read:,} bytes of columns"
    )
