"""Tests the report of a job that changes files."""

import pytest

from spark_sbbf.filter_report import FilterReport

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
}


def test_unknown_fields_of_a_newer_jar_are_ignored():
    (file,) = FilterReport.of_rows([{**ROW, "colour": "blue"}]).files
    assert file.file_name == "a.parquet" and file.filter_bytes == 64


def test_rows_of_another_version_are_in_the_message():
    row = {name: value for name, value in ROW.items() if name != "bytes"}
    with pytest.raises(RuntimeError, match=r"another version than the package.*a\.parquet"):
        FilterReport.of_rows([row])
