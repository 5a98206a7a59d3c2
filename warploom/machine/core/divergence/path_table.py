# mypy: disable-error-code="no-untyped-def"
"""Contexts: the groups of a warp's lanes that wait while another group runs, each with a PC of its own.

In hardware: a small table for each warp, a row a group: lane mask, PC, and what the group waits for. It stands in for a PC
a lane: lanes with the same PC share a row, so there are never more rows than lanes, and the table cannot overflow as a
stack can. The group that runs is the one in the warp table. Source: the context table of Collange, "Stack-less SIMT
reconvergence at low cost", 2011 (hal-00622654), which keeps it sorted by PC; here it is in the order of arrival.

The mechanisms that use it (`minpc.py`, `its.py`) differ in which group runs next, and in who waits for whom. They share
how a barrier of the block is met: lane by lane. A group that comes to one waits, and the warp arrives
when all of its lanes that have not ended have come (NVIDIA since Volta; before, the first group arrived for all).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import bit, popcount
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import record, unit

# What a group waits for: to be selected; for other lanes of its warp; AT_BARRIER + n: at barrier n of the block.
READY, AT_RECONVERGENCE, AT_BARRIER = 0, 1, 2
SIDES = {"fall_through": 0, "taken": 1, "smaller": 2}  # which side of a branch runs first
FALL_THROUGH, TAKEN, SMALLER = SIDES.values()

Contexts = record(
    first_side="i8",                                        # FALL_THROUGH, TAKEN or SMALLER
    count=("i4", MAX_WARPS),                           # groups of a warp that wait
    peak="i8",                                         # most that ever waited
    mask=("u8", (MAX_WARPS, MAX_LANES)),               # their lanes; no lane is in two groups
    pc=("i4", (MAX_WARPS, MAX_LANES)),                 # where they go on
    state=("i4", (MAX_WARPS, MAX_LANES)),              # READY, AT_RECONVERGENCE, or AT_BARRIER + number
    expected=("i8", MAX_WARPS),                        # warps that the barrier expects at which groups wait
    barriers=("i4", MAX_WARPS),                        # its: convergence barriers in use
    barrier_limit="i8",                                # its: those that a warp has
    reconvergence_pc=("i4", (MAX_WARPS, MAX_LANES)),               # its: the instruction at which a convergence barrier stands
    members=("u8", (MAX_WARPS, MAX_LANES)),            # its: the lanes that wait for each other there
    backward_jumps=("i8", MAX_WARPS),                           # its: jumps back since a lane last came to a convergence barrier
    patience="i8",                                     # its: after how many lanes there go on without the others
)  # fmt: skip


@unit
def clear(contexts, warp):
    """A warp starts, or ends: nobody waits."""
    contexts.count[warp] = 0
    contexts.barriers[warp] = 0
    contexts.backward_jumps[warp] = 0


@unit
def taken_first(first_side, taken, other):
    """1 when the lanes that take a branch run before those that do not; of sides of the same size the latter run first."""
    if first_side == SMALLER:
        return 1 if popcount(taken) < popcount(other) else 0
    return 1 if first_side == TAKEN else 0


@unit
def put(contexts, warp, mask, pc, state):
    """A group waits, behind all others; with those that wait for the same at the same PC it becomes one."""
    count = np.int64(contexts.count[warp])
    for index in range(count):
        if contexts.pc[warp, index] == pc and contexts.state[warp, index] == state:
            contexts.mask[warp, index] |= mask
            return
    contexts.mask[warp, count] = mask
    contexts.pc[warp, count] = pc
    contexts.state[warp, count] = state
    contexts.count[warp] = count + 1
    contexts.peak = max(contexts.peak, count + 1)


@unit
def remove(contexts, warp, index):
    """Take a row out; those behind it move up."""
    count = np.int64(contexts.count[warp]) - 1
    contexts.count[warp] = count
    for row in range(index, count):
        contexts.mask[warp, row] = contexts.mask[warp, row + 1]
        contexts.pc[warp, row] = contexts.pc[warp, row + 1]
        contexts.state[warp, row] = contexts.state[warp, row + 1]


@unit
def run(contexts, warps, warp, index):
    """The group in a row becomes the one that runs."""
    warps.mask[warp] = contexts.mask[warp, index]
    warps.pc[warp] = contexts.pc[warp, index]
    remove(contexts, warp, index)


@unit
def put_aside(contexts, warps, warp, state):
    """The group that runs waits; nobody runs."""
    put(contexts, warp, warps.mask[warp], warps.pc[warp], state)
    warps.mask[warp] = np.uint64(0)


@unit
def merge(contexts, warps, warp):
    """Groups that are ready where the running one stands join it."""
    for index in range(np.int64(contexts.count[warp]) - 1, -1, -1):
        if contexts.state[warp, index] == READY and contexts.pc[warp, index] == warps.pc[warp]:
            warps.mask[warp] |= contexts.mask[warp, index]
            remove(contexts, warp, index)


@unit
def split_group(contexts, warps, warp, taken, target):
    """Lanes `taken` go to `target`, the other active ones to the next instruction; one side runs, the other is ready."""
    other = warps.mask[warp] & ~taken
    following = np.int64(warps.pc[warp]) + 1
    if taken_first(contexts.first_side, taken, other) != 0:
        put(contexts, warp, other, following, READY)
        warps.mask[warp] = taken
        warps.pc[warp] = target
    else:
        put(contexts, warp, taken, np.int64(target), READY)
        warps.mask[warp] = other
        warps.pc[warp] = following


@unit
def mark(contexts, warps, warp):
    """Note in the warp table whether the warp's course has to be looked at behind every instruction."""
    if contexts.count[warp] > 0 or contexts.barriers[warp] > 0:
        warps.diverged = warps.diverged | bit(warp)
    else:
        warps.diverged = warps.diverged & ~bit(warp)


@unit
def all_come(contexts, warp, number):
    """The running group comes to barrier `number`. Returns 1 when all others of its warp wait there too: they are set ready."""
    count = np.int64(contexts.count[warp])
    for index in range(count):
        if contexts.state[warp, index] != AT_BARRIER + number:
            return 0
    for index in range(count):
        contexts.state[warp, index] = READY
    return 1


@unit
def left_at_barrier(contexts, warp):
    """The number of the barrier at which all groups of a warp wait when nobody runs; -1 when there is none."""
    count = np.int64(contexts.count[warp])
    if count == 0 or contexts.state[warp, 0] < AT_BARRIER:
        return np.int64(-1)
    for index in range(1, count):
        if contexts.state[warp, index] != contexts.state[warp, 0]:
            return np.int64(-1)
    return np.int64(contexts.state[warp, 0]) - AT_BARRIER
