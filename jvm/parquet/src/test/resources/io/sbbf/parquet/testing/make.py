"""Writes the Parquet files next to this script.

Run `python make.py` with pyarrow 26.0.1, duckdb 2.0.0 and datafusion 55.0.0. Each file has three
row groups of 50 distinct keys each, with filters on `id` and `text`. Damage.scala computes the
keys by the same formula.
"""

from pathlib import Path

import datafusion
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
GROUPS, KEYS = 3, 50


def table(rows_per_group: int) -> pa.Table:
    rows = range(GROUPS * rows_per_group)
    numbers = [n // rows_per_group * KEYS + n % rows_per_group % KEYS for n in rows]
    keys = [(n + 1) * 0x9E3779B97F4A7C15 % 2**64 - 2**63 for n in numbers]
    return pa.table({"id": keys, "text": list(map(str, keys)), "row": pa.array(rows, pa.int32())})


if __name__ == "__main__":
    pq.write_table(
        table(KEYS),
        HERE / "pyarrow.parquet",
        row_group_size=KEYS,
        use_dictionary=False,
        compression="none",
        store_schema=False,
        bloom_filter_options={name: {"ndv": KEYS, "fpp": 0.001} for name in ("id", "text")},
    )
    content = table(2048)  # DuckDB's row groups are multiples of its vectors
    duckdb.sql(
        f"copy content to '{HERE}/duckdb.parquet' "
        "(format parquet, compression uncompressed, row_group_size 2048, "
        "dictionary_size_limit 100, bloom_filter_false_positive_ratio 0.001)"
    )
    options = datafusion.ParquetWriterOptions(
        max_row_group_size=KEYS,
        dictionary_enabled=False,
        compression="uncompressed",
        bloom_filter_on_write=True,
        bloom_filter_fpp=0.001,
        bloom_filter_ndv=KEYS,
    )
    frame = datafusion.SessionContext().from_arrow(table(KEYS)).repartition(1)
    frame.write_parquet_with_options(str(HERE / "datafusion.parquet"), options)
