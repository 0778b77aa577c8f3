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
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from comparison import NOT_PUBLISHED, Explained, Outcome, compared
from runner import ALL_LEGS, FAILING, LEGS, WHOLE, run
from suites import Suite, class_path, our_jar, our_tests, suites_of

from results import Results, block, write_junit


def main() -> int:
    args = parsed()
    spark, path, jar = args.spark, class_path(args.spark), args.jar or our_jar(args.spark)
    legs = args.legs.split(",")
    check(legs, jar)
    explained, results, every = Explained(), Results(spark), suites_of(path)
    suites = chosen(every, args, explained, results)

    def outcome(suite: Suite) -> Outcome:
        first = [leg for leg in suite.legs(legs) if leg != "off" or not args.off_if_failed]
        runs = {leg: run(suite, leg, spark, path, jar) for leg in first}
        failed = {test for done in runs.values() for test in done.failed}
        if args.off_if_failed and failed:
            only = () if WHOLE in failed else failed
            runs["off"] = run(suite, "off", spark, path, jar, only)
        found = compared(spark, suite, runs, explained)
        print("\n".join(block(found, "")), flush=True)
        return found

    outcomes = []
    with ThreadPoolExecutor(args.processes) as pool:
        for done in as_completed([pool.submit(outcome, suite) for suite in suites]):
            found = done.result()
            outcomes.append(found)
            if {"off", "on"} <= set(legs) <= LEGS.keys():
                results.put(found)
                results.save(every)
    if "on" in legs:
        write_junit(outcomes)
    unexplained = sum(len(found.unexplained) for found in outcomes)
    differences = sum(len(found.differences) for found in outcomes)
    print(f"{differences - unexplained} explained, {unexplained} unexplained differences")
    unrun = [found.suite.name for found in outcomes if not found.is_whole]
    if unrun:
        print(f"not run to the end: {', '.join(unrun)}")
    return 1 if unexplained or unrun else 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make test-spark", description=__doc__)
    parser.add_argument("--spark", default="4.1.1")
    parser.add_argument(
        "--off-if-failed",
        action="store_true",
        help="run without the extension only the tests that failed with it",
    )
    parser.add_argument("--only", action="append", help="a suite; may be repeated")
    parser.add_argument("--missing", action="store_true", help="suites without a result")
    parser.add_argument("--legs", default=",".join(LEGS))
    parser.add_argument("--jar", type=Path, help="instead of the one that this tree builds")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


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
