import json
from html.parser import HTMLParser

import pytest

from spark_sbbf import PruneReport
from spark_sbbf import report as module

SCAN = {
    "paths": ["/lake/<events>"],
    "predicate": "user_id = ? AND name = '<b>'",
    "not_used": ["a function of the column: upper(<n>)"],
    "late_keys": ["3 keys of a join on user_id"],
    "files": 1000,
    "files_kept": 1,
    "row_groups": 4000,
    "row_groups_kept": 1,
    "bytes": 640_000_000,
    "bytes_kept": 160_000,
    "refuted_by": {"null_count": 0, "min_max": 12, "dictionary": 0, "bloom": 3987},
    "kept_because": {"bloom says maybe": 1},
    "filters_rejected": {"sizes disagree": 2},
    "millis": 12.4,
    "bytes_read": 38_912,
    "files_opened": 1000,
    "files_read_by_tasks": 0,
    "files_missed_by_tasks": 0,
    "stopped_early": False,
    "files_not_cached": 0,
    "index_segments": 1,
    "index_pages": 2,
    "index_bytes": 17_000,
    "pages_read": 31,
    "pages_skipped": 1_550,
    "rows_skipped": 980_000,
    "bars": [
        {
            "first": "part-0<0>.parquet",
            "last": "part-499.parquet",
            "files": 500,
            "files_unknown": 1,
            "row_groups": 1996,
            "row_groups_kept": 1,
            "refuted_by": {"min_max": 12, "bloom": 1983},
        },
        {
            "first": "part-500.parquet",
            "last": "part-999.parquet",
            "files": 500,
            "files_unknown": 0,
            "row_groups": 998,
            "row_groups_kept": 0,
            "refuted_by": {"bloom": 998},
        },
    ],
    "summary": "kept 1 of 4,000 row groups in 1 of 1,000 files; 12 ms; 38 KB read",
}
TREE = {
    "enabled": True,
    "scans": [SCAN],
    "unpruned": [{"relation": "csv <x>", "reason": "not Parquet"}],
}


def report(**changes):
    return PruneReport.from_json(json.dumps({**TREE, **changes}))


def test_the_text_says_what_was_kept_what_refuted_the_rest_and_what_was_left_alone():
    assert str(report()).splitlines() == [
        "/lake/<events>: kept 1 of 4,000 row groups in 1 of 1,000 files; 12 ms; 38 KB read",
        "  predicate     user_id = ? AND name = '<b>'",
        "  late keys     3 keys of a join on user_id",
        "  not used      a function of the column: upper(<n>)",
        "  refuted by    min_max 12, bloom 3,987",
        "  kept because  bloom says maybe 1",
        "  rejected      filters: sizes disagree 2",
        "  bytes         160,000 of 640,000,000",
        "  skipped       980,000 rows of kept row groups; read 31 of 1,581 pages",
        "csv <x>: not pruned, not Parquet",
    ]


def test_a_full_cache_is_named_with_what_to_do():
    full = str(report(scans=[{**SCAN, "files_not_cached": 2100}]))
    assert "read 2,100 files again" in full and "spark.sbbf.cache.maxBytes" in full
    assert "cache full" not in str(report(scans=[SCAN]))


def test_a_pass_that_stopped_early_says_so():
    stopped = report(scans=[{**SCAN, "stopped_early": True}])
    assert "stopped early" in str(stopped)
    assert "stopped early" in stopped._repr_html_()


def test_files_that_executors_read_are_counted():
    read = report(scans=[{**SCAN, "files_read_by_tasks": 968}])
    assert "1,000 files read, 968 of them by tasks" in read._repr_html_()
    assert "by tasks" not in report()._repr_html_()


class Cells(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_a_console_shows_the_text():
    assert repr(report()) == str(report())


def test_the_html_is_a_picture_and_one_table_with_every_value_escaped():
    page = Cells(report()._repr_html_())
    picture = {"svg", "g", "title", "rect", "text"}
    assert set(page.tags) == {"table", "tr", "th", "td", "p"} | picture
    assert any("part-0<0>.parquet to part-499.parquet" in text for text in page.texts)
    assert page.tags.count("tr") == 2
    assert page.tags.count("th") == page.tags.count("td")
    predicates = (SCAN["predicate"], *SCAN["not_used"])
    for text in ("/lake/<events>", *predicates, "1 of 4,000", "csv <x>: not pruned"):
        assert any(text in cell for cell in page.texts), text


def test_a_session_that_is_off_and_a_query_without_parquet_say_so():
    off = report(enabled=False, scans=[], unpruned=[])
    nothing = report(scans=[], unpruned=[])
    for rendered in (str(off), off._repr_html_()):
        assert "spark.sbbf.enabled" in rendered
    for rendered in (str(nothing), nothing._repr_html_()):
        assert "no Parquet" in rendered


def test_the_dictionary_has_the_shape_of_the_json():
    assert report().to_dict() == {**TREE, "statement": None}


def without(tree, key):
    return {name: value for name, value in tree.items() if name != key}


@pytest.mark.parametrize(
    "tree",
    [
        {**TREE, "newer": 1},
        without(TREE, "unpruned"),
        without(TREE, "enabled"),
        {**TREE, "scans": [{**SCAN, "newer": 1}]},
        {**TREE, "scans": [without(SCAN, "bars")]},
        {**TREE, "scans": [without(SCAN, "millis")]},
        {**TREE, "scans": [{**SCAN, "bars": [{**SCAN["bars"][0], "newer": 1}]}]},
        {**TREE, "unpruned": [{"relation": "csv"}]},
    ],
)
def test_a_report_of_another_version_is_refused_with_what_to_do(tree):
    with pytest.raises(RuntimeError, match=r"of another version than the package.*install' again"):
        PruneReport.from_json(json.dumps(tree))


@pytest.mark.parametrize(
    ("show", "interactive", "printed"),
    [(None, False, True), (None, True, False), (True, True, True), (False, False, False)],
)
def test_explain_prints_where_nothing_else_shows_the_report(
    monkeypatch, capsys, show, interactive, printed
):
    found = PruneReport(enabled=False, scans=[], unpruned=[])
    monkeypatch.setattr(module, "_report", lambda df: found)
    monkeypatch.setattr(module, "is_interactive", lambda: interactive)
    assert module.explain(object(), show=show) is found
    assert capsys.readouterr().out == (f"{found}\n" if printed else "")
