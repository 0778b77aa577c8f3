"""Measures the kernels beside parquet-java and the best crates on the same machine.

Runs the native program and, under each JDK, the JMH benchmarks, and writes one table for each
JDK. Needs `make setup`, and cargo for the native columns.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from jvm import RAW, RESULTS, ROOT, aligned, build_benchmarks, jars, java, version
from machine import cpu

NATIVE = ROOT / "benchmarks" / "native"
CRATES = RAW / "kernels-native.jsonl"


class Row(NamedTuple):
    """A question's case, as the native program names both, and what of JMH and it belongs here."""

    question: str
    case: str
    benchmark: str
    parameters: dict[str, str]
    crates: tuple[str, ...] = ("twox-hash", "xxhash-rust", "sbbf-rs")
    note: str = ""


SIZES = ("131072", "2097152", "33554432")
ROWS = [
    Row("hash long", "1M", "HashLong", {}),
    Row("hash int", "1M", "HashInt", {}),
    *(
        Row("hash bytes", length, "HashBytes", {"length": length})
        for length in ("8", "16", "36", "64")
    ),
    Row("hash bytes", "4-40", "HashBytes", {"length": "4-40"}, note="scalar code in both"),
    *(
        Row("probe", f"{size}/{hits}", "Probe", {"filterBytes": size, "hitPercent": hits})
        for size in SIZES
        for hits in ("0", "50", "100")
    ),
    *(Row("insert", size, "Insert", {"filterBytes": size}) for size in SIZES),
    *(
        Row("many", f"1000x2000 {question}{suffix}", "ManyFilters", parameters)
        for question in ("all", "any")
        for order, suffix in (("random", ""), ("sorted", " sorted"))
        for parameters in [{"question": question, "order": order}]
    ),
    Row("absent keys", "100000x2000", "AbsentKeys", {"order": "random"}),
    Row("absent keys", "100000x2000 sorted", "AbsentKeys", {"order": "sorted"}),
]
PARQUET_CRATE = "parquet with its hash"
# What the parquet crate hashes itself, we hash first.
HASHED_FIRST = ("probe", "insert", "many")

HEADER = """\
XXH64 and split-block bloom filters on one thread, "absent keys" on two; ns a key. Of "many" and
"absent keys": ns for each pair of a key and a filter.
CPU: {cpu}; shared machine
JDK: {jdk}
Date: {date}; spark-sbbf {version}
JARs: {jars}
Crates: {crates}
A time is the least of {samples} means, each over an iteration of JMH; natively of 10, over 0.3 s.
Everybody writes hashes, 4,096 at a time, into the same array. Where strings differ in width, as
those of 4 to 40 bytes do, the vector kernel runs the scalar code.
Probe and insert: bytes of the filter, percent of hits. A probed filter holds a value for
each 10.5 bits; inserts are of 1M keys at each size. Sorted: hashes ascend instead of being random,
and the time holds the sort, one for all filters.
All take hashes, but the parquet crate takes values and hashes them itself. Ratios are those of the
faster of ours: "x" says how many times faster we are (than the parquet crate: with our time for the
hash of a long added), "of best crate" our time divided by its. B/op: the bytes that a key or pair
allocates, by the median of iterations; of ours the kernel's that allocates more. JMH's own 20 KB/s
are among them, which slow operations show.
"""


class Results:
    """Nanoseconds by measurement; lacks measurements that were not made."""

    def __init__(self, jmh: list[dict[str, Any]], crates: list[dict[str, Any]]) -> None:
        self.jmh = jmh
        self.crates = {(c["question"], c["case"], c["contestant"]): c["ns"] for c in crates}

    def of(self, row: Row, *names: str) -> Iterator[dict[str, Any]]:
        methods = {f"io.sbbf.bench.{row.benchmark}Benchmark.{name}" for name in names}
        for result in self.jmh:
            parameters = result.get("params", {}).items()
            if result["benchmark"] in methods and row.parameters.items() <= parameters:
                yield result

    def method(self, row: Row, *names: str) -> float | None:
        """The least time of any of these."""
        metrics = [result["primaryMetric"] for result in self.of(row, *names)]
        times = [
            min(samples(metric)) * {"ns/op": 1, "us/op": 1e3}[metric["scoreUnit"]]
            for metric in metrics
        ]
        return min(times, default=None)

    def allocated(self, row: Row, *names: str) -> float | None:
        """The most bytes of any of these, each in its median iteration."""
        metrics = [r["secondaryMetrics"]["gc.alloc.rate.norm"] for r in self.of(row, *names)]
        return max((median(samples(metric)) for metric in metrics), default=None)

    def crate(self, row: Row, *names: str) -> tuple[float | None, str]:
        """The fastest of these crates, and its name."""
        measured = ((self.crates.get((row.question, row.case, name)), name) for name in names)
        return min(((ns, name) for ns, name in measured if ns is not None), default=(None, ""))


def samples(metric: dict[str, Any]) -> list[float]:
    return [sample for fork in metric["rawData"] for sample in fork]


def main() -> None:
    arguments = parsed_arguments()
    if arguments.render:
        runs = sorted(RAW.glob("kernels-jdk*.json"))
    else:
        build_benchmarks()
        run_crates()
        runs = [run_jmh(jdk, arguments) for jdk in arguments.jdk or [None]]
    for run in runs:
        out = arguments.out / f"{run.stem}.txt"
        out.write_text("\n".join(lines(run)) + "\n", encoding="utf-8")
        print(f"{out}:\n{out.read_text(encoding='utf-8')}")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--jdk",
        action="append",
        help="home of a JDK to run under; may be given several times (JAVA_HOME or java)",
    )
    parser.add_argument("--jmh", default="", help='options for JMH, as "-f 1 -wi 2 -i 3"')
    parser.add_argument(
        "--only",
        default="|".join(dict.fromkeys(f"{row.benchmark}Benchmark" for row in ROWS)),
        help="regular expression of the JMH benchmarks to run",
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the tables")
    parser.add_argument("--render", action="store_true", help="the tables of earlier runs again")
    return parser.parse_args()


def run_crates() -> None:
    if shutil.which("cargo"):
        command = ["cargo", "run", "--quiet", "--release"]
        with CRATES.open("w", encoding="utf-8") as out:
            subprocess.run(command, cwd=NATIVE, check=True, stdout=out)
    else:
        print("kernels: no cargo, so no native columns", file=sys.stderr)
        CRATES.unlink(missing_ok=True)


def run_jmh(jdk: str | None, arguments: argparse.Namespace) -> Path:
    """The raw results, in a file that the version of the JDK names."""
    raw = RAW / "kernels.json"
    command = [*java(jdk), "org.openjdk.jmh.Main", "-foe", "true", "-prof", "gc"]
    options = ["-rf", "json", "-rff", str(raw), *shlex.split(arguments.jmh)]
    subprocess.run([*command, *options, arguments.only], check=True)
    jdk_version = json.loads(raw.read_text(encoding="utf-8"))[0]["jdkVersion"]
    return raw.rename(RAW / f"kernels-jdk{jdk_version.split('.')[0]}.json")


def lines(run: Path) -> Iterator[str]:
    crates = CRATES.read_text(encoding="utf-8").splitlines() if CRATES.exists() else []
    results = Results(json.loads(run.read_text(encoding="utf-8")), [json.loads(c) for c in crates])
    yield HEADER.format(
        cpu=cpu(),
        jdk=f"{results.jmh[0]['vmName']} {results.jmh[0]['vmVersion']}",
        date=date.fromtimestamp(run.stat().st_mtime),
        version=version(),
        jars=", ".join(jars("parquet-column", "zero-allocation-hashing", "jmh-core")),
        crates=", ".join(crate_versions()),
        samples=len(samples(results.jmh[0]["primaryMetric"])),
    )
    yield from aligned((columns(results, row) for row in ROWS), texts=2)


def columns(results: Results, row: Row) -> dict[str, str]:
    """The cells of a row of the table by their headings."""
    ours = results.method(row, "scalar", "vector")
    parquet_java = results.method(row, "parquetJava")
    best, name = results.crate(row, *row.crates)
    parquet_crate, _ = results.crate(row, PARQUET_CRATE)
    hash_first = results.method(ROWS[0], "scalar", "vector")
    hash_first = hash_first if row.question in HASHED_FIRST else 0.0
    with_hash = None if ours is None or hash_first is None else ours + hash_first
    return {
        "question": row.question,
        "case": ", ".join(filter(None, (row.case, row.note))),
        "scalar": shown(results.method(row, "scalar")),
        "vector": shown(results.method(row, "vector")),
        "parquet-java": shown(parquet_java),
        "zero-alloc.-hashing": shown(results.method(row, "zeroAllocationHashing")),
        "best crate": f"{name} {shown(best)}".strip(),
        "parquet crate": shown(parquet_crate),
        "x parquet-java": ratio(parquet_java, ours),
        "x parquet crate": ratio(parquet_crate, with_hash),
        "of best crate": ratio(ours, best),
        "our B/op": shown(results.allocated(row, "scalar", "vector")),
        "parquet-java B/op": shown(results.allocated(row, "parquetJava")),
    }


def shown(ns: float | None) -> str:
    if ns is None:
        return "-"
    return f"{ns:.2f}" if ns < 10 else f"{ns:,.1f}" if ns < 100 else f"{ns:,.0f}"


def ratio(one: float | None, other: float | None) -> str:
    return "-" if one is None or other is None else f"{one / other:.2f}"


def crate_versions() -> Iterator[str]:
    manifest = tomllib.loads((NATIVE / "Cargo.toml").read_text(encoding="utf-8"))
    for name, dependency in manifest["dependencies"].items():
        version = dependency if isinstance(dependency, str) else dependency["version"]
        yield f"{name} {version.removeprefix('=')}"


if __name__ == "__main__":
    main()
