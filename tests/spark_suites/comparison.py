"""Compares what a suite did in each leg with what it did without the extension."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from runner import WHOLE, Run
from suites import HERE, Suite

NOT_PUBLISHED = "(not published)"
"""In differences.txt it replaces the tests of a suite that this Spark does not publish."""


@dataclass(frozen=True)
class Difference:
    """A test that passes without the extension and not in another leg."""

    leg: str
    test: str
    message: str
    reason: str | None

    def lines(self) -> list[str]:
        first = self.message.splitlines()[0][:200] if self.message else ""
        return [f"  {self.leg}: {self.test}", f"    {self.reason or f'UNEXPLAINED: {first}'}"]


@dataclass(frozen=True)
class Outcome:
    """What one suite did in each leg; without the leg "off" every failure is a difference."""

    suite: Suite
    runs: dict[str, Run]
    differences: list[Difference]

    @property
    def unexplained(self) -> list[Difference]:
        return [difference for difference in self.differences if difference.reason is None]

    @property
    def is_whole(self) -> bool:
        return not any(WHOLE in run.failed for run in self.runs.values())


class Explained:
    """differences.txt: Spark versions, suite, beginning of a test's name, legs and the reason."""

    def __init__(self, folder: Path | None = None) -> None:
        file = (folder or HERE) / "differences.txt"
        lines = file.read_text(encoding="utf-8").splitlines()
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


def compared(spark: str, suite: Suite, runs: dict[str, Run], explained: Explained) -> Outcome:
    off = runs.get("off", Run())
    found = []
    for leg, run in runs.items():
        lost = run.failed.keys() - off.failed.keys()
        gone = off.passed - run.passed - run.failed.keys()
        for test in sorted(lost | gone) if leg != "off" else ():
            message = run.failed.get(test, "the test did not run")
            reason = explained.reason(spark, suite, leg, test)
            found.append(Difference(leg, test, message, reason))
    return Outcome(suite, runs, found)
