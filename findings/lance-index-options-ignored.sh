#!/usr/bin/env bash
# pylance 14.0.2 (PyPI, the Python package of Lance).
#
# create_scalar_index takes any keyword argument. The bloom filter index has the options number_of_items (rows of a
# zone) and probability (of false positives). A user expects that they hold when passed as keywords, or an error.
# Instead, they have no effect, as has a keyword that does not exist: each filter has its default, 32 KiB for 8,192
# rows. The same options in an IndexConfig do hold, but there, too, a misspelt name is accepted.
#
# Seen on 2026-11-27:
#   pylance 14.0.2, 50,000 rows
#   options                                         zones   bytes of a filter
#   none                                            7       32768
#   keywords: number_of_items=1000, probability=0.1 7       32768
#   keyword: no_such_option=1                       7       32768
#   IndexConfig: both                               50      1024
#   IndexConfig: no_such_option                     7       32768
#   as described: keywords have no effect, and no misspelt name is an error
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pylance==14.0.2 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from pathlib import Path

import lance
import pyarrow as pa
from lance.file import LanceFileReader
from lance.indices import IndexConfig

ROWS = 50_000
OPTIONS = {"number_of_items": 1000, "probability": 0.1}
CASES = {
    "none": ("BLOOMFILTER", {}),
    "keywords: number_of_items=1000, probability=0.1": ("BLOOMFILTER", OPTIONS),
    "keyword: no_such_option=1": ("BLOOMFILTER", {"no_such_option": 1}),
    "IndexConfig: both": (IndexConfig("bloomfilter", OPTIONS), {}),
    "IndexConfig: no_such_option": (IndexConfig("bloomfilter", {"no_such_option": 1}), {}),
}
print(f"pylance {lance.__version__}, {ROWS:,} rows")
print(f"{'options':47} zones   bytes of a filter")
seen = []
for number, (name, (kind, keywords)) in enumerate(CASES.items()):
    path = Path(sys.argv[1], f"table-{number}")
    table = lance.write_dataset(pa.table({"id": range(ROWS)}), path)
    table.create_scalar_index("id", index_type=kind, **keywords)
    (index,) = path.glob("_indices/*/bloomfilter.lance")
    filters = LanceFileReader(str(index)).read_all().to_table()["bloom_filter_data"]
    seen.append((len(filters), len(filters[0].as_py())))
    print(f"{name:47} {seen[-1][0]:<7} {seen[-1][1]}")
if seen != [(7, 32768)] * 3 + [(50, 1024), (7, 32768)]:
    sys.exit("changed: the options give other filters than described")
print("as described: keywords have no effect, and no misspelt name is an error")
PYTHON
