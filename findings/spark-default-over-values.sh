#!/usr/bin/env bash
# pyspark 4.3.0 (Python package). Another Spark as the argument: ./NAME.sh 3.5.9
#
# A Parquet table has the columns a and c, and gets b with a default of 42. Another job adds a file with a and b, without
# c, which the table then reads as NULL. Spark reads row by row (spark.sql.parquet.enableVectorizedReader=false). A user
# expects the values of b that the file holds: NULL and 7. A query of a and b returns them. A query of a, b and c returns
# 42 in both rows: Spark's reader takes the first columns of the query, as many as the file has of them, for those that
# the file has, and fills the others with their defaults. The vectorized reader answers right. pyspark 3.5.9 and 4.1.4 do
# the same. SPARK-39926 mended NULL of files that have all columns.
#
# Seen on 2026-11-29:
#   Spark 4.3.0: a, b: [(42, 42), (43, None), (44, 7)]
#   a, c, b: [(42, 1, 42), (43, None, 42), (44, None, 42)]
#   a, c, b with the vectorized reader: [(42, 1, 42), (43, None, None), (44, None, 7)]
#   as described: the default for every value
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
cat >"$folder/query.py" <<'PYTHON'
import sys

from pyspark.sql import SparkSession

folder = sys.argv[1]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
spark.sql(f"CREATE TABLE t (a INT, c INT) USING parquet LOCATION '{folder}/t'")
spark.sql("INSERT INTO t VALUES (42, 1)")
spark.sql("ALTER TABLE t ADD COLUMN b INT DEFAULT 42")
values = spark.sql("SELECT 43 AS a, CAST(NULL AS INT) AS b UNION ALL SELECT 44, 7")
values.coalesce(1).write.mode("append").parquet(f"{folder}/t")
spark.sql("REFRESH TABLE t")


def answer(columns: str, vectorized: str) -> list[tuple]:
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    return [tuple(row) for row in spark.sql(f"SELECT {columns} FROM t ORDER BY a").collect()]


two, three, vectorized = answer("a, b", "false"), answer("a, c, b", "false"), answer("a, c, b", "true")
print(f"Spark {spark.version}: a, b: {two}")
print(f"a, c, b: {three}")
print(f"a, c, b with the vectorized reader: {vectorized}")
stored = [42, None, 7]
if [row[1] for row in two] != stored or [row[2] for row in vectorized] != stored:
    sys.exit("NOT as described: not even the other reads are right")
if [row[2] for row in three] != [42, 42, 42]:
    sys.exit("NOT as described")
print("as described: the default for every value")
PYTHON
cd "$folder"
"$python" "$folder/query.py" "$folder" 2>"$folder/log" || { tail -n 3 "$folder/log" >&2; exit 1; }
