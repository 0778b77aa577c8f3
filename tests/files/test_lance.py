"""Compares the filters of zones with the bloom filter index that Lance builds of the same rows."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf

lance = pytest.importorskip("lance")  # in requirements-full.txt alone
pytestmark = pytest.mark.full

ROWS, FRAGMENT = 25_000, 10_000
TYPES = {
    "i64": pa.int64(),
    "text": pa.string(),
    "real": pa.float64(),
    "i32": pa.int32(),
    "i16": pa.int16(),
    "i8": pa.int8(),
    "day": pa.date32(),
    "at": pa.timestamp("us"),
}


def table() -> pa.Table:
    """Returns rows whose numbers are no zero, which Lance hashes as it is."""
    n = np.arange(1, ROWS + 1)
    hashed = n.astype("uint64") * np.uint64(0x9E3779B97F4A7C15)  # modulo 2^64
    scattered = (hashed >> np.uint64(2)).astype("int64")
    columns: dict[str, Any] = {
        "i64": scattered,
        "text": [None if k % 4000 == 17 else f"name-{k}" for k in scattered.tolist()],
        "real": scattered / 3.0,
        "i32": (scattered % 1_000_003).astype("int32"),
        "i16": (n % 30_011).astype("int16"),
        "i8": (n // 500 % 100).astype("int8"),
        "day": (n % 9_973).astype("int32"),
        "at": scattered // 1000,
    }
    return pa.table({name: pa.array(of, TYPES[name]) for name, of in columns.items()})


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Returns the index file of each column of a Lance dataset."""
    uri = str(tmp_path_factory.mktemp("lance") / "rows.lance")
    dataset = lance.write_dataset(table(), uri, max_rows_per_file=FRAGMENT)
    for name in TYPES:
        dataset.create_scalar_index(name, index_type="BLOOMFILTER")
    return {
        index["fields"][0]: f"{uri}/_indices/{index['uuid']}/bloomfilter.lance"
        for index in lance.dataset(uri).list_indices()
    }


def contents(path: str) -> list[dict[str, Any]]:
    from lance.file import LanceFileReader

    return list(LanceFileReader(path).read_all().to_table().to_pylist())


@pytest.mark.parametrize("name", TYPES)
def test_values_are_found_in_the_zones_that_hold_them(indexes: dict[str, str], name: str) -> None:
    rows = table()[name]
    zones = [
        sbbf.LanceZone(z["fragment_id"], z["zone_start"], z["zone_length"])
        for z in contents(indexes[name])
    ]
    parts = [
        set(rows.slice(z.fragment_id * FRAGMENT + z.zone_start, z.zone_length).to_pylist())
        for z in zones
    ]
    assert sum(z.zone_length for z in zones) == ROWS and len(zones) == 5
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    present = [v for v in rows.to_pylist() if v is not None]
    others = 0
    for value in random.Random(seed).sample(present, 100):
        holding = [z for z, part in zip(zones, parts) if value in part]
        found = sbbf.probe_lance_index(indexes[name], [value], TYPES[name])
        assert set(holding) <= set(found)
        others += len(found) - len(holding)
    assert others <= 5  # of 500


def test_nulls_zeros_and_nan_prune_only_what_lance_knows(indexes: dict[str, str]) -> None:
    nulls = [z for z in contents(indexes["text"]) if z["has_null"]]
    found = sbbf.probe_lance_index(indexes["text"], [None], TYPES["text"])
    assert len(found) == len(nulls) > 0
    assert sbbf.probe_lance_index(indexes["i64"], [None], TYPES["i64"]) == []
    nan = sbbf.probe_lance_index(indexes["real"], [float("nan")], TYPES["real"])
    assert len(nan) == len(contents(indexes["real"]))
    with pytest.raises(ValueError, match="no bloom filter index of columns of type bool"):
        sbbf.probe_lance_index(indexes["real"], [True], pa.bool_())


def filters_of(folder: Path, column: int) -> list[tuple[dict[str, Any], bytes]]:
    """Returns the zones of a column of the only segment, each with its filter."""
    (zones,) = folder.glob(f"*/_zones-{column}-*.parquet")
    slices: dict[int, np.ndarray[Any, Any]] = {}
    for part in folder.glob(f"*/_slab-{column}-*.parquet"):
        metadata = pq.read_metadata(part).metadata
        first = int(metadata[b"first_block"])
        data = b"".join(pq.read_table(part)["slice"].to_pylist())
        width = (int(metadata[b"filters"]) + 7) // 8 + 4
        blocks = np.frombuffer(data, "uint8").reshape(-1, 256, width)[:, :, :-4]
        for n, block in enumerate(blocks):
            slices[first + n] = np.unpackbits(block, axis=1, bitorder="little")
    # bits by block, position and filter
    bits = np.stack([slices[n] for n in sorted(slices)])
    return [
        (zone, np.packbits(bits[:, :, zone["filter"]].reshape(-1), bitorder="little").tobytes())
        for zone in pq.read_table(zones).to_pylist()
    ]


def test_filters_of_zones_are_those_of_lance_bit_for_bit(
    spark: SparkSession, tmp_path: Path, indexes: dict[str, str]
) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    rows = table()
    for n, start in enumerate(range(0, ROWS, FRAGMENT)):
        file = folder / f"{n}.parquet"
        pq.write_table(rows.slice(start, FRAGMENT), file, row_group_size=FRAGMENT)
        os.utime(file, (1_700_000_000, 1_700_000_000))
    names = ["i64", "text", "real", "i32", "day", "at"]
    change = sbbf.create_index(spark, folder, names, kind="bloom")
    assert change.entries == 5 * len(names)
    for column, name in enumerate(names):
        ours, theirs = filters_of(folder / "_sbbf", column), contents(indexes[name])
        assert len(ours) == len(theirs)
        for (zone, bitset), lances in zip(ours, theirs):
            for key in ("fragment_id", "zone_start", "zone_length", "has_null"):
                assert zone[key] == lances[key], (name, key)
            assert bitset == lances["bloom_filter_data"], (name, zone)
