"""Random predicates over a table's columns, as SQL."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from casts import casts
from kinds import Scalar
from nested import Kind, List, Map, Struct
from sites import Predicate, Site
from texts import identifier, quoted

COMPARISONS = ("=", "=", "=", "=", "=", "<=>", "<>", "<", "<=", ">", ">=")
CONSTANTS = ("false", "true", "1 = 2", "1 is null", "cast(null as boolean)")


class Predicates:
    """Draws literals mostly from the values that a table holds, else beside them or at random.

    `ansi`: whether to draw predicates that may raise in ANSI mode.
    """

    def __init__(
        self,
        rng: random.Random,
        columns: Mapping[str, Kind],
        values: Mapping[str, Sequence[Any]],
        ansi: bool = False,
    ):
        self.rng, self.values, self.ansi = rng, values, ansi
        self.columns = [Site(identifier(name), kind, name) for name, kind in columns.items()]
        self.sites = [part for column in self.columns for part in column.parts()]

    def predicate(self, depth: int = 2) -> Predicate:
        dice = self.rng.random()
        if depth == 0 or dice < 0.55:
            return self.leaf(self.rng.choice(self.sites))
        if dice < 0.63:
            arm = self.predicate(depth - 1)
            return Predicate(f"not ({arm.sql})", (arm,), arm.raises)
        operator = " and " if dice < 0.86 else " or "
        arms = tuple(self.predicate(depth - 1) for _ in range(self.rng.choice((2, 2, 3))))
        sql = operator.join(f"({arm.sql})" for arm in arms)
        return Predicate(sql, arms, any(arm.raises for arm in arms))

    def leaf(self, site: Site) -> Predicate:
        if self.rng.random() < 0.02:
            return Predicate(self.rng.choice(CONSTANTS))
        if isinstance(site.kind, List):
            return Predicate(self.of_list(site))
        if isinstance(site.kind, Map):
            return Predicate(self.of_map(site))
        if self.rng.random() < 0.12:
            return self.cast(site)
        return Predicate(self.of_scalar(site))

    def value(self, site: Site, part: str = "") -> Any:
        kind, held = scalar_at(site.kind, part), self.values.get(site.path + part, ())
        source = self.rng.random()
        if held and source < 0.5:
            return self.rng.choice(held)
        if held and source < 0.72:
            return kind.near(self.rng, self.rng.choice(held))
        if kind.special and source < 0.88:
            return self.rng.choice(kind.special)
        return kind.draw(self.rng)

    def literal(self, site: Site, part: str = "", nulls: float = 0.02) -> str:
        kind = scalar_at(site.kind, part)
        if self.rng.random() < nulls:
            return f"cast(null as {kind.ddl})"
        return kind.sql(self.value(site, part))

    # Of one value

    def of_scalar(self, site: Site) -> str:
        shapes = [self.comparison] * 7 + [self.membership] * 5
        shapes += [self.between, self.nullness, self.wrapped, self.wrapped]
        if site.kind.ddl.startswith(("string", "char", "varchar")):
            shapes += [self.like] * 4
        if site.kind.ddl in ("float", "double"):
            shapes += [self.not_a_number]
        if site.kind.ddl == "boolean":
            shapes += [self.truth] * 3
        return self.rng.choice(shapes)(site)

    def comparison(self, site: Site) -> str:
        sides = [site.sql, self.literal(site)]
        if self.rng.random() < 0.2:
            sides.reverse()
        return f" {self.rng.choice(COMPARISONS)} ".join(sides)

    def membership(self, site: Site) -> str:
        size = self.rng.choice((1, 2, 3, 8, 12, 30))
        items = ", ".join(self.literal(site) for _ in range(size))
        return f"{site.sql} {self.rng.choice(('in', 'in', 'in', 'not in'))} ({items})"

    def between(self, site: Site) -> str:
        low, high = (self.literal(site) for _ in range(2))
        return f"{site.sql} {self.rng.choice(('', '', 'not '))}between {low} and {high}"

    def nullness(self, site: Site) -> str:
        within = "`." in site.sql and self.rng.random() < 0.3
        name = site.sql.rpartition(".")[0] if within else site.sql
        return f"{name} is {self.rng.choice(('', 'not '))}null"

    def not_a_number(self, site: Site) -> str:
        return self.rng.choice(("isnan({})", "not isnan({})", "nanvl({}, 1) = 1")).format(site.sql)

    def truth(self, site: Site) -> str:
        return self.rng.choice(("{}", "not {}", "{} is true", "{} is not false")).format(site.sql)

    def like(self, site: Site) -> str:
        text = str(self.value(site))[: self.rng.choice((1, 2, 3, 64, 66))]
        negated = self.rng.choice(("", "", "", "not "))
        if self.rng.random() < 0.4:
            test = self.rng.choice(("startswith", "startswith", "endswith", "contains"))
            return f"{negated}{test}({site.sql}, {quoted(text)})"
        escaped = "".join("!" + c if c in "%_!" else c for c in text)
        shape = self.rng.choice(("{}", "{}%", "{}%", "{}%", "%{}", "%{}%", "{}_", "{}%{}", "{}%a"))
        pattern = quoted(shape.format(escaped, escaped[:2].rstrip("!")))
        return f"{site.sql} {negated}like {pattern} escape '!'"

    def wrapped(self, site: Site) -> str:
        """The column under something that is nearly a test of the column."""
        name, one, other = site.sql, self.literal(site), self.literal(site)
        test = f"{name} {self.rng.choice(COMPARISONS)} {one}"
        return self.rng.choice(
            (
                f"coalesce({name}, {one}) = {other}",
                f"coalesce({name}, {one}) = {one}",
                f"coalesce({name}, {one}) in ({other}, {self.literal(site)})",
                f"coalesce({test}, {self.rng.choice(('true', 'false'))})",
                f"nullif({name}, {one}) is null",
                f"if({test}, true, {name} is null)",
                f"if({test}, {name} = {other}, false)",
                f"if({name} is null, {one}, {name}) = {other}",
                f"case when {test} then false when {name} = {other} then true end",
                f"case {name} when {one} then 'x' when {other} then 'y' else 'z' end = 'y'",
                f"case when {test} then {name} = {one} else {name} is not null end",
                f"({test}) is {self.rng.choice(('not ', ''))}true",
                f"({test}) is {self.rng.choice(('not ', ''))}false",
                f"({test}) is unknown",
                f"({test}) <=> null",
                f"not ({name} <=> {one})",
                f"{name} is distinct from {one}",
                f"({name} > {one}) = ({name} <= {other})",
                f"greatest({name}, {one}) = {other}",
                f"{name} = {name}",
            )
        )

    def cast(self, site: Site) -> Predicate:
        """A cast or a computation between the column and its literal."""
        safe, raising = casts(self.rng, site.sql, site.kind, self.value(site))
        if raising and self.ansi and self.rng.random() < 0.3:
            return Predicate(self.rng.choice(raising), raises=True)
        return Predicate(self.rng.choice(safe))

    # Of collections

    def of_list(self, site: Site) -> str:
        name = site.sql
        if self.rng.random() < 0.1:
            return self.rng.choice(
                (f"{name} is null", f"{name} is not null", f"size({name}) = 0", f"size({name}) > 1")
            )
        if isinstance(site.kind.element, Struct):
            return self.of_structs(site)
        inner = Site("x", site.kind.element, site.path + ".element")
        one, other = self.literal(inner), self.literal(inner)
        negated = self.rng.choice(("", "", "", "not "))
        return negated + self.rng.choice(
            (
                f"array_contains({name}, {one})",
                f"array_contains({name}, {one})",
                f"coalesce(array_contains({name}, {one}), false)",
                f"exists({name}, x -> {self.of_scalar(inner)})",
                f"exists({name}, x -> x = {one})",
                f"exists({name}, x -> x is null)",
                f"aggregate({name}, 0, (n, x) -> n + if(x is null, 1, 0)) = 1",
                f"exists({name}, x -> {one} <=> x or x = {other})",
                f"forall({name}, x -> {self.of_scalar(inner)})",
                f"arrays_overlap({name}, array({one}, {other}))",
                f"arrays_overlap(array({one}, cast(null as {inner.kind.ddl})), {name})",
                f"get({name}, 0) = {one}",
                f"try_element_at({name}, {self.rng.choice((1, 2, -1))}) = {one}",
                f"array_position({name}, {one}) > 0",
                f"size(filter({name}, x -> x = {one})) > 0",
            )
        )

    def of_structs(self, site: Site) -> str:
        element = Site("x", site.kind.element, site.path + ".element")
        one, other = (self.rng.choice(list(element.parts())) for _ in range(2))
        field = one.sql.partition(".")[2]
        negated = self.rng.choice(("", "", "", "not "))
        return negated + self.rng.choice(
            (
                f"exists({site.sql}, x -> {one.sql} = {self.literal(one)})",
                f"exists({site.sql}, x -> {self.of_scalar(one)})",
                f"exists({site.sql}, x -> {self.of_scalar(one)} and {self.of_scalar(other)})",
                f"exists({site.sql}, x -> x is null)",
                f"array_contains({site.sql}.{field}, {self.literal(one)})",
                f"exists({site.sql}.{field}, y -> y = {self.literal(one)})",
                f"get({site.sql}, 0).{field} = {self.literal(one)}",
            )
        )

    def of_map(self, site: Site) -> str:
        name, key = site.sql, self.literal(site, ".key", nulls=0)
        value = Site(f"{name}[{key}]", site.kind.value, site.path + ".value")
        got = self.rng.choice((f"{name}[{key}]", f"try_element_at({name}, {key})"))
        negated = self.rng.choice(("", "", "", "not "))
        return negated + self.rng.choice(
            (
                f"map_contains_key({name}, {key})",
                f"map_contains_key({name}, {key})",
                f"{got} = {self.literal(value)}",
                f"{got} = {self.literal(value)}",
                f"{got} in ({self.literal(value)}, {self.literal(value)})",
                f"({self.of_scalar(value)})",
                f"{got} is null",
                f"array_contains(map_keys({name}), {key})",
                f"array_contains(map_values({name}), {self.literal(value)})",
                f"exists(map_keys({name}), k -> k = {key})",
                f"size(map_filter({name}, (k, v) -> v is null)) > 0",
                f"{name} is null",
                f"size({name}) = {self.rng.choice((0, 1))}",
            )
        )


def scalar_at(kind: Kind, part: str) -> Scalar:
    return kind.key if part == ".key" else kind
