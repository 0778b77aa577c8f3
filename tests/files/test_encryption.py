"""Tests that encrypted tables are pruned with their keys, and read as in Spark alone without."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pyspark
import pytest

from encrypted_lookups import ROWS, STEP
from harness import SUPPORT

pytestmark = pytest.mark.full

ROW_GROUP = 100
Answer = dict[str, Any]


class FlatKms(pe.KmsClient):
    """The twin of FlatKms.java."""

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:
        return base64.b64decode(wrapped_key)


def write_with_pyarrow(target: Path, config: pe.EncryptionConfiguration | None) -> None:
    target.mkdir()
    mixed = [row * STEP % ROWS for row in range(ROWS)]
    table = pa.table(
        {
            "id": [2 * v for v in mixed],
            "open": [2 * v for v in mixed],
            "name": [f"name {v % 10}" for v in mixed],
        }
    )
    properties = None
    if config:
        factory = pe.CryptoFactory(lambda _: FlatKms())
        properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), config)
    pq.write_table(
        table,
        target / "part-0.parquet",
        row_group_size=ROW_GROUP,
        use_dictionary=["name"],
        encryption_properties=properties,
    )


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[Answer]]:
    """Returns each session's results for each table, in the order of the predicates."""
    folder = tmp_path_factory.mktemp("tables")
    classes = tmp_path_factory.mktemp("classes")
    jars = Path(os.environ.get("SPARK_HOME", pyspark.__path__[0])) / "jars"
    javac = ["javac", "-cp", f"{jars}/*", "-d", str(classes), str(SUPPORT / "FlatKms.java")]
    subprocess.run(javac, check=True)
    keys = {"footer_key": "kFooter", "column_keys": {"kId": ["id"], "kName": ["name"]}}
    write_with_pyarrow(folder / "pyarrow-plain", None)
    write_with_pyarrow(folder / "pyarrow-closed", pe.EncryptionConfiguration(**keys))
    write_with_pyarrow(
        folder / "pyarrow-legacy",
        pe.EncryptionConfiguration(
            **keys, plaintext_footer=True, encryption_algorithm="AES_GCM_CTR_V1"
        ),
    )
    path = os.pathsep.join([str(SUPPORT), *sys.path])
    run = subprocess.run(
        [sys.executable, str(SUPPORT / "encrypted_lookups.py"), str(folder), str(classes)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    found: dict[tuple[str, str], list[Answer]] = {}
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        found.setdefault((answer.pop("session"), answer.pop("table")), []).append(answer)
    return found


WRITERS = ["spark", "pyarrow"]
FOOTERS = ["closed", "legacy"]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("footer", FOOTERS)
def test_with_its_keys_a_table_is_pruned_as_if_it_were_not_encrypted(
    answers: dict[tuple[str, str], list[Answer]], writer: str, footer: str
) -> None:
    plain = answers["stranger", f"{writer}-plain"]
    assert answers["holder", f"{writer}-{footer}"] == plain
    evidence = {name for answer in plain for name in answer["refuted_by"]}
    assert {"min_max", "dictionary"} <= evidence
    assert ("bloom" in evidence) == (writer == "spark")
    assert any(answer["outcome"] and answer["kept"] < answer["row_groups"] for answer in plain)


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("footer", FOOTERS)
@pytest.mark.parametrize("session", ["stranger", "eve"])
def test_without_keys_nothing_is_revealed_and_queries_end_as_in_spark_alone(
    answers: dict[tuple[str, str], list[Answer]], writer: str, footer: str, session: str
) -> None:
    table = f"{writer}-{footer}"
    pairs = zip(answers[session, table], answers["spark alone", table], strict=True)
    for answer, alone in pairs:
        assert isinstance(alone["outcome"], str)
        if not answer["refuted_by"]:
            assert answer["outcome"] == alone["outcome"]
        else:
            assert session == "stranger" and footer == "legacy"
            assert answer["predicate"].startswith("open")
    reasons = {reason for answer in answers[session, table] for reason in answer["kept_because"]}
    if session == "eve":
        assert reasons == {"access to its key denied"}
    elif footer == "closed":
        assert reasons == {"encrypted footer"}


@pytest.mark.parametrize("table", [f"{w}-{f}" for w in WRITERS for f in FOOTERS])
def test_a_session_with_the_keys_of_some_columns_prunes_by_those(
    answers: dict[tuple[str, str], list[Answer]], table: str
) -> None:
    holder = answers["holder", table]
    for answer, whole in zip(answers["half", table], holder, strict=True):
        if answer["predicate"].startswith("id"):
            assert answer["kept_because"] == {"encrypted column": 8}
        elif "OR" not in answer["predicate"]:
            assert answer["refuted_by"] == whole["refuted_by"]
