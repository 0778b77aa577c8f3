#!/usr/bin/env bash
# Hudi answers a query on a column by the index of an expression of it.
#
# Packages: pyspark 3.5.9 and org.apache.hudi:hudi-spark3.5-bundle_2.12 1.2.0.
# Data: a table of 1,000 names such as Name7, in a copy-on-write table, with
# CREATE INDEX ... USING bloom_filters(name) OPTIONS(expr='lower').
# Expected: the index serves predicates on lower(name), and no others.
# Instead: predicates on name itself and on upper(name) are looked up in the filter of
# the lower-case names too. It does not hold them, and their rows are lost.
# All answers are right with hoodie.enable.data.skipping=false.
# Seen on 2026-11-27:
#   lower(name) = 'name7': 1 rows, without data skipping 1
#   name = 'Name7': 0 rows, without data skipping 1
#   upper(name) = 'NAME7': 0 rows, without data skipping 1
#
# Needs Python 3 and Java 17; pyspark is a download of some 300 MB and the bundle one of
# 80 MB. PYTHON_ENV names a virtual environment that has pyspark, to use it instead
# of a new one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env=${PYTHON_ENV:-$work/env}
if [[ -z ${PYTHON_ENV:-} ]]; then
  python3 -m venv "$env"
  "$env/bin/pip" install --quiet pyspark==3.5.9
fi

"$env/bin/python" - "$work" <<'PY'
import sys

from pyspark.sql import SparkSession

work = sys.argv[1]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars.packages", "org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
    .config("spark.kryo.registrator", "org.apache.spark.HoodieSparkKryoRegistrar")
    .config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
    .config("spark.sql.warehouse.dir", f"{work}/warehouse")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
# CREATE INDEX needs a lock
spark.conf.set(
    "hoodie.write.lock.provider",
    "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
)
spark.sql(
    "CREATE TABLE people (id BIGINT, name STRING) USING hudi"
    " TBLPROPERTIES (type = 'cow', primaryKey = 'id')"
)
spark.sql("INSERT INTO people SELECT id, concat('Name', id) FROM range(1000)")
spark.sql("CREATE INDEX by_lower ON people USING bloom_filters(name) OPTIONS(expr = 'lower')")

print("Spark", spark.version)


def rows(condition, **options):
    table = spark.read.format("hudi").options(**options).load(f"{work}/warehouse/people")
    return len(table.where(condition).collect())


found = {}
for condition in ["lower(name) = 'name7'", "name = 'Name7'", "upper(name) = 'NAME7'"]:
    on = rows(condition)
    off = rows(condition, **{"hoodie.enable.data.skipping": "false"})
    print(f"{condition}: {on} rows, without data skipping {off}")
    found[condition] = on, off
if list(found.values()) != [(1, 1), (0, 1), (0, 1)]:
    sys.exit("The rows were found: the behaviour has changed.")
PY
