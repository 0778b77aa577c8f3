"""Runs suites in their legs, keeps what they did, and says whether all is well."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from comparison import Explained, Outcome, compared
from runner import WHOLE, Run
from suites import Suite

from results import REPORT, Results, block, write_junit


def arguments(prog: str, description: str | None, legs: Collection[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument(
        "--off-if-failed",
        action="store_true",
        help="run without the extension only the tests that failed with it",
    )
    parser.add_argument("--only", action="append", help="a suite; may be repeated")
    parser.add_argument("--missing", action="store_true", help="suites without a result")
    parser.add_argument("--legs", default=",".join(legs))
    parser.add_argument("--jar", type=Path, help="instead of the one that this tree builds")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser


def carried_out(
    args: argparse.Namespace,
    suites: list[Suite],
    every: list[Suite],
    run: Callable[[Suite, str, Collection[str]], Run],
    explained: Explained,
    results: Results,
    report: Path = REPORT,
) -> int:
    """Runs suites out of all that there are.

    Returns 1 when a difference is unexplained, or when a suite did not run to its end.
    """
    legs, outcomes = args.legs.split(","), []

    def outcome(suite: Suite) -> Outcome:
        first = [leg for leg in suite.legs(legs) if leg != "off" or not args.off_if_failed]
        runs = {leg: run(suite, leg, ()) for leg in first}
        failed = {test for done in runs.values() for test in done.failed}
        if args.off_if_failed and failed:
            runs["off"] = run(suite, "off", () if WHOLE in failed else failed)
        found = compared(results.spark, suite, runs, explained)
        print("\n".join(block(found, "", results.legs)), flush=True)
        return found

    with ThreadPoolExecutor(args.processes) as pool:
        for done in as_completed([pool.submit(outcome, suite) for suite in suites]):
            outcomes.append(done.result())
            if {"off", "on"} <= set(legs) <= set(results.legs):
                results.put(outcomes[-1])
                results.save(every)
    if "on" in legs:
        write_junit(outcomes, report)
    return status(outcomes)


def status(outcomes: list[Outcome]) -> int:
    unexplained = sum(len(found.unexplained) for found in outcomes)
    differences = sum(len(found.differences) for found in outcomes)
    print(f"{differences - unexplained} explained, {unexplained} unexplained differences")
    unrun = [found.suite.name for found in outcomes if not found.is_whole]
    if unrun:
        print(f"not run to the end: {', '.join(unrun)}")
    return 1 if unexplained or unrun else 0
