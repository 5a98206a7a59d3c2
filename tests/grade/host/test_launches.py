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


def test_what_an_earlier_launch_has_left_in_an_array_counts():
    """The result is copied to the host before the array is used once more."""
    found = left(np.zeros(3, np.int32), np.array([1, 2, 3], np.int32))
    found.note([("x", np.zeros(12, np.uint8), np.array([7, 7, 7], np.int32).view(np.uint8), None)])
    assert found.hold(np.array([1, 2, 3], np.int32))


def test_what_is_kept_is_bounded_and_the_last_of_each_array_stays_longest(monkeypatch):
    monkeypatch.setattr("warploom.grade.host.launches.MOST_KEPT", 5)
    found = Launches(1000)
    for name, value in (("x", 1), ("y", 2), ("y", 3), ("y", 4), ("y", 5), ("z", 6)):
        found.note([(name, np.zeros(1, np.uint8), np.array([value], np.uint8), None)])
    assert {name: [int(data[0]) for data, _ in states] for name, states in found.left.items()} == {"x": [1], "y": [3, 4, 5], "z": [6]}
    found.note([("big", np.zeros(4, np.uint8), np.full(4, 9, np.uint8), None)])
    assert {name: len(states) for name, states in found.left.items()} == {"z": 1, "big": 1}
    assert found.kept == 5


@pytest.mark.parametrize("there", ["f4", "f8", "f2", "i4", "u4", "i8", "i2", "u1"])
def test_memory_of_an_unknown_type_is_read_as_every_one_that_a_program_prints(there):
    after = np.array([0, 3, 200, 5], there)
    for printed in (np.array([3, 200, 5], np.float64), np.array([3, 200, 5], np.int64)):
        assert left(np.ones(4, there), after).hold(printed)
        assert not left(np.ones(4, there), after).hold(printed + 1)


def test_values_that_no_type_of_whole_numbers_holds_are_looked_for_among_floats():
    assert left(np.zeros(2, np.float32), np.array([np.inf, np.nan], np.float32)).hold(np.array([np.inf, np.nan]))
    assert left(np.zeros(1, np.uint32), np.array([(1 << 32) - 1], np.uint32)).hold(np.array([(1 << 32) - 1], np.int64))
    assert not left(np.zeros(2, np.uint8), np.array([3, 4], np.uint8)).hold(np.array([3], np.int64))  # would be found by chance


def test_the_outputs_tolerance_holds_for_what_is_printed():
    found = left(np.zeros(2, np.float32), np.array([1.004, 2.5], np.float32))
    assert not found.hold(np.array([1.0, 2.5]))
    assert found.hold(np.array([1.0, 2.5]), 0.01)


def test_values_beyond_the_first_chunk_are_found(monkeypatch):
    monkeypatch.setattr("warploom.grade.host.launches.CHUNK", 4)
    found = left(np.ones(11, np.int32), np.array([0, 0, 0, 5, 6, 7, 0, 0, 0, 8, 9], np.int32))
    assert found.hold(np.array([5, 6, 7], np.int32)) and found.hold(np.array([8, 9], np.int32))
    assert not found.hold(np.array([9, 8], np.int32))


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
