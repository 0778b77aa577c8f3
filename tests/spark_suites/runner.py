"""Runs suites with ScalaTest's Runner, each in a JVM of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from suites import BUILD, Suite, our_tests

EXTENSION = "-Dspark.sql.extensions=io.sbbf.spark.SbbfExtensions"
SMALL = "-Dspark.sbbf.pages.minBytes=0"  # the suites' row groups are small
LEGS = {
    "off": (),
    "on": (EXTENSION, SMALL),
    "no row groups": (EXTENSION, "-Dspark.sbbf.rowGroupPruning.enabled=false"),
    "no safe read": (EXTENSION, SMALL, "-Dspark.sbbf.safeRead.enabled=false"),
}
"""Each leg with its options of the JVM; the last two for suites that read."""
FAILING = "failing rules"
ALL_LEGS = LEGS | {FAILING: (f"{EXTENSION},io.sbbf.spark.FailingRules",)}
"""With rules in addition that always throw, from the classes of our own tests."""

OPEN_PACKAGES = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util "
    "java.util.concurrent java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs "
    "sun.security.action sun.util.calendar sun.security.x509"
).split()
JVM = (
    "-Xmx3g",
    "-Xss4m",
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240m",
    "--add-modules=jdk.incubator.vector",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPEN_PACKAGES),
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dspark.ui.enabled=false",
    "-Dspark.ui.showConsoleProgress=false",
    "-Dderby.system.durability=test",
)
TIMEOUT = 3600
REPORTS = "reports"
"""The folder, in that of the JVM, of reports in XML."""
WHOLE = "(the whole suite)"
"""Stands for the tests of a suite that did not run to its end."""


@dataclass
class Run:
    """What one suite did in one leg."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    is_partial: bool = False
    """Whether only some tests of the suite were to run."""

    @property
    def tests(self) -> int:
        return len(self.passed) + len(self.failed)


def run(
    suite: Suite, leg: str, spark: str, path: list[str], jar: Path, tests: Collection[str] = ()
) -> Run:
    """Runs a suite of Spark, or only the given tests of it."""
    folder = BUILD / spark / leg.replace(" ", "-") / suite.name
    jars = path if leg == "off" else [str(jar), *path]
    if leg == FAILING:
        jars = [*jars, str(our_tests(jar))]
    # where Spark's own tree would be is nothing
    options = [*ALL_LEGS[leg], "-Dspark.testing=true", f"-Dspark.test.home={folder / 'tmp'}"]
    words = scalatest(suite, tests)
    settings = {"SPARK_TESTING": "1"}
    result = in_new_jvm(f"{suite.name}, {leg}", folder, options, jars, words, settings)
    result.is_partial = bool(tests)
    return result


def in_new_jvm(
    what: str,
    folder: Path,
    options: list[str],
    jars: list[str],
    words: list[str],
    settings: Mapping[str, str],
) -> Run:
    """Runs a class of these JARs with its arguments in a JVM in an empty folder.

    Returns what its reports say. A JVM that dies is one failure.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    options = [*JVM, *options, f"-Djava.io.tmpdir={folder / 'tmp'}"]
    start = time.monotonic()
    status: int | str
    with open(folder / "log", "w", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                ["java", *options, "-cp", os.pathsep.join(jars), *words],
                cwd=folder,
                env={**os.environ, **settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=TIMEOUT,
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = f"timeout after {TIMEOUT} s"
    result = parse(folder / REPORTS)
    seconds = time.monotonic() - start
    counts = f"{len(result.passed)} passed, {len(result.failed)} failed"
    print(f"{what}: {counts}, {seconds:.0f} s", flush=True)
    if status not in (0, 1) or not result.tests or (status == 1 and not result.failed):
        result.failed[WHOLE] = f"the JVM ended with {status}; see {folder / 'log'}"
    for leftover in ("tmp", "spark-warehouse", "metastore_db", "target"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    return result


def scalatest(suite: Suite, tests: Collection[str]) -> list[str]:
    """Returns the arguments that run a suite, or only these tests of it, with reports in XML."""
    words = ["org.scalatest.tools.Runner", "-R", ".", "-s", str(suite.class_name)]
    words += [word for test in sorted(tests) for word in ("-t", test)]
    return [*words, "-u", REPORTS, "-oW"]


def parse(reports: Path) -> Run:
    result = Run()
    for report in reports.glob("*.xml"):
        for case in ElementTree.parse(report).iter("testcase"):
            name = case.get("name") or ""
            problem = (
                case.find("failure") if case.find("failure") is not None else case.find("error")
            )
            if problem is not None:
                result.failed[name] = (problem.get("message") or "").strip()
            elif case.find("skipped") is None:
                result.passed.add(name)
    return result
