#!/usr/bin/env bash
# Comet does not use the bloom filters of Iceberg's files.
#
# Packages: pyspark 4.1.3, org.apache.iceberg:iceberg-spark-runtime-4.1_2.13 1.11.0 and
# org.apache.datafusion:comet-spark-spark4.1_2.13 1.2.0.
# Data: an Iceberg table of 50,000 even keys in one file, with a bloom filter by
# write.parquet.bloom-filter-enabled.column.key; and the same table without.
# Expected: a key that the filter excludes reads no rows, as it does in Iceberg's own
# reader, and in Comet when it reads the same file as plain Parquet.
# Instead: Comet reads the column of keys, the same number of bytes as without a filter.
# Seen on 2026-11-27:
#   BatchScanExec: 0 rows read
#   CometNativeScanExec: 1 of 1 row groups pruned by the filter
#   CometIcebergNativeScanExec: 597,589 bytes read, without a filter 597,589
#
# Needs Python 3 and Java 17; pyspark is a download of more than 300 MB, the jars are one
# of 150 MB. PYTHON_ENV names a virtual environment that has pyspark, to use it instead
# of a new one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env=${PYTHON_ENV:-$work/env}
if [[ -z ${PYTHON_ENV:-} ]]; then
  python3 -m venv "$env"
  "$env/bin/pip" install --quiet pyspark==4.1.3
fi

"$env/bin/python" - "$work" <<'PY'
import glob
import sys

from pyspark.sql import SparkSession

work = sys.argv[1]
ROWS, ABSENT = 50_000, 4001
spark = (
    SparkSession.builder.master("local[2]")
    .config(
        "spark.jars.packages",
        "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0,"
        "org.apache.datafusion:comet-spark-spark4.1_2.13:1.2.0",
    )
    .config("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.ice.type", "hadoop")
    .config("spark.sql.catalog.ice.warehouse", f"{work}/ice")
    .config("spark.plugins", "org.apache.spark.CometPlugin")
    .config(
        "spark.shuffle.manager",
        "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
    )
    .config("spark.memory.offHeap.enabled", "true")
    .config("spark.memory.offHeap.size", "512m")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")


def scanned(table, comet):
    """Returns the metrics of the scan for a key that no row has."""
    spark.conf.set("spark.comet.enabled", comet)
    found = table().where(f"key = {ABSENT}")
    assert found.collect() == []
    scan = found._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
    iterator, metrics = scan.metrics().iterator(), {}
    while iterator.hasNext():
        metric = iterator.next()
        metrics[metric._1()] = metric._2().value()
    return scan.getClass().getSimpleName(), metrics


spark.conf.set("spark.comet.enabled", "false")
rows = spark.range(0, ROWS, 1, 1).selectExpr(
    f"(id * 7919) % {ROWS} * 2 AS key", "sha2(string(id), 256) AS text"
)
for name, filtered in [("with", "true"), ("without", "false")]:
    spark.sql(
        f"CREATE TABLE ice.db.{name} (key BIGINT, text STRING) USING iceberg TBLPROPERTIES ("
        f"'write.parquet.bloom-filter-enabled.column.key' = '{filtered}',"
        " 'write.parquet.bloom-filter-max-bytes' = '65536',"
        " 'write.parquet.dict-size-bytes' = '1')"
    )
    rows.writeTo(f"ice.db.{name}").append()
file = glob.glob(f"{work}/ice/db/with/data/*.parquet")[0]

print("Spark", spark.version)
node, own = scanned(lambda: spark.table("ice.db.with"), "false")
print(f"{node}: {own['numOutputRows']:,} rows read")
node, plain = scanned(lambda: spark.read.parquet(file), "true")
pruned = plain["row_groups_pruned_bloom_filter"]
print(f"{node}: {pruned} of 1 row groups pruned by the filter")
node, filtered = scanned(lambda: spark.table("ice.db.with"), "true")
node, bare = scanned(lambda: spark.table("ice.db.without"), "true")
read, read_bare = filtered["bytes_scanned"], bare["bytes_scanned"]
print(f"{node}: {read:,} bytes read, without a filter {read_bare:,}")
if not (own["numOutputRows"] == 0 and pruned == 1 and read >= read_bare):
    sys.exit("The scans read other amounts: the behaviour has changed.")
PY
