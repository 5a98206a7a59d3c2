"""Path table: the paths of a warp's lanes that do not run now, each with its own PC.

In hardware: a small table for each warp, a row per path: lane mask, PC, and what the path waits for. The path that runs is the one in the
warp table. All divergence mechanisms keep their paths here; they differ in which path runs next, and in which paths wait for which:

* A reconvergence stack (`stack.py`) puts rows on and takes them off at one end only. A row may hold lanes of the rows after it, which
  it takes back when those have reconverged.
* Otherwise the lanes of a warp are in groups (`minpc.py`, `its.py`, `dwf.py`). The rows stand in for a PC per lane: lanes with the same PC
  share a row, no lane is in two rows, so there are never more rows than lanes. Source: the context table of Collange, "Stack-less SIMT
  reconvergence at low cost", 2011 (hal-00622654), which keeps it sorted by PC; here it is in the order of arrival.
* A program that manages masks itself pushes and pops rows of a second table (`masks.py`).

The mechanisms with groups share how lanes reach a barrier of the block: one group after the other. A group that reaches one waits, and the
warp arrives when all of its lanes that have not ended have reached it (NVIDIA since Volta; before, the first group arrived for all).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.warps.barrier import WHOLE_WARP
from warploom.machine.engine.bits import EMPTY, bit, popcount
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import inlined, record, unit

MAX_PATHS = 128  # rows of a warp, at least as many as lanes

# What a path waits for. RECONVERGENCE: that the sides of a branch, put on after it, reconverge in it; STACKED: that those put on
# after it have reconverged or ended; AT_SYNC: for lanes that it has named; READY: to be selected; AT_RECONVERGENCE: for other
# lanes of its warp; AT_BARRIER + n: at barrier n of the block, or one of those that `barrier.py` names.
RECONVERGENCE, STACKED, AT_SYNC, READY, AT_RECONVERGENCE, AT_BARRIER = -3, -2, -1, 0, 1, 2
NAMED = -4  # NAMED - n: for the lanes of barrier n, which the program names
SIDES = {"fall_through": 0, "taken": 1, "smaller": 2}  # which side of a branch runs first
FALL_THROUGH, TAKEN, SMALLER = SIDES.values()

PathTable = record(
    side_by_side=(MAX_WARPS, (MAX_WARPS, MAX_PATHS)),
    settings=dict(
        limit="i8",                                      # rows that a warp has, at most MAX_PATHS
        first_side="i8",                                 # FALL_THROUGH, TAKEN or SMALLER: which side of a branch runs first
    ),
    launch=dict(
        code_rows="i8",                                  # instructions of the program, if a user's mechanism is in use
    ),
    inputs=dict(
        lanes=("u8", MAX_WARPS),                         # of a warp, before a mechanism of a user's is asked: it loses none
        expected=("i8", MAX_WARPS),                      # warps, or cores, that the barrier expects at which groups wait
    ),
    state=dict(                                          # [warp slot], or [warp slot, row]; in a mask, bit l = lane l
        count=("i4", MAX_WARPS),                         # paths of a warp that wait
        mask=("u8", (MAX_WARPS, MAX_PATHS)),             # their lanes
        pc=("i4", (MAX_WARPS, MAX_PATHS)),               # where they continue
        state=("i4", (MAX_WARPS, MAX_PATHS)),            # what it waits for, as above
        reconvergence_pc=("i4", (MAX_WARPS, MAX_PATHS)), # STACKED: where they reconverge with others; -1: when they end
        rejoins_at=("i4", MAX_WARPS),                    # the same of the path that runs
        memory=("i8", (MAX_WARPS, 16)),                  # free for a mechanism of a user's; zero at first
        sides=("i4", MAX_WARPS),                         # stack: rows that are sides of branches and have not run yet
        called=("u8", MAX_WARPS),                        # lanes that need not wait again at their instruction of the whole warp
    ),
    counters=dict(
        peak="i8",                                       # most paths of a warp that ever waited
        peak_sides="i8",                                 # most sides that ever waited
    ),
)  # fmt: skip


@unit
def clear(paths, warp):
    """A warp starts, or ends: no path waits."""
    paths.count[warp] = 0
    paths.sides[warp] = 0
    paths.rejoins_at[warp] = -1
    paths.called[warp] = EMPTY


@unit
def taken_first(first_side, taken, other):
    """1 when the lanes that take a branch run before those that do not; if the sides have the same size, the latter run first."""
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
    paths.reconvergence_pc[warp, count] = -1
    paths.count[warp] = count + 1
    paths.peak = max(paths.peak, count + 1)


@unit
def remove(paths, warp, index):
    """Remove a row; those after it move up."""
    count = np.int64(paths.count[warp]) - 1
    paths.count[warp] = count
    for row in range(index, count):
        copy_row(paths, warp, row, row + 1)


@inlined
def copy_row(paths, warp, to, row):
    """A path that waits is in row `to`, too."""
    paths.mask[warp, to] = paths.mask[warp, row]
    paths.pc[warp, to] = paths.pc[warp, row]
    paths.state[warp, to] = paths.state[warp, row]
    paths.reconvergence_pc[warp, to] = paths.reconvergence_pc[warp, row]


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
    if paths.count[warp] > 0:
        warps.diverged = warps.diverged | bit(warp)
    else:
        warps.diverged = warps.diverged & ~bit(warp)


@unit
def all_arrive(paths, warp, number):
    """The running group comes to barrier `number`. Returns 1 when all other groups of its warp wait there: they become ready.

    Groups at an instruction of the whole warp still wait for it, so it does not wait for them.
    """
    count = np.int64(paths.count[warp])
    for index in range(count):
        if paths.state[warp, index] != AT_BARRIER + number and paths.state[warp, index] != AT_BARRIER + WHOLE_WARP:
            return 0
    for index in range(count):
        if paths.state[warp, index] == AT_BARRIER + number:
            paths.state[warp, index] = READY
    return 1


@unit
def call(paths, warp):
    """All groups that do not run have waited at an instruction of the whole warp: each executes it when it runs next."""
    for index in range(np.int64(paths.count[warp])):
        paths.state[warp, index] = READY
        paths.pc[warp, index] -= 1
        paths.called[warp] = paths.called[warp] | paths.mask[warp, index]


@unit
def was_called(paths, warps, warp):
    """Whether the running lanes have waited at their instruction of the whole warp already, and execute it now; they wait at the next."""
    called = warps.mask[warp] & ~paths.called[warp] == EMPTY
    paths.called[warp] = paths.called[warp] & ~warps.mask[warp]
    return called


@unit
def left_at_barrier(paths, warp):
    """The first group at the barrier at which all groups of a warp wait when none runs; -1 when there is none.

    Those at an instruction of the whole warp come after the others: the first of them only if all are at one.
    """
    found = np.int64(-1)
    for index in range(np.int64(paths.count[warp]) - 1, -1, -1):
        state = paths.state[warp, index]
        if state < AT_BARRIER:
            return np.int64(-1)
        if found < 0 or state == paths.state[warp, found] or paths.state[warp, found] == AT_BARRIER + WHOLE_WARP:
            found = np.int64(index)
        elif state != AT_BARRIER + WHOLE_WARP:
            return np.int64(-1)
    return found
