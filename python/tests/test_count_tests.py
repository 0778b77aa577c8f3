"""The sums that close a run of all tests."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "count_tests.py"
spec = importlib.util.spec_from_file_location("count_tests", SCRIPT)
count_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(count_tests)

SBT = """
[info] Tests: succeeded 9, failed 0, canceled 0, ignored 0, pending 0
[info] Passed: Total 9, Failed 0, Errors 0, Passed 9
\x1b[0m[\x1b[0m\x1b[31merror\x1b[0m] Failed: Total 5, Failed 1, Errors 0, Passed 4
[error] Error: Total 3, Failed 0, Errors 1, Passed 2, Ignored 1
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
    good = SBT.splitlines()[2]
    status, lines = run(good + "\n" + good, [(7, 0, 0, 2), (1, 0, 0, 0)], "jvm 18\npython 6")
    assert (status, lines) == (0, ["24 passed, 0 failed"])


def test_failures_and_errors_fail_the_run(run):
    status, lines = run(SBT, [(5, 1, 1, 1)], "# least\njvm 1\npython 1")
    assert (status, lines[-1]) == (1, "17 passed, 4 failed")


@pytest.mark.parametrize(
    ("expected", "lost"), [("jvm 10\npython 1", "jvm"), ("jvm 1\npython 8", "python")]
)
def test_fewer_tests_than_expected_fail_the_run(expected, lost, run):
    status, lines = run(SBT.splitlines()[2], [(7, 0, 0, 0)], expected)
    assert status == 1 and lines[0].startswith(f"{lost}: ")
    assert lines[-1] == "16 passed, 0 failed"


def test_a_run_without_any_report_fails(tmp_path, capsys):
    (tmp_path / "expected").write_text("jvm 1\npython 1")
    assert count_tests.main(tmp_path, tmp_path / "expected") == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 0 failed\n")
