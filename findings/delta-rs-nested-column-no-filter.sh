#!/usr/bin/env bash
# deltalake 1.6.6 (PyPI, the Python package of delta-rs).
#
# column_properties of WriterProperties name the columns that get a bloom filter. A user expects that "s.x" names
# the field x of the struct s, as the file's own path of the column does.
# Instead, neither "s.x" nor "s" writes a filter, and a misspelt name is accepted as well: no error, no warning.
# The field has a filter only with default_column_properties, which gives one to each column of the table.
#
# Seen on 2026-11-27:
#   deltalake 1.6.6
#   properties for                leaves with a filter
#   id, s.x                       id
#   id, s                         id
#   id, no_such_column            id
#   all columns (the default)     id, s.x
#   as described: a name never gives the nested field a filter
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
BLOOM = ColumnProperties(bloom_filter_properties=BloomFilterProperties(True, fpp=0.01, ndv=ROWS))
CASES = {
    "id, s.x": WriterProperties(column_properties={"id": BLOOM, "s.x": BLOOM}),
    "id, s": WriterProperties(column_properties={"id": BLOOM, "s": BLOOM}),
    "id, no_such_column": WriterProperties(column_properties={"id": BLOOM, "no_such_column": BLOOM}),
    "all columns (the default)": WriterProperties(default_column_properties=BLOOM),
}
EXPECTED = [["id"], ["id"], ["id"], ["id", "s.x"]]
print("deltalake", deltalake.__version__)
print(f"{'properties for':29} leaves with a filter")
table = pa.table({"id": range(ROWS), "s": pa.array([{"x": row} for row in range(ROWS)])})
seen = []
for number, (name, properties) in enumerate(CASES.items()):
    path = f"{sys.argv[1]}/table-{number}"
    write_deltalake(path, table, writer_properties=properties)
    (file,) = DeltaTable(path).file_uris()
    group = pq.read_metadata(file).row_group(0)
    chunks = [group.column(column) for column in range(group.num_columns)]
    seen.append([chunk.path_in_schema for chunk in chunks if chunk.bloom_filter_offset is not None])
    print(f"{name:29} {', '.join(seen[-1])}")
if seen != EXPECTED:
    sys.exit("changed: other leaves have filters than described")
print("as described: a name never gives the nested field a filter")
PYTHON
