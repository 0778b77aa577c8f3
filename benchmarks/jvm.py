"""Runs the classes of jvm/bench under several JDKs, and formats tables of their results."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
RAW = ROOT / "build" / "bench"
CLASSPATH = RAW / "kernels.classpath"


def build_benchmarks() -> None:
    """Compiles with sbt and keeps the class path, which runs under every JDK."""
    RAW.mkdir(parents=True, exist_ok=True)
    command = ["./sbt", "--error", "export bench/Jmh/fullClasspath"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    CLASSPATH.write_text(built.stdout.splitlines()[-1], encoding="utf-8")


def java(jdk: str | None) -> list[str]:
    """The start of a command under the JDK of this home, or else under JAVA_HOME or java."""
    home = jdk or os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else "java"
    return [program, "-cp", CLASSPATH.read_text(encoding="utf-8")]


def jars(*names: str) -> Iterator[str]:
    """Names and versions of these JARs."""
    for jar in map(Path, CLASSPATH.read_text(encoding="utf-8").split(os.pathsep)):
        found = re.fullmatch(rf"({'|'.join(names)})-(\d.*)", jar.stem)
        if found:
            yield f"{found[1]} {found[2]}"


def version() -> str:
    return (ROOT / "VERSION").read_text(encoding="utf-8").strip()


def aligned(rows: Iterable[dict[str, str]], texts: int) -> Iterator[str]:
    """Lines of a table whose rows are cells by their headings, the first `texts` of them words."""
    table = list(rows)
    table = [{name: name for name in table[0]}, *table]
    widths = {name: max(len(cells[name]) for cells in table) for name in table[0]}
    for cells in table:
        words, numbers = list(cells)[:texts], list(cells)[texts:]
        left = [cells[name].ljust(widths[name]) for name in words]
        yield "  ".join([*left, *(cells[name].rjust(widths[name]) for name in numbers)]).rstrip()
