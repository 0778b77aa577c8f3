#!/usr/bin/env bash
# pyiceberg 0.12.0 (PyPI).
#
# Iceberg's table properties write.parquet.bloom-filter-* choose the columns that get a bloom filter, the rate of
# false positives and the largest size. A user who sets them expects filters in the files that pyiceberg appends.
# Instead, the files have none. The properties of the column and of the size cause a warning at each append; that of
# the false positives causes none. The properties stay in the table, so that other writers of the same
# table do write filters.
#
# Seen on 2026-11-27:
#   pyiceberg 0.12.0
#   write.parquet.bloom-filter-enabled.column.id   a warning, 0 columns with a filter
#   write.parquet.bloom-filter-max-bytes           a warning, 0 columns with a filter
#   write.parquet.bloom-filter-fpp.column.id       no warning, 0 columns with a filter
#   as described: no property of bloom filters has an effect
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pyiceberg==0.12.0 sqlalchemy==2.1.9 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pyiceberg
from pyiceberg.catalog.memory import InMemoryCatalog

ENABLED = {"write.parquet.bloom-filter-enabled.column.id": "true"}
PROPERTIES = {
    "write.parquet.bloom-filter-enabled.column.id": "true",
    "write.parquet.bloom-filter-max-bytes": "1048576",
    "write.parquet.bloom-filter-fpp.column.id": "0.01",
}
print("pyiceberg", pyiceberg.__version__)
catalog = InMemoryCatalog("example", warehouse=f"file://{sys.argv[1]}/warehouse")
catalog.create_namespace("db")
rows = pa.table({"id": range(2000)})
seen = []
for number, (name, value) in enumerate(PROPERTIES.items()):
    table = catalog.create_table(f"db.t{number}", schema=rows.schema, properties={**ENABLED, name: value})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table.append(rows)
    has_warning = any(f"'{name}'" in str(warning.message) for warning in caught)
    (task,) = table.scan().plan_files()
    group = pq.read_metadata(task.file.file_path.removeprefix("file://")).row_group(0)
    filters = sum(group.column(at).bloom_filter_offset is not None for at in range(group.num_columns))
    seen.append((has_warning, filters))
    print(f"{name:46} {'a' if has_warning else 'no'} warning, {filters} columns with a filter")
if seen != [(True, 0), (True, 0), (False, 0)]:
    sys.exit("changed: pyiceberg writes filters, or other warnings")
print("as described: no property of bloom filters has an effect")
PYTHON
