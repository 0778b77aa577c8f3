#!/usr/bin/env bash
# pylance 14.0.2 (PyPI, the Python package of Lance). Needs Linux, for /proc/self/io.
#
# A bloom filter index of Lance rules out zones of 8,192 rows. A user expects that a lookup of a key that the table
# lacks reads less with the index than without.
# Instead, it reads more: the filters take 32 KiB a zone, 4 bytes a row, and a lookup in a fresh process reads all
# of them. A packed integer column is smaller than its index. And the statistics of the scan count no byte of the
# index, so that they report 0.
#
# Seen on 2026-11-27:
#   pylance 14.0.2, 500,000 rows, a key that the table lacks
#                    bytes read by the process   bytes that the scan reports
#   without index    1268643                     1265716
#   with index       2040363                     0
#   as described: with the index, the lookup reads more than the whole column
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pylance==14.0.2 pyarrow==26.0.1
cat >"$folder/example.py" <<'PYTHON'
import subprocess
import sys
from pathlib import Path

import lance
import pyarrow as pa

ROWS = 500_000
ABSENT = 5001  # odd, and all keys of the table are even


def bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split()[1])


def look_up(path: str, use_index: bool) -> tuple[int, int]:
    """Returns the bytes that a process reads for a lookup, and those that the scan reports."""
    before, reported = bytes_read(), []
    scanner = lance.dataset(path).scanner(
        filter=f"id = {ABSENT}",
        use_scalar_index=use_index,
        scan_stats_callback=lambda statistics: reported.append(statistics.bytes_read),
    )
    if scanner.to_table().num_rows:
        sys.exit("the key is in the table")
    return bytes_read() - before, reported[0]


if len(sys.argv) == 3:  # a fresh process, without a cache
    print(*look_up(sys.argv[1], sys.argv[2] == "with"))
    sys.exit()
path = sys.argv[1]
ids = pa.array((row * 7919 % ROWS) * 2 for row in range(ROWS))
lance.write_dataset(pa.table({"id": ids}), path).create_scalar_index("id", index_type="BLOOMFILTER")
print(f"pylance {lance.__version__}, {ROWS:,} rows, a key that the table lacks")
print(f"{'':16} bytes read by the process   bytes that the scan reports")
seen = {}
for index in ("without", "with"):
    answer = subprocess.run([sys.executable, __file__, path, index], check=True, capture_output=True, text=True)
    seen[index] = [int(number) for number in answer.stdout.split()]
    print(f"{index + ' index':16} {seen[index][0]:<27} {seen[index][1]}")
if seen["with"][0] <= seen["without"][0] or seen["with"][1] != 0:
    sys.exit("changed: the lookup with the index reads less, or the scan reports the bytes of the index")
print("as described: with the index, the lookup reads more than the whole column")
PYTHON
"$folder/venv/bin/python" "$folder/example.py" "$folder/table"
