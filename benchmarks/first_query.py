"""Measures what the extension adds to the first query of a fresh process.

Starts a Python process with a JVM of its own for each measurement, by turns without the extension,
with it, with an archive of classes in addition, and, if one is given, with an older JAR.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = 8
STEPS = ("session", "first query", "optimizer")
TARGETS = """\
session: importing, building and getting a session of two task threads
first query: reading the schema of the table and one lookup of a present key
optimizer: its phase of that query, which prunes with the extension
pruning: what the scan reports, file reads included
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, nargs="?", help="an older JAR of the extension")
    parser.add_argument("--turns", type=int, default=9, help="processes of each kind, after one")
    default = ROOT / "benchmarks" / "results" / "first-query-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(first_query(*arguments.child)))
        return
    from lookup import key, session, written  # not in children, whose imports are measured
    from machine import run_on

    spark = session("true")
    path = written(spark, FILES, 0.01, False).path
    ((value,),) = spark.range(77, 78).select(key("id")).collect()
    machine = run_on(spark)
    spark.stop()
    measured: dict[str, list[dict[str, float]]] = {"off": [], "on": [], "archive": []}
    if arguments.old:
        measured["old"] = []
    for turn in range(arguments.turns + 1):
        for mode in sorted(measured, reverse=turn % 2 == 0):
            found = child(mode, path, value, arguments.old)
            if turn:  # the first fills the machine's caches, and writes the archive
                measured[mode].append(found)
    lines = [
        "The first query of a fresh process; milliseconds: median (minimum to maximum).",
        *machine,
        f"{FILES} files; {arguments.turns} processes of each kind, by turns: without the extension "
        "(off), with it (on),",
        "with class_archive=True (archive)"
        + (", with an older JAR (old)" if arguments.old else ""),
        *TARGETS.splitlines(),
        *(line for step in STEPS for line in compared(step, measured)),
        *(
            described("pruning", mode, [run["pruning"] for run in measured[mode]])
            for mode in ("on", "archive")
        ),
    ]
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def child(mode: str, path: str, value: int, old: Path | None) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", mode, path, str(value)]
    environment = dict(os.environ)
    if mode == "old" and old:
        environment["SPARK_SBBF_JAR"] = str(old.resolve())
    environment["XDG_CACHE_HOME"] = str(ROOT / "build" / "bench")
    # waits until the JVM, which shares the pipe, has ended and written its archive
    done = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def first_query(mode: str, path: str, value: str) -> dict[str, float]:
    start = time.perf_counter()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    if mode != "off":
        import spark_sbbf as sbbf

        builder = sbbf.enable(builder, class_archive=mode == "archive")
    else:
        builder = builder.config(
            "spark.driver.extraJavaOptions", "--add-modules=jdk.incubator.vector"
        )
    spark = builder.getOrCreate()
    begun = time.perf_counter()
    df = spark.read.parquet(path).where(f"key = {value}")
    rows = df.collect()
    ended = time.perf_counter()
    assert len(rows) == 1, rows
    phases = df._jdf.queryExecution().tracker().phases()
    found = {
        "session": (begun - start) * 1000,
        "first query": (ended - begun) * 1000,
        "optimizer": float(phases.apply("optimization").durationMs()),
    }
    if mode in ("on", "archive"):
        (scan,) = sbbf.explain(df, show=False).scans
        assert scan.files_kept < FILES, scan
        found["pruning"] = scan.millis
    spark.stop()
    return found


def compared(step: str, measured: dict[str, list[dict[str, float]]]) -> list[str]:
    values = {mode: [run[step] for run in runs] for mode, runs in measured.items()}
    off = statistics.median(values["off"])
    lines = [described(step, mode, some) for mode, some in values.items()]
    for n, some in enumerate(values.values()):
        if n:
            median = statistics.median(some)
            lines[n] += f"  {median / off:.2f} x, {median - off:+.0f}"
    return lines


def described(step: str, mode: str, values: list[float]) -> str:
    return (
        f"  {step:<12} {mode:<8}{statistics.median(values):7,.0f}  "
        f"({min(values):,.0f} to {max(values):,.0f})"
    )


if __name__ == "__main__":
    main()
