"""Compares random histories of Delta tables: delta_histories.py FOLDER HISTORIES SEED.

Prints what `compare_histories` does.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from delta_session import filters, opened
from lake_session import LINE
from table_history import History, compare_histories


class DeltaHistory(History):
    def __init__(self, spark: SparkSession, rng: random.Random, number: int) -> None:
        super().__init__(spark, rng, number)
        self.mapped = rng.choice(["none", "none", "name", "id"])

    def creation(self) -> str:
        properties = [
            filters(self.rng.choice([20, 100])),
            f"'delta.enableDeletionVectors' = '{self.one('true', 'true', 'false')}'",
            f"'delta.columnMapping.mode' = '{self.mapped}'",
            f"'delta.enableRowTracking' = '{self.one('true', 'false')}'",
        ]
        if LINE != "3.5":
            properties.append("'delta.enableTypeWidening' = 'true'")
        layout = self.one("", "PARTITIONED BY (p)", "CLUSTER BY (k)" if LINE != "3.5" else "")
        return (
            f"CREATE TABLE {{t}} ({self.columns}) USING delta {layout} "
            f"TBLPROPERTIES ({', '.join(properties)})"
        )

    def next_change(self) -> str:
        kinds = [self.insertion] * 3 + [self.deletion, self.update, self.merge] * 2
        kinds += [self.optimization, self.restoration, self.addition, self.overwrite]
        if self.mapped != "none":
            kinds += [self.renaming] * 3
        if LINE != "3.5" and "i" in self.names:
            kinds.append(self.widening)
        return self.rng.choice(kinds)()

    def optimization(self) -> str:
        return self.one("OPTIMIZE {t}", "REORG TABLE {t} APPLY (PURGE)")

    def restoration(self) -> str:
        return self.insertion() if self.has_new_names else "RESTORE TABLE {t} TO VERSION AS OF 1"

    def widening(self) -> str:
        return f"ALTER TABLE {{t}} ALTER COLUMN {self.names['i']} TYPE BIGINT"


if __name__ == "__main__":
    spark = opened(Path(sys.argv[1]))
    compare_histories(spark, int(sys.argv[2]), int(sys.argv[3]), DeltaHistory)
