#!/usr/bin/env bash
# rugo 0.5.6 (PyPI).
#
# A user expects the chunks of a row group one after the other in the file, as most writers lay them, so that its
# first and last byte bound what belongs to it.
# Instead, write_parquet lays blocks of four row groups, by default: all four chunks of the first column, then those of
# the next. Such files are valid, and pyarrow reads them. But the byte ranges of row groups overlap: a reader that
# fetches a row group in one range reads a multiple, and a size derived from offsets is wrong.
#
# Seen on 2026-11-27:
#   rugo 0.5.6, 6 row groups of 1,000 rows, 4 columns
#   row group   its own bytes   from its first to its last byte   row groups that start in between
#   0           6134            15844                             1, 2, 3
#   1           4172            15094                             2, 3
#   2           4165            14930                             3
#   3           4164            14771                             none
#   4           4167            7397                              5
#   5           4159            7237                              none
#   as described: row groups interleave in blocks of four
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rugo==0.5.6 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from pathlib import Path

import draken
import pyarrow.parquet as pq
import rugo
from rugo import parquet

ROWS, GROUP = 6000, 1000
names = ["a", "b", "c", "d"]
vectors = [draken.vector_from_sequence([row * (at + 1) for row in range(ROWS)], None) for at in range(len(names))]
file = Path(sys.argv[1], "example.parquet")
file.write_bytes(parquet.write_parquet(draken.Morsel.from_vectors(names, vectors), max_rows_per_row_group=GROUP))
if pq.read_table(file)["d"].to_pylist() != [4 * row for row in range(ROWS)]:
    sys.exit("changed: pyarrow reads other values")

metadata = pq.read_metadata(file)
spans, sizes = [], []
for number in range(metadata.num_row_groups):
    group = metadata.row_group(number)
    chunks = [group.column(column) for column in range(group.num_columns)]
    starts = [min(filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset))) for chunk in chunks]
    lengths = [chunk.total_compressed_size for chunk in chunks]
    spans.append((min(starts), max(start + length for start, length in zip(starts, lengths))))
    sizes.append(sum(lengths))
print(f"rugo {rugo.__version__}, {len(spans)} row groups of {GROUP:,} rows, {len(names)} columns")
print("row group   its own bytes   from its first to its last byte   row groups that start in between")
between = [[other for other, (at, _) in enumerate(spans) if start < at < end] for start, end in spans]
for number, (start, end) in enumerate(spans):
    print(f"{number:<11} {sizes[number]:<15} {end - start:<33} {', '.join(map(str, between[number])) or 'none'}")
if between != [[1, 2, 3], [2, 3], [3], [], [5], []]:
    sys.exit("changed: the row groups lie in another order")
print("as described: row groups interleave in blocks of four")
PYTHON
