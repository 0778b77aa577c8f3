"""Runs groups of tests one after the other, and says what failed, was lost or was left out."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections import Counter

import records
from groups import GATE, LARGE, ROOT, Group
from junit import Tests, read

REPORTS = ROOT / "build" / "reports"
GATE_SETTINGS = {"SBBF_GATE": "1", "SBBF_SEED": "45"}
"""Random tests repeat few cases, always the same: a change makes the gate fail, not chance."""
MAKE = ("make", "--no-print-directory")


def environment() -> dict[str, str]:
    """Returns the user's, without settings of tests and variables on the command line of make."""
    return {
        name: value
        for name, value in os.environ.items()
        if name == "SBBF_FIXTURES" or not name.startswith(("SBBF_", "MAKEFLAGS"))
    }


def prepare(group: Group) -> subprocess.Popen[bytes]:
    """Starts what can be made ready for a group while others run."""
    command = [*MAKE, group.ahead]
    return subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL)


def run(group: Group) -> tuple[list[str], Tests, float]:
    """Runs a group; returns what failed, its tests and its seconds."""
    folder = REPORTS / group.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = GATE_SETTINGS if group in GATE else {"SBBF_SEED": str(random.randrange(10**9))}
    shown = " ".join(f"{name}={value}" for name, value in settings.items())
    print(f"--- {group.name}: {group.what}; {shown}", flush=True)
    command = [*MAKE, f"reports={folder.relative_to(ROOT)}", *group.target.split()]
    start = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env={**environment(), **settings}).returncode
    took = time.monotonic() - start
    tests = read(folder)
    if tests.failures:
        return tests.failures, tests, took
    if status:
        return [f"'make {group.target}' failed; see above"], tests, took
    if group.has_reports and not tests.passed:
        return [f"no test passed; see above, and the reports in {folder}"], tests, took
    return [], tests, took


def lost(group: Group, tests: Tests, is_recording: bool) -> list[str]:
    """Returns a line if fewer tests passed than in the last full run.

    Where the gate misses the public files of other projects, tests that are skipped count as well.
    """
    before = records.load().get(group.name)
    if before is None:
        return []
    now, then, what = tests.passed, before.passed, "passed"
    if not is_recording and "SBBF_FIXTURES" not in os.environ:
        now, then, what = now + tests.skipped, then + before.skipped, "passed or were skipped"
    if now >= then:
        return []
    return [
        f"{now} tests {what}, {then} in the full run at {before.commit}; find those that are "
        f"missing. If they were removed on purpose, run 'make test-all GROUPS={group.name} "
        "FEWER=1' and commit tests/results"
    ]


def record(group: Group, tests: Tests, seconds: float, commit: str) -> list[str]:
    """Records a run that started at a commit; returns a line if the tree has changed since."""
    if records.head() != commit or records.is_changed():
        return [
            "not recorded, because the commit or files changed while it ran; commit, and run "
            f"'make test-all GROUPS={group.name}' again"
        ]
    records.put(group.name, tests.passed, tests.skipped, seconds, commit)
    return []


def checked(groups: list[Group], is_recording: bool, may_lose: bool = False) -> int:
    seconds, failures, times, passed = Counter[str](), [], [], 0
    prepared = {group: prepare(group) for group in groups if group.ahead}
    for group in groups:
        if group in prepared:
            prepared[group].wait()  # whether it failed shows in the group itself
        commit = records.head()
        failed, tests, took = run(group)
        if not (failed or may_lose):
            failed = lost(group, tests, is_recording)
        if is_recording and not failed:
            failed = record(group, tests, took, commit)
        failures += [f"{group.name}: {failure}" for failure in failed]
        passed += tests.passed
        times.append(f"{group.name} {took:.0f} s")
        if group.name in ("jvm", "python"):
            seconds += tests.seconds
    if is_recording and set(GATE) <= set(groups) and not failures:
        records.save_seconds(seconds)
    if not is_recording:
        known = records.load()
        failures += records.problems(known, [group.name for group in (*GATE, *LARGE)])
        print("\n".join(standing(known)))
    print(f"seconds: {', '.join(times)}")
    for failure in failures:
        print(f"FAILED {failure}")
    total = f"{passed} passed, {len(failures)} failed"
    (REPORTS / "sum.txt").write_text(total + "\n")
    print(total)
    return 1 if failures else 0


def standing(known: dict[str, records.Result]) -> list[str]:
    """Returns the last full run of each group that is not in the gate."""
    runs = [known[group.name] for group in LARGE if group.name in known]
    return [
        f"not in the gate: {run.group}, {run.passed} passed at {run.commit} on {run.date}"
        for run in runs
    ]
