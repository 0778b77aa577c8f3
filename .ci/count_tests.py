"""Adds up the tests of sbt's log and of pytest's XML reports.

The arguments are REPORTS EXPECTED [LEFT_OUT ...]. Exits 1 when a test failed or fewer passed than
EXPECTED requires, except of the groups LEFT_OUT; the last line has the sums.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

# ScalaTest's closing lines of one module under one Scala version.
SUITES = re.compile(r"Suites: completed \d+, aborted (\d+)")
TESTS = re.compile(r"Tests: succeeded (\d+), failed (\d+)")
# A failed test with the line below it, which says why; colours come between.
FAILED = re.compile(r"^.*\*\*\* FAILED \*\*\*.*\n.*$", re.MULTILINE)
COLOURS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def of_sbt(log: Path) -> tuple[int, int]:
    """Passed and failed; a suite that could not even start counts as one failure."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    aborted = sum(int(match[1]) for match in SUITES.finditer(text))
    tests = [(int(match[1]), int(match[2])) for match in TESTS.finditer(text)]
    return sum(passed for passed, _ in tests), sum(failed for _, failed in tests) + aborted


def failures_of_sbt(log: Path) -> list[str]:
    """The failed tests and why, as the log has them: its end, which CI keeps, names suites only."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return FAILED.findall(COLOURS.sub("", text))


def of_pytest(report: Path) -> tuple[int, int]:
    """Passed and failed; skipped tests are neither."""
    suites = ElementTree.parse(report).iter("testsuite")
    counts = [{key: int(s.get(key, 0)) for key in KEYS} for s in suites]
    failed = sum(c["failures"] + c["errors"] for c in counts)
    return sum(c["tests"] - c["skipped"] for c in counts) - failed, failed


def total(reports: set[Path]) -> tuple[int, int]:
    counts = [of_pytest(report) for report in reports]
    return sum(passed for passed, _ in counts), sum(failed for _, failed in counts)


KEYS = ("tests", "skipped", "failures", "errors")


def main(reports: Path, expected: Path, left_out: Sequence[str] = ()) -> int:
    files = set(reports.glob("*.xml"))
    suites = files & {reports / "spark-suites.xml"}  # Spark's own
    others = set(reports.glob("spark-*.xml")) - suites  # of our tests on other Sparks
    entry = files & {reports / "entry.xml"}
    sums = {
        "jvm": of_sbt(reports / "jvm.log"),
        "python": total(files - suites - others - entry),
        "entry": total(entry),
        "smoke": total(others),
        "spark": total(suites),
    }
    lines = expected.read_text().splitlines()
    least = dict(line.split() for line in lines if line and not line.startswith("#"))
    good = True
    for failure in failures_of_sbt(reports / "jvm.log"):
        print(failure)
    for name, (passed, failed) in sums.items():
        if name in left_out:
            print(f"{name}: left out, because the run takes too long on this machine")
        elif passed < int(least.get(name, 0)):
            print(f"{name}: {passed} tests passed, expected at least {least[name]}")
            good = False
        good = good and not failed
    print(f"{sum(p for p, _ in sums.values())} passed, {sum(f for _, f in sums.values())} failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
