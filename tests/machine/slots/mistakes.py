"""Units with a mistake each, and the sentence for it: the same in both engines where it can be. Lines count from the function's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from warploom.units import unit


@unit
def quotient(x):
    return 5 // x


def divides(s, set):
    zero = set - set
    return 1 // zero


def takes_a_remainder(s, set):
    zero = set - set
    return 1 % zero


def divides_masks(s, set):
    bits = s.bits[set]
    return int(bits // (bits ^ bits))


def divides_floats(s, set):
    zero = set - set
    return int(1.0 / zero)


def divides_elsewhere(s, set):
    return quotient(set - set)


def reads_far_outside(s, set):
    return s.stamp[1 << 40]


def reads_before_the_first(s, set):
    return s.stamp[-(1 << 40) - set]


def raises(s, set):
    if s.ways > 0:
        raise ValueError("not today")
    return 0


def asserts(s, set):
    assert set < 0, "a set is negative"
    return 0


def names_no_way(s, set):
    return 99


# (function, lines after its first, what is said in both engines)
AT_RUN_TIME: tuple[tuple[Callable[..., Any], int, str], ...] = (
    (divides, 2, "ZeroDivisionError: division by zero"),
    (takes_a_remainder, 2, "ZeroDivisionError: division by zero"),
    (divides_masks, 2, "ZeroDivisionError: division by zero"),
    (divides_floats, 2, "ZeroDivisionError: division by zero"),
    (reads_far_outside, 1, "IndexError: index 1099511627776 is out of bounds for axis 0 with size "),
    (reads_before_the_first, 1, "IndexError: index -10995116277"),
    (raises, 2, "ValueError: not today"),
    (asserts, 1, "AssertionError: a set is negative"),
    (names_no_way, 0, "names_no_way returned 99; a victim is a way of the set, 0 to s.ways - 1"),
)


def returns_nothing(s, set):
    pass


def returns_a_text(s, set):
    return "way 1"


def returns_a_float(s, set):
    return s.ways / 2


def opens_a_file(s, set):
    with open("numbers") as file:
        return len(file.read())


def has_a_dictionary(s, set):
    ages = {}
    ages[set] = "x"
    return len(ages)


def names_no_field(s, set):
    return s.nofield


def takes_too_little(s):
    return 0


def calls_an_unmarked_one(s, set):
    return inspect.stack(set)


# (function, lines after its first, what is said by the compiler)
WHEN_COMPILED: tuple[tuple[Callable[..., Any], int, str], ...] = (
    (returns_nothing, 0, "returns_nothing returns nothing; the result is a whole number"),
    (returns_a_text, 0, "returns_a_text returns a text; the result is a whole number"),
    (returns_a_float, 0, "returns_a_float returns float64; the result is a whole number"),
    (opens_a_file, 1, "opens_a_file cannot become native code: `with open"),
    (has_a_dictionary, 2, 'has_a_dictionary cannot become native code: `ages[set] = "x"`'),
    (names_no_field, 1, "names_no_field cannot become native code: `return s.nofield`: the record has no field 'nofield'"),
    (takes_too_little, 0, "takes_too_little cannot become native code"),
    (calls_an_unmarked_one, 1, "calls_an_unmarked_one cannot become native code: `return inspect.stack(set)`"),
)
