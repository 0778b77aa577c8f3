"""Adds up the tests of sbt's log and of pytest's XML reports: count_tests.py REPORTS EXPECTED.

Exits 1 when a test failed or fewer passed than EXPECTED asks for; the last line has the sums.
"""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

# sbt closes a module with, for instance, "Passed: Total 3, Failed 0, Errors 0, Passed 3".
SBT = re.compile(r"(?:Passed|Failed|Error): Total \d+, Failed (\d+), Errors (\d+), Passed (\d+)")


def of_sbt(log: Path) -> tuple[int, int]:
    """Passed and failed; a suite that could not even start is an error and counts as failed."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    found = [tuple(map(int, match.groups())) for match in SBT.finditer(text)]
    return sum(f[2] for f in found), sum(f[0] + f[1] for f in found)


def of_pytest(report: Path) -> tuple[int, int]:
    """Passed and failed; skipped tests are neither."""
    suites = ElementTree.parse(report).iter("testsuite")
    counts = [{key: int(s.get(key, 0)) for key in KEYS} for s in suites]
    failed = sum(c["failures"] + c["errors"] for c in counts)
    return sum(c["tests"] - c["skipped"] for c in counts) - failed, failed


KEYS = ("tests", "skipped", "failures", "errors")


def main(reports: Path, expected: Path) -> int:
    python = [of_pytest(report) for report in sorted(reports.glob("*.xml"))]
    sums = {
        "jvm": of_sbt(reports / "jvm.log"),
        "python": (sum(p for p, _ in python), sum(f for _, f in python)),
    }
    lines = expected.read_text().splitlines()
    least = dict(line.split() for line in lines if line and not line.startswith("#"))
    good = True
    for name, (passed, failed) in sums.items():
        if passed < int(least[name]):
            print(f"{name}: {passed} tests passed, expected at least {least[name]}")
            good = False
        good = good and not failed
    print(f"{sum(p for p, _ in sums.values())} passed, {sum(f for _, f in sums.values())} failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
