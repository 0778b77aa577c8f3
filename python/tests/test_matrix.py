"""The table of the test matrix: what is counted, and where it is written."""

import argparse
import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tests" / "matrix.py"
spec = importlib.util.spec_from_file_location("matrix", SCRIPT)
matrix = importlib.util.module_from_spec(spec)
sys.modules["matrix"] = matrix  # dataclasses look their module up
spec.loader.exec_module(matrix)

ROW = ("4.3.0", "2.13.18", "17.0.15", "3.11.7", "7", "0", "1", "60")


@pytest.mark.parametrize(
    ("suite", "status", "counted"),
    [
        ('tests="9" failures="1" errors="2" skipped="1"', 1, ("5", "3", "1")),
        ('tests="9" failures="0" errors="0" skipped="1"', 0, ("8", "0", "1")),
        ('tests="9" failures="0" errors="0" skipped="0"', 2, ("9", "1", "0")),
        ('tests="9" failures="0" errors="0" skipped="0"', 3, ("9", "1", "0")),
        ('tests="9" failures="0" errors="0" skipped="0"', -9, ("9", "1", "0")),
        ('tests="9" failures="2" errors="0" skipped="0"', 2, ("7", "2", "0")),
        ('tests="9" failures="0" errors="0" skipped="9"', 0, ("0", "1", "9")),
        ('tests="0" failures="0" errors="0" skipped="0"', 5, ("0", "1", "0")),
        (None, 1, ("0", "1", "0")),
        (None, 0, ("0", "1", "0")),
    ],
)
def test_a_run_that_did_not_end_or_passed_nothing_is_a_failure(tmp_path, suite, status, counted):
    report = tmp_path / "report.xml"
    if suite:
        report.write_text(f"<testsuites><testsuite {suite}/></testsuites>")
    assert matrix.counts(report, status) == counted


def test_the_table_replaces_the_one_on_the_page_and_nothing_else(tmp_path, monkeypatch):
    page = tmp_path / "versions.md"
    page.write_text(f"# before\n{matrix.BEGIN}\nold\n{matrix.END}\nafter\n")
    monkeypatch.setattr(matrix, "PAGE", page)
    for _ in range(2):
        matrix.write_page(matrix.as_markdown([ROW]))
    lines = page.read_text().splitlines()
    assert lines[:3] == ["# before", matrix.BEGIN, f"| {' | '.join(matrix.HEADINGS)} |"]
    assert lines[4:] == [f"| {' | '.join(ROW)} |", matrix.END, "after"]


def test_a_jdk_that_is_not_there_is_named(tmp_path, capsys):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch()
    asked = argparse.Namespace(jdk17=tmp_path, jdk25=None)
    assert matrix.jdks(asked) == {17: tmp_path}
    assert capsys.readouterr().out == ("JDK 25: not found (no path given), its rows are skipped\n")


@pytest.mark.parametrize("spark", matrix.SMOKE)
def test_every_smoke_test_exists_and_its_spark_is_in_the_matrix(spark):
    assert (spark, 17) in matrix.LEGS
    for test in matrix.SMOKE[spark]:
        assert (SCRIPT.parent / test.partition("::")[0]).exists()
