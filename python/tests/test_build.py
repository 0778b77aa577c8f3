"""Tests that the wheel's build stops unless it finds exactly the JARs of this version."""

import pytest

import hatch_build


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "VERSION").write_text("1.2.3\n")
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


def test_a_missing_jar_stops_the_build(tree):
    (tree / "jvm/spark/target/scala-2.12/spark-sbbf_2.12-1.2.3.jar").unlink()
    with pytest.raises(FileNotFoundError, match=r"no spark-sbbf_2\.12-1\.2\.3\.jar.*make jar"):
        hatch_build.jars(tree / "python")


def test_a_jar_of_another_version_is_not_taken_instead(tree):
    (tree / "VERSION").write_text("1.2.4\n")
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
