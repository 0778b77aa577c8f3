"""Tests the table of the test matrix: its counts and its place."""

import argparse
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tests" / "matrix.py"
sys.path.insert(0, str(SCRIPT.parent))

import matrix  # noqa: E402


@pytest.mark.parametrize(
    ("suite", "status", "counted"),
    [
        ('tests="9" failures="1" errors="2" skipped="1"', 1, ("5", "3", "1")),
        ('tests="9" failures="0" errors="0" skipped="1"', 0, ("8", "0", "1")),
        ('tests="9" failures="0" errors="0" skipped="1"', 1, ("8", "1", "1")),
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


def row(spark, java, passed="7"):
    return (spark, "2.13.18", f"{java}.0.15", "3.11.7", passed, "0", "1", "60", "1a2b3c4")


def test_a_row_goes_to_its_place_in_the_table_of_the_page(tmp_path, monkeypatch):
    page = tmp_path / "versions.md"
    page.write_text(f"# before\n{matrix.BEGIN}\nNot run yet.\n{matrix.END}\nafter\n")
    monkeypatch.setattr(matrix, "PAGE", page)
    newest, oldest, again = row("4.3.0", 25), row("3.5.9", 17), row("4.3.0", 25, passed="8")
    for written, rows in (
        (newest, [newest]),
        (oldest, [oldest, newest]),
        (again, [oldest, again]),
        (again, [oldest, again]),
    ):
        matrix.write_row(written)
        lines = page.read_text().splitlines()
        assert lines[:3] == ["# before", matrix.BEGIN, f"| {' | '.join(matrix.HEADINGS)} |"]
        assert lines[4:] == [*(f"| {' | '.join(r)} |" for r in rows), matrix.END, "after"]


def test_a_jdk_that_is_not_there_is_named(tmp_path, capsys):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch()
    arguments = argparse.Namespace(jdk17=tmp_path, jdk21=tmp_path / "no", jdk25=None)
    assert matrix.jdks(arguments) == {17: tmp_path}
    assert capsys.readouterr().out == (
        f"JDK 21: not found ({tmp_path / 'no'}), its rows are skipped\n"
        "JDK 25: not found (no path given), its rows are skipped\n"
    )


@pytest.mark.parametrize("spark", matrix.GATE)
def test_every_test_of_the_gate_exists_and_its_spark_is_in_the_matrix(spark):
    assert (spark, 17) in matrix.LEGS
    for test in matrix.GATE[spark]:
        assert (SCRIPT.parent / test.partition("::")[0]).exists()


def test_the_gate_has_what_the_newest_spark_skips_on_another_spark():
    in_gate = {test.partition("::")[0] for tests in matrix.GATE.values() for test in tests}
    for file in SCRIPT.parent.glob("lakes/test_*.py"):
        text = file.read_text()
        if "pytestmark = pytest.mark.skipif(" in text:
            assert f"lakes/{file.name}" in in_gate
