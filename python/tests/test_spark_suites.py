"""Tests the comparison of Spark's own suites with and without the extension."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tests" / "spark_suites"))
from comparison import Explained, compared
from runner import LEGS, WHOLE, Run, scalatest
from suites import Suite

import results

SUITE = Suite("ExplainSuite", True, "a.ExplainSuite")
OFF = Run(passed={"a", "b"}, failed={"c": "no such host"})


@pytest.fixture
def explained(tmp_path, monkeypatch):
    monkeypatch.setattr("comparison.HERE", tmp_path)
    line = "4.1\tExplainSuite\ta test of\ton\tThe text is another one.\n"
    (tmp_path / "differences.txt").write_text(f"# comment\n{line}")
    return Explained()


def test_what_fails_without_the_extension_is_no_difference(explained):
    assert compared("4.1.1", SUITE, {"off": OFF, "on": OFF}, explained).differences == []


def test_a_test_that_fails_or_is_lost_with_the_extension_is_a_difference(explained):
    on = Run(passed=set(), failed={"b": "1 was not 2\nat x", "c": "no such host"})
    found = compared("4.1.1", SUITE, {"off": OFF, "on": on}, explained)
    assert [d.test for d in found.unexplained] == ["a", "b"]
    assert found.differences[1].lines() == ["  on: b", "    UNEXPLAINED: 1 was not 2"]


@pytest.mark.parametrize(
    ("spark", "leg", "is_explained"),
    [("4.1.1", "on", True), ("4.0.1", "on", False), ("4.1.1", "no row groups", False)],
)
def test_a_reason_is_of_one_spark_one_leg_and_tests_of_one_beginning(
    spark, leg, is_explained, explained
):
    off = Run(passed={"a test of plans"})
    runs = {"off": off, leg: Run(failed={"a test of plans": "message"})}
    found = compared(spark, SUITE, runs, explained)
    assert len(found.differences) == 1
    assert bool(found.unexplained) != is_explained


def test_only_the_named_tests_of_a_suite_run():
    assert "-t" not in scalatest(SUITE, ())
    words = scalatest(SUITE, {"b c", "a"})
    assert words[words.index("-s") :][:6] == ["-s", "a.ExplainSuite", "-t", "a", "-t", "b c"]


def test_a_run_of_some_tests_has_no_number_in_the_results(explained):
    runs = {"off": Run(passed={"a"}, is_partial=True), "on": Run(passed={"b"}, failed={"a": ""})}
    head = results.block(compared("4.1.1", SUITE, runs, explained), "now")[0]
    assert head.split() == ["ExplainSuite", "2", "-", "1", "-", "-", "now"]


def test_a_suite_that_died_is_not_whole(explained):
    runs = {"off": OFF, "on": Run(failed={WHOLE: "the JVM ended with 1"})}
    found = compared("4.1.1", SUITE, runs, explained)
    assert not found.is_whole and len(found.unexplained) == 3


def test_a_run_replaces_the_lines_of_its_suites_alone(tmp_path, monkeypatch, explained):
    monkeypatch.setattr(results, "HERE", tmp_path)
    other = Suite("JoinSuite", False, "a.JoinSuite")
    gone = Suite("NewSuite", False, None)
    order = [other, SUITE, gone]

    def put(suite, *passed):
        runs = dict(zip(LEGS, [Run(passed=set(names)) for names in passed], strict=False))
        kept = results.Results("4.1.1")
        kept.put(compared("4.1.1", suite, runs, explained))
        kept.save(order)

    put(SUITE, "ab", "a", "ab", "ab")
    put(other, "xyz", "xyz")
    put(SUITE, "abcd", "abcd", "abcd", "abcd")
    lines = (tmp_path / "results" / "spark-4.1.1.txt").read_text().splitlines()[4:]
    assert [line.split()[:6] for line in lines[:2]] == [
        ["JoinSuite", "3", "3", "3", "-", "-"],
        ["ExplainSuite", "4", "4", "4", "4", "4"],
    ]
    assert lines[2].split() == ["NewSuite", "not", "published"]
    assert lines[3].split() == ["all", "7", "7", "7", "4", "4"]
    assert len(lines) == 4


def test_ci_counts_the_tests_that_ran_with_the_extension(tmp_path, explained):
    on = Run(passed={"a"}, failed={"b": "1 was not 2", "c": "no such host"})
    outcome = compared("4.1.1", SUITE, {"off": OFF, "on": on}, explained)
    results.write_junit([outcome], tmp_path / "report.xml")
    report = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert (report.get("tests"), report.get("failures")) == ("3", "1")
