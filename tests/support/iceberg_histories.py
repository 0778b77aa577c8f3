"""Compares random histories of Iceberg tables: iceberg_histories.py FOLDER HISTORIES SEED.

Prints what `compare_histories` does.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from iceberg_session import filters, opened
from table_history import History, compare_histories

MODES = ("copy-on-write", "merge-on-read")


class IcebergHistory(History):
    namespace = "ice.db."

    def __init__(self, spark: SparkSession, rng: random.Random, number: int) -> None:
        super().__init__(spark, rng, number)
        self.version = rng.choice([1, 2, 2, 3, 3])
        self.fields: list[str] = []
        """The present fields of the partitions."""
        self.old_columns: tuple[dict[str, str], list[str]] | None = None
        """The names of the columns in the snapshot `old`, if there is one."""

    def creation(self) -> str:
        modes = [
            f"'write.{command}.mode' = "
            f"'{MODES[0] if self.version == 1 else self.rng.choice(MODES)}'"
            for command in ("delete", "update", "merge")
        ]
        properties = [
            filters("k", "s", "d", "i", "t", "st.a", "st.b"),
            f"'format-version' = '{self.version}'",
            f"'write.parquet.row-group-size-bytes' = '{self.one('1000', '100000')}'",
            f"'read.parquet.vectorization.enabled' = '{self.one('true', 'false')}'",
            *modes,
        ]
        self.fields = self.rng.choice([[], [], ["p"], ["bucket(3, k)"], ["p", "truncate(2, s)"]])
        layout = f"PARTITIONED BY ({', '.join(self.fields)})" if self.fields else ""
        return (
            f"CREATE TABLE {{t}} ({self.columns}) USING iceberg {layout} "
            f"TBLPROPERTIES ({', '.join(properties)})"
        )

    def next_change(self) -> str:
        kinds = [self.insertion] * 3 + [self.deletion, self.update, self.merge] * 2
        kinds += [self.rewriting] * 2 + [self.addition, self.overwrite, self.renaming] * 2
        kinds += [self.tag, self.rollback, self.widening, self.replacement, self.evolution]
        return self.rng.choice(kinds)()

    def tag(self) -> str:
        """Names the present snapshot, which queries read later."""
        # a snapshot has the columns of the time when its rows were written
        if self.old_columns or not self.done[-1].startswith("INSERT"):
            return self.insertion()
        self.old_columns = dict(self.names), list(self.added)
        return "ALTER TABLE {t} CREATE TAG old"

    def rollback(self) -> str:
        """Goes back to the tag; the columns stay."""
        if not self.old_columns:
            return self.tag()
        return "CALL ice.system.set_current_snapshot(table => '{t}', ref => 'old')"

    def rewriting(self) -> str:
        every = "options => map('rewrite-all', 'true')"
        sorting = f"strategy => 'sort', sort_order => '{self.names['i']} ASC'"
        return self.one(
            f"CALL ice.system.rewrite_data_files(table => '{{t}}', {every})",
            f"CALL ice.system.rewrite_data_files(table => '{{t}}', {sorting}, {every})",
            f"CALL ice.system.rewrite_position_delete_files(table => '{{t}}', {every})",
            "CALL ice.system.rewrite_manifests(table => '{t}')",
        )

    def widening(self) -> str:
        return f"ALTER TABLE {{t}} ALTER COLUMN {self.names['i']} TYPE BIGINT"

    def replacement(self) -> str:
        """Drops an added column; the next one gets its name."""
        if not self.added or self.version == 1:
            return self.addition()
        return f"ALTER TABLE {{t}} DROP COLUMN {self.added.pop()}"

    def evolution(self) -> str:
        """Changes how new files are partitioned."""
        if self.fields:
            return f"ALTER TABLE {{t}} DROP PARTITION FIELD {self.renamed(self.fields.pop())}"
        self.fields.append(self.one("bucket(2, i)", "p", "truncate(3, s)"))
        return f"ALTER TABLE {{t}} ADD PARTITION FIELD {self.renamed(self.fields[-1])}"

    def renamed(self, field: str) -> str:
        """Returns a field of a partition with the present name of its column."""
        if "(" not in field:
            return self.names[field]
        head, column = field[:-1].split(", ")
        return f"{head}, {self.names[column]})"

    def old_table(self) -> str | None:
        return "{t} VERSION AS OF 'old'" if self.old_columns == (self.names, self.added) else None

    def queries_of(self, table: str, columns: str) -> list[str]:
        """Returns queries of what only Iceberg has, and of plans that read the table twice."""
        k, p, i = (self.names[name] for name in "kpi")
        key = self.rng.randrange(97)
        texts = [f"string({k}) = string(xxhash64({number}L))" for number in (key, key + 1)]
        count = f"SELECT count(*), max({p}) FROM {table}"
        metadata = self.one("_pos < 5", "_spec_id = 0", "NOT _deleted", "_file LIKE '%a%'")
        spread = [
            f"SELECT /*+ REPARTITION(2, {k}) */ {k}, {i} FROM {table} "
            f"WHERE {k} = (SELECT max(xxhash64(id)) FROM range({first}, {first + 2}))"
            for first in (key, key + 1)
        ]
        return [
            f"{count} WHERE {texts[0]} UNION ALL {count} WHERE {texts[1]}",
            f"SELECT {columns} FROM {table} WHERE {metadata} AND {self.predicate()}",
            f"SELECT {columns}, _pos, _spec_id FROM {table} WHERE {self.predicate()}",
            " UNION ALL ".join(spread),
            f"SELECT a.{i} FROM {table} a JOIN {table} b ON a.{k} = b.{k} "
            f"WHERE string(a.{k}) = string(xxhash64({key}L)) AND b.{i} < 20",
        ]


if __name__ == "__main__":
    spark = opened(Path(sys.argv[1]))
    compare_histories(spark, int(sys.argv[2]), int(sys.argv[3]), IcebergHistory)
