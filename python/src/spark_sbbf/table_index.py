"""Builds, extends and drops the index of a table, by which lookups find row groups."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_sbbf.bridge import (
    add_jar,
    jar_class_loader,
    running,
    table_text,
    translate_jvm_errors,
    where_option,
)
from spark_sbbf.catalog import add_catalog
from spark_sbbf.procedures import run
from spark_sbbf.writer import check_probability, flag, whole_number

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, repr=False)
class IndexReport:
    """What ``create_index`` or ``refresh_index`` did, or would do in a dry run."""

    segment: str | None
    """Id of the new segment; None if there was nothing to do, or in a dry run."""
    files: int
    """Files that the segment knows, or would know."""
    merged_files: int
    """Those of them whose keys come from other segments, which the new one replaces."""
    skipped_files: int
    """Files that could not be read; lookups use their own evidence."""
    reason: str
    """Why the first of these was skipped; empty if there are none."""
    row_groups: int
    keys: int
    """Distinct keys of all columns; in a dry run at most as many. Kind ``bloom`` has none. Keys are
    shortened hashes, so that values may share one."""
    entries: int
    """Pairs of a key and a row group that holds it; of kind ``bloom``, its zones."""
    bytes: int
    """Size of the segment; in a dry run an estimate."""
    seconds: float
    """What it took; in a dry run an estimate of what it will take."""

    def __str__(self) -> str:
        """Returns one line for people to read."""
        if self.files == 0 and not self.skipped_files:
            return "nothing to do: the index knows all files that were selected"
        done = "indexed" if self.segment else "would index"
        merged = f" ({self.merged_files:,} from other segments)" if self.merged_files else ""
        skipped = f", skipped {self.skipped_files:,}" if self.skipped_files else ""
        held = f"{self.keys:,} keys" if self.keys else f"{self.entries:,} zones"
        return (
            f"{done} {self.files:,} files{merged}{skipped}, {self.row_groups:,} row groups, "
            f"{held}; {self.bytes:,} bytes; {max(self.seconds, 0.1):,.1f} s"
        )

    __repr__ = __str__


def create_index(
    spark: SparkSession,
    table: str | os.PathLike[str],
    columns: str | Iterable[str],
    *,
    kind: str = "keys",
    items: int | None = None,
    fpp: float | None = None,
    from_filters: bool = False,
    where: str | None = None,
    dry_run: bool = False,
    progress: bool | None = None,
) -> IndexReport:
    """Creates an index of a table's columns, or extends one by columns and files, as Spark jobs.

    The index maps the hash of each value to the row groups that hold it. Lookups of single values
    and of keys of a join then open only the files that hold one. The index is a folder ``_sbbf`` in
    that of the table, or in ``spark.sbbf.index.path``; it changes no file of the table. Files that
    are added or replaced later are read as without the index until it is refreshed.

    Args:
        spark: A session, classic or Spark Connect (4.0 or newer).
        table: A table name such as ``"db.events"``, also of a Delta or Iceberg table, or the folder
            of a Parquet table. Also a table of ORC, JSON, CSV, Avro or text, or a temporary view of
            nothing but a read of such files, whose options and schema then are those of the index.
        columns: Dotted Parquet paths, such as ``"user_id"``, ``"st.a"`` or
            ``"tags.list.element"``; for a Delta or Iceberg table, the names of its columns. Also
            functions of texts: ``"tokens(message)"`` (words), ``"lower(email)"``, and
            ``"ngrams(message, 8)"`` (runs of 5 to 32 bytes, which cost an entry for each byte).
        kind: ``"keys"`` is the index above. ``"bloom"`` holds a bloom filter of each zone, a run of
            rows within a row group, in the layout of Lance's index.
        items: For kind ``bloom``: rows of a zone, at most; 0 for whole row groups. None is 8192.
        fpp: For kind ``bloom``: false positive probability of a filter of so many distinct values.
            None is 0.00057.
        from_filters: For kind ``bloom``: whether to take the files' own bloom filters, without
            reading a value. ``items`` and ``fpp`` do not apply.
        where: A condition of SQL on partition columns, such as ``"day >= '2026-11-01'"``: indexes
            only files of these partitions. For an Iceberg table it may use any column.
        dry_run: Only read the footers and a few row groups, and estimate size and time.
        progress: Whether to show a progress bar. None shows it in a terminal and in notebooks.

    Returns:
        What was done.

    Raises:
        ValueError: If no file has one of the columns or its type has no keys, if a function is
            unknown or its column is no text, if the table is not found or not a folder of Parquet
            files, if ``where`` does not select partitions, or if an option is invalid or does not
            apply to the kind.
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    options = {
        "columns": [columns] if isinstance(columns, str) else list(columns),
        "kind": str(kind),
        "items": None if items is None else whole_number("items", items),
        "fpp": None if fpp is None else check_probability("fpp", fpp),
        "from_filters": flag("from_filters", from_filters),
    }
    return _change(spark, "create_index", table, where, dry_run, progress, options)


def refresh_index(
    spark: SparkSession,
    table: str | os.PathLike[str],
    *,
    where: str | None = None,
    dry_run: bool = False,
    progress: bool | None = None,
) -> IndexReport:
    """Indexes the files of a table that its index does not know yet.

    It reads these files alone. If the index has 8 segments, or if 30 % of the files that it knows
    are gone, it also merges segments: the new one takes their keys, and replaces them. Segments of
    kind ``bloom`` are never merged.

    Args:
        spark: A session, classic or Spark Connect (4.0 or newer).
        table: As in ``create_index``.
        where: As in ``create_index``: reads only files of these partitions, and merges no segments.
        dry_run: Only read the footers and a few row groups, and estimate size and time.
        progress: Whether to show a progress bar. None shows it in a terminal and in notebooks.

    Returns:
        What was done.

    Raises:
        ValueError: If the table has no index, or if ``where`` does not select partitions.
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    return _change(spark, "refresh_index", table, where, dry_run, progress, {})


def drop_index(spark: SparkSession, table: str | os.PathLike[str]) -> int:
    """Deletes the index of a table, and returns its size in bytes.

    Queries that run meanwhile read the files' own evidence.

    Args:
        spark: A session, classic or Spark Connect (4.0 or newer).
        table: As in ``create_index``.

    Raises:
        ValueError: If the table is not found.
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    (row,) = run(spark, "drop_index", table, {})
    return int(row["bytes"])


def index_info(spark: SparkSession, table: str | os.PathLike[str]) -> DataFrame:
    """Shows what the index of a table covers.

    Args:
        spark: A session, classic or Spark Connect.
        table: As in ``create_index``.

    Returns:
        One row for each indexed column, none if the table has no index: the table's ``files``, how
        many of them are ``files_covered``, the ``segments`` that a lookup searches, their ``keys``,
        ``entries`` (pairs of a key and a row group) and ``bytes``, when the ``newest`` segment was
        created, and the ``folder`` of the index. ``keys`` may be fewer than the distinct values,
        because keys are shortened hashes that values may share. A column may have a row for each
        ``kind``; of kind ``bloom``, ``entries`` are zones.

    Raises:
        TypeError: As in ``enable``.
        RuntimeError: As in ``enable``.
    """
    add_jar(running(spark))
    quoted_name = table_text(table).replace("`", "``")
    with translate_jvm_errors(), jar_class_loader(spark):
        add_catalog(spark)
        return spark.read.table(f"sbbf.indexes.`{quoted_name}`")


def _change(
    spark: SparkSession,
    command: str,
    table: str | os.PathLike[str],
    where: str | None,
    dry_run: bool,
    progress: bool | None,
    options: dict[str, Any],
) -> IndexReport:
    options |= {**where_option(where), "dry_run": flag("dry_run", dry_run)}
    (row,) = run(spark, command, table, options, progress)
    change = IndexReport(**row)
    if change.skipped_files:
        warnings.warn(f"{change.skipped_files:,} files were skipped; {change.reason}", stacklevel=3)
    return change
