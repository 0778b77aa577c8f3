"""The column types of the differential test: how values are drawn, stored and written in SQL.

Values are plain Python: integers for everything that is stored as one (dates are days, timestamps
microseconds, both since 1970), bit patterns for floating point, since a NaN's payload matters.
"""

from __future__ import annotations

import datetime
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

MICROS_PER_DAY = 86_400_000_000


@dataclass(frozen=True)
class Column:
    """`draw` makes a value, `near` a neighbour of one, `sql` a literal of the column's own type."""

    name: str
    ddl: str
    arrow: pa.DataType
    draw: Callable[[random.Random], Any]
    near: Callable[[random.Random, Any], Any]
    sql: Callable[[Any], str]
    special: list[Any] = field(default_factory=list)
    ordered: bool = True

    def array(self, values: list[Any]) -> pa.Array:
        if pa.types.is_floating(self.arrow):
            bits = pa.uint32() if self.arrow == pa.float32() else pa.uint64()
            return pa.array(values, bits).view(self.arrow)
        return pa.array(values, self.arrow)


def integer(name: str, ddl: str, arrow: pa.DataType, bits: int, suffix: str) -> Column:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def sql(value: int) -> str:
        # The lowest value has no literal: its digits alone are out of range.
        return f"cast('{value}' as {ddl})" if value == low else f"{value}{suffix}"

    return Column(
        name,
        ddl,
        arrow,
        lambda rng: rng.randint(low, high) if rng.random() < 0.6 else rng.randint(-9, 9),
        lambda rng, v: max(low, min(high, v + rng.choice((-1, 1)))),
        sql,
        [low, high, 0, -1],
    )


def floating(name: str, ddl: str, arrow: pa.DataType, real: str, bits: str) -> Column:
    def pattern(value: float) -> int:
        return struct.unpack(f"<{bits}", struct.pack(f"<{real}", value))[0]

    def number(value: int) -> float:
        return struct.unpack(f"<{real}", struct.pack(f"<{bits}", value))[0]

    def sql(value: int) -> str:
        text = repr(number(value)).replace("inf", "Infinity").replace("nan", "NaN")
        return f"cast('{text}' as {ddl})"

    payload = 0x7FC00123 if real == "f" else 0x7FF8000000000123
    specials = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1.0)
    return Column(
        name,
        ddl,
        arrow,
        lambda rng: pattern(rng.choice((rng.uniform(-1e6, 1e6), rng.randint(-9, 9)))),
        lambda rng, v: v ^ 1,
        sql,
        [*map(pattern, specials), payload],
    )


def decimal(name: str, precision: int, scale: int) -> Column:
    top = 10**precision - 1

    def of(unscaled: int) -> Decimal:
        return Decimal((unscaled < 0, tuple(map(int, str(abs(unscaled)))), -scale))

    return Column(
        name,
        f"decimal({precision},{scale})",
        pa.decimal128(precision, scale),
        lambda rng: of(rng.randint(-top, top) if rng.random() < 0.6 else rng.randint(-9, 9)),
        lambda rng, v: of(max(-top, min(top, int(v.scaleb(scale)) + rng.choice((-1, 1))))),
        lambda v: f"cast('{v:f}' as decimal({precision},{scale}))",
        [of(0), of(top), of(-top)],
    )


def text(rng: random.Random) -> str:
    if rng.random() < 0.4:
        return rng.choice(("", "a", "ab", "abc", "ä", "7", "07", "zz", "日本", "😀", "a b"))
    return "".join(rng.choice("abcxyzäé😀019_%") for _ in range(rng.randint(1, 24)))


def blob(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 2, 4, 8, 16)))


def date_sql(days: int) -> str:
    if 0 <= days < 20_000:
        return f"date'{datetime.date(1970, 1, 1) + datetime.timedelta(days)}'"
    return f"date_from_unix_date({days})"


STRING = Column(
    "s", "string", pa.string(), text, lambda rng, v: v + rng.choice("a0 "), lambda v: f"'{v}'", [""]
)
COLUMNS = [
    integer("b", "tinyint", pa.int8(), 8, "Y"),
    integer("h", "smallint", pa.int16(), 16, "S"),
    integer("i", "int", pa.int32(), 32, ""),
    integer("l", "bigint", pa.int64(), 64, "L"),
    floating("f", "float", pa.float32(), "f", "I"),
    floating("d", "double", pa.float64(), "d", "Q"),
    STRING,
    Column(
        "bin",
        "binary",
        pa.binary(),
        blob,
        lambda rng, v: v + b"\0",
        lambda v: f"X'{v.hex()}'",
        [b"", b"\xff", b"\x00"],
    ),
    Column(
        "dt",
        "date",
        pa.date32(),
        lambda rng: rng.randint(-40_000, 40_000),
        lambda rng, v: v + rng.choice((-1, 1)),
        date_sql,
        [0, -1],
    ),
    Column(
        "ts",
        "timestamp",
        pa.timestamp("us", tz="UTC"),
        lambda rng: rng.randint(-40_000, 40_000) * MICROS_PER_DAY // rng.choice((1, 7, 1000)),
        lambda rng, v: v + rng.choice((-1000, -1, 1, 1000)),
        lambda v: f"timestamp_micros({v})",
        [0, -1, 1000],
    ),
    Column(
        "ntz",
        "timestamp_ntz",
        pa.timestamp("us"),
        lambda rng: rng.randint(-40_000, 40_000) * MICROS_PER_DAY // rng.choice((1, 7, 1000)),
        lambda rng, v: v + rng.choice((-1, 1)),
        lambda v: f"cast(timestamp_micros({v}) as timestamp_ntz)",
        [0, -1],
    ),
    decimal("dec9", 9, 2),
    decimal("dec18", 18, 4),
    decimal("dec38", 38, 10),
    Column(
        "bo",
        "boolean",
        pa.bool_(),
        lambda rng: rng.random() < 0.5,
        lambda rng, v: not v,
        lambda v: str(v).lower(),
    ),
    integer("st.a", "int", pa.int32(), 32, ""),
    Column("st.s", "string", pa.string(), text, STRING.near, STRING.sql, [""]),
]
LEAVES = [column for column in COLUMNS if "." in column.name]
SCHEMA = ", ".join(
    ["id bigint"]
    + [f"{column.name} {column.ddl}" for column in COLUMNS if column not in LEAVES]
    + [f"st struct<{', '.join(f'{c.name[3:]}: {c.ddl}' for c in LEAVES)}>"]
)
