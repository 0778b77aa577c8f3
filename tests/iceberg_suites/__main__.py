"""Runs Iceberg's own tests of Spark without and with the extension, and compares them one by one.

Iceberg publishes them as JARs; sbt resolves them (project `icebergSuites` in build.sbt). A test
that passes without the extension and not with it is a difference, as in tests/spark_suites, whose
code this uses. Exits 1 when `differences.txt` does not explain a difference, or when a class did
not run to its end.

    python tests/iceberg_suites                       all classes of suites.txt, into results/
    python tests/iceberg_suites --missing             those that results/ does not have
    python tests/iceberg_suites --off-if-failed       'off' only for tests that fail
    python tests/iceberg_suites --only TestRuntimeFiltering --legs "off,not adaptive"
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "spark_suites"))
from campaign import arguments, carried_out
from comparison import Explained
from console import ALL_LEGS, HERE, LEGS, class_path, run, suites_of, versions
from runner import Run
from suites import ROOT, Suite, our_jar

import results

REPORT = ROOT / "build" / "reports" / "iceberg" / "tests.xml"


class Results(results.Results):
    """results/iceberg-VERSION-spark-VERSION.txt."""

    legs = tuple(LEGS)

    def __init__(self, iceberg: str, spark: str) -> None:
        self.iceberg = iceberg
        super().__init__(spark)

    def place(self) -> Path:
        return HERE / "results" / f"iceberg-{self.iceberg}-spark-{self.spark}.txt"

    def title(self, machine: str) -> str:
        what = f"Iceberg's own tests, Iceberg {self.iceberg}, Spark {self.spark}, {machine}"
        return f"{what}. Made by: make test-iceberg"


def main() -> int:
    args = arguments("make test-iceberg", __doc__, LEGS).parse_args()
    path = class_path()
    iceberg, spark = versions(path)
    jar, every, kept = args.jar or our_jar(spark), suites_of(path), Results(iceberg, spark)
    if set(args.legs.split(",")) - ALL_LEGS.keys():
        sys.exit(f"--legs: expected some of {', '.join(ALL_LEGS)}")
    if not jar.is_file():
        sys.exit(f"No JAR at {jar}: run 'make jar' first")
    if unknown := set(args.only or ()) - {suite.name for suite in every if suite.class_name}:
        sys.exit(f"Iceberg {iceberg} has no such class to run: {', '.join(sorted(unknown))}")
    suites = [
        suite
        for suite in every
        if suite.class_name
        and (not args.only or suite.name in args.only)
        and (not args.missing or suite.name not in kept.blocks)
    ]

    def one(suite: Suite, leg: str, tests: Collection[str]) -> Run:
        return run(suite, leg, path, jar, tests)

    return carried_out(args, suites, every, one, Explained(HERE), kept, REPORT)


if __name__ == "__main__":
    sys.exit(main())
