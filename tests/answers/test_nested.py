"""Tests that filters of their contents prune arrays and maps, and that no row is lost."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import samples
from harness import only_scan, rows

pytestmark = pytest.mark.full

GROUPS, ROWS = 4, 25
KEYS = samples.scattered(GROUPS * ROWS * 3)
ABSENT = samples.scattered(200, salt=10_000)


def table() -> dict[str, pa.Array]:
    """Gives each row three keys, except rows that are NULL, empty or hold NULL alone."""
    items = [KEYS[3 * n : 3 * n + 3] for n in range(GROUPS * ROWS)]
    holes = {3: None, 4: [], 5: [None]}
    lists = [holes.get(n % 10, three) for n, three in enumerate(items)]
    holds = [three is not None and None not in three and len(three) > 0 for three in lists]
    structs = [
        [{"id": key, "k": f"k{key}"} for key in three] if full else three
        for three, full in zip(lists, holds)
    ]
    maps = [
        [(f"k{key}", key) for key in three] if full else (None if three is None else [])
        for three, full in zip(lists, holds)
    ]
    struct = pa.struct([("id", pa.int64()), ("k", pa.string())])
    return {
        "n": pa.array(range(len(items))),
        "a": pa.array(lists, pa.list_(pa.int64())),
        "s": pa.array(structs, pa.list_(struct)),
        "m": pa.array(maps, pa.map_(pa.string(), pa.int64())),
    }


@pytest.fixture(scope="module", params=["element", "item"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """pyarrow names the innermost field of a list by the specification, or as it used to."""
    folder = tmp_path_factory.mktemp(request.param)
    inner = f"list.{request.param}"
    leaves = [
        f"a.{inner}",
        f"s.{inner}.id",
        f"s.{inner}.k",
        "m.key_value.key",
        "m.key_value.value",
    ]
    samples.write(
        folder / "t.parquet",
        table(),
        ROWS,
        filters=leaves,
        use_compliant_nested_type=request.param == "element",
    )
    return str(folder)


FORMS = [
    "array_contains(a, {0}L)",
    "exists(a, x -> x = {0}L)",
    "exists(a, x -> x IN ({0}L, NULL))",
    "arrays_overlap(a, array({0}L))",
    "array_position(a, {0}L) > 0",
    "try_element_at(a, 1) = {0}L",
    "get(a, 0) = {0}L",
    "size(filter(a, x -> x = {0}L)) > 0",
    "array_contains(s.id, {0}L)",
    "exists(s, x -> x.id = {0}L)",
    "exists(s, x -> x.id = {0}L AND x.k = 'k{0}')",
    "exists(s, x -> x.k = 'k{0}' OR x.id = {0}L)",
    "map_contains_key(m, 'k{0}')",
    "m['k{0}'] = {0}L",
    "m['k{0}'] <> 7",
    "element_at(m, 'k{0}') = {0}L",
    "m['k{0}'] IS NOT NULL",
    "array_contains(map_values(m), {0}L)",
]


def where(session: SparkSession, path: str, condition: str) -> DataFrame:
    return session.read.parquet(path).where(condition)


@pytest.mark.parametrize("form", FORMS)
def test_a_present_value_keeps_its_row_group_and_an_absent_one_none(
    spark: SparkSession, oracle: SparkSession, path: str, form: str
) -> None:
    for n in (0, 26, 99):  # rows that hold values, of the first, second and last row group
        condition = form.format(KEYS[3 * n])
        found = where(spark, path, condition)
        assert only_scan(found).row_groups_kept == 1, condition
        assert rows(found) == rows(where(oracle, path, condition)), condition
        assert [row.n for row in found.collect()] == [n]
    for key in ABSENT[:5]:
        assert only_scan(where(spark, path, form.format(key))).row_groups_kept == 0


@pytest.mark.parametrize(
    "condition",
    [
        "NOT array_contains(a, {0}L)",
        "NOT exists(s, x -> x.id = {0}L)",
        "NOT map_contains_key(m, 'k{0}')",
        "forall(a, x -> x = {0}L)",
        "exists(a, x -> x IS NULL)",
        "exists(a, x -> NOT (x <=> {0}L))",
        "m['k{0}'] IS NULL",
        "NOT (m['k{0}'] <=> {0}L)",
        "array_position(a, {0}L) = 0",
        "array_contains(a, {0}L) IS NULL",
        "a IS NULL",
        "a IS NOT NULL",
        "size(m) = 0",
        "get(s, 0) IS NULL",
    ],
)
def test_items_do_not_decide_for_rows_without_items(
    spark: SparkSession, oracle: SparkSession, path: str, condition: str
) -> None:
    for value in (KEYS[0], ABSENT[0]):
        predicate = condition.format(value)
        expected = rows(where(oracle, path, predicate))
        assert rows(where(spark, path, predicate)) == expected
        assert expected, "a condition that no row meets would show nothing"


def test_half_a_match_in_each_of_two_row_groups_keeps_neither(
    spark: SparkSession, path: str
) -> None:
    first, last = KEYS[0], KEYS[-3]
    for condition in (
        f"exists(s, x -> x.id = {first}L AND x.k = 'k{last}')",
        f"m['k{first}'] = {last}L",
    ):
        assert only_scan(where(spark, path, condition)).row_groups_kept == 0
    either = f"exists(s, x -> x.id = {first}L OR x.k = 'k{last}')"
    assert only_scan(where(spark, path, either)).row_groups_kept == 2


def test_a_float_in_a_list_equals_the_other_zero(
    spark: SparkSession, oracle: SparkSession, tmp_path: Path
) -> None:
    values = pa.array([[-0.0], [1.5], [float("nan")], None], pa.list_(pa.float64()))
    samples.write(tmp_path / "f.parquet", {"f": values}, 1, filters=("f.list.element",))
    for condition, kept in (
        ("array_contains(f, 0.0D)", 1),
        ("array_contains(f, 1.5D)", 1),
        ("exists(f, x -> x IN (0.0D, 1.5D))", 2),
        ("array_contains(f, 7.0D)", 0),
    ):
        found = where(spark, str(tmp_path), condition)
        assert rows(found) == rows(where(oracle, str(tmp_path), condition)), condition
        assert found.count() == kept
        assert only_scan(found).row_groups_kept == kept, condition
    nan = where(spark, str(tmp_path), "array_contains(f, DOUBLE('NaN'))")
    assert nan.count() == 1
