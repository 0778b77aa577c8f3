"""Tests files of every writer: present values are kept, and nearly all absent ones refuted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import xxhash
from pyspark.sql import SparkSession

import foreign
import spark_sbbf as sbbf
import twin
from foreign import KINDS, VALUES, Kind
from harness import SUPPORT, rows
from kernels import Kernel
from spark_sbbf.report import ScanReport

pytestmark = pytest.mark.full

FILES = SUPPORT / "files"
# Written once: by Spark 3.5.9 with `foreign.by_spark`, and with support/files/go.
SPARK_35 = FILES / "spark-3.5.9.parquet"
STORED = {
    "spark 3.5": SPARK_35,
    "arrow-go": FILES / "arrow-go.parquet",
    "parquet-go": FILES / "parquet-go.parquet",
}

# Plans look up one in EVERY values, and the kernels below probe all. Spark 3.5 plans unions of more
# than 30 queries in cubic time.
EVERY = 4

# Columns that the writer stores otherwise than given, or without a filter that could prune.
OTHERWISE = {
    "chdb": {"ntz": "stored as an instant"},
    "deltalake": dict.fromkeys(foreign.UNSIGNED, "Delta has no unsigned types"),
    "duckdb": {"dec38": "no filter, and no dictionary for want of repetition"},
}


@pytest.fixture(scope="module", params=[*foreign.WRITERS, *STORED])
def file(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    if request.param in STORED:
        return STORED[request.param]
    path = tmp_path_factory.mktemp("foreign") / f"{request.param}.parquet"
    foreign.WRITERS[request.param](path, spark)
    return path


def columns(file: Path) -> list[Kind]:
    stored, otherwise = pq.read_schema(file).names, OTHERWISE.get(file.stem, {})
    return [kind for kind in KINDS if kind.name in stored and kind.name not in otherwise]


def scans(spark: SparkSession, file: Path, kind: Kind, values: list) -> list[ScanReport]:
    """Returns the scan of each value. One plan of several lookups takes less time."""
    table = spark.read.schema(f"{kind.name} {kind.ddl}").parquet(str(file))
    table.createOrReplaceTempView("foreign")
    queries = [f"select 1 from foreign where {kind.name} = {foreign.sql(v, kind)}" for v in values]
    found = sbbf.explain(spark.sql(" union all ".join(queries))).scans
    assert len(found) == len(values), kind.name
    return found


def assert_pruned(spark: SparkSession, file: Path, say: Callable[[str], None]) -> None:
    """Asserts that row groups with a value are kept, and nearly all others are not."""
    refuted, looked_up = {}, VALUES // EVERY
    for kind in columns(file):
        present = scans(spark, file, kind, kind.present()[::EVERY])
        assert min(scan.row_groups_kept for scan in present) >= 1, kind.name
        absent = scans(spark, file, kind, kind.absent()[::EVERY])
        refuted[kind.name] = sum(scan.row_groups_kept == 0 for scan in absent)
    say(f"{file.stem}: of {looked_up} absent values are refuted {refuted}")
    assert all(count >= 0.95 * looked_up for count in refuted.values()), refuted


def test_present_values_are_kept_and_absent_ones_refuted(
    spark: SparkSession, file: Path, say: Callable[[str], None]
) -> None:
    assert_pruned(spark, file, say)


def test_a_present_value_is_answered_and_a_writer_s_types_are_what_spark_reads(
    spark: SparkSession, oracle: SparkSession, file: Path
) -> None:
    for kind in columns(file):
        values = kind.present()[:: VALUES // 3]
        query = " union all ".join(
            f"select {kind.name} from foreign where {kind.name} = {foreign.sql(value, kind)}"
            for value in values
        )
        answers = []
        for session in (spark, oracle):
            table = session.read.schema(f"{kind.name} {kind.ddl}").parquet(str(file))
            table.createOrReplaceTempView("foreign")
            answers.append(rows(session.sql(query)))
        assert answers[0] == answers[1] and len(answers[0]) == len(values), kind.name


def test_filters_hold_every_value_of_their_chunk_by_both_kernels(
    spark: SparkSession, file: Path
) -> None:
    kernels = [Kernel(spark, name) for name in ("scalar", "vector")]
    data, parquet, probed = file.read_bytes(), pq.ParquetFile(file), 0
    for kind, group, column, offset in foreign.filters(file):
        bitset = twin.Filter(data, offset).words.tobytes()
        stored = parquet.read_row_group(group, [kind.name]).column(0).cast(kind.arrow).to_pylist()
        held = [foreign.plain(value, column) for value in stored]
        for kernel in kernels:
            hashes = kernel.hash(held)
            assert kernel.unsigned(hashes) == [xxhash.xxh64_intdigest(value) for value in held]
            assert all(kernel.probe(bitset, hashes)), (kind.name, group)
            assert all(kernel.contains(bitset, hashes, n) for n in range(len(held)))
        probed += len(held)
    assert probed >= VALUES * 15


def test_kernels_agree_on_what_filters_do_not_hold(spark: SparkSession, file: Path) -> None:
    scalar, vector = (Kernel(spark, name) for name in ("scalar", "vector"))
    data, claimed, probed = file.read_bytes(), 0, 0
    for kind, _, column, offset in foreign.filters(file):
        bitset = twin.Filter(data, offset).words.tobytes()
        hashes = scalar.hash([foreign.plain(value, column) for value in kind.absent()])
        answers = scalar.probe(bitset, hashes)
        assert vector.probe(bitset, hashes) == answers
        claimed, probed = claimed + sum(answers), probed + VALUES
    assert claimed < 0.02 * probed
