"""Shifts by a count that no shifter has are a mistake; all others are as they were."""

from __future__ import annotations

import numpy as np
import pytest

from warploom.machine.engine.loop_bound import bounded
from warploom.machine.engine.shifts import SAID


def both_ways(x, count):
    x <<= count
    return x >> (count - 1)


def in_a_short_loop(x):
    for k in range(4):
        x += 1 << k
    return x


def by_what_is_written(x):
    return (x << 3) >> 63


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
