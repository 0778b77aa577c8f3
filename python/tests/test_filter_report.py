"""What is made of the answer of a job that changed files?"""

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


def test_what_a_newer_jar_tells_besides_is_passed_over():
    (file,) = FilterReport.of_rows([{**ROW, "colour": "blue"}]).files
    assert file.file_name == "a.parquet" and file.filter_bytes == 64


def test_rows_of_another_version_are_in_the_message():
    row = {name: value for name, value in ROW.items() if name != "bytes"}
    with pytest.raises(RuntimeError, match=r"another version than the package.*a\.parquet"):
        FilterReport.of_rows([row])
