"""The documentation's pictures of `explain` and `advise`, as a browser without a window draws them.

Needs a Chromium: `make pictures BROWSER=/path/to/chromium`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from tables import DATA, user_id

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
TABLE = DATA / "events"
FILES, ROW_GROUPS_PER_FILE, ROWS_PER_ROW_GROUP = 24, 5, 2000
ROWS = FILES * ROW_GROUPS_PER_FILE * ROWS_PER_ROW_GROUP
STYLE = (
    "<style>body { font: 13px sans-serif } td, th { padding: 1px 6px; text-align: left }</style>"
)


def main(browser: str) -> None:
    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    spark = sbbf.enable(builder).getOrCreate()
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    shutil.rmtree(TABLE, ignore_errors=True)
    write(spark)
    (present,) = spark.range(ROWS // 2, ROWS // 2 + 1).select(user_id(F.col("id"))).collect()[0]
    looked_up = f"user_id = {present} AND received >= timestamp_seconds({ROWS // 4})"
    page = DATA / "advise.html"
    queries = [f"SELECT * FROM parquet.`{TABLE}` WHERE {looked_up}"]
    sbbf.advise(spark, str(TABLE), queries=queries, report=page)
    picture(browser, "advise", page.read_text(encoding="utf-8"), 1640, 560)
    sbbf.add_filters(spark, str(TABLE), "user_id", fpp=0.001)
    report = sbbf.explain(spark.read.parquet(str(TABLE)).where(looked_up), show=False)
    picture(browser, "explain", report._repr_html_(), 1100, 250)
    spark.stop()


def write(spark: SparkSession) -> None:
    """An event log in the order of arrival, with random ids."""
    log = spark.range(0, ROWS, 1, FILES).select(
        user_id(F.col("id")).alias("user_id"),
        F.md5(F.col("id").cast("string")).alias("trace_id"),
        F.timestamp_seconds("id").alias("received"),
        F.pmod(F.xxhash64("id"), F.lit(600)).cast("int").alias("status"),
    )
    log.write.option("parquet.block.row.count.limit", ROWS_PER_ROW_GROUP).parquet(str(TABLE))


def picture(browser: str, name: str, html: str, width: int, height: int) -> None:
    """Draws a page into the documentation's folder of images."""
    page = DATA / f"{name}.html"
    page.write_text(
        f"<!doctype html>\n<meta charset='utf-8'>\n{STYLE}{html.replace(str(DATA), '/lake')}",
        encoding="utf-8",
    )
    options = (
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        "--force-device-scale-factor=1",
    )
    image = IMAGES / f"{name}.png"
    size = f"--window-size={width},{height}"
    subprocess.run([browser, *options, size, f"--screenshot={image}", page.as_uri()], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
