#!/usr/bin/env bash
# Spark loses rows when a field of a struct and a column share one dotted name.
#
# Package: pyspark 4.3.0, which reads and writes Parquet by parquet-hadoop 1.17.0.
# Data: a struct `a` with a field `b`, beside a column whose name is `a.b`, as half
# flattened JSON has them. Spark and Parquet hold them as two columns: to Parquet a
# path is a list of names, here [a, b] and [a.b].
# Expected: a predicate on either column finds its rows.
# Instead: parquet-hadoop joins the path with a dot in its maps of columns, so the
# second column replaces the first.
#   1. With bloom filters, both chunks get the filter of the second column, and a
#      value that the field holds is not found.
#   2. Without a filter, 200 distinct values a column: the dictionary of the second
#      column decides for the field, with the same result.
# Both answers are right with spark.sql.parquet.filterPushdown=false.
# Seen on 2026-11-27:
#   bloom filters, field a.b = 4000: 0 rows, without pushdown 1
#   dictionaries, field a.b = 200: 0 rows, without pushdown 100
#
# Needs Python 3 and Java 17; pyspark is a download of 450 MB. PYTHON_ENV names a
# virtual environment that has it, to use it instead of a new one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env=${PYTHON_ENV:-$work/env}
if [[ -z ${PYTHON_ENV:-} ]]; then
  python3 -m venv "$env"
  "$env/bin/pip" install --quiet pyspark==4.3.0
fi

"$env/bin/python" - "$work" <<'PY'
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col

work = sys.argv[1]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
FILTERS = {
    "parquet.bloom.filter.enabled": "true",
    "parquet.bloom.filter.expected.ndv": "20000",
    "parquet.enable.dictionary": "false",
}


def rows_lost(title, field, column, value, options):
    path = f"{work}/{title.replace(' ', '-')}"
    rows = spark.range(20_000).selectExpr(f"named_struct('b', {field}) AS a", f"{column} AS `a.b`")
    rows.coalesce(1).write.options(**options).parquet(path)
    found = []
    for pushdown in ("true", "false"):
        spark.conf.set("spark.sql.parquet.filterPushdown", pushdown)
        found.append(len(spark.read.parquet(path).where(col("a.b") == value).collect()))
    on, off = found
    print(f"{title}, field a.b = {value}: {on} rows, without pushdown {off}")
    return on < off


print("Spark", spark.version)
lost = [
    rows_lost("bloom filters", "id * 2", "id * 2 + 1000001", 4000, FILTERS),
    rows_lost("dictionaries", "id % 200 * 2", "id % 200 * 2 + 1", 200, {}),
]
if not all(lost):
    sys.exit("The rows were found: the behaviour has changed.")
PY
