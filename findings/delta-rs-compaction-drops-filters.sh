#!/usr/bin/env bash
# deltalake 1.6.6 (PyPI, the Python package of delta-rs).
#
# A table is written with bloom filters on the column id. A user expects files that keep their filters when
# optimize.compact(), optimize.z_order(), delete() or update() rewrites them.
# Instead, the properties of the writer hold for one call and are stored nowhere: each rewritten file has no filter.
# Only a call that passes writer_properties again keeps them. No warning is given.
#
# Seen on 2026-11-27:
#   deltalake 1.6.6
#   step                              files, with a filter on id
#   two appends                       2, 2
#   compact()                         1, 0
#   z_order(["id"])                   1, 0
#   delete("id = 5")                  2, 1
#   update(...)                       2, 1
#   compact(writer_properties=...)    1, 1
#   as described: rewritten files have no filter unless writer_properties is passed again
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import BloomFilterProperties, ColumnProperties, DeltaTable, WriterProperties, write_deltalake

ROWS = 2000
bloom = BloomFilterProperties(set_bloom_filter_enabled=True, fpp=0.01, ndv=ROWS)
PROPERTIES = WriterProperties(column_properties={"id": ColumnProperties(bloom_filter_properties=bloom)})
STEPS = {
    "two appends": lambda table: None,
    "compact()": lambda table: table.optimize.compact(),
    'z_order(["id"])': lambda table: table.optimize.z_order(["id"]),
    'delete("id = 5")': lambda table: table.delete("id = 5"),
    "update(...)": lambda table: table.update(predicate="id = 5", updates={"id": "-5"}),
    "compact(writer_properties=...)": lambda table: table.optimize.compact(writer_properties=PROPERTIES),
}
print("deltalake", deltalake.__version__)
print(f"{'step':33} files, with a filter on id")
seen = []
for number, (name, step) in enumerate(STEPS.items()):
    path = f"{sys.argv[1]}/table-{number}"
    for first in (0, ROWS):
        rows = pa.table({"id": range(first, first + ROWS)})
        write_deltalake(path, rows, mode="append", writer_properties=PROPERTIES)
    table = DeltaTable(path)
    step(table)
    offsets = [pq.read_metadata(file).row_group(0).column(0).bloom_filter_offset for file in table.file_uris()]
    seen.append((len(offsets), sum(offset is not None for offset in offsets)))
    print(f"{name:33} {seen[-1][0]}, {seen[-1][1]}")
if seen != [(2, 2), (1, 0), (1, 0), (2, 1), (2, 1), (1, 1)]:
    sys.exit("changed: other files have filters than described")
print("as described: rewritten files have no filter unless writer_properties is passed again")
PYTHON
