#!/usr/bin/env bash
# carquet 0.7.2 (PyPI).
#
# The C library's option write_bloom_filters adds a filter to each column; the Python function has no parameter for
# it, so the script sets it in the options that the function passes. A user expects filters whose size follows the data.
# Instead, each filter has 119,840 bytes, whatever the rows: a file of one row and two columns has 240 KB, and a row
# group of 200,000 keys has a filter with four of five bits set. The filter of a BOOLEAN column has no bit at all: a
# reader that used it would rule out both of the column's values.
#
# Seen on 2026-11-27:
#   carquet 0.7.2
#   rows     bytes of the file   filter of id: bytes, bits set   filter of flag: bytes, bits set
#   1        240309              119840, 0.0 %                   119840, 0.0 %
#   1000     241959              119840, 0.8 %                   119840, 0.0 %
#   200000   480775              119840, 81.2 %                  119840, 0.0 %
#   as described: filters of one size, and none of a BOOLEAN column's values in its filter
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check carquet==0.7.2 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from pathlib import Path

import carquet
import pyarrow as pa
import pyarrow.parquet as pq
from carquet import _ffi

HEADER = bytes.fromhex("1c1c00001c1c00001c1c000000")  # block, xxhash, uncompressed, and the end of the header
library = _ffi.get_lib()
set_defaults = library.carquet_writer_options_init


def set_defaults_and_filters(options) -> None:
    set_defaults(options)
    options._obj.write_bloom_filters = True


library.carquet_writer_options_init = set_defaults_and_filters
print("carquet", carquet.lib_version())
print("rows     bytes of the file   filter of id: bytes, bits set   filter of flag: bytes, bits set")
file = Path(sys.argv[1], "example.parquet")
sizes, bits_of_flag = set(), 0
for rows in (1, 1000, 200_000):
    table = pa.table({"id": range(rows), "flag": [row % 2 == 0 for row in range(rows)]})
    carquet.write_table(table, file)
    content = file.read_bytes()
    group = pq.read_metadata(file).row_group(0)
    cells = []
    for column in range(2):
        chunk = group.column(column)
        found = content[chunk.bloom_filter_offset :][: chunk.bloom_filter_length]
        bitset = found[found.index(HEADER) + len(HEADER) :]
        bits = sum(byte.bit_count() for byte in bitset)
        sizes.add(len(bitset))
        bits_of_flag += bits if column == 1 else 0
        cells.append(f"{len(bitset)}, {100 * bits / (8 * len(bitset)):.1f} %")
    print(f"{rows:<8} {len(content):<19} {cells[0]:31} {cells[1]}")
if sizes != {119_840} or bits_of_flag:
    sys.exit("changed: the filters have other sizes, or that of the BOOLEAN column has values")
print("as described: filters of one size, and none of a BOOLEAN column's values in its filter")
PYTHON
