"""How long does a look-up take: stock Spark, the extension, and what could be reached at best?

    python benchmarks/lookup.py --out benchmarks/results/lookup-jdk17.txt

Contestants, asked for the same keys in turns, in one JVM:
  stock         Spark without the extension
  extension     Spark with it, at its defaults
  filter limit  stock Spark on only the files whose filters say maybe: a perfect planner
  oracle        stock Spark on only the file that holds the key
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))  # the twin of the pruner, which says what the filters say

import spark_sbbf as sbbf  # noqa: E402
from events import ROW_GROUPS, EventLog, event_log, first_files  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from twin import RowGroup, read_row_groups  # noqa: E402

WARM_UP = 15  # look-ups before the first that counts; the JVM compiles as it goes
FRESH_JVMS = 3
REPEATS = 15  # of each query that the extension cannot help
SEED = 20261121


def session(enabled: bool) -> SparkSession:
    conf = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master("local[*]").config(map=conf)
    return (sbbf.enable(builder) if enabled else builder).getOrCreate()


def without_extension(spark: SparkSession) -> SparkSession:
    stock = spark.newSession()
    stock.conf.set("spark.sbbf.enabled", "false")
    return stock


def milliseconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1_000


def look_up(table: DataFrame, key: int, column: str = "user_id") -> DataFrame:
    return table.where(F.col(column) == F.lit(key))


@dataclass
class Keys:
    present: list[int]
    absent: list[int]

    @staticmethod
    def draw(table: DataFrame, log: EventLog, count: int) -> Keys:
        rng = random.Random(SEED)
        wanted = rng.sample(range(log.rows), WARM_UP + count)
        held = {r.seq: r.user_id for r in table.where(F.col("seq").isin(wanted)).collect()}
        absent = [rng.randrange(-(2**63), 2**63) for _ in range(WARM_UP + count)]
        return Keys([held[seq] for seq in wanted], absent)


class Lookups:
    """One table and its contestants."""

    def __init__(self, spark: SparkSession, log: EventLog, count: int):
        self.log, self.stock_session = log, without_extension(spark)
        self.row_groups: list[RowGroup] = read_row_groups(log.path, "user_id")
        self.stock = self.stock_session.read.parquet(str(log.path))
        self.extended = spark.read.parquet(str(log.path))
        self.keys = Keys.draw(self.stock, log, count)

    def real_fpp(self) -> float:
        return statistics.mean(group.filter.false_positive_rate for group in self.row_groups)

    def filter_bytes(self) -> int:
        return self.row_groups[0].filter.words.nbytes

    def maybe(self, key: int) -> list[str]:
        found = {group.file for group in self.row_groups if group.might_hold(key)}
        return sorted(str(self.log.path / name) for name in found)

    def stock_on(self, files: list[str]) -> DataFrame:
        return self.stock_session.read.schema(self.stock.schema).parquet(*files)

    def contestants(self, key: int, present: bool) -> dict[str, DataFrame]:
        tables = {"stock": self.stock, "extension": self.extended}
        maybe = self.maybe(key)
        if maybe:  # with none left, a perfect planner would run nothing
            tables["filter limit"] = self.stock_on(maybe)
        if present:
            (row,) = look_up(self.stock_on(maybe), key).select("_metadata.file_path").collect()
            tables["oracle"] = self.stock_on([row.file_path])
        return tables

    def run(self, keys: list[int], present: bool) -> dict[str, list[float]]:
        """Milliseconds of each contestant, key by key, after the warm-up; who begins alternates."""
        times: dict[str, list[float]] = {}
        for turn, key in enumerate(keys):
            tables = list(self.contestants(key, present).items())
            shift = turn % len(tables)
            for name, table in tables[shift:] + tables[:shift]:
                query = look_up(table, key)
                spent = milliseconds(query.collect)
                if turn >= WARM_UP:
                    times.setdefault(name, []).append(spent)
        return times

    def overhead(self, query: Callable[[DataFrame], DataFrame]) -> tuple[float, float]:
        """Median milliseconds without and with the extension, asked in turns."""
        off, on = [], []
        for turn in range(3 + REPEATS):
            for times, table in ((off, self.stock), (on, self.extended))[:: 1 if turn % 2 else -1]:
                times.append(milliseconds(query(table).collect))
        return statistics.median(off[3:]), statistics.median(on[3:])


def first_query(log: EventLog, enabled: bool, key: int) -> float:
    """Milliseconds of the first query of a fresh JVM, the table being opened already."""
    arguments = [__file__, "--first", "on" if enabled else "off", str(log.path), str(key)]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def run_first(enabled: bool, path: str, key: int) -> None:
    table = session(enabled).read.parquet(path)
    print(milliseconds(look_up(table, key).collect))


def header(spark: SparkSession) -> list[str]:
    system = spark._jvm.java.lang.System
    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")),
        platform.processor(),
    )  # fmt: skip
    return [
        "Looking up keys in an event log: benchmarks/lookup.py",
        f"{cpu}, {os.cpu_count()} cores; {platform.system()} {platform.machine()}",
        f"JDK {system.getProperty('java.version')}, Spark {spark.version}, Python "
        f"{platform.python_version()}; {datetime.date.today()}; seed {SEED}",
        "All times in milliseconds; files on a local disk, in the page cache.",
    ]


ROWS = ("stock", "extension", "filter limit", "oracle")


def table_of(columns: dict[str, dict[str, float]]) -> list[str]:
    lines = ["".join([f"{'':14}", *(f"{name:>16}" for name in columns)])]
    for row in ROWS:
        cells = (f"{c[row]:16,.0f}" if row in c else f"{'-':>16}" for c in columns.values())
        lines.append(f"{row:14}" + "".join(cells))
    return lines


def ratios(present: dict[str, float], first: dict[str, float], fpp: float) -> list[str]:
    extension = present["extension"]
    bound, reach = ("filter limit", 1.1) if fpp >= 0.01 else ("oracle", 1.15)
    gain = 6 if fpp >= 0.01 else 10
    return [
        f"extension / {bound} {extension / present[bound]:.2f} (reach: <= {reach})",
        f"stock / extension {present['stock'] / extension:.1f} (reach at 1,000 files: >= {gain})",
        f"first query, extension / stock {first['extension'] / first['stock']:.2f} (reach: <= 1)",
    ]


QUERIES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "a column with no filters": lambda t: t.where("noise = 5"),
    "a filter that keeps all rows": lambda t: t.where("user_id <> 5").selectExpr("sum(amount)"),
    "no usable filter at all": lambda t: t.where("seq % 2 = 0").selectExpr("sum(amount)"),
}


def measured(spark: SparkSession, log: EventLog, count: int) -> list[str]:
    lookups = Lookups(spark, log, count)
    present = lookups.run(lookups.keys.present, present=True)
    absent = lookups.run(lookups.keys.absent, present=False)
    kept = [len(lookups.maybe(key)) for key in lookups.keys.present]
    first: dict[str, list[float]] = {"stock": [], "extension": []}
    for key in lookups.keys.present[:FRESH_JVMS]:
        for name, times in first.items():
            times.append(first_query(log, name == "extension", key))
    medians = {
        name: {who: statistics.median(times) for who, times in found.items()}
        for name, found in (("present key", present), ("absent key", absent), ("first query", first))
    }
    lines = [
        f"{log.files:,} files of {ROW_GROUPS} row groups, {log.rows_per_row_group:,} rows and "
        f"{lookups.filter_bytes():,} filter bytes a row group; FPP {log.fpp}, really "
        f"{lookups.real_fpp():.2g}; files left for a present key: median "
        f"{statistics.median(kept):.0f}",
        f"medians of {count} keys ({len(absent.get('filter limit', []))} of the absent ones had "
        f"any file left), of {FRESH_JVMS} JVMs for the first query",
        "",
        *table_of(medians),
        "",
        *ratios(medians["present key"], medians["first query"], log.fpp),
        "",
        f"{'queries that cannot be helped':32}{'off':>8}{'on':>8}{'more':>8}{'%':>8}",
    ]
    for name, query in QUERIES.items():
        off, on = lookups.overhead(query)
        lines.append(f"{name:32}{off:8,.0f}{on:8,.0f}{on - off:8,.0f}{100 * (on / off - 1):8.1f}")
    return lines


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--fpp", type=float, nargs="+", default=[0.01, 0.0001], choices=[0.01, 0.0001])
    parser.add_argument("--keys", type=int, default=20, help="different keys of each kind")
    parser.add_argument("--quick", action="store_true", help="40 files and 5 keys, to try it out")
    parser.add_argument("--out", type=Path, help="also write the results to this file")
    parser.add_argument("--data", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--first", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    if arguments.first:
        switch, path, key = arguments.first
        run_first(switch == "on", path, int(key))
        sys.exit()
    if arguments.quick:
        arguments.files, arguments.keys = [40], 5
    spark = session(enabled=True)
    lines = header(spark)
    print("\n".join(lines))
    for fpp in arguments.fpp:
        whole = event_log(spark, arguments.data, max(arguments.files), fpp)
        for files in arguments.files:
            log = whole if files == whole.files else first_files(whole, files)
            block = ["", *measured(spark, log, arguments.keys)]
            print("\n".join(block), flush=True)
            lines += block
    spark.stop()
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
