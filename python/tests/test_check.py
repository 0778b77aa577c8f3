"""Tests the runner of the gate and of the full run: what it counts, and what makes it fail."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tests" / "check"
sys.path.insert(0, str(CHECK))

import groups  # noqa: E402
import junit  # noqa: E402
import records  # noqa: E402
import run  # noqa: E402

REPORT = """<testsuites><testsuite>
<testcase classname="io.sbbf.ASuite" name="keeps rows" time="1.5"/>
<testcase classname="io.sbbf.ASuite" name="loses none" time="2">
<failure message="3 was not 4&#10;at"/></testcase>
<testcase classname="tests.test_a" name="b" time="0.25"><error message="no Spark"/></testcase>
<testcase classname="tests.test_a" name="c"><skipped message="why"/></testcase>
</testsuite></testsuites>"""

GROUPS = (groups.Group("gate", "gate", "quick"), groups.Group("large", "large", "slow"))


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository with one commit, whose groups are two that run what a test writes into them."""
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        git(tmp_path, *command)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "REPORTS", tmp_path / "build")
    monkeypatch.setattr(run, "GATE", GROUPS[:1])
    monkeypatch.setattr(run, "LARGE", GROUPS[1:])
    monkeypatch.setattr(records, "ROOT", tmp_path)
    monkeypatch.setattr(records, "GROUPS", GROUPS)
    monkeypatch.setattr(records, "FULL", tmp_path / "full.txt")
    monkeypatch.setattr(records, "SECONDS", tmp_path / "seconds.txt")
    monkeypatch.setenv("SBBF_FIXTURES", "somewhere")
    (tmp_path / ".gitignore").write_text("*\n")
    return tmp_path


def git(tree, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", tree, *identity, *words], check=True)


def make(tree, **passed):
    """Writes a Makefile whose targets report so many tests passed; 'fail' reports a failure."""
    lines = []
    for name, count in passed.items():
        case = "<testcase classname='s' name='n' time='7'/>"
        body = REPORT if count == "fail" else f"<testsuite>{case * count}</testsuite>"
        (tree / f"{name}.xml").write_text(body)
        lines.append(f"{name}:\n\t@mv {name}.xml build/{name}/tests.xml")
    (tree / "Makefile").write_text("\n".join(lines) + "\n")


def check(capsys, is_recording, *names):
    chosen = [group for group in GROUPS if group.name in names]
    status = run.checked(chosen, is_recording)
    return status, capsys.readouterr().out.splitlines()


def test_reports_are_added_up_with_failures_and_seconds(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.xml").write_text(REPORT)
    tests = junit.read(tmp_path)
    assert (tests.passed, tests.skipped) == (1, 1)
    assert tests.failures == [
        "io.sbbf.ASuite: loses none\n    3 was not 4",
        "tests.test_a: b\n    no Spark",
    ]
    assert tests.seconds == {"io.sbbf.ASuite": 3.5, "tests.test_a": 0.25}


def test_a_full_run_records_each_group_with_its_commit(tree, capsys):
    make(tree, gate=5, large=7)
    assert check(capsys, True, "gate", "large")[0] == 0
    commit = records.commit()
    found = {name: (line.passed, line.commit) for name, line in records.load().items()}
    assert found == {"gate": (5, commit), "large": (7, commit)}


def test_the_gate_passes_with_the_tests_of_the_full_run_and_names_what_it_left_out(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate=5)
    status, lines = check(capsys, False, "gate")
    assert status == 0 and lines[-1] == "5 passed, 0 failed"
    assert f"not in the gate: large, 7 passed at {records.commit()}" in lines[-3]
    assert (tree / "build" / "sum.txt").read_text() == "5 passed, 0 failed\n"


def test_the_gate_fails_when_fewer_tests_pass_than_in_the_full_run(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate=4)
    status, lines = check(capsys, False, "gate")
    assert status == 1 and "gate: 4 tests passed, 5 at" in lines[-3]


def test_a_failure_is_named_and_leaves_the_line_of_the_run_before(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate="fail")
    status, lines = check(capsys, True, "gate")
    assert status == 1 and "FAILED io.sbbf.ASuite: loses none" in lines
    assert lines[-1] == "1 passed, 2 failed" and records.load()["gate"].passed == 5


def test_a_command_that_fails_without_a_failed_test_is_a_failure(tree, capsys):
    (tree / "Makefile").write_text("gate:\n\tfalse\n")
    status, lines = check(capsys, True, "gate")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")


@pytest.mark.parametrize(
    ("commits", "is_ancestor", "said"),
    [(3, True, None), (4, True, "4 commits old"), (0, False, "of no ancestor")],
)
def test_the_gate_fails_when_the_last_full_run_is_too_old_or_elsewhere(
    tree, capsys, monkeypatch, commits, is_ancestor, said
):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    if not is_ancestor:
        git(tree, "commit", "-q", "--amend", "--allow-empty", "-m", "another")
    monkeypatch.setattr(records, "MOST_COMMITS", 3)
    for n in range(commits):
        git(tree, "commit", "-q", "--allow-empty", "-m", str(n))
    make(tree, gate=5)
    status, lines = check(capsys, False, "gate")
    if said is None:
        assert status == 0
    else:
        assert status == 1 and said in lines[-3]


def test_a_group_of_which_no_run_is_recorded_is_named(tree, capsys):
    make(tree, gate=5)
    status, lines = check(capsys, False, "gate")
    assert status == 0 and "large, of which no run is recorded" in lines[-3]


def test_without_the_public_files_tests_that_are_skipped_count(tree, capsys, monkeypatch):
    make(tree, gate=2, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate=2)
    (tree / "gate.xml").write_text(
        "<testsuite><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite>"
    )
    monkeypatch.delenv("SBBF_FIXTURES")
    assert check(capsys, False, "gate")[0] == 0


def test_every_group_is_a_target_of_make():
    makefile = (CHECK.parents[1] / "Makefile").read_text()
    for group in groups.GROUPS:
        for word in f"{group.target} {group.ahead}".split():
            assert "=" in word or f"\n{word}:" in makefile, group


def test_every_spark_but_the_newest_which_setup_installs_is_a_group():
    requirements = (CHECK.parents[1] / "requirements-dev.txt").read_text()
    newest = next(spark for spark, _ in groups.LEGS if f"pyspark=={spark}\n" in requirements)
    names = {group.name for group in groups.GROUPS}
    missing = {spark for spark, _ in groups.LEGS if f"spark-{spark}" not in names}
    assert missing == {newest}
