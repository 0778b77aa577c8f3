#!/usr/bin/env bash
# pyarrow 26.0.1 (PyPI).
#
# bloom_filter_options take ndv, the number of distinct values. For a list column a user sets the number of rows, as for
# any other column, and expects a filter that rules out keys, or a warning.
# Instead, the filter counts items: with several items a row it fills up. At 20 items a row each bit is set, and the
# filter answers "maybe" to every key. It still costs its bytes and a read for each query. Nothing in the file and no
# message shows it. Without ndv (True in place of the options), pyarrow 26 sizes the filter itself, and well.
#
# Seen on 2026-11-27:
#   pyarrow 26.0.1, 2,000 rows
#   items a row   ndv = rows: bytes, bits set   no ndv: bytes, bits set
#   1             4096, 38.7 %                  2048, 62.2 %
#   5             4096, 91.3 %                  16384, 45.7 %
#   20            4096, 100.0 %                 65536, 45.8 %
#   as described: with ndv = rows, the filter of 20 items a row is full
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 2000
LEAF = "tags.list.element"
HEADER = bytes.fromhex("1c1c00001c1c00001c1c000000")  # block, xxhash, uncompressed, and the end of the header


def bitset(table: pa.Table, options: dict[str, float] | bool) -> bytes:
    file = f"{sys.argv[1]}/lists.parquet"
    pq.write_table(table, file, use_dictionary=False, bloom_filter_options={LEAF: options})
    chunk = pq.read_metadata(file).row_group(0).column(0)
    with open(file, "rb") as whole:
        whole.seek(chunk.bloom_filter_offset)
        found = whole.read(chunk.bloom_filter_length)
    return found[found.index(HEADER) + len(HEADER) :]


def share(bits: bytes) -> float:
    return sum(byte.bit_count() for byte in bits) / (8 * len(bits))


print(f"pyarrow {pa.__version__}, {ROWS:,} rows")
print("items a row   ndv = rows: bytes, bits set   no ndv: bytes, bits set")
for items in (1, 5, 20):
    lists = [list(range(row * items, row * items + items)) for row in range(ROWS)]
    table = pa.table({"tags": lists})
    by_rows = bitset(table, {"ndv": ROWS, "fpp": 0.01})
    by_itself = bitset(table, True)
    cell = f"{len(by_rows)}, {share(by_rows):.1%}".replace("%", " %")
    print(f"{items:<13} {cell:29} {len(by_itself)}, {100 * share(by_itself):.1f} %")
if share(by_rows) != 1 or share(by_itself) > 0.7:
    sys.exit("changed: the filter with ndv = rows is not full, or that without ndv is")
print("as described: with ndv = rows, the filter of 20 items a row is full")
PYTHON
