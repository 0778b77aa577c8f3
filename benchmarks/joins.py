"""Measures joins and subqueries on a large table by Spark alone, the extension and an oracle.

A dimension of few keys, chosen by a predicate that no evidence can decide, meets a fact table. The
oracle is Spark alone on only the files that hold a key. All run side by side in one session. Times
are medians in milliseconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from lookup import (
    DATA,
    ROOT,
    SCHEMA,
    Table,
    Times,
    compared,
    empty_table,
    keys_of,
    session,
    switched,
    timed,
    written,
)
from machine import run_on

FPP = 0.0001
WARM_UP = 3
KEYS = (1, 10, 100, 1000)
SHAPES = {
    "JOIN": "SELECT f.id FROM fact f JOIN dim USING (key)",
    "IN": "SELECT id FROM fact WHERE key IN (SELECT key FROM dim)",
    "EXISTS": "SELECT id FROM fact f WHERE EXISTS (SELECT 1 FROM dim WHERE dim.key = f.key)",
    "scalar": "SELECT id FROM fact WHERE key = (SELECT max(key) FROM dim)",
    "composite": "SELECT f.id FROM fact f JOIN dim ON f.key = dim.key AND f.id = dim.id",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=9, help="after three to warm up")
    default = ROOT / "benchmarks" / "results" / "joins-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    table = written(spark, arguments.files, FPP)
    lines = [
        "Joins and subqueries on a large table; milliseconds: median (minimum to maximum).",
        *run_on(spark),
        f"{table.files:,} files of 4 row groups, FPP {FPP}, {table.rows:,} rows; "
        f"{arguments.turns} turns after 3 to warm up",
    ]
    for count in KEYS:
        dimension(spark, [table.rows // count * n + n % 7 for n in range(count)])
        for name, query in SHAPES.items():
            lines += measured(spark, table, f"{name}, {count:,} keys", query, arguments.turns)
            print("\n".join(lines[-4:]), flush=True)
    dimension(spark, [table.rows + n for n in range(100_000)])
    lines += measured(spark, table, "JOIN, 100,000 absent keys", SHAPES["JOIN"], arguments.turns)
    useless = "SELECT f.id FROM fact f JOIN dim ON f.id % 5000 = dim.id - 1000 * 1000 * 1000"
    lines += measured(spark, table, "a join that no key can prune", useless, arguments.turns)
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def dimension(spark: SparkSession, ids: list[int]) -> None:
    """Makes the view `dim`, whose keys no evidence of its files can choose."""
    path = str(DATA / "dimension")
    rows = spark.createDataFrame(list(zip(keys_of(spark, ids), ids)), "key long, id long")
    rows.coalesce(1).write.mode("overwrite").parquet(path)
    chosen = spark.read.parquet(path).where("length(concat('k', key)) > 1")
    chosen.createOrReplaceTempView("dim")


def measured(spark: SparkSession, table: Table, name: str, query: str, turns: int) -> list[str]:
    """Returns lines with the times of a query, and with the files that it reads and has to read."""
    fact = spark.read.schema(SCHEMA).parquet(table.path)
    fact.createOrReplaceTempView("fact")
    answer = spark.sql(query)
    rows = answer.collect()
    kept = max(scan.files_kept for scan in sbbf.explain(answer, show=False).scans)
    holding = holders(table, fact, [row[0] for row in rows])
    best = spark.read.schema(SCHEMA).parquet(*holding) if holding else empty_table(spark)
    contestants = {
        "Spark alone": ("false", fact),
        "extension": ("true", fact),
        "the oracle": ("false", best),
    }
    times: Times = {}
    for turn in range(turns + WARM_UP):
        for kind in list(contestants)[:: 1 if turn % 2 else -1]:
            enabled, frame = contestants[kind]
            frame.createOrReplaceTempView("fact")
            with switched(spark, {"spark.sbbf.enabled": enabled}):
                seconds, found = timed(lambda: len(spark.sql(query).collect()))
            assert found == len(rows), f"{kind} found {found} rows for {query}"
            if turn >= WARM_UP:
                times.setdefault(kind, []).append(seconds)
    return [
        f"  {name}: files kept {kept:,}, with a match {len(holding):,}",
        *compared(times, "the oracle", "Spark alone"),
    ]


def holders(table: Table, fact: DataFrame, ids: list[int]) -> list[str]:
    """Returns the files that hold the rows with these ids, which `written` spreads in order."""
    files = sorted(fact.inputFiles())
    return [files[n] for n in sorted({i * table.files // table.rows for i in ids})]


if __name__ == "__main__":
    main()
