"""Tests the sums that close a run of all tests."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "count_tests.py"
spec = importlib.util.spec_from_file_location("count_tests", SCRIPT)
count_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(count_tests)

GOOD = """
[info] Total number of tests run: 9
[info] Suites: completed 2, aborted 0
[info] Tests: succeeded 9, failed 0, canceled 0, ignored 0, pending 0
"""
BAD = """
\x1b[0m[\x1b[0m\x1b[31minfo\x1b[0m] \x1b[31mSuites: completed 3, aborted 1\x1b[0m
[info] Tests: succeeded 4, failed 2, canceled 0, ignored 1, pending 0
"""
PYTEST = '<testsuites><testsuite tests="{}" failures="{}" errors="{}" skipped="{}"/></testsuites>'


@pytest.fixture
def run(tmp_path, capsys):
    def counted(sbt, reports, expected):
        (tmp_path / "jvm.log").write_text(sbt)
        for number, counts in enumerate(reports):
            (tmp_path / f"{number}.xml").write_text(PYTEST.format(*counts))
        (tmp_path / "expected").write_text(expected)
        status = count_tests.main(tmp_path, tmp_path / "expected")
        return status, capsys.readouterr().out.splitlines()

    return counted


def test_modules_and_reports_are_added_up(run):
    status, lines = run(GOOD + GOOD, [(7, 0, 0, 2), (1, 0, 0, 0)], "jvm 18\npython 6")
    assert (status, lines) == (0, ["24 passed, 0 failed"])


def test_failures_and_errors_fail_the_run(run):
    status, lines = run(GOOD + BAD, [(5, 1, 1, 1)], "# least\njvm 1\npython 1")
    assert (status, lines[-1]) == (1, "15 passed, 5 failed")


@pytest.mark.parametrize(
    ("expected", "lost"), [("jvm 10\npython 1", "jvm"), ("jvm 1\npython 8", "python")]
)
def test_fewer_tests_than_expected_fail_the_run(expected, lost, run):
    status, lines = run(GOOD, [(7, 0, 0, 0)], expected)
    assert status == 1 and lines[0].startswith(f"{lost}: ")
    assert lines[-1] == "16 passed, 0 failed"


def test_a_group_that_was_left_out_may_have_no_tests(run, tmp_path, capsys):
    run(GOOD, [(7, 0, 0, 0)], "jvm 9\npython 7\nsmoke 5\nspark 3")
    assert count_tests.main(tmp_path, tmp_path / "expected", ["spark"]) == 1
    assert count_tests.main(tmp_path, tmp_path / "expected", ["smoke", "spark"]) == 0
    assert "smoke: left out" in capsys.readouterr().out


def test_reports_of_entry_points_and_of_other_sparks_are_groups_of_their_own(run, tmp_path):
    (tmp_path / "spark-3.5.9-jdk.xml").write_text(PYTEST.format(5, 0, 0, 1))
    (tmp_path / "spark-suites.xml").write_text(PYTEST.format(3, 0, 0, 0))
    (tmp_path / "entry.xml").write_text(PYTEST.format(2, 0, 0, 0))
    status, lines = run(GOOD, [(7, 0, 0, 0)], "jvm 9\npython 7\nentry 2\nsmoke 4\nspark 3")
    assert (status, lines[-1]) == (0, "25 passed, 0 failed")


def test_failed_jvm_tests_are_named_with_their_reason(run):
    log = "\x1b[31m- loses no row *** FAILED *** (8 ms)\x1b[0m\n[info]   3 was not 4 (A.scala:1)\n"
    _, lines = run(log + BAD, [], "jvm 1\npython 0")
    assert lines[:2] == ["- loses no row *** FAILED *** (8 ms)", "[info]   3 was not 4 (A.scala:1)"]


def test_a_run_without_any_report_fails(tmp_path, capsys):
    (tmp_path / "expected").write_text("jvm 1\npython 1")
    assert count_tests.main(tmp_path, tmp_path / "expected") == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 0 failed\n")
