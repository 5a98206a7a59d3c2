"""What tables of units become: calls that both engines run as if they were written by hand."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.bits import bit
from warploom.machine.engine.rows import Apart, by_row, each_number, each_row
from warploom.machine.engine.unit import FOREVER, inlined, unit


class Row(NamedTuple):
    name: str
    work: Any
    when: Any = None
    holds: Any = None


@inlined
def double(number, value):
    return np.int64(value * 2)


@inlined
def number_too(number, value):
    return np.int64(value + 100 * number)


@inlined
def next_of_first(value):
    return np.int64(value + 7)


@inlined
def next_of_last(value):
    return np.int64(20)


@inlined
def is_small(value):
    return value < 10


@inlined
def is_even(value):
    return value % 2 == 0


ROWS = (
    Row("first", double, next_of_first, is_small),
    Row("second", number_too),
    Row("third", double, next_of_last, is_even),
    Row("fourth", number_too),
)


@by_row(ROWS, "work", globals())
def work(number, value):
    """What it says."""


@each_row(ROWS, "when", "soonest", globals())
def soonest(value):
    """The first of all."""


@each_row(ROWS, "holds", "all", globals())
def holds(value):
    """Whether all hold."""


@inlined
def add(place, values, more):
    values[place] += more


@each_number((0, 2, 3), add, "nothing", globals())
def add_to_some(values, more):
    """Three of four."""


@inlined
def bit_of(place, shift):
    return bit(place + shift)


@each_number((1, 4), bit_of, "union", globals())
def bits_of_some(shift):
    """Two bits."""


@unit
def everything(values, number, value):
    values[0] = work(number, value)
    values[1] = soonest(value)
    values[2] = 1 if holds(value) else 0
    add_to_some(values[3:], value)
    values[7] = np.int64(bits_of_some(number))


def expected(number, value):
    worked = value * 2 if number in (0, 2) else value + 100 * number
    return [worked, min(value + 7, 20), int(value < 10 and value % 2 == 0), value, 0, value, value, 0b10010 << number]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("value", [3, 4, 14])
def test_a_table_is_calls_of_its_rows_functions_in_both_engines(number, value):
    _, (values, *_) = both(everything, np.zeros(8, np.int64), np.int64(number), np.int64(value))
    assert values.tolist() == expected(number, value)


def test_the_docstring_and_the_name_stay():
    assert (work.__name__, work.__doc__) == ("work", "What it says.")


def test_a_number_beyond_the_rows_is_the_last_ones():
    assert work(9, 1) == 1 + 900


def test_without_rows_nothing_happens_and_everything_holds():
    def asked(value):
        """Of nobody."""

    assert each_row((), "when", "soonest", globals())(asked)(3) == FOREVER
    assert each_row((Row("x", None),), "holds", "all", globals())(asked)(3) is True


def test_what_stands_apart_is_chosen_by_the_program():
    apart = Apart("name", double, number_too, lambda program: program == "uses it", "number", ("number", "number"))
    assert (apart.chosen("uses it"), apart.chosen("does not")) == (double, number_too)
