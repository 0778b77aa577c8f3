"""Structs, lists and maps of the fuzzer's scalars."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from kinds import Scalar

Fill = Callable[[], Any]


@dataclass(frozen=True)
class Struct:
    """Values are dictionaries by field name."""

    fields: dict[str, Kind]

    @property
    def ddl(self) -> str:
        return f"struct<{', '.join(f'{name}: {kind.ddl}' for name, kind in self.fields.items())}>"

    def store(self, rng: random.Random, exact: bool) -> pa.DataType:
        return pa.struct([(name, kind.store(rng, exact)) for name, kind in self.fields.items()])

    def filler(self, rng: random.Random, stored: pa.DataType) -> Fill:
        fills = {n: kind.filler(rng, stored.field(n).type) for n, kind in self.fields.items()}
        missing = rng.choice((0.0, 0.1))
        return lambda: (
            None if rng.random() < missing else {name: fill() for name, fill in fills.items()}
        )

    def array(self, values: list[Any], stored: pa.DataType) -> pa.Array:
        children = [
            kind.array([v and v[name] for v in values], stored.field(name).type)
            for name, kind in self.fields.items()
        ]
        mask = pa.array([v is None for v in values], pa.bool_())
        return pa.StructArray.from_arrays(children, list(self.fields), mask=mask)


@dataclass(frozen=True)
class List:
    """Null, empty and short lists; null elements among them."""

    element: Kind

    @property
    def ddl(self) -> str:
        return f"array<{self.element.ddl}>"

    def store(self, rng: random.Random, exact: bool) -> pa.DataType:
        return pa.list_(self.element.store(rng, exact))

    def filler(self, rng: random.Random, stored: pa.DataType) -> Fill:
        fill = self.element.filler(rng, stored.value_type)
        sizes = rng.choice(((None, 0, 1, 2, 3), (1, 2), (0,), (None,), (0, None)))

        def collection() -> Any:
            size = rng.choice(sizes)
            return None if size is None else [fill() for _ in range(size)]

        return collection

    def array(self, values: list[Any], stored: pa.DataType) -> pa.Array:
        elements = self.element.array(flat(values), stored.value_type)
        return pa.ListArray.from_arrays(offsets(values), elements)


@dataclass(frozen=True)
class Map:
    """Values are dictionaries; a key is never null."""

    key: Scalar
    value: Scalar

    @property
    def ddl(self) -> str:
        return f"map<{self.key.ddl}, {self.value.ddl}>"

    def store(self, rng: random.Random, exact: bool) -> pa.DataType:
        return pa.map_(self.key.stored[0], self.value.stored[0])

    def filler(self, rng: random.Random, stored: pa.DataType) -> Fill:
        keys = [self.key.draw(rng) for _ in range(rng.choice((1, 5, 40)))]
        fill = self.value.filler(rng, stored.item_type)
        sizes = rng.choice(((None, 0, 1, 2), (1, 3), (0,), (None,)))

        def collection() -> Any:
            size = rng.choice(sizes)
            return None if size is None else {rng.choice(keys): fill() for _ in range(size)}

        return collection

    def array(self, values: list[Any], stored: pa.DataType) -> pa.Array:
        keys = self.key.array(flat(values), stored.key_type)
        entries = [None if v is None else list(v.values()) for v in values]
        items = self.value.array(flat(entries), stored.item_type)
        return pa.MapArray.from_arrays(offsets(values), keys, items)


Kind = Scalar | Struct | List | Map


def flat(values: list[Any]) -> list[Any]:
    return [element for value in values if value is not None for element in value]


def offsets(values: list[Any]) -> pa.Array:
    """Arrow's: where each list begins, null for a null list, and the end."""
    at, starts = 0, []
    for value in values:
        starts.append(None if value is None else at)
        at += len(value or ())
    return pa.array([*starts, at], pa.int32())


def leaves(kind: Kind, value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every scalar within a value, by its path: `.element`, `.key` and `.value` in collections."""
    if value is None:
        return
    if isinstance(kind, Struct):
        for name, field in kind.fields.items():
            yield from leaves(field, value[name], f"{path}.{name}")
    elif isinstance(kind, List):
        for element in value:
            yield from leaves(kind.element, element, f"{path}.element")
    elif isinstance(kind, Map):
        for key, item in value.items():
            yield path + ".key", key
            yield from leaves(kind.value, item, f"{path}.value")
    else:
        yield path, value
