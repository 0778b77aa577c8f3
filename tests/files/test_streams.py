"""Tests that the files of a stream have the filters that its options request."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import fresh, only_scan, rows
from streams import ROWS, streamed


@pytest.fixture(scope="module")
def source(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("source") / "files")
    spark.range(0, ROWS, 1, 3).write.parquet(folder)
    return folder


def test_a_stream_s_files_are_pruned_by_the_filters_that_its_options_request(
    spark: SparkSession, source: str, tmp_path: Path
) -> None:
    to = str(tmp_path / "filtered")
    sizes = streamed(spark, source, to, **sbbf.bloom_options("key", fpp=0.0001))
    assert sizes and sum(sizes) < ROWS * 8  # those of Spark alone have 1 MiB each
    absent, there = (spark.read.parquet(to).where(f"key = {key}") for key in (2001, 2002))
    assert only_scan(absent).row_groups_kept == 0 and rows(absent) == []
    assert rows(there) == ["Row(key=2002)"]
    assert streamed(spark, source, str(tmp_path / "plain")) == []


ENABLED_LATER = """
    spark = builder().getOrCreate()
    source, to = sys.argv[1:]
    spark.range(5).collect()
    def start(to, trigger):
        stream = spark.readStream.schema("id LONG").parquet(source).writeStream
        stream = stream.options(**sbbf.bloom_options("id"), checkpointLocation=to + " checkpoint")
        return stream.trigger(**trigger).start(to)
    def are_exact(to, old=()):  # filters of Spark alone have 1 MiB, if any
        found = sbbf.inspect(spark, to).select("file_name", "filter_bytes").collect()
        new = [row.filter_bytes for row in found if Path(row.file_name).name not in old]
        return bool(new) and all(size and size < 10000 for size in new)
    before = start(to + " before", {"processingTime": "1 second"})
    before.processAllAvailable()
    old = {file.name for file in Path(to + " before").glob("*.parquet")}
    sbbf.enable(spark)
    start(to + " after", {"availableNow": True}).awaitTermination()
    spark.range(3000, 3100, 1, 1).write.mode("append").parquet(source)
    before.processAllAvailable()
    before.stop()
    for when in ("before", "after"):
        print("#", are_exact(f"{to} {when}", old), spark.read.parquet(f"{to} {when}").count())
"""


def test_streams_that_start_once_a_session_is_enabled_write_exact_filters(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = str(tmp_path / "source")
    spark.range(0, ROWS, 1, 3).write.parquet(source)
    written = fresh(ENABLED_LATER, source, str(tmp_path / "to"))
    assert written == [f"False {ROWS + 100}", f"True {ROWS}"]
