"""The time of a fence begins when a thread comes to it, and once."""

from types import SimpleNamespace

import pytest

from tests.machine.core.unit_bench import mask
from warploom.isa.uop import FENCE_BLOCK, FENCE_DEVICE, FIRST_UOP, IMM, NUMBER, OP
from warploom.machine.core.warps.fence import Fences, begin_fence, fence_time, leave_fence, through_fence
from warploom.machine.engine.unit import mirror, zeros

ALL = mask(0, 1, 63)


def fences_of():
    return mirror(zeros(1, Fences))[0]


def test_the_time_of_a_fence_begins_once():
    fences = fences_of()
    assert begin_fence(fences, 3, 0, ALL, 100) == 100
    assert begin_fence(fences, 3, 0, ALL, 120) == 100  # asked about again
    assert begin_fence(fences, 3, 5, ALL, 200) == 200  # the next one
    assert begin_fence(fences, 4, 5, ALL, 210) == 210  # another warp's
    assert begin_fence(fences, 3, 5, ALL, 220) == 200


def test_a_warp_that_comes_again_has_the_whole_time_again():
    fences = fences_of()
    begin_fence(fences, 3, 7, ALL, 100)
    leave_fence(fences, 3, ALL)
    assert begin_fence(fences, 3, 7, ALL, 300) == 300


def test_lanes_that_run_meanwhile_begin_no_time_anew_and_the_last_of_a_warp_decides():
    """Lanes 0 and 1 come to a fence; lane 63 to a different one, and then to theirs."""
    fences = fences_of()
    begin_fence(fences, 3, 7, mask(0, 1), 100)
    begin_fence(fences, 3, 9, mask(63), 150)
    assert begin_fence(fences, 3, 7, mask(0, 1), 160) == 100
    leave_fence(fences, 3, mask(63))
    assert begin_fence(fences, 3, 7, ALL, 180) == 180
    assert begin_fence(fences, 3, 7, mask(0), 190) == 100


@pytest.mark.parametrize("now, through", [(99, 0), (100, mask(0)), (149, mask(0)), (150, mask(0, 63))])
def test_who_has_waited_for_as_long_as_a_fence_takes(now, through):
    fences = fences_of()
    begin_fence(fences, 3, 7, mask(0), 100)
    begin_fence(fences, 3, 7, mask(63), 150)
    begin_fence(fences, 3, 9, mask(1), 50)
    assert through_fence(fences, 3, 7, mask(0, 1, 2, 63), now) == through


@pytest.mark.parametrize("pc, cycles", [(-1, 0), (0, 300), (1, 20), (2, 0), (3, 0)])
def test_what_an_instruction_takes_as_a_fence(pc, cycles):
    latency = {FENCE_DEVICE: 300, FENCE_BLOCK: 20}
    uops = [{OP: NUMBER["fence"], IMM: FENCE_DEVICE}, {OP: NUMBER["fence"], IMM: FENCE_BLOCK}, {OP: NUMBER["nop"], IMM: FENCE_DEVICE}]
    columns = {(k, at): value for k, row in enumerate(uops) for at, value in row.items()}
    tables = SimpleNamespace(code={(row, FIRST_UOP): row for row in range(3)}, uops=columns)
    assert fence_time(SimpleNamespace(code_rows=3, fence_latency=latency), tables, pc) == cycles
