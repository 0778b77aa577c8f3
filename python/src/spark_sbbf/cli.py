"""The command ``spark-sbbf``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from spark_sbbf.jar import jar_path


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(prog="spark-sbbf", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("jar", help="print the path of the JAR, for spark-submit --jars")
    parser.parse_args(arguments)
    try:
        print(jar_path())
    except (RuntimeError, FileNotFoundError) as error:
        print(f"spark-sbbf: {error}", file=sys.stderr)
        return 1
    return 0
