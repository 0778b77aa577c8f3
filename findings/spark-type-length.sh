#!/usr/bin/env bash
# Spark skips nothing by an INT64 column whose schema states a type_length.
#
# Package: pyspark 4.3.0, and parquet-hadoop 1.17.0 in it to write the files.
# Data: three Parquet files of the same 50,000 even numbers, each in one row group with
# bounds, page index and bloom filter. They differ in the schema element alone:
# INT64; INT64 annotated INT(64, signed); and that with `type_length` 64. The format
# allows the last (beside fixed byte arrays, type_length is the bits that a value
# needs), and parquet-go 0.32.0 writes it for a Go int64.
# Expected: a number outside the bounds, or one that the filter excludes, reads no row.
# Instead: Spark pushes down only to INT64 of type_length 0. For the third file the
# scan reads all rows, though its plan lists the predicate under PushedFilters.
# Seen on 2026-11-27:
#   plain: 0 of 50,000 rows read by the filter, 0 by the bounds
#   annotated: 0 of 50,000 rows read by the filter, 0 by the bounds
#   type_length: 50,000 of 50,000 rows read by the filter, 50,000 by the bounds
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

work = sys.argv[1]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
parquet = spark._jvm.org.apache.parquet
INT64 = parquet.schema.PrimitiveType.PrimitiveTypeName.INT64
SIGNED = parquet.schema.LogicalTypeAnnotation.intType(64, True)
ROWS, BASE = 50_000, 1 << 40  # py4j passes numbers of this size as Java's long


def write(name, column):
    schema = parquet.schema.Types.buildMessage().addField(column.named("id")).named("numbers")
    path = spark._jvm.org.apache.hadoop.fs.Path(f"{work}/{name}")
    writer = (
        parquet.hadoop.example.ExampleParquetWriter.builder(path)
        .withType(schema)
        .withDictionaryEncoding(False)
        .withBloomFilterNDV("id", ROWS)
        .withBloomFilterEnabled("id", True)
        .build()
    )
    groups = parquet.example.data.simple.SimpleGroupFactory(schema)
    for n in range(ROWS):
        writer.write(groups.newGroup().append("id", BASE + 2 * n))
    writer.close()


def rows_read(name, value):
    found = spark.read.parquet(f"{work}/{name}").where(f"id = {value}")
    assert found.collect() == []
    plan = found._jdf.queryExecution().executedPlan()
    assert f"EqualTo(id,{value})" in plan.toString(), "the plan does not list the predicate"
    return plan.collectLeaves().apply(0).metrics().apply("numOutputRows").value()


print("Spark", spark.version)
read = {}
for name, annotate in {
    "plain": lambda column: column,
    "annotated": lambda column: getattr(column, "as")(SIGNED),
    "type_length": lambda column: getattr(column.length(64), "as")(SIGNED),
}.items():
    write(name, annotate(parquet.schema.Types.required(INT64)))
    absent, outside = read[name] = rows_read(name, BASE + 4001), rows_read(name, BASE - 1)
    print(f"{name}: {absent:,} of {ROWS:,} rows read by the filter, {outside:,} by the bounds")
if read != {"plain": (0, 0), "annotated": (0, 0), "type_length": (ROWS, ROWS)}:
    sys.exit("The files are read in another way: the behaviour has changed.")
PY
