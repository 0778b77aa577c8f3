#!/usr/bin/env bash
# pyspark 4.3.0 and pyarrow 26.0.1 (Python packages). Another Spark as the argument: ./NAME.sh 3.5.9
#
# A query has a filter on one column, whose page index leaves an early page and the last one, which has a single row.
# Another column has larger pages. Spark reads row by row, as it does with spark.sql.parquet.enableVectorizedReader=false
# and for types that its vectorized reader does not have. A user expects the values of the two rows that match.
# Instead, the last row has the value of an earlier row of the other column: parquet-mr takes the last row's number from
# its list of rows to read while it skips the rest of the early page, sees that the list is empty, and stops there. Spark
# answers right with spark.sql.parquet.filterPushdown=false, and with its vectorized reader. pyspark 3.5.9, 4.0.5 and
# 4.1.4 do the same. apache/parquet-java#3747 describes the fault, for parquet-mr alone.
#
# Seen on 2026-11-28:
#   Spark 4.3.0: 10 of 20 lookups return the last row with the value of another row, beside row 0 that of row 100
#   with spark.sql.parquet.filterPushdown=false: 0 of 20
#   with the vectorized reader: 0 of 20
#   as described: a value of an earlier row
set -euo pipefail
version=${1:-4.3.0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -n "${PYTHON_ENV:-}" ]; then
  python="$PYTHON_ENV/bin/python"
else
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet "pyspark==$version" pyarrow==26.0.1
  python="$folder/venv/bin/python"
fi
cat >"$folder/lookups.py" <<'PYTHON'
import sys

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

ROWS, STEP = 2001, 100
LAST = ROWS - 1
path = f"{sys.argv[1]}/rows.parquet"
pq.write_table(
    pa.table({"a": [f"{n:08d}" for n in range(ROWS)], "b": list(range(ROWS))}),
    path,
    use_dictionary=False,
    write_page_index=True,
    write_batch_size=100,
    data_page_size=1200,  # pages of 100 rows for `a`, of 200 for `b`
)
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.conf.set("spark.sql.parquet.enableVectorizedReader", "false")
table = spark.read.parquet(path)


def wrong() -> dict[int, int]:
    """Returns the other value that the last row has, by the row that is looked up beside it."""
    others = {}
    for n in range(0, LAST, STEP):
        rows = table.where(f"a IN ('{n:08d}', '{LAST:08d}')").collect()
        value = {row.a: row.b for row in rows}[f"{LAST:08d}"]
        if value != LAST:
            others[n] = value
    return others


with_index = wrong()
spark.conf.set("spark.sql.parquet.filterPushdown", "false")
without = wrong()
spark.conf.set("spark.sql.parquet.filterPushdown", "true")
spark.conf.set("spark.sql.parquet.enableVectorizedReader", "true")
vectorized = wrong()
first = next(iter(with_index.items()), None)
example = f", beside row {first[0]} that of row {first[1]}" if first else ""
lookups = LAST // STEP
print(
    f"Spark {spark.version}: {len(with_index)} of {lookups} lookups return the last row with the value of another row"
    f"{example}"
)
print(f"with spark.sql.parquet.filterPushdown=false: {len(without)} of {lookups}")
print(f"with the vectorized reader: {len(vectorized)} of {lookups}")
if not with_index or without or vectorized:
    sys.exit("NOT as described")
print("as described: a value of an earlier row")
PYTHON
"$python" "$folder/lookups.py" "$folder" 2>"$folder/log" || { tail -n 3 "$folder/log" >&2; exit 1; }
