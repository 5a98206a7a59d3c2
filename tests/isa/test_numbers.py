import math

import numpy as np
import pytest

from warploom.isa.launch import Launch
from warploom.isa.numbers import grouped, percentage, whole_number


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_an_integer_of_pythons_or_numpys_is_one_of_pythons(value):
    assert type(whole_number("n", value, 0, 9)) is int
    assert whole_number("n", value, 0, 9) == 3


@pytest.mark.parametrize(
    ("value", "limits", "message"),
    [
        (1e6, (1, 10**15), "n = 1000000.0: write a whole number from 1 to 1000000000000000"),
        (math.nan, (0, 9), "n = nan: write a whole number from 0 to 9"),
        (math.inf, (0,), "n = inf: write a whole number, 0 or more"),
        (True, (), "n = True: write a whole number"),
        ("5", (), "n = '5': write a whole number"),
        (None, (), "n = None: write a whole number"),
        (-1, (0, 9), "n = -1: write a whole number from 0 to 9"),
        (10, (0, 9), "n = 10: write a whole number from 0 to 9"),
        pytest.param(10**5000, (0, 9), "n = a number of thousands of digits: write a whole number from 0 to 9", id="huge"),
        ("x" * 99, (), f"n = '{'x' * 39}...: write a whole number"),
    ],
)
def test_what_is_no_whole_number_is_refused_by_its_name(value, limits, message):
    with pytest.raises(ValueError) as caught:
        whole_number("n", value, *limits)
    assert str(caught.value) == message


@pytest.mark.parametrize("field", ["threads", "block", "grid", "entry", "shared_bytes", "argument"])
@pytest.mark.parametrize("value", [2.0, math.nan, True, "4", None])
def test_a_launch_takes_whole_numbers_alone(field, value):
    with pytest.raises(ValueError, match=rf"^{field} = "):
        Launch(**{"block": 4, field: value})


@pytest.mark.parametrize("field", ["block", "grid"])
def test_no_extent_is_negative(field):
    with pytest.raises(ValueError, match=rf"^{field} = -1: write a number, or one for each of up to three dimensions"):
        Launch(**{"block": 4, field: -1})


def test_numbers_are_written_in_groups_and_units_after_a_blank():
    assert [grouped(number) for number in (0, 999, 1000, 1234567, -1234)] == ["0", "999", "1 000", "1 234 567", "-1 234"]
    assert (grouped(1234.5, 2), grouped(0.126, 2)) == ("1 234.50", "0.13")
    assert (percentage(0.458), percentage(0.458, 1), percentage(1.0), percentage(0)) == ("46 %", "45.8 %", "100 %", "0 %")
