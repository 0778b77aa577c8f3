#!/usr/bin/env bash
# chdb 4.4.0 with chdb-core 26.9.0 (PyPI, ClickHouse 26.9 in a Python package).
#
# ClickHouse writes a bloom filter for each column of a Parquet file by default. A user expects that its own
# reader skips row groups by them, as input_format_parquet_bloom_filter_push_down promises.
# Instead, the reader uses filters of integers and texts alone. Those of floats, UUID, dates, instants and decimals are
# written, take the same space, and are not used. The script turns the check of dictionaries off, which would
# skip before the filters do.
#
# Seen on 2026-11-27:
#   chdb 4.4.0, 4 row groups of 5,000 rows, a key that the column lacks
#   type           bytes of one filter   rows read with filters   rows read without
#   Int64          8209                  0                        20000
#   Int32          8209                  0                        20000
#   UInt64         8209                  0                        20000
#   String         8209                  0                        20000
#   Float64        8209                  20000                    20000
#   Float32        8209                  20000                    20000
#   UUID           8209                  20000                    20000
#   Date32         8209                  20000                    20000
#   DateTime       8209                  20000                    20000
#   DateTime64     8209                  20000                    20000
#   Decimal32      8209                  20000                    20000
#   Decimal64      8209                  20000                    20000
#   Decimal128     8209                  20000                    20000
#   as described: the filters of 9 types are written and not used
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chdb==4.4.0 chdb-core==26.9.0 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from importlib.metadata import version

import pyarrow.parquet as pq
from chdb.session import Session

KEY = 4001  # odd, and all keys of the file are even
UUID = "toUUID(concat('00000000-0000-4000-8000-', leftPad(toString({}), 12, '0')))"
USED = {
    "Int64": "toInt64({})",
    "Int32": "toInt32({})",
    "UInt64": "toUInt64({})",
    "String": "toString({})",
}
NOT_USED = {
    "Float64": "toFloat64({})",
    "Float32": "toFloat32({})",
    "UUID": UUID,
    "Date32": "toDate32({})",
    "DateTime": "toDateTime({}, 'UTC')",
    "DateTime64": "toDateTime64({}, 6, 'UTC')",
    "Decimal32": "toDecimal32({}, 2)",
    "Decimal64": "toDecimal64({}, 2)",
    "Decimal128": "toDecimal128({}, 2)",
}
file = f"{sys.argv[1]}/types.parquet"
session = Session()
types = {**USED, **NOT_USED}
columns = ", ".join(f"{convert.format('number * 7919 % 20000 * 2')} AS {name}" for name, convert in types.items())
session.query(
    f"INSERT INTO FUNCTION file('{file}', 'Parquet') SELECT {columns} FROM numbers(20000) "
    "SETTINGS output_format_parquet_row_group_size = 5000, max_threads = 1"
)


def rows_read(name: str, filters: int) -> int:
    answer = session.query(
        f"SELECT count() AS n FROM file('{file}', 'Parquet') WHERE {name} = {types[name].format(KEY)} SETTINGS "
        f"input_format_parquet_bloom_filter_push_down = {filters}, "
        "input_format_parquet_dictionary_filter_push_down = 0 FORMAT JSON"
    )
    return json.loads(str(answer))["statistics"]["rows_read"]


print(f"chdb {version('chdb')}, 4 row groups of 5,000 rows, a key that the column lacks")
print("type           bytes of one filter   rows read with filters   rows read without")
group = pq.read_metadata(file).row_group(0)
has_changed = False
for number, name in enumerate(types):
    length = group.column(number).bloom_filter_length
    seen = (rows_read(name, 1), rows_read(name, 0))
    print(f"{name:14} {length!s:21} {seen[0]:<24} {seen[1]}")
    has_changed |= length is None or seen != (20000 if name in NOT_USED else 0, 20000)
if has_changed:
    sys.exit("changed: the reader uses the filters of other types than described")
print(f"as described: the filters of {len(NOT_USED)} types are written and not used")
PYTHON
