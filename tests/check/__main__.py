"""Runs groups of tests: 'gate' those of `make test`, 'all' every one, into tests/results.

Prints the last full run of groups that are not in the gate, the seconds of each group, what failed,
and as the last line 'N passed, N failed', which build/reports/sum.txt keeps. Exits 1 when a test or
a group failed, when fewer tests passed than in the last full run, and when that is too old.
"""

from __future__ import annotations

import argparse
import sys

import records
from groups import GATE, GROUPS
from run import checked


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/check", description=__doc__)
    parser.add_argument("what", choices=("gate", "all"))
    parser.add_argument("--only", action="append", help="a group; may be repeated")
    parser.add_argument(
        "--fewer", action="store_true", help="record also fewer tests than those recorded before"
    )
    arguments = parser.parse_args()
    is_recording = arguments.what == "all"
    groups = {group.name: group for group in (GROUPS if is_recording else GATE)}
    chosen = arguments.only or list(groups)
    if unknown := set(chosen) - set(groups):
        parser.error(
            f"no group of '{arguments.what}': {', '.join(sorted(unknown))}; it has: "
            + ", ".join(groups)
        )
    if is_recording and records.is_changed():
        sys.exit("test-all: commit your changes first, because the results name a commit")
    return checked(
        [groups[name] for name in groups if name in chosen], is_recording, arguments.fewer
    )


if __name__ == "__main__":
    sys.exit(main())
