"""Measures the cost of the kernels in a fresh JVM, and when a long build becomes fast.

Starts fresh JVMs by turns in each mode of `sbbf.kernel` and writes one table for each JDK. Needs
`make setup`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator
from datetime import date
from statistics import median
from typing import NamedTuple

from jvm import RESULTS, aligned, build_benchmarks, java, version
from machine import cpu

MODES = ("auto", "scalar", "vector")

HEADER = """\
Kernels in fresh JVMs, one for each measurement, by turns in each mode of sbbf.kernel.
CPU: {cpu}; shared machine
JDK: {jdk}
Date: {date}; spark-sbbf {version}
First answers: milliseconds until 1,000 longs and 1,000 strings of 16 to 36 bytes are hashed and a
filter was probed for each, from the first line of main, and the kernels' part of it; {starts} JVMs.
Build: nanoseconds a key to hash longs and insert them into a filter of 2 MiB, 4,096 at a time, in
all {keys} keys and in the last quarter of them; {builds} JVMs.
"""


class Start(NamedTuple):
    """Nanoseconds that `io.sbbf.bench.ColdStart` printed."""

    whole: int
    kernels: int


class Build(NamedTuple):
    """What `io.sbbf.bench.LongBuild` printed."""

    keys: int
    steps: list[float]  # ns a key
    choices: list[tuple[int, int, str]]  # keys and ns until then, what was chosen

    def last_quarter(self) -> float:
        last = self.steps[-(len(self.steps) // 4) :]
        return sum(last) / len(last)

    def whole(self) -> float:
        return sum(self.steps) / len(self.steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--jdk",
        action="append",
        help="home of a JDK to run under; may be given several times (JAVA_HOME or java)",
    )
    parser.add_argument("--starts", type=int, default=31, help="JVMs in each mode")
    parser.add_argument("--builds", type=int, default=5, help="JVMs in each mode, of builds")
    arguments = parser.parse_args()
    build_benchmarks()
    for jdk in arguments.jdk or [None]:
        printed_version = subprocess.run(
            [*java(jdk), "-version"], check=True, stderr=subprocess.PIPE, text=True
        ).stderr
        major = "".join(re.findall(r'version "(\d+)', printed_version))
        vm = re.sub(r"\(build ([^,)]+).*", r"\1", printed_version.splitlines()[-1])
        out = RESULTS / f"coldstart-jdk{major}.txt"
        table = "\n".join(lines(jdk, vm, arguments.starts, arguments.builds))
        out.write_text(table + "\n", encoding="utf-8")
        print(f"{out}:\n{table}")


def lines(jdk: str | None, vm: str, num_starts: int, num_builds: int) -> Iterator[str]:
    starts: dict[str, list[Start]] = {mode: [] for mode in MODES}
    for mode in by_turns(num_starts):
        starts[mode].append(start(jdk, mode))
    builds: dict[str, list[Build]] = {mode: [] for mode in MODES}
    for mode in by_turns(num_builds):
        builds[mode].append(build(jdk, mode))
    yield HEADER.format(
        cpu=cpu(),
        jdk=vm,
        date=date.today(),
        version=version(),
        starts=num_starts,
        builds=num_builds,
        keys=f"{builds['auto'][0].keys:,}",
    )
    measured = {
        "first answers, ms": {m: [s.whole / 1e6 for s in starts[m]] for m in MODES},
        "first answers, kernels, ms": {m: [s.kernels / 1e6 for s in starts[m]] for m in MODES},
        "build, last quarter, ns": {m: [b.last_quarter() for b in builds[m]] for m in MODES},
        "build, ns": {m: [b.whole() for b in builds[m]] for m in MODES},
    }
    yield from aligned((row for name, of in measured.items() for row in rows(name, of)), texts=2)
    yield ""
    yield from takeovers(builds["auto"])


def by_turns(rounds: int) -> Iterator[str]:
    """All modes once a round, each round beginning with another one."""
    for turn in range(rounds):
        first = turn % len(MODES)
        yield from (*MODES[first:], *MODES[:first])


def start(jdk: str | None, mode: str) -> Start:
    whole, kernels = printed(jdk, mode, "ColdStart")
    return Start(int(whole), int(kernels))


def build(jdk: str | None, mode: str) -> Build:
    fields = [line.split("\t") for line in printed(jdk, mode, "LongBuild")]
    steps = [(int(rest[0]), float(rest[1])) for kind, *rest in fields if kind == "step"]
    choices = [(int(rest[0]), int(rest[1]), rest[2]) for kind, *rest in fields if kind == "choice"]
    return Build(steps[-1][0], [ns for _, ns in steps], choices)


def printed(jdk: str | None, mode: str, main_class: str) -> list[str]:
    options = ["--add-modules=jdk.incubator.vector", f"-Dsbbf.kernel={mode}"]
    command = [*java(jdk), *options, f"io.sbbf.bench.{main_class}"]
    # The JVM's warnings about incubator modules go to stderr.
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return ran.stdout.splitlines()


def rows(name: str, measured: dict[str, list[float]]) -> Iterator[dict[str, str]]:
    for of, statistic in (("median", median), ("minimum", min)):
        ours = {mode: statistic(measured[mode]) for mode in MODES}
        yield {
            "question": name,
            "of JVMs": of,
            **{mode: f"{ours[mode]:.2f}" for mode in MODES},
            "auto : scalar": f"{ours['auto'] / ours['scalar']:.2f}",
            "vector : scalar": f"{ours['vector'] / ours['scalar']:.2f}",
            "auto : vector": f"{ours['auto'] / ours['vector']:.2f}",
        }


def takeovers(builds: list[Build]) -> Iterator[str]:
    """States when auto switched to the Vector API, for each capability that did."""
    moves: dict[str, list[tuple[int, int]]] = {}
    for one in builds:
        for keys, ns, choice in one.choices:
            capability, _, chosen = choice.partition(": ")
            if chosen.startswith("vector"):
                moves.setdefault(capability, []).append((keys, ns))
    for capability, times in moves.items():
        million_keys = median(keys for keys, _ in times) / 1e6
        seconds = median(ns for _, ns in times) / 1e9
        yield (
            f"auto took {capability} to vector in {len(times)} of {len(builds)} builds, "
            f"by the median after {million_keys:.0f} million keys and {seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
