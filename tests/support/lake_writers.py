"""Looks up keys in a table while a writer changes it: lake_writers.py FORMAT FOLDER SECONDS.

The writer updates, appends, deletes, overwrites, compacts and removes old files. At any time the
table holds each kept key once, and the version of a key never falls. Prints a JSON object with what
the readers found wrong, what failed, and the numbers of changes and lookups.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

from pyspark.sql import SparkSession

import delta_session
import iceberg_session
import spark_sbbf as sbbf

FILES, ROWS = 20, 50
KEPT = FILES * ROWS
"""The ids below stay in the table; the writer appends and deletes those from here on."""
RETAINED_SECONDS = 30


class Table(ABC):
    """A table of `k`, the hash of `id`, and `v`, the number of changes of the row."""

    def __init__(self, spark: SparkSession, name: str, using: str, filters: str) -> None:
        self.name = name
        spark.sql(
            f"CREATE TABLE {name} (k BIGINT, id BIGINT, v BIGINT) USING {using} "
            f"TBLPROPERTIES ({filters})"
        )
        spark.sql(f"INSERT INTO {name} {self.rows(0, KEPT, FILES)}")

    def rows(self, first: int, last: int, files: int) -> str:
        return f"SELECT xxhash64(id) AS k, id, 0L AS v FROM range({first}, {last}, 1, {files})"

    def changes(self, rng: random.Random) -> list[str]:
        """Returns one change of each kind, without those that only a format has."""
        key = rng.randrange(KEPT)
        ids = f"SELECT xxhash64(id) AS k FROM range({key}, {min(key + 40, KEPT)})"
        return [
            f"UPDATE {self.name} SET v = v + 1 WHERE k = xxhash64({key}L)",
            f"MERGE INTO {self.name} t USING ({ids}) s ON t.k = s.k "
            "WHEN MATCHED THEN UPDATE SET v = v + 1",
            f"INSERT INTO {self.name} {self.rows(KEPT, KEPT + 100, 3)}",
            f"DELETE FROM {self.name} WHERE id >= {KEPT}",
            f"INSERT OVERWRITE {self.name} SELECT /*+ REPARTITION_BY_RANGE({FILES}, id) */ "
            f"k, id, v + 1 AS v FROM {self.name} WHERE id < {KEPT}",
        ]

    @abstractmethod
    def upkeep(self) -> list[str]:
        """Returns the commands that compact the table and remove its old files."""


class DeltaTable(Table):
    def upkeep(self) -> list[str]:
        hours = RETAINED_SECONDS / 3600
        return [f"OPTIMIZE {self.name}", f"VACUUM {self.name} RETAIN {hours:.5f} HOURS"]


class IcebergTable(Table):
    def upkeep(self) -> list[str]:
        before = time.strftime("%F %T", time.gmtime(time.time() - RETAINED_SECONDS))
        table = f"table => '{self.name.removeprefix('ice.')}'"
        return [
            f"CALL ice.system.rewrite_data_files({table})",
            f"CALL ice.system.expire_snapshots({table}, older_than => TIMESTAMP '{before}')",
        ]


def delta(folder: Path) -> tuple[SparkSession, Table]:
    spark = delta_session.opened(folder)
    filters = delta_session.filters(ROWS, "k") + ", 'delta.enableDeletionVectors' = 'true'"
    return spark, DeltaTable(spark, "log", "delta", filters)


def iceberg(folder: Path) -> tuple[SparkSession, Table]:
    spark = iceberg_session.opened(folder)
    modes = (f"'write.{c}.mode' = 'merge-on-read'" for c in ("update", "delete", "merge"))
    filters = ", ".join([iceberg_session.filters("k"), *modes])
    return spark, IcebergTable(spark, "ice.db.log", "iceberg", filters)


class Run:
    def __init__(self, spark: SparkSession, table: Table, seconds: float) -> None:
        self.spark, self.table = spark, table
        self.end, self.latest = time.time() + seconds, time.time() + 20 * seconds
        self.wrong: list[str] = []
        self.failed: list[str] = []
        self.changes = self.lookups = self.pruned = 0

    def session(self) -> SparkSession:
        spark = sbbf.enable(self.spark.newSession())
        spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
        return spark

    def guarded(self, work: Callable[[SparkSession], None]) -> threading.Thread:
        def run() -> None:
            spark = self.session()
            while not self.is_over():
                try:
                    work(spark)
                except Exception:
                    self.failed.append(traceback.format_exc()[-2000:])

        return threading.Thread(target=run)

    def is_over(self) -> bool:
        """Returns whether its time is over; a slow machine gets more to do a few of each."""
        few = self.failed or (self.changes >= 2 and self.lookups >= 5 and self.pruned >= 2)
        return time.time() > (self.end if few else self.latest)

    def all(self) -> None:
        reads = [self.reader(seed) for seed in (1, 2)]
        threads = [self.guarded(self.writer()), *(self.guarded(read) for read in reads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def writer(self) -> Callable[[SparkSession], None]:
        def commands() -> Iterator[str]:
            rng = random.Random(7)
            while True:
                yield from self.table.changes(rng)
                yield from self.table.upkeep()

        texts = commands()

        def work(spark: SparkSession) -> None:
            spark.sql(next(texts)).collect()
            self.changes += 1

        return work

    def reader(self, seed: int) -> Callable[[SparkSession], None]:
        rng, seen = random.Random(seed), dict.fromkeys(range(KEPT), 0)

        def work(spark: SparkSession) -> None:
            first = rng.randrange(KEPT - 100)
            ids = [first] if rng.random() < 0.7 else [first, first + 50, first + 100]
            if rng.random() < 0.2:
                ids = [-first - 1]
            values = ", ".join(f"({i}L)" for i in ids)
            keys = f"SELECT xxhash64(id) AS k FROM VALUES {values} AS t(id)"
            lookup = f"WHERE k = xxhash64({ids[0]}L)"
            where = lookup if len(ids) == 1 else f"JOIN ({keys}) USING (k)"
            df = spark.sql(f"SELECT id, v FROM {self.table.name} {where}")
            found = {row.id: row.v for row in df.collect()}
            expected = [i for i in ids if i >= 0]
            self.lookups += 1
            self.pruned += any(s.files_kept < s.files for s in sbbf.explain(df, show=False).scans)
            if sorted(found) != expected or any(found[i] < seen[i] for i in expected):
                self.wrong.append(f"{ids}: found {found}, seen {[seen.get(i) for i in ids]}")
            seen.update(found)

        return work


def main(name: str, folder: Path, seconds: float) -> None:
    spark, table = {"delta": delta, "iceberg": iceberg}[name](folder)
    run = Run(spark, table, seconds)
    run.all()
    counts = {"changes": run.changes, "lookups": run.lookups, "pruned": run.pruned}
    print(json.dumps({"wrong": run.wrong, "failed": run.failed, **counts}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
