"""Tests that a Java that cannot run Spark is refused before anything starts."""

import os
import stat

import pytest

import spark_sbbf as sbbf
from spark_sbbf import jar, java


@pytest.fixture
def spark_of(monkeypatch, tmp_path):
    return lambda version: jar.Spark(tmp_path, version, "2.13")


@pytest.fixture
def java_home(tmp_path, monkeypatch):
    """Makes a JDK that states its version, in its file `release` or only when it runs."""

    def make(version, release=True, runs=True):
        home = tmp_path / f"jdk-{version}"
        (home / "bin").mkdir(parents=True)
        program = home / "bin" / "java"
        said = f"echo 'openjdk version \"{version}\" 2025-04-15' >&2" if runs else "echo broken"
        program.write_text(f"#!/bin/sh\n{said}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        if release:
            (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
        monkeypatch.setenv("JAVA_HOME", str(home))
        return str(program)

    return make


@pytest.mark.parametrize("release", [True, False])
@pytest.mark.parametrize(
    ("version", "number"), [("1.8.0_292", 8), ("11.0.2", 11), ("17.0.15", 17), ("25", 25)]
)
def test_the_version_is_read_from_the_release_file_or_java_s_output(
    java_home, version, number, release
):
    assert java.java_version(java_home(version, release)) == number


@pytest.mark.parametrize("version", ["1.8.0_292", "11.0.2"])
def test_a_java_that_is_too_old_is_refused_with_what_to_install(java_home, spark_of, version):
    program = java_home(version)
    with pytest.raises(RuntimeError, match=r"needs Java 17 or newer, but .* is Java \d+: ") as no:
        java.check_java(spark_of("3.5.9"))
    assert program in str(no.value) and "install a JDK 17 and set JAVA_HOME" in str(no.value)


@pytest.mark.parametrize(
    ("spark", "version"), [("3.5.9", "25.0.3"), ("4.0.5", "25.0.3"), ("4.1.4", "23")]
)
def test_a_java_that_an_older_spark_does_not_start_on_is_refused(
    java_home, spark_of, spark, version
):
    java_home(version)
    with pytest.raises(RuntimeError, match=rf"Spark {spark} does not start on Java \d+.*17 to 22"):
        java.check_java(spark_of(spark))


@pytest.mark.parametrize(
    ("spark", "version"),
    [("3.5.9", "17.0.15"), ("4.0.5", "21.0.1"), ("4.2.1", "25.0.3"), ("4.3.0", "17.0.15")],
)
def test_a_java_that_fits_is_answered(java_home, spark_of, spark, version):
    program = java_home(version)
    assert java.check_java(spark_of(spark)) == program


def test_without_any_java_the_error_says_what_to_install(monkeypatch, tmp_path, spark_of):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"no Java found on the PATH.*install a JDK 17"):
        java.check_java(spark_of("4.3.0"))


def test_a_java_home_without_java_is_named(monkeypatch, tmp_path, spark_of):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        RuntimeError, match=rf"no Java found in JAVA_HOME \({tmp_path}\): install a"
    ):
        java.check_java(spark_of("4.3.0"))


def test_a_java_that_prints_no_version_is_named(java_home, spark_of):
    program = java_home("?", release=False, runs=False)
    with pytest.raises(RuntimeError, match="cannot read the version") as no:
        java.check_java(spark_of("4.3.0"))
    assert program in str(no.value)


def test_enable_refuses_a_builder_before_its_session_starts(java_home, monkeypatch):
    from pyspark.sql import SparkSession

    java_home("11.0.2")
    monkeypatch.delenv("SPARK_HOME", raising=False)
    before = dict(SparkSession.builder._options)
    with pytest.raises(RuntimeError, match="needs Java 17"):
        sbbf.enable(SparkSession.builder)
    assert dict(SparkSession.builder._options) == before
    assert "PYSPARK_GATEWAY_PORT" not in os.environ
