"""Tests the runner of the gate and of the full run: what it counts, and what makes it fail."""

import re
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

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
    monkeypatch.setattr(records, "WRITTEN", [records.FULL, records.SECONDS])
    monkeypatch.setenv("SBBF_FIXTURES", "somewhere")
    (tmp_path / ".git" / "info" / "exclude").write_text("build\nMakefile\n*.xml\n")
    return tmp_path


def git(tree, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", tree, *identity, *words], check=True)


def make(tree, **passed):
    """Writes a Makefile whose targets report so many tests passed, or what a text says."""
    lines = []
    for name, report in passed.items():
        case = "<testcase classname='s' name='n' time='7'/>"
        body = report if isinstance(report, str) else f"<testsuite>{case * report}</testsuite>"
        (tree / f"{name}.xml").write_text(body)
        lines.append(f"{name}:\n\t@mv {name}.xml $(reports)/tests.xml")
    (tree / "Makefile").write_text("\n".join(lines) + "\n")


def check(capsys, is_recording, *names, may_lose=False):
    chosen = [group for group in GROUPS if group.name in names]
    status = run.checked(chosen, is_recording, may_lose)
    return status, capsys.readouterr().out.splitlines()


def known():
    return {name: (line.passed, line.skipped) for name, line in records.load().items()}


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
    commit = records.head()
    found = {name: (line.passed, line.commit) for name, line in records.load().items()}
    assert found == {"gate": (5, commit), "large": (7, commit)}


def test_the_gate_passes_with_the_tests_of_the_full_run_and_names_what_it_left_out(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate=5)
    status, lines = check(capsys, False, "gate")
    assert status == 0 and lines[-1] == "5 passed, 0 failed"
    assert f"not in the gate: large, 7 passed at {records.head()}" in lines[-3]
    assert (tree / "build" / "sum.txt").read_text() == "5 passed, 0 failed\n"


def test_the_gate_fails_when_fewer_tests_pass_than_in_the_full_run(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate=4)
    status, lines = check(capsys, False, "gate")
    assert status == 1 and lines[-1] == "4 passed, 1 failed"
    assert lines[-2].startswith("FAILED gate: 4 tests passed, 5 in the full run at")


def test_a_full_run_records_fewer_tests_only_on_demand(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, large=6)
    status, lines = check(capsys, True, "large")
    assert status == 1 and known()["large"] == (7, 0)
    assert "6 tests passed, 7 in" in lines[-2] and "GROUPS=large FEWER=1" in lines[-2]
    make(tree, large=6)
    assert check(capsys, True, "large", may_lose=True)[0] == 0
    assert known()["large"] == (6, 0)


@pytest.mark.parametrize("is_recording", [True, False])
def test_a_group_in_which_no_test_passes_fails(tree, capsys, is_recording):
    make(tree, gate=0)
    status, lines = check(capsys, is_recording, "gate")
    failures = [line for line in lines if line.startswith("FAILED gate: no test passed")]
    assert status == 1 and len(failures) == 1
    assert known() == {}


def test_a_group_without_reports_is_recorded_when_it_succeeds(tree, capsys, monkeypatch):
    group = groups.Group("gate", "gate", "style", has_reports=False)
    monkeypatch.setattr(run, "GATE", [group])
    make(tree, gate=0)
    assert run.checked([group], is_recording=True) == 0
    assert known() == {"gate": (0, 0)}


@pytest.mark.parametrize("change", ["echo > file", "git commit -q --allow-empty -m two"])
def test_a_run_during_which_the_tree_changes_is_not_recorded(tree, capsys, monkeypatch, change):
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b.c")
    make(tree, gate=5)
    with (tree / "Makefile").open("a") as makefile:
        makefile.write(f"\t{change}\n")
    status, lines = check(capsys, True, "gate")
    assert status == 1 and known() == {}
    assert lines[-2].startswith("FAILED gate: not recorded")


def test_lines_that_are_recorded_meanwhile_stay(tree, capsys):
    make(tree, gate=5, large=7)
    records.put("large", 1, 0, 1, records.head())
    (tree / "full.txt").rename(tree / "other.xml")
    with (tree / "Makefile").open("a") as makefile:
        makefile.write("\nother.xml:\n\ngate: other\nother:\n\t@mv other.xml full.txt\n")
    assert check(capsys, True, "gate")[0] == 0
    assert known() == {"gate": (5, 0), "large": (1, 0)}


def test_only_the_settings_of_a_group_reach_its_tests(tree, capsys, monkeypatch):
    for name in ("GATE", "SEED", "QUERIES", "STRIDE"):
        monkeypatch.setenv(f"SBBF_{name}", "user")
    monkeypatch.setenv("MAKEFLAGS", " -- SBBF_QUERIES=user")
    make(tree, gate=1, large=1)
    text = (tree / "Makefile").read_text()
    (tree / "Makefile").write_text(text.replace("\t@", "\t@env | grep SBBF_ | sort > $@.env\n\t@"))
    (tree / ".git" / "info" / "exclude").open("a").write("*.env\n")
    status, lines = check(capsys, True, "gate", "large")
    seed = lines[1].rpartition("; ")[2]
    assert status == 0 and re.fullmatch(r"SBBF_SEED=\d+", seed)
    fixtures = "SBBF_FIXTURES=somewhere"
    assert (tree / "large.env").read_text().split() == [fixtures, seed]
    assert (tree / "gate.env").read_text().split() == [fixtures, "SBBF_GATE=1", "SBBF_SEED=45"]


def test_a_failure_is_named_and_leaves_the_line_of_the_run_before(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate", "large")
    make(tree, gate=REPORT)
    status, lines = check(capsys, True, "gate")
    assert status == 1 and "FAILED gate: io.sbbf.ASuite: loses none" in lines
    assert lines[-1] == "1 passed, 2 failed" and records.load()["gate"].passed == 5


def test_a_command_that_fails_without_a_failed_test_is_a_failure(tree, capsys):
    (tree / "Makefile").write_text("gate:\n\tfalse\n")
    status, lines = check(capsys, True, "gate")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")


@pytest.mark.parametrize(
    ("commits", "is_ancestor", "said"),
    [(3, True, None), (4, True, "4 commits old"), (0, False, "not an ancestor")],
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
        assert status == 1 and lines[-1] == "5 passed, 2 failed"
        assert all(said in line for line in lines[-3:-1])


def test_the_gate_fails_when_no_full_run_of_a_group_is_recorded(tree, capsys):
    make(tree, gate=5, large=7)
    check(capsys, True, "gate")
    make(tree, gate=5)
    status, lines = check(capsys, False, "gate")
    assert status == 1 and lines[-1] == "5 passed, 1 failed"
    assert lines[-2] == (
        "FAILED large: no full run is recorded; run 'make test-all GROUPS=large' and commit "
        "tests/results"
    )


def cases(passed, skipped):
    case = "<testcase name='a'{}testcase>".format
    return f"<testsuite>{case('></') * passed}{case('><skipped/></') * skipped}</testsuite>"


def test_without_the_public_files_skipped_tests_count_as_they_did(tree, capsys, monkeypatch):
    make(tree, gate=cases(passed=3, skipped=2), large=7)
    check(capsys, True, "gate", "large")
    monkeypatch.delenv("SBBF_FIXTURES")
    make(tree, gate=cases(passed=1, skipped=4))
    assert check(capsys, False, "gate")[0] == 0
    make(tree, gate=cases(passed=1, skipped=3))
    status, lines = check(capsys, False, "gate")
    assert status == 1 and "4 tests passed or were skipped, 5 in" in lines[-2]
    make(tree, gate=cases(passed=1, skipped=4))
    assert check(capsys, True, "gate")[0] == 1 and known()["gate"] == (3, 2)


def test_a_group_that_a_run_does_not_have_is_an_error_that_names_those_it_has():
    command = [sys.executable, CHECK, "gate", "--only", "suites", "--only", "lint"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no group of 'gate': suites; it has: lint, unit, jvm, python, sparks\n" in done.stderr


def test_several_sparks_have_one_folder_of_reports(monkeypatch):
    monkeypatch.delenv("MAKEFLAGS", raising=False)  # with the folder of these tests
    command = ["make", "--dry-run", "test-matrix", "ONLY=3.5.9 4.0.5", "JAVA=17"]
    for more, folder in ([], "build/reports/matrix"), (["reports=here"], "here"):
        done = subprocess.run([*command, *more], cwd=CHECK.parents[1], stdout=PIPE, text=True)
        assert f"--reports {folder}\n" in done.stdout


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
