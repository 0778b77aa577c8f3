"""Keeps what full runs found: tests/results/full.txt, and the seconds of suites beside it."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from datetime import date
from pathlib import Path

from groups import GROUPS, ROOT

FULL = ROOT / "tests" / "results" / "full.txt"
SECONDS = FULL.with_name("seconds.txt")
WRITTEN = [
    FULL,
    SECONDS,
    ROOT / "docs" / "versions.md",
    ROOT / "tests" / "spark_suites" / "results",
    ROOT / "tests" / "iceberg_suites" / "results",
]
"""What full runs write: it may change between a commit and its tests."""
MOST_COMMITS = 200
"""The age of a result at which the gate fails."""


@dataclass(frozen=True)
class Result:
    """One line of full.txt: the last run of a group in which no test failed."""

    group: str
    passed: int
    skipped: int
    seconds: int
    commit: str
    date: str
    machine: str


HEADER = (
    "What 'make test-all' ran, a line for each group. A run in which a test fails leaves the line "
    "of the run before."
)


def load() -> dict[str, Result]:
    """Returns the lines of full.txt by their group."""
    lines = FULL.read_text(encoding="utf-8").splitlines()[2:] if FULL.is_file() else []
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {c[0]: Result(c[0], int(c[1]), int(c[2]), int(c[3]), *c[4:]) for c in cells}


def save(results: Mapping[str, Result]) -> None:
    """Writes the lines, in the order of the groups."""
    names = [field.name for field in fields(Result)]
    rows = [astuple(results[group.name]) for group in GROUPS if group.name in results]
    table = [names, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[n]) for row in table) for n in range(len(names))]
    lines = [
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    FULL.parent.mkdir(exist_ok=True)
    FULL.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")


def save_seconds(seconds: Mapping[str, float]) -> None:
    """Writes the seconds of suites and files of tests; the gate starts the longest first."""
    lines = [f"{time:.1f} {name}" for name, time in sorted(seconds.items()) if time >= 0.05]
    SECONDS.write_text("\n".join(["# seconds and suite, in the gate", *lines]) + "\n")


def put(group: str, passed: int, skipped: int, seconds: float, commit: str) -> None:
    """Writes the line of a group that has just run. Others may have changed during its hours."""
    today = date.today().isoformat()
    result = Result(group, passed, skipped, round(seconds), commit, today, machine())
    save({**load(), group: result})


def machine() -> str:
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    versions = f"Java {java.split(chr(34))[1]}, Python {platform.python_version()}"
    return f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, {versions}"


def git(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)


def head() -> str:
    return git("rev-parse", "--short=10", "HEAD").stdout.strip()


def is_changed() -> bool:
    """Returns whether the tree differs from its commit, except in what full runs write."""
    others = [f":!{path.relative_to(ROOT)}" for path in WRITTEN]
    return bool(git("status", "--porcelain", "--", ".", *others).stdout.strip())


def age(result: Result) -> int | None:
    """Returns the number of commits since a result; None where its commit is no ancestor."""
    if git("merge-base", "--is-ancestor", result.commit, "HEAD").returncode:
        return None
    return int(git("rev-list", "--count", f"{result.commit}..HEAD").stdout)


def problems(results: Mapping[str, Result], groups: Iterable[str]) -> list[str]:
    """Returns a line for each group whose last full run is none, too old or not of this history."""
    found = []
    for group in groups:
        again = f"run 'make test-all GROUPS={group}' and commit tests/results"
        if group not in results:
            found.append(f"{group}: no full run is recorded; {again}")
            continue
        result = results[group]
        commits = age(result)
        if commits is None:
            found.append(
                f"{group}: its last full run was at {result.commit}, which is not an ancestor of "
                f"this commit; {again}"
            )
        elif commits > MOST_COMMITS:
            found.append(
                f"{group}: its last full run is {commits} commits old, and {MOST_COMMITS} are the "
                f"most; {again}"
            )
    return found
