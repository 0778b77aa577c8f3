"""Measures lookups in tables of a local S3 server, each of whose requests takes 30 ms longer.

The tables are those of lookup.py, whose files have filters; the index is built without the delay.
The oracle is Spark alone on only the file that holds the answer. Times are medians in milliseconds,
with the requests of one lookup.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from lookup import (
    DATA,
    ROOT,
    ROW_GROUPS,
    SCHEMA,
    Table,
    keys_of,
    session,
    spaced,
    spread,
    switched,
    timed,
    written,
)
from machine import run_on
from object_store import BUCKET, ObjectStore, serving

sys.path.insert(0, str(ROOT / "tests" / "support"))

import s3_server

FPP = 0.01
WARM_UP = 3
INDEXES = f"s3a://{BUCKET}/indexes"
OFF = {"spark.sbbf.enabled": "false"}
ORACLE, ALONE = "the oracle", "Spark alone"
KINDS = {
    "index": {"spark.sbbf.index.enabled": "true"},
    "index, as a job": {
        "spark.sbbf.index.enabled": "true",
        "spark.sbbf.localLookup.enabled": "false",
    },
    "filters": {"spark.sbbf.index.enabled": "false"},
    ORACLE: OFF,
}
FRESH_KINDS = ("index", "filters", ORACLE)
THREADS = (8, 16, 32, 64, 128)

Requests = Counter[str]


def main() -> None:
    arguments = parsed_arguments()
    if arguments.fresh:
        print(json.dumps(first_query(*arguments.fresh)))
        return
    with (
        tempfile.TemporaryDirectory() as indexes,
        serving({"tables": DATA, "indexes": Path(indexes)}, unchanging={"tables"}) as store,
    ):
        os.environ["PYSPARK_SUBMIT_ARGS"] = submit_arguments(store.url, arguments.stream)
        spark = session("true")
        spark.conf.set("spark.sbbf.index.path", INDEXES)
        out = [
            "\n".join(
                [
                    "Lookups of one key through S3A; milliseconds: median (minimum to maximum).",
                    *run_on(spark),
                    f"Hadoop {s3_server.hadoop_version()}, fs.s3a.input.stream.type="
                    f"{arguments.stream}; a server on the same machine, each of whose requests "
                    f"takes {arguments.delay} ms longer",
                    f"{arguments.keys} keys of each kind after {WARM_UP} to warm up; "
                    f"{arguments.fresh_runs} fresh JVMs of each kind",
                ]
            )
        ]
        for files in arguments.files:
            out.append(measured(spark, store, written(spark, files, FPP), arguments))
            print(out[-1], flush=True)
            arguments.out.write_text("\n\n".join(out) + "\n", encoding="utf-8")
        spark.stop()


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--keys", type=int, default=9, help="measured keys of each kind")
    parser.add_argument("--fresh-runs", type=int, default=2, help="fresh JVMs of each kind")
    parser.add_argument("--delay", type=int, default=30, help="milliseconds of each request")
    parser.add_argument("--stream", default="classic", help="fs.s3a.input.stream.type")
    parser.add_argument("--alone", type=int, default=1000, help="most files for Spark alone")
    parser.add_argument("--sweep", type=int, default=1000, help="most files for other settings")
    parser.add_argument("--fresh", nargs=3, metavar=("KIND", "PATH", "KEY"))
    default = ROOT / "benchmarks" / "results" / "s3-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    return parser.parse_args()


def submit_arguments(url: str, stream: str) -> str:
    """Returns arguments for all JVMs of the benchmark, which use S3A at a server."""
    conf = {
        **s3_server.packages(),
        **s3_server.settings(url),
        "spark.hadoop.fs.s3a.input.stream.type": stream,
    }
    return " ".join([*(f"--conf {key}={value}" for key, value in conf.items()), "pyspark-shell"])


def measured(
    spark: SparkSession, store: ObjectStore, table: Table, arguments: argparse.Namespace
) -> str:
    path = f"s3a://{BUCKET}/tables/{Path(table.path).name}"
    total = arguments.keys + WARM_UP
    local = spark.read.schema(SCHEMA).parquet(table.path)
    present = keys_of(spark, spaced(table, total))
    files = [f"{path}/{Path(file_of(local, key)).name}" for key in present]
    absent = keys_of(spark, [table.rows + n for n in range(total)])
    with store.counting() as requests:
        seconds, change = timed(lambda: sbbf.create_index(spark, path, "key"))
    assert isinstance(change, sbbf.IndexReport)
    lines = [
        f"{table.files:,} objects of {ROW_GROUPS} row groups with filters of FPP {table.fpp}, "
        f"{table.rows:,} rows",
        f"  build of the index without the delay: {seconds:.1f} s, {change.bytes:,} bytes; "
        f"{shown(requests)}",
    ]
    store.delay = arguments.delay / 1000
    with store.counting() as requests:
        seconds, df = timed(lambda: spark.read.schema(SCHEMA).parquet(path))
    assert isinstance(df, DataFrame)
    lines += [f"  listing: {1000 * seconds:,.0f} ms; {shown(requests)}"]
    lines += ["  first query of a fresh JVM, after its listing"]
    for kind in FRESH_KINDS:
        times, counts = [], []
        for run in range(arguments.fresh_runs):
            of = files[run] if kind == ORACLE else path
            command = [sys.executable, __file__, "--fresh", kind, of, str(present[run])]
            with store.counting() as requests:
                done = subprocess.run(command, check=True, capture_output=True, text=True)
            times.append(json.loads(done.stdout.splitlines()[-1]))
            counts.append(requests)
        lines += [f"    {kind:<17}{spread(times)}   with the listing {shown(counts[-1])}"]
    for name, keys in (("present key", present), ("absent key", absent)):
        holders = files if keys is present else []
        is_large = table.files > arguments.sweep
        lines += [f"  {name}", *lookups(spark, store, df, keys, holders, is_large)]
    if table.files <= arguments.sweep:
        lines += settings(spark, store, df, present)
    if table.files <= arguments.alone:
        with store.counting() as requests, switched(spark, OFF):
            seconds = found(df, present[0], 1)
        lines += [f"  {ALONE}, one query: {1000 * seconds:,.0f} ms; {shown(requests)}"]
    store.delay = 0
    return "\n".join(lines)


def file_of(df: DataFrame, key: int) -> str:
    """Returns the path of the file that holds a key."""
    (file,) = df.where(f"key = {key}").inputFiles()[:1]
    rows = df.where(f"key = {key}").select("_metadata.file_path").collect()
    return str(rows[0].file_path) if rows else file


def lookups(
    spark: SparkSession,
    store: ObjectStore,
    df: DataFrame,
    keys: list[int],
    files: list[str],
    is_large: bool,
) -> list[str]:
    """Returns a line for each kind, of all but the first keys.

    Args:
        files: The file of each key, if the table has the keys.
        is_large: Whether filters, which keep many files, look up one key after one to warm up.
    """
    times: dict[str, list[float]] = {}
    counts: dict[str, list[Requests]] = {}
    for n, key in enumerate(keys):
        for kind, conf in KINDS.items():
            if (kind == ORACLE and not files) or (
                kind == "filters" and is_large and n not in (0, WARM_UP)
            ):
                continue
            frame = spark.read.schema(SCHEMA).parquet(files[n]) if kind == ORACLE else df
            with store.counting() as requests, switched(spark, conf):
                seconds = found(frame, key, 1 if files else 0)
            for name in conf:
                if name != "spark.sbbf.enabled":
                    spark.conf.unset(name)
            if n >= WARM_UP:
                times.setdefault(kind, []).append(seconds)
                counts.setdefault(kind, []).append(requests)
    return [
        f"    {kind:<17}{spread(times[kind])}   {shown(middle(counts[kind]))}" for kind in times
    ]


def middle(counts: list[Requests]) -> Requests:
    return sorted(counts, key=Counter.total)[len(counts) // 2]


def found(df: DataFrame, key: int, expected: int) -> float:
    """Returns the seconds of a lookup, which has to find so many rows."""
    seconds, rows = timed(lambda: len(df.where(f"key = {key}").collect()))
    assert rows == expected, f"{rows} rows for {key}"
    return seconds


def settings(spark: SparkSession, store: ObjectStore, df: DataFrame, keys: list[int]) -> list[str]:
    """Returns lines with times of lookups that read all footers and filters, by settings."""
    common = {"spark.sbbf.index.enabled": "false", "spark.sbbf.cache.maxBytes": "0"}
    lines = ["  filters without the cache"]
    for threads in THREADS:
        changed = {**common, "spark.sbbf.planning.threads": str(threads)}
        times = []
        with switched(spark, changed):
            for key in keys[:2]:
                with store.counting() as requests:
                    times.append(found(df, key, 1))
        for setting in changed:
            spark.conf.unset(setting)
        lines += [f"    {threads:>3} threads      {spread(times)}   {shown(requests)}"]
    return lines


def shown(requests: Requests) -> str:
    parts = [f"{requests[kind]:,} {kind}" for kind in ("LIST", "HEAD", "GET") if requests[kind]]
    others = requests.total() - sum(requests[kind] for kind in ("LIST", "HEAD", "GET"))
    return ", ".join([*parts, *([f"{others:,} others"] if others else [])]) or "no request"


def first_query(kind: str, path: str, key: str) -> float:
    """Returns the seconds of the first query of this process, without the listing of the files."""
    spark = session(str(kind != ORACLE).lower())
    spark.conf.set("spark.sbbf.index.path", INDEXES)
    spark.conf.set("spark.sbbf.index.enabled", str(kind == "index").lower())
    df = spark.read.schema(SCHEMA).parquet(path)
    started = time.perf_counter()
    assert len(df.where(f"key = {key}").collect()) == 1
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
