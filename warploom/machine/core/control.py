"""Control unit: branches, masks, barriers and ends. What an instruction does to the course of its warp.

In hardware: part of the issue stage: it reads one condition register of the warp, makes a lane mask of it, and writes the
warp table. It is the one unit that the divergence mechanisms hang on.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import ADDRESS, DST, FLAGS, IMM, NEGATE, NONE, NUMBER, OP, RECONVERGE, SCALAR, TARGET, A, B
from warploom.machine.accounting.events import BARRIER as BARRIER_EVENT
from warploom.machine.accounting.events import emit
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence.masks import OVERFLOW, branch_push, join, mask_nonzero, pop_mask, push_mask, split
from warploom.machine.core.divergence.mechanism import (
    arrive_at_barrier,
    backward_jump_or_yield,
    diverge,
    diverge_indirect,
    exit_lanes,
    select_path,
)
from warploom.machine.core.divergence.path_table import left_at_barrier
from warploom.machine.core.divergence.path_table import run as run_context
from warploom.machine.core.warps.barrier import arrive, wake
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import bit, lowest
from warploom.machine.engine.unit import unit

NOP, BRANCH, JUMP, JUMP_REGISTER, CALL = (NUMBER[name] for name in ("nop", "branch", "jump", "jump_register", "call"))
EXIT, EXIT_WARP, TRAP = (NUMBER[name] for name in ("exit", "exit_warp", "trap"))
PUSH_MASK, POP_MASK, MASK_NONZERO, BRANCH_PUSH = (NUMBER[name] for name in ("push_mask", "pop_mask", "mask_nonzero", "branch_push"))
SPLIT, JOIN, SET_MASK, PREDICATE_OP = (NUMBER[name] for name in ("split", "join", "set_mask", "predicate"))
READ_MASK, WRITE_MASK, YIELD = (NUMBER[name] for name in ("read_mask", "write_mask", "yield"))
BARRIER, BARRIER_ARRIVE, FENCE = (NUMBER[name] for name in ("barrier", "barrier_arrive", "fence"))
STACK_OVERFLOW, STACK_UNDERFLOW = FAULT_NUMBER["stack_overflow"], FAULT_NUMBER["stack_underflow"]
UNSUPPORTED, TRAPPED, BARRIER_NUMBER = FAULT_NUMBER["unsupported"], FAULT_NUMBER["trap"], FAULT_NUMBER["barrier_number"]


@unit
def lanes_where(row, bits, mask, lanes):
    """The lanes of `mask` in which (row & bits) is not zero, as a mask."""
    chosen = np.uint64(0)
    for lane in range(lanes):
        chosen = chosen | (np.uint64(1 if row[lane] & bits != 0 else 0) << np.uint64(lane))
    return chosen & mask


@unit
def leader(mask):
    """The lane that speaks for its warp: the lowest active one, lane 0 when none is active."""
    return lowest(mask) & 63


@unit
def control(gpu, core, warp, pc, tables, k, now):
    """Execute control micro-op `k` of a warp: writes its PC and mask, its place at a barrier, or its end.

    Returns 0 or the number of a fault.
    """
    warps = core.warps
    registers = core.registers[warp]
    lanes = warps.lanes
    mask = warps.mask[warp]
    op = tables.uops[k, OP]
    result = np.int64(0)
    if op == BRANCH:
        row = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
        taken = lanes_where(row, np.uint32(np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF), mask, lanes)
        if tables.uops[k, FLAGS] & NEGATE != 0:
            taken = mask & ~taken
        result = _branch(gpu, core, warp, taken, tables.uops[k, TARGET], tables.uops[k, RECONVERGE])
    elif op == JUMP:
        warps.pc[warp] = tables.uops[k, TARGET]
    elif op == EXIT:
        exit_lanes(core, warp, mask)
    elif op == EXIT_WARP:
        exit_lanes(core, warp, warps.threads[warp])
    elif op == PUSH_MASK:
        result = _stack_fault(gpu, core, push_mask(core.masks, warps, warp, tables.uops[k, TARGET]))
    elif op == POP_MASK:
        result = _stack_fault(gpu, core, pop_mask(core.masks, warps, warp))
    elif op == MASK_NONZERO:
        row = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
        result = _stack_fault(gpu, core, mask_nonzero(core.masks, warps, warp, lanes_where(row, np.uint32(0xFFFFFFFF), mask, lanes)))
    elif op == BRANCH_PUSH:
        row = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
        chosen = lanes_where(row, np.uint32(0xFFFFFFFF), mask, lanes)
        result = _stack_fault(gpu, core, branch_push(core.masks, warps, warp, chosen, tables.uops[k, TARGET], tables.uops[k, RECONVERGE]))
    elif op == BARRIER or op == BARRIER_ARRIVE:
        result = _barrier(gpu, core, warp, tables, k, now)
    elif op == FENCE or op == NOP or op == YIELD:
        warps.pc[warp] += 1
    elif op == JUMP_REGISTER or op == CALL:
        result = _jump(gpu, core, warp, tables, k, mask, lanes)
    else:
        result = _masks(gpu, core, warp, tables, k, mask, lanes)
    if warps.mask[warp] != np.uint64(0) and (op == YIELD or warps.pc[warp] <= pc):
        backward_jump_or_yield(core, warp, 1 if op == YIELD else 0)
    select_path(core, warp)
    if warps.mask[warp] == np.uint64(0) and core.contexts.count[warp] > 0:
        _nobody_runs(gpu, core, warp, tables, now)
    return result


@unit
def _stack_fault(gpu, core, outcome):
    if outcome == 0:
        return np.int64(0)
    gpu.fault.limit = core.masks.limit
    return np.int64(STACK_OVERFLOW if outcome == OVERFLOW else STACK_UNDERFLOW)


@unit
def _branch(gpu, core, warp, taken, target, reconvergence_pc):
    """All active lanes one way, or whatever the machine's mechanism does when they disagree."""
    warps = core.warps
    mask = warps.mask[warp]
    if taken == np.uint64(0):
        warps.pc[warp] += 1
    elif taken == mask:
        warps.pc[warp] = target
    else:
        core.diverged = 1
        return diverge(gpu, core, warp, taken, target, reconvergence_pc)
    return np.int64(0)


@unit
def _jump(gpu, core, warp, tables, k, mask, lanes):
    """A jump through a register, or a call. Lanes with another address than the leader's do not come along."""
    warps = core.warps
    registers = core.registers[warp]
    following = warps.pc[warp] + 1
    if tables.uops[k, OP] == CALL:
        warps.pc[warp] = tables.uops[k, TARGET]
    else:
        row = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
        address = (np.int64(row[leader(mask)]) + np.int64(tables.uops[k, IMM])) & 0xFFFFFFFE
        same = np.uint64(0)
        for lane in range(lanes):
            if (np.int64(row[lane]) + np.int64(tables.uops[k, IMM])) & 0xFFFFFFFE == address:
                same = same | bit(lane)
        if mask & ~same != np.uint64(0):
            core.diverged = 1
            mask = mask & same
            fault = diverge_indirect(gpu, core, warp, mask)
            if fault != 0:
                return fault
        warps.pc[warp] = core.code_rows
        base = np.int64(tables.code[0, ADDRESS])
        step = np.int64(core.code_step)
        number = (address - base) // step
        if 0 <= number < core.code_rows and (address - base) % step == 0:
            warps.pc[warp] = number
    if tables.uops[k, DST] >= 0:
        link = np.uint32(np.int64(tables.code[following - 1, ADDRESS]) + core.code_step)
        for lane in range(lanes):
            if mask & bit(lane) != np.uint64(0):
                registers.lane[tables.uops[k, DST], lane] = link
    return np.int64(0)


@unit
def _masks(gpu, core, warp, tables, k, mask, lanes):
    """Operations on masks that are rarer: Vortex's, and reading and writing the mask itself."""
    warps = core.warps
    registers = core.registers[warp]
    op = tables.uops[k, OP]
    result = np.int64(0)
    if op == READ_MASK:
        low = tables.uops[k, DST] - SCALAR
        registers.scalar[low] = np.uint32(mask & np.uint64(0xFFFFFFFF))
        registers.scalar[low + 1] = np.uint32(mask >> np.uint64(32))
        warps.pc[warp] += 1
        return result
    if op == JOIN:
        return _stack_fault(gpu, core, join(core.masks, warps, warp))
    if op == WRITE_MASK:
        low = tables.uops[k, A] - SCALAR
        both = np.uint64(registers.scalar[low]) | (np.uint64(registers.scalar[low + 1]) << np.uint64(32))
        warps.mask[warp] = both & warps.threads[warp]
        warps.pc[warp] += 1
        return result
    row = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    chosen = lanes_where(row, np.uint32(0xFFFFFFFF), mask, lanes)
    if op == SPLIT:
        return _stack_fault(gpu, core, split(core.masks, warps, warp, chosen))
    if op == SET_MASK:
        wanted = np.uint64(row[leader(mask)]) & ((np.uint64(2) << np.uint64(lanes - 1)) - np.uint64(1))
        warps.threads[warp] = warps.threads[warp] | wanted
        warps.mask[warp] = wanted
        if wanted == np.uint64(0):
            warps.threads[warp] = np.uint64(0)
        warps.pc[warp] += 1
    elif op == PREDICATE_OP:
        if chosen != np.uint64(0):
            warps.mask[warp] = chosen
        elif tables.uops[k, B] != NONE:
            other = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
            warps.mask[warp] = np.uint64(other[leader(mask)]) & warps.threads[warp]
        warps.pc[warp] += 1
    else:
        gpu.fault.value = np.int64(tables.uops[k, IMM])
        result = np.int64(TRAPPED if op == TRAP else UNSUPPORTED)
    return result


@unit
def _barrier(gpu, core, warp, tables, k, now):
    """Arrive at a barrier of the warp's block, and wait there unless the operation says otherwise."""
    warps = core.warps
    lanes = warps.lanes
    number = np.int64(tables.uops[k, IMM])
    speaker = leader(warps.mask[warp])
    if tables.uops[k, A] != NONE:
        number += np.int64(core.registers[warp].lane[source(core.registers[warp], tables.uops, k, A, 0, lanes)][speaker])
    expected = np.int64(0)
    if tables.uops[k, B] != NONE:
        expected = np.int64(core.registers[warp].lane[source(core.registers[warp], tables.uops, k, B, 1, lanes)][speaker])
    if number < 0 or number >= core.barriers.count:
        gpu.fault.value = number
        gpu.fault.limit = core.barriers.count
        return np.int64(BARRIER_NUMBER)
    waits = 1 if tables.uops[k, OP] == BARRIER else 0
    at = np.int64(warps.pc[warp])
    warps.pc[warp] = at + 1
    if waits == 0 or arrive_at_barrier(core, warp, number, expected) != 0:
        _arrive(gpu, core, warp, at, number, waits, expected, tables, now)
    return np.int64(0)


@unit
def _arrive(gpu, core, warp, at, number, waits, expected, tables, now):
    """A warp arrives at a barrier, with the instruction `at`."""
    warps = core.warps
    block = np.int64(warps.block[warp])
    freed = arrive(core.barriers, block, number, warp, waits, expected, core.blocks.alive[block])
    if waits != 0:
        warps.at_barrier = warps.at_barrier | bit(warp)
    wake(gpu, core, freed, now)
    if gpu.log.tracing != 0:
        opened = 1 if freed != np.uint64(0) else 0
        emit(gpu.log, tables, now, BARRIER_EVENT, core.number, warp, at, warps.mask[warp], number, opened)


@unit
def _nobody_runs(gpu, core, warp, tables, now):
    """All lanes that have not ended wait. When it is for the same barrier, the warp arrives there: the last of the others has ended."""
    number = left_at_barrier(core.contexts, warp)
    if number < 0:
        core.warps.at_barrier = core.warps.at_barrier | bit(warp)  # at different barriers: for ever
        return
    run_context(core.contexts, core.warps, warp, 0)
    arrive_at_barrier(core, warp, number, core.contexts.expected[warp])
    select_path(core, warp)
    _arrive(gpu, core, warp, np.int64(core.warps.pc[warp]) - 1, number, 1, core.contexts.expected[warp], tables, now)
