"""Whether a printed result stands in memory as a launch has left it."""

import numpy as np
import pytest

from warploom.checks.report.findings import Finding
from warploom.grade.host.launches import MOST_LAUNCHES, Launches
from warploom.grade.runs import Stopped


def left(before, after, dtype=None):
    found = Launches(1000)
    found.count = 1
    found.note([("x", before.view(np.uint8), after.view(np.uint8), dtype)])
    return found


def test_what_a_launch_has_changed_is_found_anywhere_in_it():
    after = np.array([7, 1, 2, 3, 9], np.int32)
    found = left(np.zeros(5, np.int32), after, after.dtype)
    assert found.hold(np.array([1, 2, 3], np.int32))
    assert not found.hold(np.array([1, 2, 4], np.int32))
    assert left(np.zeros(5, np.int32), after).hold(np.array([3, 9], np.int32))  # of a type that is not known


def test_a_printed_float_has_fewer_digits():
    after = np.array([1 / 3, 2e5 / 3], np.float32)
    found = left(np.zeros(2, np.float32), after)
    assert found.hold(np.array([0.333333, 66666.7], np.float32))
    assert not found.hold(np.array([0.34, 66666.7], np.float32))


def test_what_stood_there_before_was_not_left_by_a_launch():
    same = np.array([1, 2], np.int32)
    assert not left(same, same.copy()).hold(np.array([1, 2], np.int32))
    assert left(same, same.copy()).hold(np.zeros(2, np.int32))  # zeros may have stood there


def test_launches_have_an_end():
    found = Launches(1000)
    found.figures["cycles"] = 1000
    with pytest.raises(Stopped, match="more than 1000 cycles together"):
        _ = found.cycles_left
    found = Launches(1000, count=MOST_LAUNCHES)
    with pytest.raises(Stopped, match="more than 1000 kernels"):
        _ = found.cycles_left


def test_the_same_finding_of_several_launches_is_there_once():
    found = Launches(1000)
    one, other = (Finding("bounds", text, "", 0) for text in ("past x", "past y"))
    found.found([one])
    found.found([one, other])
    assert found.findings == [one, other]
