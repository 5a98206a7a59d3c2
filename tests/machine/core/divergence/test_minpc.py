"""The lowest PC first: walks through small graphs, worked out by hand."""

import numpy as np

from tests.machine.core.divergence.walking import END, LANES, NOP, WARP, chosen, fork, go_on, jump, note, walk_through
from warploom.isa import uop as u
from warploom.machine.core.divergence.minpc import select_path
from warploom.machine.core.divergence.path_table import clear, split_group
from warploom.machine.engine.unit import unit


@unit
def walk(paths, convergence, tables, uops, values, trace):
    """Run a warp to its end, or until the trace is full. Rows: pc, mask of every issue. Returns how many there were."""
    waiting = paths[0]
    warps = tables[0]
    clear(waiting, WARP)
    issues = 0
    while warps.threads[WARP] != np.uint64(0) and issues < trace.shape[0]:
        pc = np.int64(warps.pc[WARP])
        issues = note(trace, issues, warps)
        taken = chosen(uops, values, warps)
        if go_on(uops, warps, taken) == 0:
            split_group(waiting, warps, WARP, taken, uops[pc, u.TARGET])
        select_path(waiting, warps, WARP)
    return issues


def seen(instructions, values, **more):
    return walk_through(walk, instructions, values, **more)[0]


def test_an_if_meets_at_its_end():
    assert seen([fork(3), NOP, NOP, END], [1, 0, 1, 0]) == [(0, 15), (1, 10), (2, 10), (3, 15)]


def test_the_lower_side_goes_first_whatever_the_setting_says():
    sides = [fork(3), NOP, jump(4), NOP, END]
    expected = [(0, 15), (1, 12), (2, 12), (3, 3), (4, 15)]
    for first in ("fall_through", "taken", "smaller"):
        assert seen(sides, [1, 1, 0, 0], first=first) == expected


def test_all_leave_a_loop_before_any_goes_on():
    """Lane l goes back as many times as it has of the bits 0, 1: the others wait behind the loop."""
    loop = [NOP, fork(0, 0), fork(0, 1), NOP, END]
    assert seen(loop, [0, 1, 2, 3]) == [
        (0, 15), (1, 15),  # 1 and 3 go back
        (0, 10), (1, 10), (2, 15),  # now 0, 1, 2, 3 stand at the second branch: 2 and 3 go back
        (0, 12), (1, 12), (2, 12), (3, 15), (4, 15),
    ]  # fmt: skip


def test_a_short_circuit_meets_at_the_work_and_not_only_behind_it():
    """if (a or b) work: lanes come to the work (3) from two branches, and do it once."""
    work = [fork(3, 0), fork(3, 1), jump(4), NOP, END]
    assert seen(work, [1, 2, 0, 1]) == [(0, 15), (1, 6), (2, 4), (3, 11), (4, 15)]


def test_lanes_that_end_are_not_waited_for():
    assert seen([fork(2), END, NOP, END], [0, 1, 0, 1]) == [(0, 15), (1, 5), (2, 10), (3, 10)]


def test_who_jumps_back_into_the_loop_leaves_the_others_in_its_middle():
    """The price of bad layout: at 1, lane 3 goes back to 0 and comes to 1 again, alone, before the others go on."""
    loop = [NOP, fork(0, 0), NOP, END]
    assert seen(loop, [0, 0, 0, 1]) == [(0, 15), (1, 15), (0, 8), (1, 8), (2, 15), (3, 15)]


def test_a_lane_above_one_that_spins_starves():
    """Lanes 2 and 3 jump to themselves for ever; the others are ready at 2, and never run."""
    assert seen([fork(2), jump(1), NOP, END], [1, 1, 0, 0], limit=20) == [(0, 15)] + [(1, 12)] * 19


def test_there_are_never_more_groups_than_lanes():
    """Four ways for four lanes: three wait at most."""
    switch = [fork(4, 0), fork(4, 1), fork(4, 2), NOP, END]
    trace, (after, _) = walk_through(walk, [fork(6, 0), fork(7, 1), fork(8, 2), NOP, NOP, END, END, END, END], [0, 1, 2, 4])
    assert trace == [(0, 15), (1, 13), (2, 9), (3, 1), (4, 1), (5, 1), (6, 2), (7, 4), (8, 8)]
    assert after["peak"] == LANES - 1
    assert seen(switch, [1, 2, 4, 0]) == [(0, 15), (1, 14), (2, 12), (3, 8), (4, 15)]
