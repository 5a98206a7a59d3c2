"""Program-managed masks: the program itself pushes and pops lane masks, and branches only as a whole warp.

In hardware: a mask register, and a stack of (mask, PC) pairs that some instructions push and pop. The machine itself decides nothing: the
compiler writes both sides of an `if` one after the other. Sources: guppy's push_mask, pop_mask, mask_nz and br_push
(github.com/aschrein/guppy); AMD's EXEC, which is read and written. Vortex's way is in `split_join.py`.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, HIGHEST_LEADS, IMM, NUMBER, OP, RECONVERGE, SCALAR, TARGET, A
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence.stack import push
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, highest, lowest
from warploom.machine.engine.unit import unit

PUSH_MASK, POP_MASK, MASK_NONZERO, BRANCH_PUSH = (NUMBER[name] for name in ("push_mask", "pop_mask", "mask_nonzero", "branch_push"))
READ_MASK, WRITE_MASK = NUMBER["read_mask"], NUMBER["write_mask"]
UNSUPPORTED = FAULT_NUMBER["unsupported"]
OK, OVERFLOW, UNDERFLOW = 0, FAULT_NUMBER["stack_overflow"], FAULT_NUMBER["stack_underflow"]
ALL_BITS = np.uint32(0xFFFFFFFF)
LOW_HALF = np.uint64(0xFFFFFFFF)


@unit
def lanes_where(row, bits, mask, lanes):
    """The lanes of `mask` in which (row & bits) is not zero, as a mask."""
    chosen = EMPTY
    for lane in range(lanes):
        chosen = chosen | (np.uint64(1 if row[lane] & bits != 0 else 0) << np.uint64(lane))
    return chosen & mask


@unit
def leader(mask):
    """The lane that acts for its warp: the lowest active one, lane 0 if none is active."""
    return lowest(mask) & 63


@unit
def spokesman(mask, flags):
    """The lane that acts for the lanes in `mask`, as an operation's flags say: the lowest or the highest; lane 0 if there is none."""
    if flags & HIGHEST_LEADS == 0 or mask == EMPTY:
        return leader(mask)
    return highest(mask)


@unit
def change_mask(gpu, core, warp, tables, k):
    """Execute control micro-op `k`, an operation on masks: writes the warp's mask and PC, or a scalar register pair.

    Returns 0 or the number of a fault.
    """
    warps = core.warps
    stack = core.mask_stack
    op = tables.uops[k, OP]
    fault = np.int64(OK)
    if op == PUSH_MASK:
        fault = push_mask(stack, warps, warp, tables.uops[k, TARGET])
    elif op == POP_MASK:
        fault = pop_mask(stack, warps, warp)
    elif op == MASK_NONZERO:
        fault = mask_nonzero(stack, warps, warp, chosen_lanes(core, warp, tables, k))
    elif op == BRANCH_PUSH:
        fault = branch_push(stack, warps, warp, chosen_lanes(core, warp, tables, k), tables.uops[k, TARGET], tables.uops[k, RECONVERGE])
    elif op == READ_MASK:
        _read_mask(core, warp, np.int64(tables.uops[k, DST]) - SCALAR)
    elif op == WRITE_MASK:
        _write_mask(core, warp, np.int64(tables.uops[k, A]) - SCALAR)
    else:
        gpu.fault.value = np.int64(tables.uops[k, IMM])
        fault = np.int64(UNSUPPORTED)
    if fault == OVERFLOW or fault == UNDERFLOW:
        gpu.fault.limit = stack.limit
    return np.int64(fault)


@unit
def chosen_lanes(core, warp, tables, k):
    """The active lanes in which source A of micro-op `k` is not zero."""
    registers = core.registers[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, core.warps.lanes)]
    return lanes_where(row, ALL_BITS, core.warps.mask[warp], core.warps.lanes)


@unit
def push_mask(stack, warps, warp, target):
    """guppy push_mask: remember the mask and where to continue when it is popped."""
    ok = push(stack, warp, warps.mask[warp], target, -1)
    warps.pc[warp] += 1
    return OK if ok != 0 else OVERFLOW


@unit
def pop_mask(stack, warps, warp):
    """guppy pop_mask: the remembered mask, at the remembered place."""
    depth = stack.count[warp] - 1
    if depth < 0:
        return UNDERFLOW
    stack.count[warp] = depth
    warps.mask[warp] = stack.mask[warp, depth] & warps.threads[warp]
    warps.pc[warp] = stack.pc[warp, depth]
    return OK


@unit
def mask_nonzero(stack, warps, warp, chosen):
    """guppy mask_nz: continue with the chosen lanes; when there are none, pop."""
    if chosen == EMPTY:
        return pop_mask(stack, warps, warp)
    warps.mask[warp] = chosen
    warps.pc[warp] += 1
    return OK


@unit
def branch_push(stack, warps, warp, chosen, otherwise, reconvergence_pc):
    """guppy br_push: the chosen lanes now, the others at `otherwise` afterwards, all together at `reconvergence_pc`."""
    mask = warps.mask[warp]
    others = mask & ~chosen
    if push(stack, warp, mask, reconvergence_pc, -1) == 0:
        return OVERFLOW
    if others != EMPTY and push(stack, warp, others, otherwise, -1) == 0:
        return OVERFLOW
    if chosen == EMPTY:
        return pop_mask(stack, warps, warp)
    warps.mask[warp] = chosen
    warps.pc[warp] += 1
    return OK


@unit
def _read_mask(core, warp, low):
    """The active lanes, in the scalar register pair that begins with number `low`."""
    mask = core.warps.mask[warp]
    core.registers[warp].scalar[low] = np.uint32(mask & LOW_HALF)
    core.registers[warp].scalar[low + 1] = np.uint32(mask >> np.uint64(32))
    core.warps.pc[warp] += 1


@unit
def _write_mask(core, warp, low):
    """The scalar register pair that begins with number `low` becomes the mask, restricted to lanes that have a thread."""
    warps = core.warps
    scalar = core.registers[warp].scalar
    warps.mask[warp] = (np.uint64(scalar[low]) | (np.uint64(scalar[low + 1]) << np.uint64(32))) & warps.threads[warp]
    warps.pc[warp] += 1
