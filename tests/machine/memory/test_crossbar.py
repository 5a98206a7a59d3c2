"""The crossbar's ports, each of which takes what comes in order."""

from types import SimpleNamespace

import pytest

from tests.machine.programs import FREE, LANE, Assembly, issues, run
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.crossbar import Crossbar, cross_back, cycles_for, leave_core


def crossbar(core, slice):
    made = mirror(zeros(1, Crossbar))[0]
    made.core_bytes, made.slice_bytes = core, slice
    return made


def test_without_a_width_everything_crosses_at_once():
    made = crossbar(0, 0)
    assert [leave_core(made, 0, 128, 0, 7) for _ in range(3)] == [7, 7, 7]
    assert [cross_back(made, 0, 0, 128, 0, 7) for _ in range(3)] == [7, 7, 7]


def test_a_request_takes_a_cycle_to_cross_and_its_port_as_long_as_its_data_take():
    made = crossbar(32, 0)
    assert [leave_core(made, 0, size, 0, 10) for size in (0, 0, 128, 0)] == [11, 12, 13, 17]
    assert leave_core(made, 1, 0, 0, 10) == 11  # a port of its own


def test_an_answer_needs_both_ports():
    made = crossbar(64, 32)
    assert cross_back(made, 0, 0, 128, 0, 10) == 13  # four cycles of the slice's port, two of the core's
    assert cross_back(made, 1, 0, 32, 0, 10) == 12  # the core's is free again in 12
    assert cross_back(made, 0, 1, 32, 0, 10) == 14  # the slice's in 14


@pytest.mark.parametrize("width", [1, 3, 15, 16, 64])
def test_data_take_as_many_cycles_as_they_have_pieces_and_a_request_without_data_one(width):
    assert [int(cycles_for(size, width)) for size in range(1, 66)] == [len(range(0, size, width)) for size in range(1, 66)]
    assert cycles_for(0, width) == 1


@pytest.mark.parametrize(("width", "more"), [(0, 0), (64, 0), (16, 3), (4, 15)])
def test_a_load_through_a_crossbar_takes_a_cycle_more_for_each_further_piece_of_its_data(width, more):
    code = Assembly()
    code.op("shl", FREE, LANE, imm=4)
    code.load(FREE + 1, FREE)
    code.op("add", FREE + 2, FREE + 1, imm=1)
    code("exit")
    result = run(code.program(), tracing=True, crossbar__core=width)
    times = SimpleNamespace(**{f"at{pc}": time for time, _, pc, _ in issues(result)})
    assert times.at2 - times.at1 == 4 + 8 + 20 - 1 + more  # a line of 64 bytes


@pytest.mark.parametrize(("core", "slice"), [(0, 0), (1, 0), (0, 1), (1, 1), (4, 1), (1, 4), (8, 8)])
@pytest.mark.parametrize(("to_core", "out"), [(0, 0), (12, 0), (0, 12), (15, 12)])
def test_an_answer_waits_for_the_ports_that_have_a_width_and_keeps_each_as_long_as_its_data_take(core, slice, to_core, out):
    made = crossbar(core, slice)
    made.to_cores[2], made.out_of_slice[1] = to_core, out
    start = max([10, *[to_core] * (core > 0), *[out] * (slice > 0)])
    own, theirs = (-(-6 // width) if width else 1 for width in (core, slice))
    out_start = max(10, out)  # of a slice, whose port does not wait for the core's
    assert cross_back(made, 1, 2, 6, 0, 10) == start + max(own, theirs) - 1
    assert made.to_cores[2] == (start + own if core else to_core)
    assert made.out_of_slice[1] == (out_start + theirs if slice else out)
    assert not made.to_cores[1] and not made.out_of_slice[2]
