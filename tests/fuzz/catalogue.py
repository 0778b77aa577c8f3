"""Every type that the fuzzer knows, and since which Spark it can be read."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from kinds import (
    TURNS,
    Scalar,
    binary,
    date_sql,
    days,
    decimal,
    floating,
    instant,
    integer,
    string,
)
from nested import Kind, List, Map, Struct

UTC_MICROS, UTC_MILLIS = pa.timestamp("us", tz="UTC"), pa.timestamp("ms", tz="UTC")

TINY = integer("tinyint", "Y", pa.int8())
SMALL = integer("smallint", "S", pa.int16(), pa.int8(), pa.uint8())
INT = integer("int", "", pa.int32(), pa.int16(), pa.uint16(), pa.int8(), pa.uint8())
LONG = integer("bigint", "L", pa.int64(), pa.uint32())
WIDENED = integer("bigint", "L", pa.int64(), pa.int32(), pa.uint32(), pa.int16())
UNSIGNED = decimal(20, 0, pa.decimal128(20, 0), pa.uint64(), low=0)
FLOAT = floating("float", "f", pa.float32())
DOUBLE = floating("double", "d", pa.float64())
WIDENED_DOUBLE = floating("double", "d", pa.float64(), pa.float32())
STRING = string()
DATE = Scalar("date", (pa.date32(),), days, lambda rng, v: v + rng.choice((-1, 1)), date_sql, TURNS)
TIMESTAMP = instant("timestamp", lambda v: f"timestamp_micros({v})", UTC_MICROS, UTC_MILLIS)


def ntz_sql(micros: int) -> str:
    return f"timestampadd(microsecond, {micros}L, timestamp_ntz'1970-01-01 00:00:00')"


NTZ = instant("timestamp_ntz", ntz_sql, pa.timestamp("us"), pa.timestamp("ms"))
WIDENED_NTZ = instant("timestamp_ntz", ntz_sql, pa.timestamp("us"), pa.date32())
BOOLEAN = Scalar(
    "boolean",
    (pa.bool_(),),
    lambda rng: rng.random() < 0.5,
    lambda rng, v: not v,
    lambda v: str(v).lower(),
)

REALS: Sequence[Kind] = (FLOAT, DOUBLE)
SCALARS: Sequence[Kind] = (
    TINY,
    SMALL,
    INT,
    LONG,
    UNSIGNED,
    FLOAT,
    DOUBLE,
    STRING,
    STRING,
    binary(pa.binary()),
    binary(pa.binary(16)),
    DATE,
    TIMESTAMP,
    NTZ,
    decimal(4, 1),
    decimal(9, 2),
    decimal(18, 4),
    decimal(38, 10),
    BOOLEAN,
    string("char(6)", 6),
    string("varchar(9)", 9),
)
NESTED: Sequence[Kind] = (
    Struct({"a": INT, "S": STRING}),
    Struct({"f": DOUBLE, "in": Struct({"l": LONG, "d": DATE})}),
    List(INT),
    List(LONG),
    List(STRING),
    List(DOUBLE),
    List(DATE),
    List(Struct({"id": LONG, "s": STRING})),
    Map(STRING, INT),
    Map(INT, STRING),
    Map(STRING, DOUBLE),
    Struct({"a": List(INT)}),
)
SINCE: dict[tuple[int, int], Sequence[Kind]] = {
    (4, 0): (
        WIDENED,
        WIDENED_DOUBLE,
        WIDENED_NTZ,
        string("string collate UTF8_LCASE"),
        decimal(18, 4, pa.decimal128(18, 4), pa.decimal128(9, 2)),
    ),
}


def kinds(spark: tuple[int, int]) -> tuple[list[Kind], list[Kind]]:
    """The scalar and the nested kinds that a version of Spark can read."""
    newer = [kind for since, some in SINCE.items() if since <= spark for kind in some]
    return [*SCALARS, *newer], list(NESTED)
