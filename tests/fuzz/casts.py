"""Casts and computations between a column and its literal."""

from __future__ import annotations

import random
from typing import Any

from kinds import DAY, Scalar, date_sql, number_of
from texts import quoted

INTEGERS = ("tinyint", "smallint", "int", "bigint")


def casts(rng: random.Random, name: str, kind: Scalar, value: Any) -> tuple[list[str], list[str]]:
    """Predicates that are total, and some that may raise in ANSI mode."""
    ddl = kind.ddl
    if ddl in INTEGERS:
        return of_integer(rng, name, ddl, value)
    if ddl.startswith("decimal"):
        return of_decimal(name, kind, value)
    if ddl.startswith(("string", "char", "varchar")):
        return of_string(name, value), [f"cast({name} as int) = 7", f"{name} = 7"]
    if ddl in ("float", "double"):
        return of_real(name, number_of(ddl[0], value)), [f"cast({name} as int) = 1"]
    if ddl == "date":
        return of_date(rng, name, value), []
    if ddl.startswith("timestamp"):
        return of_instant(rng, name, ddl, value), []
    return [f"cast({name} as string) = cast({kind.sql(value)} as string)"], []


def of_integer(rng: random.Random, name: str, ddl: str, value: int) -> tuple[list[str], list[str]]:
    wide = rng.choice(("double", "decimal(20,0)", "string", "decimal(24,3)", "float", "bigint"))
    number = rng.choice((value, value, 2**40, "7.5", -129, 40_000, 2**53 + 1))
    operator = rng.choice(("=", "=", "<>", "<", ">=", "<=>"))
    safe = [
        f"cast({name} as {wide}) {operator} cast('{number}' as {wide})",
        f"cast({name} as string) = '{number}'",
        f"cast({name} as string) in ('{value}', '0{value}', '+{value}', '-0')",
        f"{name} {operator} {number}",
        f"{name} in ({number}, 5000000000L, 3)",
        f"{name} {operator} {value}.0D",
        f"{name} {operator} {value}.5D",
        f"{name} {operator} cast({number} as decimal(24,2))",
        f"{name} between {value}.0D and {number}",
        f"try_add({name}, 1{'L' if ddl == 'bigint' else ''}) = {value}L",
    ]
    if abs(value) < 10**18:
        safe += [f"{name} {operator} '{value}'", f"{name} in ('{value}', '3')"]
    return safe, [f"{name} + 1 = {value}L", f"1 / {name} > 0", f"{name} = '7.x'"]


def of_decimal(name: str, kind: Scalar, value: Any) -> tuple[list[str], list[str]]:
    shapes = [
        f"cast({name} as double) = {float(value)!r}D",
        f"{name} = {int(value)}",
        f"{name} > {int(value)}",
        f"cast({name} as string) = '{value:f}'",
    ]
    if kind.stored[0].precision < 30:  # a wider one would not fit, and the cast raise
        shapes += [
            f"{name} = cast('{value:f}' as decimal(38,8))",
            f"{name} < cast('{value:f}' as decimal(38,8))",
        ]
    return shapes, [f"cast({name} as tinyint) = 1"]


def of_string(name: str, value: str) -> list[str]:
    return [
        f"try_cast({name} as int) = 7",
        f"upper({name}) = {quoted(value.upper())}",
        f"lower({name}) = {quoted(value)}",
        f"trim({name}) = {quoted(value)}",
        f"cast({name} as binary) = X'{value.encode().hex()}'",
        f"length({name}) = {len(value)}",
        f"concat({name}, 'c') = {quoted(value + 'c')}",
        f"substring({name}, 1, 2) = {quoted(value[:2])}",
    ]


def of_real(name: str, number: float) -> list[str]:
    literal = repr(number).replace("inf", "Infinity").replace("nan", "NaN")
    return [
        f"{name} = double('{literal}')",
        f"{name} >= double('{literal}')",
        f"{name} = float('{literal}')",
        f"cast({name} as double) <= double('{literal}')",
        f"cast({name} as string) = '{literal}'",
        f"-{name} = double('{literal}')",
        f"abs({name}) = double('{literal}')",
        f"{name} = 1",
        f"{name} in (0, -0.0D, 3)",
    ]


def of_date(rng: random.Random, name: str, day: int) -> list[str]:
    instant = f"timestamp_micros({day * DAY + rng.choice((0, 0, 1, DAY - 1))}L)"
    return [
        f"cast({name} as timestamp) = {instant}",
        f"{name} {rng.choice(('=', '<', '>='))} {instant}",
        f"{name} = cast({instant} as timestamp_ntz)",
        f"cast({name} as string) = cast({date_sql(day)} as string)",
        f"{name} = cast({date_sql(day)} as string)",
        f"year({name}) = 1970",
        f"date_add({name}, 1) = {date_sql(day)}",
    ]


def of_instant(rng: random.Random, name: str, ddl: str, micros: int) -> list[str]:
    day = date_sql(micros // DAY + rng.choice((0, 0, 0, 1, -1)))
    operator = rng.choice(("=", "=", "<", "<=", ">", ">=", "<=>", "<>"))
    other = "timestamp" if ddl == "timestamp_ntz" else "timestamp_ntz"
    return [
        f"cast({name} as date) {operator} {day}",
        f"cast({name} as date) in ({day}, date'1970-01-01')",
        f"{name} {operator} {day}",
        f"{name} {operator} cast({day} as string)",
        f"cast({name} as {other}) {operator} cast(timestamp_micros({micros}L) as {other})",
        f"{name} {operator} cast(timestamp_micros({micros}L) as {other})",
        f"date_trunc('day', {name}) = timestamp_micros({micros // DAY * DAY}L)",
        f"to_date({name}) = {day}",
        f"year({name}) = 1969",
    ]
