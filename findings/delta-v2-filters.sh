#!/usr/bin/env bash
# Delta's V2 connector ignores bloom filters once a table allows deletion vectors.
#
# Packages: pyspark 4.1.3 and io.delta:delta-spark_4.1_2.13 4.4.0.
# Data: two tables of the same 20,000 even keys, each one file with a bloom filter of
# the column. The second has delta.enableDeletionVectors = true, though no row was ever
# deleted.
# Expected: a key that the filter excludes reads no row of either table.
# Instead: with spark.databricks.delta.v2.enableMode = STRICT the scan of the second
# table reads all rows. The default, AUTO, takes the older connector for such queries,
# which uses the filters of both tables.
# Seen on 2026-11-27:
#   AUTO, without deletion vectors: 0 of 20,000 rows read (FileSourceScanExec)
#   AUTO, with deletion vectors: 0 of 20,000 rows read (FileSourceScanExec)
#   STRICT, without deletion vectors: 0 of 20,000 rows read (BatchScanExec)
#   STRICT, with deletion vectors: 20,000 of 20,000 rows read (BatchScanExec)
#
# Needs Python 3 and Java 17; pyspark is a download of more than 300 MB. PYTHON_ENV names a
# virtual environment that has it, to use it instead of a new one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env=${PYTHON_ENV:-$work/env}
if [[ -z ${PYTHON_ENV:-} ]]; then
  python3 -m venv "$env"
  "$env/bin/pip" install --quiet pyspark==4.1.3
fi

"$env/bin/python" - "$work" <<'PY'
import sys

from pyspark.sql import SparkSession

work = sys.argv[1]
ROWS, ABSENT = 20_000, 4001
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars.packages", "io.delta:delta-spark_4.1_2.13:4.4.0")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.sql.warehouse.dir", f"{work}/warehouse")
    .config("spark.hadoop.parquet.bloom.filter.enabled#key", "true")
    .config("spark.hadoop.parquet.bloom.filter.expected.ndv#key", str(ROWS))
    .config("spark.hadoop.parquet.enable.dictionary", "false")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
keys = spark.range(0, ROWS, 1, 1).selectExpr(f"(id * 7919) % {ROWS} * 2 AS key")
for name, allowed in [("without", "false"), ("with", "true")]:
    spark.sql(
        f"CREATE TABLE {name}_vectors (key BIGINT) USING delta"
        f" TBLPROPERTIES (delta.enableDeletionVectors = {allowed})"
    )
    keys.write.format("delta").mode("append").saveAsTable(f"{name}_vectors")

print("Spark", spark.version, "and Delta 4.4.0")
read = []
for mode in ["AUTO", "STRICT"]:
    spark.conf.set("spark.databricks.delta.v2.enableMode", mode)
    for name in ["without", "with"]:
        found = spark.table(f"{name}_vectors").where(f"key = {ABSENT}")
        assert found.collect() == []
        scan = found._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
        read.append(scan.metrics().apply("numOutputRows").value())
        node = scan.getClass().getSimpleName()
        print(f"{mode}, {name} deletion vectors: {read[-1]:,} of {ROWS:,} rows read ({node})")
if read != [0, 0, 0, ROWS]:
    sys.exit("The tables are read in another way: the behaviour has changed.")
PY
