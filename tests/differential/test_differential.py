"""Do thousands of random queries answer with the extension as they do without any pushdown?"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from columns import COLUMNS, SCHEMA
from predicates import Predicates
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import session_with
from tables import Table, write_table

SEED = int(os.environ.get("SBBF_SEED", "20261121"))
TABLES = 6
QUERIES = int(os.environ.get("SBBF_QUERIES", "2000"))
BATCH = 40  # predicates that the oracle evaluates in one scan

MODES = {
    "as it comes": {},
    "row-based reader": {"spark.sql.parquet.enableVectorizedReader": "false"},
    "without the format swap": {"spark.sbbf.trimRowGroups": "false"},
    "many splits": {"spark.sql.files.maxPartitionBytes": "16384"},
}
SHARES = (5, 2, 3, 1)

Answer = list[tuple[int, int | None]]


@dataclass(frozen=True)
class Query:
    """`witness` is a column whose value travels with the id: rows must stay whole."""

    predicate: str
    witness: str
    mode: str


def queries(rng: random.Random, table: Table, count: int) -> list[Query]:
    predicates = Predicates(rng, table.values)
    modes = rng.choices(list(MODES), SHARES, k=count)
    names = [column.name for column in COLUMNS]
    return [Query(predicates.predicate(), rng.choice(names), mode) for mode in modes]


def right_answers(data: DataFrame, batch: list[Query]) -> list[Answer]:
    """Evaluates the predicates as columns of one scan, which therefore filters nothing."""
    marks = [
        f"sort_array(collect_list(if({q.predicate}, struct(id, hash({q.witness})), null)))"
        for q in batch
    ]
    (row,) = data.selectExpr(*(f"{mark} as q{n}" for n, mark in enumerate(marks))).collect()
    return [[tuple(pair) for pair in answer] for answer in row]


def answered(df: DataFrame) -> Answer:
    return sorted(tuple(row) for row in df.collect())


class Findings:
    """What the pruner did over all queries."""

    def __init__(self) -> None:
        self.queries = self.pruned = self.row_groups = self.kept = 0
        self.evidence: Counter[str] = Counter()

    def add(self, df: DataFrame) -> None:
        self.queries += 1
        for scan in sbbf.explain(df).scans:
            self.pruned += scan.row_groups_kept < scan.row_groups
            self.row_groups += scan.row_groups
            self.kept += scan.row_groups_kept
            self.evidence.update(scan.refuted_by)


@pytest.fixture(scope="module")
def findings() -> Findings:
    return Findings()


@pytest.fixture(scope="module")
def sessions(spark: SparkSession) -> dict[str, SparkSession]:
    return {mode: session_with(spark, conf) for mode, conf in MODES.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("differential")


@pytest.mark.parametrize("number", range(TABLES))
def test_answers_equal_the_oracle(
    number: int,
    folder: Path,
    oracle: SparkSession,
    sessions: dict[str, SparkSession],
    findings: Findings,
) -> None:
    rng = random.Random(f"{SEED}/{number}")
    table = write_table(oracle, folder / f"table-{number}", rng)
    asked = queries(rng, table, -(-QUERIES // TABLES))
    frames = {m: s.read.schema(SCHEMA).parquet(table.path) for m, s in sessions.items()}
    reference = oracle.read.schema(SCHEMA).parquet(table.path)
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        for query, expected in zip(batch, right_answers(reference, batch), strict=True):
            df = frames[query.mode].where(query.predicate)
            df = df.selectExpr("id", f"hash({query.witness})")
            assert answered(df) == expected, f"seed {SEED}, table {number}: {query}"
            findings.add(df)


def test_the_queries_did_prune(findings: Findings, say: Callable[[str], None]) -> None:
    say(f"seed {SEED}: {findings.queries} queries, {findings.pruned} of them pruned")
    say(f"{findings.kept} of {findings.row_groups} row groups kept, {dict(findings.evidence)}")
    assert findings.queries >= QUERIES
    assert findings.pruned > 0.3 * findings.queries
    for evidence in ("null count", "min/max", "dictionary", "bloom"):
        assert findings.evidence[evidence] > findings.queries / 20, evidence
