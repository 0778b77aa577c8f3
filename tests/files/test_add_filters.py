"""Tests adding filters to files of every writer, while others read them or the job is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import foreign
import spark_sbbf as sbbf
from harness import ONE_COMPILER, rows, session_with
from readers import COUNTED_BY, read_by_all
from test_foreign_files import SPARK_35, STORED, assert_pruned, columns

KEYS = 20_000
# All readers write values of these columns alike in SQL.
COMPARED_BY_ALL = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "s")


@pytest.fixture(params=[*foreign.WRITERS, *STORED, "pyarrow, pages of version 2"])
def file(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Path:
    path = tmp_path / f"{request.param}.parquet"
    if request.param in STORED:
        shutil.copy(STORED[request.param], path)
    elif request.param == "pyarrow, pages of version 2":
        pq.write_table(
            foreign.table(),
            path,
            data_page_version="2.0",
            row_group_size=foreign.ROWS,
            use_dictionary=False,
        )
    else:
        foreign.WRITERS[request.param](path, spark)
    return path


@pytest.fixture
def keys(spark: SparkSession, tmp_path: Path) -> Path:
    """Files without filters, all keys even."""
    folder = tmp_path / "keys"
    shuffled = f"(id * 7919 % {KEYS}) * 2 AS key"
    spark.range(0, KEYS, 1, 4).selectExpr("id", shuffled).write.parquet(str(folder))
    return folder


@pytest.mark.full
def test_files_of_every_writer_get_filters_and_keep_their_rows(
    spark: SparkSession,
    spark_alone: SparkSession,
    oracle: SparkSession,
    file: Path,
    say: Callable[[str], None],
) -> None:
    kinds = columns(file)
    sbbf.drop_filters(spark, str(file))
    assert all(row.reason == "no filter" for row in spark_filters(spark, file))
    before, wanted = file.read_bytes(), read_by_all(file, oracle)
    (outcome,) = sbbf.add_filters(spark, str(file), [kind.name for kind in kinds], fpp=0.001).files
    assert outcome.status == "done"
    assert outcome.filters == len(kinds) * pq.ParquetFile(file).num_row_groups
    assert file.read_bytes().startswith(before)
    assert read_by_all(file, oracle) == wanted
    assert rows(spark.read.parquet(str(file))) == rows(oracle.read.parquet(str(file)))
    assert_pruned(spark, file, say)
    assert_others_find_what_is_there((spark, spark_alone), file, kinds)


def assert_others_find_what_is_there(
    sessions: tuple[SparkSession, SparkSession], file: Path, kinds: list[foreign.Kind]
) -> None:
    """Looks values up by our filters, in several readers; the second session is Spark alone."""
    values = {kind.name: kind.present()[7] for kind in kinds if kind.name in COMPARED_BY_ALL}
    conditions = [f"{name} = {value!r}" for name, value in values.items()]
    for reader, count in COUNTED_BY.items():
        assert count(file, conditions) == [1] * len(conditions), reader
    for kind in kinds:
        is_lost = file.stem == "parquet-go" and kind.name.startswith("dec")  # by wrong statistics
        value = foreign.sql(kind.present()[7], kind)
        tables = (s.read.schema(f"{kind.name} {kind.ddl}").parquet(str(file)) for s in sessions)
        counts = [table.where(f"{kind.name} = {value}").count() for table in tables]
        assert counts == [1, 0 if is_lost else 1], kind.name


def test_filters_whose_length_no_footer_states_stay_in_use(
    spark: SparkSession, tmp_path: Path
) -> None:
    file = Path(shutil.copy(SPARK_35, tmp_path))

    def others() -> list[tuple]:
        found = [row for row in spark_filters(spark, file) if row.path_in_schema != "i64"]
        assert {row.checks for row in found} == {"passed"}
        return sorted(
            (row.row_group_id, row.path_in_schema, row.bloom_filter_offset, row.fill)
            for row in found
        )

    before = others()
    sbbf.drop_filters(spark, str(file), "i64")
    assert others() == before
    sbbf.add_filters(spark, str(file), "i64")
    assert others() == before
    assert {row.checks for row in spark_filters(spark, file)} == {"passed"}


def spark_filters(spark: SparkSession, path: Path) -> list:
    return sbbf.inspect(spark, str(path)).collect()


def test_the_report_says_what_was_done_and_a_second_run_has_nothing_to_do(
    spark: SparkSession, keys: Path
) -> None:
    dry = sbbf.add_filters(spark, str(keys), "key", dry_run=True)
    assert [file.status for file in dry.files] == ["planned"] * 4
    assert str(dry).startswith("would write 4 files of ") and "that takes about" in str(dry)
    assert [line.split(": ")[0].strip() for line in str(dry).splitlines()[1:]] == sorted(
        f"file:{file}" for file in keys.glob("*.parquet")
    )
    assert not spark_filters(spark, keys)
    done = sbbf.add_filters(spark, str(keys), "key")
    assert str(done).startswith("wrote 4 files of ") and "4 new filters" in str(done)
    sizes = {f"file:{file}": file.stat().st_size for file in keys.glob("*.parquet")}
    assert {file.file_name: file.bytes for file in done.files} == sizes
    assert len(spark_filters(spark, keys)) == 4
    assert str(sbbf.add_filters(spark, str(keys), "key")) == "4 files unchanged"
    drop = sbbf.drop_filters(spark, str(keys), dry_run=True)
    assert str(drop).startswith("would drop the filters of 4 files of ")
    assert len(sbbf.drop_filters(spark, str(keys)).of("done")) == 4
    assert not spark_filters(spark, keys)


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ("kye", {}, "has 'kye'"),
        ((), {}, "columns: name at least one column"),
        ("key", {"fpp": 2}, "fpp must be between 0 and 1"),
        ("key", {"max_bytes": 1000}, "max_bytes must be a power of two"),
        ("flag", {}, r"column 'flag' is \w+ boolean flag"),
    ],
)
def test_a_mistake_is_named_before_anything_is_done(
    spark: SparkSession, keys: Path, columns: str, options: dict, said: str
) -> None:
    if columns == "flag":
        spark.range(1).selectExpr("true AS flag").write.mode("append").parquet(str(keys))
    before = {file: file.stat().st_mtime_ns for file in keys.glob("*.parquet")}
    with pytest.raises(ValueError, match=said):
        sbbf.add_filters(spark, str(keys), columns, **options)
    assert {file: file.stat().st_mtime_ns for file in keys.glob("*.parquet")} == before


def test_refused_files_raise_a_warning(spark: SparkSession, keys: Path) -> None:
    (keys / "none.parquet").write_bytes(b"this is no file")
    with pytest.warns(UserWarning, match=r"1 of 5 files were refused .*none\.parquet"):
        report = sbbf.add_filters(spark, str(keys), "key")
    assert len(report.of("done")) == 4


def test_an_empty_list_of_columns_is_refused(spark: SparkSession, keys: Path) -> None:
    sbbf.add_filters(spark, str(keys), "key")
    with pytest.raises(ValueError, match="columns: name at least one column"):
        sbbf.drop_filters(spark, str(keys), [])
    assert len(spark_filters(spark, keys)) == 4


def test_a_file_that_fails_is_an_error_after_the_others_are_done(
    spark: SparkSession, keys: Path
) -> None:
    broken = min(keys.glob("*.parquet"))
    content = bytearray(broken.read_bytes())
    content[4:3000] = bytes(2996)  # its first pages
    broken.write_bytes(content)
    with pytest.raises(
        sbbf.FilterChangeError, match=r"1 of 4 files failed, 3 are done; .* run it again"
    ) as error:
        sbbf.add_filters(spark, str(keys), "key")
    assert broken.name in str(error.value)
    assert sorted(file.status for file in error.value.report.files) == ["done"] * 3 + ["failed"]
    assert broken.read_bytes() == bytes(content)
    filtered = {row.file_name for row in spark_filters(spark, keys) if row.path_in_schema == "key"}
    assert len(filtered) == 3


def test_a_reader_that_never_stops_sees_the_old_file_or_the_new_one(
    spark: SparkSession, keys: Path
) -> None:
    stop, counts, errors = threading.Event(), [], []
    # or Hadoop opens a file's checksums, which are gone by then, again for each row group
    reader = spark.read.option("parquet.hadoop.vectored.io.enabled", "false")

    def read() -> None:
        while not stop.is_set():
            try:
                file = min(keys.glob("*.parquet"))
                counts.append(pq.read_table(file).num_rows)
                query = reader.parquet(str(keys)).where("key = 4 OR key = 5")
                counts.append(query.count() * KEYS // 4)
            except Exception as error:
                errors.append(error)
                return

    reading = threading.Thread(target=read)
    reading.start()
    changes = 0
    while changes < 6 or (len(counts) <= 10 and not errors):
        sbbf.add_filters(spark, str(keys), "key")
        sbbf.drop_filters(spark, str(keys))
        changes += 1
    stop.set()
    reading.join()
    assert not errors
    assert len(counts) > 10 and set(counts) == {KEYS // 4}


def command(*arguments: str) -> subprocess.Popen[str]:
    program = Path(sys.executable).parent / "spark-sbbf"
    brief = ("--conf", f"spark.driver.extraJavaOptions={ONE_COMPILER}")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [program, *arguments, *brief], text=True, start_new_session=True, **pipes
    )


@pytest.mark.full
def test_the_command_adds_filters_in_a_session_of_its_own(spark: SparkSession, keys: Path) -> None:
    for arguments, started in (
        (["add-filters", str(keys), "key", "--dry-run"], "would write 4 files"),
        (["add-filters", str(keys), "key", "--fpp", "0.001"], "wrote 4 files"),
    ):
        done = command(*arguments)
        out, err = done.communicate(timeout=180)
        assert done.returncode == 0, err[-2000:]
        assert out.startswith(started), out
    assert all(row.fpp <= 0.001 for row in spark_filters(spark, keys))
    done = command("drop-filters", str(keys), "key", "--json")
    out, _ = done.communicate(timeout=180)
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["done"] * 4
    refused = command("add-filters", str(keys), "kye")
    out, err = refused.communicate(timeout=180)
    assert (refused.returncode, out) == (1, "") and "has 'kye'" in err


def test_any_nan_of_another_writer_is_found_once_filters_are_added(
    spark: SparkSession, tmp_path: Path
) -> None:
    bits = struct.pack("<2Q", 0xFFF8 << 48, 0x7FF8000000000123)
    column = pa.Array.from_buffers(pa.float64(), 2, [None, pa.py_buffer(bits)])
    pq.write_table(pa.table({"x": column}), tmp_path / "nan.parquet", use_dictionary=False)
    spark_alone = session_with(spark, {"spark.sbbf.enabled": "false"})

    def found(session: SparkSession) -> int:
        return session.read.parquet(str(tmp_path)).where("x = double('NaN')").count()

    assert found(spark_alone) == 2
    sbbf.add_filters(spark, str(tmp_path), "x")
    assert (found(spark_alone), found(spark)) == (2, 2)


def litter(folder: Path) -> set[str]:
    return {name for name in os.listdir(folder) if name.endswith(".sbbf-tmp")}


@pytest.mark.full
def test_whenever_it_is_killed_no_file_is_lost_and_the_next_run_goes_on(
    spark: SparkSession, oracle: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    shuffled = f"(id * 7919 % {KEYS}) * 2 AS key"
    spark.range(0, KEYS, 1, 24).selectExpr("id", shuffled).write.parquet(str(folder))
    wanted = rows(oracle.read.parquet(str(folder)))
    states = set()
    for attempt in range(5):
        before = litter(folder)
        running = command("add-filters", str(folder), "key", "--conf", "spark.master=local[1]")
        while running.poll() is None and litter(folder) <= before:
            time.sleep(0.002)  # until a file is about to take another's place
        time.sleep(attempt * 0.05)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        assert rows(oracle.read.parquet(str(folder))) == wanted
        some = ", ".join(str(key) for key in range(0, 2 * KEYS, 997 * 2))
        query = spark.read.parquet(str(folder)).where(f"key IN ({some}) AND id >= 0")
        assert query.count() == len(some.split(","))
        states.add(len({row.file_name for row in spark_filters(spark, folder)}))
    assert len(states) > 1, states  # some runs made progress
    sbbf.add_filters(spark, str(folder), "key")
    assert len(spark_filters(spark, folder)) == 24
    assert not litter(folder)
    assert rows(spark.read.parquet(str(folder))) == wanted


def test_a_table_s_name_works_wherever_a_path_does(spark: SparkSession) -> None:
    spark.range(2000).selectExpr("xxhash64(id) AS key").write.saveAsTable("named_events")
    try:
        assert sbbf.add_filters(spark, "default.named_events", "key").of("done")
        assert sbbf.inspect(spark, "named_events").where("filter_bytes > 0").count() > 0
        probed = sbbf.probe(spark, "default.named_events", "key", 42)
        assert {row.verdict for row in probed.collect()} <= {"cannot_match", "might_match"}
        assert probed.count() > 0
        advised = sbbf.advise(spark, "named_events", row_groups=4)
        assert [row.path_in_schema for row in advised.collect()] == ["key"]
        assert sbbf.drop_filters(spark, "named_events").of("done")
        with pytest.raises(ValueError, match="no file or table named nothing"):
            sbbf.add_filters(spark, "nothing", "key")
        with pytest.raises(ValueError, match=r"no file or folder \./named_events"):
            sbbf.add_filters(spark, Path("named_events"), "key")
    finally:
        spark.sql("DROP TABLE named_events")


@pytest.mark.full
def test_the_command_looks_names_up_in_the_catalog_of_spark(keys: Path) -> None:
    done = command("inspect", "db.nothing")
    out, err = done.communicate(timeout=180)
    assert (done.returncode, out) == (1, "") and "no file or table named db.nothing" in err


def test_a_daily_job_adds_filters_to_its_partition_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = tmp_path / "days"
    day = "date_add(DATE'2026-11-01', CAST(id % 3 AS INT)) AS day"
    data = spark.range(90).selectExpr("xxhash64(id) AS key", day).repartition("day")
    data.write.partitionBy("day").parquet(str(table))

    def filtered() -> set[str]:
        listed = sbbf.inspect(spark, str(table)).where("filter_bytes > 0").collect()
        return {Path(row.file_name).parent.name for row in listed}

    report = sbbf.add_filters(spark, str(table), "key", where="day = '2026-11-02'")
    assert [file.status for file in report.files] == ["done"] and filtered() == {"day=2026-11-02"}
    assert sbbf.add_filters(spark, str(table), "key", where="day > '2027-01-01'").files == []
    if not spark.version.startswith("3."):  # which has no CALL
        arguments = f"table => '{table}', columns => array('key'), where => 'day < \"2026-11-02\"'"
        (added,) = spark.sql(f"CALL sbbf.system.add_filters({arguments})").collect()
        assert added.status == "done"
        sbbf.drop_filters(spark, str(table), where="day = DATE'2026-11-01'")
        assert filtered() == {"day=2026-11-02"}
    with pytest.raises(ValueError, match="may only compare partition columns: day"):
        sbbf.drop_filters(spark, str(table), where="key = 3")
    assert filtered() == {"day=2026-11-02"}
