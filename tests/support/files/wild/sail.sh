#!/usr/bin/env bash
# sail.sh FILE: writes by pysail 0.7.2 (PyPI, Sail) with pyspark-client 4.1.1, with filters of both columns.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pysail==0.7.2 pyspark-client==4.1.1
cd "$folder"
RUST_LOG=error "$folder/venv/bin/python" - "$file" <<'PYTHON'
import sys
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer()
server.start(background=True)
_, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
ids = [2 * (row * 7919 % 2000) for row in range(2000)]
frame = spark.createDataFrame([(id, f"n{id}") for id in ids], "id bigint, name string").coalesce(1)
options = {
    "bloom_filter_on_write": "true",
    "bloom_filter_ndv": "500",
    "dictionary_enabled": "false",
    "max_row_group_size": "500",
}
frame.write.options(**options).parquet("table")
spark.stop()
server.stop()
(written,) = Path("table").glob("*.parquet")
Path(sys.argv[1]).write_bytes(written.read_bytes())
PYTHON
