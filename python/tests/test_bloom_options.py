import re

import pytest
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

import spark_sbbf as sbbf
from spark_sbbf import bloom_options


def test_a_column_gets_a_filter_at_parquets_own_false_positive_probability():
    assert bloom_options("user_id") == {
        "parquet.bloom.filter.enabled#user_id": "true",
        "parquet.bloom.filter.fpp#user_id": "0.01",
    }


def test_one_value_serves_all_columns():
    options = bloom_options("a", "st.b", fpp=1e-5, ndv=200_000)
    assert options["parquet.bloom.filter.fpp#a"] == "1e-05"
    assert options["parquet.bloom.filter.fpp#st.b"] == "1e-05"
    assert options["parquet.bloom.filter.expected.ndv#a"] == "200000"
    assert options["parquet.bloom.filter.expected.ndv#st.b"] == "200000"


def test_a_dictionary_gives_each_column_its_own_value_and_leaves_the_rest_at_the_default():
    options = bloom_options("a", "b", fpp={"a": 0.2}, ndv={"b": 7})
    assert options == {
        "parquet.bloom.filter.enabled#a": "true",
        "parquet.bloom.filter.enabled#b": "true",
        "parquet.bloom.filter.fpp#a": "0.2",
        "parquet.bloom.filter.fpp#b": "0.01",
        "parquet.bloom.filter.expected.ndv#b": "7",
    }


def test_delta_and_iceberg_take_properties_by_which_filters_fit_their_row_groups():
    assert bloom_options("a", fpp=0.001, format="delta") == {
        "parquet.bloom.filter.adaptive.enabled": "true",
        "parquet.bloom.filter.enabled#a": "true",
        "parquet.bloom.filter.fpp#a": "0.001",
        "parquet.bloom.filter.candidates.number#a": "10",
    }
    assert bloom_options("st.a", "b", ndv={"b": 7}, max_bytes=2048, format="iceberg") == {
        "write.parquet.bloom-filter-adaptive-enabled": "true",
        "write.parquet.bloom-filter-enabled.column.st.a": "true",
        "write.parquet.bloom-filter-fpp.column.st.a": "0.01",
        "write.parquet.bloom-filter-enabled.column.b": "true",
        "write.parquet.bloom-filter-fpp.column.b": "0.01",
        "write.parquet.bloom-filter-ndv.column.b": "7",
        "write.parquet.bloom-filter-max-bytes": "2048",
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"auto": True}, "a table of delta takes columns, fpp, ndv and max_bytes only"),
        ({"min_ndv": 5}, "a table of delta takes"),
        ({"dictionary": False}, "a table of delta takes"),
        ({"fpp": "auto"}, "fpp must be between 0 and 1"),
        ({"ndv": 0}, "ndv must be at least 1"),
        ({"max_bytes": 1000}, "max_bytes must be a power of two"),
    ],
)
def test_what_a_table_has_no_property_for_is_refused(options: dict, said: str):
    with pytest.raises(ValueError, match=said):
        bloom_options("a", format="delta", **options)


def test_nested_paths_are_passed_as_they_are():
    options = bloom_options("tags.list.element")
    assert options["parquet.bloom.filter.enabled#tags.list.element"] == "true"


def test_an_auto_fpp_sets_parquets_default_for_writers_without_the_extension():
    options = bloom_options("a", "b", fpp={"a": "auto", "b": 0.1})
    assert options["sbbf.bloom.filter.fpp#a"] == "auto"
    assert options["parquet.bloom.filter.fpp#a"] == "0.01"
    assert options["parquet.bloom.filter.fpp#b"] == "0.1"
    assert "sbbf.bloom.filter.fpp#b" not in options


def test_options_that_spark_does_not_know_leave_out_filters_of_little_use():
    options = bloom_options("a", "b", min_ndv={"a": 100}, dictionary=False)
    assert {key: value for key, value in options.items() if key.startswith("sbbf")} == {
        "sbbf.bloom.filter.min.ndv#a": "100",
        "sbbf.bloom.filter.dictionary#a": "false",
        "sbbf.bloom.filter.dictionary#b": "false",
    }


def test_options_of_unnamed_columns_are_set_with_auto():
    assert bloom_options(auto=True) == {
        "sbbf.bloom.filter.auto": "true",
        "sbbf.bloom.filter.fpp": "0.01",
    }
    options = bloom_options("a", auto=True, fpp="auto", min_ndv=10, dictionary=True)
    assert options["sbbf.bloom.filter.fpp"] == options["sbbf.bloom.filter.fpp#a"] == "auto"
    assert options["sbbf.bloom.filter.min.ndv"] == "10"
    assert options["sbbf.bloom.filter.dictionary"] == "true"
    by_column = bloom_options("a", auto=True, fpp={"a": 0.1}, min_ndv={"a": 5})
    assert not {"sbbf.bloom.filter.fpp", "sbbf.bloom.filter.min.ndv"} & by_column.keys()


@pytest.mark.parametrize("size", [32, 64, 1 << 20, 128 << 20])
def test_a_power_of_two_up_to_128_mib_bounds_the_filters(size):
    assert bloom_options("a", max_bytes=size)["parquet.bloom.filter.max.bytes"] == str(size)


WRONG = [
    ("columns", (), {}),
    ("columns", ("a", "a"), {}),
    ("columns", ("",), {}),
    ("columns", (["a"],), {}),
    ("columns", (None,), {}),
    *[("fpp", ("a",), {"fpp": v}) for v in (0, 0.0, 1, 1.0, -0.1, 2, float("nan"), "0.01", True)],
    ("fpp", ("a",), {"fpp": {"a": 0}}),
    ("fpp", ("a",), {"fpp": {"b": 0.1}}),
    *[("ndv", ("a",), {"ndv": value}) for value in (0, -1, 1.5, "10", True)],
    ("ndv", ("a",), {"ndv": {"b": 10}}),
    *[("max_bytes", ("a",), {"max_bytes": v}) for v in (0, 16, 33, 1000, 256 << 20, -32, "64")],
    ("fpp", ("a",), {"fpp": "automatic"}),
    ("min_ndv", ("a",), {"min_ndv": 0}),
    ("at most 65,536", ("a",), {"min_ndv": 65_537}),
    ("dictionary", ("a",), {"dictionary": 1}),
    ("auto", ("a",), {"auto": "yes"}),
    ("ndv", (), {"auto": True, "ndv": 50_000}),
]


@pytest.mark.parametrize(("named", "columns", "options"), WRONG)
def test_a_wrong_argument_is_named(named, columns, options):
    with pytest.raises(ValueError, match=named):
        bloom_options(*columns, **options)


def test_an_unknown_option_is_python_s_own_error():
    with pytest.raises(TypeError, match="nvd"):
        bloom_options("a", nvd=10)  # type: ignore[call-arg]


def test_a_column_of_a_dictionary_that_is_not_among_the_columns_is_named():
    with pytest.raises(ValueError, match="ndv: user_di not"):
        bloom_options("user_id", ndv={"user_di": 10})


def test_everything_public_is_exported_and_documented():
    assert all(getattr(sbbf, name).__doc__ for name in sbbf.__all__)


SCHEMA = StructType(
    [
        StructField("user_id", LongType()),
        StructField("st", StructType([StructField("a", StringType())])),
        StructField("tags", ArrayType(StringType())),
        StructField("m", MapType(StringType(), ArrayType(LongType()))),
        StructField("flag", BooleanType()),
    ]
)


class Frame:
    schema = SCHEMA


def test_columns_of_a_dataframe_are_accepted_by_their_parquet_paths():
    columns = ("user_id", "st.a", "tags.list.element", "m.key_value.key")
    columns += ("m.key_value.value.list.element",)
    assert bloom_options(*columns, df=Frame) == bloom_options(*columns)
    assert bloom_options(auto=True, df=Frame) == bloom_options(auto=True)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("usr_id", "'usr_id' is no column of df. Did you mean 'user_id'?"),
        ("User_id", "Did you mean 'user_id'?"),
        ("st", "Name what is in it: st.a"),
        ("tags", "Name what is in it: tags.list.element"),
        ("m.key", "'m' has m.key_value.key, m.key_value.value.list.element"),
        ("zzz", "Its columns are user_id, st.a, tags.list.element, m.key_value.key, "),
        ("flag", "'flag' is BOOLEAN, a type that has no filters"),
    ],
)
def test_a_column_that_a_dataframe_lacks_is_an_error_at_the_call(column: str, message: str):
    with pytest.raises(ValueError, match="columns: ") as error:
        bloom_options("user_id", column, df=Frame)
    assert message in str(error.value)


def test_an_error_lists_some_of_many_columns():
    class Wide:
        schema = StructType([StructField(f"c{n}", LongType()) for n in range(50)])

    with pytest.raises(ValueError, match="c19 and 30 more"):
        bloom_options("zzz", df=Wide)


def test_orc_has_its_own_options():
    assert bloom_options("id", "st.a", fpp=0.001, format="orc") == {
        "orc.bloom.filter.columns": "id,st.a",
        "orc.bloom.filter.fpp": "0.001",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"format": "avro"}, "format must be 'parquet', 'orc', 'delta' or 'iceberg', not 'avro'"),
        ({"format": "orc", "ndv": 5}, "format: ORC's writer takes columns and one fpp only"),
        ({"format": "orc", "auto": True}, "format: ORC's writer takes columns and one fpp only"),
        ({"format": "orc", "fpp": {"id": 0.1}}, "fpp must be between 0 and 1"),
        ({"format": "orc", "fpp": "auto"}, "fpp must be between 0 and 1"),
    ],
)
def test_invalid_arguments_for_orc_are_named(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        bloom_options("id", **arguments)
