"""A picture of one scan: its files as bars of row groups, in SVG that a notebook shows as it is.

Where everything stands is said here, how it is drawn by templates/scan.svg. Text takes the colour
of the page, so that a dark one can be read as well; the colours of the bars (Okabe and Ito's, which
colour-blind people tell apart) stand out from both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from spark_sbbf.rendering import render

if TYPE_CHECKING:
    from spark_sbbf.report import FileBar, ScanReport

KEPT, UNKNOWN = "kept", "kept whole, not known"
COLOURS = {
    KEPT: "#d55e00",
    UNKNOWN: "#999999",
    "null_count": "#cc79a7",
    "min_max": "#56b4e9",
    "dictionary": "#009e73",
    "bloom": "#0072b2",
    "none": "#e69f00",
}
BY = "by "
WIDTH, HEIGHT, LINE = 720.0, 96.0, 20.0
WIDEST_BAR, THINNEST_PART = 24.0, 4.0


@dataclass(frozen=True)
class Place:
    """A rectangle, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Part:
    """Some row groups of a bar, or an entry of the legend."""

    name: str
    place: Place

    @property
    def colour(self) -> str:
        return COLOURS[self.name.removeprefix(BY)]


@dataclass(frozen=True)
class Bar:
    told: str
    """What is shown where one points at it."""
    parts: list[Part]


@dataclass(frozen=True)
class Picture:
    scale: str
    bars: list[Bar]
    legend: list[Part]
    width: float = WIDTH
    height: float = HEIGHT + 2 * LINE


def svg(scan: ScanReport) -> str:
    """The picture as an ``svg`` element, of ``scan.bars`` with kept row groups at their feet.

    Empty for a scan without files. A bar is as high as it has row groups; what was kept stays
    visible, however little it is.
    """
    if not scan.bars:
        return ""
    tallest = max(1, *(_size(bar) for bar in scan.bars))
    step = min(WIDEST_BAR, WIDTH / len(scan.bars))
    bars = [
        Bar(_told(bar), list(_stack(place * step, step * 0.85, bar, tallest)))
        for place, bar in enumerate(scan.bars)
    ]
    seen = {part.name for bar in bars for part in bar.parts}
    legend = _legend([name for name in COLOURS if name in seen])
    return render("scan.svg", scan=scan, picture=Picture(_scale(scan, tallest), bars, legend))


def _parts(bar: FileBar) -> dict[str, int]:
    """What a bar is made of, from below; a file of which nothing is known counts as one part."""
    known = {KEPT: bar.row_groups_kept, UNKNOWN: bar.files_unknown}
    return {name: known.get(name, bar.refuted_by.get(name, 0)) for name in COLOURS}


def _size(bar: FileBar) -> int:
    return sum(_parts(bar).values())


def _stack(left: float, width: float, bar: FileBar, tallest: int) -> Iterator[Part]:
    bottom = LINE + HEIGHT
    for name, height in _heights(_parts(bar), HEIGHT * _size(bar) / tallest):
        bottom -= height
        yield Part(name, Place(left, bottom, width, height))


def _heights(parts: dict[str, int], height: float) -> Iterator[tuple[str, float]]:
    """Shares of the height, none too thin to see, at the cost of the others, or of the bar being
    higher than it would be."""
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


def _told(bar: FileBar) -> str:
    files = bar.first if bar.files == 1 else f"{bar.first} to {bar.last} ({bar.files:,} files)"
    counts = [f"{name} {n:,}" for name, n in _parts(bar).items() if n]
    return f"{files}: {', '.join(counts)}"


def _scale(scan: ScanReport, tallest: int) -> str:
    most = max(bar.files for bar in scan.bars)
    bars = "a bar for each file" if most == 1 else f"a bar for each {most:,} files"
    return f"{bars}, the highest of {tallest:,} row groups: kept, or skipped by evidence"


def _legend(names: list[str]) -> list[Part]:
    labels = [name if name in (KEPT, UNKNOWN) else BY + name for name in names]
    lefts = accumulate((34 + 6.0 * len(label) for label in labels), initial=0.0)
    top = HEIGHT + 1.4 * LINE
    return [Part(label, Place(left, top, 10, 10)) for label, left in zip(labels, lefts)]
