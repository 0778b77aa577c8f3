"""Tests that Python computes the sizes of filters as the JVM does."""

from pathlib import Path

import pytest

from spark_sbbf import sizing

GOLDEN = (
    Path(__file__).parents[2] / "jvm/core/src/test/resources/io/sbbf/core/bloom/filter-sizes.tsv"
)
ROWS = [line.split("\t") for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize(("ndv", "fpp", "size", "effective", "parquet_mr"), ROWS)
def test_sizes_are_those_of_the_jvm(ndv, fpp, size, effective, parquet_mr):
    found = sizing(int(ndv), float(fpp))
    assert (found.bytes, found.parquet_mr_bytes) == (int(size), int(parquet_mr))
    assert found.blocks * 32 == found.bytes
    assert found.fpp == pytest.approx(float(effective), rel=1e-9, abs=1e-300)


def test_the_smallest_power_of_two_that_keeps_the_fpp_is_taken():
    size = sizing(10_000, 0.0001)
    assert (size.parquet_mr_bytes, size.bytes) == (32 << 10, 64 << 10)
    assert size.fpp <= 0.0001


@pytest.mark.parametrize(
    ("ndv", "fpp", "named"),
    [(1, 1, "fpp"), (1, 0, "fpp"), (1, "0.1", "fpp"), (1, float("nan"), "fpp"), (-1, 0.1, "ndv")],
)
def test_an_argument_out_of_range_is_named(ndv, fpp, named):
    with pytest.raises(ValueError, match=named):
        sizing(ndv, fpp)


def test_a_number_of_values_is_a_whole_number():
    with pytest.raises(TypeError):
        sizing(1.5)  # type: ignore[arg-type]
