"""A picture of one scan: its files as bars of row groups, in SVG that a notebook shows as it is.

Text takes the colour of the page, so that a dark one can be read as well; the colours of the bars
(Okabe and Ito's, which colour-blind people tell apart) stand out from both. ElementTree escapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from spark_sbbf.report import FileBar, ScanReport

KEPT, UNKNOWN = "kept", "kept whole, not known"
COLOURS = {
    KEPT: "#d55e00",
    UNKNOWN: "#999999",
    "null count": "#cc79a7",
    "min/max": "#56b4e9",
    "dictionary": "#009e73",
    "bloom": "#0072b2",
    "none": "#e69f00",
}
WIDTH, HEIGHT, LINE = 720.0, 96.0, 20.0
WIDEST_BAR, THINNEST_PART = 24.0, 4.0


def svg(scan: ScanReport) -> str:
    """The picture as an ``svg`` element, of ``scan.bars`` with kept row groups at their feet.

    Empty for a scan without files. A bar is as high as it has row groups; what was kept stays
    visible, however little it is.
    """
    if not scan.bars:
        return ""
    picture = ElementTree.Element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH:g} {HEIGHT + 2 * LINE:g}",
            "width": f"{WIDTH:g}",
            "style": "max-width: 100%; height: auto",
            "font-family": "sans-serif",
            "font-size": "12",
            "role": "img",
            "aria-label": scan.summary,
        },
    )
    tallest = max(1, *(_size(bar) for bar in scan.bars))
    _text(picture, 0, LINE - 7, _scale(scan, tallest))
    step = min(WIDEST_BAR, WIDTH / len(scan.bars))
    for place, bar in enumerate(scan.bars):
        _bar(picture, place * step, step * 0.85, bar, HEIGHT * _size(bar) / tallest)
    _legend(picture, [name for name in COLOURS if any(_parts(bar)[name] for bar in scan.bars)])
    return ElementTree.tostring(picture, encoding="unicode", method="html")


def _parts(bar: FileBar) -> dict[str, int]:
    """What a bar is made of, from below; a file of which nothing is known counts as one part."""
    known = {KEPT: bar.row_groups_kept, UNKNOWN: bar.files_unknown}
    return {name: known.get(name, bar.refuted_by.get(name, 0)) for name in COLOURS}


def _size(bar: FileBar) -> int:
    return sum(_parts(bar).values())


def _bar(
    picture: ElementTree.Element, left: float, width: float, bar: FileBar, height: float
) -> None:
    group = ElementTree.SubElement(picture, "g")
    ElementTree.SubElement(group, "title").text = _told(bar)
    bottom = LINE + HEIGHT
    for name, part in _heights(_parts(bar), height):
        bottom -= part
        _rect(group, (left, bottom, width, part), COLOURS[name])


def _heights(parts: dict[str, int], height: float) -> Iterator[tuple[str, float]]:
    """Shares of the height, none too thin to see, at the cost of the largest."""
    shares = {name: n * height / sum(parts.values()) for name, n in parts.items() if n}
    seen = {name: max(share, THINNEST_PART) for name, share in shares.items()}
    if seen:
        seen[max(seen, key=lambda name: seen[name])] += height - sum(seen.values())
    yield from seen.items()


def _told(bar: FileBar) -> str:
    files = bar.first if bar.files == 1 else f"{bar.first} to {bar.last} ({bar.files:,} files)"
    counts = [f"{name} {n:,}" for name, n in _parts(bar).items() if n]
    return f"{files}: {', '.join(counts)}"


def _scale(scan: ScanReport, tallest: int) -> str:
    most = max(bar.files for bar in scan.bars)
    bars = "a bar for each file" if most == 1 else f"a bar for each {most:,} files"
    return f"{bars}, the highest of {tallest:,} row groups: kept, or skipped by evidence"


def _legend(picture: ElementTree.Element, names: list[str]) -> None:
    left, top = 0.0, HEIGHT + 1.4 * LINE
    for name in names:
        label = name if name in (KEPT, UNKNOWN) else f"by {name}"
        _rect(picture, (left, top, 10, 10), COLOURS[name])
        _text(picture, left + 14, top + 9, label)
        left += 34 + 6 * len(label)


def _rect(
    parent: ElementTree.Element, place: tuple[float, float, float, float], colour: str
) -> None:
    x, y, width, height = (f"{side:.1f}" for side in place)
    sides = {"x": x, "y": y, "width": width, "height": height}
    ElementTree.SubElement(parent, "rect", {**sides, "fill": colour})


def _text(parent: ElementTree.Element, x: float, y: float, text: str) -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": "currentColor"}
    ElementTree.SubElement(parent, "text", place).text = text
