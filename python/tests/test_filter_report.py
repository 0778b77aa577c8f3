"""Tests the report of a job that changes files."""

import pytest

from spark_sbbf.filter_report import FilterReport
from spark_sbbf.table_index import IndexReport

ROW = {
    "file_name": "a.parquet",
    "status": "done",
    "reason": "",
    "row_groups": 2,
    "filters": 2,
    "filter_bytes": 64,
    "bytes_read": 100,
    "bytes": 1000,
    "seconds": 0.5,
    "has_offset_indexes": True,
}


def test_unknown_fields_of_a_newer_jar_are_ignored():
    (file,) = FilterReport.of_rows([{**ROW, "colour": "blue"}]).files
    assert file.file_name == "a.parquet" and file.filter_bytes == 64


def test_files_without_offset_indexes_are_counted():
    report = FilterReport.of_rows([ROW, {**ROW, "has_offset_indexes": False}])
    assert str(report).splitlines()[-1].startswith("1 files have no offset indexes, so tasks read")
    assert "offset indexes" not in str(FilterReport.of_rows([ROW]))


def test_an_estimate_of_a_moment_is_no_zero():
    planned = FilterReport.of_rows([{**ROW, "status": "planned", "seconds": 0.001}])
    assert str(planned).splitlines()[0].endswith("; that takes about 0.1 s")


def test_the_report_of_an_index_is_shown_as_it_is_printed():
    report = IndexReport("5b0c", 2, 0, 0, "", 4, 10, 12, 4321, 0.01)
    assert repr(report) == str(report)
    assert str(report) == "indexed 2 files, 4 row groups, 10 keys; 4,321 bytes; 0.1 s"


def test_rows_of_another_version_are_in_the_message():
    row = {name: value for name, value in ROW.items() if name != "bytes"}
    with pytest.raises(RuntimeError, match=r"another version than the package.*a\.parquet"):
        FilterReport.of_rows([row])
