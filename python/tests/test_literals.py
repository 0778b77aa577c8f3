"""Tests how Python values become text that Spark casts to the type of the column."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from numbers import Integral

import pytest

from spark_sbbf.inspection import _value_option


@Integral.register
class Whole:
    """Stands for the integers of numpy, which are none of Python's."""

    def __int__(self):
        return 7


TABLE = [
    (42, "42"),
    (-(2**63), "-9223372036854775808"),
    (True, "true"),
    (False, "false"),
    ("", ""),
    ("it's", "it's"),
    (Whole(), "7"),
    (Fraction(1, 2), "0.5"),
    (0.1, "0.1"),
    (-0.0, "-0.0"),
    (1e300, "1e+300"),
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    (Decimal("12.340"), "12.340"),
    (Decimal("1E+3"), "1000"),
    (date(2013, 1, 31), "2013-01-31"),
    (datetime(2013, 1, 31, 5, 6, 7, 89, UTC), "2013-01-31 05:06:07.000089+00:00"),
    (
        datetime(2013, 1, 31, 5, tzinfo=timezone(timedelta(hours=-3.5))),
        "2013-01-31 05:00:00.000000-03:30",
    ),
]


@pytest.mark.parametrize(("value", "text"), TABLE)
def test_a_value_becomes_the_text_that_spark_casts_back(value, text):
    assert _value_option(value) == {"value": text}


@pytest.mark.parametrize("value", [b"\x00\xff", bytearray(b"\x00\xff")])
def test_bytes_go_as_hexadecimal_digits(value):
    assert _value_option(value) == {"value_hex": "00ff"}


def test_a_datetime_without_a_zone_is_local_time():
    naive = datetime(2013, 7, 1, 12)
    text = _value_option(naive)["value"]
    assert text.startswith("2013-07-01 12:00:00.000000")
    assert datetime.fromisoformat(text) == naive.astimezone()


def test_none_is_refused_because_filters_hold_no_nulls():
    with pytest.raises(ValueError, match="nulls"):
        _value_option(None)


@pytest.mark.parametrize("value", [[1], {"a": 1}, object()])
def test_other_types_are_refused_by_type_and_never_by_value(value):
    with pytest.raises(TypeError, match=rf"{type(value).__name__}; an int, float,"):
        _value_option(value)
