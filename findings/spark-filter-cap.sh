#!/usr/bin/env bash
# Spark caps a bloom filter at 1 MiB, whatever number of values and FPP was set.
#
# Package: pyspark 4.3.0, which writes Parquet by parquet-hadoop 1.17.0.
# Data: 2,000,000 distinct numbers in one row group, written with
# parquet.bloom.filter.expected.ndv = 2000000 and parquet.bloom.filter.fpp = 0.01.
# Expected: a filter of 4 MiB, the power of two at which 1 % holds; or an error or a
# warning that another limit forbids it.
# Instead: parquet.bloom.filter.max.bytes, 1 MiB by default, cuts the filter without
# a word, and more than a quarter of absent values pass it. With that option at
# 4 MiB the filter is as it should be.
# Seen on 2026-11-27:
#   default: 1,048,576 bytes, 29.1 % of absent values pass
#   max.bytes = 4 MiB: 4,194,304 bytes, 0.1 % of absent values pass
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
import glob
import sys

from pyspark.sql import SparkSession

work = sys.argv[1]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "WARN")  # a warning would be seen
    .getOrCreate()
)
jvm = spark._jvm
ROWS, PROBES = 2_000_000, 10_000
OPTIONS = {
    "parquet.bloom.filter.enabled#id": "true",
    "parquet.bloom.filter.expected.ndv#id": str(ROWS),
    "parquet.bloom.filter.fpp#id": "0.01",
    "parquet.enable.dictionary": "false",
}


def measured(title, options):
    """Returns the bytes of the filter and the percentage of absent values that pass it."""
    path = f"{work}/{len(options)}"
    spark.range(0, 2 * ROWS, 2, 1).write.options(**options).parquet(path)
    file = jvm.org.apache.hadoop.fs.Path(glob.glob(f"{path}/*.parquet")[0])
    source = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(
        file, spark._jsc.hadoopConfiguration()
    )
    reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(source)
    groups = reader.getFooter().getBlocks()
    assert groups.size() == 1, "the numbers do not fit one row group"
    bloom = reader.readBloomFilter(groups.get(0).getColumns().get(0))
    hashed = [bloom.hash(n) for n in range(ROWS + 1, ROWS + 2 * PROBES, 2)]
    passed = 100 * sum(bloom.findHash(h) for h in hashed) / PROBES
    size = bloom.getBitsetSize()
    reader.close()
    print(f"{title}: {size:,} bytes, {passed:.1f} % of absent values pass")
    return size, passed


print("Spark", spark.version)
capped, missed = measured("default", OPTIONS)
full, right = measured(
    "max.bytes = 4 MiB", OPTIONS | {"parquet.bloom.filter.max.bytes": str(4 << 20)}
)
if not (capped == 1 << 20 and missed > 20 and full == 4 << 20 and right < 1):
    sys.exit("The filter has another size or FPP: the behaviour has changed.")
PY
