"""Sessions with the extension, with Spark's own pushdown alone, and with neither."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from harness import INTERPRETED, session_with
from tables import Table

OFF = {"spark.sbbf.enabled": "false"}
ORACLE = {**OFF, "spark.sql.parquet.filterPushdown": "false"}
CONTENDERS: Mapping[str, Mapping[str, str]] = {"sbbf": {}, "spark": OFF}

QUICK = {
    **INTERPRETED,
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.files.openCostInBytes": "1048576",
    "spark.sbbf.pages.minBytes": "0",
}
AS_IT_COMES = "as it comes"


@dataclass(frozen=True)
class Mode:
    """A way to run queries, and its weight in random draws."""

    share: int
    conf: Mapping[str, str]


MODES: Mapping[str, Mode] = {
    AS_IT_COMES: Mode(8, {}),
    "row-based reader": Mode(6, {"spark.sql.parquet.enableVectorizedReader": "false"}),
    "without the format swap": Mode(4, {"spark.sbbf.rowGroupPruning.enabled": "false"}),
    "without AQE": Mode(4, {"spark.sql.adaptive.enabled": "false"}),
    "many splits": Mode(
        1,
        {
            "spark.sql.files.maxPartitionBytes": "8192",
            "spark.sql.files.openCostInBytes": "1024",
        },
    ),
    "with codegen": Mode(
        1,
        {
            "spark.sql.codegen.wholeStage": "true",
            "spark.sql.codegen.factoryMode": "FALLBACK",
        },
    ),
}


def random_mode(rng: random.Random) -> str:
    return rng.choices(list(MODES), [mode.share for mode in MODES.values()])[0]


class Sessions:
    """The sessions of one table, each made at its first use."""

    def __init__(self, spark: SparkSession, table: Table, contender: str):
        self.spark, self.table, self.contender = spark, table, contender
        self.made: dict[str, SparkSession] = {}

    def of(self, mode: str) -> SparkSession:
        return self._session(mode, {**MODES[mode].conf, **CONTENDERS[self.contender]})

    def oracle(self, mode: str) -> SparkSession:
        return self._session(f"oracle, {mode}", {**MODES[mode].conf, **ORACLE})

    def _session(self, name: str, conf: Mapping[str, str]) -> SparkSession:
        if name not in self.made:
            self.made[name] = session_with(self.spark, {**QUICK, **self.table.conf, **conf})
        return self.made[name]


def prepare(spark: SparkSession, table: Table) -> None:
    """Writes the files that Spark has to write, and makes the table."""
    for options in sorted((table.folder / "spark").glob("*.options")):
        entries = dict(line.split("=", 1) for line in options.read_text().splitlines())
        target = entries.pop("target")
        read = {"spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED"}
        settings = {key: value for key, value in entries.items() if key.startswith("spark.")}
        session = session_with(spark, {**ORACLE, **read, **settings})
        written = options.with_suffix(".written")
        staged = session.read.parquet(str(options.with_suffix(".parquet")))
        writing = {key: value for key, value in entries.items() if key not in settings}
        staged.coalesce(1).write.options(**writing).parquet(str(written))
        next(written.glob("*.parquet")).rename(Path(target))
    session = session_with(spark, {**ORACLE, **table.conf})
    for statement in table.statements:
        session.sql(statement)
