"""Tests that lookups through S3A answer as the oracle, and with few requests."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from harness import BRIEF, SUPPORT
from s3_lookups import FILES, GROUPS
from s3_server import SDK_OF_HADOOP, Request, hadoop_version

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("SBBF_S3_PACKAGES"),
        reason="SBBF_S3_PACKAGES is not set: S3A and the AWS SDK are not fetched",
    ),
    pytest.mark.skipif(
        importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None,
        reason="moto[server] is not installed",
    ),
    pytest.mark.skipif(
        hadoop_version() not in SDK_OF_HADOOP,
        reason=f"tested with the S3A of Hadoop {', '.join(SDK_OF_HADOOP)}, not {hadoop_version()}",
    ),
]

CLASSIC, DEFAULT = "classic", "default"
INDEX = "/_sbbf/"


class Run:
    """What s3_lookups.py printed: its cases by their names, and Spark's log."""

    def __init__(self, stream: str, cases: dict[str, dict[str, Any]], log: str) -> None:
        self.fewest = 1 if stream == CLASSIC else 0
        """The fewest GETs of a search; the default streams may have all of an index in memory."""
        self.cases = cases
        self.log = log

    def requests(self, case: str) -> list[Request]:
        return [Request(*request) for request in self.cases[case]["requests"]]

    def keys(self, case: str, kind: str, part: str = "") -> list[str]:
        """Returns the key of each request of a kind whose key has a part."""
        return [r.key for r in self.requests(case) if r.kind == kind and part in r.key]

    def of_segments(self, case: str, kind: str) -> dict[str, int]:
        """Returns the number of requests of a kind for each segment's files of keys."""
        found: dict[str, int] = {}
        for key in self.keys(case, kind, "/_keys-"):
            segment = key.split("/")[-2]
            found[segment] = found.get(segment, 0) + 1
        return found


def run(stream: str) -> Run:
    """Runs the cases in a process of their own, because S3A is in the class path of its JVM."""
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "s3_lookups.py"), stream],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, **BRIEF},
    )
    if "unresolved dependency" in done.stderr and "CI" not in os.environ:
        pytest.skip("cannot fetch S3A and the AWS SDK")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Run(stream, {line["case"]: line for line in lines}, done.stderr)


@pytest.fixture(scope="module")
def classic() -> Run:
    """The requests of streams that read only the requested ranges."""
    return run(CLASSIC)


@pytest.fixture(scope="module")
def default() -> Run:
    """The requests of the streams that S3A uses by default; since Hadoop 3.5 they read ahead."""
    return run(DEFAULT)


@pytest.fixture(params=[CLASSIC, DEFAULT])
def either(request: pytest.FixtureRequest) -> Run:
    found: Run = request.getfixturevalue(request.param)
    return found


def test_lookups_answer_as_the_oracle(either: Run) -> None:
    looked_up = {case: answer for case, answer in either.cases.items() if "rows" in answer}
    assert len(looked_up) >= 20
    for case, answer in looked_up.items():
        expected = 0 if "absent" in case else 2 if "several" in case else 1
        assert answer["rows"] == answer["oracle"] and len(answer["rows"]) == expected, case


def test_planning_by_filters_reads_the_tail_of_each_file_once(classic: Run) -> None:
    survivor = "filtered/2.parquet"
    of_others = [
        r
        for r in classic.requests("filters: first")
        if r.key.endswith(".parquet") and r.key != survivor
    ]
    assert sorted(r.key for r in of_others) == [
        f"filtered/{n}.parquet" for n in range(FILES) if n != 2
    ]
    assert {r.kind for r in of_others} == {"GET"} and all("-" in r.extent for r in of_others)


def test_planning_by_the_default_streams_takes_a_get_and_at_most_a_head_of_each_file(
    default: Run,
) -> None:
    for n in set(range(FILES)) - {2}:
        kinds = [r.kind for r in default.requests("filters: first") if f"{n}.parquet" in r.key]
        assert kinds.count("GET") == 1 and kinds.count("HEAD") <= 1 and len(kinds) <= 2


@pytest.mark.parametrize(
    ("case", "survivors"),
    [
        ("filters: again", {2}),
        ("filters: another key", {3}),
        ("filters: absent", set()),
        ("index: first", {1}),
        ("index: another key", {4}),
        ("index: absent", set()),
        ("index: several keys", {0, 5}),
        ("index: later", {4}),
        ("refreshed", {FILES}),
        ("refreshed: another key", {3}),
        ("added", None),
        ("added: absent", set()),
    ],
)
def test_a_lookup_opens_only_the_files_that_hold_it(
    either: Run, case: str, survivors: set[int] | None
) -> None:
    if survivors is None:  # reads the tail of each file once
        survivors = {0, 1, 2}
    opened = {
        r.key for r in either.requests(case) if r.key.endswith(".parquet") and INDEX not in r.key
    }
    assert {int(re.findall(r"/(\d+)\.parquet", key)[0]) for key in opened} == survivors


@pytest.mark.parametrize("case", ["index: another key", "index: absent", "index: later, again"])
def test_a_warm_lookup_takes_at_most_two_gets_of_the_index(either: Run, case: str) -> None:
    of_index = [r for r in either.requests(case) if INDEX in r.key]
    assert {r.kind for r in of_index} <= {"GET"} and either.fewest <= len(of_index) <= 2


@pytest.mark.parametrize("case", ["refreshed: another key", "index: several keys"])
def test_a_warm_lookup_takes_at_most_two_gets_for_each_segment_and_key(
    either: Run, case: str
) -> None:
    per_segment = either.of_segments(case, "GET")
    keys = 3 if "several" in case else 1
    assert all(count <= 2 * keys for count in per_segment.values())
    assert either.fewest <= len(per_segment) <= (2 if case.startswith("refreshed") else 1)
    assert either.keys(case, "HEAD", INDEX) == either.keys(case, "LIST") == []


def test_a_search_reads_at_most_64_kilobytes_at_once(classic: Run) -> None:
    for case in ("index: another key", "index: absent", "refreshed: another key"):
        extents = [r.extent for r in classic.requests(case) if "/_keys-" in r.key]
        assert extents
        for extent in extents:
            first, last = map(int, extent.split("-"))
            assert last - first < 65536


def test_opening_an_index_reads_each_of_its_files_once(classic: Run) -> None:
    """Apart from the pages that the lookup itself reads, at most two."""
    case = "index: first"
    assert len(classic.keys(case, "GET", "_segment.json")) == 1
    assert len(classic.keys(case, "GET", "/_files.parquet")) == 1
    assert len(classic.keys(case, "GET", "/_keys-")) <= 1 + 2
    assert classic.keys(case, "HEAD", "/_files.parquet") == []
    assert classic.keys(case, "HEAD", "/_keys-") == []
    assert len(classic.keys(case, "LIST")) == 2  # finds the folder, and lists it


@pytest.mark.parametrize(
    ("case", "lists"), [("index: later", 1), ("index: first", 2), ("refreshed", 2)]
)
def test_the_folder_of_an_index_is_found_first_and_then_listed_once_in_30_seconds(
    either: Run, case: str, lists: int
) -> None:
    assert either.keys(case, "LIST") == [f"plain{INDEX}"] * lists


@pytest.mark.parametrize(
    "case",
    [
        "filters: again",
        "filters: another key",
        "filters: absent",
        "index: another key",
        "index: absent",
        "no index: later, again",
        "index: later, again",
        "refreshed: another key",
    ],
)
def test_nothing_is_listed_again_before_30_seconds(either: Run, case: str) -> None:
    assert either.keys(case, "LIST") == []


@pytest.mark.parametrize("case", ["filters: first", "no index: later"])
def test_a_missing_index_costs_one_list_in_30_seconds(either: Run, case: str) -> None:
    of_index = [(r.kind, r.key) for r in either.requests(case) if "_sbbf" in r.key]
    assert of_index == [("LIST", f"filtered{INDEX}")]


def test_an_open_index_is_not_opened_again_after_a_listing(either: Run) -> None:
    of_index = {r.key for r in either.requests("index: later") if "_segment.json" in r.key}
    assert of_index == set()


def test_creating_an_index_writes_only_into_its_folder(either: Run) -> None:
    result = either.cases["create"]["result"]
    assert result.startswith(f"indexed {FILES} files, {FILES * GROUPS} row groups")
    for kind in ("PUT", "DELETE"):
        assert all(INDEX in key for key in either.keys("create", kind))
    written = {key.rpartition("/")[2] for key in either.keys("create", "PUT")}
    assert {"_segment.json", "_files.parquet"} <= written
    assert any(re.fullmatch(r"_keys-1-.*\.parquet", name) for name in written)


def test_a_refresh_indexes_the_new_file_alone(either: Run) -> None:
    result = either.cases["refresh"]["result"]
    assert result.startswith(f"indexed 1 files, {GROUPS} row groups")
    read = {key for key in either.keys("refresh", "GET") if INDEX not in key}
    assert read <= {f"plain/{FILES}.parquet"}  # the default streams may have it in memory
    assert either.cases["refresh again"]["result"].startswith("nothing to do")
    assert either.keys("refresh again", "PUT") == []


def test_a_dropped_index_leaves_nothing(either: Run) -> None:
    assert int(either.cases["drop"]["result"]) > 0
    assert either.cases["dropped"]["result"] == "False"


def test_a_refused_index_is_not_searched_and_warns_once(either: Run) -> None:
    warning = "cannot list the index s3a://lake/refused/_sbbf"
    assert either.log.count(warning) == 1
    assert len(either.keys("refused", "LIST", INDEX)) == 1
    assert [r for r in either.requests("refused again") if INDEX in r.key] == []


def test_refused_keys_are_not_searched_and_warn_once(either: Run) -> None:
    warnings = re.findall(r"because it cannot be read \(.*/unreadable/_sbbf/", either.log)
    assert len(warnings) == 1
    for case in ("keys refused", "keys refused again"):
        assert len(either.keys(case, "GET", "/_keys-")) <= 2


def test_added_filters_replace_each_object_by_one_put(either: Run) -> None:
    objects = [f"added/{n}.parquet" for n in range(3)]
    assert either.cases["add_filters"]["result"].startswith("wrote 3 files")
    assert sorted(either.keys("add_filters", "PUT")) == objects
    assert either.keys("add_filters", "DELETE") == either.keys("add_filters", "POST") == []
    assert either.cases["added: kept"]["kept"] == 1


def test_filters_of_a_writer_prune(either: Run) -> None:
    assert either.cases["written: kept"]["kept"] == 1


@pytest.mark.parametrize("case", ["milliseconds: filters", "milliseconds: index"])
def test_a_task_reads_one_row_group_if_listings_have_milliseconds(classic: Run, case: str) -> None:
    """Listings of MinIO and Ceph have milliseconds; S3's have whole seconds."""
    extents = [r.extent for r in classic.requests(case) if r.key == "milliseconds/1.parquet"]
    data = {extent for extent in extents if extent and int(extent.split("-")[0]) < 440_000}
    assert len(data) == 1
