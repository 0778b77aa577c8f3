"""Measures searches for words in log lines: what an index of tokens or n-grams keeps, and costs.

Each file has the log lines of one minute. One request is in one file, another one in none. Spark
alone reads all files. Sizes are those of the index's keys, for each row and beside the data.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from index_build import settled
from lookup import DATA, OFF, ON, ROOT, ROW_GROUPS, session, timed
from machine import run_on

ROWS = 2000
"""Rows of a row group."""
FUNCTIONS = ("tokens(message)", "ngrams(message, 8)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=5, help="after one to warm up")
    default = ROOT / "benchmarks" / "results" / "substrings-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default, help="'-' for none")
    arguments = parser.parse_args()
    spark = session("true")
    table = written(spark, arguments.files)
    rows = arguments.files * ROW_GROUPS * ROWS
    bytes_of_data = sum(file.stat().st_size for file in table.glob("*.parquet"))
    lines = [
        "Searches for words in log lines; times are medians of the turns.",
        *run_on(spark),
        f"{arguments.files:,} files of {ROW_GROUPS} row groups, {rows:,} rows, "
        f"{bytes_of_data / rows:.1f} bytes a row; {arguments.turns} turns after one to warm up",
        *searched(spark, table, "no index", arguments.turns),
    ]
    for function in FUNCTIONS:
        sbbf.drop_index(spark, table)
        seconds, report = timed(sbbf_index(spark, table, function))
        assert isinstance(report, sbbf.IndexReport)
        lines += [
            f"{function}: {report.entries / rows:.1f} entries and {report.bytes / rows:.1f} bytes "
            f"a row, {report.bytes / bytes_of_data:.2f} x the data; built in {seconds:.1f} s",
            *searched(spark, table, function, arguments.turns),
        ]
    print("\n".join(lines))
    if str(arguments.out) != "-":
        arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def sbbf_index(spark: SparkSession, table: Path, function: str) -> Callable[[], sbbf.IndexReport]:
    return lambda: sbbf.create_index(spark, table, function)


def written(spark: SparkSession, files: int) -> Path:
    """Writes log lines of about 110 characters, as a web server and its workers write them."""
    folder = DATA / f"substrings-{files}"
    shutil.rmtree(folder, ignore_errors=True)
    per_file = ROW_GROUPS * ROWS
    spark.range(0, files * per_file, 1, files).select(
        F.timestamp_seconds(F.lit(1_790_000_000) + (F.col("id") / 100).cast("long")).alias("at"),
        F.expr(
            "concat('worker-', pmod(hash(id, 1), 64), ' ', "
            "element_at(array('[info]', '[info]', '[warn]', '[error]'), "
            "cast(pmod(hash(id, 2), 4) AS int) + 1), ' GET /api/v', pmod(hash(id, 3), 3), "
            "'/users/', pmod(hash(id, 4), 100000), ' status=', "
            "200 + pmod(hash(id, 5), 5) * 100, ' in ', pmod(hash(id, 6), 900), 'ms request=', "
            "lower(hex(xxhash64(id))))"
        ).alias("message"),
    ).write.options(**{"parquet.block.row.count.limit": str(ROWS)}).parquet(str(folder))
    settled(folder)
    return folder


def searched(spark: SparkSession, table: Path, name: str, turns: int) -> list[str]:
    """Searches for a request in one file, and for one in none."""
    request = f"{xxhash64(spark, 4321):x}"
    lines = []
    for title, word in (("one file", request), ("no file", request[::-1])):
        for condition in (f"message LIKE '%request={word}'", f"message LIKE '%{word[2:14]}%'"):
            query = search(spark, table, condition)
            report = sbbf.explain(query, show=False)
            kept = sum(scan.row_groups_kept for scan in report.scans) if report.scans else "all"
            took, alone = turns_of(spark, table, condition, turns)
            shape = condition.split("'")[1].replace(word, "word").replace(word[2:14], "part")
            lines.append(
                f"  {name}, {shape!r} in {title}: {kept} row groups kept; {took * 1000:.0f} ms, "
                f"Spark alone {alone * 1000:.0f} ms"
            )
    return lines


def xxhash64(spark: SparkSession, number: int) -> int:
    (row,) = spark.range(number, number + 1).select(F.xxhash64("id").alias("h")).collect()
    return int(row.h) % 2**64


def search(spark: SparkSession, table: Path, condition: str) -> DataFrame:
    return spark.read.schema("at timestamp, message string").parquet(str(table)).where(condition)


def turns_of(spark: SparkSession, table: Path, condition: str, turns: int) -> tuple[float, float]:
    """Returns the median seconds with the extension, and without it."""
    seconds: dict[str, list[float]] = {"on": [], "off": []}
    for turn in range(turns + 1):
        for name, settings in (("on", ON), ("off", OFF)):
            for key, value in settings.items():
                spark.conf.set(key, value)
            took, _ = timed(lambda: search(spark, table, condition).collect())
            if turn:
                seconds[name].append(took)
    for key, value in ON.items():
        spark.conf.set(key, value)
    return statistics.median(seconds["on"]), statistics.median(seconds["off"])


if __name__ == "__main__":
    main()
