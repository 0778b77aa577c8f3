"""Tests the command's arguments, and its output without a JVM."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spark_sbbf import cli, diagnostics
from spark_sbbf.jar import Spark
from spark_sbbf.table import common_folder, table

OURS = "io.sbbf.spark.SbbfExtensions"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "list the bloom filters of Parquet files"),
        (["look"], "invalid choice"),
        (["probe", "path", "column"], "value"),
        (["inspect", "path", "--conf", "spark.x"], "expected KEY=VALUE"),
        (["inspect", "path", "--conf", "=x"], "expected KEY=VALUE"),
    ],
)
def test_wrong_arguments_are_refused_with_the_usage(arguments, said, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2 and said in capsys.readouterr().err


def test_every_command_of_the_parser_can_run(capsys):
    with pytest.raises(SystemExit):
        cli.main(["look"])
    choices = re.search(r"choose from (.*)\)", capsys.readouterr().err)[1]
    assert set(re.findall(r"[a-z-]+", choices)) == set(cli.COMMANDS)


@pytest.mark.parametrize(
    ("line", "conf", "expected"),
    [
        ("4.3", {}, "not configured for all sessions; run 'spark-sbbf install'"),
        ("4.3", {"spark.jars": "hdfs:/x/spark-sbbf_2.13-1.jar"}, "in every session"),
        ("3.5", {"spark.jars": "hdfs:/x/spark-sbbf_2.12-1.jar"}, "does not name io.sbbf"),
        ("4.3", {"spark.jars": "/none/spark-sbbf_2.13-1.jar"}, "which does not exist"),
        ("4.3", {"spark.jars": "hdfs:/x/spark-sbbf_2.12-1.jar"}, "this Spark has Scala 2.13; run"),
        ("4.3", {"spark.sbbf.enabled": "false"}, "off in every session: spark.sbbf.enabled"),
        ("4.3", {"spark.sql.extensions": f"a.B,{OURS}"}, "its JAR is not in spark.jars"),
        (
            "3.5",
            {"spark.jars": "hdfs:/x/spark-sbbf_2.12-1.jar", "spark.sql.extensions": OURS},
            "in every session",
        ),
    ],
)
def test_the_doctor_states_whether_sessions_have_the_extension_or_why_not(
    tmp_path, line, conf, expected
):
    scala = "2.12" if line == "3.5" else "2.13"
    assert expected in diagnostics.extension(Spark(tmp_path, f"{line}.0", scala), conf)


def test_the_doctor_ends_with_what_stops_it(tmp_path, monkeypatch, capsys):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.4.4.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.delenv("SPARK_SBBF_JAR", raising=False)
    assert cli.main(["doctor", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["spark"].startswith("3.4.4 in ")
    assert "Spark 3.4.4 with Scala 2.12 is not supported" in found["problem"]


def test_numbers_stand_to_the_right_and_text_to_the_left():
    rows = [{"a": "x", "n": 12345, "f": 0.00012345}, {"a": "long", "n": None, "f": 2.0}]
    assert table(rows, ["a", "n", "f"]) == (
        "a          n         f\nx     12,345  0.000123\nlong                 2"
    )


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ([], ""),
        (["file:/a/b.parquet"], "file:/a/"),
        (["file:/a/k=1/b.parquet", "file:/a/k=12/b.parquet"], "file:/a/"),
        (["file:/a/b/x", "file:/a/x"], "file:/a/"),
    ],
)
def test_files_are_shown_below_the_folder_that_they_share(files, folder):
    assert common_folder(files) == folder


def test_importing_loads_neither_pyspark_nor_a_template():
    source = str(Path(cli.__file__).parents[1])
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import spark_sbbf;"
        "print(*{'pyspark', 'py4j', 'jinja2', 'tqdm'} & set(sys.modules))"
    )
    run = [sys.executable, "-S", "-c", script, source]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "\n"


def test_without_pyspark_only_what_needs_spark_says_so():
    source = str(Path(cli.__file__).parents[1])
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import spark_sbbf as sbbf;"
        "print(sbbf.bloom_options('a'));"
        "sbbf.enable(None)"
    )
    run = [sys.executable, "-S", "-c", script, source]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.stdout.startswith("{'parquet.bloom.filter.enabled#a': 'true'")
    assert "No module named 'pyspark'" in done.stderr
    assert "pip install 'spark-sbbf[pyspark]'" in done.stderr


def test_what_the_package_offers_is_completed_before_it_is_used():
    source = "import spark_sbbf as s; print(*set(s.__all__) - set(dir(s)))"
    package = str(Path(cli.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", source], cwd=package, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"\n")


@pytest.mark.parametrize(
    ("command", "bar"),
    [
        ("add-filters", "2.00k/2.00k"),
        ("create-index", "create-index: 100%"),
        ("index-info", "index-info: 100%"),
        ("inspect", None),
    ],
)
def test_commands_that_report_their_progress_show_a_bar(command, bar, monkeypatch, capsys):
    lines = [] if bar is None else ['{"done": 2000, "all": 2000}']
    lines += ['{"bytes": 1, "segment": "a"}'] * (command == "create-index")
    monkeypatch.setattr(cli, "find_spark", lambda: None)
    monkeypatch.setattr(cli, "settings_of", lambda *_: {})
    monkeypatch.setattr(cli, "run_command", lambda *_: (line for line in lines))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main([command, "t", *(["c"] if command[0] in "ac" else []), "--json"]) == 0
    shown = capsys.readouterr().err
    assert shown == "" if bar is None else bar in shown


def test_a_report_that_cannot_be_written_is_refused_before_the_job(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cli, "run_command", None)
    for report, said in ((tmp_path, "is a folder"), (tmp_path / "a" / "b", "no folder")):
        assert cli.main(["advise", "t", "--report", str(report)]) == 1
        assert said in capsys.readouterr().err


def test_the_package_offers_what_it_names_and_nothing_else():
    import spark_sbbf

    assert all(callable(getattr(spark_sbbf, name)) for name in spark_sbbf.__all__)
    assert not hasattr(spark_sbbf, "enabel")
