"""Writes files by a stream."""

from __future__ import annotations

from pyspark.sql import SparkSession

import spark_sbbf as sbbf

ROWS = 3_000
KEYS = f"(id * 7919 % {ROWS}) * 2"  # even, in no order: odd ones are absent, within min and max


def streamed(session: SparkSession, source: str, to: str, **options: str) -> list[int]:
    """Streams `source` into `to`. Returns the sizes of the filters of the files that it wrote."""
    stream = session.readStream.schema("id LONG").parquet(source).selectExpr(f"{KEYS} AS key")
    query = (
        stream.writeStream.options(**options, checkpointLocation=f"{to} checkpoint")
        .trigger(availableNow=True)
        .start(to)
    )
    query.awaitTermination()
    found = sbbf.inspect(session, to).where("filter_bytes IS NOT NULL")
    return [row.filter_bytes for row in found.collect()]
