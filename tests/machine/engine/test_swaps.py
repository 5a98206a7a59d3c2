"""Which of the units that stand in for others a unit comes to."""

import pytest

from warploom.machine.engine import swaps
from warploom.machine.engine.unit import unit


@unit
def leaf(number):
    return number


@unit
def other_leaf(number):
    return number + 1


@unit
def there(number):
    return back(number - 1) if number else leaf(number)


@unit
def back(number):
    return there(number)


@unit
def top(number):
    return back(number) + leaf(number)


@unit
def calls_other(number):
    return other_leaf(number)


LEAF, OTHER, AWAY, TOP = (leaf, other_leaf), (other_leaf, leaf), (leaf, calls_other), (top, leaf)


@pytest.mark.parametrize(
    ("function", "given", "found"),
    [
        (leaf, (), ()), (leaf, (LEAF,), (LEAF,)), (there, (LEAF,), (LEAF,)), (back, (OTHER, LEAF), (OTHER, LEAF)), (back, (OTHER,), ()),
        (top, (TOP, LEAF), (TOP, LEAF)), (back, (AWAY, OTHER), (AWAY, OTHER)), (back, (OTHER, AWAY), (OTHER, AWAY)),
        (calls_other, (AWAY,), ()),
    ],
)  # fmt: skip
def test_what_a_unit_comes_to_is_found_through_units_that_call_each_other_and_what_stands_in_for_them(monkeypatch, function, given, found):
    asked, names = [], swaps._names

    def names_once(one):
        assert one not in asked
        asked.append(one)
        return names(one)

    monkeypatch.setattr(swaps, "_names", names_once)
    assert swaps.reached(function, given) == found


@pytest.mark.parametrize(("result", "whole"), [(1, True), (-3, True), (True, False), (1.0, False), (None, False)])
def test_a_whole_number_is_no_truth_value(result, whole):
    assert swaps.is_whole(result) == whole
