"""Writes a table and predicates for each line of its standard input.

Prints the table's folder (see tables.py), in which `predicates.sql` holds a predicate a line and
`writers.txt` the writer of each file.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from predicates import Predicates

from tables import write_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--spark", required=True, help="the version that will read, as in 4.0")
    parser.add_argument("--predicates", type=int, required=True, help="how many for each table")
    arguments = parser.parse_args()
    major, minor = map(int, arguments.spark.split(".")[:2])
    for number, _ in enumerate(sys.stdin):
        rng = random.Random(f"{arguments.seed}/{number}")
        name = f"fuzz_{number}"
        table = write_table(arguments.folder / name, name, rng, (major, minor))
        drawn = Predicates(rng, table.schema.readable, table.values, ansi=True)
        lines = (drawn.predicate().sql for _ in range(arguments.predicates))
        (table.folder / "predicates.sql").write_text("\n".join(lines))
        (table.folder / "writers.txt").write_text("\n".join(table.writers))
        print(table.folder, flush=True)


if __name__ == "__main__":
    main()
