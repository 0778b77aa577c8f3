"""Measures lookups and joins on a lake table by Spark alone, the extension and an oracle.

Runs on a Spark that the format supports. The oracle is Spark alone on a table of only the files
that hold a key. All run side by side in one session. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from lookup import DATA, ROOT, ROW_GROUPS, ROWS, Times, compared, spread, switched, timed
from machine import run_on

FPP = 0.0001
WARM_UP = 5
KEYS = 10


class Format(NamedTuple):
    package: str
    conf: dict[str, str]
    prefix: str
    """What precedes the names of tables."""
    properties: dict[str, str]
    """The properties by which its writer makes filters of `key`, of one row group's values."""


FORMATS = {
    "delta": Format(
        package="io.delta:delta-spark_4.1_2.13:4.4.0",
        conf={
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions": "2",
        },
        prefix="",
        properties={
            "parquet.bloom.filter.enabled#key": "true",
            "parquet.bloom.filter.expected.ndv#key": str(ROWS[FPP]),
            "parquet.bloom.filter.fpp#key": str(FPP),
            "parquet.enable.dictionary": "false",
            "parquet.block.row.count.limit": str(ROWS[FPP]),
        },
    ),
    "iceberg": Format(
        package="org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
        conf={
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": str(DATA / "iceberg"),
        },
        prefix="ice.db.",
        properties={
            "write.parquet.bloom-filter-enabled.column.key": "true",
            "write.parquet.bloom-filter-ndv.column.key": str(ROWS[FPP]),
            "write.parquet.bloom-filter-fpp.column.key": str(FPP),
            "write.parquet.row-group-size-bytes": str(20 * ROWS[FPP]),
            "write.parquet.row-group-check-min-record-count": "100",
            "write.parquet.row-group-check-max-record-count": "100",
            "write.distribution-mode": "none",
        },
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=11, help="after five to warm up")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    name, files, turns = arguments.format, arguments.files, arguments.turns
    lake = FORMATS[name]
    spark = session(lake)
    ids = [per_file() * files // KEYS * n + n % 7 for n in range(KEYS)]
    write_tables(spark, lake, files, ids)
    lines = [
        f"Lookups and joins on a table of {name}; milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{lake.package}; {files:,} files of {ROW_GROUPS} row groups, FPP {FPP}; "
        f"{turns} turns after {WARM_UP} to warm up",
    ]
    for title, query, oracle in (
        ("lookup of one key", f"SELECT id FROM {{t}} WHERE key = xxhash64({ids[3]}L)", "one"),
        ("JOIN, 10 keys", "SELECT t.id FROM {t} t JOIN dim USING (key)", "some"),
        ("IN (SELECT ...), 10 keys", "SELECT id FROM {t} WHERE key IN (TABLE dim)", "some"),
    ):
        lines += measured(spark, lake, title, query, oracle, turns)
    lines += planning(spark, f"SELECT id FROM {lake.prefix}log WHERE key % 1000003 = 5", turns)
    print("\n".join(lines))
    default = ROOT / "benchmarks" / "results" / f"{name}-jdk17.txt"
    (arguments.out or default).write_text("\n".join(lines) + "\n", encoding="utf-8")


def per_file() -> int:
    return ROW_GROUPS * ROWS[FPP]


def session(lake: Format, memory: str = "2g") -> SparkSession:
    warehouse = DATA / "lake"
    for folder in (warehouse, DATA / "iceberg"):
        shutil.rmtree(folder, ignore_errors=True)
    builder = SparkSession.builder.master("local[2]").config(
        map={
            "spark.driver.memory": memory,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.jars.packages": lake.package,
            "spark.sql.warehouse.dir": str(warehouse),
            **lake.conf,
        }
    )
    return sbbf.enable(builder).getOrCreate()


def write_tables(spark: SparkSession, lake: Format, files: int, ids: list[int]) -> None:
    """Makes `log`, its files with a key as `some` and `one`, and the keys as `dim`."""
    clause = ", ".join(f"'{key}' = '{value}'" for key, value in lake.properties.items())
    for table, starts in (
        ("log", range(files)),
        ("some", sorted({i // per_file() for i in ids})),
        ("one", [ids[3] // per_file()]),
    ):
        using = "iceberg" if lake.prefix else "delta"
        spark.sql(
            f"CREATE TABLE {lake.prefix}{table} (id BIGINT, key BIGINT, amount DOUBLE) "
            f"USING {using} TBLPROPERTIES ({clause})"
        )
        rows = f"range({files * per_file()})" if table == "log" else ranges(list(starts))
        parted = f"/*+ REPARTITION_BY_RANGE({len(list(starts))}, id) */"
        spark.sql(
            f"INSERT INTO {lake.prefix}{table} "
            f"SELECT {parted} id, xxhash64(id) AS key, rand(7) AS amount FROM {rows}"
        )
    values = ", ".join(f"(xxhash64({i}L))" for i in ids)
    spark.sql(f"CREATE TABLE dim USING parquet AS SELECT * FROM VALUES {values} AS t(key)")


def ranges(starts: list[int]) -> str:
    parts = [f"SELECT id FROM range({n * per_file()}, {(n + 1) * per_file()})" for n in starts]
    return f"({' UNION ALL '.join(parts)})"


def measured(
    spark: SparkSession, lake: Format, title: str, query: str, oracle: str, turns: int
) -> list[str]:
    answer = spark.sql(query.format(t=f"{lake.prefix}log"))
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
            enabled, table = contestants[kind][0], lake.prefix + contestants[kind][1]
            with switched(spark, {"spark.sbbf.enabled": enabled}):
                seconds, found = timed(lambda: sorted(spark.sql(query.format(t=table)).collect()))
            assert found == expected, f"{kind} found {found} for {query}"
            if turn >= WARM_UP:
                times.setdefault(kind, []).append(seconds)
    return [f"  {title}: files kept {kept:,}", *compared(times, "the oracle", "Spark alone")]


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
            with switched(spark, {"spark.sbbf.enabled": enabled}):
                seconds, _ = timed(action)
            if turn >= WARM_UP:
                times[enabled].append(seconds)
    return times


if __name__ == "__main__":
    main()
