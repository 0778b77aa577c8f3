"""The pipe to the JVM that answers the command line, with a program in its place."""

import subprocess
from itertools import islice
from pathlib import Path

import pytest

from spark_sbbf import jvm
from spark_sbbf.jar import Spark


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Puts a script in the place of Java, asks it something, and keeps its process."""
    started = []

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(jvm, "jar_path", lambda: "own.jar")

    def ask(script, question="list", settings=None):
        program = tmp_path / "java"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(jvm, "check_java", lambda spark: str(program))
        spark = Spark(Path("/opt/spark"), "4.3.0", "2.13")
        return jvm.answers(spark, question, {}, settings or {}), started

    return ask


def test_lines_come_as_they_are_printed(asked):
    lines, _ = asked("cat > /dev/null; echo '{1}'; echo 'Using G1'; echo '{2}'")
    assert list(lines) == ["{1}\n", "{2}\n"]


def test_who_stops_reading_ends_the_jvm(asked):
    lines, started = asked("echo '{1}'; exec sleep 600")
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
def test_the_reason_of_a_failure_is_told(asked, script, said):
    lines, _ = asked(script)
    with pytest.raises(RuntimeError, match=said):
        list(lines)


def test_a_jvm_that_ends_before_it_is_asked_is_no_closed_pipe(asked):
    lines, _ = asked("echo no room >&2; exit 3", settings={"spark.a": "x" * 1_000_000})
    with pytest.raises(RuntimeError, match="java ended with status 3: no room"):
        list(lines)


def test_the_class_path_is_that_of_spark_s_launcher(asked, tmp_path, monkeypatch):
    own, hadoop = tmp_path / "a jar.jar", tmp_path / "hadoop"
    own.touch()
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("SPARK_DIST_CLASSPATH", f"{hadoop}/*:{hadoop}/conf")
    jars = f"{own.as_uri()}, local:{own}, {own},hdfs:/a.jar"
    lines, _ = asked('cat > /dev/null; printf "{%s}\n" "$@"', settings={"spark.jars": jars})
    words = [line.strip("{}\n") for line in lines]
    assert words[words.index("-cp") + 1].split(":") == [
        "own.jar",
        *(3 * [str(own)]),
        str(tmp_path),
        "/opt/spark/jars/*",
        f"{hadoop}/*",
        f"{hadoop}/conf",
    ]


@pytest.mark.parametrize(("question", "theirs"), [("change", True), ("list", False)])
def test_what_runs_jobs_gets_the_driver_s_java_options(asked, question, theirs):
    settings = {"spark.driver.extraJavaOptions": "-XX:+UseG1GC '-Dname=two words'"}
    lines, _ = asked('cat > /dev/null; printf "{%s}\\n" "$@"', question, settings)
    options = [line.strip("{}\n") for line in lines]
    assert {"-XX:+UseG1GC", "-Dname=two words"}.issubset(options) == theirs
    assert ("-XX:+UseSerialGC" in options) != theirs
