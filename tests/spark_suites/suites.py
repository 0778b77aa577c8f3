"""Spark's published suites: which there are, and the class path that they run on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "spark-suites"
ANSI = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


@dataclass(frozen=True)
class Suite:
    """A class of published tests, as suites.txt names it."""

    name: str
    is_read: bool
    """Whether `reads` is beside its name."""
    class_name: str | None

    def legs(self, wanted: list[str]) -> list[str]:
        return [leg for leg in wanted if leg in ("off", "on") or self.is_read]


def class_path(spark: str) -> list[str]:
    """The JARs of the suites and of their Spark, resolved once for each version."""
    path = resolved(
        f"the suites of Spark {spark}",
        "sparkSuites/Runtime/dependencyClasspath",
        BUILD / f"class-path-{spark}.txt",
        {"SPARK_SUITES": spark},
    )
    return [str(resources(BUILD / f"resources-{spark}", filter(is_suites_jar, path))), *path]


def resolved(
    what: str, key: str, listing: Path, settings: dict[str, str], sources: Iterable[Path] = ()
) -> list[str]:
    """The class path that is sbt's value of a key; kept in a file until the build changes."""
    build = b"".join(file.read_bytes() for file in (ROOT / "build.sbt", *sources))
    stamp = listing.with_suffix(".build")
    if not (listing.is_file() and stamp.is_file() and stamp.read_bytes() == build):
        print(f"Resolving {what}", flush=True)
        done = subprocess.run(
            [ROOT / "sbt", f"export {key}"],
            env={**os.environ, **settings},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        # with CI=true sbt clears the screen after its last line
        lines = [line for line in ANSI.sub("", done.stdout).splitlines() if ".jar" in line]
        if done.returncode or not lines:
            sys.exit(f"sbt could not resolve {what}:\n{done.stdout[-3000:]}")
        listing.parent.mkdir(parents=True, exist_ok=True)
        listing.write_text(lines[-1])
        stamp.write_bytes(build)
    return listing.read_text().split(os.pathsep)


def resources(folder: Path, jars: Iterable[str] = ()) -> Path:
    """How to log, and the data files of these JARs, in a folder: some tests open them as files."""
    if not folder.is_dir():
        partial = folder.with_name(f"{folder.name}.partial")
        partial.mkdir(parents=True, exist_ok=True)
        for jar in map(zipfile.ZipFile, jars):
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
    rows = named(HERE / "suites.txt")
    return [Suite(name, "reads" in words, found.get(name)) for name, *words in rows]


def named(file: Path) -> list[list[str]]:
    """The words of each line that is no comment."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def our_jar(spark: str) -> Path:
    scala = "2.12" if spark.startswith("3.5.") else "2.13"
    version = (ROOT / "VERSION").read_text().strip()
    jar = f"spark-sbbf_{scala}-{version}.jar"
    return ROOT / "jvm" / "spark" / "target" / f"scala-{scala}" / jar


def our_tests(jar: Path) -> Path:
    """The classes of our own tests beside the JAR that this tree builds."""
    return jar.parent / "test-classes"
