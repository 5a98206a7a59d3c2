"""Shifts by a count that no shifter has are a mistake; all others are as they were."""

from __future__ import annotations

import numpy as np
import pytest

from warploom.machine.engine.loop_bound import bounded
from warploom.machine.engine.shifts import SAID
from warploom.machine.engine.users import unit_name


def both_ways(x, count):
    x <<= count
    return x >> (count - 1)


def in_a_short_loop(x):
    for k in range(4):
        x += 1 << k
    return x


def by_what_is_written(x):
    return (x << 3) >> 63


WIDTH = 64


def by_a_constant(x, count):
    return x >> WIDTH


def in_an_inner_function(x, count):
    def inner(y, by=1 << (count - count)):
        return y << (count * by)

    return inner(x)


def in_a_lambda(x, count):
    f = lambda y: y >> count  # noqa: E731
    return f(x)


def in_a_lambda_of_an_inner_function(x, count):
    def inner(y):
        return (lambda z: z << count)(y)

    return inner(x)


by_itself = lambda x, count: x << count  # noqa: E731


@pytest.mark.parametrize(
    ("function", "line"),
    [(by_a_constant, 1), (in_an_inner_function, 2), (in_a_lambda, 1), (in_a_lambda_of_an_inner_function, 2), (by_itself, 0)],
)
def test_a_shift_in_a_function_within_is_checked_in_its_own_line(function, line):
    made = bounded(function)
    if function is not by_a_constant:
        assert made(8, 2) == function(8, 2)
    with pytest.raises(ValueError, match=SAID) as caught:
        made(8, 64)
    assert caught.traceback[-1].lineno + 1 == function.__code__.co_firstlineno + line


def test_a_lambda_keeps_the_name_that_its_file_gives_it():
    assert bounded(by_itself) is not by_itself
    assert unit_name(bounded(by_itself)) == unit_name(by_itself) == "by_itself"


def calls_itself(x, by):
    return 0 if x < 1 else 1 + calls_itself(x >> by, by)


def test_one_that_calls_itself_finds_itself():
    def within(x, by):
        return 0 if x < 1 else 1 + within(x >> by, by)

    assert bounded(calls_itself)(9, 1) == bounded(within)(9, 1) == 4
    assert "calls_itself" in bounded(calls_itself).__code__.co_names


def test_a_shift_is_by_0_to_63_bits():
    made = bounded(both_ways)
    assert [made(1, count) for count in (1, 2, 63)] == [2, 2, 2]
    assert made(np.uint64(5), np.uint64(1)) == 10
    for count, line in ((64, 1), (-1, 1), (0, 2), (1 << 70, 1)):
        with pytest.raises(ValueError, match=SAID) as caught:
            made(1, count)
        assert caught.traceback[-1].lineno + 1 == both_ways.__code__.co_firstlineno + line


def test_a_shift_does_not_make_a_loop_long_and_one_by_what_is_written_needs_no_check():
    assert "iterations_of_loop_0" not in bounded(in_a_short_loop).__code__.co_varnames
    assert bounded(in_a_short_loop)(0) == 15
    assert bounded(by_what_is_written) is by_what_is_written
