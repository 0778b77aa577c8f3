"""The columns and fields that predicates use, and the parts of predicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nested import Kind, Struct


@dataclass(frozen=True)
class Predicate:
    """`arms` are smaller predicates within it, for shrinking; `raises` states that it may raise."""

    sql: str
    arms: tuple[Predicate, ...] = ()
    raises: bool = False


@dataclass(frozen=True)
class Site:
    """Something that a query can name: a column or a field within structs."""

    sql: str
    kind: Kind
    path: str

    def parts(self) -> Iterator[Site]:
        """Itself, or the leaves and collections of a struct."""
        if not isinstance(self.kind, Struct):
            yield self
            return
        for name, field in self.kind.fields.items():
            yield from Site(f"{self.sql}.{name}", field, f"{self.path}.{name}").parts()
