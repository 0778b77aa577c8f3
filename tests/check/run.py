"""Runs groups of tests one after the other, and says what failed, was lost or was left out."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter

import records
from groups import GATE, LARGE, ROOT, Group
from junit import Tests, read

REPORTS = ROOT / "build" / "reports"
GATE_SETTINGS = {"SBBF_GATE": "1", "SBBF_SEED": "45"}
"""Random tests repeat few cases, always the same: the gate fails of a change, not of chance."""


def run(group: Group) -> tuple[bool, Tests, float]:
    """Runs a group; returns whether it succeeded, its tests and its seconds."""
    folder = REPORTS / group.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"--- {group.name}: {group.what}", flush=True)
    start = time.monotonic()
    settings = GATE_SETTINGS if group in GATE else {}
    command = ["make", "--no-print-directory", *group.target.split()]
    status = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}).returncode
    tests = read(folder)
    return status == 0 and not tests.failures, tests, time.monotonic() - start


def start(group: Group) -> subprocess.Popen[bytes]:
    """Starts what can be made ready for a group while others run."""
    command = ["make", "--no-print-directory", group.ahead]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def lost(group: Group, tests: Tests, known: dict[str, records.Result]) -> str | None:
    """Returns a line if fewer tests passed than in the last full run.

    Where the public files of other projects are missing, their tests are skipped, and count.
    """
    passed = tests.passed if "SBBF_FIXTURES" in os.environ else tests.passed + tests.skipped
    if group.name not in known or passed >= known[group.name].passed:
        return None
    before = known[group.name]
    return (
        f"{group.name}: {passed} tests passed, {before.passed} at {before.commit}; if they were "
        f"removed on purpose, run 'make test-all GROUPS={group.name}' and commit its result"
    )


def checked(groups: list[Group], is_recording: bool) -> int:
    known, seconds = records.load(), Counter[str]()
    failures, complaints, times, passed = [], [], [], 0
    ahead = {group: start(group) for group in groups if group.ahead}
    for group in groups:
        if group in ahead:
            ahead[group].wait()  # whether it failed shows in the group itself
        good, tests, took = run(group)
        passed += tests.passed
        failures += tests.failures
        times.append(f"{group.name} {took:.0f} s")
        if not good and not tests.failures:
            failures.append(f"{group.name}: 'make {group.target}' failed; see above")
        if group.name in ("jvm", "python"):
            seconds += tests.seconds
        if good and is_recording:
            known[group.name] = records.of_now(group.name, tests.passed, tests.skipped, took)
            records.save(known)
        elif good and (complaint := lost(group, tests, known)):
            complaints.append(complaint)
    if is_recording and set(GATE) <= set(groups) and not failures:
        records.save_seconds(seconds)
    if not is_recording:
        complaints += records.problems(known, [group.name for group in LARGE])
    report(failures, complaints, times, [] if is_recording else not_run(known))
    total = f"{passed} passed, {len(failures)} failed"
    (REPORTS / "sum.txt").write_text(total + "\n")
    print(total)
    return 1 if failures or complaints else 0


def not_run(known: dict[str, records.Result]) -> list[str]:
    """Returns a line for each group that is not in the gate, with its last full run."""
    return [f"not in the gate: {group.name}, {last(known.get(group.name))}" for group in LARGE]


def last(found: records.Result | None) -> str:
    if found is None:
        return "of which no run is recorded"
    return f"{found.passed} passed at {found.commit} on {found.date}"


def report(*parts: list[str]) -> None:
    failures, complaints, times, others = parts
    for failure in failures:
        print(f"FAILED {failure}")
    for line in [*others, *complaints]:
        print(line)
    print(f"seconds: {', '.join(times)}")
