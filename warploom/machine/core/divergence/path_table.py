# mypy: disable-error-code="no-untyped-def"
"""Path table: the groups of a warp's lanes that wait while a different group runs, each with a PC of its own.

In hardware: a small table for each warp, a row a group: lane mask, PC, and what the group waits for. It stands in for a PC
a lane: lanes with the same PC share a row, so there are never more rows than lanes, and the table cannot overflow as a
stack can. The group that runs is the one in the warp table. Source: the context table of Collange, "Stack-less SIMT
reconvergence at low cost", 2011 (hal-00622654), which keeps it sorted by PC; here it is in the order of arrival.

The mechanisms that use it (`minpc.py`, `its.py`) differ in which group runs next, and in who waits for whom. They share
how lanes come to a barrier of the block: one group after the other. A group that comes to one waits, and the warp arrives
when all of its lanes that have not ended have come (NVIDIA since Volta; before, the first group arrived for all).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, popcount
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import record, unit

# What a group waits for: lanes that it has named; to be selected; for other lanes of its warp; AT_BARRIER + n: at barrier n of the block.
AT_SYNC, READY, AT_RECONVERGENCE, AT_BARRIER = -1, 0, 1, 2
SIDES = {"fall_through": 0, "taken": 1, "smaller": 2}  # which side of a branch runs first
FALL_THROUGH, TAKEN, SMALLER = SIDES.values()

PathTable = record(
    settings=dict(
        first_side="i8",                                 # FALL_THROUGH, TAKEN or SMALLER: which side of a branch runs first
        barrier_limit="i8",                              # its: convergence barriers that a warp has
        patience="i8",                                   # its: after how many backward jumps lanes no longer wait at one
    ),
    inputs=dict(
        expected=("i8", MAX_WARPS),                      # warps that the barrier of the block expects at which groups wait
    ),
    state=dict(                                          # [warp slot], or [warp slot, row]; in a mask, bit l = lane l
        count=("i4", MAX_WARPS),                         # groups of a warp that wait
        mask=("u8", (MAX_WARPS, MAX_LANES)),             # their lanes; no lane is in two groups
        pc=("i4", (MAX_WARPS, MAX_LANES)),               # where they continue
        state=("i4", (MAX_WARPS, MAX_LANES)),            # AT_SYNC, READY, AT_RECONVERGENCE, or AT_BARRIER + number
        barriers=("i4", MAX_WARPS),                      # its: convergence barriers in use
        reconvergence_pc=("i4", (MAX_WARPS, MAX_LANES)), # its: the instruction at which a convergence barrier lies
        members=("u8", (MAX_WARPS, MAX_LANES)),          # its: the lanes that wait for each other there
        named=("u8", (MAX_WARPS, MAX_LANES)),            # its: [warp slot, lane] the lanes that a lane AT_SYNC waits for
        syncing=("u8", MAX_WARPS),                       # its: lanes that are AT_SYNC
        backward_jumps=("i8", MAX_WARPS),                # its: jumps back since a lane last came to a convergence barrier
    ),
    counters=dict(
        peak="i8",                                       # most groups of a warp that ever waited
    ),
)  # fmt: skip


@unit
def clear(paths, warp):
    """A warp starts, or ends: no group waits."""
    paths.count[warp] = 0
    paths.barriers[warp] = 0
    paths.syncing[warp] = EMPTY
    paths.backward_jumps[warp] = 0


@unit
def taken_first(first_side, taken, other):
    """1 when the lanes that take a branch run before those that do not; of sides of the same size the latter run first."""
    if first_side == SMALLER:
        return 1 if popcount(taken) < popcount(other) else 0
    return 1 if first_side == TAKEN else 0


@unit
def put(paths, warp, mask, pc, state):
    """A group waits, in the last row; with a group that waits for the same thing at the same PC it becomes one."""
    count = np.int64(paths.count[warp])
    for index in range(count):
        if paths.pc[warp, index] == pc and paths.state[warp, index] == state:
            paths.mask[warp, index] |= mask
            return
    paths.mask[warp, count] = mask
    paths.pc[warp, count] = pc
    paths.state[warp, count] = state
    paths.count[warp] = count + 1
    paths.peak = max(paths.peak, count + 1)


@unit
def remove(paths, warp, index):
    """Remove a row; those after it move up."""
    count = np.int64(paths.count[warp]) - 1
    paths.count[warp] = count
    for row in range(index, count):
        paths.mask[warp, row] = paths.mask[warp, row + 1]
        paths.pc[warp, row] = paths.pc[warp, row + 1]
        paths.state[warp, row] = paths.state[warp, row + 1]


@unit
def run_group(paths, warps, warp, index):
    """The group in a row becomes the one that runs."""
    warps.mask[warp] = paths.mask[warp, index]
    warps.pc[warp] = paths.pc[warp, index]
    remove(paths, warp, index)


@unit
def put_aside(paths, warps, warp, state):
    """The group that runs waits; no group runs."""
    put(paths, warp, warps.mask[warp], warps.pc[warp], state)
    warps.mask[warp] = EMPTY


@unit
def merge(paths, warps, warp):
    """Groups that are ready at the PC of the running one join it."""
    for index in range(np.int64(paths.count[warp]) - 1, -1, -1):
        if paths.state[warp, index] == READY and paths.pc[warp, index] == warps.pc[warp]:
            warps.mask[warp] |= paths.mask[warp, index]
            remove(paths, warp, index)


@unit
def split_group(paths, warps, warp, taken, target):
    """Lanes `taken` go to `target`, the other active ones to the next instruction; one side runs, the other is ready."""
    other = warps.mask[warp] & ~taken
    following = np.int64(warps.pc[warp]) + 1
    if taken_first(paths.first_side, taken, other) != 0:
        put(paths, warp, other, following, READY)
        warps.mask[warp] = taken
        warps.pc[warp] = target
    else:
        put(paths, warp, taken, np.int64(target), READY)
        warps.mask[warp] = other
        warps.pc[warp] = following


@unit
def note_diverged(paths, warps, warp):
    """Note in the warp table whether the warp's lanes have diverged: then `select_path` runs after each of its instructions."""
    if paths.count[warp] > 0 or paths.barriers[warp] > 0:
        warps.diverged = warps.diverged | bit(warp)
    else:
        warps.diverged = warps.diverged & ~bit(warp)


@unit
def all_arrive(paths, warp, number):
    """The running group comes to barrier `number`. Returns 1 when all other groups of its warp wait there: they become ready."""
    count = np.int64(paths.count[warp])
    for index in range(count):
        if paths.state[warp, index] != AT_BARRIER + number:
            return 0
    for index in range(count):
        paths.state[warp, index] = READY
    return 1


@unit
def left_at_barrier(paths, warp):
    """The number of the barrier at which all groups of a warp wait when none runs; -1 when there is none."""
    count = np.int64(paths.count[warp])
    if count == 0 or paths.state[warp, 0] < AT_BARRIER:
        return np.int64(-1)
    for index in range(1, count):
        if paths.state[warp, index] != paths.state[warp, 0]:
            return np.int64(-1)
    return np.int64(paths.state[warp, 0]) - AT_BARRIER
