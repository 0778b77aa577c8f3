"""The scalar types of the fuzzer: how values are drawn, stored and written in SQL.

Values are plain Python: integers for everything that is stored as one (dates are days, times and
timestamps microseconds since 1970), bit patterns for floating point, since a NaN's payload matters.
"""

from __future__ import annotations

import datetime
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
from texts import quoted, text

SECOND = 1_000_000
DAY = 86_400 * SECOND
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31
# Days about which calendars differ: the Gregorian one's first, 1900 (time zones), 1970.
TURNS = (-141_428, -141_427, -25_567, -1, 0)


@dataclass(frozen=True)
class Scalar:
    """A type of the query's: `draw` makes a value, `near` a neighbour, `sql` a literal.

    `stored` are the types as which files may hold it, the first of them any value; `narrow` turns a
    value into one that such a type can hold.
    """

    ddl: str
    stored: tuple[pa.DataType, ...]
    draw: Callable[[random.Random], Any]
    near: Callable[[random.Random, Any], Any]
    sql: Callable[[Any], str]
    special: tuple[Any, ...] = ()
    narrow: Callable[[pa.DataType, Any], Any] = lambda _, value: value

    def store(self, rng: random.Random, exact: bool) -> pa.DataType:
        """How a file stores it: as it is if `exact`."""
        return self.stored[0] if exact or rng.random() < 0.5 else rng.choice(self.stored)

    def filler(self, rng: random.Random, stored: pa.DataType) -> Callable[[], Any]:
        """How one row group is filled: wide, narrow, constant, special or all NULL."""
        centre = self.draw(rng)
        few = [self.draw(rng) for _ in range(4)]
        draw: Callable[[], Any] = rng.choice(
            (
                lambda: self.draw(rng),
                lambda: self.draw(rng),
                lambda: self.near(rng, self.near(rng, centre)),
                lambda: rng.choice((*few, *self.special)),
                lambda: rng.choice(self.special or few),
                lambda: centre,
                lambda: None,
            )
        )
        nulls = rng.choice((0.0, 0.0, 0.2))

        def fill() -> Any:
            value = None if rng.random() < nulls else draw()
            return None if value is None else self.narrow(stored, value)

        return fill

    def array(self, values: list[Any], stored: pa.DataType) -> pa.Array:
        if self.ddl.startswith("timestamp"):
            step = DAY if pa.types.is_date(stored) else 1000 if stored.unit == "ms" else 1
            values = [None if v is None else v // step for v in values]
        if not pa.types.is_floating(stored):
            return pa.array(values, stored)
        bits = pa.uint32() if stored == pa.float32() else pa.uint64()
        if stored == pa.float32() and self.ddl == "double":
            values = [None if v is None else bits_of("f", number_of("d", v)) for v in values]
        return pa.array(values, bits).view(stored)


FORMATS = {"f": "I", "d": "Q"}


def bits_of(real: str, value: float) -> int:
    return struct.unpack(f"<{FORMATS[real]}", struct.pack(f"<{real}", value))[0]


def number_of(real: str, bits: int) -> float:
    return struct.unpack(f"<{real}", struct.pack(f"<{FORMATS[real]}", bits))[0]


def span(stored: pa.DataType) -> tuple[int, int]:
    """The lowest and the highest value of an integer type."""
    bits = stored.bit_width
    if pa.types.is_unsigned_integer(stored):
        return 0, (1 << bits) - 1
    return -(1 << bits - 1), (1 << bits - 1) - 1


def wrap(stored: pa.DataType, value: int) -> int:
    low, high = span(stored)
    return low + (value - low) % (high - low + 1)


def integer(ddl: str, suffix: str, *stored: pa.DataType) -> Scalar:
    low, high = span(stored[0])

    def sql(value: int) -> str:
        # The lowest value has no literal: its digits alone are out of range.
        return f"cast('{value}' as {ddl})" if value == low else f"{value}{suffix}"

    return Scalar(
        ddl,
        stored,
        lambda rng: rng.randint(low, high) if rng.random() < 0.6 else rng.randint(-99, 99),
        lambda rng, v: max(low, min(high, v + rng.choice((-1, 1)))),
        sql,
        (low, high, 0, -1),
        wrap,
    )


def floating(ddl: str, real: str, *stored: pa.DataType) -> Scalar:
    def sql(value: int) -> str:
        text = repr(number_of(real, value)).replace("inf", "Infinity").replace("nan", "NaN")
        return f"cast('{text}' as {ddl})"

    def narrow(as_stored: pa.DataType, value: int) -> int:
        number = number_of("d", value)
        if as_stored != pa.float32() or real == "f":
            return value
        return bits_of("d", number_of("f", bits_of("f", number if abs(number) < 3e38 else 0.5)))

    payloads = (0x7FC00123, 0xFFC00000) if real == "f" else (0x7FF8000000000123, 0xFFF8 << 48)
    smallest = 1.4e-45 if real == "f" else 5e-324
    numbers = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1.0, smallest)
    return Scalar(
        ddl,
        stored,
        lambda rng: bits_of(real, rng.choice((rng.uniform(-1e6, 1e6), rng.randint(-9, 9)))),
        lambda rng, v: v ^ 1,
        sql,
        (*(bits_of(real, n) for n in numbers), *payloads),
        narrow,
    )


def decimal(precision: int, scale: int, *stored: pa.DataType, low: int | None = None) -> Scalar:
    """`low` is the lowest unscaled value, if not that of the precision."""
    top = 10**precision - 1
    bottom = -top if low is None else low
    if not stored:
        stored = (pa.decimal128(precision, scale),)
    elif low == 0:
        top = (1 << 64) - 1  # of an unsigned integer

    def of(unscaled: int) -> Decimal:
        unscaled = max(bottom, min(top, unscaled))
        return Decimal((unscaled < 0, tuple(map(int, str(abs(unscaled)))), -scale))

    def narrow(as_stored: pa.DataType, value: Decimal) -> Decimal:
        if not pa.types.is_decimal(as_stored) or as_stored.precision >= precision:
            return value
        limit = 10 ** (as_stored.precision - as_stored.scale)
        step = Decimal((0, (1,), -as_stored.scale))
        return of(int((value % limit).quantize(step, "ROUND_DOWN").scaleb(scale)))

    return Scalar(
        f"decimal({precision},{scale})",
        stored,
        lambda rng: of(rng.randint(bottom, top) if rng.random() < 0.6 else rng.randint(-9, 9)),
        lambda rng, v: of(int(v.scaleb(scale)) + rng.choice((-1, 1))),
        lambda v: f"cast('{v:f}' as decimal({precision},{scale}))",
        (of(0), of(top), of(bottom)),
        narrow,
    )


def string(ddl: str = "string", longest: int | None = None) -> Scalar:
    """`longest` is the n of CHAR(n) and VARCHAR(n)."""

    def cut(value: str) -> str:
        return value[:longest].rstrip(" ") if longest else value

    return Scalar(
        ddl,
        (pa.string(),),
        lambda rng: cut(text(rng)),
        lambda rng, v: cut(v[: rng.randint(0, len(v))] + rng.choice(("a", "0", " ", "A"))),
        quoted,
        tuple(map(cut, ("", "A", "a", "Ab"))),
    )


def binary(*stored: pa.DataType) -> Scalar:
    sizes = (0, 1, 2, 4, 8, 16) if stored[0] == pa.binary() else (16,)

    def near(rng: random.Random, value: bytes) -> bytes:
        return value[:-1] + bytes([(value[-1] + 1) % 256]) if value else b"\0"

    return Scalar(
        "binary",
        stored,
        lambda rng: rng.randbytes(rng.choice(sizes)),
        near,
        lambda v: f"X'{v.hex()}'",
        tuple(b * size for b in (b"\0", b"\xff") for size in (sizes[0], sizes[-1])),
    )


def days(rng: random.Random) -> int:
    return rng.choice((rng.randint(FIRST_DAY, LAST_DAY), rng.randint(-40_000, 40_000)))


def date_sql(day: int) -> str:
    if 0 <= day < 20_000:
        return f"date'{datetime.date(1970, 1, 1) + datetime.timedelta(day)}'"
    return f"date_from_unix_date({day})"


def instant(ddl: str, sql: Callable[[int], str], *stored: pa.DataType) -> Scalar:
    def narrow(as_stored: pa.DataType, value: int) -> int:
        if pa.types.is_date(as_stored):
            return value // DAY * DAY
        return value // 1000 * 1000 if as_stored.unit == "ms" else value

    return Scalar(
        ddl,
        stored,
        lambda rng: days(rng) * DAY // rng.choice((1, 7, 1000)),
        lambda rng, v: v + rng.choice((-1000, -1, 1, 1000)),
        sql,
        (*(day * DAY for day in TURNS), -1, 1000),
        narrow,
    )
