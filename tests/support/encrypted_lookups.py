"""Looks up values in encrypted tables, in a JVM with a key service on its class path.

encrypted_lookups.py FOLDER CLASSES prints one JSON object for each session, table and predicate.
FOLDER holds tables of other writers; the script adds tables that Spark writes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import INTERPRETED, local_builder, only_scan, outcome, session_with

SCHEMA = "id BIGINT, open BIGINT, name STRING"
ROWS = 800
STEP = 7
PREDICATES = [f"id = {v}" for v in range(0, 2 * ROWS, 159)] + [
    "open = 400",
    "open = 401",
    "id < 0",
    "name = 'name 3'",
    "name = 'name 33'",
    "name = 'name 33' OR id = 401",
]

FOOTER_KEY = {"parquet.encryption.footer.key": "kFooter"}
COLUMN_KEYS = {"parquet.encryption.column.keys": "kId:id;kName:name"}
SPARK_TABLES = {
    "spark-plain": {},
    "spark-closed": {**FOOTER_KEY, **COLUMN_KEYS},
    "spark-legacy": {
        **FOOTER_KEY,
        **COLUMN_KEYS,
        "parquet.encryption.plaintext.footer": "true",
        "parquet.encryption.algorithm": "AES_GCM_CTR_V1",
    },
}


def crypto(token: str) -> dict[str, str]:
    factory = "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory"
    return {
        "parquet.crypto.factory.class": factory,
        "parquet.encryption.kms.client.class": "FlatKms",
        "parquet.encryption.key.access.token": token,
    }


def write(session: SparkSession, target: Path, options: dict[str, str]) -> None:
    mixed = f"id * {STEP} % {ROWS}"
    session.range(0, ROWS, 1, 1).selectExpr(
        f"{mixed} * 2 AS id", f"{mixed} * 2 AS open", f"concat('name ', {mixed} % 10) AS name"
    ).write.options(
        **{
            "parquet.block.size": "1",
            "parquet.enable.dictionary#id": "false",
            "parquet.bloom.filter.enabled#id": "true",
            "parquet.bloom.filter.expected.ndv#id": "100",
            **options,
        }
    ).parquet(str(target))


def main(folder: Path, classes: str) -> None:
    conf = {"spark.driver.extraClassPath": classes, **INTERPRETED}
    spark = sbbf.enable(local_builder(folder / "warehouse").config(map=conf)).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    holder = session_with(spark, crypto("kFooter kId kName"))
    for name, options in SPARK_TABLES.items():
        write(holder, folder / name, options)
    sessions = {
        "holder": holder,
        "half": session_with(spark, crypto("kFooter kName")),
        "eve": session_with(spark, crypto("none")),
        "stranger": spark,
        "spark alone": session_with(spark, {"spark.sbbf.enabled": "false"}),
    }
    for name, session in sessions.items():
        for table in sorted(t for t in folder.iterdir() if t.name.count("-") == 1):
            for predicate in PREDICATES:
                query = session.read.schema(SCHEMA).parquet(str(table)).where(predicate)
                found = {"session": name, "table": table.name, "predicate": predicate}
                if name != "spark alone":
                    scan = only_scan(query)
                    found["kept"] = scan.row_groups_kept
                    found["row_groups"] = scan.row_groups
                    found["refuted_by"] = scan.refuted_by
                    found["kept_because"] = scan.kept_because
                print(json.dumps({**found, "outcome": outcome(lambda q=query: q)}))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
