"""Measures the cost and the size of exact filters, beside those of Spark alone, in one run.

Writes the same rows without filters, with exact filters and with Spark's own, for 1, 3 and 5
columns. Spark's own are sized without and with the number of distinct values. All take turns, and
each is compared with the writes without filters right before and after it. Then the script samples
the heap of tasks, and probes the filters for absent values.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
import xxhash
from pyspark.sql import DataFrame, SparkSession

import spark_sbbf as sbbf
from lookup import DATA, ROOT, session, timed
from machine import run_on

FPP = 0.01
ABSENT_VALUES = 200_000
# of the split-block filter, in parquet-format's BloomFilter.md
SALT = np.array(
    [
        *(0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D),
        *(0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31),
    ],
    dtype=np.uint32,
)


class Column(NamedTuple):
    sql: str
    ndv: int | None
    """Distinct values in the table; None for as many as rows."""
    absent: str
    """How `struct` packs a value, with `s` for text."""


COLUMNS = {
    "unique": Column("id * 2654435761 % 9007199254740993 AS unique", None, "<q"),
    "million": Column("cast(id * 40503 % 1000000 AS int) AS million", 1_000_000, "<i"),
    "session": Column("concat('session-', id * 7919 % 100000) AS session", 100_000, "s"),
    "thousand": Column("concat('user-', id * 31 % 1000) AS thousand", 1_000, "s"),
    "ten": Column("id % 10 AS ten", 10, "<q"),
}
PAYLOAD = (
    "id / 7D AS amount",
    "timestamp_seconds(id) AS at",
    "cast(id % 5000 AS int) AS code",
    "concat('a line of text, number ', id % 77777) AS line",
)


class Kind(NamedTuple):
    name: str
    columns: int
    exact: bool
    ndv: bool


class Cost(NamedTuple):
    seconds: float
    cpu: float
    """Seconds of all threads of the JVM."""


class Written(NamedTuple):
    costs: list[Cost]
    beside: list[Cost]
    """The mean of the writes without filters right before and after each."""
    data: int
    filters: int

    def ratio(self, of: str) -> float:
        """How much more it takes, by the middle one of the pairs."""
        pairs = zip(self.costs, self.beside)
        return statistics.median(getattr(cost, of) / getattr(base, of) for cost, base in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--turns", type=int, default=5, help="after one to warm up")
    default = ROOT / "benchmarks" / "results" / "write-jdk17.txt"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    spark = session("true")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    rows = spark.range(0, arguments.rows, 1, 4).selectExpr(
        *(column.sql for column in COLUMNS.values()), *PAYLOAD
    )
    lines = [
        "Writing Parquet files with bloom filters; seconds: median (minimum to maximum).",
        "Ratios to the writes without filters right before and after: median, of seconds and CPU.",
        *run_on(spark),
        f"{arguments.rows:,} rows of {len(COLUMNS) + len(PAYLOAD)} columns in 4 files, FPP {FPP}; "
        f"{arguments.turns} turns after one to warm up",
    ]
    written = measured(spark, rows, arguments.turns)
    lines += [described(name, found) for name, found in written.items()]
    lines += memory(spark, rows)
    lines += observed(DATA / "write" / "exact, 5 columns")
    print("\n".join(lines))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def kinds() -> list[Kind]:
    found = [Kind("no filters", 0, exact=True, ndv=False)]
    for n in (1, 3, 5):
        columns = f"{n} column{'s' if n > 1 else ''}"
        found += [
            Kind(f"exact, {columns}", n, exact=True, ndv=False),
            Kind(f"Spark, {columns}", n, exact=False, ndv=False),
            Kind(f"Spark with NDV, {columns}", n, exact=False, ndv=True),
        ]
    return found


def measured(spark: SparkSession, rows: DataFrame, turns: int) -> dict[str, Written]:
    costs: dict[str, list[tuple[Cost, Cost]]] = {}
    every = kinds()
    before = write(spark, rows, every[0])
    for turn in range(turns + 1):
        for kind in every[turn % len(every) :] + every[: turn % len(every)]:
            took = write(spark, rows, kind)
            after = write(spark, rows, every[0])
            if turn:
                costs.setdefault(kind.name, []).append((took, mean(before, after)))
            before = after
    return {
        kind.name: Written(
            [took for took, _ in costs[kind.name]],
            [beside for _, beside in costs[kind.name]],
            *sizes(DATA / "write" / kind.name),
        )
        for kind in every
    }


def mean(one: Cost, other: Cost) -> Cost:
    return Cost((one.seconds + other.seconds) / 2, (one.cpu + other.cpu) / 2)


def write(spark: SparkSession, rows: DataFrame, kind: Kind) -> Cost:
    folder = DATA / "write" / kind.name
    shutil.rmtree(folder, ignore_errors=True)
    options = {}
    if kind.columns:
        names = list(COLUMNS)[: kind.columns]
        # a file of the table is a row group or two
        ndv = {name: COLUMNS[name].ndv or 2_500_000 for name in names} if kind.ndv else None
        # else parquet-java cuts filters of more than 800,000 values down
        most = {"max_bytes": 1 << 23} if kind.ndv else {}
        options = sbbf.bloom_options(*names, fpp=FPP, ndv=ndv, **most)
    spark.conf.set("spark.sbbf.exactFilters.enabled", str(kind.exact).lower())
    os.sync()  # else a write pays for the write-back of the one before
    before = cpu_seconds(spark)
    seconds = timed(lambda: rows.write.options(**options).parquet(str(folder)))[0]
    return Cost(seconds, cpu_seconds(spark) - before)


def cpu_seconds(spark: SparkSession) -> float:
    """Of the JVM since it started."""
    pid = spark._jvm.java.lang.ProcessHandle.current().pid()  # type: ignore[union-attr]
    # proc(5): the name may hold blanks; utime and stime are the 14th and 15th field
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(spark: SparkSession, rows: DataFrame) -> list[str]:
    """Returns the heap that tasks hold, in a run that is not timed."""
    tasks = spark.sparkContext.defaultParallelism
    lines = [f"Peak live heap of a task, of {tasks} at a time, sampled after full collections:"]
    for kind in kinds():
        if kind.columns in (0, 5):
            held, looks = most_held(spark, lambda kind=kind: write(spark, rows, kind))
            assert looks, "no sample was taken"
            lines.append(f"  {kind.name:<25}{held / tasks / 1e6:6.1f} MB  ({looks} samples)")
    return lines


def most_held(spark: SparkSession, work: Callable[[], object]) -> tuple[int, int]:
    """Returns the most bytes that outlive a full collection, less those before, and the samples."""
    runtime = spark._jvm.java.lang.Runtime.getRuntime()  # type: ignore[union-attr]

    def held() -> int:
        runtime.gc()
        return int(runtime.totalMemory() - runtime.freeMemory())

    before, seen, ended = held(), [0], threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            seen.append(held() - before)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        work()
    finally:
        ended.set()
        watcher.join()
    return max(seen), len(seen) - 1


def sizes(folder: Path) -> tuple[int, int]:
    files = list(folder.glob("*.parquet"))
    chunks = [chunk for file in files for chunk in chunks_of(file)]
    return sum(f.stat().st_size for f in files), sum(c.bloom_filter_length or 0 for c in chunks)


def chunks_of(file: Path) -> list[pq.ColumnChunkMetaData]:
    metadata = pq.ParquetFile(file).metadata
    return [
        metadata.row_group(g).column(c)
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    ]


def described(name: str, found: Written) -> str:
    seconds = [cost.seconds for cost in found.costs]
    return (
        f"  {name:<25}{statistics.median(seconds):6.2f}  ({min(seconds):.2f} to {max(seconds):.2f})"
        f"  {found.ratio('seconds'):5.2f} x, CPU {found.ratio('cpu'):5.2f} x"
        f"   {found.data / 1e6:7.1f} MB, of which filters {found.filters / 1e6:6.2f} MB"
    )


def observed(folder: Path) -> list[str]:
    """Returns the false positive rates of the filters, and their sizes."""
    lines = [f"Exact filters probed for {ABSENT_VALUES:,} absent values each:"]
    for name, column in COLUMNS.items():
        hashes = np.array([absent(n, column.absent) for n in range(ABSENT_VALUES)], dtype=np.uint64)
        rates, lengths = [], []
        for file in folder.glob("*.parquet"):
            for chunk in chunks_of(file):
                if chunk.path_in_schema == name and chunk.bloom_filter_offset:
                    bits = bitset(file, chunk.bloom_filter_offset, chunk.bloom_filter_length)
                    rates.append(contained(bits, hashes))
                    lengths.append(len(bits) * 4)
        size = f"{min(lengths):,} to {max(lengths):,} bytes"
        shown = f"{min(rates):.3%} to {max(rates):.3%}"
        # a file has a quarter of the rows, and of few values all
        rows = sum(chunk.num_values for chunk in chunks_of(file) if chunk.path_in_schema == name)
        exact = sbbf.sizing(min(column.ndv or rows, rows), FPP)
        assert max(rates) <= exact.fpp + 4 * math.sqrt(
            exact.fpp * (1 - exact.fpp) / ABSENT_VALUES
        ), name
        lines.append(
            f"  {name:<10}{len(rates)} filters of {size}: {shown}; smallest {exact.bytes:,}"
        )
    return lines


def absent(number: int, packed: str) -> int:
    value = -1 - number  # no column has negative values
    plain = f"absent{value}".encode() if packed == "s" else struct.pack(packed, value)
    return xxhash.xxh64_intdigest(plain)


def bitset(file: Path, offset: int, length: int) -> np.ndarray:
    """The words of a filter, after its header of 15 to 18 bytes."""
    with file.open("rb") as stream:
        stream.seek(offset)
        raw = stream.read(length)
    header = length % 32
    return np.frombuffer(raw[header:], dtype="<u4")


def contained(words: np.ndarray, hashes: np.ndarray) -> float:
    blocks = ((hashes >> np.uint64(32)) * np.uint64(len(words) // 8)) >> np.uint64(32)
    keys = hashes.astype(np.uint32)
    found = np.ones(len(hashes), dtype=bool)
    for lane in range(8):
        bit = (keys * SALT[lane]) >> np.uint32(27)
        word = words[blocks.astype(np.int64) * 8 + lane]
        found &= (word >> bit) & np.uint32(1) == 1
    return float(found.mean())


if __name__ == "__main__":
    main()
