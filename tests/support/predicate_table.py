"""Counts the row groups that Spark alone, the extension and a perfect pruner keep by predicate.

As a script, it writes the table into docs/predicates.md (`make predicates`).
"""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import samples
import spark_sbbf as sbbf
from harness import INTERPRETED, local_builder, rows, rows_returned, session_with

DOCUMENT = Path(__file__).parents[2] / "docs" / "predicates.md"
FILES, GROUPS, ROWS = 4, 40, 100  # in all files; rows of a group
FILTERED = ["id", "seq", "name", "note", "temp", "price", "st.x", "tags.list.element"]
FILTERED += ["items.list.element.id", "labels.key_value.key", "labels.key_value.value"]
WITH_DICTIONARY = ["city", "code", "kind", "ratio", "g", "items.list.element.kind"]

NUMBERS = samples.scattered(GROUPS * ROWS)
NAMES = [f"u{number % 2**64:016x}" for number in NUMBERS]
CITIES = [f"{chr(65 + n // 3)}{'aeo'[n % 3]}ville" for n in range(60)]
ORACLE = {"spark.sbbf.enabled": "false", "spark.sql.parquet.filterPushdown": "false"}
OURS = {"spark.sql.adaptive.enabled": "false"}  # so that plans show their scans
# Every column chunk is one page, so page indexes hold no more than the footer does.
ALONE = {**OURS, "spark.sbbf.enabled": "false"}


def group(g: int) -> dict[str, list[object]]:
    """Returns the rows of one row group.

    Bounds are wide wherever a filter or a dictionary has to decide.
    """
    numbers = range(g * ROWS, g * ROWS + ROWS)
    ratios = [(r % 4) * 1.5 - 1.25 + g % 3 for r in range(ROWS)]
    ratios[0] = {5: -0.0, 17: float("nan")}.get(g, ratios[0])
    temps = [NUMBERS[n] / 2**40 for n in numbers]
    temps[0] = -0.0 if g == 8 else temps[0]
    absent = (lambda r: True, lambda r: False)[g % 4] if g % 4 < 2 else (lambda r: r % 2 == 0)
    return {
        "g": [g] * ROWS,
        "id": [NUMBERS[n] for n in numbers],
        "seq": [n * 10 for n in numbers],
        "name": [NAMES[n] for n in numbers],
        "sku": [f"sku-{n:06d}" for n in numbers],
        "city": [CITIES[(g * 7 + (r % 5) * 13) % 60] for r in range(ROWS)],
        "code": [(g * 37 + (r % 5) * 211) % 1000 for r in range(ROWS)],
        "kind": [None if g % 8 == 0 and r % 3 == 0 else "abcd"[g % 4] for r in range(ROWS)],
        "note": [None if absent(r) else NAMES[n] for r, n in enumerate(numbers)],
        "flag": [g < 20 or r % 2 == 0 for r in range(ROWS)],
        "ratio": ratios,
        "temp": temps,
        "day": [datetime.date(2020, 1, 1) + datetime.timedelta(n // 10) for n in numbers],
        "price": [Decimal(NUMBERS[n] % 10**9).scaleb(-2) for n in numbers],
        "st": [{"x": NUMBERS[n] % 2**31} for n in numbers],
        "moment": [EPOCH + datetime.timedelta(hours=n) for n in numbers],
        "tags": [[NAMES[n], "common"] for n in numbers],
        "items": [[{"id": NUMBERS[n], "kind": "abcd"[g % 4]}] for n in numbers],
        "labels": [[("host", NAMES[n]), (f"key {g}", "x")] for n in numbers],
    }


EPOCH = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
TYPES = {
    "labels": pa.map_(pa.string(), pa.string()),
    "g": pa.int32(),
    "price": pa.decimal128(9, 2),
    "code": pa.int32(),
    "st": pa.struct([("x", pa.int32())]),
}


def write_table(folder: Path) -> str:
    """Writes FILES files with GROUPS row groups in all, and returns their folder."""
    per_file = GROUPS // FILES
    for file in range(FILES):
        columns: dict[str, list[object]] = {}
        for g in range(file * per_file, file * per_file + per_file):
            for name, values in group(g).items():
                columns.setdefault(name, []).extend(values)
        arrays = {name: pa.array(values, TYPES.get(name)) for name, values in columns.items()}
        samples.write(
            folder / f"{file}.parquet", arrays, ROWS, FILTERED, use_dictionary=WITH_DICTIONARY
        )
    return str(folder)


@dataclass(frozen=True)
class Form:
    """A predicate, and the reason if evidence keeps more than a perfect pruner would."""

    predicate: str
    beyond: str = ""
    understood: bool = True


def at(n: int) -> str:
    return f"{NUMBERS[n]}L"


NO_EVIDENCE = "min/max alone, of scattered values"
FUNCTION = "no evidence of a function's values"
LATER = "known when the query runs only"
FORMS = [
    Form(f"id = {at(1234)}"),
    Form("id = 42"),
    Form(f"id <=> {at(1234)}"),
    Form(f"id IN ({at(3)}, {at(3999)}, 42)"),
    Form(f"id IN ({at(3)}, NULL)"),
    Form(f"name = '{NAMES[77]}'"),
    Form(f"st.x = {NUMBERS[99] % 2**31}"),
    Form(f"price = {Decimal(NUMBERS[500] % 10**9).scaleb(-2)}"),
    Form("day = date'2020-03-01'"),
    Form("seq > 39000"),
    Form("seq BETWEEN 5000 AND 6000"),
    Form("seq BETWEEN 5011 AND 5019"),
    Form("seq > 5010 AND seq < 5020 AND seq <> 5015"),
    Form("sku LIKE 'sku-0012%'"),
    Form("startswith(sku, 'sku-0012')"),
    Form("sku LIKE 'sku-0012_0'", understood=False),
    Form("sku NOT LIKE 'sku-000%'"),
    Form("city = 'Beville'"),
    Form("city LIKE 'K%'"),
    Form("city > 'B' AND city < 'C'"),
    Form("code BETWEEN 100 AND 110"),
    Form("code IN (5, 400) AND code > 100"),
    Form("kind <> 'a'"),
    Form("kind NOT IN ('a', 'b')"),
    Form("kind NOT IN ('a', NULL)"),
    Form("NOT (kind = 'a' OR kind = 'b')"),
    Form("NOT (kind <=> 'a')"),
    Form("note IS NULL"),
    Form("note IS NOT NULL"),
    Form("flag = false"),
    Form(f"name = '{NAMES[77]}' OR seq >= 39900"),
    Form(f"note = '{NAMES[105]}' OR kind = 'd' AND seq < 500"),
    Form("coalesce(note, 'none') = 'none'"),
    Form(f"coalesce(note, 'none') = '{NAMES[105]}'"),
    Form("nullif(kind, 'a') = 'b'"),
    Form(f"if(kind = 'a', id = {at(400)}, false)"),
    Form("CASE WHEN kind = 'a' THEN 1 WHEN seq < 1000 THEN 2 ELSE 3 END = 2"),
    Form("(kind = 'a') = true"),
    Form("NOT ((kind = 'a') <=> true)"),
    Form("ratio = 0.0D"),
    Form("ratio >= 5.25D"),
    Form("ratio > 0.26D AND ratio < 1.2D"),
    Form("isnan(ratio)"),
    Form("temp = 0.0D"),
    Form(f"temp = {NUMBERS[700] / 2**40!r}D"),
    Form(f"id = (SELECT {at(1234)})"),
    Form("seq = 5010.0D"),
    Form("seq < 500.5D"),
    Form("seq = '5010'"),
    Form(f"CAST(id AS STRING) = '{NUMBERS[1234]}'"),
    Form("CAST(day AS STRING) = '2020-03-01'"),
    Form("CAST(moment AS DATE) = date'2020-03-01'"),
    Form(f"array_contains(tags, '{NAMES[77]}')"),
    Form(f"arrays_overlap(tags, array('{NAMES[77]}', '{NAMES[3999]}', 'x'))"),
    Form(f"exists(items, x -> x.id = {at(1234)})"),
    Form(f"exists(items, x -> x.id = {at(1234)} AND x.kind = 'z')"),
    Form("map_contains_key(labels, 'key 7')"),
    Form(f"labels['host'] = '{NAMES[77]}'"),
    Form("temp BETWEEN 0.5D AND 0.6D", NO_EVIDENCE),
    Form("name LIKE 'u7f%'", NO_EVIDENCE),
    Form("name LIKE '%ff'", FUNCTION, understood=False),
    Form(f"upper(name) = '{NAMES[77].upper()}'", FUNCTION, understood=False),
    Form(f"id = (SELECT max(k) FROM VALUES ({at(1234)}) AS t(k))", LATER, understood=False),
]


@dataclass(frozen=True)
class Counts:
    """Counts the row groups kept.

    `lost` states whether Spark alone loses rows. The tasks of the extension read `read`.
    """

    alone: int
    lost: bool
    ours: int
    read: int
    perfect: int
    reasons: list[str]


def row_groups_read(df: DataFrame) -> int:
    """Returns the number of row groups that the tasks of `df`, which has run, read."""
    read = rows_returned(df)
    assert read % ROWS == 0, "row groups are read whole"
    return read // ROWS


def row_groups_planned(df: DataFrame) -> int:
    """Returns the number of row groups that `df` plans.

    Returns 0 if the optimizer found that nothing matches, because then no scan is left.
    """
    report = sbbf.explain(df, show=False)
    kept = [scan.row_groups_kept for scan in report.scans]
    return sum(kept + [GROUPS for _ in report.unpruned])


def counted(spark: SparkSession, path: str, forms: list[Form]) -> Iterator[tuple[Form, Counts]]:
    enabled, spark_alone, oracle = (
        session_with(spark, {**conf, **INTERPRETED}) for conf in (OURS, ALONE, ORACLE)
    )
    for form in forms:

        def query(session: SparkSession) -> DataFrame:
            return session.read.parquet(path).where(form.predicate)

        right = rows(query(oracle))
        ours, theirs = query(enabled), query(spark_alone)
        assert rows(ours) == right, form.predicate
        lost = rows(theirs) != right
        yield (
            form,
            Counts(
                row_groups_read(theirs),
                lost,
                row_groups_planned(ours),
                row_groups_read(ours),
                query(oracle).select("g").distinct().count(),
                unused(ours),
            ),
        )


def unused(df: DataFrame) -> list[str]:
    report = sbbf.explain(df, show=False)
    return [reason for scan in report.scans for reason in scan.not_used] + [
        relation.reason for relation in report.unpruned
    ]


def rendered(table: list[tuple[Form, Counts]]) -> str:
    lines = [
        "# What is pruned",
        "",
        "Find a predicate of the form that you use. Columns count row groups:",
        "",
        "| column | row groups |",
        "|---|---|",
        "| planned | that get a task: all by Spark alone, those that are left by spark-sbbf |",
        "| read | that tasks read, after they have evaluated the filters that Spark gives them |",
        "| perfect | in which a row matches: a perfect pruner keeps exactly these |",
        "",
        f"The test table has {FILES} files with {GROUPS} row groups in all. `make predicates`",
        "writes the counts, and a test compares them with what happens.",
        "",
        "| columns of the table | values and evidence |",
        "|---|---|",
        "| `id`, `name`, `note`, `temp`, `price`, `st.x` | scattered, with bloom filters |",
        "| `seq` | sorted, with bloom filters |",
        "| `sku`, `day`, `moment` | sorted |",
        "| `city`, `code`, `kind`, `ratio` | dictionary encoded |",
        "| contents of `tags`, `items` and `labels` (a map) | bloom filters |",
        "",
        "| predicate | Spark alone: planned | read | spark-sbbf: planned | read | perfect | |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for form, counts in table:
        alone = f"{counts.alone}, **loses rows**" if counts.lost else f"{counts.alone}"
        lines.append(
            f"| `{form.predicate}` | {GROUPS} | {alone} | {counts.ours} | {counts.read} | "
            f"{counts.perfect} | {form.beyond} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        spark = sbbf.enable(local_builder(folder / "warehouse")).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        table = list(counted(spark, write_table(folder / "table"), FORMS))
        DOCUMENT.write_text(rendered(table), encoding="utf-8")
        spark.stop()


if __name__ == "__main__":
    main()
