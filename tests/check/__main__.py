"""Runs groups of tests: 'gate' those of `make test`, 'all' every one, into tests/results.

Prints the failed tests, the seconds of each group, where the groups stand that did not run, and as
the last line 'N passed, N failed', which build/reports/sum.txt keeps. Exits 1 when a test or a
group failed, when fewer tests passed than in the last full run, and when that is too old.
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
    parser.add_argument("--only", action="append", choices=[group.name for group in GROUPS])
    arguments = parser.parse_args()
    is_recording = arguments.what == "all"
    groups = GROUPS if is_recording else GATE
    if is_recording and records.is_changed():
        sys.exit("test-all: commit your changes first, because the results name a commit")
    return checked([g for g in groups if g.name in (arguments.only or [g.name])], is_recording)


if __name__ == "__main__":
    sys.exit(main())
