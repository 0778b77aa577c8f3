"""Runs Iceberg's published tests with JUnit's ConsoleLauncher, each class in a JVM of its own."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection
from pathlib import Path

from runner import REPORTS, SMALL, WHOLE, Run, in_new_jvm
from suites import ROOT, Suite, named, resolved, resources

HERE = Path(__file__).parent
BUILD = ROOT / "build" / "iceberg-suites"
LEGS: dict[str, tuple[str, ...]] = {"off": (), "on": (SMALL,)}
"""Spark 4 finds the extension on the class path, whatever extensions the tests name."""
ALL_LEGS = LEGS | {"not adaptive": (SMALL, "-Dsbbf.suites.adaptive=false")}
"""With the extension, in sessions without adaptive execution."""
VERSION = re.compile(r"/iceberg-core-([^/]*?)\.jar$|/spark-sql_[^/]*?-([^/-]*)\.jar$")
LOADED = "classes.txt"
PRUNING = "io.sbbf.spark.iceberg.IcebergRelation"
"""The class of the extension that a JVM loads for the first scan of an Iceberg table."""


def class_path() -> list[str]:
    """The tests and what they need: project `icebergSuites` in build.sbt."""
    path = resolved(
        "Iceberg's tests",
        "icebergSuites/Runtime/fullClasspath",
        BUILD / "class-path.txt",
        {},
        sorted((HERE / "src").rglob("*.*")),
    )
    return [str(resources(BUILD / "resources")), *path]


def versions(path: list[str]) -> tuple[str, str]:
    """Those of Iceberg and of Spark, by the names of their JARs."""
    found = [match for jar in path if (match := VERSION.search(jar))]
    iceberg = next(match[1] for match in found if match[1] and not match[1].endswith("-tests"))
    return iceberg, next(match[2] for match in found if match[2])


def suites_of(path: list[str]) -> list[Suite]:
    """Those of suites.txt; one that this Iceberg does not publish has no class name."""
    entries = [
        entry
        for jar in path
        if jar.endswith("-tests.jar")
        for entry in zipfile.ZipFile(jar).namelist()
    ]
    found = {
        entry.rsplit("/", 1)[-1][:-6]: entry[:-6].replace("/", ".")
        for entry in entries
        if entry.endswith(".class")
    }
    return [Suite(name, False, found.get(name)) for name, *_ in named(HERE / "suites.txt")]


def run(suite: Suite, leg: str, path: list[str], jar: Path, tests: Collection[str] = ()) -> Run:
    """Runs a class of tests, or only the given tests of it.

    A leg in which the extension did not see a scan of Iceberg has failed as a whole.
    """
    folder = BUILD / leg.replace(" ", "-") / suite.name
    jars = path if leg == "off" else [str(jar), *path]
    options = [
        *ALL_LEGS[leg],
        "-Djunit.jupiter.extensions.autodetection.enabled=true",
        f"-Xlog:class+load:file={LOADED}:none:filecount=0",
    ]
    result = in_new_jvm(f"{suite.name}, {leg}", folder, options, jars, console(suite, tests), {})
    result.is_partial = bool(tests)
    loaded = folder / LOADED
    if leg != "off" and not any(PRUNING in line for line in loaded.open(encoding="utf-8")):
        result.failed[WHOLE] = "the extension did not see a scan of Iceberg"
    loaded.unlink()
    return result


def console(suite: Suite, tests: Collection[str]) -> list[str]:
    """Returns the arguments that run a class, or only these tests of it, with reports in XML."""
    words = ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]
    words += ["--details=none", f"--reports-dir={REPORTS}"]
    return words + (
        [selector(f"{suite.class_name}#{test}") for test in sorted(tests)]
        or [f"--select-class={suite.class_name}"]
    )


def selector(test: str) -> str:
    """One invocation of a test with parameters, which reports count from 1, or a test without."""
    method, bracket, number = test.rstrip("]").partition("[")
    if not bracket:
        return f"--select-method={method}"
    return f"--select-iteration=method:{method}[{int(number) - 1}]"
