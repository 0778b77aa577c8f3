"""Draws charts of bars as SVG, which a notebook shows without scripts.

This module computes the geometry; the templates draw it. Text has the colour of the page, so that
dark pages are readable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from spark_sbbf.rendering import render

if TYPE_CHECKING:
    from spark_sbbf.report import FileBar, ScanReport

# Okabe and Ito's colours, which colour-blind people can distinguish.
VERMILION, ORANGE, BLUE, SKY_BLUE = "#d55e00", "#e69f00", "#0072b2", "#56b4e9"
GREEN, PURPLE, YELLOW, GREY = "#009e73", "#cc79a7", "#f0e442", "#999999"

KEPT, UNKNOWN = "kept", "kept unchecked"
COLOURS = {
    KEPT: VERMILION,
    UNKNOWN: GREY,
    "null_count": PURPLE,
    "min_max": SKY_BLUE,
    "dictionary": GREEN,
    "bloom": BLUE,
    "index": YELLOW,
    "none": ORANGE,
}
WIDTH, HEIGHT, LINE = 720.0, 96.0, 20.0
WIDEST_BAR, THINNEST_PART = 24.0, 4.0


@dataclass(frozen=True)
class Part:
    """A coloured rectangle: a part of a bar, or an entry of a legend."""

    name: str
    colour: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bar:
    """One bar of a chart."""

    title: str
    """The tooltip."""
    parts: list[Part]
    label: str = ""
    """The text at the end of a horizontal bar."""


@dataclass(frozen=True)
class Picture:
    """The chart of one scan."""

    scale: str
    """The text above the bars."""
    bars: list[Bar]
    legend: list[Part]
    width: float = WIDTH
    height: float = HEIGHT + 2 * LINE


def svg(scan: ScanReport) -> str:
    """Returns an ``svg`` element with a bar for each of ``scan.bars``, empty without files.

    The height of a bar shows its row groups, with the kept ones at the bottom. Every part is high
    enough to be visible.
    """
    if not scan.bars:
        return ""
    tallest = max(1, *(_size(bar) for bar in scan.bars))
    step = min(WIDEST_BAR, WIDTH / len(scan.bars))
    bars = [
        Bar(_title(bar), list(_stack(index * step, step * 0.85, bar, tallest)))
        for index, bar in enumerate(scan.bars)
    ]
    present = {part.name for bar in bars for part in bar.parts}
    legend = _legend([name for name in COLOURS if name in present])
    return render("scan.svg", scan=scan, picture=Picture(_scale(scan, tallest), bars, legend))


def _parts(bar: FileBar) -> dict[str, int]:
    """Returns the sizes of a bar's parts, from the bottom; a file that was not checked is one."""
    known = {KEPT: bar.row_groups_kept, UNKNOWN: bar.files_unknown}
    return {name: known.get(name, bar.refuted_by.get(name, 0)) for name in COLOURS}


def _size(bar: FileBar) -> int:
    return sum(_parts(bar).values())


def _stack(left: float, width: float, bar: FileBar, tallest: int) -> Iterator[Part]:
    bottom = LINE + HEIGHT
    for name, height in _heights(_parts(bar), HEIGHT * _size(bar) / tallest):
        bottom -= height
        yield Part(name, COLOURS[name], left, bottom, width, height)


def _heights(parts: dict[str, int], height: float) -> Iterator[tuple[str, float]]:
    """Yields the heights of the parts that are not empty.

    Thin parts get a visible height, at the cost of the others. The bar grows if they cannot pay it.
    """
    counts = {name: n for name, n in parts.items() if n}
    height = max(height, THINNEST_PART * len(counts))
    thin: set[str] = set()
    while True:
        left = height - THINNEST_PART * len(thin)
        total = sum(n for name, n in counts.items() if name not in thin)
        shares = {name: n * left / total for name, n in counts.items() if name not in thin}
        if min(shares.values(), default=height) >= THINNEST_PART:
            break
        thin |= {name for name, share in shares.items() if share < THINNEST_PART}
    for name in counts:
        yield name, THINNEST_PART if name in thin else shares[name]


def _title(bar: FileBar) -> str:
    files = bar.first if bar.files == 1 else f"{bar.first} to {bar.last} ({bar.files:,} files)"
    counts = [f"{name} {n:,}" for name, n in _parts(bar).items() if n]
    return f"{files}: {', '.join(counts)}"


def _scale(scan: ScanReport, tallest: int) -> str:
    most = max(bar.files for bar in scan.bars)
    bars = "a bar for each file" if most == 1 else f"a bar for each {most:,} files"
    return f"{bars}, the highest with {tallest:,} row groups: kept, or skipped by evidence"


def _legend(names: list[str]) -> list[Part]:
    labels = [name if name in (KEPT, UNKNOWN) else f"by {name}" for name in names]
    lefts = accumulate((34 + 6.0 * len(label) for label in labels), initial=0.0)
    top = HEIGHT + 1.4 * LINE
    return [
        Part(label, COLOURS[name], left, top, 10, 10)
        for name, label, left in zip(names, labels, lefts)
    ]
