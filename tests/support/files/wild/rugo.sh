#!/usr/bin/env bash
# rugo.sh FILE: writes by rugo 0.5.6 (PyPI), with filters of both columns.
#
# The row groups interleave in blocks of four: four chunks of the first column, then four of the second.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rugo==0.5.6
"$folder/venv/bin/python" - "$file" <<'PYTHON'
import sys
from pathlib import Path

import draken
from rugo import parquet

ids = [2 * (row * 7919 % 2000) for row in range(2000)]
names = [f"n{id}" for id in ids]
vectors = [draken.vector_from_sequence(ids), draken.vector_from_sequence(names, "VARCHAR")]
morsel = draken.Morsel.from_vectors(["id", "name"], vectors)
options = {"bloom_filters": True, "dictionary": False, "max_rows_per_row_group": 250}
Path(sys.argv[1]).write_bytes(parquet.write_parquet(morsel, **options))
PYTHON
