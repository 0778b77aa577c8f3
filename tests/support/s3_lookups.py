"""Looks up keys in tables of a local S3 server, and prints the requests of each lookup.

The argument is a type of S3A's input streams. Each line is a JSON object with the case, its answer,
the answer of the oracle, and the requests.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import s3_server
import samples
import spark_sbbf as sbbf
from harness import local_builder, rows, session_with, with_packages

FILES, GROUPS, ROWS = 6, 4, 2000
PER_FILE = GROUPS * ROWS
KEYS = samples.scattered((FILES + 1) * PER_FILE)
ABSENT = samples.scattered(1, salt=10**9)[0]
SCHEMA = "key long, seq long, name string, pad binary"
ORACLE = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
LISTED_SECONDS = 30
"""How long the driver knows what the folder of an index holds."""


class Cases:
    """Runs cases in a session, at a store whose requests it prints."""

    def __init__(self, spark: SparkSession, store: s3_server.Store, url: str, folder: Path) -> None:
        self.spark = spark
        self.store = store
        self._url = url
        self._folder = folder
        self._oracle = session_with(spark, ORACLE)

    def write(self, name: str, files: range, filters: bool) -> str:
        """Writes a table of files that are larger than a tail; returns its path."""
        path = f"s3a://{s3_server.BUCKET}/{name}"
        for n in files:
            keys = KEYS[n * PER_FILE : (n + 1) * PER_FILE]
            columns = {
                "key": keys,
                "seq": list(range(PER_FILE)),
                "name": [f"n{key}" for key in keys],
                "pad": [os.urandom(30) for _ in keys],
            }
            local = self._folder / name / f"{n}.parquet"
            samples.write(local, columns, ROWS, filters=("key",) if filters else ())
            s3_server.put(self._url, f"{name}/{n}.parquet", local.read_bytes())
        return path

    def read(self, path: str) -> DataFrame:
        return self.spark.read.schema(SCHEMA).parquet(path)

    def look(self, case: str, df: DataFrame, *keys: int) -> None:
        """Prints what a lookup of keys answers and requests."""
        condition = f"key IN ({', '.join(map(str, keys))})"
        with self.store.recording() as requests:
            found = rows(df.where(condition).select("key", "seq", "name"))
        path = df.inputFiles()[0].rpartition("/")[0]
        expected = self._oracle.read.schema(SCHEMA).parquet(path).where(condition)
        printed(
            case, rows=found, oracle=rows(expected.select("key", "seq", "name")), requests=requests
        )

    def run(self, case: str, action: Callable[[], object]) -> None:
        """Prints what an action returns and requests."""
        with self.store.recording() as requests:
            result = action()
        printed(case, result=str(result), requests=requests)


def printed(case: str, **answer: Any) -> None:
    print(json.dumps({"case": case, **answer}), flush=True)


def key(file: int, row: int) -> int:
    """Returns the key of a row in a file of the tables."""
    return KEYS[file * PER_FILE + row]


def main() -> None:
    (stream,) = sys.argv[1:]
    with (
        tempfile.TemporaryDirectory() as folder,
        s3_server.serving() as (store, url),
    ):
        builder = local_builder(Path(folder) / "warehouse").config(
            map={
                **s3_server.packages(),
                **s3_server.settings(url),
                "spark.hadoop.fs.s3a.input.stream.type": stream,
            }
        )
        session = with_packages(builder)
        session.sparkContext.setLogLevel("WARN")
        try:
            look_up(Cases(session, store, url, Path(folder)))
        finally:
            session.stop()


def look_up(cases: Cases) -> None:
    filtered = cases.write("filtered", range(FILES), filters=True)
    plain = cases.write("plain", range(FILES), filters=False)
    time.sleep(2.1)  # what is read within two seconds of a write is not cached
    with_filters(cases, filtered)
    with_index(cases, plain)
    beyond_the_interval(cases, filtered, plain)
    after_changes(cases, plain)
    with_refused_index(cases)
    with_added_filters(cases)
    of_a_writer(cases)
    with_milliseconds(cases)


def with_filters(cases: Cases, path: str) -> None:
    df = cases.read(path)
    cases.look("filters: first", df, key(2, 100))
    cases.look("filters: again", df, key(2, 100))
    cases.look("filters: another key", df, key(3, 3100))
    cases.look("filters: absent", df, ABSENT)


def with_index(cases: Cases, path: str) -> None:
    cases.run("create", lambda: sbbf.create_index(cases.spark, path, ["key", "name"]))
    df = cases.read(path)
    cases.look("index: first", df, key(1, 50))
    cases.look("index: another key", df, key(4, 2050))
    cases.look("index: absent", df, ABSENT)
    cases.look("index: several keys", df, key(0, 7), key(5, 7000), ABSENT)


def beyond_the_interval(cases: Cases, filtered: str, plain: str) -> None:
    frames = cases.read(filtered), cases.read(plain)
    time.sleep(LISTED_SECONDS + 1)
    for case, df in zip(("no index: later", "index: later"), frames, strict=True):
        cases.look(case, df, key(4, 2050))
        cases.look(f"{case}, again", df, key(4, 2050))


def after_changes(cases: Cases, path: str) -> None:
    cases.write("plain", range(FILES, FILES + 1), filters=False)
    cases.look("new file", cases.read(path), key(FILES, 10))
    cases.run("refresh", lambda: sbbf.refresh_index(cases.spark, path))
    cases.run("refresh again", lambda: sbbf.refresh_index(cases.spark, path))
    df = cases.read(path)
    cases.look("refreshed", df, key(FILES, 10))
    cases.look("refreshed: another key", df, key(3, 11))
    cases.run("drop", lambda: sbbf.drop_index(cases.spark, path))
    left = cases.spark._jvm.org.apache.hadoop.fs.Path(f"{path}/_sbbf")
    store = left.getFileSystem(cases.spark._jsc.hadoopConfiguration())
    cases.run("dropped", lambda: store.exists(left))
    cases.look("dropped: lookup", cases.read(path), key(3, 11))


def with_refused_index(cases: Cases) -> None:
    path = cases.write("refused", range(2), filters=False)
    sbbf.create_index(cases.spark, path, "key")
    df = cases.read(path)
    with cases.store.refusing("refused/_sbbf/"):
        for case in ("refused", "refused again"):
            cases.look(case, df, key(1, 5))
    damaged = cases.write("unreadable", range(2), filters=False)
    sbbf.create_index(cases.spark, damaged, "key")
    df = cases.read(damaged)
    with cases.store.refusing("/_keys-"):
        for case in ("keys refused", "keys refused again"):
            cases.look(case, df, key(1, 5))


def with_added_filters(cases: Cases) -> None:
    path = cases.write("added", range(3), filters=False)
    cases.run("add_filters", lambda: sbbf.add_filters(cases.spark, path, "key", fpp=0.0001))
    time.sleep(2.1)
    df = cases.read(path)
    cases.look("added", df, key(1, 5))
    cases.look("added: absent", df, ABSENT)
    report = sbbf.explain(df.where(f"key = {key(1, 5)}"), show=False)
    printed("added: kept", kept=report.scans[0].row_groups_kept)


def of_a_writer(cases: Cases) -> None:
    path = f"s3a://{s3_server.BUCKET}/written"
    df = cases.spark.createDataFrame(
        [(k, n) for n, k in enumerate(KEYS[:PER_FILE])], "key long, seq long"
    )
    options = sbbf.bloom_options("key", fpp=0.0001, ndv=PER_FILE)
    df.withColumn("name", df.seq.cast("string")).withColumn(
        "pad", df.seq.cast("string").cast("binary")
    ).repartition(4).write.options(**options).parquet(path)
    time.sleep(2.1)
    read = cases.read(path)
    cases.look("written", read, KEYS[77])
    cases.look("written: absent", read, ABSENT)
    report = sbbf.explain(read.where(f"key = {KEYS[77]}"), show=False)
    printed("written: kept", kept=report.scans[0].files_kept)


def with_milliseconds(cases: Cases) -> None:
    cases.store.has_millis = True
    path = cases.write("milliseconds", range(2), filters=True)
    time.sleep(2.1)
    cases.look("milliseconds: filters", cases.read(path), key(1, 5))
    sbbf.create_index(cases.spark, path, "key")
    cases.look("milliseconds: index", cases.read(path), key(1, 6))


if __name__ == "__main__":
    main()
