"""The results file of one version, and the report that the full run counts."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

from comparison import Outcome
from runner import LEGS
from suites import HERE, ROOT, Suite

REPORT = ROOT / "build" / "reports" / "suites" / "tests.xml"


class Results:
    """results/spark-VERSION.txt: a line for each suite, and its differences indented below it."""

    legs = tuple(LEGS)

    def __init__(self, spark: str) -> None:
        self.spark, self.commit = spark, commit()
        self.file = self.place()
        self.blocks: dict[str, list[str]] = {}
        if self.file.is_file():
            _, body = self.file.read_text(encoding="utf-8").split("\n\n", 1)
            name = ""
            for line in body.splitlines()[1:]:  # after the names of the columns
                name = name if line.startswith(" ") else line.split()[0]
                self.blocks.setdefault(name, []).append(line)

    def place(self) -> Path:
        return HERE / "results" / f"spark-{self.spark}.txt"

    def title(self, machine: str) -> str:
        made = f"Made by: make test-spark SPARK={self.spark}"
        return f"Spark's own suites, Spark {self.spark}, {machine}. {made}"

    def put(self, outcome: Outcome) -> None:
        """Replaces what is there of a suite."""
        when = f"{date.today()} {self.commit}"
        self.blocks[outcome.suite.name] = block(outcome, when, self.legs)

    def save(self, order: list[Suite]) -> None:
        rows = [
            self.blocks[suite.name]
            for suite in order
            if suite.class_name and suite.name in self.blocks
        ]
        rows += [[f"{s.name:<46} not published"] for s in order if not s.class_name]
        java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
        header = [
            self.title(f"{java.splitlines()[0]}, {platform.machine()}"),
            "Tests passed in each leg, and when and of which commit the suite ran; '-': the suite "
            "did not run in that leg, or with OFF_IF_FAILED=1 only those tests ran off that failed "
            "in another leg. Below it: tests that pass off and not in that leg.",
            "",
            row(["suite", "tests", *self.legs], "run"),
        ]
        ends = 2 + len(self.legs)
        counts = [line.split()[1:ends] for line, *_ in rows if "not pub" not in line]
        sums = [
            str(sum(int(n) for n in column if n != "-")) for column in zip(*counts, strict=True)
        ]
        lines = [*header, *(line for block in rows for line in block)]
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text("\n".join([*lines, row(["all", *sums], "")]) + "\n", encoding="utf-8")


def block(outcome: Outcome, when: str, legs: Iterable[str] = LEGS) -> list[str]:
    tests = max(run.tests for run in outcome.runs.values())
    whole = {leg: run for leg, run in outcome.runs.items() if not run.is_partial}
    passed = [str(len(whole[leg].passed)) if leg in whole else "-" for leg in legs]
    head = row([outcome.suite.name, str(tests), *passed], when)
    return [head, *(line for found in outcome.differences for line in found.lines())]


def row(cells: list[str], when: str) -> str:
    name, *counts = cells
    return f"{name:<46}{''.join(f'{cell:>15}' for cell in counts)}  {when}".rstrip()


def commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def write_junit(outcomes: list[Outcome], file: Path = REPORT) -> None:
    """One case for each test that ran with the extension; it fails if nothing explains it."""
    root = ElementTree.Element("testsuite", name=file.parent.name)
    for outcome in outcomes:
        done = outcome.runs["on"]
        failed = {found.test for found in outcome.unexplained}
        for test in sorted(done.passed | done.failed.keys() | failed):
            name = outcome.suite.name
            case = ElementTree.SubElement(root, "testcase", classname=name, name=test)
            if test in failed:
                ElementTree.SubElement(case, "failure")
    root.set("tests", str(len(root)))
    root.set("failures", str(sum(1 for case in root if len(case))))
    file.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(file)
