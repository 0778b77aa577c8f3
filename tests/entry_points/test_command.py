"""Tests that the command line and the data source agree, and what `install` installs."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from spark_sbbf import cli
from spark_sbbf.jar import find_spark

ROWS = 50
KEYS = samples.scattered(4 * ROWS)

Command = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def command(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in the session's time zone and returns the JSON that it printed."""

    def run(*arguments: str) -> list[dict[str, Any]]:
        zone = f"spark.sql.session.timeZone={spark.conf.get('spark.sql.session.timeZone')}"
        capsys.readouterr()
        status = cli.main([*arguments, "--json", "--conf", zone])
        printed = capsys.readouterr()
        assert status == 0, printed.err
        return [json.loads(line) for line in printed.out.splitlines()]

    return run


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files in the folder itself, and files that Spark ignores."""
    folder = tmp_path_factory.mktemp("command")
    columns = {"key": KEYS, "seq": list(range(4 * ROWS))}
    samples.write(folder / "filtered.parquet", columns, ROWS, filters=("key",))
    samples.write(folder / "plain.parquet", columns, ROWS)
    for hidden in ("_SUCCESS", ".hidden.parquet", "_temporary/a.parquet", "below/b.parquet"):
        (folder / hidden).parent.mkdir(exist_ok=True)
        (folder / hidden).write_text("no Parquet file")
    (folder / "z-empty.parquet").touch()  # Spark 3.5 takes the schema of the first
    return folder


@pytest.fixture(scope="module")
def partitions(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("command") / "partitions"
    frame = spark.range(400).selectExpr("id * 7919 as key", "id % 3 as a", "id % 2 as `b c`")
    writer = frame.coalesce(1).write.partitionBy("a", "b c").options(**sbbf.bloom_options("key"))
    writer.option("parquet.enable.dictionary", "false").parquet(str(folder))
    return folder


def by_place(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(
        found,
        key=lambda row: (row["file_name"], row["row_group_id"] or 0, row["path_in_schema"] or ""),
    )


def of_source(df: Any) -> list[dict[str, Any]]:
    return by_place([row.asDict() for row in df.collect()])


@pytest.mark.parametrize(
    "below",
    [
        pytest.param("", marks=pytest.mark.full),
        "filtered.parquet",
        "*.parquet",
        "{filtered,plain}*",
    ],
)
def test_inspect_lists_what_the_data_source_lists(
    spark: SparkSession, command: Command, lake: Path, below: str
) -> None:
    path = str(lake / below)
    found = command("inspect", path)
    assert by_place(found) == of_source(sbbf.inspect(spark, path)) and len(found) == 4


@pytest.mark.full
@pytest.mark.parametrize("below", ["", "a=1", "a=[1]", "a=1/b c=0"])
def test_partitioned_tables_are_listed_as_spark_lists_them(
    spark: SparkSession, command: Command, partitions: Path, below: str
) -> None:
    path = str(partitions / below)
    found = command("inspect", path)
    assert by_place(found) == of_source(sbbf.inspect(spark, path)) and found
    found = command("probe", path, "key", "7919")
    assert by_place(found) == of_source(sbbf.probe(spark, path, "key", 7919)) and found


@pytest.mark.full
def test_a_file_beside_partitions_is_passed_over_as_by_spark(
    spark: SparkSession, command: Command, partitions: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(partitions, folder)
    samples.write(folder / "stray.parquet", {"key": KEYS}, ROWS, filters=("key",))
    found = command("inspect", str(folder))
    assert by_place(found) == of_source(sbbf.inspect(spark, str(folder)))
    assert not any("stray" in row["file_name"] for row in found)


@pytest.mark.parametrize(("column", "value"), [("key", KEYS[60]), ("KEY", 5), ("`key`", -(2**63))])
def test_probe_answers_what_the_data_source_answers(
    spark: SparkSession, command: Command, lake: Path, column: str, value: int
) -> None:
    found = command("probe", str(lake), column, str(value))
    assert by_place(found) == of_source(sbbf.probe(spark, str(lake), column, value))
    assert {row["verdict"] for row in found} <= {"cannot_match", "might_match"} and len(found) == 8


TYPES = """
    cast(id as byte) as i8, cast(id as int) as i32, id as i64, cast(id as float) / 4 as f32,
    id / 4D as f64, cast(id / 4 as decimal(9, 2)) as d9, cast(id as decimal(30, 3)) as d30,
    concat('text ', id) as s, cast(concat('b', id) as binary) as bin, id % 2 = 0 as flag,
    date_add(date'2026-01-01', cast(id as int)) as day,
    timestamp'2026-01-01 00:00:00' + make_interval(0, 0, 0, 0, cast(id as int)) as ts,
    cast(concat('2026-01-01 00:00:', lpad(id % 60, 2, '0')) as timestamp_ntz) as ntz,
    named_struct('leaf', id, 'd.t', id) as st
"""
VALUES = [
    ("i8", " 7 "), ("i8", "300"), ("i32", "7.9"), ("i64", "1e1"), ("f32", "NaN"), ("f64", "-0.0"),
    ("d9", "1.755"), ("d30", "7"), ("s", " text 7"), ("bin", "b7"), ("flag", "yes"),
    ("day", "2026-01-08"), ("day", "soon"), ("ts", "2026-01-01T07:00:00+02:00"),
    ("ts", "2026-01-01"), ("ntz", "2026-01-01 00:00:07"), ("st.`d.t`", "7"), ("st", "7"),
    ("st.nothing", "7"),
]  # fmt: skip


@pytest.fixture(scope="module")
def typed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("command") / "typed")
    frame = spark.range(100).selectExpr(*[f"struct({TYPES}) as all"]).select("all.*")
    writer = frame.coalesce(1).write.option("parquet.bloom.filter.enabled", "true")
    writer.option("parquet.enable.dictionary", "false").parquet(path)
    return path


@pytest.mark.full
@pytest.mark.parametrize(("column", "value"), VALUES)
def test_text_means_the_same_value_to_the_command_and_to_the_data_source(
    spark: SparkSession,
    typed: str,
    column: str,
    value: str,
    capsys: pytest.CaptureFixture[str],
    command: Command,
) -> None:
    try:
        expected: Any = of_source(sbbf.probe(spark, typed, column, value))
    except Exception as refusal:
        reason = str(refusal).splitlines()[0].split("IllegalArgumentException: ")[-1]
        assert cli.main(["probe", typed, column, value]) == 1
        said = capsys.readouterr().err
        assert said.startswith("spark-sbbf: ") and f"'{column}'" in said
        assert said.removeprefix("spark-sbbf: ").strip() in (reason, str(refusal))
    else:
        assert by_place(command("probe", typed, column, value)) == expected


@pytest.mark.full
def test_bytes_are_given_in_hexadecimal(spark: SparkSession, command: Command, typed: str) -> None:
    found = command("probe", typed, "bin", "6237", "--hex")
    assert by_place(found) == of_source(sbbf.probe(spark, typed, "bin", b"b7"))
    assert found[0]["verdict"] == "might_match"


def test_the_table_has_a_line_for_each_row_and_a_sum(
    lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["inspect", str(lake)]) == 0
    folder, heading, *lines, closing = capsys.readouterr().out.splitlines()
    assert folder == f"file:{lake}/" and heading.split()[:3] == [
        "file_name",
        "row_group_id",
        "path_in_schema",
    ]
    assert len(lines) == 4 and all(line.startswith("filtered.parquet") for line in lines)
    assert closing.startswith("4 filters in 1 files, ")
    assert cli.main(["probe", str(lake), "key", str(KEYS[60])]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "5 of 8 row groups might hold it"


@pytest.mark.full
def test_a_file_of_keys_is_probed_as_a_list_in_python(
    spark: SparkSession, command: Command, lake: Path, tmp_path: Path, capsys: Any
) -> None:
    keys = [*KEYS[::60], 5]
    file = tmp_path / "keys of people.txt"
    file.write_text("\n".join(map(str, keys)) + "\n", encoding="utf-8")
    found = command("probe", str(lake), "key", str(file), "--keys")
    rows = [row.asDict() for row in sbbf.probe(spark, str(lake), "key", keys).collect()]
    expected = [{**row, "key": str(row["key"])} for row in rows]
    assert sorted(found, key=str) == sorted(expected, key=str) and found
    assert cli.main(["probe", str(lake), "key", str(file), "--keys"]) == 0
    files, held = (len({row[name] for row in rows}) for name in ("file_name", "key"))
    assert f" in {files} files might hold {held} of 5 keys" in capsys.readouterr().out


@pytest.mark.full
def test_a_byte_order_mark_and_spaces_of_digits_are_no_part_of_a_key(
    command: Command, lake: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    marked = f"\ufeff{KEYS[0]}\n{KEYS[1]}"
    file = tmp_path / "marked"
    file.write_text(marked, encoding="utf-8")
    assert {row["key"] for row in command("probe", str(lake), "key", str(file), "--keys")} == {
        str(KEYS[0]), str(KEYS[1]),
    }  # fmt: skip
    monkeypatch.setattr(sys, "stdin", io.StringIO(marked))
    assert cli._lines_of("-") == [str(KEYS[0]), str(KEYS[1])]
    samples.write(tmp_path / "bytes.parquet", {"bin": [b"\x00\xff"]}, 1, filters=("bin",))
    file.write_text("00 ff\n0001", encoding="utf-8")
    found = command("probe", str(tmp_path / "bytes.parquet"), "bin", str(file), "--keys", "--hex")
    assert [row["key"] for row in found] == ["00FF"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "option", "status", "said"),
    [
        ("", "--keys", 2, "has no keys: write one on each line"),
        ("00\nxy", "--hex", 2, "line 2 is not hexadecimal"),
        ("1\nx", "--keys", 1, "the keys hold 1 of 2 that cannot be read as BIGINT"),
    ],
)
def test_a_file_of_wrong_keys_is_refused(
    lake: Path, tmp_path: Path, text: str, option: str, status: int, said: str, capsys: Any
) -> None:
    file = tmp_path / "keys"
    file.write_text(text, encoding="utf-8")
    assert cli.main(["probe", str(lake), "key", str(file), "--keys", option]) == status
    assert said in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize("arguments", [("inspect",), ("probe", "key", "7919"), ("advise", "key")])
def test_partitions_are_selected(
    command: Command, partitions: Path, arguments: tuple[str, ...]
) -> None:
    where = ("--where", "a = 1 AND `b c` = 0")
    found = command(arguments[0], str(partitions), *arguments[1:], *where)
    if arguments[0] == "advise":
        assert [row["row_groups"] for row in found] == [1]
    else:
        assert {Path(row["file_name"]).parent.name for row in found} == {"b c=0"}
        assert {Path(row["file_name"]).parents[1].name for row in found} == {"a=1"}


@pytest.mark.full
@pytest.mark.parametrize("arguments", [("inspect",), ("probe", "key", "7")])
def test_a_path_without_anything_is_named(
    tmp_path: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "nothing" / "here*")
    assert cli.main([arguments[0], path, *arguments[1:]]) == 1
    assert capsys.readouterr().err == f"spark-sbbf: no file or folder {path}\n"


@pytest.mark.full
def test_a_value_needs_a_file_that_states_the_column_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["probe", str(tmp_path), "key", "7"]) == 1
    assert f"no Parquet file in {tmp_path}" in capsys.readouterr().err


def test_the_doctor_reports_versions_kernels_and_every_setting(
    capsys: pytest.CaptureFixture[str], spark: SparkSession
) -> None:
    bad = "spark.sbbf.planning.threads=0"
    assert cli.main(["doctor", "--json", "--conf", bad]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["spark"].startswith(f"{spark.version} in ")
    of_session = sbbf.doctor(spark)
    assert all(found[name] == of_session[name] for name in ("scala", "java"))
    assert "filter blocks: scalar" in found["kernels"] and found["jar"] == sbbf.jar_path()
    assert "must be a whole number from 1 to 256" in found["spark.sbbf.planning.threads"]
    assert found["spark.sbbf.planning.sampleFiles"] == "32"
    expected = "missing, " if spark.version.startswith("3.5") else "present"
    assert found["jdk.incubator.vector"].startswith(expected)


@pytest.mark.full
def test_an_index_is_created_and_described(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, shown = tmp_path / "indexed", []

    @contextmanager
    def bar(title: str, unit: str, _: Any) -> Iterator[Any]:
        yield lambda done, all_: shown.append((title, unit, done == all_))

    monkeypatch.setattr(cli, "progress_bar", bar)
    samples.write(table / "0.parquet", {"key": KEYS}, ROWS)
    (created,) = command("create-index", str(table), "key")
    assert shown[-1] == ("create-index", "task", True)
    assert created["keys"] == len(KEYS) and created["segment"]
    (info,) = command("index-info", str(table))
    assert info["path_in_schema"] == "key" and info["files_covered"] == 1


@pytest.mark.full
def test_an_index_is_refreshed_and_dropped(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "indexed"
    samples.write(table / "0.parquet", {"key": KEYS}, ROWS)
    (dry,) = command("create-index", str(table), "key", "--dry-run")
    assert dry["files"] == 1 and dry["segment"] is None
    command("create-index", str(table), "key")
    assert cli.main(["refresh-index", str(table)]) == 0
    assert "nothing to do: the index knows all files" in capsys.readouterr().out
    options = ("--kind", "bloom", "--items", "0", "--fpp", "0.01")
    (zones,) = command("create-index", str(table), "key", *options)
    assert zones["keys"] == 0 and zones["entries"] == zones["row_groups"]
    assert {row["kind"] for row in command("index-info", str(table))} == {"keys", "bloom"}
    (dropped,) = command("drop-index", str(table))
    assert dropped["bytes"] > 0 and command("index-info", str(table)) == []
    assert cli.main(["refresh-index", str(table)]) == 1
    assert "has no index" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize("arguments", [("inspect",), ("probe", "key", "5")])
def test_filters_are_looked_at_without_a_session(
    lake: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    classes = tmp_path / "classes"
    command, *rest = arguments
    script = Path(sys.executable).parent / "spark-sbbf"
    done = subprocess.run(
        [script, command, str(lake), *rest],
        capture_output=True,
        env={**os.environ, "JAVA_TOOL_OPTIONS": f"-Xlog:class+load:file={classes}"},
    )
    assert done.returncode == 0
    loaded = classes.read_text()
    assert "io.sbbf.spark.cli." in loaded and "io.sbbf.parquet." in loaded
    assert "org.apache.spark.scheduler.TaskSchedulerImpl " not in loaded


def test_the_script_runs_on_its_own(lake: Path) -> None:
    script = [str(Path(sys.executable).parent / "spark-sbbf"), "probe", str(lake), "key", "5"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode == 0 and "4 of 8 row groups might hold it" in done.stdout


@pytest.fixture
def spark_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another installation of Spark, which shares all files with the installed one."""
    home, installed = tmp_path / "spark", find_spark().home
    home.mkdir()
    for part in ("bin", "jars"):
        (home / part).symlink_to(installed / part)
    monkeypatch.setenv("SPARK_HOME", str(home))
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    return home


def test_what_is_installed_is_in_every_session_and_uninstalled_in_none(
    spark: SparkSession, spark_home: Path, lake: Path, tmp_path: Path
) -> None:
    script = """
        import sys
        from pyspark.sql import SparkSession
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = builder.config("spark.sql.warehouse.dir", "/nonexistent").getOrCreate()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", "PrunedFileIndex" in df._jdf.queryExecution().toString(), df.count())
    """

    def answer() -> str:
        run = [sys.executable, "-c", textwrap.dedent(script), str(lake), str(KEYS[60])]
        done = subprocess.run(run, capture_output=True, text=True, timeout=180, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-3000:]
        return next(line for line in done.stdout.splitlines() if line.startswith("# "))

    assert cli.main(["install"]) == 0
    assert answer() == "# True 2"
    assert cli.main(["uninstall"]) == 0
    assert answer() == "# False 2"
    assert not (spark_home / "conf").exists() and not (spark_home / "sbbf").exists()
