#!/usr/bin/env bash
# pysail 0.7.2 (PyPI, Sail, a server of Spark Connect in Rust) with pyspark-client 4.1.1.
#
# Sail runs programs of Spark. A user expects that the write options parquet.bloom.filter.enabled and
# parquet.bloom.filter.enabled#column give filters, as they do on Spark.
# Instead, these options have no effect, without an error or a warning. Sail has an option of its own,
# bloom_filter_on_write. It gives a filter to each leaf of the table, nested ones too, and no option names columns.
#
# Seen on 2026-11-27:
#   pysail 0.7.2
#   options                            leaves with a filter
#   parquet.bloom.filter.enabled       none
#   parquet.bloom.filter.enabled#id    none
#   bloom_filter_on_write              id, s, st.x, l.list.item
#   bloom_filter_on_write#id           none
#   as described: Spark's options have no effect, and Sail's own filters all leaves
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pysail==0.7.2 pyspark-client==4.1.1 pyarrow==26.0.1
cd "$folder"
RUST_LOG=error "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet as pq
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

OPTIONS = (
    "parquet.bloom.filter.enabled",
    "parquet.bloom.filter.enabled#id",
    "bloom_filter_on_write",
    "bloom_filter_on_write#id",
)
QUERY = "SELECT id, CAST(id AS STRING) AS s, named_struct('x', id) AS st, array(id) AS l FROM range(2000)"
server = SparkConnectServer()
server.start(background=True)
_, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
print("pysail", version("pysail"))
print(f"{'options':34} leaves with a filter")
seen = []
for number, option in enumerate(OPTIONS):
    path = Path(sys.argv[1], f"table-{number}")
    spark.sql(QUERY).write.option(option, "true").parquet(str(path))
    leaves = set()
    for file in path.glob("*.parquet"):
        group = pq.read_metadata(file).row_group(0)
        chunks = [group.column(column) for column in range(group.num_columns)]
        leaves |= {chunk.path_in_schema for chunk in chunks if chunk.bloom_filter_offset is not None}
    seen.append(leaves)
    print(f"{option:34} {', '.join(sorted(leaves, key='id s st.x l.list.item'.find)) or 'none'}")
spark.stop()
server.stop()
if seen != [set(), set(), {"id", "s", "st.x", "l.list.item"}, set()]:
    sys.exit("changed: other leaves have filters than described")
print("as described: Spark's options have no effect, and Sail's own filters all leaves")
PYTHON
