"""Control unit: branches, barriers and ends. What an instruction does to the path of its warp.

In hardware: part of the issue stage: it reads one condition register of the warp, makes a lane mask of it, and writes the
warp table. It is the only unit to which the divergence mechanisms are attached.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import ADDRESS, DST, FLAGS, IMM, NEGATE, NONE, NUMBER, OP, PREDICATE, RECONVERGE, SCALAR, TARGET, YIELDS, A, B, C
from warploom.machine.accounting.events import emit_barrier
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence import ITS
from warploom.machine.core.divergence.its import sync as its_sync
from warploom.machine.core.divergence.masks import change_mask, lanes_where, leader
from warploom.machine.core.divergence.mechanism import (
    arrive_at_barrier,
    backward_jump_or_yield,
    diverge,
    diverge_indirect,
    exit_lanes,
    select_path,
    set_aside,
)
from warploom.machine.core.divergence.named_barriers import AWAIT_LANES, CONVERGE, READ_CONVERGING, WRITE_CONVERGING, use_named_barrier
from warploom.machine.core.divergence.path_table import AT_BARRIER, call, left_at_barrier, run_group
from warploom.machine.core.warps.barrier import CORE_BARRIERS, GRID_BARRIER, NOBODY, WHOLE_WARP, arrive, deliver, take, vote, wake
from warploom.machine.core.warps.core_barrier import arrive_with_core
from warploom.machine.core.warps.fence import FENCE, leave_fence
from warploom.machine.datapath.predicate import named_lanes
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.unit import inlined, out_of_line, unit

NOP, BRANCH, JUMP, JUMP_REGISTER, CALL = (NUMBER[name] for name in ("nop", "branch", "jump", "jump_register", "call"))
EXIT, EXIT_WARP, TRAP, ILLEGAL, YIELD, SLEEP = (NUMBER[name] for name in ("exit", "exit_warp", "trap", "illegal", "yield", "sleep"))
READ_ONLY_REGISTER = NUMBER["read_only_register"]
BARRIER, BARRIER_ARRIVE = (NUMBER[name] for name in ("barrier", "barrier_arrive"))
BRANCH_SCALAR = NUMBER["branch_scalar"]
BARRIER_COUNT, BARRIER_OR, GRID, SYNC_WARP = (NUMBER[name] for name in ("barrier_count", "barrier_or", "grid_barrier", "sync_warp"))
TRAPPED, NO_INSTRUCTION, BARRIER_NUMBER, NO_CODE = (FAULT_NUMBER[name] for name in ("trap", "illegal", "barrier_number", "no_code"))
WROTE_READ_ONLY = FAULT_NUMBER["read_only_register"]
EVEN = 0xFFFFFFFE  # an address without its lowest bit
ADDRESS_BITS = 0xFFFFFFFF  # addresses are unsigned, columns of a table signed


@unit
def control(gpu, core, warp, pc, tables, k, now):
    """Execute control micro-op `k` of a warp: writes its PC and mask, its place at a barrier, or its end.

    Returns 0 or the number of a fault.
    """
    warps = core.warps
    op = tables.uops[k, OP]
    fault = np.int64(0)
    part = warps.mask[warp]  # the lanes that take part
    predicated = tables.uops[k, PREDICATE] >= SCALAR
    if predicated:
        part = part & named_lanes(core.registers[warp], tables.uops, k, warps.lanes)
    if predicated and part == EMPTY:
        warps.pc[warp] += 1
    elif op == BRANCH:
        fault = _branch(gpu, core, warp, part, tables, k)
    elif op == BRANCH_SCALAR:
        fault = _branch_scalar(gpu, core, warp, part, tables, k)
    elif op == JUMP:
        fault = _go(gpu, core, warp, part, tables.uops[k, TARGET], tables.uops[k, RECONVERGE])
    elif op == JUMP_REGISTER or op == CALL:
        fault = _jump(gpu, core, warp, part, tables, k)
    elif op == EXIT:
        if part != warps.mask[warp]:
            warps.pc[warp] += 1
        exit_lanes(core, warp, part)
    elif op == EXIT_WARP:
        exit_lanes(core, warp, warps.threads[warp])
    elif op == BARRIER or op == BARRIER_ARRIVE or BARRIER_COUNT <= op <= BARRIER_OR:
        fault = _barrier(gpu, core, warp, part, tables, k, now)
    elif op == GRID:
        _grid_barrier(gpu, core, warp, part)
    elif op == SYNC_WARP:
        _sync_warp(core, warp, part, tables, k)
    elif CONVERGE <= op <= WRITE_CONVERGING:
        _name_lanes(core, warp, part, tables, k, op)
    elif op == FENCE or op == NOP or op == YIELD or op == SLEEP:
        if op == FENCE and core.fence_latency[tables.uops[k, IMM]] != 0:
            leave_fence(core.fences, warp, warps.mask[warp])
        warps.pc[warp] += 1
    elif op == TRAP or op == ILLEGAL:
        gpu.fault.value = np.int64(tables.uops[k, IMM]) if op == TRAP else np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF
        fault = np.int64(TRAPPED if op == TRAP else NO_INSTRUCTION)
    elif op == READ_ONLY_REGISTER:
        gpu.fault.lanes, gpu.fault.value = part, np.int64(tables.uops[k, IMM])
        fault = np.int64(WROTE_READ_ONLY)
    else:
        fault = change_mask(gpu, core, warp, tables, k)
    if warps.mask[warp] != EMPTY and (op == YIELD or op == SLEEP or warps.pc[warp] <= pc):
        backward_jump_or_yield(core, warp, 1 if op == YIELD or op == SLEEP else 0, 1 if tables.uops[k, FLAGS] & YIELDS != 0 else 0)
    follow_paths(gpu, core, warp, tables, now)
    return fault


@unit
def follow_paths(gpu, core, warp, tables, now):
    """After a control instruction: which of the warp's paths runs next."""
    select_path(core, warp)
    if core.warps.mask[warp] == EMPTY and core.path_table.count[warp] > 0:
        _no_lane_runs(gpu, core, warp, tables, now)


@inlined
def _branch(gpu, core, warp, part, tables, k):
    """A branch of the lanes in `part`: those in which the condition holds take it, the other active ones do not."""
    warps = core.warps
    registers = core.registers[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, warps.lanes)]
    taken = lanes_where(row, np.uint32(np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF), part, warps.lanes)
    if tables.uops[k, FLAGS] & NEGATE != 0:
        taken = part & ~taken
    if taken == EMPTY:
        warps.pc[warp] += 1
        return np.int64(0)
    return _go(gpu, core, warp, taken, tables.uops[k, TARGET], tables.uops[k, RECONVERGE])


@out_of_line
def _branch_scalar(gpu, core, warp, part, tables, k):
    """A branch on a scalar register: it does not depend on the lanes, so a warp whose mask is empty can leave a loop too."""
    value = core.registers[warp].scalar[tables.uops[k, A] - SCALAR] & np.uint32(np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF)
    if (value != 0) == (tables.uops[k, FLAGS] & NEGATE != 0):
        core.warps.pc[warp] += 1
        return np.int64(0)
    return _go(gpu, core, warp, part, tables.uops[k, TARGET], tables.uops[k, RECONVERGE])


@inlined
def _go(gpu, core, warp, going, target, reconvergence_pc):
    """Lanes `going` go to `target`. If other active lanes do not, the machine's divergence mechanism decides which run."""
    if going == core.warps.mask[warp]:
        core.warps.pc[warp] = target
        return np.int64(0)
    core.branch_diverged = 1
    return diverge(gpu, core, warp, going, target, reconvergence_pc)


@unit
def _jump(gpu, core, warp, part, tables, k):
    """A jump through a register, or a call, of the lanes in `part`. Those that jump keep the address of the next instruction."""
    warps = core.warps
    registers = core.registers[warp]
    following = address_after(core, tables, np.int64(warps.pc[warp]))
    going = part
    fault = np.int64(0)
    if tables.uops[k, OP] == JUMP_REGISTER:
        fault, going = _jump_to_register(gpu, core, warp, part, tables, k)
    else:
        fault = _go(gpu, core, warp, part, tables.uops[k, TARGET], tables.uops[k, RECONVERGE])
    if fault == 0 and tables.uops[k, DST] >= SCALAR:
        registers.scalar[tables.uops[k, DST] - SCALAR] = np.uint32(following)
    elif fault == 0 and tables.uops[k, DST] >= 0:
        for lane in range(warps.lanes):
            if has(going, lane):
                registers.lane[tables.uops[k, DST], lane] = np.uint32(following)
    return np.int64(fault)


@unit
def _jump_to_register(gpu, core, warp, part, tables, k):
    """Jump to the address that the leader's lane holds. Lanes of `part` with a different address have diverged from it.

    Returns (0 or the number of a fault, the lanes that jump).
    """
    warps = core.warps
    registers = core.registers[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, warps.lanes)]
    offset = np.int64(tables.uops[k, IMM])
    keeps = np.int64(EVEN if tables.uops[k, A] < SCALAR else ADDRESS_BITS)
    address = (np.int64(row[leader(part)]) + offset) & keeps
    same = EMPTY
    for lane in range(warps.lanes):
        if (np.int64(row[lane]) + offset) & keeps == address:
            same = same | bit(lane)
    going = part & same
    if part != going:
        core.branch_diverged = 1
        fault = diverge_indirect(gpu, core, warp, part, going, 1 if tables.uops[k, DST] != NONE else 0)
        if fault != 0:
            return fault, going
    target = instruction_at(core, tables, address)
    if target >= core.code_rows:
        return no_code_at(gpu, going, address), going
    return _go(gpu, core, warp, going, target, tables.uops[k, RECONVERGE]), going


@out_of_line
def no_code_at(gpu, lanes, address):
    """The number of the fault of lanes that jump to an address without an instruction."""
    gpu.fault.lanes, gpu.fault.value = lanes, address
    return np.int64(NO_CODE)


@unit
def instruction_at(core, tables, address):
    """The number of the instruction at an address of program memory; if there is none, the number after the last one."""
    if core.code_step == 0:
        return _search(core, tables, address)
    offset = address - (np.int64(tables.code[0, ADDRESS]) & ADDRESS_BITS)
    number = offset // np.int64(core.code_step)
    if 0 <= number < core.code_rows and offset % np.int64(core.code_step) == 0:
        return number
    return np.int64(core.code_rows)


@unit
def address_after(core, tables, number):
    """The address of the instruction after one."""
    if core.code_step == 0 and number + 1 < core.code_rows:
        return np.int64(tables.code[number + 1, ADDRESS]) & ADDRESS_BITS
    return (np.int64(tables.code[number, ADDRESS]) + core.code_step) & ADDRESS_BITS


@out_of_line
def _search(core, tables, address):
    """`_instruction_at` of a program whose instructions have different sizes, or gaps between them: they are in the order of addresses.

    If several are at one address, as parts of one instruction, it is the first.
    """
    low = np.int64(0)
    high = np.int64(core.code_rows)
    while low < high:
        middle = (low + high) // 2
        if np.int64(tables.code[middle, ADDRESS]) & ADDRESS_BITS < address:
            low = middle + 1
        else:
            high = middle
    if low < core.code_rows and np.int64(tables.code[low, ADDRESS]) & ADDRESS_BITS == address:
        return low
    return np.int64(core.code_rows)


@unit
def _barrier(gpu, core, warp, part, tables, k, now):
    """Lanes `part` arrive at a barrier of the warp's block, and wait there unless the operation says otherwise.

    If lanes have separate paths, those that a predicate disables continue; otherwise the warp arrives as a whole.
    """
    warps = core.warps
    number = np.int64(tables.uops[k, IMM]) + value_of_leader(core, warp, part, tables, k, A, 0)
    expected = value_of_leader(core, warp, part, tables, k, B, 1)
    if number < 0 or number >= core.barriers.count:
        gpu.fault.value = number
        gpu.fault.limit = core.barriers.count
        return np.int64(BARRIER_NUMBER)
    waits = 0 if tables.uops[k, OP] == BARRIER_ARRIVE else 1
    if BARRIER_COUNT <= tables.uops[k, OP] <= BARRIER_OR:
        registers = core.registers[warp]
        row = registers.lane[source(registers, tables.uops, k, C, 2, warps.lanes)]
        holds = lanes_where(row, np.uint32(0xFFFFFFFF), part, warps.lanes)
        vote(core.barriers, np.int64(warps.block[warp]), number, warp, k, part, holds)
    warps.pc[warp] += 1
    if waits != 0 and part != warps.mask[warp]:
        set_aside(core, warp, part)
    if waits == 0 or arrive_at_barrier(core, warp, number, expected) != 0:
        arrive_at(gpu, core, warp, number, waits, expected, tables, now)
    return np.int64(0)


@out_of_line
def _grid_barrier(gpu, core, warp, part):
    """Lanes `part` wait for all blocks of the grid."""
    core.warps.pc[warp] += 1
    if part != core.warps.mask[warp]:
        set_aside(core, warp, part)
    if arrive_at_barrier(core, warp, np.int64(GRID_BARRIER), np.int64(0)) != 0:
        _arrive_at_grid_barrier(gpu, core, warp)


@unit
def _arrive_at_grid_barrier(gpu, core, warp):
    """A warp arrives. The device opens the barrier in the cycle in which the last one does."""
    core.warps.at_barrier = core.warps.at_barrier | bit(warp)
    core.barriers.at_grid = core.barriers.at_grid | bit(warp)
    gpu.grid.waiting = gpu.grid.waiting + 1


@out_of_line
def _sync_warp(core, warp, part, tables, k):
    """Lanes `part` wait for the lanes that they name, if lanes can be at different PCs."""
    core.warps.pc[warp] += 1
    if core.divergence != ITS:
        return
    named = np.uint64(0xFFFFFFFFFFFFFFFF)
    if tables.uops[k, A] != NONE:
        named = np.uint64(value_of_leader(core, warp, part, tables, k, A, 0))
        named |= np.uint64(value_of_leader(core, warp, part, tables, k, B, 1)) << np.uint64(32)
    if part != core.warps.mask[warp]:
        set_aside(core, warp, part)
    its_sync(core.path_table, core.convergence_barriers, core.warps, warp, named | part)


@out_of_line
def _name_lanes(core, warp, part, tables, k, op):
    """Lanes `part` execute an instruction of a convergence barrier that the program names."""
    warps = core.warps
    warps.pc[warp] += 1
    value = np.uint64(value_of_leader(core, warp, part, tables, k, A, 0))
    named = EMPTY
    if core.divergence == ITS:
        if op == AWAIT_LANES and part != warps.mask[warp]:
            set_aside(core, warp, part)
        number = np.int64(tables.uops[k, IMM])
        named = use_named_barrier(core.path_table, core.convergence_barriers, warps, warp, part, op, number, value)
    if op == READ_CONVERGING:
        for lane in range(warps.lanes):
            if has(part, lane):
                core.registers[warp].lane[tables.uops[k, DST], lane] = np.uint32(named & np.uint64(0xFFFFFFFF))


@unit
def value_of_leader(core, warp, part, tables, k, column, port):
    """The source in `column` of micro-op `k`, of the leader of the lanes in `part`; 0 if the micro-op has none."""
    if tables.uops[k, column] == NONE:
        return np.int64(0)
    registers = core.registers[warp]
    row = source(registers, tables.uops, k, column, port, core.warps.lanes)
    return np.int64(registers.lane[row, leader(part)])


@unit
def arrive_at(gpu, core, warp, number, waits, expected, tables, now):
    """A warp has arrived at barrier `number` with the instruction before its PC."""
    warps = core.warps
    block = np.int64(warps.block[warp])
    freed = arrive(core.barriers, block, number, warp, waits, expected, core.blocks.alive[block])
    if core.barriers.reduces != 0 and freed != EMPTY:
        deliver(core, tables, block, number, freed)
    if waits != 0:
        warps.at_barrier = warps.at_barrier | bit(warp)
    opens = take(core.barriers, now)
    if has(freed, warp):
        core.barriers.opens = opens
    wake(gpu, core, freed, opens, now)
    if gpu.log.tracing != 0:
        opened = 1 if freed != EMPTY else 0
        at = np.int64(warps.pc[warp]) - 1
        emit_barrier(gpu.log, tables, now, core.number, warp, at, warps.mask[warp], number, opened)


@unit
def _no_lane_runs(gpu, core, warp, tables, now):
    """All lanes that have not ended wait. If all wait at the same barrier, because the last other one has ended, the warp arrives there."""
    group = left_at_barrier(core.path_table, warp)
    if group < 0:  # at different barriers: forever
        core.warps.at_barrier = core.warps.at_barrier | bit(warp)
        core.warps.pc[warp] = min(np.int64(core.warps.pc[warp]), np.int64(core.code_rows) - 1)  # not a lane's PC, but one of the program
        return
    number = np.int64(core.path_table.state[warp, group]) - AT_BARRIER
    if number == WHOLE_WARP:
        call(core.path_table, warp)
        select_path(core, warp)
        return
    run_group(core.path_table, core.warps, warp, group)
    expected = np.int64(core.path_table.expected[warp])
    arrive_at_barrier(core, warp, number, expected)
    select_path(core, warp)
    arrive_as_warp(gpu, core, warp, number, expected, tables, now)


@unit
def arrive_as_warp(gpu, core, warp, number, expected, tables, now):
    """All lanes of a warp have come to barrier `number`, as paths wait for it: of the block, across cores or of the grid."""
    if number == GRID_BARRIER:
        _arrive_at_grid_barrier(gpu, core, warp)
    elif number >= CORE_BARRIERS:
        arrive_with_core(gpu, core, warp, number - CORE_BARRIERS, expected)
    elif expected != NOBODY:
        arrive_at(gpu, core, warp, number, 1, expected, tables, now)
