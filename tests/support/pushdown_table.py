"""Counts the rows that a scan returns: with the extension, without it, and without any pushdown.

Each type and way of storing it has one sorted file, with pages of 500 rows. As a script, this
module writes the table into tests/pruning/pushdown.md (`make predicates`).
"""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import footers
import spark_sbbf as sbbf
from harness import INTERPRETED, local_builder, rows_returned, session_with

DOCUMENT = Path(__file__).parents[1] / "pruning" / "pushdown.md"
ROWS = 20_000
PAGE = 500

ON = {"spark.sbbf.enabled": "true"}
OFF = {"spark.sbbf.enabled": "false"}
ORACLE = {**OFF, "spark.sql.parquet.filterPushdown": "false"}

CONF = {"spark.sql.adaptive.enabled": "false", **INTERPRETED}
WRITTEN = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
SPARK = {
    "parquet.page.row.count.limit": str(PAGE),
    "parquet.block.row.count.limit": str(ROWS // 4),
}


@dataclass(frozen=True)
class Case:
    """A column of a table, how its file stores it, and predicates on it."""

    type: str
    """The type that the table declares."""
    file: str
    """The way that the file stores it."""
    values: str
    """An SQL expression of `id` for Spark's writer, or a name in FOREIGN for another writer."""
    predicates: tuple[str, ...]
    conf: tuple[tuple[str, str], ...] = ()
    """Settings of the session that reads the file."""
    written: tuple[tuple[str, str], ...] = ()
    """Settings of the session that writes the file."""
    change: Callable[[Path], None] = lambda file: None
    """What happens to the file then."""


@dataclass(frozen=True)
class Line:
    """The results of the sessions for a predicate."""

    case: Case
    predicate: str
    on: int
    """Rows that the scan returns with the extension."""
    off: int
    """Rows that the scan returns without it."""
    right: bool
    """Whether the answer with the extension is the oracle's."""
    wrong: str
    """Rows that the answer without the extension loses, if any."""


def comparisons(a: str, b: str, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Returns predicates on `c` with two literals, of which the first is the lower one."""
    return (
        f"c = {a}",
        f"c <=> {a}",
        f"c IN ({a}, {b})",
        f"c IN ({a}, NULL)",
        f"c < {a}",
        f"c <= {a}",
        f"c > {b}",
        f"c >= {b}",
        f"c >= {a} AND c < {b}",
        f"c < {a} OR c > {b}",
        f"c <> {a}",
        f"c NOT IN ({a}, {b})",
        f"NOT (c < {a})",
        "c IS NULL",
        "c IS NOT NULL",
        *extra,
    )


ZERO_AND_NAN = ("c = 0.0", "c >= 0.0 AND c < 0.001", "c <= -0.0", "c < 0.0", "c = double('NaN')")
ROW_BASED = (("spark.sql.parquet.enableVectorizedReader", "false"),)
LEGACY = (("spark.sql.parquet.datetimeRebaseModeInRead", "LEGACY"),)
LOOKUPS = ("c = 5000", "c = 5001", "c IN (5000, 5001)", "c IN (5001, 7001)", "c <> 5000")


def with_longer_filters(footer: footers.Struct) -> None:
    for chunk in footers.chunks(footer):
        chunk[footers.FILTER_LENGTH].value += 1


FILTERS: dict[str, Callable[[Path], None]] = {
    "with a filter": lambda file: None,
    "a filter without a length, and 55 bytes behind it": lambda file: footers.edit(
        file, footers.without_filter_lengths, b"?" * 55
    ),
    "a filter with a length that is too large": lambda file: footers.edit(
        file, with_longer_filters
    ),
    "a filter whose header claims half of it": lambda file: footers.overwrite_filters(
        file, "c", footers.halve_header
    ),
    "a filter without bits": lambda file: footers.overwrite_filters(file, "c", footers.clear_bits),
    "a filter with a damaged header": lambda file: footers.overwrite_filters(
        file, "c", footers.damage_header
    ),
}

CASES = (
    Case(
        "TINYINT",
        "as declared",
        "cast(id * 250 / 20000 - 125 AS TINYINT)",
        comparisons("5Y", "50Y"),
    ),
    Case("TINYINT", "wider: INT32", "cast(id - 10000 AS INT)", comparisons("5Y", "50Y")),
    Case("SMALLINT", "as declared", "cast(id - 10000 AS SMALLINT)", comparisons("5S", "5000S")),
    Case(
        "SMALLINT",
        "narrower: INT_8",
        "cast(id * 250 / 20000 - 125 AS TINYINT)",
        comparisons("5S", "50S"),
    ),
    Case("SMALLINT", "wider: INT32", "cast((id - 10000) * 8 AS INT)", comparisons("8S", "4000S")),
    Case("INT", "as declared", "cast(id AS INT)", comparisons("5000", "15000")),
    Case(
        "INT", "narrower: INT_8", "cast(id * 250 / 20000 - 125 AS TINYINT)", comparisons("5", "50")
    ),
    Case("BIGINT", "as declared", "id", comparisons("5000L", "15000L")),
    Case("BIGINT", "narrower: INT32", "cast(id AS INT)", comparisons("5000L", "4294972296L")),
    Case(
        "FLOAT",
        "as declared",
        "cast(id - 10000 AS FLOAT)",
        comparisons("float(50.0)", "float(5000.0)", ZERO_AND_NAN),
    ),
    Case(
        "FLOAT",
        "other writer, NaN in low pages",
        "float",
        comparisons("float(50.0)", "float(5000.0)", ZERO_AND_NAN),
    ),
    Case(
        "DOUBLE",
        "as declared",
        "cast(id - 10000 AS DOUBLE)",
        comparisons("50.0D", "5000.0D", ZERO_AND_NAN),
    ),
    Case(
        "DOUBLE",
        "as declared, NaN in low pages",
        "IF(id % 1000 = 7, double('NaN'), id - 10000)",
        comparisons("50.0D", "5000.0D", ZERO_AND_NAN),
    ),
    Case(
        "DOUBLE",
        "other writer, NaN in low pages",
        "double",
        comparisons("50.0D", "5000.0D", ZERO_AND_NAN),
    ),
    Case(
        "DECIMAL(9,2)",
        "as declared",
        "cast(id AS DECIMAL(9,2))",
        comparisons("5000.00BD", "15000.00BD"),
    ),
    Case(
        "DECIMAL(9,2)",
        "wider: DECIMAL(18,2)",
        "cast(id * 1000 AS DECIMAL(18,2))",
        comparisons("5000.00BD", "15000.00BD"),
        ROW_BASED,
    ),
    Case(
        "DECIMAL(12,2)",
        "as declared",
        "cast(id * 100000 AS DECIMAL(12,2))",
        comparisons("300000000.00BD", "1500000000.00BD"),
    ),
    Case(
        "DECIMAL(12,2)",
        "narrower: DECIMAL(9,2)",
        "cast(id AS DECIMAL(9,2))",
        comparisons("5000.00BD", "30000000.00BD"),
        ROW_BASED,
    ),
    Case(
        "DECIMAL(30,2)",
        "as declared",
        "cast(id * 100000 AS DECIMAL(30,2))",
        comparisons("300000000.00BD", "1500000000.00BD"),
    ),
    Case(
        "DATE",
        "as declared",
        "date_add(DATE'1990-01-01', int(id))",
        comparisons("DATE'1999-01-01'", "DATE'2020-01-01'"),
    ),
    Case(
        "DATE",
        "as declared, old",
        "date_add(DATE'1582-10-12', int(id) - 15500)",
        comparisons("DATE'1550-01-01'", "DATE'1582-10-10'"),
    ),
    Case(
        "DATE",
        "other writer, old, read as Julian",
        "date",
        comparisons("DATE'1500-03-01'", "DATE'1540-01-01'"),
        LEGACY,
    ),
    Case(
        "TIMESTAMP",
        "as declared",
        "timestamp_micros(id * 1000000)",
        comparisons("timestamp_micros(5000000000)", "timestamp_micros(15000000500)"),
    ),
    Case(
        "TIMESTAMP",
        "as declared, old",
        "timestamp_micros((id - 3786912000) * 1000000)",
        comparisons("timestamp_micros(-3786902000000000)", "timestamp_micros(-3786897000000000)"),
    ),
    Case(
        "TIMESTAMP",
        "narrower: milliseconds",
        "millis",
        comparisons("timestamp_micros(5000000500)", "timestamp_micros(15000000500)"),
    ),
    Case(
        "TIMESTAMP",
        "narrower: milliseconds, old",
        "timestamp_micros((id - 3786912000) * 1000000)",
        comparisons("timestamp_micros(-3786902000000000)", "timestamp_micros(-3786897000000000)"),
        written=(("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS"),),
    ),
    Case(
        "TIMESTAMP",
        "other writer, old, read as Julian",
        "micros",
        comparisons("TIMESTAMP'1500-03-01 00:00:00Z'", "TIMESTAMP'1540-01-01 00:00:00Z'"),
        LEGACY,
    ),
    Case(
        "STRING",
        "as declared",
        "lpad(id, 6, '0')",
        comparisons("'005000'", "'015000'", ("c LIKE '0050%'",)),
    ),
    Case(
        "BINARY",
        "as declared",
        "cast(lpad(id, 6, '0') AS BINARY)",
        comparisons("X'303035303030'", "X'303135303030'"),
    ),
    *(
        Case("BIGINT", f"shuffled, {name}", "shuffled", LOOKUPS, change=change)
        for name, change in FILTERS.items()
    ),
)


def foreign(name: str) -> pa.Array:
    """Returns the column of a file that pyarrow writes."""
    ids = range(ROWS)
    nan = float("nan")
    if name == "float":
        return pa.array([nan if n % 1000 == 7 else n - 10000 for n in ids], pa.float32())
    if name == "double":
        return pa.array([nan if n % 1000 == 7 else n - 10000 for n in ids], pa.float64())
    if name in ("date", "micros"):  # days of the Julian calendar: 1500-02-29 is one of them
        after = datetime.date(1500, 3, 11)  # the day after that one begins a page
        first = (after - datetime.date(1970, 1, 1)).days - PAGE
        days = pa.array([first + n for n in ids], pa.int32()).cast(pa.date32())
        return days if name == "date" else days.cast(pa.timestamp("us", tz="UTC"))
    if name == "millis":
        return pa.array([n * 1000 for n in ids], pa.timestamp("ms", tz="UTC"))
    if name == "shuffled":
        return pa.array([n * 7919 % ROWS * 2 for n in ids])
    raise ValueError(name)


FOREIGN = ("float", "double", "date", "micros", "millis", "shuffled")


def write(spark: SparkSession, case: Case, folder: Path) -> str:
    path = folder / f"t{CASES.index(case)}"
    if case.values in FOREIGN:
        path.mkdir()
        table = pa.table({"c": foreign(case.values)})
        pq.write_table(
            table,
            path / "f.parquet",
            row_group_size=ROWS // 4,
            write_batch_size=PAGE,
            data_page_size=1,
            write_page_index=True,
            use_dictionary=False,
            bloom_filter_options={"c": {"ndv": ROWS // 4, "fpp": 0.0001}}
            if case.values == "shuffled"
            else {},
        )
        case.change(path / "f.parquet")
    else:
        rows_of = spark.range(0, ROWS, 1, 1).selectExpr(f"{case.values} AS c")
        rows_of.write.options(**SPARK).parquet(str(path))
    return str(path)


Answer = tuple[int, object]
"""The number of rows that match, and the sum of their hashes."""

HASH = "cast(xxhash64(c) AS DECIMAL(38))"


def evaluated(session: SparkSession, case: Case, path: str, predicate: str) -> tuple[Answer, int]:
    """Returns the answer, and the number of rows that the scan returned."""
    found = session.read.schema(f"c {case.type}").parquet(path).where(predicate)
    df = found.selectExpr("count(*)", f"sum({HASH})")
    ((count, hashes),) = df.collect()
    return (count, hashes), rows_returned(df)


def right_answers(oracle: SparkSession, case: Case, path: str) -> list[Answer]:
    """Returns the answers of all predicates, which one query without a filter evaluates."""
    sums = [
        f"{value} FILTER (WHERE {predicate})"
        for predicate in case.predicates
        for value in ("count(*)", f"sum({HASH})")
    ]
    (row,) = oracle.read.schema(f"c {case.type}").parquet(path).selectExpr(*sums).collect()
    return list(zip(row[::2], row[1::2], strict=True))


def measured(spark: SparkSession, folder: Path) -> Iterator[Line]:
    for case in CASES:
        path = write(session_with(spark, {**WRITTEN, **dict(case.written)}), case, folder)
        conf = {**dict(case.conf), **CONF}
        enabled, alone, oracle = (session_with(spark, {**one, **conf}) for one in (ON, OFF, ORACLE))
        answers = right_answers(oracle, case, path)
        for predicate, right in zip(case.predicates, answers, strict=True):
            answer, on = evaluated(enabled, case, path, predicate)
            theirs, off = evaluated(alone, case, path, predicate)
            wrong = "" if theirs == right else f"{right[0] - theirs[0]:,} of {right[0]:,}"
            yield Line(case, predicate, on, off, answer == right, wrong)


def rendered(lines: list[Line]) -> str:
    """Returns the lines as a page of the documentation."""
    text = [HEAD.rstrip()]
    for case in CASES:
        text.append(f"\n## {case.type}, {case.file}\n")
        text.append("| predicate | with spark-sbbf | Spark alone | rows that Spark loses |")
        text.append("|---|---:|---:|---:|")
        for line in lines:
            if line.case == case:
                predicate = line.predicate.replace("|", "\\|")
                text.append(f"| `{predicate}` | {line.on:,} | {line.off:,} | {line.wrong} |")
    return "\n".join(text) + "\n"


HEAD = f"""# Predicates that tasks check

Each scan below reads a file of {ROWS:,} rows in four row groups, in pages of {PAGE}, sorted if the
title does not say otherwise. Without pushdown, it returns all rows to Spark's filter. Find the type
of your column, and how its files store it.

| column | content |
|---|---|
| with spark-sbbf | rows that the scan returns with the extension |
| Spark alone | rows that the scan returns without it |
| rows that Spark loses | rows that the answer of Spark alone lacks |

Where a scan returns more rows with spark-sbbf, Spark alone loses rows to at least one predicate on
that file. `make predicates` writes this file, with Spark 4.3.
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spark = sbbf.enable(local_builder(Path(folder) / "warehouse")).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        DOCUMENT.write_text(rendered(list(measured(spark, Path(folder)))), encoding="utf-8")
        spark.stop()


if __name__ == "__main__":
    main()
