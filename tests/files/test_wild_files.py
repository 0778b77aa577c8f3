"""Tests files that other packages wrote: their rows, what a scan reads, and what prunes.

Each holds the even ids below 4,000, shuffled, and their names, with filters of both columns. The
script beside a file made it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from harness import (
    INTERPRETED,
    SUPPORT,
    only_scan,
    rows,
    rows_per_row_group,
    rows_returned,
    session_with,
)
from spark_sbbf.report import ScanReport

WILD = SUPPORT / "files" / "wild"
IDS = [2 * (row * 7919 % 2000) for row in range(2000)]
# No bounds refute these: every row group has lower and higher ids and names.
PRESENT = [id for id in IDS if 1100 < id < 3900][::35]
ABSENT = [id + 1 for id in PRESENT]

AT_ONCE = 15  # queries of one union; Spark 3.5 plans those of more than 30 in cubic time


@dataclass(frozen=True)
class Wild:
    """States what a file has."""

    row_groups: int
    kept: tuple[int, int]
    """Row groups that might hold 40 absent ids, and 40 absent names, in all."""
    rejected: str | None = None
    """Why its filters are rejected; None for valid ones."""
    misordered: tuple[str, ...] = ()
    """Columns with bounds in the order of UTF-16, by which Spark alone loses rows."""


FILES = {
    "arrow-go-adaptive": Wild(4, (160, 160), rejected="sizes disagree"),
    "carquet": Wild(1, (0, 0)),
    "hyparquet-writer": Wild(4, (0, 0)),
    "parquet-go-gzip": Wild(4, (160, 160), rejected="unknown compression"),
    "parquetjs": Wild(4, (160, 160), rejected="damaged header", misordered=("name",)),
    "questdb": Wild(4, (0, 0)),
    "rugo": Wild(8, (1, 1)),
    "sail": Wild(4, (4, 4)),
    "trino": Wild(4, (4, 4)),
}


def literal(column: str, id: int) -> str:
    return str(id) if column == "id" else f"'n{id}'"


def lookups(column: str) -> list[str]:
    """Returns predicates that filters decide, and no bounds."""
    present, absent = ([literal(column, id) for id in ids] for ids in (PRESENT, ABSENT))
    return [
        *(f"{column} = {value}" for value in present[:2] + absent[:2]),
        f"{column} in ({', '.join(present)})",
        f"{column} in ({', '.join(absent)})",
        f"{column} in ({present[0]}, {', '.join(absent[:3])})",
    ]


def ranges(column: str) -> list[str]:
    """Returns predicates that bounds and counts of nulls decide."""
    least, greatest = ("0", "3998") if column == "id" else ("'n0'", "'n998'")
    middle, next_one = literal(column, 2000), literal(column, 2010)
    return [
        f"{column} <> {middle}",
        f"{column} < {least}",
        f"{column} >= {greatest}",
        f"{column} between {middle} and {next_one}",
        f"{column} is null",
        f"{column} is not null",
    ]


def of_both_columns() -> list[str]:
    here, gone = PRESENT[0], ABSENT[0]
    return [
        f"id = {here} and name = 'n{here}'",
        f"id = {gone} or name = 'n{here}'",
        f"id > 3900 and name = 'n{gone}'",
    ]


LOOKUPS = [*lookups("id"), *lookups("name"), *of_both_columns()]
PREDICATES = [*LOOKUPS, *ranges("id"), *ranges("name")]


@dataclass(frozen=True)
class Case:
    """Holds what the three sessions did for a predicate."""

    predicate: str
    expected: list[Any]
    """The rows that the oracle finds."""
    on: list[Any]
    off: list[Any]
    returned: int
    """Rows that the scan returned to Spark's filter, with the extension."""
    returned_alone: int
    scan: ScanReport

    def uses(self, columns: tuple[str, ...]) -> bool:
        return any(f"{column} " in self.predicate for column in columns)


@dataclass(frozen=True)
class Seen:
    name: str
    known: Wild
    cases: list[Case]

    @property
    def misleads_spark(self) -> bool:
        """Whether Spark alone loses rows by the file's filters."""
        return any(case.off != case.expected for case in self.cases)


def returned_by_scans(df: DataFrame) -> list[int]:
    plan = df._jdf.queryExecution().executedPlan()
    if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
        plan = plan.executedPlan()
    leaves = plan.collectLeaves()
    metrics = (leaves.apply(n).metrics() for n in range(leaves.size()))
    return [int(found.apply("numOutputRows").value()) for found in metrics]


def answers(
    session: SparkSession, file: Path, scans: list[ScanReport] | None = None
) -> tuple[list[Any], list[int]]:
    """Returns the rows of each predicate and how many its scan returned, and adds its report."""
    session.read.parquet(str(file)).createOrReplaceTempView("wild")
    found, returned = [], []
    for start in range(0, len(PREDICATES), AT_ONCE):
        predicates = PREDICATES[start : start + AT_ONCE]
        df = session.sql(
            " union all ".join(
                f"select {n} as query, id, name from wild where {predicate}"
                for n, predicate in enumerate(predicates)
            )
        )
        collected = df.collect()
        for n in range(len(predicates)):
            found.append(sorted((id, name) for query, id, name in collected if query == n))
        returned += returned_by_scans(df)
        if scans is not None:
            scans += sbbf.explain(df, show=False).scans
    return found, returned


def expected(oracle: SparkSession, file: Path) -> list[Any]:
    """Returns the rows of each predicate, which the oracle evaluates for every row in one scan."""
    holds = [f"{predicate} as p{n}" for n, predicate in enumerate(PREDICATES)]
    table = oracle.read.parquet(str(file)).selectExpr("id", "name", *holds).collect()
    return [sorted((row[0], row[1]) for row in table if row[2 + n]) for n in range(len(PREDICATES))]


@dataclass(frozen=True)
class Sessions:
    """Holds sessions that take less time for small queries."""

    on: SparkSession
    off: SparkSession
    """Spark alone, with its own pushdown."""
    oracle: SparkSession


def sessions_with(spark: SparkSession, conf: dict[str, str]) -> Sessions:
    off = {"spark.sbbf.enabled": "false"}
    settings = ({}, off, {**off, "spark.sql.parquet.filterPushdown": "false"})
    return Sessions(*(session_with(spark, {**INTERPRETED, **conf, **own}) for own in settings))


@pytest.fixture(scope="module")
def sessions(spark: SparkSession) -> Sessions:
    return sessions_with(spark, {})


@pytest.fixture(scope="module", params=FILES)
def seen(request: pytest.FixtureRequest, sessions: Sessions) -> Seen:
    file = WILD / f"{request.param}.parquet"
    scans: list[ScanReport] = []
    on, returned = answers(sessions.on, file, scans)
    off, returned_alone = answers(sessions.off, file)
    right = expected(sessions.oracle, file)
    columns = (PREDICATES, right, on, off, returned, returned_alone, scans)
    cases = [Case(*values) for values in zip(*columns, strict=True)]
    return Seen(request.param, FILES[request.param], cases)


def test_every_file_holds_the_table_and_filters_of_both_columns_and_has_its_script() -> None:
    stored = {path.stem for path in WILD.iterdir()}
    assert stored == {*FILES, "parquetjs-text"}
    assert all((WILD / f"{name}.sh").is_file() for name in stored)
    for name, known in FILES.items():
        parquet = pq.ParquetFile(WILD / f"{name}.parquet")
        table = parquet.read()
        assert table["id"].to_pylist() == IDS, name
        assert table["name"].to_pylist() == [f"n{id}" for id in IDS], name
        groups = [parquet.metadata.row_group(n) for n in range(parquet.num_row_groups)]
        offsets = [group.column(n).bloom_filter_offset for group in groups for n in (0, 1)]
        assert len(groups) == known.row_groups and all(offsets), name


def test_lookups_and_ranges_find_the_rows_of_the_oracle(seen: Seen) -> None:
    for case in seen.cases:
        assert case.on == case.expected, case.predicate


def test_a_scan_returns_at_most_the_rows_of_spark_alone_unless_filters_mislead_it(
    seen: Seen, say: Callable[[str], None]
) -> None:
    for case in seen.cases:
        misled = seen.misleads_spark and case.predicate in LOOKUPS
        if not misled and not case.uses(seen.known.misordered):
            assert case.returned <= case.returned_alone, case.predicate
    assert seen.misleads_spark <= (seen.name == "arrow-go-adaptive")
    on, off = (sum(getattr(case, f) for case in seen.cases) for f in ("returned", "returned_alone"))
    lost = sum(len(case.expected) - len(case.off) for case in seen.cases)
    say(f"{seen.name}: scans return {on:,} rows, {off:,} in Spark alone, which loses {lost} rows")


def test_filters_alone_refute_an_absent_key_and_rejected_ones_are_named(seen: Seen) -> None:
    groups, reason = seen.known.row_groups, seen.known.rejected
    absent = {f"{c} = {literal(c, id)}" for c in ("id", "name") for id in ABSENT}
    cases = [case for case in seen.cases if case.predicate in absent]
    assert len(cases) == 4
    for case in cases:
        scan = case.scan
        if reason is None:
            assert scan.row_groups_kept <= 1, case.predicate
            assert scan.refuted_by == {"bloom": groups - scan.row_groups_kept}, case.predicate
            assert scan.filters_rejected == {}
        else:
            assert scan.row_groups_kept == groups, case.predicate
            assert scan.filters_rejected == {reason: groups}
            assert scan.kept_because == {f"filter rejected: {reason}": groups}
            assert f"rejected      filters: {reason} {groups}" in str(scan)


def test_absent_keys_keep_the_row_groups_of_the_table(
    sessions: Sessions, say: Callable[[str], None]
) -> None:
    files = f"{WILD}/{{{','.join(FILES)}}}.parquet"
    names = [f"n{id}" for id in ABSENT]
    kept = [
        Counter(Path(row.file_name).stem for row in sbbf.probe(sessions.on, files, *keys).collect())
        for keys in (("id", ABSENT), ("name", names))
    ]
    found = {name: (kept[0][name], kept[1][name]) for name in FILES}
    for name, (ids, of_names) in found.items():
        of = 40 * FILES[name].row_groups
        say(f"{name}: of {of} row groups, absent ids keep {ids} and absent names {of_names}")
    assert found == {name: known.kept for name, known in FILES.items()}


@pytest.mark.parametrize("name", FILES)
def test_splits_smaller_than_a_row_group_read_each_one_once(spark: SparkSession, name: str) -> None:
    file = WILD / f"{name}.parquet"
    size = file.stat().st_size // 5
    small = {"spark.sql.files.maxPartitionBytes": f"{size}", "spark.sql.files.openCostInBytes": "1"}
    of = sessions_with(spark, small)
    assert of.on.read.parquet(str(file)).rdd.getNumPartitions() > 4
    for predicate in ("id >= 0", lookups("name")[0]):
        scans = [
            session.read.parquet(str(file)).where(predicate)
            for session in (of.on, of.off, of.oracle)
        ]
        on, _, expected = (rows(df) for df in scans)
        assert on == expected, predicate
        if FILES[name].rejected is None:
            assert rows_returned(scans[0]) <= rows_returned(scans[1]), predicate


def test_a_field_and_a_column_of_one_dotted_path_find_the_rows_of_the_oracle(
    sessions: Sessions, tmp_path: Path
) -> None:
    folder = str(tmp_path / "twins")
    ids = sessions.off.range(0, 2000, 1, 1).selectExpr("2 * (id * 7919 % 2000) as id")
    twins = ("named_struct('b', id) as a", "id + 1000001 as `a.b`", "concat('n', id) as name")
    options = {
        "parquet.bloom.filter.enabled": "true",
        "parquet.bloom.filter.expected.ndv": "500",
        "parquet.enable.dictionary": "false",
        **rows_per_row_group(500),
    }
    ids.selectExpr(*twins).write.options(**options).parquet(folder)

    def table(session: SparkSession) -> DataFrame:
        return session.read.schema("a struct<b: bigint>, `a.b` bigint, name string").parquet(folder)

    lost = 0
    for column, low in (("a.b", 0), ("`a.b`", 1000001)):
        here, gone = PRESENT[0] + low, ABSENT[0] + low
        several = ", ".join(str(id + low) for id in PRESENT)
        for predicate, count in {
            f"{column} = {here}": 1,
            f"{column} = {gone}": 0,
            f"{column} in ({several})": 40,
            f"{column} < {low + 100}": 50,
        }.items():
            found, alone, expected = (
                rows(table(session).where(predicate))
                for session in (sessions.on, sessions.off, sessions.oracle)
            )
            assert found == expected and len(found) == count, predicate
            lost += count - len(alone)
        scan = only_scan(table(sessions.on).where(f"{column} = {gone}"))
        assert scan.row_groups_kept == 4
        assert scan.filters_rejected == {"another column has the same dotted path": 4}
    assert lost > 0, "Spark alone finds all rows: the behaviour has changed"
    other = only_scan(table(sessions.on).where(f"name = 'n{ABSENT[0]}'"))
    assert other.row_groups_kept == 0 and other.refuted_by == {"bloom": 4}


def test_an_int64_with_a_length_in_the_schema_is_pruned_where_spark_alone_reads_all_rows(
    sessions: Sessions,
) -> None:
    file = WILD.parent / "parquet-go.parquet"
    stored = pq.read_table(file, columns=["i64"])["i64"].to_pylist()
    absent = [value + 1 for value in stored[::20] if value + 1 not in stored]
    assert len(absent) == 6
    returned = []
    for session in (sessions.on, sessions.off):
        table = session.read.schema("i64 bigint").parquet(str(file))
        scans = [table.where(f"i64 = {value}") for value in absent]
        assert [df.collect() for df in scans] == [[]] * 6
        returned.append([rows_returned(df) for df in scans])
    assert returned == [[0] * 6, [len(stored)] * 6]


def test_texts_with_bounds_in_the_order_of_utf_16_are_found_where_spark_alone_loses_them(
    sessions: Sessions,
) -> None:
    file = str(WILD / "parquetjs-text.parquet")
    predicates = ("name = '\U0001f600'", "name > '\uff5e'", "name <> 'a'", "name = '\uff5e'")
    counts = [
        [len(session.read.parquet(file).where(predicate).collect()) for predicate in predicates]
        for session in (sessions.on, sessions.off, sessions.oracle)
    ]
    assert counts == [[1, 1, 2, 1], [0, 0, 2, 1], [1, 1, 2, 1]]
