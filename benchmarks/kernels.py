"""How fast are the kernels, beside parquet-java and the best crates on the same machine?

Runs the native program and, under each JDK, the JMH benchmarks, and writes one table for each
JDK. Needs `make setup`, and cargo for the native columns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from machine import cpu

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "benchmarks" / "native"
RAW = ROOT / "build" / "bench"
CLASSPATH = RAW / "kernels.classpath"
CRATES = RAW / "kernels-native.jsonl"


class Row(NamedTuple):
    """A question's case, as the native program names both, and what of JMH and it belongs here."""

    question: str
    case: str
    benchmark: str
    parameters: dict[str, str]
    scalar: str = "scalar"
    vector: str = "vector"
    crates: tuple[str, ...] = ("twox-hash", "xxhash-rust", "sbbf-rs")
    note: str = ""


SIZES = ("131072", "2097152", "33554432")
ROWS = [
    Row("hash long", "1M", "HashLong", {}),
    Row("hash int", "1M", "HashInt", {}),
    *(
        Row("hash bytes", length, "HashBytes", {"length": length})
        for length in ("8", "16", "36", "64", "4-40")
    ),
    *(
        Row("probe", f"{size}/{hits}", "Probe", {"filterBytes": size, "hitPercent": hits})
        for size in SIZES
        for hits in ("0", "50", "100")
    ),
    *(Row("insert", size, "Insert", {"filterBytes": size}) for size in SIZES),
    Row("many", "1000x2000 all", "ManyFilters", {"question": "all"}),
    Row("many", "1000x2000 all", "ManyFilters", {"question": "all"})._replace(
        scalar="", vector="vectorSorted", crates=("sbbf-rs sorted",), note="sorted"
    ),
    Row("many", "1000x2000 any", "ManyFilters", {"question": "any"}),
    Row("absent keys", "100000x2000", "AbsentKeys", {}, note="2 threads"),
    Row("slices", "1x100000", "Slices", {}, scalar="bitSliced", vector="", note="bit-sliced"),
    Row("slices", "1x100000", "Slices", {}, note="32 bytes each"),
]
PARQUET_CRATE = "parquet with its hash"
# What the parquet crate hashes itself, we hash first.
HASHED_FIRST = ("probe", "insert")

HEADER = """\
XXH64 and split-block bloom filters on one thread; minima over iterations, ns a key. Of "many" and
"absent keys": ns for each pair of a key and a filter; of "slices": ns a key, asked of all slices.
CPU: {cpu}; shared machine
JDK: {jdk}
Date: {date}; spark-sbbf {version}
JARs: {jars}
Crates: {crates}
An iteration is JMH's mean over one iteration, natively the mean over 0.3 s; of each the minimum.
Probe and insert: bytes of the filter, percent of hits; 10.5 bits a value; hashes are given, but the
parquet crate takes values and hashes them itself. Ratios are those of the faster of ours: "x" says
how many times faster we are (than the parquet crate: with our time for the hash of a long added),
"of best crate" our time divided by its.
"""


class Results:
    """Nanoseconds by what was measured; nothing is there that was not."""

    def __init__(self, jmh: list[dict[str, Any]], crates: list[dict[str, Any]]) -> None:
        self.jmh = jmh
        self.crates = {(c["question"], c["case"], c["contestant"]): c["ns"] for c in crates}

    def method(self, row: Row, name: str) -> float | None:
        times = [
            time * {"ns/op": 1, "us/op": 1e3}[result["primaryMetric"]["scoreUnit"]]
            for result in self.jmh
            if result["benchmark"].endswith(f".{row.benchmark}Benchmark.{name}")
            and row.parameters.items() <= result.get("params", {}).items()
            for fork in result["primaryMetric"]["rawData"]
            for time in fork
        ]
        return min(times, default=None)

    def crate(self, row: Row, *names: str) -> tuple[float | None, str]:
        """The fastest of these crates, and its name."""
        measured = ((self.crates.get((row.question, row.case, name)), name) for name in names)
        return min(((ns, name) for ns, name in measured if ns is not None), default=(None, ""))

    def ours(self, row: Row) -> float | None:
        times = (self.method(row, row.scalar), self.method(row, row.vector))
        return min((time for time in times if time is not None), default=None)


def main() -> None:
    arguments = parsed_arguments()
    if arguments.render:
        runs = sorted(RAW.glob("kernels-jdk*.json"))
    else:
        RAW.mkdir(parents=True, exist_ok=True)
        build_benchmarks()
        run_crates()
        runs = [run_jmh(jdk, arguments) for jdk in arguments.jdk or [os.environ.get("JAVA_HOME")]]
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
    default = ROOT / "benchmarks" / "results"
    parser.add_argument("--out", type=Path, default=default, help="folder of the tables")
    parser.add_argument("--render", action="store_true", help="the tables of earlier runs again")
    return parser.parse_args()


def build_benchmarks() -> None:
    """Compiles with sbt and keeps the class path, which runs under every JDK."""
    command = ["./sbt", "--error", "export bench/Jmh/fullClasspath"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    CLASSPATH.write_text(built.stdout.splitlines()[-1], encoding="utf-8")


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
    java = str(Path(jdk, "bin", "java")) if jdk else "java"
    raw = RAW / "kernels.json"
    command = [java, "-cp", CLASSPATH.read_text(encoding="utf-8"), "org.openjdk.jmh.Main"]
    options = ["-foe", "true", "-rf", "json", "-rff", str(raw), *shlex.split(arguments.jmh)]
    subprocess.run([*command, *options, arguments.only], check=True)
    version = json.loads(raw.read_text(encoding="utf-8"))[0]["jdkVersion"]
    return raw.rename(RAW / f"kernels-jdk{version.split('.')[0]}.json")


def lines(run: Path) -> Iterator[str]:
    crates = CRATES.read_text(encoding="utf-8").splitlines() if CRATES.exists() else []
    results = Results(json.loads(run.read_text(encoding="utf-8")), [json.loads(c) for c in crates])
    yield HEADER.format(
        cpu=cpu(),
        jdk=f"{results.jmh[0]['vmName']} {results.jmh[0]['vmVersion']}",
        date=date.fromtimestamp(run.stat().st_mtime),
        version=(ROOT / "VERSION").read_text(encoding="utf-8").strip(),
        jars=", ".join(jars("parquet-column", "zero-allocation-hashing", "jmh-core")),
        crates=", ".join(crate_versions()),
    )
    table = [columns(results, row) for row in ROWS]
    table = [{name: name for name in table[0]}, *table]
    widths = {name: max(len(cells[name]) for cells in table) for name in table[0]}
    for cells in table:
        (question, case), numbers = list(cells)[:2], list(cells)[2:]
        texts = [cells[name].ljust(widths[name]) for name in (question, case)]
        yield "  ".join([*texts, *(cells[name].rjust(widths[name]) for name in numbers)]).rstrip()


def columns(results: Results, row: Row) -> dict[str, str]:
    """The cells of a row of the table by their headings."""
    ours = results.ours(row)
    parquet_java = results.method(row, "parquetJava")
    best, name = results.crate(row, *row.crates)
    parquet_crate, _ = results.crate(row, PARQUET_CRATE)
    hash_first = results.ours(ROWS[0]) if row.question in HASHED_FIRST else 0.0
    with_hash = None if ours is None or hash_first is None else ours + hash_first
    return {
        "question": row.question,
        "case": ", ".join(filter(None, (row.case, row.note))),
        "scalar": shown(results.method(row, row.scalar)),
        "vector": shown(results.method(row, row.vector)),
        "parquet-java": shown(parquet_java),
        "zero-alloc.-hashing": shown(results.method(row, "zeroAllocationHashing")),
        "best crate": f"{name} {shown(best)}".strip(),
        "parquet crate": shown(parquet_crate),
        "x parquet-java": ratio(parquet_java, ours),
        "x parquet crate": ratio(parquet_crate, with_hash),
        "of best crate": ratio(ours, best),
    }


def shown(ns: float | None) -> str:
    if ns is None:
        return "-"
    return f"{ns:.2f}" if ns < 10 else f"{ns:,.1f}" if ns < 100 else f"{ns:,.0f}"


def ratio(one: float | None, other: float | None) -> str:
    return "-" if one is None or other is None else f"{one / other:.2f}"


def jars(*names: str) -> Iterator[str]:
    for jar in map(Path, CLASSPATH.read_text(encoding="utf-8").split(os.pathsep)):
        found = re.fullmatch(rf"({'|'.join(names)})-(\d.*)", jar.stem)
        if found:
            yield f"{found[1]} {found[2]}"


def crate_versions() -> Iterator[str]:
    manifest = tomllib.loads((NATIVE / "Cargo.toml").read_text(encoding="utf-8"))
    for name, dependency in manifest["dependencies"].items():
        version = dependency if isinstance(dependency, str) else dependency["version"]
        yield f"{name} {version.removeprefix('=')}"


if __name__ == "__main__":
    main()
