"""Runs Spark's own SQL suites without and with the extension, and compares them test by test.

Spark publishes its suites as JARs; sbt resolves them (project `sparkSuites` in build.sbt), and
ScalaTest's Runner runs each suite in a JVM of its own. A test that passes without the extension and
not with it is a difference. Differences are failures unless `differences.txt` has them with their
reason. Exits 1 when a difference is unexplained, or when a suite did not run to its end.

    python tests/spark_suites --spark 4.1.1            all suites and legs, into results/
    python tests/spark_suites --spark 4.1.1 --quick    the suites of CI, extension on
    python tests/spark_suites --only ExplainSuite --legs off,on
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "spark-suites"
REPORTS = ROOT / "build" / "reports"

EXTENSION = "-Dspark.sql.extensions=io.sbbf.spark.SbbfExtensions"
LEGS = {
    "off": (),
    "on": (EXTENSION,),
    "no row groups": (EXTENSION, "-Dspark.sbbf.format.enabled=false"),
    "no safe read": (EXTENSION, "-Dspark.sbbf.safeRead=false"),
}
"""Each leg with its options of the JVM; the last two for suites that read."""

OPEN_PACKAGES = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util "
    "java.util.concurrent java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs "
    "sun.security.action sun.util.calendar sun.security.x509"
).split()
JVM = (
    "-Xmx3g",
    "-Xss4m",
    "-XX:TieredStopAtLevel=1",
    "--add-modules=jdk.incubator.vector",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPEN_PACKAGES),
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dspark.testing=true",
    "-Dspark.ui.enabled=false",
    "-Dspark.ui.showConsoleProgress=false",
    "-Dderby.system.durability=test",
)
TIMEOUT = 1800
WHOLE = "(the whole suite)"
"""Stands for the tests of a suite that did not run to its end."""
NOT_PUBLISHED = "(not published)"


@dataclass(frozen=True)
class Suite:
    """A class of Spark's tests and the words beside it in suites.txt."""

    name: str
    words: frozenset[str]
    class_name: str | None

    def legs(self, wanted: list[str]) -> list[str]:
        return [leg for leg in wanted if leg in ("off", "on") or "reads" in self.words]


@dataclass
class Run:
    """What one suite did in one leg."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def tests(self) -> int:
        return len(self.passed) + len(self.failed)


def class_path(spark: str) -> list[str]:
    """The JARs of the suites and of their Spark, resolved once for each version."""
    listing = BUILD / f"class-path-{spark}.txt"
    build = (ROOT / "build.sbt").read_bytes()
    stamp = BUILD / f"class-path-{spark}.build"
    if not (listing.is_file() and stamp.is_file() and stamp.read_bytes() == build):
        print(f"Resolving the suites of Spark {spark}", flush=True)
        done = subprocess.run(
            [ROOT / "sbt", "export sparkSuites/Runtime/dependencyClasspath"],
            env={**os.environ, "SPARK_SUITES": spark},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"sbt could not resolve the suites of Spark {spark}:\n{done.stdout[-3000:]}")
        BUILD.mkdir(parents=True, exist_ok=True)
        listing.write_text(done.stdout.strip().splitlines()[-1])
        stamp.write_bytes(build)
        shutil.rmtree(BUILD / spark / "off", ignore_errors=True)
    path = listing.read_text().split(os.pathsep)
    return [str(resources(spark, path)), *path]


def resources(spark: str, path: list[str]) -> Path:
    """The test JARs' data files in a folder: some tests open them as files."""
    folder = BUILD / f"resources-{spark}"
    if not folder.is_dir():
        partial = folder.with_name(f"{folder.name}.partial")
        for jar in map(zipfile.ZipFile, filter(is_suites_jar, path)):
            names = [n for n in jar.namelist() if not n.endswith((".class", "/"))]
            jar.extractall(partial, [n for n in names if not n.startswith("META-INF/")])
        (partial / "log4j2.properties").write_text(LOGGING)
        partial.rename(folder)
    return folder


LOGGING = """rootLogger.level = warn
rootLogger.appenderRef.file.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c: %m%n
"""
"""Spark logs at INFO without it: tens of megabytes a suite."""


def is_suites_jar(jar: str) -> bool:
    return jar.endswith("-tests.jar") and Path(jar).name.startswith("spark-")


def suites_of(path: list[str]) -> list[Suite]:
    """Those of suites.txt; a suite that this Spark does not publish has no class name."""
    found: dict[str, str] = {}
    for jar in path:
        if is_suites_jar(jar):
            for entry in zipfile.ZipFile(jar).namelist():
                name = entry.rsplit("/", 1)[-1]
                if name.endswith("Suite.class") or name.endswith(("AEOn.class", "AEOff.class")):
                    found.setdefault(name[:-6], entry[:-6].replace("/", "."))
    lines = (HERE / "suites.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return [Suite(name, frozenset(words), found.get(name)) for name, *words in rows]


def our_jar(spark: str) -> Path:
    scala = "2.12" if spark.startswith("3.5.") else "2.13"
    version = (ROOT / "VERSION").read_text().strip()
    jar = f"spark-sbbf_{scala}-{version}.jar"
    return ROOT / "jvm" / "spark" / "target" / f"scala-{scala}" / jar


def run(suite: Suite, leg: str, spark: str, path: list[str], jar: Path) -> Run:
    """Runs a suite in a new JVM in an empty folder; a JVM that dies is one failure."""
    folder = folder_of(suite, leg, spark)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    jars = path if leg == "off" else [str(jar), *path]
    home = ["java.io.tmpdir", "spark.test.home"]  # where Spark's own tree would be is nothing
    options = (*JVM, *LEGS[leg], *(f"-D{key}={folder / 'tmp'}" for key in home))
    command = ["java", *options, "-cp", os.pathsep.join(jars), "org.scalatest.tools.Runner"]
    command += ["-R", ".", "-s", str(suite.class_name), "-u", "reports", "-oW"]
    start = time.monotonic()
    status: int | str
    with open(folder / "log", "w", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "SPARK_TESTING": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=TIMEOUT,
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = f"timeout after {TIMEOUT} s"
    result = parse(folder / "reports")
    result.seconds = time.monotonic() - start
    if status not in (0, 1) or not result.tests or (status == 1 and not result.failed):
        result.failed[WHOLE] = f"the JVM ended with {status}; see {folder / 'log'}"
    else:
        (folder / "done").write_text(f"{result.seconds:.0f}")
    for leftover in ("tmp", "spark-warehouse", "metastore_db", "target"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    return result


def folder_of(suite: Suite, leg: str, spark: str) -> Path:
    return BUILD / spark / leg.replace(" ", "-") / suite.name


def recall(folder: Path) -> Run | None:
    """What an earlier run found in the leg without our JAR, if it ran to the end."""
    if not (folder / "done").is_file():
        return None
    result = parse(folder / "reports")
    result.seconds = float((folder / "done").read_text())
    return result


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


def run_all(
    jobs: list[tuple[Suite, str]],
    spark: str,
    path: list[str],
    jar: Path,
    processes: int,
    fresh: bool,
) -> dict[tuple[str, str], Run]:
    def work(job: tuple[Suite, str]) -> Run:
        suite, leg = job
        known = None if fresh or leg != "off" else recall(folder_of(suite, leg, spark))
        done = known or run(suite, leg, spark, path, jar)
        counts = f"{len(done.passed)} passed, {len(done.failed)} failed"
        print(f"{suite.name}, {leg}: {counts}, {done.seconds:.0f} s", flush=True)
        return done

    with ThreadPoolExecutor(processes) as pool:
        names = [(suite.name, leg) for suite, leg in jobs]
        return dict(zip(names, pool.map(work, jobs), strict=True))


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


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-spark", description=__doc__)
    parser.add_argument("--spark", default="4.1.1")
    parser.add_argument("--quick", action="store_true", help="the suites of CI, extension on")
    parser.add_argument("--only", action="append", help="a suite; may be repeated")
    parser.add_argument("--legs", default=",".join(LEGS))
    parser.add_argument("--jar", type=Path, help="instead of the one that this tree builds")
    parser.add_argument("--fresh", action="store_true", help="run the leg off again, too")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    path, jar, explained = class_path(args.spark), args.jar or our_jar(args.spark), Explained()
    if not jar.is_file():
        sys.exit(f"No JAR at {jar}: run 'make jar' first")
    suites = suites_of(path)
    if args.only:
        suites = [suite for suite in suites if suite.name in args.only]
    if args.quick:
        suites = [suite for suite in suites if "ci" in suite.words]
    if not suites:
        sys.exit("No such suite in suites.txt")
    legs = ["on"] if args.quick else args.legs.split(",")
    there = [suite for suite in suites if suite.class_name]
    unknown = set(args.only or ()) - {suite.name for suite in suites}
    missing = [
        suite.name
        for suite in suites
        if not suite.class_name and not explained.reason(args.spark, suite, "*", NOT_PUBLISHED)
    ]
    if unknown or missing:
        sys.exit(f"No such suite in Spark {args.spark}: {', '.join([*unknown, *missing])}")
    jobs = [(suite, leg) for suite in there for leg in suite.legs(legs)]
    results = run_all(jobs, args.spark, path, jar, args.processes, args.fresh)
    if args.quick:  # what failed is run again without the extension
        again = [(s, "off") for s in there if results[s.name, "on"].failed]
        results.update(run_all(again, args.spark, path, jar, args.processes, args.fresh))
    found = differences(there, results, explained, args.spark)
    lines = table(suites, results, [leg for leg in LEGS if leg in legs or leg == "on"])
    lines += ["", "Differences:" if found else "No differences."]
    for suite, leg, test, message, reason in found:
        first = message.splitlines()[0][:200] if message else ""
        lines.append(f"  {suite.name}, {leg}: {test}")
        lines.append(f"    {reason}" if reason else f"    UNEXPLAINED: {first}")
    print("\n".join(lines))
    unexplained = [row for row in found if row[4] is None]
    if not (args.quick or args.only) and legs == list(LEGS):
        write_report(args.spark, lines)
    write_junit(there, results, {(row[0].name, row[2]) for row in unexplained})
    print(f"{len(found) - len(unexplained)} explained, {len(unexplained)} unexplained differences")
    unrun = sorted({name for (name, _), run in results.items() if WHOLE in run.failed})
    if unrun:
        print(f"not run to the end: {', '.join(unrun)}")
    return 1 if unexplained or unrun or not results else 0


if __name__ == "__main__":
    sys.exit(main())
