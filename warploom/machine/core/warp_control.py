"""Control unit of programs that manage their own warps: they start warps, switch lanes on and off, and count arrivals at a barrier.

In hardware: Vortex's warp-control unit beside the branch unit, which writes the scheduler's masks (active, stalled, barrier, visible). Only
programs with such instructions are compiled with it; everything else is passed on to `control.py`. A branch or jump whose lanes disagree
though the program has not split them is a fault, or follows one lane, depending on the generation of the machine. Source:
github.com/vortexgpgpu/vortex, 2022-01 and 2024-08.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, FLAGS, IMM, LEADER_DECIDES, NEGATE, NUMBER, OP, TARGET, A, B
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.control import EVEN, address_after, arrive_as_warp, control, follow_paths, instruction_at, no_code_at
from warploom.machine.core.divergence import MASKS, STACK
from warploom.machine.core.divergence.masks import lanes_where, spokesman
from warploom.machine.core.divergence.mechanism import arrive_at_barrier
from warploom.machine.core.divergence.split_join import operand, split_or_join, whole_warp
from warploom.machine.core.spawn import ask_to_spawn, spawn_warps, spawn_when_alone, stop_above
from warploom.machine.core.warps.barrier import CORE_BARRIERS, NOBODY, WHOLE_WARP
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, has
from warploom.machine.engine.unit import inlined, out_of_line, record, unit

BRANCH, JUMP_REGISTER, CORE_BARRIER, HALT = (NUMBER[name] for name in ("branch", "jump_register", "core_barrier", "halt"))
SPAWN, SPAWN_ALONE, SPLIT, JOIN = (NUMBER[name] for name in ("spawn", "spawn_alone", "split", "join"))
SET_MASK, PREDICATED = NUMBER["set_mask"], NUMBER["predicate"]
BARRIER_NUMBER, PC_RANGE, STACK_OVERFLOW = (FAULT_NUMBER[name] for name in ("barrier_number", "pc_out_of_range", "stack_overflow"))
ACROSS_CORES = 1 << 31  # in a barrier's number

Unguarded = record(
    counters=dict(
        times="i8",      # branches and jumps at which lanes disagreed, and went where one of them did
        pc="i8",         # the first of them: an instruction number
        warp="i8",       # ... of which warp
        going="u8",      # ... the lanes that would have taken it
        staying="u8",    # ... and those that would not
    ),
)  # fmt: skip


@unit
def control_of_warps(gpu, core, warp, pc, tables, k, now):
    """`control`, with the operations on warps. Same arguments, same result."""
    op = tables.uops[k, OP]
    if (op == BRANCH or op == JUMP_REGISTER) and tables.uops[k, FLAGS] & LEADER_DECIDES != 0 and core.divergence == MASKS:
        if op == BRANCH:
            _branch_with_leader(core, warp, pc, tables, k)
            return np.int64(0)
        return np.int64(_jump_with_leader(gpu, core, warp, pc, tables, k))
    if op == SPLIT or op == JOIN or op == SET_MASK or op == PREDICATED:
        fault = split_or_join(gpu, core, warp, tables, k)
    elif op == SPAWN or op == SPAWN_ALONE:
        fault = _spawn(gpu, core, warp, tables, k, now)
    elif op == CORE_BARRIER:
        fault = _barrier(gpu, core, warp, tables, k, now)
    elif op == HALT:
        gpu.halted = 1
        fault = np.int64(0)
    else:
        return control(gpu, core, warp, pc, tables, k, now)
    if fault == 0:
        follow_paths(gpu, core, warp, tables, now)
    if core.spawn.waiting != EMPTY:
        spawn_when_alone(gpu, core, tables, now)
    return np.int64(fault)


@inlined
def _branch_with_leader(core, warp, pc, tables, k):
    """A branch of the whole warp. Lanes that disagree with the one that decides are noted."""
    warps = core.warps
    registers = core.registers[warp]
    mask = warps.mask[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, warps.lanes)]
    taken = lanes_where(row, np.uint32(np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF), mask, warps.lanes)
    if tables.uops[k, FLAGS] & NEGATE != 0:
        taken = mask & ~taken
    if taken != EMPTY and taken != mask:
        _note(core, warp, pc, taken, mask & ~taken)
    warps.pc[warp] = tables.uops[k, TARGET] if has(taken, spokesman(mask, tables.uops[k, FLAGS])) else pc + 1


@out_of_line
def _note(core, warp, pc, going, staying):
    core.branch_diverged = 1
    if core.unguarded.times == 0:
        core.unguarded.pc, core.unguarded.warp = pc, warp
        core.unguarded.going, core.unguarded.staying = going, staying
    core.unguarded.times = core.unguarded.times + 1


@inlined
def _jump_with_leader(gpu, core, warp, pc, tables, k):
    """A jump of the whole warp through a register of one lane. Lanes that hold a different address are noted.

    Returns 0 or the number of a fault.
    """
    warps = core.warps
    registers = core.registers[warp]
    mask = warps.mask[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, warps.lanes)]
    wanted = row[spokesman(mask, tables.uops[k, FLAGS])]
    same = EMPTY
    for lane in range(warps.lanes):
        same = same | (np.uint64(1 if row[lane] == wanted else 0) << np.uint64(lane))
    if mask & ~same != EMPTY:
        _note(core, warp, pc, mask & same, mask & ~same)
    address = (np.int64(wanted) + np.int64(tables.uops[k, IMM])) & EVEN
    target = instruction_at(core, tables, address)
    if target >= core.code_rows:
        return no_code_at(gpu, mask, address)
    if tables.uops[k, DST] >= 0:
        following = np.uint32(address_after(core, tables, np.int64(pc)))
        for lane in range(warps.lanes):
            if has(mask, lane):
                registers.lane[tables.uops[k, DST], lane] = following
    warps.pc[warp] = target
    return np.int64(0)


@unit
def _waits_or_is_full(gpu, core, whole):
    """The fault of an instruction for whose whole warp `whole_warp` returned 0 or -1: 0 where lanes wait."""
    if whole < 0:
        gpu.fault.limit = core.path_table.limit
        return np.int64(STACK_OVERFLOW)
    return np.int64(0)


@out_of_line
def _spawn(gpu, core, warp, tables, k, now):
    """Start other warps, now or when there is no other. Returns 0 or the number of a fault."""
    whole = whole_warp(core, warp, np.int64(WHOLE_WARP), 0)
    if whole <= 0:
        return _waits_or_is_full(gpu, core, whole)
    count = np.int64(operand(core, warp, tables, k, A, 0))
    address = np.int64(operand(core, warp, tables, k, B, 1)) & EVEN
    pc = instruction_at(core, tables, address)
    if count > 1 and pc >= core.code_rows:
        gpu.fault.value, gpu.fault.limit = pc, core.code_rows
        return np.int64(PC_RANGE)
    core.warps.pc[warp] += 1
    if tables.uops[k, OP] == SPAWN_ALONE:
        ask_to_spawn(core, warp, count, pc)
        return np.int64(0)
    spawn_warps(gpu, core, warp, count, pc, tables, now)
    stop_above(gpu, core, warp, count, now)
    return np.int64(0)


@out_of_line
def _barrier(gpu, core, warp, tables, k, now):
    """The warp comes to a barrier of its core, or across cores. Returns 0 or the number of a fault."""
    number = np.int64(operand(core, warp, tables, k, A, 0))
    expected = np.int64(operand(core, warp, tables, k, B, 1))
    across = number & ACROSS_CORES != 0
    number = number & (ACROSS_CORES - 1)
    if expected < tables.uops[k, IMM]:  # it waits for no other warp or core, and at most for lanes of its own that are elsewhere
        across = False
        number = number % core.barriers.count
    if number >= core.barriers.count:
        gpu.fault.value, gpu.fault.limit = number, core.barriers.count
        return np.int64(BARRIER_NUMBER)
    if across:
        number += CORE_BARRIERS
    elif expected <= 1:
        expected = np.int64(NOBODY)
    if core.divergence == STACK:
        whole = whole_warp(core, warp, number, 0)
        if whole <= 0:
            return _waits_or_is_full(gpu, core, whole)
    core.warps.pc[warp] += 1
    if arrive_at_barrier(core, warp, number, expected) != 0:
        arrive_as_warp(gpu, core, warp, number, expected, tables, now)
    return np.int64(0)
