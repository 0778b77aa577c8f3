"""Tests that the charts of the documentation show the results files."""

import importlib.util
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "charts.py"
spec = importlib.util.spec_from_file_location("charts", SCRIPT)
charts = importlib.util.module_from_spec(spec)
sys.modules["charts"] = charts  # dataclasses look up their module
spec.loader.exec_module(charts)


@pytest.mark.parametrize("name", charts.CHARTS)
def test_make_charts_has_drawn_the_chart(name):
    drawn = charts.CHARTS[name]()
    ElementTree.fromstring(drawn)
    assert (charts.IMAGES / f"{name}.svg").read_text(encoding="utf-8") == drawn


def test_the_median_is_read_below_its_table_and_case():
    found = charts.times("joins-jdk17.txt", "JOIN, 10 keys")
    assert found == {"Spark alone": 2289, "spark-sbbf": 100, "only files with a match": 82}


@pytest.mark.parametrize("case", ["JOIN", "no such case"])
def test_a_case_that_is_not_the_only_one_is_an_error(case):
    with pytest.raises(ValueError, match=f"joins-jdk17.txt: expected one '{case}'"):
        charts.times("joins-jdk17.txt", case)
