#!/usr/bin/env bash
# Spark gives the hidden leaves of a VARIANT column a bloom filter of 1 MiB each.
#
# Package: pyspark 4.3.0, which writes Parquet by parquet-hadoop 1.17.0.
# Data: 40,000 rows of an id and of a VARIANT of three fields, written with
# parquet.bloom.filter.enabled = true, which turns filters on for all columns.
# Expected: filters of values that a query can look up by them.
# Instead: Spark shreds the VARIANT into eight leaves that no query names: its metadata,
# a `value` for what does not fit, and a `value` and a `typed_value` for each field.
# Seven of them get a filter of 1 MiB, four of these without a single value to find.
# No scan uses them: a predicate on a field reads all rows. The file is 13 times as
# large.
# Seen on 2026-11-27:
#   event.value: 0 values, filter of 1,048,594 bytes
#   event.typed_value.user.typed_value: 40,000 values, filter of 1,048,594 bytes
#   file: 690,897 bytes, with filters 9,079,728
#   an absent user: the scan reads 40,000 of 40,000 rows
#
# Needs Python 3 and Java 17; pyspark is a download of 450 MB. PYTHON_ENV names a
# virtual environment that has it and pyarrow, to use it instead of a new one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env=${PYTHON_ENV:-$work/env}
if [[ -z ${PYTHON_ENV:-} ]]; then
  python3 -m venv "$env"
  "$env/bin/pip" install --quiet pyspark==4.3.0 pyarrow==26.0.1
fi

"$env/bin/python" - "$work" <<'PY'
import glob
import os
import sys

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

work = sys.argv[1]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
JSON = "to_json(named_struct('user', id * 7, 'name', concat('n', id * 13), 'score', id / 4))"
rows = spark.range(0, 40_000, 1, 1).selectExpr("id", f"parse_json({JSON}) AS event")


def written(name, **options):
    """Returns the size of the file and, by leaf, the bytes of its filter and its values."""
    rows.write.options(**options).parquet(f"{work}/{name}")
    file = glob.glob(f"{work}/{name}/*.parquet")[0]
    group = pq.ParquetFile(file).metadata.row_group(0)
    leaves = {}
    for chunk in map(group.column, range(group.num_columns)):
        nulls = chunk.statistics.null_count if chunk.statistics else 0
        leaves[chunk.path_in_schema] = chunk.bloom_filter_length or 0, chunk.num_values - nulls
    return os.path.getsize(file), leaves


print("Spark", spark.version)
before, _ = written("plain")
after, leaves = written("filters", **{"parquet.bloom.filter.enabled": "true"})
for leaf, (length, values) in leaves.items():
    print(f"{leaf}: {values:,} values, filter of {length:,} bytes")
print(f"file: {before:,} bytes, with filters {after:,}")

absent = spark.read.parquet(f"{work}/filters").where("variant_get(event, '$.user', 'bigint') = 78")
assert absent.collect() == []
scan = absent._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
scanned = scan.metrics().apply("numOutputRows").value()
print(f"an absent user: the scan reads {scanned:,} of 40,000 rows")
hidden = [n for leaf, (n, _) in leaves.items() if leaf.startswith("event.") and n > 1 << 20]
empty = [leaf for leaf, (n, values) in leaves.items() if n and not values]
if not (len(hidden) == 7 and len(empty) == 4 and scanned == 40_000):
    sys.exit("Other leaves have filters, or these are used: the behaviour has changed.")
PY
