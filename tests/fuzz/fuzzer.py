"""Compares a contender's answers to whole queries with Spark without any pushdown."""

from __future__ import annotations

import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from contenders import AS_IT_COMES, Sessions, prepare, random_mode
from nested import Kind
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from shapes import Queries, Query

import spark_sbbf as sbbf
from harness import outcome
from tables import write_table

BATCH = 30  # plain queries that one scan of the oracle answers
QUERIES_PER_TABLE = 240

Answer = list[str] | str  # rows, or the name of an error
Enough = Callable[["Findings"], bool]


@dataclass(frozen=True)
class Difference:
    query: Query  # the smallest that differs
    report: str


@dataclass
class Findings:
    """The results of a run. An error is a difference unless the oracle fails as well."""

    seed: str
    queries: int = 0
    pruned: int = 0
    paged: int = 0  # whose tasks left rows out
    both_failed: Counter[str] = field(default_factory=Counter)
    oracle_failed: Counter[str] = field(default_factory=Counter)
    refuted: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    seconds: float = 0

    @property
    def share(self) -> float:
        """The share of the queries that planned fewer row groups."""
        return self.pruned / max(1, self.queries)

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {self.queries} whole queries in {self.seconds:.0f} s, "
            f"{len(self.differences)} differences, {self.share:.1%} with fewer row groups, "
            f"{self.paged} with fewer pages\n"
            f"  failed on both sides: {dict(self.both_failed)}\n"
            f"  failed for the oracle alone: {dict(self.oracle_failed)}\n"
            f"  row groups refuted by: {dict(self.refuted)}"
            + "".join(f"\n  {error}, as in {sql}" for error, sql in self.examples.items())
        )


@dataclass
class Fuzzer:
    """Runs until `enough` says so, table after table; `only` restricts the types of columns."""

    spark: SparkSession
    seed: str
    contender: str = "sbbf"
    only: Sequence[Kind] = ()

    def run(self, enough: Enough) -> Findings:
        findings, start = Findings(self.seed), time.monotonic()
        for number in itertools.count():
            with tempfile.TemporaryDirectory(prefix="sbbf-fuzz-") as folder:
                OneTable(self, Path(folder), number, findings).run(enough)
            findings.seconds = time.monotonic() - start
            if enough(findings):
                return findings


class OneTable:
    """A table and its queries, all of which follow from the seed and the table's number."""

    def __init__(self, fuzzer: Fuzzer, folder: Path, number: int, findings: Findings):
        self.number, self.findings = number, findings
        self.rng = random.Random(f"{fuzzer.seed}/{number}")
        major, minor = fuzzer.spark.version.split(".")[:2]
        name, version = f"fuzz_{number}", (int(major), int(minor))
        self.table = write_table(folder, name, self.rng, version, fuzzer.only)
        prepare(fuzzer.spark, self.table)
        self.sessions = Sessions(fuzzer.spark, self.table, fuzzer.contender)

    def run(self, enough: Enough) -> None:
        ansi = self.table.conf["spark.sql.ansi.enabled"] == "true"
        drawn = Queries(self.rng, self.table, ansi)
        for _ in range(QUERIES_PER_TABLE // BATCH):
            if not enough(self.findings):
                self.batch([drawn.draw() for _ in range(BATCH)])
        self.sessions.oracle(AS_IT_COMES).sql(f"drop table {self.table.name}")

    def batch(self, queries: list[Query]) -> None:
        plain = [query for query in queries if query.is_plain and not query.raises]
        expected = dict(zip(plain, self.in_one_scan(plain)))
        for query in queries:
            mode = random_mode(self.rng)
            answer = self.answered(query, mode)
            self.findings.queries += 1
            if query not in expected or expected[query] != answer:
                self.judge(query, mode, answer)

    def in_one_scan(self, queries: list[Query]) -> list[Answer]:
        """Evaluates the predicates as columns of one scan, which therefore filters nothing."""
        columns = ", ".join(
            f"struct(count_if({test}) n, sum(if({test}, {query.witness}, null)) s)"
            for query in queries
            for test in [query.tests[0].sql]
        )
        try:
            df = self.sessions.oracle(AS_IT_COMES).sql(f"select {columns} from {self.table.name}")
            return [[repr(pair)] for pair in df.collect()[0]]
        except (PySparkException, Py4JJavaError):
            return []  # each is then judged separately

    def answered(self, query: Query, mode: str) -> Answer:
        """Returns the contender's answer, and counts the row groups that it pruned."""
        planned = []

        def plan() -> DataFrame:
            planned.append(self.sessions.of(mode).sql(query.sql))
            return planned[0]

        answer = outcome(plan)
        if not isinstance(answer, str) and self.sessions.contender == "sbbf":
            scans = sbbf.explain(planned[0], show=False).scans
            self.findings.pruned += any(s.row_groups_kept < s.row_groups for s in scans)
            self.findings.paged += any(s.rows_skipped for s in scans)
            for scan in scans:
                self.findings.refuted.update(scan.refuted_by)
        return answer

    def right(self, sql: str, mode: str) -> Answer:
        return outcome(lambda: self.sessions.oracle(mode).sql(sql))

    def judge(self, query: Query, mode: str, answer: Answer) -> None:
        """Compares with the oracle in the contender's mode, and reports a difference."""
        right = self.right(query.sql, mode)
        if isinstance(right, str):
            both = isinstance(answer, str)
            (self.findings.both_failed if both else self.findings.oracle_failed)[right] += 1
            self.findings.examples.setdefault(right, query.sql[:300])
        elif right != answer:
            smallest = self.shrunk(query, mode)
            self.findings.differences.append(Difference(smallest, self.report(smallest, mode)))

    def differs(self, query: Query, mode: str) -> bool:
        right = self.right(query.sql, mode)
        return not isinstance(right, str) and self.contended(query.sql, mode) != right

    def contended(self, sql: str, mode: str) -> Answer:
        return outcome(lambda: self.sessions.of(mode).sql(sql))

    def shrunk(self, query: Query, mode: str) -> Query:
        for smaller in query.smaller():
            if self.differs(smaller, mode):
                return self.shrunk(smaller, mode)
        return query

    def report(self, query: Query, mode: str) -> str:
        """Returns everything needed to repeat the difference."""
        lines = [
            f"DIFFERENCE (seed {self.findings.seed}, table {self.number}, {mode})",
            f"query: {query.sql}",
            f"answer: {self.contended(query.sql, mode)}",
            f"right:  {self.right(query.sql, mode)}",
            *self.lost_rows(query, mode),
            *self.table.statements,
            ", ".join(f"{key}={value}" for key, value in self.table.conf.items()),
        ]
        return "\n  ".join(lines)

    def lost_rows(self, query: Query, mode: str) -> list[str]:
        """Returns the ids that differ by the query's predicate, with the writers of their files."""
        sql = f"select id from {self.table.name} where {query.tests[0].sql}"
        sides = self.contended(sql, mode), self.right(sql, mode)
        ids = [set(side) if isinstance(side, list) else set() for side in sides]
        found = []
        for what, some in (("lost", ids[1] - ids[0]), ("not there", ids[0] - ids[1])):
            for row in sorted(some)[:3]:
                number = int(row.removeprefix("Row(id=").removesuffix(")"))
                found.append(f"{what}: id {number}, by {self.table.writer_of(number)}")
        return found
