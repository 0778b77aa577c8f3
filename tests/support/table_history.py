"""Random histories of tables, whose queries are compared with the oracle's.

Each history changes two tables in the same way: one with pruning, the other without it and without
pushdown. After each change, the rows of both must be equal, and queries of the pruned table must
answer as the oracle's.
"""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable

from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import rows
from lake_session import oracle, without_pruning

CHANGES = 8
QUERIES = 7
MOST_ID = 400


class History(ABC):
    """A history of one table and its twin; a format adds the changes that it supports."""

    namespace = ""
    columns = (
        "k BIGINT, s STRING, d DOUBLE, i INT, t TIMESTAMP, st STRUCT<a: BIGINT, b: STRING>, p INT"
    )

    def __init__(self, spark: SparkSession, rng: random.Random, number: int) -> None:
        self.spark, self.rng = spark, rng
        self.pruned = f"{self.namespace}pruned_{number}"
        self.plain = f"{self.namespace}plain_{number}"
        self.names = {"k": "k", "s": "s", "d": "d", "i": "i", "t": "t", "st": "st", "p": "p"}
        """The present names of the first columns, without those that were dropped."""
        self.added: list[str] = []
        self.done: list[str] = []
        self.queries = self.pruning = 0
        self.differences: list[dict[str, object]] = []

    def run(self) -> None:
        self.change(self.creation())
        self.change(self.insertion())
        for _ in range(CHANGES):
            self.change(self.next_change())
            self.compare_tables()
            for _ in range(QUERIES):
                self.compare(self.query())
        for table in (self.pruned, self.plain):
            self.spark.sql(f"DROP TABLE {table}")

    def one(self, *of: str) -> str:
        return self.rng.choice(of)

    def change(self, text: str) -> None:
        """Makes a change to both tables: `{t}` stands for the table's name."""
        self.done.append(text)
        self.spark.sql(text.replace("{t}", self.pruned))
        with without_pruning(self.spark):
            self.spark.sql(text.replace("{t}", self.plain))

    def compare_tables(self) -> None:
        columns = ", ".join([*self.names.values(), *self.added])
        contents = [oracle(self.spark, f"SELECT {columns} FROM {t}") for t in self.tables]
        if contents[0] != contents[1]:
            self.differ("the tables differ", contents[0], contents[1])

    @property
    def tables(self) -> tuple[str, str]:
        return self.pruned, self.plain

    def compare(self, text: str) -> None:
        query = text.replace("{t}", self.pruned)
        df = self.spark.sql(query)
        found = rows(df)
        report = sbbf.explain(df, show=False)
        self.queries += 1
        self.pruning += any(scan.files_kept < scan.files for scan in report.scans)
        expected = oracle(self.spark, query)
        if found != expected:
            self.differ(query, found, expected)

    def differ(self, what: str, found: list[str], expected: list[str]) -> None:
        self.differences.append(
            {"what": what, "found": found[:5], "expected": expected[:5], "history": self.done}
        )

    @abstractmethod
    def creation(self) -> str:
        """Returns the command that creates the table."""

    @abstractmethod
    def next_change(self) -> str:
        """Returns a random change of the table."""

    def source(self, lengths: tuple[int, ...] = (5, 50, 200)) -> str:
        """Returns a query of random rows; up to 97 of them have different values of `k`."""
        first, length = self.rng.randrange(MOST_ID), self.rng.choice(lengths)
        salt, files = self.rng.randrange(3), self.rng.choice([1, 2, 5])
        values = {
            "k": "xxhash64(id % 97)",
            "s": f"IF(id % 11 = {salt}, NULL, concat('user-', id % 53))",
            "d": "element_at(array(-0.0D, 0.0D, DOUBLE('NaN'), NULL, id / 3), "
            "CAST(id % 5 AS INT) + 1)",
            "i": "CAST(id % 31 - 5 AS INT)",
            "t": "TIMESTAMP'2024-01-01' + make_interval(0, 0, 0, CAST(id % 100 AS INT))",
            "st": "named_struct('a', xxhash64(id % 41), 'b', string(id % 5))",
            "p": f"CAST((id + {salt}) % 3 AS INT)",
        }
        kept = ", ".join(f"{values[c]} AS {name}" for c, name in self.names.items())
        nulls = "".join(f", CAST(id % 13 AS BIGINT) AS {name}" for name in self.added)
        return f"SELECT {kept}{nulls} FROM range({first}, {first + length}, 1, {files})"

    def insertion(self) -> str:
        columns = ", ".join([*self.names.values(), *self.added])
        return f"INSERT INTO {{t}} ({columns}) {self.source()}"

    def deletion(self) -> str:
        return f"DELETE FROM {{t}} WHERE {self.predicate()}"

    def update(self) -> str:
        column = self.names["s"]
        return f"UPDATE {{t}} SET {column} = 'changed' WHERE {self.predicate()}"

    def merge(self) -> str:
        k = self.names["k"]
        clause = self.one(
            "WHEN MATCHED THEN DELETE",
            f"WHEN MATCHED THEN UPDATE SET {self.names['s']} = s.{self.names['s']}",
            f"WHEN MATCHED AND t.{self.names['i']} > 3 THEN DELETE WHEN NOT MATCHED THEN INSERT *",
            "WHEN NOT MATCHED THEN INSERT *",
            f"WHEN NOT MATCHED BY SOURCE AND t.{self.names['p']} = 1 THEN DELETE",
        )
        return f"MERGE INTO {{t}} t USING ({self.source((5, 50))}) s ON t.{k} = s.{k} {clause}"

    @property
    def has_new_names(self) -> bool:
        return bool(self.added) or any(old != new for old, new in self.names.items())

    def addition(self) -> str:
        name = f"new_{len(self.added)}"
        if len(self.added) < 2:
            self.added.append(name)
            return f"ALTER TABLE {{t}} ADD COLUMN {name} BIGINT"
        return self.insertion()

    def overwrite(self) -> str:
        columns = ", ".join([*self.names.values(), *self.added])
        return f"INSERT OVERWRITE {{t}} ({columns}) {self.source()}"

    def renaming(self) -> str:
        """Renames a column, possibly to a name that another one had."""
        old = self.rng.choice(["k", "s", "d", "st"])
        taken = {*self.names.values(), *self.added}
        free = [n for n in ("k", "s", "d", "st", "x", "y") if n not in taken]
        before, self.names[old] = self.names[old], self.rng.choice(free)
        return f"ALTER TABLE {{t}} RENAME COLUMN {before} TO {self.names[old]}"

    def predicate(self) -> str:
        n = self.names
        key = self.rng.randrange(-3, 110)
        tests = [
            f"{n['k']} = xxhash64({key}L)",
            f"{n['k']} IN (xxhash64({key}L), xxhash64({key + 7}L), NULL)",
            f"{n['s']} = 'user-{key % 60}'",
            f"{n['s']} IS NULL AND {n['k']} = xxhash64({key}L)",
            f"{n['d']} = {self.one('0.0D', '-0.0D', 'DOUBLE(0.0)', '7.0D / 3')}",
            f"isnan({n['d']}) AND {n['i']} < 3",
            f"{n['i']} = {key % 40 - 6}",
            f"{n['i']} > {key % 40}",
            f"{n['t']} = TIMESTAMP'2024-01-{key % 28 + 1:02}'",
            f"{n['st']}.a = xxhash64({key}L)",
            f"{n['st']}.b = '{key % 7}' AND {n['k']} <=> xxhash64({key}L)",
            f"{n['p']} = {key % 3} AND {n['k']} = xxhash64({key}L)",
            *(f"{name} = {key % 15}" for name in self.added),
            *(f"{name} IS NULL AND {n['k']} = xxhash64({key}L)" for name in self.added),
        ]
        first = self.rng.choice(tests)
        return self.one(first, first, f"({first} OR {self.rng.choice(tests)})", f"NOT ({first})")

    def query(self) -> str:
        n = self.names
        columns = ", ".join([*n.values(), *self.added])
        old = self.old_table() if self.rng.random() < 0.15 else None
        table = old or "{t}"
        keys = f"(SELECT xxhash64(id) AS wanted FROM range({self.rng.randrange(90)}, 95, 40, 1))"
        where = f"WHERE {self.predicate()}"
        return self.one(
            f"SELECT {columns} FROM {table} {where}",
            f"SELECT count(*), max({n['p']}) FROM {table} {where}",
            f"SELECT {n['i']}, count(*) FROM {table} {where} GROUP BY 1",
            f"SELECT {columns} FROM {table} JOIN {keys} ON {n['k']} = wanted",
            f"SELECT wanted, {n['i']} FROM {keys} LEFT JOIN {table} ON {n['k']} = wanted",
            f"SELECT wanted FROM {keys} LEFT ANTI JOIN {table} ON {n['k']} = wanted",
            f"SELECT {columns} FROM {table} WHERE {n['k']} IN (SELECT wanted FROM {keys})",
            f"SELECT {columns} FROM {table} WHERE {n['k']} = (SELECT max(wanted) FROM {keys})",
            f"SELECT a.{n['s']} FROM {table} a LEFT JOIN {table} b "
            f"ON a.{n['k']} = b.{n['k']} AND b.{n['i']} = 3 WHERE a.{n['i']} = 4",
            *self.queries_of(table, columns),
        )

    def old_table(self) -> str | None:
        """Returns an older version of the table, if it has the same columns."""
        return None if self.has_new_names else "{t} VERSION AS OF 1"

    def queries_of(self, table: str, columns: str) -> list[str]:
        """Returns queries for tables of one format."""
        return []


def compare_histories(
    spark: SparkSession,
    histories: int,
    seed: int,
    made: Callable[[SparkSession, random.Random, int], History],
) -> None:
    """Prints the seed, a JSON object for each difference, and the numbers of queries so far."""
    print(f"# seed {seed}", flush=True)
    queries = pruning = 0
    for number in range(histories):
        rng = random.Random(f"{seed}-{number}")
        spark.conf.set("spark.sql.autoBroadcastJoinThreshold", rng.choice(["-1", "10m"]))
        history = made(spark, rng, number)
        try:
            history.run()
        except Exception:
            print(json.dumps({"failed": number, "history": history.done}), flush=True)
            raise
        for difference in history.differences:
            print(json.dumps({"number": number, **difference}), flush=True)
        queries, pruning = queries + history.queries, pruning + history.pruning
        print(
            json.dumps({"histories": number + 1, "queries": queries, "pruning": pruning}),
            flush=True,
        )
