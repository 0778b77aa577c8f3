"""Random predicates over the columns, as SQL. None can raise: casts are total or `try_`."""

from __future__ import annotations

import random
from typing import Any

from columns import COLUMNS, Column

COMPARISONS = ("=", "=", "=", "=", "<=>", "<>", "<", "<=", ">", ">=")


class Predicates:
    """Draws literals mostly from the values that a table holds, else beside them or at random."""

    def __init__(self, rng: random.Random, values: dict[str, list[Any]]):
        self.rng, self.values = rng, values

    def predicate(self, depth: int = 2) -> str:
        kind = self.rng.random()
        if depth == 0 or kind < 0.5:
            return self.leaf(self.rng.choice(COLUMNS))
        if kind < 0.6:
            return f"not ({self.predicate(depth - 1)})"
        operator = self.rng.choice((" and ", " or "))
        arms = (self.predicate(depth - 1) for _ in range(self.rng.choice((2, 2, 3))))
        return operator.join(f"({arm})" for arm in arms)

    def value(self, column: Column) -> Any:
        source, held = self.rng.random(), self.values[column.name]
        if held and source < 0.55:
            return self.rng.choice(held)
        if held and source < 0.75:
            return column.near(self.rng, self.rng.choice(held))
        if column.special and source < 0.87:
            return self.rng.choice(column.special)
        return column.draw(self.rng)

    def literal(self, column: Column, nulls: float = 0.03) -> str:
        if self.rng.random() < nulls:
            return self.rng.choice(("null", f"cast(null as {column.ddl})"))
        return column.sql(self.value(column))

    def leaf(self, column: Column) -> str:
        shapes = [self.comparison] * 6 + [self.membership] * 4
        shapes += [self.between, self.nullness, self.wrapped, self.computed]
        if column.ddl == "string":
            shapes += [self.like] * 3
        if column.ddl == "boolean":
            shapes += [lambda c: self.rng.choice((c.name, f"not {c.name}", f"{c.name} is true"))]
        return self.rng.choice(shapes)(column)

    def comparison(self, column: Column) -> str:
        sides = [column.name, self.literal(column)]
        if self.rng.random() < 0.2:
            sides.reverse()
        return f" {self.rng.choice(COMPARISONS)} ".join(sides)

    def membership(self, column: Column) -> str:
        size = self.rng.choice((1, 2, 3, 8, 12, 30))
        items = ", ".join(self.literal(column, nulls=0.02) for _ in range(size))
        return f"{column.name} {self.rng.choice(('in', 'in', 'in', 'not in'))} ({items})"

    def between(self, column: Column) -> str:
        low, high = (self.literal(column) for _ in range(2))
        return f"{column.name} {self.rng.choice(('', 'not '))}between {low} and {high}"

    def nullness(self, column: Column) -> str:
        name = "st" if "." in column.name and self.rng.random() < 0.3 else column.name
        return f"{name} is {self.rng.choice(('', 'not '))}null"

    def like(self, column: Column) -> str:
        text = str(self.value(column)).replace("_", "a").replace("%", "b")
        shape = self.rng.choice(("{}", "{}%", "%{}", "%{}%", "{}_"))
        pattern = shape.format(text[: self.rng.randint(0, 3)])
        return f"{column.name} {self.rng.choice(('', '', 'not '))}like '{pattern}'"

    def wrapped(self, column: Column) -> str:
        """The column under something that looks like a test of the column and is not quite one."""
        name, value = column.name, self.literal(column)
        return self.rng.choice(
            (
                f"coalesce({name}, {value}) = {self.literal(column)}",
                f"nullif({name}, {value}) is null",
                f"if({name} = {value}, true, {name} is null)",
                f"case when {name} <> {value} then false else true end",
                f"({name} = {value}) is not true",
                f"({name} = {value}) <=> null",
                f"({name} > {value}) = ({name} <= {self.literal(column)})",
                f"{name} = {name}",
            )
        )

    def computed(self, column: Column) -> str:
        """A cast or a computation between the column and its literal."""
        name, ddl = column.name, column.ddl
        if ddl in ("tinyint", "smallint", "int", "bigint"):
            wide = self.rng.choice(("double", "decimal(20,0)", "string", "decimal(24,3)", "float"))
            number = self.rng.choice((self.value(column), 2**40, "7.5", -129, 40_000))
            return self.rng.choice(
                (
                    f"cast({name} as {wide}) = cast('{number}' as {wide})",
                    f"{name} = {number}",
                    f"{name} > {number}",
                    f"{name} in ({number}, 5000000000L, 3)",
                    f"{name} = {self.value(column)}.0D",
                    f"try_add({name}, 1{'L' if ddl == 'bigint' else ''}) = {self.value(column)}L",
                )
            )
        if ddl == "string":
            return self.rng.choice(
                (
                    f"try_cast({name} as int) = 7",
                    f"upper({name}) = 'ABC'",
                    f"cast({name} as binary) = X'616263'",
                    f"length({name}) = 2",
                    f"concat({name}, 'c') = 'abc'",
                )
            )
        if ddl == "date":
            return f"cast({name} as timestamp) = {self.instant_sql()}"
        if ddl.startswith("timestamp"):
            return f"cast({name} as date) = {self.date_sql()}"
        if ddl.startswith("decimal"):
            number = self.value(column)
            shapes = [f"cast({name} as double) = {float(number)!r}D", f"{name} = {int(number)}"]
            if column.arrow.precision < 38:  # a wider one would not fit, and the cast raise
                shapes += [
                    f"{name} = cast('{number:f}' as decimal(38,12))",
                    f"{name} < cast('{number:f}1' as decimal(38,11))",
                ]
            return self.rng.choice(shapes)
        return f"cast({name} as string) = cast({self.literal(column)} as string)"

    def instant_sql(self) -> str:
        return f"timestamp_micros({self.rng.choice(self.values['dt'] or [0])} * 86400000000L)"

    def date_sql(self) -> str:
        return f"date_from_unix_date({self.rng.choice(self.values['ts'] or [0]) // 86_400_000_000})"
