"""Compares what suites did in each leg, and reports it."""

from __future__ import annotations

import platform
import subprocess
import sys
from datetime import date
from xml.etree import ElementTree

from runner import LEGS, Run
from suites import HERE, ROOT, Suite

REPORTS = ROOT / "build" / "reports"
NOT_PUBLISHED = "(not published)"
"""Stands in differences.txt for the tests of a suite that this Spark does not publish."""


class Explained:
    """differences.txt: Spark versions, suite, beginning of a test's name, legs and the reason."""

    def __init__(self) -> None:
        lines = (HERE / "differences.txt").read_text(encoding="utf-8").splitlines()
        self.rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        for row in self.rows:
            if len(row) != 5 or not all(row):
                sys.exit(f"differences.txt: five fields between tabs expected in {row}")

    def reason(self, spark: str, suite: Suite, leg: str, test: str) -> str | None:
        for versions, name, start, legs, reason in self.rows:
            if (
                (versions == "*" or any(spark.startswith(v) for v in versions.split(",")))
                and name == suite.name
                and test.startswith(start)
                and (legs == "*" or leg in legs.split(","))
            ):
                return reason
        return None


def differences(
    suites: list[Suite], results: dict[tuple[str, str], Run], explained: Explained, spark: str
) -> list[tuple[Suite, str, str, str, str | None]]:
    """Tests that pass off and not in another leg, with their message and the reason, if any."""
    found = []
    for suite in suites:
        off = results.get((suite.name, "off"))
        for leg in LEGS:
            there = results.get((suite.name, leg))
            if leg == "off" or there is None:
                continue
            lost = there.failed.keys() - off.failed.keys() if off else there.failed.keys()
            gone = off.passed - there.passed - there.failed.keys() if off else set()
            for test in sorted(lost | gone):
                message = there.failed.get(test, "the test did not run")
                found.append((suite, leg, test, message, explained.reason(spark, suite, leg, test)))
    return found


def table(suites: list[Suite], results: dict[tuple[str, str], Run], legs: list[str]) -> list[str]:
    width = max(len(suite.name) for suite in suites)
    lines = ["  ".join(["suite".ljust(width), "tests", *(f"{leg:>13}" for leg in legs)])]
    sums = dict.fromkeys(["tests", *legs], 0)
    for suite in suites:
        runs = [results.get((suite.name, leg)) for leg in legs]
        if suite.class_name is None:
            lines.append(f"{suite.name.ljust(width)}  not published for this Spark")
            continue
        tests = max((r.tests for r in runs if r), default=0)
        sums["tests"] += tests
        cells = []
        for leg, one in zip(legs, runs, strict=True):
            sums[leg] += len(one.passed) if one else 0
            cells.append(f"{len(one.passed) if one else '-':>13}")
        lines.append("  ".join([suite.name.ljust(width), f"{tests:5}", *cells]))
    lines.append(
        "  ".join(["all".ljust(width), f"{sums['tests']:5}", *(f"{sums[leg]:13}" for leg in legs)])
    )
    return lines


def write_report(spark: str, lines: list[str]) -> None:
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    header = [
        f"Spark's own suites, Spark {spark}, {java.splitlines()[0]}, {platform.machine()},",
        f"{date.today()}, commit {commit}. Made by: make test-spark SPARK={spark}",
        "Tests passed in each leg; '-': the suite is not run in that leg.",
        "",
    ]
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / f"spark-{spark}.txt").write_text("\n".join(header + lines) + "\n")


def write_junit(
    suites: list[Suite], results: dict[tuple[str, str], Run], lost: set[tuple[str, str]]
) -> None:
    """One case for each test that ran with the extension, for CI to count."""
    root = ElementTree.Element("testsuite", name="spark-suites")
    for suite in suites:
        done = results.get((suite.name, "on"))
        gone = {test for name, test in lost if name == suite.name}
        for test in sorted(done.passed | done.failed.keys() | gone) if done else []:
            case = ElementTree.SubElement(root, "testcase", classname=suite.name, name=test)
            if test in gone:
                ElementTree.SubElement(case, "failure")
    cases = list(root)
    failures = sum(1 for case in cases if len(case))
    root.set("tests", str(len(cases)))
    root.set("failures", str(failures))
    REPORTS.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(REPORTS / "spark-suites.xml")
