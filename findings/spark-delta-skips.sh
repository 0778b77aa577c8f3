#!/usr/bin/env bash
# pyspark 4.1.4 and pyarrow 26.0.1 (Python packages). Another Spark as the argument: ./NAME.sh 4.3.0
#
# A query has a filter on one column, whose page index leaves one page. Another column is encoded as
# DELTA_BINARY_PACKED and has larger pages, so Spark's vectorized reader skips values to find the rows. A user expects
# the values of the rows that the filter selects.
# Instead, they are those of other rows where as many values are skipped as rows are read: the reader asks the decoder
# for no values in between, which makes it start again with the first value of the page. Spark answers right with
# spark.sql.parquet.filterPushdown=false. pyspark 3.5.9 does the same as 4.1.4; 4.3.0 answers right.
# The vectorized readers of Apache Paimon had the same fault, by its pull request 9137.
#
# Seen on 2026-11-28:
#   Spark 4.1.4: 38 of 40 lookups return the value of another row, a = '00000100' that of row 0
#   with spark.sql.parquet.filterPushdown=false: 0 of 40
#   as described: values of other rows
set -euo pipefail
version=${1:-4.1.4}
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

ROWS, STEP = 2000, 50
path = f"{sys.argv[1]}/rows.parquet"
pq.write_table(
    pa.table({"a": [f"{n:08d}" for n in range(ROWS)], "b": list(range(ROWS))}),
    path,
    use_dictionary=False,
    write_page_index=True,
    write_batch_size=100,
    data_page_size=1200,  # pages of 100 rows for `a`, of more for `b`
    column_encoding={"a": "PLAIN", "b": "DELTA_BINARY_PACKED"},
)
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
table = spark.read.parquet(path)


def wrong() -> dict[int, int]:
    """Returns the lookups with another value than their row's."""
    found = {n: table.where(f"a = '{n:08d}'").head().b for n in range(0, ROWS, STEP)}
    return {n: value for n, value in found.items() if n != value}


with_index = wrong()
spark.conf.set("spark.sql.parquet.filterPushdown", "false")
without = wrong()
first = next(iter(with_index.items()), None)
example = f", a = '{first[0]:08d}' that of row {first[1]}" if first else ""
print(f"Spark {spark.version}: {len(with_index)} of {ROWS // STEP} lookups return the value of another row{example}")
print(f"with spark.sql.parquet.filterPushdown=false: {len(without)} of {ROWS // STEP}")
if not with_index or without:
    sys.exit("NOT as described")
print("as described: values of other rows")
PYTHON
"$python" "$folder/lookups.py" "$folder" 2>"$folder/log" || { tail -n 3 "$folder/log" >&2; exit 1; }
