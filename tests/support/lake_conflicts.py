"""Merges into Delta and Iceberg tables while something goes wrong: lake_conflicts.py FOLDER.

Each case runs on a table, and without the extension on its twin. Prints how the statements ended,
and whether each table is as it was and as its twin is.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

from harness import rows
from lake_session import without_pruning
from lake_tables import opened
from lake_upserts import CLAUSES, DELTA_TABLES, TABLES, batch, create

SECONDS = 5
"""How long a source takes: a statement that starts later has to end before."""
MERGE = f"MERGE INTO {{t}} t USING batch s ON t.k = s.k {CLAUSES['upsert']}"
OTHER = "UPDATE {t} SET v = 'other' WHERE k = xxhash64(5L)"
"""A change of a row that is also in the first batch."""


def failing(spark: SparkSession) -> DataFrame:
    few = batch(spark, 0)
    return few.selectExpr("id", "k", "if(id < 0, raise_error('a bad source'), v) AS v")


def slow(spark: SparkSession) -> DataFrame:
    @udf("string")
    def later(text: str) -> str:
        time.sleep(SECONDS / 4)  # of four rows
        return text

    found = spark.createDataFrame(spark.sparkContext.parallelize(batch(spark, 0).collect(), 1))
    return found.select("id", "k", later("v").alias("v"))


def outcome(statement: Callable[[], object]) -> str:
    """Returns how a statement ended: a word of a known error, or the text of another one."""
    try:
        statement()
    except Exception as e:
        text = str(e)
        known = ("a bad source", "cancelled", "Concurrent", "conflicting files")
        return next((word for word in known if word.lower() in text.lower()), text[:500])
    return "done"


def interrupted(spark: SparkSession, merge: str) -> str:
    """Cancels a statement while its source is read."""

    def cancel() -> None:
        time.sleep(SECONDS / 2)
        spark.sparkContext.cancelJobGroup("merge")

    thread = threading.Thread(target=cancel)
    thread.start()
    spark.sparkContext.setJobGroup("merge", "a merge that is cancelled")
    try:
        return outcome(lambda: spark.sql(merge))
    finally:
        thread.join()
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)


def overtaken(spark: SparkSession, merge: str, other: str) -> str:
    """Changes a row of the batch while a merge reads it."""
    ended: list[str] = []

    def change() -> None:
        time.sleep(SECONDS / 5)
        ended.append(outcome(lambda: spark.sql(other)))

    thread = threading.Thread(target=change)
    thread.start()
    first = outcome(lambda: spark.sql(merge))
    thread.join()
    return f"{first}, other {ended[0]}"


def cases(spark: SparkSession, table: str) -> dict[str, object]:
    """Returns how each case ended on a table, and the table after it."""
    merge, other = MERGE.replace("{t}", table), OTHER.replace("{t}", table)
    found: dict[str, object] = {}

    def note(case: str, source: DataFrame, run: Callable[[], str]) -> None:
        source.createOrReplaceTempView("batch")
        found[case] = [run(), rows(spark.table(table))]

    note("failing", failing(spark), lambda: outcome(lambda: spark.sql(merge)))
    note("interrupted", slow(spark), lambda: interrupted(spark, merge))
    note("overtaken", slow(spark), lambda: overtaken(spark, merge, other))
    note("after", batch(spark, 0).localCheckpoint(), lambda: outcome(lambda: spark.sql(merge)))
    return found


def main() -> None:
    spark = opened(Path(sys.argv[1]))
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "8k")
    for name in TABLES:
        for table in (name, f"{name}_twin"):
            create(spark, table)
        t = name if name in DELTA_TABLES else f"ice.db.{name}"
        before = rows(spark.table(t))
        own = cases(spark, t)
        with without_pruning(spark):
            twin = cases(spark, f"{t}_twin")
        for case, (ended, left) in own.items():  # type: ignore[misc]
            printed = {
                "case": f"{name}: {case}",
                "ended": [ended, twin[case][0]],  # type: ignore[index]
                "equal": left == twin[case][1],  # type: ignore[index]
                "untouched": left == before,
            }
            print(json.dumps(printed), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
