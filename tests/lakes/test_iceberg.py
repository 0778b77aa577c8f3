"""Tests that lookups and joins in Iceberg tables plan only the files that may hold a key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from iceberg_session import NAMES, PACKAGES, TABLES, VERSION
from lake_scripts import FALSE_FILES, FILES, by_case, check_histories, run
from lake_session import LINE

pytestmark = pytest.mark.skipif(
    LINE not in PACKAGES, reason=f"Iceberg has builds for {', '.join(PACKAGES)}, not for {LINE}"
)
ON_READ = [name for name, (mode, _) in TABLES.items() if mode == "merge-on-read"]
"""The tables whose commands leave files as they are, and write which rows are deleted."""
HIDDEN = ("bucket", "truncate", "months", "identity", "two")

# The files that the scan reads: with a filter of FPP 0.01 now and then one more than hold a key.
READ_OF_CASE = {
    "key": 1,
    "key again": 1,
    "absent key": 0,
    "null-safe key": 1,
    "in": 2,
    "nested key": 1,
    "aggregate": 1,
    "two keys": 2,
    "key of a string": 1,
    "isnan": 1,
    "view": 1,
    "without adaptive execution": 1,
    "row by row": 1,
    "case-sensitive": 1,
    "case-insensitive": 1,
    **{f"type: {n}": 1 for n in NAMES if n not in ("seq", "day", "st", "zero", "ratio")},
    "file name": 1,
    "distributed: key": 1,
    "audited: on the branch": 1,
    "audited: on main": 0,
    "cases: lower": 1,
    "cases: upper": 1,
    "cases: absent": 0,
    "partitioned": 1,
    "of another day": 0,
    "snapshot: 777": 1,
    "snapshot: 200000": 0,
    "tag: 777": 1,
    "tag: 100000": 0,
    "branch: 200000": 1,
    "branch: deleted": 0,
    "named branch": 1,
    "time": 1,
    "now: deleted": 0,
    "now: added": 1,
    "rolled back": 1,
    "rolled back: added": 0,
    **{f"{name}: key": 1 for name in TABLES},
    **{f"{name}: deleted": int(name in ON_READ) for name in TABLES},
    **{f"{name}: beside": 1 for name in TABLES},
    **{f"{name}: before": 1 for name in TABLES},
    **{f"{name}: updated": 1 + (name in ON_READ) for name in TABLES},
    **{f"{name}: before the rewrite": 1 for name in TABLES},
    "swapped: key": 1,
    "renamed: key": 1,
    "renamed: added": 0,
    "renamed: added, NULL": 1,
    "renamed: nested": 1,
    "renamed: nested, renamed": 1,
    "reordered": 1,
    "dotted": 1,
    "replaced: key": 0,
    "replaced: new key": 1,
    "promoted: small": 1,
    "promoted: part": 1,
    "promoted: cents": 1,
    "promoted: price": 1,
    "promoted: small, both types": 2,
    "default: top of key": 1,
    "default: st.inner of key": 1,
    "default: none": 0,
    **{f"hidden: {name}": 1 for name in HIDDEN},
    **{f"hidden: {name}, nested": 1 for name in HIDDEN},
    "evolved: 777": 1,
    "evolved: -777": 0,
    "metadata: file": 1,
    "metadata: position": 1,
    "names: key": 1,
    "list": 1,
    "map": 1,
    "key of a map": 1,
    "field of a list": 1,
    "some field of a list, swapped": 1,
    "equality: deleted": 1,
    "equality: beside": 1,
    "equality: again": 2,
    "incremental from: 777": 0,
    "incremental from: 10001": 1,
    "incremental between: 10001": 1,
}
LATE_OF_CASE = {
    "join": 3,
    "in subquery": 3,
    "exists": 3,
    "scalar subquery": 1,
    "late nested key": 3,
    "late file and keys": 3,
    "file name and late keys": 3,
    **{f"late: {n}": 1 for n in NAMES if n not in ("seq", "day", "st", "zero", "ratio")},
    **{f"{name}: join": 3 for name in ON_READ},
    "swapped: join": 3,
    "promoted: small, late": 2,
    "hidden: two, join": 3,
    "evolved: join": 3,
    "equality: join": 3,
    "incremental: late": 1,
}
SHARED_OF_CASE = {
    "union": [1, 1],
    "union of aggregates": [1, 1],
    "union of a frame": [1, 1],
    "self-join": [1, 1],
    "self-join without adaptive execution": [1, 1],
    "broadcast self-join": [1, 1],
}
ALONE_OF_CASE = {
    "switched off": "spark.sbbf.iceberg.enabled is false",
    "no filter": "no filter reaches the scan",
    "cached whole": "cached by the session",
    "changelog: 777": "read through DataSource V2: SparkChangelogScan plans its files by itself",
}
# Before 1.12, Iceberg's own filters of row groups take a default for NULL, and find no row.
HAS_DEFAULTS = VERSION is not None and VERSION >= (1, 12, 0)
DEFAULTS = {"default: top": 1000, "default: st.inner": 1000} if HAS_DEFAULTS else {}
ROWS_OF_CASE = {
    "scale: join": 1,
    "scale: subquery": 1,
    "zones: ntz": 1,
    "zones: utc": 1,
    **DEFAULTS,
    "key": 1,
    "absent key": 0,
    "in": 2,
    "join": 3,
    "self-join": 1,
    "dynamic: key": 1,
    "now: deleted": 0,
    "branch: deleted": 0,
    "branch: 200000": 1,
    **{f"{name}: deleted": 0 for name in TABLES},
    **{f"{name}: deleted again": 0 for name in TABLES},
    **{f"{name}: before": 1 for name in TABLES},
    **{f"{name}: before the rewrite": 1 for name in TABLES},
    **{f"{name}: merged": 2 for name in TABLES},
    **{f"{name}: whole after DELETE": 999 for name in TABLES},
    **{f"{name}: whole after second DELETE": 998 for name in TABLES},
    **{f"{name}: whole after UPDATE": 998 for name in TABLES},
    **{f"{name}: whole after DELETE by a subquery": 996 for name in TABLES},
    **{f"{name}: whole after MERGE": 997 for name in TABLES},
    **{f"{name}: whole after rewrite": 997 for name in TABLES},
    "audited: on the branch": 1,
    "audited: on main": 0,
    "swapped: key": 1,
    "replaced: key": 0,
    "replaced: nested": 0,
    "field of a list, replaced": 0,
    "equality: deleted": 0,
    "equality: whole": 998,
    "equality: again": 1,
    "stream": 1,
    "orc: key": 1,
    "avro and parquet: old": 1,
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("iceberg")
    return by_case(run("iceberg_tables.py", PACKAGES[LINE], str(folder), str(FILES)))


def test_every_case_answers_as_the_oracle(answers: dict[str, Any]) -> None:
    assert len(answers) > (300 if "SBBF_GATE" in os.environ else 400)
    compared = [answer for answer in answers.values() if "case" in answer]
    assert [a["case"] for a in compared if a["rows"] != a["oracle"]] == []


@pytest.mark.parametrize("case", READ_OF_CASE)
def test_the_scan_reads_only_files_that_may_hold_a_key(answers: dict[str, Any], case: str) -> None:
    answer, expected = answers[case], READ_OF_CASE[case]
    kept, files = answer["kept"]
    assert expected <= kept <= expected + FALSE_FILES and files >= 10
    assert answer["read"] == [kept]
    assert answer["unpruned"] == []


@pytest.mark.parametrize("case", LATE_OF_CASE)
def test_keys_that_come_late_prune_the_files_of_a_table(answers: dict[str, Any], case: str) -> None:
    answer, expected = answers[case], LATE_OF_CASE[case]
    kept, files = answer["kept"]
    assert len(answer["late_keys"]) == 1
    assert files >= 20 and expected <= kept <= expected + FALSE_FILES and kept in answer["read"]


@pytest.mark.parametrize("case", SHARED_OF_CASE)
def test_each_of_several_reads_of_a_table_is_pruned_by_its_own_keys(
    answers: dict[str, Any], case: str
) -> None:
    assert answers[case]["read"] == SHARED_OF_CASE[case]


@pytest.mark.parametrize("command", ["DELETE", "UPDATE"])
@pytest.mark.parametrize("table", TABLES)
def test_a_command_searches_only_files_that_may_match(
    answers: dict[str, Any], table: str, command: str
) -> None:
    kept = answers[f"{table}: {command}"]["kept"]
    assert kept and max(kept) <= 2 < 20 <= max(answers[f"{table}_twin: {command}"]["kept"])


def test_the_optimizer_gets_the_size_of_what_is_left(answers: dict[str, Any]) -> None:
    assert answers["key"]["size"] * 10 < answers["switched off"]["size"]


def test_evidence_of_files_stays_in_memory(answers: dict[str, Any]) -> None:
    assert answers["key"]["bytes_read"] > 0 == answers["key again"]["bytes_read"]


@pytest.mark.parametrize("case", ROWS_OF_CASE)
def test_a_change_leaves_the_rows_that_it_should(answers: dict[str, Any], case: str) -> None:
    assert len(answers[case]["rows"]) == ROWS_OF_CASE[case]


@pytest.mark.parametrize("case", ALONE_OF_CASE)
def test_a_scan_that_is_left_alone_is_reported_with_the_reason(
    answers: dict[str, Any], case: str
) -> None:
    answer = answers[case]
    assert answer["kept"] is None
    assert ALONE_OF_CASE[case] in answer["unpruned"]


@pytest.mark.parametrize("case", ["block", "orc: key", "avro: key", "table of files"])
def test_a_scan_that_cannot_be_pruned_reads_all(answers: dict[str, Any], case: str) -> None:
    answer = answers[case]
    assert answer["kept"] is None and answer["read"] and answer["read"] == answer["oracle_read"]
    assert "failed" not in str(answer["unpruned"])


def test_files_of_other_formats_stay_beside_pruned_ones(answers: dict[str, Any]) -> None:
    for kind in ("orc", "avro"):
        old, new = answers[f"{kind} and parquet: old"], answers[f"{kind} and parquet: new"]
        assert old["kept"] == [0, 20] and new["kept"][0] in (1, 2)
        assert old["read"] == [20] and new["read"] == [20 + new["kept"][0]]


def test_files_without_ids_are_all_read(answers: dict[str, Any]) -> None:
    for name in ("mapped", "unmapped", "lacking"):
        key = "join" if name == "lacking" else "key"
        kept, files = answers[f"{name}: {key}"]["kept"]
        assert kept == files >= 20


def test_timestamps_are_compared_by_the_table_whatever_a_file_says_of_utc(
    answers: dict[str, Any],
) -> None:
    assert answers["zones: ntz"]["kept"] == answers["zones: utc"]["kept"] == [1, 4]


def test_the_report_names_columns_as_the_table_does(answers: dict[str, Any]) -> None:
    assert answers["renamed: nested, renamed"]["predicate"] == "st.c = ?"
    assert answers["renamed: key"]["predicate"] == "uid = ?"


def test_a_stream_reads_every_row(answers: dict[str, Any]) -> None:
    read = answers["stream"]["input"]
    assert read["true"] == read["false"] > 0


@pytest.mark.full
def test_random_histories_of_tables_answer_as_the_oracle(tmp_path: Path) -> None:
    check_histories("iceberg_histories.py", PACKAGES[LINE], tmp_path)
