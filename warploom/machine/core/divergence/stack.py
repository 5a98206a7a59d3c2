"""Reconvergence stack: the paths of every divergent branch reconverge at its immediate post-dominator.

In hardware: a small stack for each warp, an entry a path that waits: lane mask, PC, and the PC at which the path
reconverges with the others. The path on top runs; when its PC reaches its reconvergence PC, it is popped and the next runs from
where it waits. Pre-Volta NVIDIA GPUs work this way (Coon and Lindholm, US 7,353,369; Fung et al., MICRO 2007, section 2). The
reconvergence PCs come from `isa/analysis/control_flow.py`.

Which side of a branch runs first is a choice. With `divergence.first = "smaller"`, as AMD's fork and join do it, every side
that waits is at least as large as all that run above it, so that at most log2(lanes) of them wait. The entries in which
paths reconverge come on top of that; AMD's compiler keeps those in scalar registers (Southern Islands ISA, S_CBRANCH_G_FORK).

An instruction of a program that manages its own warps may be for the whole warp (Vortex's tmc, wspawn, bar). A path that comes to one has
left its branches for good, though it may never have been where they reconverge: a function with several returns has no such place. So it
waits in the lowest entry, and the entries above run, each without the lanes that are there already.

Entries are rows of the path table (`path_table.py`), the last one on top. The mask stack of machines whose programs manage masks
themselves (guppy, Vortex) is such a table too, with other rules (`masks.py`).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import AT_BARRIER, STACKED, taken_first
from warploom.machine.core.warps.barrier import WHOLE_WARP
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import unit


@unit
def push(stack, warp, mask, pc, reconvergence_pc):
    """Put a path on the stack; returns 0 when it is full."""
    depth = stack.count[warp]
    if depth >= stack.limit:
        return 0
    stack.mask[warp, depth] = mask
    stack.pc[warp, depth] = pc
    stack.state[warp, depth] = STACKED
    stack.reconvergence_pc[warp, depth] = reconvergence_pc
    stack.count[warp] = depth + 1
    stack.peak = max(stack.peak, depth + 1)
    return 1


@unit
def branch(stack, warps, warp, taken, target, reconvergence_pc):
    """Lanes `taken` go to `target`, the other active ones to the next instruction. Returns 0 when the stack is full.

    Both sides are not empty.
    """
    mask = warps.mask[warp]
    other = mask & ~taken
    following = np.int64(warps.pc[warp]) + 1
    # A loop whose exit branch reconverges where the running path does anyway adds no entry, so the stack does not grow.
    if reconvergence_pc != stack.rejoins_at[warp] and push(stack, warp, mask, reconvergence_pc, stack.rejoins_at[warp]) == 0:
        return 0
    if taken_first(stack.first_side, taken, other) != 0:
        return _choose(stack, warps, warp, taken, np.int64(target), other, following, reconvergence_pc)
    return _choose(stack, warps, warp, other, following, taken, np.int64(target), reconvergence_pc)


@unit
def _choose(stack, warps, warp, mask, pc, waiting, waiting_pc, reconvergence_pc):
    """One side runs; the other waits, unless it is at the reconvergence PC already. Returns 0 when the stack is full."""
    if waiting_pc != reconvergence_pc:
        if push(stack, warp, waiting, waiting_pc, reconvergence_pc) == 0:
            return 0
        stack.sides[warp] += 1
        stack.peak_sides = max(stack.peak_sides, np.int64(stack.sides[warp]))
    stack.rejoins_at[warp] = reconvergence_pc
    warps.mask[warp] = mask
    warps.pc[warp] = pc
    return 1


@unit
def select_path(stack, warps, warp):
    """After a change of PC or of the live lanes: pop until a path with lanes is before its reconvergence PC."""
    while warps.mask[warp] == EMPTY or (stack.rejoins_at[warp] >= 0 and warps.pc[warp] == stack.rejoins_at[warp]):
        depth = stack.count[warp] - 1
        if depth < 0:
            break
        stack.count[warp] = depth
        if stack.pc[warp, depth] != stack.rejoins_at[warp]:  # else it is the entry in which the sides reconverge
            stack.sides[warp] -= 1
        warps.mask[warp] = stack.mask[warp, depth] & warps.threads[warp]
        warps.pc[warp] = stack.pc[warp, depth]
        stack.rejoins_at[warp] = stack.reconvergence_pc[warp, depth]
    if stack.rejoins_at[warp] >= 0:
        warps.diverged = warps.diverged | bit(warp)
    else:
        warps.diverged = warps.diverged & ~bit(warp)


@unit
def gather(stack, warps, warp):
    """The running path is at an instruction of the whole warp. Returns 1 when all lanes are, 0 when it waits for them, -1: no room for it.

    Where it waits no lane runs: `select_path` goes on with the path on top.
    """
    depth = stack.count[warp]
    gathers = depth > 0 and stack.state[warp, 0] == AT_BARRIER + WHOLE_WARP
    if depth == 0 or (gathers and stack.pc[warp, 0] != warps.pc[warp]):
        return 1
    if gathers and depth == 1:
        warps.mask[warp] = warps.mask[warp] | (stack.mask[warp, 0] & warps.threads[warp])
        stack.count[warp] = 0
        stack.sides[warp] -= 1
        stack.rejoins_at[warp] = -1
        return 1
    if not gathers:
        if push(stack, warp, EMPTY, 0, -1) == 0:
            return -1
        _move_up(stack, warp, depth)
        stack.mask[warp, 0] = EMPTY
        stack.pc[warp, 0] = warps.pc[warp]
        stack.state[warp, 0] = AT_BARRIER + WHOLE_WARP
        stack.reconvergence_pc[warp, 0] = -1
        stack.sides[warp] += 1
    stack.mask[warp, 0] = stack.mask[warp, 0] | warps.mask[warp]
    for index in range(1, stack.count[warp]):
        stack.mask[warp, index] = stack.mask[warp, index] & ~warps.mask[warp]
    warps.mask[warp] = EMPTY
    return 0


@unit
def _move_up(stack, warp, depth):
    """Each of the lowest `depth` entries takes the place of the next higher one."""
    for index in range(depth, 0, -1):
        stack.mask[warp, index] = stack.mask[warp, index - 1]
        stack.pc[warp, index] = stack.pc[warp, index - 1]
        stack.state[warp, index] = stack.state[warp, index - 1]
        stack.reconvergence_pc[warp, index] = stack.reconvergence_pc[warp, index - 1]
