"""Reconvergence stack: the paths of every divergent branch reconverge at its immediate post-dominator.

In hardware: a small stack for each warp, an entry per waiting path: lane mask, PC, and the PC at which the path reconverges with the
others. The path on top runs; when its PC reaches its reconvergence PC, it is popped and the next runs from where it waits. Pre-Volta NVIDIA
GPUs work this way (Coon and Lindholm, US 7,353,369; Fung et al., MICRO 2007, section 2). The reconvergence PCs come from
`isa/analysis/control_flow.py`.

Which side of a branch runs first is a choice. With `divergence.first = "smaller"`, as AMD's fork and join do it, every side
that waits at a branch is at least as large as all that run above it, so that at most log2(lanes) of them wait. The entries in which
paths reconverge come on top of that; AMD's compiler keeps those in scalar registers (Southern Islands ISA, S_CBRANCH_G_FORK).
A jump through a register has no such choice: the lanes that go where the first one does run first, however many they are, so nested calls
through pointers may leave a side for each lane.

Entries are rows of the path table (`path_table.py`), the last one on top. What happens at an instruction that is for the whole warp, in
programs that manage their own warps, is in `gathering.py`. The mask stack of machines whose programs manage masks
themselves (guppy, Vortex) is such a table too, with other rules (`masks.py`).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import AT_BARRIER, RECONVERGENCE, STACKED, taken_first
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

    Neither side is empty.
    """
    other = warps.mask[warp] & ~taken
    following = np.int64(warps.pc[warp]) + 1
    if _reconverge(stack, warps, warp, reconvergence_pc) == 0:
        return 0
    if taken_first(stack.first_side, taken, other) != 0:
        return _choose(stack, warps, warp, taken, np.int64(target), other, following, reconvergence_pc)
    return _choose(stack, warps, warp, other, following, taken, np.int64(target), reconvergence_pc)


@unit
def jump_apart(stack, warps, warp, others, reconvergence_pc):
    """The `others` among the running lanes wait at this jump, and execute it when the rest is at the reconvergence PC.

    A call through a register reconverges after it; any other jump where the running path does. AMD's compiler writes such a loop over the
    targets itself (LLVM, SIInstrInfo.cpp: a "waterfall" loop); each pass takes the lanes that agree with the first one. Returns 0 when the
    stack is full.
    """
    if _reconverge(stack, warps, warp, reconvergence_pc) == 0:
        return 0
    here = np.int64(warps.pc[warp])
    return _choose(stack, warps, warp, warps.mask[warp] & ~others, here, others, here, reconvergence_pc)


@unit
def _reconverge(stack, warps, warp, reconvergence_pc):
    """The running lanes are about to diverge until a reconvergence PC, where all of them continue. Returns 0 when the stack is full."""
    # A loop whose exit branch reconverges where the running path does anyway adds no entry, so the stack does not grow.
    if reconvergence_pc == stack.rejoins_at[warp]:
        return 1
    if push(stack, warp, warps.mask[warp], reconvergence_pc, stack.rejoins_at[warp]) == 0:
        return 0
    stack.state[warp, stack.count[warp] - 1] = RECONVERGENCE
    return 1


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
        if stack.state[warp, depth] != RECONVERGENCE:
            stack.sides[warp] -= 1
        warps.mask[warp] = stack.mask[warp, depth] & warps.threads[warp]
        warps.pc[warp] = stack.pc[warp, depth] - (1 if stack.state[warp, depth] >= AT_BARRIER else 0)  # executes it again
        stack.rejoins_at[warp] = stack.reconvergence_pc[warp, depth]
    if stack.rejoins_at[warp] >= 0:
        warps.diverged = warps.diverged | bit(warp)
    else:
        warps.diverged = warps.diverged & ~bit(warp)
