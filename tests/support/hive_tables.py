"""Looks up values in tables of an empty Hive metastore, in its own JVM: hive_tables.py FOLDER.

Prints one JSON object a line: the name of a case, its rows with and without the extension, and
the report of `explain`.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from harness import INTERPRETED, explain_text, local_builder, rows

FILES, ROWS = 4, 800
KEY, LATER = "xxhash64(77L)", "xxhash64(100077L)"
COLUMNS = "seq BIGINT, user_id BIGINT"
TABLES = {
    "data source": f"({COLUMNS}, day BIGINT) USING parquet",
    "data source, partitioned": f"({COLUMNS}, day BIGINT) USING parquet PARTITIONED BY (day)",
    "data source, bucketed": (
        f"({COLUMNS}, day BIGINT) USING parquet CLUSTERED BY (user_id) INTO {FILES} BUCKETS"
    ),
    "data source, external": f"({COLUMNS}, day BIGINT) USING parquet LOCATION '{{location}}'",
    "hive": f"({COLUMNS}, day BIGINT) STORED AS PARQUET",
    "hive, partitioned": f"({COLUMNS}) PARTITIONED BY (day BIGINT) STORED AS PARQUET",
    "hive, external": f"({COLUMNS}, day BIGINT) STORED AS PARQUET LOCATION '{{location}}'",
    "hive, bucketed": (
        f"({COLUMNS}, day BIGINT) CLUSTERED BY (user_id) INTO {FILES} BUCKETS STORED AS PARQUET"
    ),
}

EXTERNAL = ("data source, external", "hive, external")


def opened(folder: Path) -> SparkSession:
    conf = {
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={folder / 'metastore'};create=true"
        ),
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
        # else Spark refuses to write Hive's bucketed tables: its buckets have another layout
        "spark.hadoop.hive.enforce.bucketing": "false",
        "spark.hadoop.hive.enforce.sorting": "false",
        # Spark's writers read these from the session
        **sbbf.bloom_options("user_id", fpp=0.001, ndv=ROWS // FILES),
        "parquet.enable.dictionary": "false",
        **INTERPRETED,
    }
    builder = local_builder(folder / "warehouse").config(map=conf).enableHiveSupport()
    spark = sbbf.enable(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Cases:
    def __init__(self, spark: SparkSession, folder: Path):
        self.spark, self.folder = spark, folder

    def run(self) -> None:
        for number, (kind, definition) in enumerate(TABLES.items()):
            table = f"t{number}"
            location = self.folder / table
            self.sql(f"CREATE TABLE {table} {definition.format(location=location)}")
            self.sql(f"INSERT INTO {table} {self.log(0)}")
            self.life_of(kind, table)
            if kind in EXTERNAL:
                self.add_files_without_the_catalog(kind, location)
        self.read_by_hive("t4")
        self.list_orc()

    def sql(self, statement: str) -> None:
        self.spark.sql(statement)

    def log(self, first: int) -> str:
        """Returns a query whose rows fit every kind of table, one file for each partition."""
        columns = f"id AS seq, xxhash64(id) AS user_id, id DIV {ROWS // 2} % 2 AS day"
        return f"SELECT {columns} FROM range({first}, {first + ROWS}, 1, {FILES})"

    def life_of(self, kind: str, table: str) -> None:
        where = f"WHERE user_id = {KEY}"
        self.look(f"{kind}: look-up", f"SELECT * FROM {table} {where}")
        self.look(f"{kind}: of a day", f"SELECT * FROM {table} {where} AND day = 0")
        self.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR ALL COLUMNS")
        self.look(f"{kind}: analyzed", f"SELECT * FROM {table} {where}")
        self.sql(f"CREATE VIEW v_{table} AS SELECT user_id u, seq FROM {table} WHERE seq >= 0")
        self.look(f"{kind}: view", f"SELECT * FROM v_{table} WHERE u = {KEY}")
        self.sql(f"CREATE TABLE c_{table} USING parquet AS SELECT * FROM {table} {where}")
        self.look(f"{kind}: created as select", f"SELECT * FROM c_{table}")
        self.spark.catalog.cacheTable(table)
        self.look(f"{kind}: cached", f"SELECT * FROM {table} {where}")
        self.spark.catalog.uncacheTable(table)
        self.look(f"{kind}: no longer cached", f"SELECT * FROM {table} {where}")
        self.sql(f"INSERT INTO {table} {self.log(100_000)}")
        self.look(f"{kind}: inserted", f"SELECT * FROM {table} WHERE user_id = {LATER}")
        self.sql(f"INSERT OVERWRITE {table} {self.log(100_000)}")
        self.look(f"{kind}: overwritten", f"SELECT * FROM {table} WHERE user_id = {LATER}")
        self.look(f"{kind}: overwritten, the old", f"SELECT * FROM {table} {where}")
        self.call_by_name(f"{kind}: by name", table)

    def call_by_name(self, name: str, table: str) -> None:
        later = self.value(LATER)
        keys = self.spark.sql(f"SELECT {LATER} AS key UNION ALL SELECT {KEY}")
        qualified = f"default.{table}"  # some tables are in a folder of their name
        held = sbbf.probe(self.spark, qualified, "user_id", keys).collect()
        probed = sbbf.probe(self.spark, qualified, "user_id", later).collect()
        report = sbbf.add_filters(self.spark, qualified, "seq", fpp=0.001)
        listed = sbbf.inspect(self.spark, qualified).collect()
        query = f"SELECT * FROM {table} WHERE seq = 100077"
        answer = {
            "case": name,
            "held": [row.key == later for row in held],
            "probed": sum(row.verdict == "might_match" for row in probed),
            "done": [file.status for file in report.files],
            "listed": sorted({row.path_in_schema for row in listed}),
            "advised": len(sbbf.advise(self.spark, qualified, row_groups=4).collect()),
            "rows": rows(self.spark.sql(query)),
            "oracle": self.oracle(query),
        }
        print(json.dumps(answer), flush=True)

    def value(self, expression: str) -> int:
        return int(self.spark.sql(f"SELECT {expression}").first()[0])

    def list_orc(self) -> None:
        """Hive's own writer gives files names without an ending."""
        self.spark.conf.set("spark.sql.hive.convertMetastoreOrc", "false")
        self.sql(
            "CREATE TABLE ores (user_id BIGINT) STORED AS ORC "
            "TBLPROPERTIES ('orc.bloom.filter.columns'='user_id')"
        )
        self.sql(f"INSERT INTO ores SELECT user_id FROM ({self.log(0)})")
        listed = sbbf.inspect(self.spark, "ores").collect()
        held = sbbf.probe(
            self.spark, "ores", "user_id", [self.value(LATER), self.value(KEY)]
        ).collect()
        answer = {
            "case": "orc: by name",
            "named_orc": any(row.file_name.endswith(".orc") for row in listed),
            "listed": [row.path_in_schema for row in listed],
            "held": [row.key == self.value(KEY) for row in held],
        }
        print(json.dumps(answer), flush=True)

    def add_files_without_the_catalog(self, kind: str, location: Path) -> None:
        spare = self.folder / f"{location.name}-spare"
        self.spark.sql(self.log(0)).write.parquet(str(spare))
        for file in spare.glob("part-*.parquet"):
            shutil.copy(file, location)
        self.sql(f"REFRESH TABLE {location.name}")
        self.look(f"{kind}: refreshed", f"SELECT * FROM {location.name} WHERE user_id = {KEY}")

    def read_by_hive(self, table: str) -> None:
        self.spark.conf.set("spark.sql.hive.convertMetastoreParquet", "false")
        self.look("hive: not converted", f"SELECT * FROM {table} WHERE user_id = {LATER}")

    def look(self, name: str, query: str) -> None:
        df = self.spark.sql(query)
        report = sbbf.explain(df, show=False)
        result = {
            "case": name,
            "rows": rows(df),
            "oracle": self.oracle(query),
            "scans": [[scan.row_groups_kept, scan.row_groups] for scan in report.scans],
            "unpruned": [relation.reason for relation in report.unpruned],
            "wrapped": explain_text(df).count("PrunedFileIndex") > 0,
        }
        print(json.dumps(result), flush=True)

    def oracle(self, query: str) -> list[str]:
        off = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
        for key, value in off.items():
            self.spark.conf.set(key, value)
        try:
            return rows(self.spark.sql(query))
        finally:
            for key in off:
                self.spark.conf.unset(key)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    Cases(opened(folder), folder).run()
