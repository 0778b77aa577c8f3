#!/usr/bin/env bash
# pyspark 4.3.0 (a Python package, with parquet-hadoop 1.17 and Hadoop 3.5). Another Spark as the argument:
# ./NAME.sh 4.0.5
#
# One session reads a local file of one row group of 100 MB, in turns: one row by a sorted key, of which the page index
# leaves a page of each column, and the sum of all columns. A user expects direct memory for the two tasks that run at a
# time. Instead, it grows with the turns: parquet-mr reads all ranges of a row group by one vectored read, the local
# file system of Hadoop reads each range in a thread of a pool, and such a thread keeps a direct buffer for its largest
# range. The row by its key has made a thread for each column, and each of them may later get the range of the whole row
# group. With more columns, the memory of a session may not suffice. With parquet.hadoop.vectored.io.enabled=false, the
# reads need none.
#
# Seen on 2026-11-28:
#   Spark 4.3.0, a row group of 95 MiB, 12 turns
#   direct memory without vectored reads: 0 MiB
#   with them: 642 MiB
#   as described: more than the row group for each of the two tasks
set -euo pipefail
version=${1:-4.3.0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -n "${PYTHON_ENV:-}" ]; then
  python="$PYTHON_ENV/bin/python"
else
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet "pyspark==$version"
  python="$folder/venv/bin/python"
fi
cat >"$folder/turns.py" <<'PYTHON'
import sys

from pyspark.sql import SparkSession

ROWS, COLUMNS, TURNS = 500_000, 24, 12
path = f"{sys.argv[1]}/table"
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "4g")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
names = [f"c{n}" for n in range(COLUMNS)]
rows = spark.range(0, ROWS, 1, 1).selectExpr("id", *[f"rand({n}) AS c{n}" for n in range(COLUMNS)])
rows.write.options(**{"parquet.block.size": 1 << 28, "compression": "none"}).parquet(path)
table = spark.read.parquet(path)


def direct_bytes() -> int:
    """Returns the direct memory that the JVM holds."""
    jvm = spark._jvm
    kind = jvm.java.lang.Class.forName("java.lang.management.BufferPoolMXBean")
    pools = jvm.java.lang.management.ManagementFactory.getPlatformMXBeans(kind)
    return sum(pool.getMemoryUsed() for pool in pools if pool.getName() == "direct")


def after_turns() -> int:
    for n in range(TURNS):
        assert len(table.where(f"id = {ROWS // TURNS * n}").collect()) == 1
        table.selectExpr(*[f"sum({name})" for name in names]).collect()
    return direct_bytes()


spark.conf.set("parquet.hadoop.vectored.io.enabled", "false")
plain = after_turns()
spark.conf.set("parquet.hadoop.vectored.io.enabled", "true")
vectored = after_turns()
size = ROWS * (COLUMNS + 1) * 8
print(f"Spark {spark.version}, a row group of {size >> 20} MiB, {TURNS} turns")
print(f"direct memory without vectored reads: {plain >> 20} MiB")
print(f"with them: {vectored >> 20} MiB")
if vectored < 3 * size or plain > size:
    sys.exit("NOT as described")
print("as described: more than the row group for each of the two tasks")
PYTHON
"$python" "$folder/turns.py" "$folder" 2>"$folder/log" || { tail -n 3 "$folder/log" >&2; exit 1; }
