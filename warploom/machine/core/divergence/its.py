"""Independent thread scheduling: every lane has its own PC, lanes wait for each other at convergence barriers, and none starves.

In hardware: a PC and a call stack per lane, a few barrier registers per warp (16 on Volta, each a lane mask), and a scheduler that picks a
group of lanes with the same PC. Before a branch that lanes may disagree on, the compiler names a barrier register and all active lanes join
it (BSSY); at the branch's post-dominator lanes wait until all that joined have come or ended (BSYNC). Here the machine joins them itself,
at the first branch at which they diverge, so any program works. Without a free register lanes do not wait, and reconverge only where their
PCs happen to be equal. A PC alone groups lanes: the depth of their calls is in their registers, and at a return on which they disagree they
diverge again.

Forward progress. A stack runs one path until it reconverges, so a lane that waits for a lock that a lane of its own warp
holds waits forever. Here the groups that are ready run round robin: the next one at each jump back, and at `yield`. And lanes that have
come to a convergence barrier do not always wait for those that run:

* A jump back of a loop that itself waits (`isa/analysis/spins.py`: for a lock, for a flag) yields, as a compiler's YIELD there does:
  lanes that wait for those that jumped continue immediately without them. So a lock is handed over in the time of a try and a release.
* In other loops they continue when the running lanes have jumped back `patience` times and no lane has reached a barrier. How long real
  hardware waits is not published; 256 is our own choice.

Machine code names its barriers itself: then the functions of `named_barriers.py` replace three of these.

Left out: what a switch between groups costs beyond refilling the instruction buffer; and a group that waits for
memory keeps the warp, where later research lets a different group run (subwarp interleaving, HPCA 2022).

Sources: NVIDIA, "Volta architecture", 2017; Diamos et al., US 10,067,768, "Execution of divergent threads using a convergence
barrier" (barriers, yield); "Control Flow Management in Modern GPUs", arXiv:2407.02944 (BSSY, BSYNC, YIELD).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import (
    AT_RECONVERGENCE,
    AT_SYNC,
    READY,
    merge,
    note_diverged,
    put,
    put_aside,
    run_group,
    split_group,
)
from warploom.machine.engine.bits import EMPTY, bit, lowest, rest
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import record, unit

NAMES = 16  # barriers that a program can name

ConvergenceBarriers = record(
    settings=dict(
        limit="i8",                              # convergence barriers that a warp has
        patience="i8",                           # after how many backward jumps lanes no longer wait at one
    ),
    state=dict(                                  # [warp slot], or [warp slot, barrier]; in a mask, bit l = lane l
        count=("i4", MAX_WARPS),                 # barriers in use
        pc=("i4", (MAX_WARPS, MAX_LANES)),       # the instruction at which a barrier lies
        members=("u8", (MAX_WARPS, MAX_LANES)),  # the lanes that wait for each other there
        named=("u8", (MAX_WARPS, MAX_LANES)),    # [warp slot, lane] the lanes that a lane AT_SYNC waits for
        syncing=("u8", MAX_WARPS),               # lanes that are AT_SYNC
        converging=("u8", (MAX_WARPS, NAMES)),   # the lanes of the barriers that the program names
        backward_jumps=("i8", MAX_WARPS),        # jumps back since a lane last came to a barrier
    ),
)  # fmt: skip


@unit
def clear(barriers, warp):
    """A warp starts, or ends: no lane waits for another one."""
    barriers.count[warp] = 0
    barriers.syncing[warp] = EMPTY
    barriers.backward_jumps[warp] = 0
    for number in range(NAMES):
        barriers.converging[warp, number] = EMPTY


@unit
def branch(paths, barriers, warps, warp, taken, target, reconvergence_pc):
    """Lanes `taken` go to `target`, the other active ones to the next instruction.

    reconvergence_pc: where all of them join a convergence barrier, or NONE.
    """
    if reconvergence_pc >= 0:
        _join(barriers, warp, reconvergence_pc, warps.mask[warp])
    split_group(paths, warps, warp, taken, target)


@unit
def _join(barriers, warp, reconvergence_pc, mask):
    """Lanes will wait for each other at instruction `reconvergence_pc`. Those that do already need no further barrier."""
    count = np.int64(barriers.count[warp])
    for index in range(count):
        if barriers.pc[warp, index] == reconvergence_pc and mask & ~barriers.members[warp, index] == EMPTY:
            return
    if count < barriers.limit:
        barriers.pc[warp, count] = reconvergence_pc
        barriers.members[warp, count] = mask
        barriers.count[warp] = count + 1


@unit
def select_path(paths, barriers, warps, warp):
    """After a change of PC or of the live lanes: lanes wait where they reconverge with others, and a group that is ready runs."""
    while True:
        if warps.mask[warp] == EMPTY and _next(paths, barriers, warps, warp) == 0:
            break
        waiting = warps.mask[warp] & _lanes_expected_at(barriers, warp, warps.pc[warp])
        if waiting == EMPTY:
            break
        put(paths, warp, waiting, np.int64(warps.pc[warp]), AT_RECONVERGENCE)
        warps.mask[warp] &= ~waiting
        barriers.backward_jumps[warp] = 0
        open_barriers(paths, barriers, warps, warp)
    merge(paths, warps, warp)
    note_diverged(paths, warps, warp)
    if barriers.count[warp] > 0:
        warps.diverged = warps.diverged | bit(warp)


@unit
def backward_jump_or_yield(paths, barriers, warps, warp, yields, waits):
    """The running group has jumped back, or yields: the next one that is ready runs. Those at a convergence barrier lose patience.

    waits: 1 when it has jumped back in a loop that waits for other threads: those that wait for it in turn continue immediately.
    """
    waiting = np.int64(0)
    ready = np.int64(0)
    if waits != 0:
        for index in range(np.int64(paths.count[warp])):
            if paths.state[warp, index] == AT_RECONVERGENCE and _expected_by(paths, barriers, warps, warp, index) != 0:
                _release(paths, barriers, warp, index)
    for index in range(np.int64(paths.count[warp])):
        waiting += 1 if paths.state[warp, index] == AT_RECONVERGENCE else 0
        ready += 1 if paths.state[warp, index] == READY else 0
    if waiting > 0:
        barriers.backward_jumps[warp] += 1
        if barriers.backward_jumps[warp] >= barriers.patience or (yields != 0 and ready == 0):
            for index in range(np.int64(paths.count[warp])):
                _release(paths, barriers, warp, index)
            ready += 1
    if ready > 0:
        put_aside(paths, warps, warp, READY)
        _next(paths, barriers, warps, warp)


@unit
def sync(paths, barriers, warps, warp, named):
    """The running group waits until the lanes `named` that have not ended have come to a sync, too."""
    running = warps.mask[warp]
    if named & warps.threads[warp] & ~running == EMPTY:
        return
    left = running
    while left != EMPTY:
        barriers.named[warp, lowest(left)] = named
        left = rest(left)
    barriers.syncing[warp] = barriers.syncing[warp] | running
    put_aside(paths, warps, warp, AT_SYNC)
    barriers.backward_jumps[warp] = 0


@unit
def _open_syncs(paths, barriers, warps, warp):
    """Groups of which every lane has all those at a sync that it waits for become ready."""
    free = EMPTY
    left = barriers.syncing[warp]
    while left != EMPTY:
        lane = lowest(left)
        left = rest(left)
        if barriers.named[warp, lane] & warps.threads[warp] & ~barriers.syncing[warp] == EMPTY:
            free = free | bit(lane)
    if free == EMPTY:
        return
    barriers.syncing[warp] = barriers.syncing[warp] & ~free
    for index in range(np.int64(paths.count[warp]) - 1, -1, -1):
        if paths.state[warp, index] == AT_SYNC and paths.mask[warp, index] & ~free == EMPTY:
            paths.state[warp, index] = READY


@unit
def _expected_by(paths, barriers, warps, warp, index):
    """Whether a group that waits at a convergence barrier waits there for lanes that run."""
    for barrier in range(np.int64(barriers.count[warp])):
        if barriers.pc[warp, barrier] == paths.pc[warp, index] and barriers.members[warp, barrier] & warps.mask[warp] != EMPTY:
            return 1
    return 0


@unit
def _next(paths, barriers, warps, warp):
    """The group that has been ready longest runs. Returns 0 when there is none."""
    open_barriers(paths, barriers, warps, warp)  # lanes may have ended for which others wait
    waits = np.int64(-1)
    for index in range(np.int64(paths.count[warp])):
        if paths.state[warp, index] == READY:
            run_group(paths, warps, warp, index)
            return 1
        if waits < 0 and paths.state[warp, index] == AT_RECONVERGENCE:
            waits = np.int64(index)
    if waits < 0:
        return 0
    # All others wait at a barrier of the block, which these lanes may not have reached yet.
    _release(paths, barriers, warp, waits)
    run_group(paths, warps, warp, waits)
    return 1


@unit
def _lanes_expected_at(barriers, warp, pc):
    """The lanes for which others wait at instruction `pc`, or that are to wait there."""
    expected = EMPTY
    for index in range(np.int64(barriers.count[warp])):
        if barriers.pc[warp, index] == pc:
            expected = expected | barriers.members[warp, index]
    return expected


@unit
def open_barriers(paths, barriers, warps, warp):
    """Remove the barriers to which all members that have not ended have come, and those without members; open syncs to which all have."""
    if barriers.syncing[warp] != EMPTY:
        _open_syncs(paths, barriers, warps, warp)
    for barrier in range(np.int64(barriers.count[warp]) - 1, -1, -1):
        missing = barriers.members[warp, barrier] & warps.threads[warp]
        for index in range(np.int64(paths.count[warp])):
            if paths.state[warp, index] == AT_RECONVERGENCE and paths.pc[warp, index] == barriers.pc[warp, barrier]:
                missing = missing & ~paths.mask[warp, index]
        if missing == EMPTY:
            _drop(barriers, warp, barrier)
            barriers.backward_jumps[warp] = 0
    for index in range(np.int64(paths.count[warp]) - 1, -1, -1):
        if paths.state[warp, index] == AT_RECONVERGENCE:
            free = paths.mask[warp, index] & ~_lanes_expected_at(barriers, warp, paths.pc[warp, index])
            if free == paths.mask[warp, index]:
                paths.state[warp, index] = READY
            elif free != EMPTY:
                paths.mask[warp, index] &= ~free
                put(paths, warp, free, np.int64(paths.pc[warp, index]), READY)


@unit
def _drop(barriers, warp, barrier):
    """A barrier register is free again: the last one takes its row."""
    last = np.int64(barriers.count[warp]) - 1
    barriers.pc[warp, barrier] = barriers.pc[warp, last]
    barriers.members[warp, barrier] = barriers.members[warp, last]
    barriers.count[warp] = last


@unit
def _release(paths, barriers, warp, index):
    """Lanes that wait at a convergence barrier continue without the others, which need not wait for them either."""
    if paths.state[warp, index] != AT_RECONVERGENCE:
        return
    for barrier in range(np.int64(barriers.count[warp])):
        if barriers.pc[warp, barrier] == paths.pc[warp, index]:
            barriers.members[warp, barrier] &= ~paths.mask[warp, index]
    paths.state[warp, index] = READY
