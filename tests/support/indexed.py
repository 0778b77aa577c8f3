"""Tables whose lookups search an index, because their files have no filters."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import samples

FILES, GROUPS, ROWS = 40, 4, 50
PER_FILE = GROUPS * ROWS
KEYS = samples.scattered(FILES * PER_FILE)
ABSENT = samples.scattered(1, salt=10**9)[0]
PLAIN = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}


def write(folder: Path, files: range) -> str:
    """Writes files without filters, which were modified long ago."""
    for n in files:
        keys = KEYS[n % FILES * PER_FILE : (n % FILES + 1) * PER_FILE]
        moved = keys if n < FILES else [key ^ 1 for key in keys]
        columns = {"key": moved, "seq": list(range(PER_FILE)), "name": [f"n{k}" for k in moved]}
        file = samples.write(folder / f"{n}.parquet", columns, ROWS)
        os.utime(file, (1_700_000_000, 1_700_000_000 + n))
    return str(folder)


def looked_up(spark: SparkSession, lake: str, condition: str) -> DataFrame:
    return spark.read.schema("key long, seq long, name string").parquet(lake).where(condition)
