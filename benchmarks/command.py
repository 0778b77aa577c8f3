"""Measures how long the command line takes to inspect filters, as whole processes by turns.

Compares it with a script that does the same in its own session, and with a JVM that does nothing.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

import spark_sbbf as sbbf
from lookup import ROOT, session, timed, written
from machine import run_on
from spark_sbbf.java import find_java

FILES = (1, 100)
SCRIPT = """
import sys
import spark_sbbf as sbbf
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = sbbf.enable(builder).getOrCreate()
print(len(sbbf.probe(spark, sys.argv[1], "key", 5).collect()))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=7, help="after one to warm up")
    default = ROOT / "benchmarks" / "results" / "command-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    lines = [
        "Looking at bloom filters from the command line; seconds of whole processes: median "
        "(minimum to maximum).",
        *run_on(spark),
        f"{arguments.turns} turns after one to warm up",
    ]
    tables = {files: written(spark, files, 0.01, False).path for files in FILES}
    filters = {files: sbbf.inspect(spark, path).count() for files, path in tables.items()}
    spark.stop()
    for files, path in tables.items():
        seconds: dict[str, list[float]] = {}
        for turn in range(arguments.turns + 1):
            for name, process in processes(path).items():
                took, _ = timed(lambda: subprocess.run(process, check=True, capture_output=True))
                if turn:
                    seconds.setdefault(name, []).append(took)
        lines += [f"{files} files, {filters[files]} filters", *described(seconds)]
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def processes(path: str) -> dict[str, list[str]]:
    command = str(Path(sys.executable).with_name("spark-sbbf"))
    return {
        "spark-sbbf probe": [command, "probe", path, "key", "5"],
        "spark-sbbf inspect": [command, "inspect", path],
        "probe in a session of its own": [sys.executable, "-c", SCRIPT, path],
        "java -version": [find_java(), "-version"],
    }


def described(seconds: dict[str, list[float]]) -> list[str]:
    median = {name: statistics.median(values) for name, values in seconds.items()}
    probe = median["spark-sbbf probe"]
    return [
        f"  {name:<30}{median[name]:6.2f}  ({min(values):.2f} to {max(values):.2f})"
        f"{median[name] / probe:7.2f} x spark-sbbf probe"
        for name, values in seconds.items()
    ]


if __name__ == "__main__":
    main()
