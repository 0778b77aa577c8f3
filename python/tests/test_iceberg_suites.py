"""Tests how Iceberg's own tests are found, chosen and recorded."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tests" / "spark_suites"))
sys.path.append(str(Path(__file__).parents[2] / "tests" / "iceberg_suites"))
import console
from suites import Suite

SUITE = Suite("TestMerge", False, "a.TestMerge")


@pytest.mark.parametrize(
    ("test", "selected"),
    [
        ("testA()[3]", "--select-iteration=method:a.TestMerge#testA()[2]"),
        ("testA()", "--select-method=a.TestMerge#testA()"),
    ],
)
def test_one_invocation_of_a_test_runs(test, selected):
    assert console.console(SUITE, {test})[-1] == selected


def test_a_whole_class_runs_without_names_of_tests():
    assert console.console(SUITE, ())[-1] == "--select-class=a.TestMerge"


def test_versions_are_those_of_the_class_path():
    jars = ["iceberg-core-1.2.3-tests.jar", "iceberg-core-1.2.3.jar", "spark-sql_2.13-4.0.9.jar"]
    path = [f"/cache/{jar}" for jar in jars]
    assert console.versions(path) == ("1.2.3", "4.0.9")


def test_a_class_that_is_not_published_has_no_class_name(tmp_path, monkeypatch):
    monkeypatch.setattr(console, "HERE", tmp_path)
    (tmp_path / "suites.txt").write_text("# comment\nTestMerge\nTestGone\n")
    jar = tmp_path / "iceberg-spark-tests.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("a/TestMerge.class", "")
    assert console.suites_of([str(jar)]) == [SUITE, Suite("TestGone", False, None)]
