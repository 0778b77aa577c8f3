"""Tests that the wheel takes exactly the JARs of this version, and builds missing and old ones."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

import hatch_build

MAKEFILE = Path(__file__).parents[2] / "Makefile"
SOURCE = "jvm/core/src/main/scala/A.scala"


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "VERSION").write_text("1.2.3\n")
    for name in ("build.sbt", "LICENSE", "project/plugins.sbt", "project/build.properties", SOURCE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    root = tmp_path / "python"
    root.mkdir()
    for scala in hatch_build.SCALA:
        folder = tmp_path / "jvm" / "spark" / "target" / f"scala-{scala}"
        folder.mkdir(parents=True)
        (folder / f"spark-sbbf_{scala}-1.2.3.jar").touch()
    return tmp_path


def test_one_jar_for_each_scala_version_is_taken(tree):
    names = [jar.name for jar in hatch_build.jars(tree / "python")]
    assert names == ["spark-sbbf_2.12-1.2.3.jar", "spark-sbbf_2.13-1.2.3.jar"]


def fake_sbt(tree, script):
    sbt = tree / "sbt"
    sbt.write_text(f"#!/bin/sh\ncd {tree}\n{script}\n")
    sbt.chmod(0o755)


def test_a_missing_jar_is_built(tree):
    jar = tree / "jvm/spark/target/scala-2.12/spark-sbbf_2.12-1.2.3.jar"
    jar.unlink()
    assert hatch_build.must_build(tree / "python")
    fake_sbt(tree, f'[ "$*" = assemblies ] && touch {jar}')
    assert jar in hatch_build.jars(tree / "python")
    assert not hatch_build.must_build(tree / "python")


@pytest.mark.parametrize(
    "name", ["build.sbt", "project/plugins.sbt", "project/build.properties", "LICENSE", SOURCE]
)
def test_a_jar_that_is_older_than_a_source_is_built_again(tree, name):
    assert not hatch_build.must_build(tree / "python")
    os.utime(tree / name, (time.time() + 60, time.time() + 60))
    assert hatch_build.must_build(tree / "python")


def test_a_jar_is_built_again_when_a_source_was_removed(tree):
    time.sleep(0.05)
    (tree / SOURCE).unlink()
    assert hatch_build.must_build(tree / "python")


def make_old(tree):
    for jar in tree.glob("jvm/spark/target/*/*.jar"):
        os.utime(jar, (1, 1))


def test_a_build_that_fails_leaves_an_old_jar_old(tree):
    make_old(tree)
    fake_sbt(tree, "exit 3")
    with pytest.raises(RuntimeError, match="status 3"):
        hatch_build.jars(tree / "python")
    assert hatch_build.must_build(tree / "python")


CHANGED_ONCE = f"""
echo built >> log
[ -f changed ] || {{ sleep 0.1; touch changed {SOURCE}; }}
touch jvm/spark/target/scala-*/*.jar"""
"""What sbt does while somebody changes a source during its first run."""


def test_a_source_that_changes_during_the_build_is_built_again(tree):
    make_old(tree)
    fake_sbt(tree, CHANGED_ONCE)
    for _ in range(3):
        hatch_build.jars(tree / "python")
    assert (tree / "log").read_text() == "built\nbuilt\n"


@pytest.mark.parametrize("target", ["jar", "test-jvm"])
def test_make_builds_a_source_again_that_changes_during_the_build(tree, target):
    shutil.copy(MAKEFILE, tree)
    (tree / "scripts").mkdir()
    (tree / "scripts" / "setup").symlink_to("/bin/true")
    (tree / "python" / "src").mkdir()
    fake_sbt(tree, CHANGED_ONCE)
    for each in (target, "jar", "jar"):
        subprocess.run(["make", each], cwd=tree, check=True)
    assert (tree / "log").read_text() == "built\nbuilt\n"


def test_a_build_that_fails_or_makes_no_jar_stops_the_build(tree, capfd):
    (tree / "jvm/spark/target/scala-2.12/spark-sbbf_2.12-1.2.3.jar").unlink()
    fake_sbt(tree, "echo '[error] no network'; exit 3")
    with pytest.raises(RuntimeError, match="status 3"):
        hatch_build.jars(tree / "python")
    assert "[error] no network" in capfd.readouterr().err
    fake_sbt(tree, "true")
    with pytest.raises(FileNotFoundError, match=r"no spark-sbbf_2\.12-1\.2\.3\.jar"):
        hatch_build.jars(tree / "python")


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0_292", None])
def test_a_build_without_a_jdk_17_says_so(tree, tmp_path, monkeypatch, version):
    (tree / "jvm/spark/target/scala-2.12/spark-sbbf_2.12-1.2.3.jar").unlink()
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    if version:
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        java.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))
    found = str(java) if version else "no java"
    with pytest.raises(RuntimeError, match=f"JDK 17 or newer; found {found}.*JAVA_HOME"):
        hatch_build.jars(tree / "python")


def test_a_jar_of_another_version_is_not_taken_instead(tree):
    (tree / "VERSION").write_text("1.2.4\n")
    fake_sbt(tree, "true")
    with pytest.raises(FileNotFoundError, match=r"1\.2\.4"):
        hatch_build.jars(tree / "python")


def test_a_jar_of_another_version_beside_the_right_one_stops_the_build(tree):
    (tree / "jvm/spark/target/scala-2.13/spark-sbbf_2.13-1.2.2.jar").touch()
    with pytest.raises(RuntimeError, match=r"found .*1\.2\.2.*make clean"):
        hatch_build.jars(tree / "python")


def test_an_unpacked_sdist_brings_its_own_jars(tree):
    root = tree / "python"
    (root / "PKG-INFO").touch()
    folder = root / "src" / "spark_sbbf" / "jars"
    folder.mkdir(parents=True)
    for scala in hatch_build.SCALA:
        (folder / f"spark-sbbf_{scala}-1.2.3.jar").touch()
    assert {jar.parent for jar in hatch_build.jars(root)} == {folder}
