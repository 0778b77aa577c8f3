"""Measures lookups with this tree's JAR and with an older one: against.py OLD.jar.

Fresh JVMs with either JAR take turns on the tables of lookup.py, so that both see the same load of
the machine. Times are in milliseconds: medians over all JVMs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_sbbf as sbbf
from lookup import (
    DATA,
    ROOT,
    SCHEMA,
    WARM_UP,
    Times,
    compared,
    header,
    keys_of,
    session,
    timed,
    written,
)
from spark_sbbf.bridge import bridge_of

FPP = 0.0001
KEYS = 24
AS_A_JOB = ("spark.sbbf.localLookup.enabled", "false")
"""The default of older versions."""
INDEX = DATA / "against-index"
INDEX_PATH = "spark.sbbf.index.path"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, nargs="?", help="without it, one JVM is measured")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=4, help="fresh JVMs of each JAR")
    default = ROOT / "benchmarks" / "results" / "against-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    if arguments.old is None:
        print(json.dumps(measured(arguments.files)))
        return
    jars = {"the older JAR": arguments.old, "extension": Path(sbbf.jar_path())}
    kinds: dict[str, Times] = {}
    shutil.rmtree(INDEX, ignore_errors=True)
    for turn in range(arguments.turns):
        for name in list(jars)[:: 1 if turn % 2 else -1]:
            found = in_a_fresh_jvm(jars[name], __file__, "--files", str(arguments.files))
            top = found.pop("header")
            for kind, seconds in found.items():
                kinds.setdefault(kind, {}).setdefault(name, []).extend(seconds)
    lines = [f"{top}; {arguments.turns} JVMs of each JAR", f"{arguments.files:,} files, FPP {FPP}"]
    for kind, times in kinds.items():
        lines += [f"  {kind}", *compared(times, "the older JAR")]
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def in_a_fresh_jvm(jar: Path, *script: str) -> dict[str, Any]:
    """Runs a script with this JAR of the extension, and returns the JSON of its last line."""
    environment = {**os.environ, "SPARK_SBBF_JAR": str(jar.resolve())}
    command = [sys.executable, *script]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(files: int) -> dict[str, list[float] | str]:
    spark = session("true")
    spark.conf.set(*AS_A_JOB)
    table = written(spark, files, FPP)
    df = spark.read.schema(SCHEMA).parquet(table.path)
    total = KEYS + WARM_UP
    present = keys_of(spark, [table.rows // total * n + n for n in range(total)])
    absent = keys_of(spark, [table.rows + n for n in range(total)])
    queries = {
        "present key": [df.where(f"key = {key}") for key in present],
        "absent key": [df.where(f"key = {key}") for key in absent],
        "a join of 10 keys": [joined(df, present[n : n + 10]) for n in range(total - 9)],
    }
    found: dict[str, list[float] | str] = {"header": header(spark, KEYS)}
    if not INDEX.exists():  # the first JVM has this tree's JAR
        with_index(spark)
        sbbf.create_index(spark, table.path, "key")
        spark.conf.unset(INDEX_PATH)
    for kind, frames in queries.items():
        seconds = [timed(frame.collect)[0] for frame in frames]
        found.setdefault("the first query", seconds[:1])
        found[kind] = seconds[WARM_UP:]
        if "join" not in kind:
            found[f"{kind}, pruning alone"] = [millis(f) / 1000 for f in frames[WARM_UP:]]
    with_index(spark)
    for kind, keys in (("present", present), ("absent", absent)):
        frames = [df.where(f"key = {key}") for key in keys]
        found[f"{kind} key, by an index"] = [timed(f.collect)[0] for f in frames][WARM_UP:]
        assert all(report["index_segments"] for report in reports(frames[-1])), "no index was used"
    return found


def with_index(spark: SparkSession) -> None:
    spark.conf.set(INDEX_PATH, str(INDEX))


def joined(df: DataFrame, keys: list[int]) -> DataFrame:
    few = df.sparkSession.createDataFrame([(key,) for key in keys], "key bigint")
    return df.join(F.broadcast(few), "key")


def millis(df: DataFrame) -> float:
    """Returns what planning took."""
    return sum(scan["millis"] for scan in reports(df))


def reports(df: DataFrame) -> list[dict[str, Any]]:
    """Returns the reports of a query's scans, which an older JAR writes with other fields."""
    bridge = bridge_of(df.sparkSession)
    scans: list[dict[str, Any]] = json.loads(bridge.explain(df._jdf.queryExecution()))["scans"]
    return scans


if __name__ == "__main__":
    main()
