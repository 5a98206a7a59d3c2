# mypy: disable-error-code="no-untyped-def"
"""Independent thread scheduling: every lane has a PC of its own, lanes wait for each other at convergence barriers, and
none starves.

In hardware: a PC and a call stack a lane, a few barrier registers a warp (16 on Volta, a lane mask each), and a scheduler
that picks a group of lanes with the same PC. Before a branch that lanes may disagree on, the compiler names a barrier register and
all active lanes join it (BSSY); at the branch's post-dominator lanes wait until all that joined have come or ended
(BSYNC). Here the machine joins them itself, at the first branch that parts them, so any program works. Without a free
register lanes do not wait, and meet only where their PCs happen to be equal. A PC alone groups lanes: the depth of their
calls lies in their registers, and a return on which they disagree parts them again.

Forward progress. A stack runs one path until it meets the other, so a lane that waits for a lock that a lane of its own warp
holds waits for ever. Here the groups that are ready take turns: at each jump back, and at `yield`. And when
the running lanes have jumped back `patience` times without anybody coming to a convergence barrier, the lanes that wait there go
on without them (the running ones count as having yielded, as at a `yield` when nobody else is ready). How long real
hardware waits is not published; 256 is our own choice.

Left out: what a switch between groups costs beyond refilling the instruction buffer; and a group that waits for
memory keeps the warp, where later research lets another one run (subwarp interleaving, HPCA 2022).

Sources: NVIDIA, "Volta architecture", 2017; Diamos et al., US 10,067,768, "Execution of divergent threads using a convergence
barrier" (barriers, yield); "Control Flow Management in Modern GPUs", arXiv:2407.02944 (BSSY, BSYNC, YIELD).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import AT_RECONVERGENCE, READY, mark, merge, put, put_aside, run, split_group
from warploom.machine.engine.unit import unit


@unit
def branch(contexts, warps, warp, taken, target, reconvergence_pc):
    """Lanes `taken` go to `target`, the other active ones on; all of them join a convergence barrier at `meet`, if that is one."""
    if reconvergence_pc >= 0:
        _join(contexts, warp, reconvergence_pc, warps.mask[warp])
    split_group(contexts, warps, warp, taken, target)


@unit
def _join(contexts, warp, reconvergence_pc, mask):
    """Lanes will wait for each other at instruction `meet`. Those that do already need no further barrier."""
    count = np.int64(contexts.barriers[warp])
    for index in range(count):
        if contexts.reconvergence_pc[warp, index] == reconvergence_pc and mask & ~contexts.members[warp, index] == np.uint64(0):
            return
    if count < contexts.barrier_limit:
        contexts.reconvergence_pc[warp, count] = reconvergence_pc
        contexts.members[warp, count] = mask
        contexts.barriers[warp] = count + 1


@unit
def select_path(contexts, warps, warp):
    """After a change of PC or of the live lanes: lanes wait where they are to meet others, and a group that is ready runs."""
    while True:
        if warps.mask[warp] == np.uint64(0) and _next(contexts, warps, warp) == 0:
            break
        waiting = warps.mask[warp] & _held(contexts, warp, warps.pc[warp])
        if waiting == np.uint64(0):
            break
        put(contexts, warp, waiting, np.int64(warps.pc[warp]), AT_RECONVERGENCE)
        warps.mask[warp] &= ~waiting
        contexts.backward_jumps[warp] = 0
        _open(contexts, warps, warp)
    merge(contexts, warps, warp)
    mark(contexts, warps, warp)


@unit
def backward_jump_or_yield(contexts, warps, warp, yields):
    """The running group has jumped back, or yields: another one that is ready runs; those that meet lose patience."""
    meets = np.int64(0)
    ready = np.int64(0)
    for index in range(np.int64(contexts.count[warp])):
        meets += 1 if contexts.state[warp, index] == AT_RECONVERGENCE else 0
        ready += 1 if contexts.state[warp, index] == READY else 0
    if meets > 0:
        contexts.backward_jumps[warp] += 1
        if contexts.backward_jumps[warp] >= contexts.patience or (yields != 0 and ready == 0):
            for index in range(np.int64(contexts.count[warp])):
                _release(contexts, warp, index)
            ready += 1
    if ready > 0:
        put_aside(contexts, warps, warp, READY)
        _next(contexts, warps, warp)


@unit
def _next(contexts, warps, warp):
    """The group that has been ready longest runs. Returns 0 when there is none."""
    _open(contexts, warps, warp)  # lanes may have ended for which others wait
    meets = np.int64(-1)
    for index in range(np.int64(contexts.count[warp])):
        if contexts.state[warp, index] == READY:
            run(contexts, warps, warp, index)
            return 1
        if meets < 0 and contexts.state[warp, index] == AT_RECONVERGENCE:
            meets = np.int64(index)
    if meets < 0:
        return 0
    # All others wait at a barrier of the block, to which these lanes may have to come yet.
    _release(contexts, warp, meets)
    run(contexts, warps, warp, meets)
    return 1


@unit
def _held(contexts, warp, pc):
    """The lanes that are to meet others at instruction `pc`."""
    held = np.uint64(0)
    for index in range(np.int64(contexts.barriers[warp])):
        if contexts.reconvergence_pc[warp, index] == pc:
            held = held | contexts.members[warp, index]
    return held


@unit
def _open(contexts, warps, warp):
    """Take away the barriers to which all members that have not ended have come, and those without members."""
    for barrier in range(np.int64(contexts.barriers[warp]) - 1, -1, -1):
        missing = contexts.members[warp, barrier] & warps.threads[warp]
        for index in range(np.int64(contexts.count[warp])):
            if contexts.state[warp, index] == AT_RECONVERGENCE and contexts.pc[warp, index] == contexts.reconvergence_pc[warp, barrier]:
                missing = missing & ~contexts.mask[warp, index]
        if missing == np.uint64(0):
            _drop(contexts, warp, barrier)
            contexts.backward_jumps[warp] = 0
    for index in range(np.int64(contexts.count[warp]) - 1, -1, -1):
        if contexts.state[warp, index] == AT_RECONVERGENCE:
            free = contexts.mask[warp, index] & ~_held(contexts, warp, contexts.pc[warp, index])
            if free == contexts.mask[warp, index]:
                contexts.state[warp, index] = READY
            elif free != np.uint64(0):
                contexts.mask[warp, index] &= ~free
                put(contexts, warp, free, np.int64(contexts.pc[warp, index]), READY)


@unit
def _drop(contexts, warp, barrier):
    """A barrier register is free again: the last one takes its row."""
    last = np.int64(contexts.barriers[warp]) - 1
    contexts.reconvergence_pc[warp, barrier] = contexts.reconvergence_pc[warp, last]
    contexts.members[warp, barrier] = contexts.members[warp, last]
    contexts.barriers[warp] = last


@unit
def _release(contexts, warp, index):
    """Lanes that wait at a convergence barrier go on without the others, who need not wait for them either."""
    if contexts.state[warp, index] != AT_RECONVERGENCE:
        return
    for barrier in range(np.int64(contexts.barriers[warp])):
        if contexts.reconvergence_pc[warp, barrier] == contexts.pc[warp, index]:
            contexts.members[warp, barrier] &= ~contexts.mask[warp, index]
    contexts.state[warp, index] = READY
