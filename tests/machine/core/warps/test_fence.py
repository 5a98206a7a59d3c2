"""The time of a fence begins when its warp comes to it, and once."""

from warploom.machine.core.warps.fence import Fences, begin_fence, leave_fence
from warploom.machine.engine.unit import mirror, zeros


def test_the_time_of_a_fence_begins_once():
    fences = mirror(zeros(1, Fences))[0]
    begin_fence(fences, 3, 0, 100)
    begin_fence(fences, 3, 0, 120)  # asked about again
    assert fences.until[3] == 100
    begin_fence(fences, 3, 5, 200)  # the next one
    assert fences.until[3] == 200
    begin_fence(fences, 4, 5, 210)  # another warp's
    assert (fences.until[3], fences.until[4]) == (200, 210)


def test_a_warp_that_comes_again_has_the_whole_time_again():
    fences = mirror(zeros(1, Fences))[0]
    begin_fence(fences, 3, 7, 100)
    leave_fence(fences, 3)
    begin_fence(fences, 3, 7, 300)
    assert fences.until[3] == 300
