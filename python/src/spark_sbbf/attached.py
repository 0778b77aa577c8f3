"""What became of the filters of existing files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class AttachedFile:
    """What became of the filters of one file."""

    file: str
    status: str
    """``done``, ``planned`` (a dry run), ``unchanged`` (had them already, or has none of the
    columns), ``refused`` (must not be changed) or ``failed``."""
    reason: str
    row_groups: int
    filters: int
    """Filters that were written, or would be."""
    filter_bytes: int
    """Bytes of their bitsets; in a dry run by a sample."""
    bytes_read: int
    """Bytes of column chunks, compressed."""
    bytes: int
    """Bytes of the file with its filters."""
    seconds: float
    """In a dry run this file's share of the time on all cores, else how long its task took to write
    it."""


@dataclass(frozen=True, repr=False)
class AttachReport:
    """What became of the filters of some files, in the order of their paths."""

    files: list[AttachedFile]

    def of(self, status: str) -> list[AttachedFile]:
        """The files of one status."""
        return [file for file in self.files if file.status == status]

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> AttachReport:
        """The report of what the JVM answers.

        Raises RuntimeError, with the answer, for what a JAR of another version says.
        """
        rows, names = list(rows), [field.name for field in fields(AttachedFile)]
        try:
            return cls([AttachedFile(**{name: row[name] for name in names}) for row in rows])
        except KeyError as error:
            raise RuntimeError(
                "the files were seen to, by a spark-sbbf JAR of another version than the package, "
                f"whose answer is not understood: {rows}"
            ) from error

    def need_no_failure(self) -> None:
        """Raises AttachError if files failed."""
        if self.of("failed"):
            raise AttachError(self)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries and lists."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [self._done(), self._planned()]
        for status in ("unchanged", "refused", "failed"):
            files = self.of(status)
            lines.append(f"{len(files):,} files {status}" if files else "")
            lines += [f"  {f.file}: {f.reason}" for f in files if f.reason][:_MOST_SHOWN]
        return "\n".join(line for line in lines if line) or "no files"

    __repr__ = __str__

    def _done(self) -> str:
        files = self.of("done")
        if not files:
            return ""
        if not any(file.filters for file in files):
            return f"took filters out of {len(files):,} files"
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
            change = f"take filters out of {len(files):,} files of {written:,} bytes"
        lines = [f"would {change}; that takes about {seconds:,.1f} s"]
        lines += [f"  {f.file}: {f.bytes:,} bytes, {f.filters:,} filters" for f in files]
        more = len(files) - _MOST_SHOWN
        return "\n".join(lines[: _MOST_SHOWN + 1] + ([f"  and {more:,} more"] if more > 0 else []))


class AttachError(RuntimeError):
    """Some files failed; all others were done. Names ten of them. They are as they were, but where
    the job that wrote them was lost: a second run tells."""

    report: AttachReport
    """What became of every file."""

    def __init__(self, report: AttachReport):
        self.report = report
        failed = report.of("failed")
        named = "; ".join(f"{file.file}: {file.reason}" for file in failed[:_MOST_SHOWN])
        super().__init__(
            f"{len(failed):,} of {len(report.files):,} files failed, "
            f"{len(report.of('done')):,} are done; mend the cause and run it again to go on. "
            f"{named}"
        )

    def __reduce__(self) -> tuple[type[AttachError], tuple[AttachReport]]:
        return AttachError, (self.report,)


_MOST_SHOWN = 10


def _amounts(files: Sequence[AttachedFile]) -> str:
    filters = sum(file.filters for file in files)
    filter_bytes = sum(file.filter_bytes for file in files)
    read, written = sum(file.bytes_read for file in files), sum(file.bytes for file in files)
    return (
        f"{len(files):,} files of {written:,} bytes with {filters:,} new filters of "
        f"{filter_bytes:,} bytes, from {read:,} bytes of columns"
    )
