"""Which of the units that stand in for others a unit comes to."""

import numpy as np
import pytest

from warploom.machine.engine import swaps
from warploom.machine.engine.swaps import Socket
from warploom.machine.engine.unit import record, unit
from warploom.machine.engine.users import UnitError


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


Ways = record(settings={"ways": "i8", "table": ("i4", 4)}, state={"stamp": ("i8", 4), "next": "i8"})
Outer = record(settings={"next": "i8"}, state={"inner": Ways})


def writes_a_number(s, way):
    s.ways += 1


def writes_into_a_table(s, way):
    s.table[way] = 1


def writes_its_own(s, way):
    s.next = s.ways
    s.stamp[way] = s.table[0]


@pytest.mark.parametrize(("function", "written"), [(writes_a_number, "s.ways"), (writes_into_a_table, "s.table")])
def test_a_users_function_that_writes_a_setting_is_refused_in_both_engines(function, written):
    socket = Socket("slot", function, ((None, (Ways, np.dtype(np.int64))),))
    for check in (socket.check, socket.guarded):
        with pytest.raises(UnitError) as error:
            check()
        line = function.__code__.co_firstlineno + 1
        said = f"test_swaps.py:{line}: {function.__name__} writes {written}, a setting of the machine, which stays as "
        assert said in str(error.value)


def test_a_users_function_may_write_what_is_no_setting_in_some_record_of_its():
    Socket("slot", writes_its_own, ((None, (Ways, np.dtype(np.int64))),)).check()
    Socket("slot", writes_its_own, ((None, (Outer, np.dtype(np.int64))),)).check()
    assert swaps.fields_of(Outer) == ({"next", "ways", "table"}, {"inner", "stamp", "next"})
