"""Plan shapes around a predicate: queries whose answers do not depend on the order of rows."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from predicates import Predicates
from sites import Predicate

from tables import Table

# {p} and {q} are predicates, {t} is the table, {v} a view of it under {p}, {w} a hash of columns.
PLAIN = "select count(*) n, sum({w}) s from {t} where {p}"
SHAPES = (
    "select id, {w} from {t} where {p} order by id limit 7",
    "select count(*) from (select id from {t} where {p} limit 9)",
    "select count(*), sum(h) from (select id, {w} h from {t} where {p}) where id % 3 = 1",
    "select count(*), sum({w}) from (select * from {t} where {p}) where {q}",
    "with c as (select id, {w} h from {t} where {p}) "
    "select count(*), sum(a.h), sum(b.h) from c a join c b on a.id = b.id",
    "select sum(n), max(i) from (select count(*) n, max(id) i from {t} where {p} group by id % 5)",
    "select count(*), sum(h) from (select {w} h from {t} where {p} "
    "union all select {w} h from {t} where {q})",
    "select count(*) from (select id from {t} where {p} union select id from {t} where {q})",
    "select count(*) from (select id from {t} where {p} except select id from {t} where {q})",
    "select count(*), sum(a.id) from {t} a join (select id from {t} where {p}) b using (id)",
    "select count(*), sum(b.id) from (select id from {t} where {q}) a "
    "left join (select id from {t} where {p}) b using (id)",
    "select count(*), sum(id) from {t} a "
    "left semi join (select id from {t} where {p}) b using (id)",
    "select count(*), sum(id) from {t} a "
    "left anti join (select id from {t} where {p}) b using (id)",
    "select count(*), sum({w}) from {t} where id in (select id from {t} where {p})",
    "select count(*), sum({w}) from {t} where exists (select 1 from {t} where {p} and id < 99)",
    "select count(*), sum({w}) from {t} where {p} and id in (select id from {t} where {q})",
    "select count(*), sum({w}) from {t} where {p} and (id < 9 or id not in (select id from {t} "
    "where {q}))",
    "select count(*), sum({w}) from {t} "
    "where exists (select 1 from (select id inner_id from {t}) where inner_id = id and {p})",
    "select count(*) from {t} where id >= (select min(id) from {t} where {p}) and {q}",
    "select count(*), max(_metadata.file_name) from {t} where {p}",
    "select count(*), sum(r) from "
    "(select row_number() over (partition by id % 3 order by id) r from {t} where {p})",
    "select count(distinct {w}) from {t} where {p} having count(*) > 1",
    "select (select count(*) from {t} where {p}) a, (select sum({w}) from {t} where {q}) b",
    "select count(*), sum(id) from {v} where {q}",
)
OF_PARTITIONS = (
    "select part, count(*), sum({w}) from {t} where {p} group by part order by part",
    "select count(*), sum({w}) from {t} where part = 1 and {p}",
    "select count(*), sum({w}) from {t} where part = 2 or {p}",
    "select count(*) from {t} a join (select 1 part) b using (part) where {p}",
)


@dataclass(frozen=True)
class Query:
    """A shape with what stands in it. `tests` are the predicates {p} and {q}."""

    shape: str
    table: str
    witness: str
    tests: tuple[Predicate, Predicate]

    @property
    def is_plain(self) -> bool:
        return self.shape == PLAIN

    @property
    def raises(self) -> bool:
        return any(test.raises for test in self.tests)

    @property
    def plain(self) -> Query:
        return replace(self, shape=PLAIN)

    @property
    def sql(self) -> str:
        # Twice, or Spark takes `where (flag)` for an alias with its list of columns.
        p, q = (f"(({test.sql}))" for test in self.tests)
        view = f"(select * from {self.table} where {p})"
        return self.shape.format(t=self.table, p=p, q=q, v=view, w=self.witness)

    def smaller(self) -> list[Query]:
        """The same query with a part of its predicate."""
        p, q = self.tests
        plain = [] if self.is_plain else [self.plain]
        return [*plain, *(replace(self, tests=(arm, q)) for arm in p.arms)]


class Queries:
    """Draws queries of one table."""

    def __init__(self, rng: random.Random, table: Table, ansi: bool):
        self.rng, self.table = rng, table
        self.predicates = Predicates(rng, table.schema.readable, table.values, ansi)
        self.shapes = SHAPES + (OF_PARTITIONS * 3 if table.schema.partitioned else ())

    def draw(self) -> Query:
        shape = PLAIN if self.rng.random() < 0.75 else self.rng.choice(self.shapes)
        tests = self.predicates.predicate(), self.predicates.predicate(1)
        return Query(shape, self.table.name, self.witness(), tests)

    def witness(self) -> str:
        """Returns a hash of a row's id and two columns. Maps have no hash; their text is hashed."""
        sites = self.rng.sample(self.predicates.columns, 2)
        hashed: list[Any] = [
            f"cast({s.sql} as string)" if s.kind.ddl.startswith("map") else s.sql for s in sites
        ]
        return f"hash(id, {', '.join(hashed)})"
