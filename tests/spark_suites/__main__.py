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
import sys
from pathlib import Path

from comparison import NOT_PUBLISHED, Explained, differences, table, write_junit, write_report
from runner import LEGS, WHOLE, run_all
from suites import class_path, our_jar, suites_of


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
