"""Tests that the names of Delta and Iceberg tables stand for the files of their snapshots."""

from __future__ import annotations

from typing import Any

import pytest

from lake_scripts import by_case, run
from lake_session import LINE
from lake_tables import LINES

pytestmark = pytest.mark.skipif(
    LINE not in LINES,
    reason=f"tested on Sparks that Delta and Iceberg support, {', '.join(LINES)}, not on {LINE}",
)
Answer = dict[str, Any]
CHANGED = ("new", "changed", "rewritten")
CASES = (
    *(f"{name}: {state}" for name in ("delta", "iceberg") for state in CHANGED),
    "delta: default.events",
    "delta: spark_catalog.default.events",
    "delta: delta.",
    "delta: version",
    "delta: mapped_name",
    "delta: mapped_name, swapped",
    "delta: mapped_name, nested",
    "delta: mapped_id",
    "delta: mapped_id, swapped",
    "delta: mapped_id, nested",
    "delta: partitioned",
    "iceberg: version",
    "iceberg: current catalog",
    "iceberg: session catalog",
    "iceberg: renamed",
    "iceberg: renamed, swapped",
    "iceberg: renamed, nested",
    "iceberg: partitioned",
)
UNKNOWN = ("default.nothing", "ice.db.nothing", "nowhere.db.nothing", "delta.`/nothing`")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """The cases of lake_tables.py by their names."""
    folder = tmp_path_factory.mktemp("lake-tables")
    return by_case(run("lake_tables.py", "the packages of Delta and Iceberg", str(folder)))


@pytest.mark.parametrize("case", CASES)
def test_a_name_stands_for_the_files_that_queries_read(
    answers: dict[str, Answer], case: str
) -> None:
    answer = answers[case]
    probed = [{name for name, _ in probe} for probe in answer["probes"]]
    assert all(files == set(answer["queried"]) for files in probed)
    assert set(answer["files"]) <= set(answer["queried"])


@pytest.mark.parametrize("case", CASES)
def test_sql_and_python_give_the_same(answers: dict[str, Answer], case: str) -> None:
    assert answers[case]["same_in_sql"]


@pytest.mark.parametrize("case", CASES)
def test_a_probe_never_rules_out_a_file_that_holds_the_value(
    answers: dict[str, Answer], case: str
) -> None:
    for probe, held in zip(answers[case]["probes"], answers[case]["held"]):
        kept = {name for name, verdict in probe if verdict == "might_match"}
        assert set(held) <= kept


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_files_that_a_table_no_longer_has_are_not_listed(
    answers: dict[str, Answer], name: str
) -> None:
    new, changed, rewritten = (answers[f"{name}: {state}"] for state in CHANGED)
    assert new["files"] == new["queried"] and len(new["files"]) >= 1
    assert set(rewritten["files"]).isdisjoint(new["files"])
    assert changed["files"] != new["files"]
    assert answers[f"{name}: version"]["files"] == new["files"]


def test_a_folder_lists_also_files_that_the_table_no_longer_has(
    answers: dict[str, Answer],
) -> None:
    files = set(answers["delta: folder"]["files"])
    for state in CHANGED:
        assert set(answers[f"delta: {state}"]["files"]) <= files


@pytest.mark.parametrize("case", CASES)
def test_a_probe_finds_the_column_of_the_table(answers: dict[str, Answer], case: str) -> None:
    answer = answers[case]
    absent = answer["probes"][-1]
    assert not answer["held"][-1]
    assert {verdict for _, verdict in absent} == {"cannot_match"}


def test_a_renamed_column_is_found_by_its_id_in_old_and_new_files(
    answers: dict[str, Answer],
) -> None:
    for case in ("iceberg: renamed", "iceberg: renamed, swapped", "iceberg: renamed, nested"):
        answer = answers[case]
        for probe, held in zip(answer["probes"], answer["held"]):
            kept = {name for name, verdict in probe if verdict == "might_match"}
            assert kept == set(held), case
    assert len(answers["iceberg: renamed"]["columns"]) == 2  # as the files name it


@pytest.mark.parametrize("case", CASES)
def test_advice_names_the_columns_of_the_table(answers: dict[str, Answer], case: str) -> None:
    advice = answers[case]["advice"]
    names = {"seq", "key", "day"}
    if "mapped" in case or "renamed" in case:
        names = {"key", "uid", "day", "st.a", "tags.element"}
    if "partitioned" in case:
        names.remove("day")
    assert set(advice) == names
    assert all(row["row_groups"] > 0 for row in advice.values())


def test_advice_has_the_properties_of_the_format(answers: dict[str, Answer]) -> None:
    advised = [
        (case, column, row)
        for case in CASES
        for column, row in answers[case]["advice"].items()
        if row["advice"] in ("add", "replace")
    ]
    assert {case.split(":")[0] for case, _, _ in advised} == {"delta", "iceberg"}
    for case, column, row in advised:
        properties = row["table_properties"]
        if case.startswith("iceberg"):
            start, ndv, adaptive = "write.parquet.bloom-filter-", "ndv", "adaptive-enabled"
            stored = [f".column.{column}"]
        else:
            start, ndv, adaptive = "parquet.bloom.filter.", "expected.ndv", "adaptive.enabled"
            stored = ["#col-", f"#{column}"]
        assert all(key.startswith(start) for key in properties)
        (enabled,) = (key for key in properties if key.startswith(f"{start}enabled"))
        assert properties[enabled] == "true" and any(part in enabled for part in stored)
        counts = [value for key, value in properties.items() if key.startswith(start + ndv)]
        if case.startswith("delta") and LINE == "3.5":
            assert [int(count) >= row["ndv_per_row_group"] for count in counts] == [True]
        else:
            assert properties[start + adaptive] == "true" and not counts
    rest = [
        row
        for case in CASES
        for row in answers[case]["advice"].values()
        if row["advice"] not in ("add", "replace")
    ]
    assert rest and all(row["table_properties"] is None for row in rest)


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_a_change_is_refused_and_the_error_says_what_to_do(
    answers: dict[str, Answer], name: str
) -> None:
    errors = answers[f"{name}: errors"]
    how = {
        "delta": ("parquet.bloom.filter.enabled#<column>", "by INSERT OVERWRITE"),
        "iceberg": ("write.parquet.bloom-filter-enabled.column.<column>", "rewrite_data_files"),
    }[name]
    for call in ("add", "allowed", "drop", "add_to_folder"):
        assert all(part in errors[call] for part in how), errors[call]
    for call in ("add", "allowed", "drop"):
        assert f"{name.capitalize()} table, which records" in errors[call]
    assert "Name the table instead of the folder" in errors["advise_on_folder"]
    for call in ("column", "advised_column"):
        assert "store no column 'kye'; they store seq, key, day" in errors[call]


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_queries_weigh_the_columns_of_a_table(answers: dict[str, Answer], name: str) -> None:
    assert answers[f"{name}: queries"]["lookups"] == {"key": 1, "seq": 0, "day": 0}


def test_the_history_of_a_session_weighs_the_columns_of_a_delta_table(
    answers: dict[str, Answer],
) -> None:
    lookups = answers["delta: history"]["lookups"]
    assert lookups.pop("key") > 0 and set(lookups.values()) == {0}


def test_the_folder_of_an_iceberg_table_is_not_listed_as_empty(answers: dict[str, Answer]) -> None:
    assert "name the table instead of the folder" in answers["iceberg: folder"]["error"]


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_an_index_answers_for_the_files_of_the_current_snapshot(
    answers: dict[str, Answer], name: str
) -> None:
    answer = answers[f"{name}: indexed"]
    before, changed, refreshed = answer["states"]
    assert before["found"] == {"7": 1, "150": 1, "450": 0} and before["refuted"] > 0
    assert changed["found"] == refreshed["found"] == {"7": 0, "150": 1, "450": 1}
    assert refreshed["refuted"] > 0 and 0 < answer["refreshed"]
    assert answer["covered"][0] == answer["covered"][1]


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_words_are_found_in_the_files_that_hold_them_also_after_a_rename(
    answers: dict[str, Answer], name: str
) -> None:
    answer = answers[f"{name}: words"]
    before, renamed = answer["states"]
    assert before == renamed == {"word": [1, 1, True], "lower": [0, 0, True]}
    assert answer["files"] > 1
    assert "needs a STRING column with the binary collation" in answer["error"]


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_an_index_of_some_partitions_knows_their_files(
    answers: dict[str, Answer], name: str
) -> None:
    answer = answers[f"{name}: indexed where"]
    some, rest, files = answer["files"]
    assert 0 < some < files == some + rest and answer["days"] > 1
    assert 0 < answer["refuted"][0] < answer["refuted"][1]
    assert answer["error"].startswith("where is invalid")


def test_files_of_another_format_are_listed_with_the_reason(answers: dict[str, Answer]) -> None:
    ((file, *_, reason),) = answers["iceberg: avro"]["listed"]
    assert file.endswith(".avro") and reason == "not a Parquet file"


def test_a_probe_of_a_partition_column_is_refused(answers: dict[str, Answer]) -> None:
    assert "store no column 'day'" in answers["delta: partition column"]["error"]


def test_advice_by_the_history_of_an_iceberg_table_is_refused(answers: dict[str, Answer]) -> None:
    assert "keeps no history" in answers["iceberg: history"]["error"]


def test_a_metadata_table_is_refused(answers: dict[str, Answer]) -> None:
    assert "is not a Delta or Iceberg table" in answers["iceberg: metadata table"]["error"]


@pytest.mark.parametrize("name", ["delta", "iceberg"])
def test_an_empty_table_lists_no_files_and_gives_no_advice(
    answers: dict[str, Answer], name: str
) -> None:
    answer = answers[f"{name}: empty"]
    assert answer["listed"] == answer["probed"] == []
    assert answer["advise"].startswith("no files in ")


@pytest.mark.parametrize("call", ["inspect", "probe", "advise"])
def test_views_and_missing_tables_are_named(answers: dict[str, Answer], call: str) -> None:
    assert "seen is a view: name its table" in answers["error: seen"][call]
    assert "passing is a temporary view: name its table" in answers["error: passing"][call]
    for name in UNKNOWN:
        assert f"no file or table named {name}:" in answers[f"error: {name}"][call]
