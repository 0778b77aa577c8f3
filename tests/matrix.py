"""Runs the tests on every supported Spark: one wheel, in a clean virtual environment for each.

Prints a table of Spark, Scala, Java, Python, tests, seconds and commit. Without --gate all tests
run, and each row goes into docs/versions.md when its tests end, in place of the row of that Spark
and Java. With --gate some tests run on some Sparks. A missing JDK is skipped, and a line says so.
Exits 1 when a test fails, and when nothing ran.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from check.groups import LEGS

from spark_sbbf.java import find_java

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "matrix"
PAGE = ROOT / "docs" / "versions.md"
BEGIN, END = "<!-- matrix -->", "<!-- end of matrix -->"

LAWS = "answers/test_laws.py"
ENABLE = "entry_points/test_enable.py"
WAYS_IN = (
    f"{ENABLE}::test_a_builder_is_enabled_without_any_download",
    f"{ENABLE}::test_a_running_session_is_enabled_for_itself_alone_and_disabled_again",
    "entry_points/test_clusters.py::test_executors_of_a_running_session_get_the_jar",
)
# What the gate runs beside all tests on the newest Spark. Spark 3.5 differs most from it, and has
# the other JAR. Spark 4.0 runs the JVM's suites instead. Files that take longest come first, as two
# processes take them in this order.
GATE = {
    "3.5.9": (
        "lakes/test_iceberg.py",
        LAWS,
        *WAYS_IN,
        "pruning/test_pages.py",
        "pruning/test_late_keys.py",
        "pruning/test_orc.py",
        "pruning/test_index.py",
        "files/test_add_filters.py",
        "files/test_write.py",
        "fuzz/test_fuzz.py::test_random_queries_answer_as_without_any_pushdown",
    ),
    # the newest with both formats
    "4.1.4": (
        "lakes/test_lake_tables.py",
        "lakes/test_lake_filters.py",
        "lakes/test_delta.py",
        "lakes/test_upserts.py",
        "lakes/test_lake_faults.py",
        "lakes/test_lake_formats.py",
    ),
}

NUMBERS = ("passed", "failed", "skipped", "seconds")
HEADINGS = ("Spark", "Scala", "Java", "Python", *NUMBERS, "commit")
VERSIONS = """
import platform, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
jvm = spark._jvm
print("#", spark.version, jvm.scala.util.Properties.versionNumberString(),
      jvm.System.getProperty("java.version"), platform.python_version())
"""


@dataclass(frozen=True)
class Leg:
    """One Spark on one JDK."""

    spark: str
    number: int
    """Of its Java."""
    jdk: Path
    wheel: Path

    @property
    def venv(self) -> Path:
        return BUILD / f"spark-{self.spark}"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    def make_environment(self) -> None:
        """Makes a new environment, unless there is one of this Spark and these tests."""
        requirements = (ROOT / "requirements-test.txt").read_text()
        wanted = f"pyspark=={self.spark}\n{requirements}"
        stamp = self.venv / "made-of"
        if not (stamp.is_file() and stamp.read_text() == wanted):
            shutil.rmtree(self.venv, ignore_errors=True)
            run([sys.executable, "-m", "venv", self.venv])
            packages = [f"pyspark=={self.spark}", "--requirement", ROOT / "requirements-test.txt"]
            run([self.python, *PIP, *packages])
            stamp.write_text(wanted)

    def run_tests(self, reports: Path, is_gate: bool) -> tuple[str, ...]:
        """Runs the tests, and returns one row of the table."""
        run([self.python, *PIP, "--no-deps", "--force-reinstall", self.wheel])
        if not is_gate:
            run([self.python, *PIP, "--requirement", ROOT / "requirements-full.txt"])
        environment = {k: v for k, v in os.environ.items() if k not in NOT_INHERITED}
        environment["JAVA_HOME"] = str(self.jdk)
        report = reports / f"{self.spark}.xml"
        report.unlink(missing_ok=True)
        paths = [ROOT / "tests" / test for test in (GATE[self.spark] if is_gate else (".",))]
        words = ["-q", *PROCESSES, "--junitxml", report, *(NOT_FULL if is_gate else ()), *paths]
        pytest = [self.python, "-m", "pytest", *words]
        start = time.monotonic()
        status = subprocess.run(pytest, env=environment, cwd=ROOT, check=False).returncode
        seconds = f"{time.monotonic() - start:.0f}"
        said = subprocess.run(
            [self.python, "-c", VERSIONS], env=environment, capture_output=True, text=True
        )
        versions = re.search(r"^# (.*)$", said.stdout, re.MULTILINE)
        names = versions[1].split() if versions else [self.spark, "?", str(self.number), "?"]
        return (*names, *counts(report, status), seconds)


# each has its own Spark and runs whole files
PROCESSES = ("--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder")
NOT_FULL = ("-m", "not full")
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
NOT_INHERITED = ("PYTHONPATH", "SPARK_HOME", "SPARK_CONF_DIR", "SPARK_SBBF_JAR", "VIRTUAL_ENV")


def run(command: list[object]) -> None:
    subprocess.run(list(map(str, command)), check=True)


def counts(report: Path, status: int) -> tuple[str, str, str]:
    """Returns the passed, failed and skipped tests.

    A run fails in which no test passes, or which pytest ends with a status other than 0.
    """
    suites = list(ElementTree.parse(report).iter("testsuite")) if report.is_file() else []
    total, failures, errors, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    passed = total - failed - skipped
    if status or not passed:
        failed = max(failed, 1)
    return str(passed), str(failed), str(skipped)


def as_markdown(rows: list[tuple[str, ...]]) -> str:
    rule = tuple("---:" if name in NUMBERS else "---" for name in HEADINGS)
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEADINGS, rule, *rows))


def write_row(row: tuple[str, ...]) -> None:
    """Puts a row into the page's table, in place of that of the same Spark and Java."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    known = [tuple(line.strip("| ").split(" | ")) for line in table.split("\n")[3:-1]]
    rows = {place(other): other for other in [*known, row]}
    text = as_markdown([rows[key] for key in sorted(rows)])
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def place(row: tuple[str, ...]) -> int:
    """Returns the place of a row: the legs' order."""
    java = row[HEADINGS.index("Java")]
    return LEGS.index((row[0], int(java.partition(".")[0])))


def commit() -> str:
    """Returns the commit, with a + where files other than the page have changed since."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    changed = [*git, "diff", "--quiet", "HEAD", "--", ".", f":!{PAGE.relative_to(ROOT)}"]
    return head.stdout.strip() + ("+" if subprocess.run(changed).returncode else "")


def installed_jdk(number: int) -> Path | None:
    """One of the system's packages."""
    places = sorted(Path("/usr/lib/jvm").glob(f"*-{number}-*"))
    return next((home for home in places if (home / "bin" / "java").is_file()), None)


def jdks(arguments: argparse.Namespace) -> dict[int, Path]:
    """Returns the JDKs that exist, by their number."""
    found = {17: arguments.jdk17, 21: arguments.jdk21, 25: arguments.jdk25}
    for number, home in found.items():
        if not (home and (home / "bin" / "java").is_file()):
            print(f"JDK {number}: not found ({home or 'no path given'}), its rows are skipped")
    return {n: home for n, home in found.items() if home and (home / "bin" / "java").is_file()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-matrix", description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--jdk17", type=Path, default=Path(find_java()).resolve().parents[1])
    parser.add_argument("--jdk21", type=Path, default=installed_jdk(21))
    parser.add_argument("--jdk25", type=Path, default=installed_jdk(25))
    parser.add_argument("--only", action="append", help="a version of Spark; may be repeated")
    parser.add_argument("--java", type=int, action="append", help="its number; may be repeated")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--reports", type=Path, required=True)
    parser.add_argument("--environments", action="store_true", help="make them, and run nothing")
    arguments = parser.parse_args()
    arguments.reports.mkdir(parents=True, exist_ok=True)
    homes, rows, tree = jdks(arguments), [], commit()
    legs = [
        Leg(spark, number, homes[number], arguments.wheel.resolve())
        for spark, number in LEGS
        if number in homes and (not arguments.only or spark in arguments.only)
        if not arguments.java or number in arguments.java
        if not arguments.gate or (spark in GATE and number == 17)
    ]
    if arguments.environments:
        for leg in legs:
            leg.make_environment()
        return 0
    ahead = ThreadPoolExecutor(1)  # while one is tested, the next are made
    made = [ahead.submit(leg.make_environment) for leg in legs]
    try:
        for leg, environment in zip(legs, made, strict=True):
            environment.result()
            print(f"Spark {leg.spark}, JDK {leg.number}", flush=True)
            rows.append((*leg.run_tests(arguments.reports, arguments.gate), tree))
            if not arguments.gate:
                write_row(rows[-1])
    finally:
        ahead.shutdown(cancel_futures=True)
    print(as_markdown(rows))
    return 0 if rows and all(row[HEADINGS.index("failed")] == "0" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
