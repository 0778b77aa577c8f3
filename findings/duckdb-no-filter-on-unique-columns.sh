#!/usr/bin/env bash
# duckdb 2.0.1 (PyPI).
#
# DuckDB writes bloom filters by default (WRITE_BLOOM_FILTER is true). A user expects them above all on columns of
# unique keys, where bounds rule nothing out.
# Instead, a column gets a filter only if it is wholly dictionary-encoded, which by default takes at least five rows a
# value. So a column of 500 values has a filter, and a unique key has none, without a message, even with
# WRITE_BLOOM_FILTER true. A larger DICTIONARY_SIZE_LIMIT gives one.
#
# Seen on 2026-11-27:
#   duckdb 2.0.1, 100,000 rows: bytes of the filter
#   options                         key (unique)   name (unique)   kind (500 values)
#   none                            None           None            1040
#   WRITE_BLOOM_FILTER true         None           None            1040
#   DICTIONARY_SIZE_LIMIT 100000    131089         131089          1040
#   as described: unique columns have no filter unless the dictionary's limit is raised
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import duckdb

ROWS = 100_000
OPTIONS = ("none", "WRITE_BLOOM_FILTER true", f"DICTIONARY_SIZE_LIMIT {ROWS}")
file = f"{sys.argv[1]}/example.parquet"
query = f"SELECT range AS key, 'name ' || range AS name, range % 500 AS kind FROM range({ROWS})"
print(f"duckdb {duckdb.__version__}, {ROWS:,} rows: bytes of the filter")
print(f"{'options':31} key (unique)   name (unique)   kind (500 values)")
has_filter = []
for name in OPTIONS:
    option = "" if name == "none" else f", {name}"
    duckdb.sql(f"COPY ({query}) TO '{file}' (FORMAT parquet, ROW_GROUP_SIZE {ROWS}{option})")
    found = duckdb.sql(f"SELECT bloom_filter_length FROM parquet_metadata('{file}') ORDER BY column_id").fetchall()
    key, text, kind = (length for (length,) in found)
    has_filter.append([length is not None for length in (key, text, kind)])
    print(f"{name:31} {key!s:14} {text!s:15} {kind}")
if has_filter != [[False, False, True], [False, False, True], [True, True, True]]:
    sys.exit("changed: other columns have filters than described")
print("as described: unique columns have no filter unless the dictionary's limit is raised")
PYTHON
