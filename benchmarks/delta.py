"""Measures lookups and joins on a Delta table by Spark alone, the extension and an oracle.

Runs on a Spark that Delta supports. The oracle is Spark alone on a Delta table of only the files
that hold a key. All run side by side in one session. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from lookup import DATA, ROOT, ROW_GROUPS, ROWS, Times, compared, spread, switched, timed
from machine import run_on

PACKAGE = "io.delta:delta-spark_4.1_2.13:4.4.0"
FPP = 0.0001
WARM_UP = 5
KEYS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=11, help="after five to warm up")
    default = ROOT / "benchmarks" / "results" / "delta-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session()
    files, turns = arguments.files, arguments.turns
    ids = [per_file() * files // KEYS * n + n % 7 for n in range(KEYS)]
    write_tables(spark, files, ids)
    lines = [
        "Lookups and joins on a Delta table; milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{PACKAGE}; {files:,} files of {ROW_GROUPS} row groups, FPP {FPP}; "
        f"{turns} turns after {WARM_UP} to warm up",
    ]
    for name, query, oracle in (
        ("lookup of one key", f"SELECT id FROM {{t}} WHERE key = xxhash64({ids[3]}L)", "one"),
        ("JOIN, 10 keys", "SELECT t.id FROM {t} t JOIN dim USING (key)", "some"),
        ("IN (SELECT ...), 10 keys", "SELECT id FROM {t} WHERE key IN (TABLE dim)", "some"),
    ):
        lines += measured(spark, name, query, oracle, turns)
    lines += planning(spark, "SELECT id FROM log WHERE key % 1000003 = 5", turns)
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def per_file() -> int:
    return ROW_GROUPS * ROWS[FPP]


def session() -> SparkSession:
    warehouse = DATA / "delta"
    shutil.rmtree(warehouse, ignore_errors=True)
    builder = SparkSession.builder.master("local[2]").config(
        map={
            "spark.driver.memory": "2g",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.jars.packages": PACKAGE,
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions": "2",
            "spark.sql.warehouse.dir": str(warehouse),
        }
    )
    return sbbf.enable(builder).getOrCreate()


def write_tables(spark: SparkSession, files: int, ids: list[int]) -> None:
    """Makes `log`, its files with a key as `some` and `one`, and the keys as `dim`."""
    properties = {
        "parquet.bloom.filter.enabled#key": "true",
        "parquet.bloom.filter.expected.ndv#key": str(ROWS[FPP]),
        "parquet.bloom.filter.fpp#key": str(FPP),
        "parquet.enable.dictionary": "false",
        "parquet.block.row.count.limit": str(ROWS[FPP]),
    }
    clause = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    for table, starts in (
        ("log", range(files)),
        ("some", sorted({i // per_file() for i in ids})),
        ("one", [ids[3] // per_file()]),
    ):
        spark.sql(
            f"CREATE TABLE {table} (id BIGINT, key BIGINT, amount DOUBLE) USING delta "
            f"TBLPROPERTIES ({clause})"
        )
        rows = f"range({files * per_file()})" if table == "log" else ranges(list(starts))
        spark.sql(
            f"INSERT INTO {table} SELECT /*+ REPARTITION_BY_RANGE({len(list(starts))}, id) */ "
            f"id, xxhash64(id) AS key, rand(7) AS amount FROM {rows}"
        )
    values = ", ".join(f"(xxhash64({i}L))" for i in ids)
    spark.sql(f"CREATE TABLE dim USING parquet AS SELECT * FROM VALUES {values} AS t(key)")


def ranges(starts: list[int]) -> str:
    parts = [f"SELECT id FROM range({n * per_file()}, {(n + 1) * per_file()})" for n in starts]
    return f"({' UNION ALL '.join(parts)})"


def measured(spark: SparkSession, name: str, query: str, oracle: str, turns: int) -> list[str]:
    answer = spark.sql(query.format(t="log"))
    expected = sorted(answer.collect())
    kept = max(scan.files_kept for scan in sbbf.explain(answer, show=False).scans)
    contestants = {
        "Spark alone": ("false", "log"),
        "extension": ("true", "log"),
        "the oracle": ("false", oracle),
    }
    times: Times = {}
    for turn in range(turns + WARM_UP):
        for kind in list(contestants)[:: 1 if turn % 2 else -1]:
            enabled, table = contestants[kind]
            with switched(spark, enabled):
                seconds, found = timed(lambda: sorted(spark.sql(query.format(t=table)).collect()))
            assert found == expected, f"{kind} found {found} for {query}"
            if turn >= WARM_UP:
                times.setdefault(kind, []).append(seconds)
    return [f"  {name}: files kept {kept:,}", *compared(times, "the oracle", "Spark alone")]


def planning(spark: SparkSession, query: str, turns: int) -> list[str]:
    """Returns lines with the times to plan a query that nothing can prune."""

    def plan() -> None:
        spark.sql(query)._jdf.queryExecution().executedPlan()

    times = by_turns(spark, plan, turns)
    more = statistics.median(times["true"]) - statistics.median(times["false"])
    return [
        "  planning of a query that nothing can prune",
        f"    {'extension':<17}{spread(times['true'])}",
        f"    {'Spark alone':<17}{spread(times['false'])}   the extension: {more * 1000:+.0f} ms",
    ]


def by_turns(spark: SparkSession, action: Callable[[], None], turns: int) -> Times:
    times: Times = {"true": [], "false": []}
    for turn in range(turns + WARM_UP):
        for enabled in list(times)[:: 1 if turn % 2 else -1]:
            with switched(spark, enabled):
                seconds, _ = timed(action)
            if turn >= WARM_UP:
                times[enabled].append(seconds)
    return times


if __name__ == "__main__":
    main()
