"""Draws the charts of the documentation from the results files: `make charts`.

Each chart is an SVG file in docs/images, readable on light and dark pages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from spark_sbbf.svg import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY_BLUE, VERMILION

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
IMAGES = ROOT / "docs" / "images"

Times = dict[str, float]
"""Medians in milliseconds by what was measured."""

COLOURS = {
    "Spark alone": GREY,
    "spark-sbbf": BLUE,
    "filters": SKY_BLUE,
    "index": GREEN,
    "only files with a match": ORANGE,
}
NAMES = {"extension": "spark-sbbf", "the oracle": "only files with a match"}
STYLE = (
    "<style>text { fill: #222 } line, path { stroke: #999; fill: none } "
    "@media (prefers-color-scheme: dark) { text { fill: #ddd } }</style>"
)
WIDTH, LEFT, BAR, GAP = 760, 190, 16, 18


def medians(file: str) -> dict[tuple[str, str], Times]:
    """Returns the medians of a results file by the line of the table and that of the case."""
    found: dict[tuple[str, str], Times] = {}
    table = case = ""
    for line in (RESULTS / file).read_text(encoding="utf-8").splitlines():
        row = re.match(r" {4}(\S.*?) {2,}([\d,.]+) {2}\(", line)
        if row:
            name = NAMES.get(row[1], row[1])
            found.setdefault((table, case), {})[name] = float(row[2].replace(",", ""))
        elif re.match(r" {2}\S", line):
            case = line.strip()
        elif line.strip():
            table = line
    return found


def times(file: str, case: str, table: str = "") -> Times:
    """Returns the medians of the only case that begins so, in a table that begins so.

    Raises:
        ValueError: If the file has no such case, or several.
    """
    found = [
        values
        for (heading, line), values in medians(file).items()
        if heading.startswith(table) and re.match(rf"{re.escape(case)}\b", line)
    ]
    if len(found) != 1:
        raise ValueError(f"{file}: expected one '{case}' of '{table}', found {len(found)}")
    return {name: found[0][name] for name in COLOURS if name in found[0]}


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {size} fill="{colour}"/>'


def page(title: str, height: float, parts: Iterable[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}"'
    font = 'font-family="sans-serif" font-size="13" role="img"'
    lines = [f'{head} {font} aria-label="{escape(title)}">', STYLE, text(0, 16, title), *parts]
    return "\n".join([*lines, "</svg>", ""])


def shown(milliseconds: float) -> str:
    if milliseconds < 10_000:
        return f"{milliseconds:,.0f} ms"
    return f"{milliseconds / 1000:,.0f} s"


def bars(title: str, groups: dict[str, Times]) -> str:
    """Returns a chart with a group of horizontal bars for each case, in milliseconds."""
    longest = max(value for group in groups.values() for value in group.values())
    scale = (WIDTH - LEFT - 80) / longest
    parts, y = [], 32.0
    for name, group in groups.items():
        parts.append(text(LEFT - 10, y + BAR * len(group) / 2 + 4, name, "end"))
        for kind, value in group.items():
            width = max(1.5, value * scale)
            parts.append(rect(LEFT, y, width, BAR - 2, COLOURS[kind]))
            parts.append(text(LEFT + width + 6, y + BAR - 4, shown(value)))
            y += BAR
        y += GAP
    x = 0.0
    for kind in [kind for kind in COLOURS if any(kind in group for group in groups.values())]:
        parts += [rect(x, y, 12, 12, COLOURS[kind]), text(x + 18, y + 11, kind)]
        x += 40 + 7.5 * len(kind)
    return page(title, y + 20, parts)


def lookups() -> str:
    file = "lookup-jdk17.txt"
    return bars(
        "A lookup of one key, FPP 0.0001, warm median",
        {
            f"{files} files": times(file, "present key", f"{files} files of 4 row groups, FPP 0.00")
            for files in ("200", "1,000", "10,000")
        },
    )


def joins() -> str:
    kinds = {"JOIN": "inner join", "IN": "IN (SELECT ...)", "EXISTS": "EXISTS"}
    kinds |= {"scalar": "= (SELECT ...)", "composite": "join on 2 columns"}
    return bars(
        "Joins with 10 keys, 1,000 files, median",
        {name: times("joins-jdk17.txt", f"{kind}, 10 keys") for kind, name in kinds.items()},
    )


def tables() -> str:
    cases = {"lookup of one key": "one key", "JOIN, 10 keys": "a join, 10 keys"}
    return bars(
        "Delta and Iceberg tables of 1,000 files, median",
        {
            f"{table.title()}: {name}": times(f"{table}-jdk17.txt", case)
            for table in ("delta", "iceberg")
            for case, name in cases.items()
        },
    )


def stores() -> str:
    cases = {
        f"{objects} objects, {key}": times("s3-jdk17.txt", f"{key} key", f"{objects} objects")
        for objects in ("1,000", "10,000")
        for key in ("present", "absent")
    }
    del cases["10,000 objects, present"]["filters"]  # one lookup, the first of its process
    return bars("A lookup of one key through S3A, 30 ms added to each request, median", cases)


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis of powers of ten."""

    first: int
    last: int
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)


def kept() -> str:
    """Returns the chart of the row groups that lookups keep, by the size of the table and FPP."""
    height, x, y = 380, Axis(2, 5, 70, 640), Axis(0, 3.05, 330, 40)
    parts = [text(640, 372, "row groups of the table", "end")]
    for power in range(2, 6):
        parts.append(f'<line x1="{x(10**power):.1f}" x2="{x(10**power):.1f}" y1="40" y2="330"/>')
        parts.append(text(x(10**power), 350, f"{10**power:,}", "middle"))
    for power in range(4):
        parts.append(f'<line x1="70" x2="640" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}"/>')
        parts.append(text(60, y(10**power) + 4, f"{10**power:,}", "end"))
    for fpp, colour in ((0.01, VERMILION), (0.001, ORANGE), (0.0001, BLUE), (0.00001, PURPLE)):
        sizes = [10 ** (2 + step / 20) for step in range(61)]
        points = " L".join(f"{x(size):.1f} {y(1 + fpp * size):.1f}" for size in sizes)
        parts.append(f'<path d="M{points}" style="stroke: {colour}; stroke-width: 2.5"/>')
        parts.append(text(648, y(1 + fpp * 1e5) + 4, f"FPP {fpp:f}".rstrip("0")))
    for table, case in medians("lookup-jdk17.txt"):
        size = re.match(r"([\d,]+) files of 4 row groups, FPP ([\d.]+)", table)
        files = re.match(r"present key: files kept ([\d.]+) on average", case)
        if size and files:
            colour = {"0.01": VERMILION, "0.0001": BLUE}[size[2]]
            place = f'cx="{x(4 * int(size[1].replace(",", ""))):.1f}" cy="{y(float(files[1])):.1f}"'
            parts.append(f'<circle {place} r="5" fill="{colour}"/>')
    return page("Row groups that a lookup of one key keeps", height, parts)


def files() -> str:
    """Returns the picture of the files that a lookup opens, without and with the extension."""
    parts = []
    for top, name, opened in ((34, "Spark alone", range(40)), (92, "spark-sbbf", [25])):
        parts.append(text(0, top + 26, name))
        for number in range(40):
            colour = VERMILION if number in opened else "#c8d0d8"
            parts.append(rect(100 + number * 16.4, top, 12, 40, colour))
    parts += [rect(100, 148, 12, 12, VERMILION), text(118, 159, "a task opens and reads the file")]
    parts += [rect(340, 148, 12, 12, "#c8d0d8"), text(358, 159, "skipped while Spark plans")]
    return page("SELECT * FROM events WHERE user_id = 42: a bar for each file", 170, parts)


CHARTS = {f.__name__: f for f in (lookups, joins, tables, stores, kept, files)}


def main() -> None:
    for name, chart in CHARTS.items():
        (IMAGES / f"{name}.svg").write_text(chart(), encoding="utf-8")
        print(IMAGES / f"{name}.svg")


if __name__ == "__main__":
    main()
