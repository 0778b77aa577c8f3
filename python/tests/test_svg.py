import json
from xml.etree import ElementTree

import pytest
from test_report import SCAN, report

from spark_sbbf.svg import COLOURS, HEIGHT, KEPT, UNKNOWN, WIDTH, svg


def bar(first="part-0.parquet", kept=0, unknown=0, **refuted_by):
    row_groups = kept + sum(refuted_by.values())
    counts = {"row_groups": row_groups, "row_groups_kept": kept, "refuted_by": refuted_by}
    return {"first": first, "last": first, "files": 1, "files_unknown": unknown, **counts}


def draw(*bars):
    (scan,) = report(scans=[{**SCAN, "bars": list(bars)}]).scans
    return ElementTree.fromstring(svg(scan))


def heights(group):
    """Colour to height of the parts of a bar, and where its foot is."""
    parts = {rect.get("fill"): float(rect.get("height")) for rect in group.iter("rect")}
    return parts, max(float(r.get("y")) + float(r.get("height")) for r in group.iter("rect"))


def test_a_bar_is_as_high_as_it_has_row_groups_and_parted_by_what_became_of_them():
    tall, low = draw(bar(kept=2, bloom=4, dictionary=2), bar(kept=1, bloom=3)).iter("g")
    (of_tall, foot), (of_low, other_foot) = heights(tall), heights(low)
    assert sum(of_tall.values()) == pytest.approx(HEIGHT, abs=0.2)
    assert sum(of_low.values()) == pytest.approx(HEIGHT / 2, abs=0.2)
    assert of_tall[COLOURS["bloom"]] == pytest.approx(2 * of_tall[COLOURS[KEPT]], abs=0.2)
    assert of_low[COLOURS[KEPT]] == pytest.approx(HEIGHT / 8, abs=0.2)
    assert foot == pytest.approx(other_foot, abs=0.2)


def test_one_row_group_of_a_million_can_be_seen():
    (group,) = draw(bar(kept=1, bloom=999_999)).iter("g")
    parts, _ = heights(group)
    assert parts[COLOURS[KEPT]] >= 3
    assert sum(parts.values()) == pytest.approx(HEIGHT, abs=0.2)


def test_parts_of_the_lowest_bar_can_be_seen_beside_a_tall_one():
    low = [
        bar(kept=1),
        bar(kept=1, bloom=1),
        bar(bloom=2, dictionary=1),
        bar(kept=1, bloom=500, dictionary=500, unknown=1),
    ]
    for group in list(draw(bar(bloom=10_000), *low).iter("g"))[1:]:
        parts, _ = heights(group)
        assert min(parts.values()) >= 3


def test_the_legend_names_what_is_there_and_fits():
    everything = {name: 1 for name in COLOURS if name not in (KEPT, UNKNOWN)}
    for bars, names in (
        ([bar(kept=1, bloom=3)], {"kept", "by bloom"}),
        ([bar(unknown=1)], {"kept unchecked"}),
        (
            [bar(kept=1, unknown=1, **everything)],
            {KEPT, UNKNOWN, *(f"by {name}" for name in everything)},
        ),
    ):
        texts = list(draw(*bars).iter("text"))[1:]
        assert {text.text for text in texts} == names
        assert float(texts[-1].get("x")) + 6.5 * len(texts[-1].text) <= WIDTH


def test_text_has_the_colour_of_the_page():
    assert {text.get("fill") for text in draw(bar(kept=1)).iter("text")} == {"currentColor"}


def test_each_bar_shows_its_files_and_counts_with_names_escaped():
    (title,) = draw(bar(first="</title><script>&.parquet", kept=1, bloom=3)).iter("title")
    assert title.text == "</title><script>&.parquet: kept 1, bloom 3"


def test_fifty_bars_fit_and_a_scan_without_files_has_no_picture():
    groups = list(draw(*[bar(kept=1)] * 50).iter("g"))
    last = next(groups[-1].iter("rect"))
    assert len(groups) == 50
    assert float(last.get("x")) + float(last.get("width")) <= WIDTH
    (scan,) = report(scans=[{**SCAN, "bars": []}]).scans
    assert svg(scan) == ""


def test_a_picture_is_small():
    scan = report(scans=[{**SCAN, "bars": [bar(kept=1, bloom=3, dictionary=1)] * 50}])
    assert len(scan._repr_html_()) < 40_000
    assert json.dumps(scan.to_dict()).count("part-0.parquet") == 100
