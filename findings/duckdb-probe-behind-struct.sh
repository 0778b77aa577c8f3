#!/usr/bin/env bash
# duckdb 2.0.1 (PyPI), on files of pyarrow 26.0.1.
#
# parquet_bloom_probe(file, column, value) reports for each row group whether the column's bloom filter rules
# the value out. A user expects the answer of that column's own filter, whatever columns stand before it.
# Instead, the function counts top-level columns, while filters belong to leaves. Behind a struct of two fields or
# a map, the probe of a column reads the filter of the column before it: it rules out a value that the file holds.
# Queries are not affected: they find the row.
#
# Seen on 2026-11-27:
#   duckdb 2.0.1
#   file            rows with b = 1000005   probe says that b cannot hold it
#   plain column    1                       False
#   list            1                       False
#   struct          1                       True
#   map             1                       True
#   as described: behind a struct or a map, the probe of b reads the filter of a
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 2000
KEY = 1_000_005  # in b, not in a
FIRST = {
    "plain column": pa.array(range(ROWS)),
    "list": pa.array([[row, row] for row in range(ROWS)]),
    "struct": pa.array([{"x": row, "y": row} for row in range(ROWS)]),
    "map": pa.array([[("k", row)] for row in range(ROWS)], pa.map_(pa.string(), pa.int64())),
}
filters = {name: {"ndv": ROWS, "fpp": 0.0001} for name in ("a", "b")}
print("duckdb", duckdb.__version__)
print(f"{'file':15} rows with b = {KEY}   probe says that b cannot hold it")
excluded = {}
for name, first in FIRST.items():
    file = f"{sys.argv[1]}/{name.replace(' ', '-')}.parquet"
    table = pa.table({"first": first, "a": range(ROWS), "b": range(1_000_000, 1_000_000 + ROWS)})
    pq.write_table(table, file, use_dictionary=False, bloom_filter_options=filters)
    rows = duckdb.sql(f"SELECT count(*) FROM '{file}' WHERE b = {KEY}").fetchall()[0][0]
    probe = f"SELECT bloom_filter_excludes FROM parquet_bloom_probe('{file}', 'b', {KEY})"
    excluded[name] = duckdb.sql(probe).fetchall()[0][0]
    print(f"{name:15} {rows:<23} {excluded[name]}")
    if rows != 1:
        sys.exit(f"changed: the query finds {rows} rows, expected 1")
if excluded != {"plain column": False, "list": False, "struct": True, "map": True}:
    sys.exit("changed: the probe no longer reads the filter of another column behind a struct or a map")
print("as described: behind a struct or a map, the probe of b reads the filter of a")
PYTHON
