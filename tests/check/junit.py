"""Reads the tests that a group ran from its JUnit reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

FAILED = ("failure", "error")


@dataclass
class Tests:
    """What ran, and the seconds of each suite or file."""

    passed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)
    """The name of each failed test with the first line of the reason."""
    seconds: Counter[str] = field(default_factory=Counter)


def read(folder: Path) -> Tests:
    """Returns the tests in all XML files below a folder; none if it does not exist."""
    tests = Tests()
    for report in sorted(folder.rglob("*.xml")):
        for case in cases(report):
            add(tests, case)
    return tests


def cases(report: Path) -> Iterator[ElementTree.Element]:
    for suite in ElementTree.parse(report).iter("testsuite"):
        yield from suite.iter("testcase")


def add(tests: Tests, case: ElementTree.Element) -> None:
    # pytest names the class module.Class, ScalaTest the suite
    suite, name = case.get("classname", ""), case.get("name", "")
    tests.seconds[suite] += float(case.get("time", 0))
    failure = next((found for kind in FAILED for found in case.iter(kind)), None)
    if failure is not None:
        reason = (failure.get("message") or failure.text or "").strip().split("\n")[0]
        tests.failures.append(f"{suite}: {name}\n    {reason}")
    elif case.find("skipped") is not None:
        tests.skipped += 1
    else:
        tests.passed += 1
