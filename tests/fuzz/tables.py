"""Random tables: a schema, and a folder of files by different writers that hold it in their ways.

A folder is all that a reader of a table needs, in Python and in the JVM:
`create.sql` has the statements that make the table, `session.conf` the settings that it is read
with, `files` what foreign writers wrote, `spark` what Spark has yet to write, with which options.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from catalogue import INT, kinds
from nested import Kind, Struct, leaves
from texts import identifier
from writers import FOREIGN, ROW_GROUPS, ROWS, spark_options

FILES = 8
FIRST_ID = 1_000_000  # of the second file, so that an id names its file
NAMES = ("c", "Big", "größe", "x.y", "z`z", "_", "value", "Id2", "k1", "K2", "e1", "e2", "e3")
ZONES = ("UTC", "UTC", "America/Los_Angeles", "Asia/Kolkata", "Europe/Vienna")
CASE_SENSITIVE = {"spark.sql.caseSensitive": "true"}
DEFAULT = 42  # what `added` reads as in files that do not have it


@dataclass
class Schema:
    """What a table is, whatever its files are."""

    columns: dict[str, Kind]
    partitioned: bool
    defaulted: bool
    case_sensitive: bool = False

    @staticmethod
    def random(rng: random.Random, spark: tuple[int, int], only: Sequence[Kind] = ()) -> Schema:
        scalars, nested = kinds(spark)
        chosen = [rng.choice(only or scalars) for _ in range(9)]
        chosen += [] if only else [rng.choice(nested) for _ in range(3)]
        names = rng.sample(NAMES, len(chosen))
        # Collated strings cannot be keys of a join or of a map here, but columns.
        columns = dict(zip(names, chosen))
        if rng.random() < 0.2:  # a field and a column of one dotted path
            kind = rng.choice(only or scalars)
            columns |= {"x": Struct({"y": kind}), "x.y": kind}
        if rng.random() < 0.1:  # names that differ in case alone
            columns["vALUE"] = columns["value"] = rng.choice(only or scalars)
        case_sensitive = "vALUE" in columns
        return Schema(columns, rng.random() < 0.3, rng.random() < 0.3, case_sensitive)

    @property
    def readable(self) -> dict[str, Kind]:
        """All that a query may name, except `id` and the partition column."""
        return {**self.columns, "added": INT} if self.defaulted else self.columns

    def statements(self, name: str, files: Path) -> list[str]:
        ddl = ", ".join(f"{identifier(c)} {kind.ddl}" for c, kind in self.columns.items())
        parts = " partitioned by (part)" if self.partitioned else ""
        part = ", part int" if self.partitioned else ""
        create = f"create table {name} (id bigint, {ddl}{part}) using parquet{parts}"
        statements = [f"{create} location '{files}'"]
        if self.defaulted:
            statements.append(f"alter table {name} add columns (added int default {DEFAULT})")
        if self.partitioned:
            statements.append(f"msck repair table {name}")
        return statements


@dataclass
class Table:
    """A table on disk, with every value that it holds by the path of its leaf."""

    name: str
    folder: Path
    schema: Schema
    conf: dict[str, str]
    writers: list[str] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def statements(self) -> list[str]:
        return self.schema.statements(self.name, self.folder / "files")

    def writer_of(self, row: int) -> str:
        """Returns the writer of the file that holds the row with this id."""
        return self.writers[row // FIRST_ID]


def session_conf(rng: random.Random) -> dict[str, str]:
    mode = rng.choice(("CORRECTED", "CORRECTED", "CORRECTED", "LEGACY"))
    return {
        "spark.sql.ansi.enabled": rng.choice(("false", "true")),
        "spark.sql.session.timeZone": rng.choice(ZONES),
        "spark.sql.parquet.datetimeRebaseModeInRead": mode,
        "spark.sql.parquet.int96RebaseModeInRead": mode,
        "spark.sql.legacy.charVarcharAsString": rng.choice(("false", "false", "true")),
    }


def write_table(
    folder: Path, name: str, rng: random.Random, spark: tuple[int, int], only: Sequence[Kind] = ()
) -> Table:
    """Draws a table of kinds that this version of Spark reads, and writes its foreign files."""
    table = Table(name, folder, Schema.random(rng, spark, only), session_conf(rng))
    if table.schema.case_sensitive:
        table.conf |= CASE_SENSITIVE
    (folder / "spark").mkdir(parents=True)
    held: dict[str, set[Any]] = {}
    writers = ["spark", "spark", "spark", *FOREIGN]
    writers += rng.choices(list(FOREIGN), k=FILES - len(writers))
    for number, writer in enumerate(writers):
        part = f"part={number % 3}/" if table.schema.partitioned else ""
        target = folder / "files" / f"{part}{number}-{writer}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        content = random_content(rng, table.schema, number * FIRST_ID, writer == "spark", held)
        if writer == "spark":
            staged = folder / "spark" / f"{number}.parquet"
            pq.write_table(content, staged)
            options = {"target": str(target), **spark_options(rng)}
            if table.schema.case_sensitive:
                options |= CASE_SENSITIVE
            staged.with_suffix(".options").write_text(properties(options))
            writer = f"spark {spark_features(options)}"
        else:
            writer = f"{writer} {FOREIGN[writer](content, target, rng)}"
        table.writers.append(writer)
    # Sets of strings iterate in another order in every process: the seed must decide alone.
    table.values = {path: sorted(some) for path, some in sorted(held.items())}
    (folder / "create.sql").write_text("\n".join(table.statements))
    (folder / "session.conf").write_text(properties(table.conf))
    return table


def random_content(
    rng: random.Random, schema: Schema, first_id: int, exact: bool, held: dict[str, set[Any]]
) -> pa.Table:
    """One file's rows; its values are added to `held`. `exact`: no narrower types, all columns."""
    size = ROW_GROUPS * ROWS
    arrays = {"id": pa.array(range(first_id, first_id + size))}
    for name, kind in schema.readable.items():
        if rng.random() < (0.5 if name == "added" else 0.06) and not exact:
            continue
        stored = kind.store(rng, exact)
        values = fill(kind, stored, rng)
        for value in values:
            for path, leaf in leaves(kind, value, name):
                held.setdefault(path, set()).add(leaf)
        arrays[name] = kind.array(values, stored)
    if schema.defaulted:
        held.setdefault("added", set()).add(DEFAULT)
    names = list(arrays)
    if not exact:
        rng.shuffle(names)
        if rng.random() < 0.2:
            arrays["part"] = pa.array([7] * size)  # the directories say what counts
            names.append("part")
    is_upper = rng.random() < 0.15 and not exact and not schema.case_sensitive
    spelled = str.upper if is_upper else str
    return pa.table({spelled(name): arrays[name] for name in names})


def fill(kind: Kind, stored: pa.DataType, rng: random.Random) -> list[Any]:
    values = []
    for _ in range(ROW_GROUPS):
        filler: Callable[[], Any] = kind.filler(rng, stored)
        values += [filler() for _ in range(ROWS)]
    return values


def properties(entries: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in entries.items())


def spark_features(options: Mapping[str, str]) -> str:
    return " ".join(
        f"{key.rpartition('.')[2]}={value}" for key, value in options.items() if key != "target"
    )
