"""What do all the readers at hand make of a file?"""

from __future__ import annotations

from pathlib import Path

import datafusion
import duckdb
import pyarrow.parquet as pq
from chdb import session as chdb
from pyspark.sql import SparkSession

from harness import rows


def read_by_all(file: Path, session: SparkSession) -> dict[str, str]:
    """The file's rows as each reader tells them, as text."""
    # not all of them take bytes for what they are
    columns = [name for name in pq.read_schema(file).names if name != "bin"]
    names = ", ".join(f'"{name}"' for name in columns)
    context = datafusion.SessionContext()
    context.register_parquet("t", str(file))
    by_datafusion = sorted(map(str, context.sql(f"select {names} from t").to_pylist()))
    with duckdb.connect() as connection:
        texts = f"select cast(t as varchar) from (select {names} from '{file}') t"
        by_duckdb = sorted(map(str, connection.execute(texts).fetchall()))
    query = f"select {names} from file('{file}', 'Parquet') order by all"
    told = {
        "datafusion": by_datafusion,
        "duckdb": by_duckdb,
        "chdb": chdb.Session().query(query, "CSV"),
        "pyarrow": pq.read_table(file, columns=columns).to_pydict(),
        "spark": rows(session.read.parquet(str(file))),
    }
    return {reader: str(said) for reader, said in told.items()}
