import re
from xml.etree import ElementTree

from spark_sbbf import bloom_options
from spark_sbbf.advice import WIDTH, as_html

ROW = {
    "path_in_schema": "key",
    "type": "INT64",
    "advice": "add",
    "index_bytes": 4_321,
    "index_pays": False,
    "reason": "because",
    "lookups": None,
    "row_groups": 1000,
    "sampled_row_groups": 16,
    "ndv": 5_000_000,
    "ndv_per_row_group": 5000,
    "row_groups_with_value": 1.2,
    "kept_present": 1000.0,
    "kept_absent": 1000.0,
    "new_kept_present": 2.5,
    "new_kept_absent": 1.25,
    "kept_sorted": 1.0,
    "column_bytes": 10**9,
    "fpp": 0.001,
    "new_filter_bytes": 2_000_000,
    "new_filter_fpp": 0.00123,
    "filters": 0,
    "filter_bytes": 0,
    "filter_fpp": None,
    "table_properties": None,
}


def pictures(html):
    """Each bar's title and width, of each column."""
    for svg in re.findall(r"<svg viewBox.*?</svg>", html, re.DOTALL):
        bars = ElementTree.fromstring(svg).iter("g")
        yield {g.find("title").text: float(g.find("rect").get("width")) for g in bars}


def test_bars_are_as_long_as_lookups_read_row_groups():
    (bars,) = pictures(as_html("events", [ROW]))
    assert bars == {
        "now, for a present value: 1,000.0": WIDTH,
        "now, for an absent value: 1,000.0": WIDTH,
        "with filters, for a present value: 2.5": 1.0,  # what can just be seen
        "with filters, for an absent value: 1.2": 1.0,
        "sorted by the column, without filters: 1.0": 1.0,
    }


def test_the_page_says_what_to_write():
    other = {**ROW, "path_in_schema": "st.a", "advice": "keep", "filters": 5, "filter_bytes": 77}
    html = as_html("events", [ROW, other]).replace("&#34;", '"')
    assert 'sbbf.add_filters(spark, "events", ["key"], fpp=0.001)' in html
    assert "<td>77</td>" in html
    html = as_html("events", [ROW, {**other, "advice": "replace"}]).replace("&#34;", '"')
    assert 'sbbf.add_filters(spark, "events", ["st.a"], fpp=0.001, replace=True)' in html
    assert "sbbf.add_filters" not in as_html("events", [other])
    assert "Bloom filters of events" in as_html("events", [])
    assert "<td>4,321</td>" in html and "create_index" not in html
    html = as_html("events", [{**ROW, "index_pays": True}, other]).replace("&#34;", '"')
    assert 'sbbf.create_index(spark, "events", ["key"])' in html


def test_the_page_of_a_table_with_properties_says_which_to_set():
    most = "write.parquet.bloom-filter-max-bytes"
    enabled = "write.parquet.bloom-filter-enabled.column."
    advised = [
        {**ROW, "path_in_schema": name, "table_properties": {enabled + name: "true", most: size}}
        for name, size in (("key", "2097152"), ("st.a", "16777216"))
    ]
    html = as_html("ice.db.events", advised).replace("&#39;", "'")
    assert (
        f"ALTER TABLE ice.db.events SET TBLPROPERTIES ('{enabled}key' = 'true', "
        f"'{enabled}st.a' = 'true', '{most}' = '16777216')"
    ) in html
    assert "rewrite_data_files" in html and "sbbf.add_filters" not in html


def test_the_page_says_which_sizes_to_unset_where_the_writer_is_to_choose_them():
    for format, ndv in (
        ("delta", "parquet.bloom.filter.expected.ndv#key"),
        ("iceberg", "write.parquet.bloom-filter-ndv.column.key"),
    ):
        advised = [{**ROW, "table_properties": bloom_options("key", format=format)}]
        html = as_html("db.events", advised).replace("&#39;", "'")
        assert f"ALTER TABLE db.events UNSET TBLPROPERTIES IF EXISTS ('{ndv}')" in html
    fixed = {
        "parquet.bloom.filter.enabled#key": "true",
        "parquet.bloom.filter.expected.ndv#key": "9",
    }
    assert "UNSET" not in as_html("db.events", [{**ROW, "table_properties": fixed}])


def test_names_are_escaped():
    html = as_html("<path>", [{**ROW, "path_in_schema": "<b>&", "reason": "<i>"}])
    assert not re.search("<path>|<b>&|<i>", html)
    assert "&lt;b&gt;&amp;<br>" in html
