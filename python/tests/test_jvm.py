"""Tests the pipe to the JVM that runs commands, with a script in place of Java."""

import subprocess
from itertools import islice
from pathlib import Path

import pytest

from spark_sbbf import jvm
from spark_sbbf.jar import Spark


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command with a script in place of Java, and keeps the script's process."""
    started = []

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(jvm, "jar_path", lambda: "own.jar")

    def run_script(script, command="list", settings=None):
        program = tmp_path / "java"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(jvm, "check_java", lambda spark: str(program))
        spark = Spark(Path("/opt/spark"), "4.3.0", "2.13")
        return jvm.run_command(spark, command, {}, settings or {}), started

    return run_script


def test_lines_come_as_they_are_printed(run):
    lines, _ = run("cat > /dev/null; echo '{1}'; echo 'Using G1'; echo '{2}'")
    assert list(lines) == ["{1}\n", "{2}\n"]


def test_a_reader_that_stops_ends_the_jvm(run):
    lines, started = run("echo '{1}'; exec sleep 600")
    assert list(islice(lines, 1)) == ["{1}\n"]
    assert started[0].poll() is None
    lines.close()
    assert started[0].returncode is not None


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('cat > /dev/null; echo \'{"error": "no such file"}\'', "no such file"),
        ("cat > /dev/null; echo broken >&2; exit 3", "java ended with status 3: broken"),
    ],
)
def test_the_reason_of_a_failure_is_raised(run, script, said):
    lines, _ = run(script)
    with pytest.raises(RuntimeError, match=said):
        list(lines)


def test_a_jvm_that_ends_before_it_reads_its_input_is_no_closed_pipe(run):
    lines, _ = run("echo no room >&2; exit 3", settings={"spark.a": "x" * 1_000_000})
    with pytest.raises(RuntimeError, match="java ended with status 3: no room"):
        list(lines)


def test_the_class_path_is_that_of_spark_s_launcher(run, tmp_path, monkeypatch):
    own, hadoop = tmp_path / "a jar.jar", tmp_path / "hadoop"
    own.touch()
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("SPARK_DIST_CLASSPATH", f"{hadoop}/*:{hadoop}/conf")
    jars = f"{own.as_uri()}, local:{own}, {own},hdfs:/a.jar"
    lines, _ = run('cat > /dev/null; printf "{%s}\n" "$@"', settings={"spark.jars": jars})
    words = [line.strip("{}\n") for line in lines]
    assert words[words.index("-cp") + 1].split(":") == [
        "own.jar",
        *(3 * [str(own)]),
        str(tmp_path),
        "/opt/spark/jars/*",
        f"{hadoop}/*",
        f"{hadoop}/conf",
    ]


@pytest.mark.parametrize(
    ("command", "theirs"),
    [
        ("add_filters", True),
        ("advise", True),
        ("keys", True),
        ("index_info", True),
        ("list", False),
    ],
)
def test_what_runs_jobs_gets_the_driver_s_java_options(run, command, theirs):
    settings = {
        "spark.driver.extraJavaOptions": "-XX:+UseG1GC '-Dname=two words'",
        "spark.driver.memory": "3g",
    }
    lines, _ = run('cat > /dev/null; printf "{%s}\\n" "$@"', command, settings)
    options = [line.strip("{}\n") for line in lines]
    assert {"-Dname=two words", "-Xmx3g"} <= set(options)
    assert ("-XX:+UseG1GC" in options) == theirs
    assert ("-XX:+UseSerialGC" in options) != theirs
