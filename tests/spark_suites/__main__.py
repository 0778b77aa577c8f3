"""Runs Spark's own SQL suites without and with the extension, and compares them test by test.

Spark publishes its suites as JARs; sbt resolves them (project `sparkSuites` in build.sbt), and
ScalaTest's Runner runs each suite in a JVM of its own. A test that passes without the extension and
not with it is a difference. Differences are failures unless `differences.txt` has them with their
reason. Exits 1 when a difference is unexplained, or when a suite did not run to its end.

    python tests/spark_suites --spark 4.1.1            all suites and legs, into results/
    python tests/spark_suites --spark 4.1.1 --missing  those that results/ does not have
    python tests/spark_suites --spark 4.0.1 --off-if-failed  'off' only for tests that fail
    python tests/spark_suites --only ExplainSuite --legs off,on
    python tests/spark_suites --only ExplainSuite --legs "off,failing rules"
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path

from campaign import arguments, carried_out
from comparison import NOT_PUBLISHED, Explained
from runner import ALL_LEGS, FAILING, LEGS, Run, run
from suites import Suite, class_path, our_jar, our_tests, suites_of

from results import Results


def main() -> int:
    parser = arguments("make test-spark", __doc__, LEGS)
    parser.add_argument("--spark", default="4.1.1")
    args = parser.parse_args()
    spark, path, jar = args.spark, class_path(args.spark), args.jar or our_jar(args.spark)
    check(args.legs.split(","), jar)
    explained, results, every = Explained(), Results(spark), suites_of(path)
    suites = chosen(every, args, explained, results)

    def one(suite: Suite, leg: str, tests: Collection[str]) -> Run:
        return run(suite, leg, spark, path, jar, tests)

    return carried_out(args, suites, every, one, explained, results)


def check(legs: list[str], jar: Path) -> None:
    if set(legs) - ALL_LEGS.keys():
        sys.exit(f"--legs: expected some of {', '.join(ALL_LEGS)}")
    if not jar.is_file():
        sys.exit(f"No JAR at {jar}: run 'make jar' first")
    if FAILING in legs and not our_tests(jar).is_dir():
        sys.exit(f"No classes at {our_tests(jar)}: run './sbt +spark/Test/compile' first")


def chosen(
    every: list[Suite], args: argparse.Namespace, explained: Explained, results: Results
) -> list[Suite]:
    """The suites to run, all of which this Spark publishes."""
    suites = [
        suite
        for suite in every
        if (not args.only or suite.name in args.only)
        and (not args.missing or suite.name not in results.blocks)
    ]
    unknown = set(args.only or ()) - {suite.name for suite in suites}
    gone = [suite for suite in suites if not suite.class_name]
    unknown |= {s.name for s in gone if not explained.reason(args.spark, s, "*", NOT_PUBLISHED)}
    if unknown:
        sys.exit(f"Spark {args.spark} has no such suite to run: {', '.join(sorted(unknown))}")
    return [suite for suite in suites if suite.class_name]


if __name__ == "__main__":
    sys.exit(main())
