"""Writes tables and predicates for whoever asks: one for each line of its standard input.

Answers with the table's folder (see tables.py), in which `predicates.sql` holds a predicate a line
and `writers.txt` who wrote which file.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from predicates import Predicates

from tables import write_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--spark", required=True, help="the version that will read, as in 4.0")
    parser.add_argument("--predicates", type=int, required=True, help="how many for each table")
    asked = parser.parse_args()
    major, minor = map(int, asked.spark.split(".")[:2])
    for number, _ in enumerate(sys.stdin):
        rng = random.Random(f"{asked.seed}/{number}")
        name = f"fuzz_{number}"
        table = write_table(asked.folder / name, name, rng, (major, minor))
        drawn = Predicates(rng, table.schema.readable, table.values, ansi=True)
        lines = (drawn.predicate().sql for _ in range(asked.predicates))
        (table.folder / "predicates.sql").write_text("\n".join(lines))
        (table.folder / "writers.txt").write_text("\n".join(table.writers))
        print(table.folder, flush=True)


if __name__ == "__main__":
    main()
