"""What a core asks its divergence mechanism: one function per question, one line per mechanism.

Hardware has only one of the mechanisms. What each of them is, and what it costs, is in its own file.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence import DWF, ITS, MASKS, MINPC, STACK
from warploom.machine.core.divergence.its import backward_jump_or_yield as its_backward_jump_or_yield
from warploom.machine.core.divergence.its import branch as its_branch
from warploom.machine.core.divergence.its import clear as its_clear
from warploom.machine.core.divergence.its import select_path as its_select_path
from warploom.machine.core.divergence.minpc import select_path as minpc_select_path
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY, all_arrive, put, put_aside, split_group
from warploom.machine.core.divergence.path_table import clear as clear_paths
from warploom.machine.core.divergence.stack import branch as stack_branch
from warploom.machine.core.divergence.stack import jump_apart
from warploom.machine.core.divergence.stack import select_path as stack_select_path
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import unit

DISAGREE, UNGUARDED, STACK_OVERFLOW, DIFFERENT_TARGETS = (
    FAULT_NUMBER[name] for name in ("uniform", "unguarded", "stack_overflow", "different_targets")
)


@unit
def start(core, warp):
    """A warp starts: all of its lanes run, none waits."""
    clear_paths(core.path_table, warp)
    clear_paths(core.mask_stack, warp)
    its_clear(core.convergence_barriers, warp)
    core.warps.diverged = core.warps.diverged & ~bit(warp)


@unit
def diverge(gpu, core, warp, taken, target, reconvergence_pc):
    """Lanes `taken` go to `target`, the other active ones to the next instruction; neither side is empty.

    reconvergence_pc: the branch's immediate post-dominator, or NONE. Returns 0 or the number of a fault.
    """
    warps = core.warps
    if core.divergence == STACK:
        if stack_branch(core.path_table, warps, warp, taken, target, reconvergence_pc) == 0:
            gpu.fault.limit = core.path_table.limit
            return np.int64(STACK_OVERFLOW)
    elif core.divergence == MINPC or core.divergence == DWF:
        split_group(core.path_table, warps, warp, taken, target)
    elif core.divergence == ITS:
        its_branch(core.path_table, core.convergence_barriers, warps, warp, taken, target, reconvergence_pc)
    else:
        return _disagree(gpu, core, warp, taken)
    return np.int64(0)


@unit
def diverge_indirect(gpu, core, warp, jumping, same, calls):
    """The lanes `jumping` jump through a register, `same` of them to one place: the others wait, and execute this jump again.

    calls: 1 if it keeps the return address, that of the next instruction. Returns 0 or the number of a fault.
    """
    warps = core.warps
    if core.divergence == STACK:
        reconvergence_pc = np.int64(warps.pc[warp]) + 1 if calls != 0 else np.int64(core.path_table.rejoins_at[warp])
        if jump_apart(core.path_table, warps, warp, jumping & ~same, reconvergence_pc) == 0:
            gpu.fault.limit = core.path_table.limit
            return np.int64(STACK_OVERFLOW)
        return np.int64(0)
    if core.any_order != 0:
        put(core.path_table, warp, jumping & ~same, np.int64(warps.pc[warp]), READY)
        warps.mask[warp] = warps.mask[warp] & ~(jumping & ~same)
        return np.int64(0)
    fault = _disagree(gpu, core, warp, same)
    return np.int64(DIFFERENT_TARGETS) if fault == DISAGREE else fault


@unit
def set_aside(core, warp, part):
    """If lanes have separate paths, lanes `part` stay at an instruction, and the other active ones wait to continue at the PC."""
    if core.any_order != 0:
        put(core.path_table, warp, core.warps.mask[warp] & ~part, np.int64(core.warps.pc[warp]), READY)
        core.warps.mask[warp] = part


@unit
def _disagree(gpu, core, warp, lanes):
    """The machine has no mechanism for lanes that disagree."""
    gpu.fault.lanes = lanes
    gpu.fault.others = core.warps.mask[warp] & ~lanes
    return np.int64(UNGUARDED if core.divergence == MASKS else DISAGREE)


@unit
def exit_lanes(core, warp, leaving):
    """Lanes end. A warp whose program manages masks continues with the lanes on its mask stack."""
    warps = core.warps
    warps.threads[warp] = warps.threads[warp] & ~leaving
    warps.mask[warp] = warps.mask[warp] & ~leaving
    if warps.threads[warp] == EMPTY:
        clear_paths(core.path_table, warp)
        its_clear(core.convergence_barriers, warp)
    elif core.path_table.count[warp] == 0:
        depth = core.mask_stack.count[warp]
        while depth > 0 and warps.mask[warp] == EMPTY:
            depth -= 1
            warps.mask[warp] = core.mask_stack.mask[warp, depth] & warps.threads[warp]
            warps.pc[warp] = core.mask_stack.pc[warp, depth]
        core.mask_stack.count[warp] = depth


@unit
def arrive_at_barrier(core, warp, number, expected):
    """The active lanes come to barrier `number`, which expects `expected` warps, or cores. Returns 1 when the warp has arrived.

    Otherwise they wait for the rest of their warp, and a different group of it runs.
    """
    if core.any_order == 0:
        return 1
    if all_arrive(core.path_table, warp, number) != 0:
        return 1
    core.path_table.expected[warp] = expected
    put_aside(core.path_table, core.warps, warp, AT_BARRIER + number)
    return 0


@unit
def select_path(core, warp):
    """After a change of PC or of the live lanes: which lanes run, and from where."""
    if core.divergence == STACK:
        stack_select_path(core.path_table, core.warps, warp)
    elif core.divergence == MINPC or core.divergence == DWF:  # dwf selects again when it forms warps
        minpc_select_path(core.path_table, core.warps, warp)
    elif core.divergence == ITS:
        its_select_path(core.path_table, core.convergence_barriers, core.warps, warp)


@unit
def backward_jump_or_yield(core, warp, yields, waits):
    """The active lanes have jumped back, or yield: if the mechanism is fair, a different group runs now.

    waits: 1 for a jump back in a loop that waits for other threads.
    """
    if core.divergence == ITS:
        its_backward_jump_or_yield(core.path_table, core.convergence_barriers, core.warps, warp, yields, waits)
