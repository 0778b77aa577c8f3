"""The event logs that the benchmark reads: random ids with filters, written once under build/."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import spark_sbbf as sbbf
from pyspark.sql import SparkSession

ROW_GROUPS = 4

# Bitsets are powers of two, so only some numbers of rows give a filter the rate that was asked
# for: 10.5 bits a value make 0.01 and 26.4 bits make 0.0001. (Fewer rows would flatter, more
# would worsen it.)
ROWS_FOR_FPP = {0.01: 3_120, 0.0001: 2_480}

COLUMNS = (
    "id as seq",
    "xxhash64(id) as user_id",
    "lower(concat(hex(xxhash64(id, 1)), hex(xxhash64(id, 2)))) as trace_id",
    "xxhash64(id, 3) as noise",
    "cast(id % 7 as int) as kind",
    "id * 0.25D as amount",
)


@dataclass(frozen=True)
class EventLog:
    """Row `seq` lies in file `seq // rows_per_file`; `noise` is a column without filters."""

    path: Path
    files: int
    fpp: float

    @property
    def rows_per_row_group(self) -> int:
        return ROWS_FOR_FPP[self.fpp]

    @property
    def rows(self) -> int:
        return self.files * ROW_GROUPS * self.rows_per_row_group

    def names(self) -> list[str]:
        return sorted(str(file) for file in self.path.glob("*.parquet"))


def event_log(spark: SparkSession, folder: Path, files: int, fpp: float) -> EventLog:
    """The log of that size, written if it is not there yet."""
    log = EventLog(folder / f"events-{files}-{fpp}", files, fpp)
    if len(log.names()) != files:
        shutil.rmtree(log.path, ignore_errors=True)
        _write(spark, log)
    return log


def first_files(log: EventLog, files: int) -> EventLog:
    """The first files of a larger log, as a table of their own."""
    part = EventLog(log.path.with_name(f"events-{files}-of-{log.files}-{log.fpp}"), files, log.fpp)
    part.path.mkdir(exist_ok=True)
    for name in log.names()[:files]:
        link = part.path / Path(name).name
        if not link.exists():
            os.link(name, link)
    return part


def _write(spark: SparkSession, log: EventLog) -> None:
    filters = sbbf.bloom_options("user_id", fpp=log.fpp, ndv=log.rows_per_row_group)
    layout = {
        "parquet.block.row.count.limit": str(log.rows_per_row_group),
        "parquet.enable.dictionary": "false",
    }
    events = spark.range(0, log.rows, 1, log.files).selectExpr(*COLUMNS)
    events.write.options(**filters, **layout).parquet(str(log.path))
