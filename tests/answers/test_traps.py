"""Tests traps that cost other readers rows and have no test elsewhere, and the list of all."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import rows, session_with

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "correctness.md").read_text()
NAMED = re.compile(r"`(test_\w+\.py|\w+Suite): ([^`]+)`")
"""File or suite, and name, of a test that the documentation relies on."""
KEYS = samples.scattered(40)


def test_every_test_that_the_documentation_names_exists() -> None:
    sources = {
        file.stem if file.suffix == ".scala" else file.name: file.read_text()
        for pattern in ("tests/**/test_*.py", "jvm/*/src/test/**/*Suite.scala")
        for file in ROOT.glob(pattern)
    }
    named = NAMED.findall(PAGE)
    assert named
    for file, name in named:
        declared = f"def {name}(" if file.endswith(".py") else f'"{name}'
        assert declared in sources.get(file, ""), (file, name)


def test_each_trap_of_the_documentation_names_a_test() -> None:
    traps = re.findall(r"^\| (\d+) \|.+\|(.+)\|$", PAGE, re.MULTILINE)
    assert traps and [int(number) for number, _ in traps] == list(range(1, len(traps) + 1))
    assert [number for number, tests in traps if not NAMED.search(tests)] == []


@pytest.mark.parametrize("ours", ["true", "false"])
@pytest.mark.parametrize(
    "predicate",
    [
        "st = named_struct('f', 0.0D)",
        "st <=> named_struct('f', 0.0D)",
        "named_struct('f', f, 'i', id) = named_struct('f', 0.0D, 'i', 7L)",
        "named_struct('f', f, 'i', id) IN (named_struct('f', 0.0D, 'i', 7L))",
    ],
)
def test_fields_of_structs_that_are_compared_lose_no_row(
    spark: SparkSession, tmp_path: Path, predicate: str, ours: str
) -> None:
    """Spark 4.3 pushes each field down to parquet-mr."""
    columns = "id", "id * -0.0D AS f", "named_struct('f', id * -0.0D) AS st"
    spark.range(0, 20, 1, 1).selectExpr(*columns).write.parquet(str(tmp_path / "t"))
    session = session_with(spark, {"spark.sbbf.rowGroupPruning.enabled": ours})
    found = session.read.parquet(str(tmp_path / "t")).where(predicate)
    assert found.count() == (20 if predicate.startswith("st") else 1)


@pytest.mark.parametrize("ours", ["true", "false"])
def test_statistics_that_old_writers_got_wrong_lose_no_row(
    spark: SparkSession, tmp_path: Path, ours: str
) -> None:
    """Arrow's bounds of dictionary arrays were those of the first batch (apache/arrow#15042)."""
    (tmp_path / "t").mkdir()
    file = tmp_path / "t" / "f.parquet"
    pq.write_table(pa.table({"c": ["rusty", "sean", "aaa", "zzz"]}), file, use_dictionary=False)
    content = file.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:].replace(b"zzz", b"sss")
    session = session_with(spark, {"spark.sbbf.rowGroupPruning.enabled": ours})
    for version, found in ((b"10.0.1", 1), (b"11.0.0", 0)):
        edited = re.sub(rb"(?<=parquet-cpp-arrow version )\d\d\.\d\.\d", version, footer)
        assert version in edited
        file.write_bytes(content[:start] + edited)
        session.catalog.refreshByPath(str(file.parent))
        assert session.read.parquet(str(file.parent)).where("c = 'zzz'").count() == found


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles"])
def test_an_int96_timestamp_is_found_under_any_encoding(
    spark: SparkSession, tmp_path: Path, zone: str
) -> None:
    settings = {
        "spark.sql.parquet.outputTimestampType": "INT96",
        "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
        "spark.sql.session.timeZone": zone,
    }
    path, session = str(tmp_path / "t"), session_with(spark, settings)
    instants = [f"timestamp'{year}-03-01 12:00:00.5'" for year in (1500, 1883, 1970, 2013, 2200)]
    options = {**sbbf.bloom_options("at", ndv=5), "parquet.enable.dictionary": "false"}
    union = " union all ".join(f"select {instant} as at" for instant in instants)
    session.sql(union).coalesce(1).write.options(**options).parquet(path)
    off = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
    oracle = session_with(spark, {**settings, **off})
    for instant in instants:
        condition = f"at = {instant}"
        answer = rows(session.read.parquet(path).where(condition))
        assert answer == rows(oracle.read.parquet(path).where(condition)) and len(answer) == 1


FUNCTIONS = [
    ("upper(s) = 'K7'", 1),
    ("trim(s) in ('k7', 'k8')", 2),
    ("substring(s, 2, 1) = '7'", 1),
    ("concat(s, '') = 'k7'", 1),
    ("n * 2 = 14", 1),
    ("-n in (-7, -8)", 2),
    ("n % 10 = 7", 4),
    ("abs(n) = 7", 1),
    ("hex(n) = '7'", 1),
    ("cast(digits as int) = 7", 1),
    ("digits = 7", 1),
    ("cast(n as string) = '7'", 1),
    ("try_cast(s as int) is null", 40),
    ("hash(key) = hash({key}L)", 1),
    ("key + 1 = {key}L + 1", 1),
    ("coalesce(n, 7) = 7", 1),
    ("nullif(n, 7) is null", 1),
]


@pytest.mark.parametrize(("condition", "count"), FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
def test_a_function_of_the_column_is_not_evaluated_as_the_column(
    spark: SparkSession, oracle: SparkSession, tmp_path: Path, condition: str, count: int
) -> None:
    """The literal itself is not in the column, or not in the column's row groups."""
    columns = {
        "s": [f"k{n}" for n in range(40)],
        "n": list(range(40)),
        "digits": [f"{n:03}" for n in range(40)],
        "key": KEYS,
    }
    samples.write(tmp_path / "f.parquet", columns, 10, filters=tuple(columns))
    condition = condition.format(key=KEYS[7])
    answers = [rows(s.read.parquet(str(tmp_path)).where(condition)) for s in (spark, oracle)]
    assert answers[0] == answers[1] and len(answers[0]) == count
