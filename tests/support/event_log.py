"""Generates an event log that min/max cannot prune: 64-bit user ids and hex trace ids at random."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import rows_per_row_group

ROW_GROUPS_PER_FILE = 4

# parquet-mr gives 2 KiB to 620 distinct values at 0.0001. With 26.4 bits a value the filters really
# have that rate. Other counts would be far from it, because sizes are powers of two.
ROWS_PER_ROW_GROUP = 620
FPP = 0.0001


def events(spark: SparkSession, files: int) -> DataFrame:
    """Makes one partition for each file. The ids are pseudo-random functions of the row number."""
    rows = files * ROW_GROUPS_PER_FILE * ROWS_PER_ROW_GROUP
    return spark.range(0, rows, 1, files).selectExpr(
        "id as seq",
        "xxhash64(id) as user_id",
        "lower(concat(lpad(hex(xxhash64(id, 1)), 16, '0'), hex(xxhash64(id, 2)))) as trace_id",
        "cast(id % 7 as int) as kind",
    )


def write(spark: SparkSession, folder: Path, files: int) -> str:
    """Writes the log with filters on both ids and returns its path."""
    filters = sbbf.bloom_options("user_id", "trace_id", fpp=FPP, ndv=ROWS_PER_ROW_GROUP)
    path = str(folder / "events")
    events(spark, files).write.options(**filters).options(
        **{
            **rows_per_row_group(ROWS_PER_ROW_GROUP),
            "parquet.enable.dictionary": "false",
        }
    ).parquet(path)
    return path
