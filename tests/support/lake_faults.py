"""Queries tables with a bad file, with and without pruning: lake_faults.py FORMAT FOLDER.

Prints a JSON object for each fault and query: the rows or the kind of the error, with pruning and
without it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import delta_session
import iceberg_session
from harness import rows
from lake_session import without_pruning

FILES, ROWS = 8, 50
BAD = 3
"""The number of the file that goes bad."""
SETTLING_SECONDS = 3
"""After this time a file is cached: it may have changed again in the second that it was written."""
HEALTHY_KEY, BAD_KEY = 5, BAD * ROWS + 5


def write(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))
    # Hadoop's local file system would find another checksum
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


FAULTS: dict[str, Callable[[Path], None]] = {
    "missing": lambda path: path.unlink(),
    "cut in half": lambda path: write(path, lambda data: data[: len(data) // 2]),
    "without a footer": lambda path: write(path, lambda data: data[:-200] + bytes(200)),
    "damaged footer": lambda path: write(
        path, lambda data: data[:-300] + bytes(b ^ 0x55 for b in data[-300:-8]) + data[-8:]
    ),
    "encrypted footer": lambda path: write(path, lambda data: data[:-4] + b"PARE"),
    "empty": lambda path: write(path, lambda data: b""),
    "a folder": to_folder,
}
QUERIES = {
    "key of another file": f"SELECT id FROM {{t}} WHERE k = xxhash64({HEALTHY_KEY}L)",
    "key of the file": f"SELECT id FROM {{t}} WHERE k = xxhash64({BAD_KEY}L)",
    "absent key": "SELECT id FROM {t} WHERE k = xxhash64(-1L)",
    "join": f"SELECT id FROM {{t}} JOIN (SELECT xxhash64(id) AS k FROM "
    f"VALUES ({HEALTHY_KEY}L), ({2 * ROWS}L) AS t(id)) USING (k)",
    "all": "SELECT sum(id) FROM {t}",
}


def create(spark: SparkSession, name: str, using: str, filters: str) -> Path:
    """Creates a table, and returns the file of its rows from BAD * ROWS on."""
    spark.sql(f"CREATE TABLE {name} (k BIGINT, id BIGINT) USING {using} TBLPROPERTIES ({filters})")
    spark.sql(
        f"INSERT INTO {name} SELECT xxhash64(id) AS k, id FROM range(0, {FILES * ROWS}, 1, {FILES})"
    )
    found = spark.sql(f"SELECT input_file_name() AS f FROM {name} WHERE id = {BAD_KEY}").head()
    return Path(unquote(found.f.removeprefix("file:").replace("///", "/")))


def outcome(spark: SparkSession, query: str) -> list[str]:
    try:
        return rows(spark.sql(query))
    except (PySparkException, Py4JJavaError):
        return ["fails"]


def look(spark: SparkSession, table: str, fault: str) -> None:
    for name, query in QUERIES.items():
        text = query.format(t=table)
        found = outcome(spark, text)
        with without_pruning(spark):
            expected = outcome(spark, text)
        case = {"fault": fault, "query": name, "found": found, "expected": expected}
        print(json.dumps(case), flush=True)


def main(using: str, folder: Path) -> None:
    if using == "delta":
        spark, prefix = delta_session.opened(folder), ""
        filters = delta_session.filters(ROWS, "k")
    else:
        spark, prefix = iceberg_session.opened(folder), "ice.db."
        filters = iceberg_session.filters("k")
    tables = {
        (fault, state): f"{prefix}t{number}_{state}"
        for number, fault in enumerate(FAULTS)
        for state in ("unread", "cached")
    }
    paths = {table: create(spark, table, using, filters) for table in tables.values()}
    time.sleep(SETTLING_SECONDS)
    for (fault, state), table in tables.items():
        if state == "cached":
            outcome(spark, QUERIES["absent key"].format(t=table))
        FAULTS[fault](paths[table])
        look(spark, table, f"{fault}, {state}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
