"""Tests that a lookup plans exactly the row groups that evidence cannot refute."""

from __future__ import annotations

import math
import os
import random
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import event_log
import spark_sbbf as sbbf
from harness import explain_text, input_files, only_scan, session_with, tasks_of
from twin import RowGroup, read_row_groups

pytestmark = pytest.mark.full

FILES = 1_000
COLUMNS = ("user_id", "trace_id")
KEYS = 200
SEED = int(os.environ.get("SBBF_SEED", "20261121"))


@dataclass(frozen=True)
class Key:
    column: str
    value: int | str
    present: bool


@dataclass(frozen=True)
class Lookup:
    """The row groups and tasks of one key, by the extension and by the twin."""

    key: Key
    expected: list[RowGroup]
    kept: int
    files: list[str]
    refuted_by: dict[str, int]
    rows: int
    tasks: int

    @property
    def expected_files(self) -> list[str]:
        return sorted({group.file for group in self.expected})


class EventLog:
    def __init__(self, spark: SparkSession, path: str):
        self.spark, self.path = spark, path
        self.table = spark.read.parquet(path)
        self.row_groups = {column: read_row_groups(path, column) for column in COLUMNS}
        self.keys = self._keys(random.Random(SEED))

    def _keys(self, rng: random.Random) -> list[Key]:
        rows = FILES * event_log.ROW_GROUPS_PER_FILE * event_log.ROWS_PER_ROW_GROUP
        drawn = self.table.where(F.col("seq").isin(rng.sample(range(rows), KEYS))).collect()
        present = [Key(c, row[c], True) for row, c in zip(drawn, COLUMNS * KEYS, strict=False)]
        absent = [
            Key("user_id", rng.randrange(-(2**63), 2**63), False)
            if n % 2
            else Key("trace_id", f"{rng.randrange(2**128):032x}", False)
            for n in range(KEYS)
        ]
        return present + absent

    def look_up(self, column: str, value: int | str) -> DataFrame:
        return self.table.where(F.col(column) == F.lit(value))

    def expected(self, column: str, value: int | str) -> list[RowGroup]:
        return [group for group in self.row_groups[column] if group.might_hold(value)]

    @cached_property
    def lookups(self) -> list[Lookup]:
        return [self._measure(key) for key in self.keys]

    def _measure(self, key: Key) -> Lookup:
        df = self.look_up(key.column, key.value)
        answer, tasks = tasks_of(self.spark, df.collect)
        scan = only_scan(df)
        return Lookup(
            key,
            self.expected(key.column, key.value),
            scan.row_groups_kept,
            input_files(df),
            dict(scan.refuted_by),
            len(answer),
            tasks,
        )

    def key_of_one_row_group(self) -> Lookup:
        return next(look for look in self.lookups if look.key.present and look.kept == 1)


@pytest.fixture(scope="module")
def log(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> EventLog:
    return EventLog(spark, event_log.write(spark, tmp_path_factory.mktemp("log"), FILES))


def test_the_log_is_as_the_other_tests_assume(log: EventLog) -> None:
    for groups in log.row_groups.values():
        assert len(groups) == FILES * event_log.ROW_GROUPS_PER_FILE
        assert all(group.filter is not None for group in groups)
        rates = [group.filter.false_positive_rate for group in groups]
        assert 0.8 * event_log.FPP < statistics.mean(rates) < 1.25 * event_log.FPP
    assert len({key.value for key in log.keys}) == 2 * KEYS


def test_every_key_keeps_exactly_the_row_groups_that_the_twin_would_keep(log: EventLog) -> None:
    for look in log.lookups:
        assert look.kept == len(look.expected), look.key
        assert look.files == look.expected_files, look.key
        assert (look.rows > 0) == look.key.present, look.key


def test_probe_names_the_same_row_groups_as_the_twin(log: EventLog) -> None:
    for look in log.lookups[:3] + log.lookups[KEYS : KEYS + 3]:
        probed = sbbf.probe(log.spark, log.path, look.key.column, look.key.value)
        kept = (
            probed.where("verdict <> 'cannot_match'").select("file_name", "row_group_id").collect()
        )
        named = {(Path(row.file_name).name, row.row_group_id) for row in kept}
        assert named == {(group.file, group.ordinal) for group in look.expected}
        assert probed.count() == FILES * event_log.ROW_GROUPS_PER_FILE


def test_false_positives_stay_within_the_binomial_bound_of_the_real_rate(
    log: EventLog, say: Callable[[str], None]
) -> None:
    rate = {c: sum(g.filter.false_positive_rate for g in log.row_groups[c]) for c in COLUMNS}
    expected = sum(rate[look.key.column] for look in log.lookups)
    found = sum(look.kept - look.key.present for look in log.lookups)
    bound = 5 * math.sqrt(expected) + 1  # of a sum of rare independent events, about Poisson
    say(f"seed {SEED}: {found} row groups kept falsely, {expected:.1f} expected (+- {bound:.1f})")
    assert abs(found - expected) <= bound


def test_a_present_key_costs_one_task_and_an_absent_one_none(
    log: EventLog, say: Callable[[str], None]
) -> None:
    present = [look for look in log.lookups if look.key.present]
    absent = [look for look in log.lookups if not look.key.present]
    for name, looks in (("present", present), ("absent", absent)):
        kept = dict(sorted(Counter(look.kept for look in looks).items()))
        tasks = dict(sorted(Counter(look.tasks for look in looks).items()))
        say(f"{len(looks)} {name} keys: row groups kept {kept}, tasks {tasks}")
    evidence = sum((Counter(look.refuted_by) for look in log.lookups), Counter())
    say(f"row groups refuted by {dict(evidence)}")
    assert statistics.median(look.tasks for look in present) == 1
    assert statistics.median(look.tasks for look in absent) == 0
    assert all((look.tasks == 0) == (look.kept == 0) for look in log.lookups)
    assert set(evidence) <= {"null_count", "min_max", "dictionary", "bloom"}
    # no trace id of the log begins with 0, so one absent trace id in 16 lies below all of them
    assert evidence["bloom"] > 0.95 * sum(evidence.values())


def test_explain_says_what_was_kept(log: EventLog) -> None:
    key = log.key_of_one_row_group().key
    df = log.look_up(key.column, key.value)
    kept = "kept 1 of 4,000 row groups in 1 of 1,000 files"
    assert kept in explain_text(df, "simple")
    assert "PrunedFileIndex" in explain_text(df, "simple")
    assert only_scan(df).summary.startswith(kept)


def test_a_list_of_keys_keeps_what_any_of_them_keeps(log: EventLog) -> None:
    for look in (log.lookups[::40], log.lookups[:KEYS:5]):
        values = [item.key.value for item in look if item.key.column == "user_id"]
        df = log.table.where(F.col("user_id").isin(values))
        expected = [g for g in log.row_groups["user_id"] if any(map(g.might_hold, values))]
        assert only_scan(df).row_groups_kept == len(expected)
        assert {row.user_id for row in df.collect()} == {
            item.key.value for item in look if item.key.present and item.key.column == "user_id"
        }


def test_a_file_cut_into_a_hundred_splits_runs_one_task_for_one_row_group(
    log: EventLog, spark_alone: SparkSession
) -> None:
    look = log.key_of_one_row_group()
    (name,) = look.files
    file = str(Path(log.path) / name)
    small = {"spark.sql.files.maxPartitionBytes": str(Path(file).stat().st_size // 100)}
    condition = F.col(look.key.column) == F.lit(look.key.value)

    def tasks(session: SparkSession) -> int:
        answer, count = tasks_of(session, session.read.parquet(file).where(condition).collect)
        assert len(answer) == look.rows
        return count

    assert tasks(session_with(spark_alone, {**small, "spark.sbbf.enabled": "false"})) >= 100
    assert tasks(session_with(log.spark, small)) == 1
