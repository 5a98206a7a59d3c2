# mypy: disable-error-code="no-untyped-def"
"""Where the core asks its divergence mechanism: one function a question, one line a mechanism.

In hardware only one of the mechanisms is there. What each of them is, and what it costs, is in its own file.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence import DWF, ITS, MINPC, STACK
from warploom.machine.core.divergence.its import backward_jump_or_yield as its_backward_jump_or_yield
from warploom.machine.core.divergence.its import branch as its_branch
from warploom.machine.core.divergence.its import select_path as its_select_path
from warploom.machine.core.divergence.minpc import select_path as minpc_select_path
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY, all_come, put, put_aside, split_group
from warploom.machine.core.divergence.path_table import clear as clear_contexts
from warploom.machine.core.divergence.stack import branch as stack_branch
from warploom.machine.core.divergence.stack import clear as clear_stack
from warploom.machine.core.divergence.stack import select_path as stack_select_path
from warploom.machine.engine.bits import bit
from warploom.machine.engine.unit import unit

DIVERGENCE, STACK_OVERFLOW = FAULT_NUMBER["divergence"], FAULT_NUMBER["stack_overflow"]


@unit
def start(core, warp):
    """A warp starts: all of its lanes run, nobody waits."""
    clear_stack(core.paths, warp)
    clear_stack(core.masks, warp)
    clear_contexts(core.contexts, warp)
    core.warps.diverged = core.warps.diverged & ~bit(warp)


@unit
def diverge(gpu, core, warp, taken, target, reconvergence_pc):
    """Lanes `taken` go to `target`, the other active ones to the next instruction; neither side is empty.

    meet: the branch's immediate post-dominator, or NONE. Returns 0 or the number of a fault.
    """
    warps = core.warps
    if core.divergence == STACK:
        if stack_branch(core.paths, warps, warp, taken, target, reconvergence_pc) == 0:
            gpu.fault.limit = core.paths.limit
            return np.int64(STACK_OVERFLOW)
    elif core.divergence == MINPC or core.divergence == DWF:
        split_group(core.contexts, warps, warp, taken, target)
    elif core.divergence == ITS:
        its_branch(core.contexts, warps, warp, taken, target, reconvergence_pc)
    else:
        return _disagree(gpu, core, warp, taken)
    return np.int64(0)


@unit
def diverge_indirect(gpu, core, warp, same):
    """Lanes `same` go to one place through a register, the other active ones elsewhere: those come to this jump again.

    Returns 0 or the number of a fault.
    """
    warps = core.warps
    if core.divergence >= MINPC:
        put(core.contexts, warp, warps.mask[warp] & ~same, np.int64(warps.pc[warp]), READY)
        warps.mask[warp] = same
        return np.int64(0)
    return _disagree(gpu, core, warp, same)


@unit
def _disagree(gpu, core, warp, lanes):
    """The machine has nothing for lanes that disagree."""
    gpu.fault.lanes = lanes
    gpu.fault.others = core.warps.mask[warp] & ~lanes
    return np.int64(DIVERGENCE)


@unit
def exit_lanes(core, warp, leaving):
    """Lanes end. Those of a program that manages masks go on with the lanes that it had put aside."""
    warps = core.warps
    warps.threads[warp] = warps.threads[warp] & ~leaving
    warps.mask[warp] = warps.mask[warp] & ~leaving
    if warps.threads[warp] == np.uint64(0):
        clear_contexts(core.contexts, warp)
    elif core.divergence != STACK and core.contexts.count[warp] == 0:
        depth = core.masks.depth[warp]
        while depth > 0 and warps.mask[warp] == np.uint64(0):
            depth -= 1
            warps.mask[warp] = core.masks.mask[warp, depth] & warps.threads[warp]
            warps.pc[warp] = core.masks.pc[warp, depth]
        core.masks.depth[warp] = depth


@unit
def arrive_at_barrier(core, warp, number, expected):
    """The active lanes come to barrier `number` of their block, which expects so many warps. Returns 1 when the warp has come.

    Otherwise they wait for the rest of their warp, and the PC of the warp is that of others.
    """
    if core.divergence < MINPC:
        return 1
    if all_come(core.contexts, warp, number) != 0:
        return 1
    core.contexts.expected[warp] = expected
    put_aside(core.contexts, core.warps, warp, AT_BARRIER + number)
    return 0


@unit
def select_path(core, warp):
    """After a change of PC or of the live lanes: which lanes run, and from where."""
    if core.divergence == STACK:
        stack_select_path(core.paths, core.warps, warp)
    elif core.divergence == MINPC or core.divergence == DWF:  # which then forms warps, and chooses anew
        minpc_select_path(core.contexts, core.warps, warp)
    elif core.divergence == ITS:
        its_select_path(core.contexts, core.warps, warp)


@unit
def backward_jump_or_yield(core, warp, yields):
    """The active lanes have jumped back, or yield: where the mechanism is fair, others run now."""
    if core.divergence == ITS:
        its_backward_jump_or_yield(core.contexts, core.warps, warp, yields)
