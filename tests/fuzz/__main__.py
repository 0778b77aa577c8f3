"""Runs both layers of the differential fuzzer, for some seconds or queries, from one seed.

Prints queries, differences, errors and how many queries planned fewer row groups. Exits 1 on a
difference, and when fewer than 40 % of the queries were pruned: the run would prove nothing.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from contenders import CONTENDERS
from fuzzer import Findings, Fuzzer

import spark_sbbf as sbbf
from harness import local_builder

LEAST_SHARE = 0.4
ENDLESS = 10**9


def verdicts(seed: str, queries: int, seconds: int) -> bool:
    """Layer 1: verdicts against rows, in a JVM without jobs."""
    main = f"spark/Test/runMain io.sbbf.spark.fuzz.VerdictFuzz {seed} {queries} {seconds}"
    return subprocess.run(["./sbt", main], check=False).returncode == 0


def whole_queries(seed: str, queries: int, seconds: int, contender: str) -> bool:
    """Layer 2: through Spark, with the extension of the installed wheel."""
    end = time.monotonic() + seconds

    def enough(findings: Findings) -> bool:
        return findings.queries >= queries or time.monotonic() > end

    with tempfile.TemporaryDirectory(prefix="sbbf-fuzz-") as warehouse:
        spark = sbbf.enable(local_builder(Path(warehouse))).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        logging.disable()  # errors are part of the answers
        findings = Fuzzer(spark, seed, contender).run(enough)
        spark.stop()
    for difference in findings.differences[:20]:
        print(difference.report)
    print(findings)
    pruned = findings.share >= LEAST_SHARE or contender != "sbbf"
    return pruned and not findings.differences


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seed", default=os.environ.get("SBBF_SEED", str(random.randrange(10**9))))
    parser.add_argument("--seconds", type=int, help="for both layers together (600)")
    parser.add_argument("--queries", type=int, help="for each layer, instead of seconds")
    parser.add_argument("--layer", choices=("1", "2", "both"), default="both")
    parser.add_argument("--contender", choices=list(CONTENDERS), default="sbbf")
    arguments = parser.parse_args()
    queries = arguments.queries or ENDLESS
    seconds = arguments.seconds or (ENDLESS if arguments.queries else 600)
    if arguments.layer == "both" and arguments.contender == "sbbf":
        seconds //= 2
    good = True
    if arguments.layer != "2" and arguments.contender == "sbbf":
        good = verdicts(arguments.seed, queries, seconds)
    if arguments.layer != "1":
        good = whole_queries(arguments.seed, queries, seconds, arguments.contender) and good
    print(f"seed {arguments.seed}: {'no difference' if good else 'FAILED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
