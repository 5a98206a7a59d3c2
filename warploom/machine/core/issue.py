"""Issue: a warp's instruction is executed, its results are marked busy, its PC moves.

In hardware: the stage after the scheduler, which reads the registers and hands the instruction to a unit. Values are computed at
issue; time is accounted for separately: what an instruction writes is busy until its unit's latency is over.
Sources are read and results written in program order in every warp, so a dependent instruction sees what it would
see in hardware.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import (
    ALU,
    BANK_READS,
    BUFFER,
    CONTROL,
    COUNT,
    FIRST_UOP,
    ISSUE_LATENCY,
    ISSUE_UNIT,
    MEMORY,
    OP,
    PORT,
    PORTS,
    REUSE,
    SHARED,
    SPECIAL,
    SPECIAL_NUMBER,
    TEXTURE,
    UNIT,
)
from warploom.machine.accounting.events import ISSUE, PIPE, emit
from warploom.machine.accounting.faults import raise_fault
from warploom.machine.accounting.reasons import (
    BARRIER,
    BRANCH_RESOLVING,
    DISPATCH_STALL,
    DIVERGED,
    LANES,
    LANES_DIVERGED,
    LANES_ENDED,
    LG_THROTTLE,
    MATH_PIPE_THROTTLE,
    MIO_THROTTLE,
    NOT_SELECTED,
    SELECTED,
    SHORT_SCOREBOARD,
    TEX_THROTTLE,
    WAIT,
)
from warploom.machine.core.control import EXIT_WARP
from warploom.machine.core.divergence.mechanism import select_path
from warploom.machine.core.fetch.instruction_fetch import consume
from warploom.machine.core.operand_banks import read_operands
from warploom.machine.core.partitions import SLOTS, enter, load_pipe, take_slot
from warploom.machine.core.performance_monitor import count_access, count_instruction
from warploom.machine.core.pipes import accept
from warploom.machine.core.ready_check import examine_after_issue
from warploom.machine.core.reuse_cache import reads_without_reused
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.stall_account import account, account_wait
from warploom.machine.core.warps.warp_exit import end_warp
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.datapath.predicate import lanes_taking_part
from warploom.machine.datapath.register_file import expand
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, popcount
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line

CLOCK, CYCLE = SPECIAL_NUMBER["clock"], SPECIAL_NUMBER["cycle"]
MASK_LOW, MASK_HIGH = SPECIAL_NUMBER["mask_low"], SPECIAL_NUMBER["mask_high"]
CORE_WARPS, THREAD_INSTRUCTIONS = SPECIAL_NUMBER["core_warps"], SPECIAL_NUMBER["core_thread_instructions"]
LOW_HALF = 0xFFFFFFFF  # of a 64-bit number


@inlined
def issue(gpu, core, number, warp, tables, units, now):
    """Issue a warp's next instruction: account its waiting, execute its micro-ops, move its PC, examine what follows.

    number: the scheduler that picked the warp. Returns the port to which the instruction went.
    """
    warps = core.warps
    pc = np.int64(warps.pc[warp])
    mask = warps.mask[warp]
    unit = np.int64(tables.code[pc, ISSUE_UNIT])
    port = np.int64(tables.code[pc, PORT])
    row = tables.profile[pc]
    _account_wait(gpu, core, number, warp, port, row, tables, now)
    take_slot(core.partitions, number, now)
    warps.awake = warps.awake & ~bit(warp)
    warps.wants[port] &= ~bit(warp)
    _prepare_registers(core.registers[warp], warps, warp, mask, now)
    part = mask
    if core.has_predicates != 0:
        part = lanes_taking_part(core.registers[warp], tables, pc, mask, warps.lanes)
    _count_issue(row, part, warps.threads[warp], warps.launched[warp])
    if core.counts != 0:
        _count_for_program(core, warp, part, tables)
    fault = np.int64(0)
    until = np.int64(now + 1)
    late = np.int64(0)
    if core.operands.banks != 0 and unit != CONTROL:
        reads = np.int64(tables.code[pc, BANK_READS])
        if core.reuse.banks != 0:
            reads = reads_without_reused(core.reuse, number, warp, reads, tables.code[pc, REUSE])
        late = read_operands(core.operands, number, reads, now)
    if unit == ALU or unit == SPECIAL:
        until = _execute_arithmetic(gpu, core, number, warp, pc, part, port, late, tables, units, now)
    elif unit == CONTROL:
        fault = _execute_control(gpu, core, warp, pc, tables, units, now)
    elif unit != BUFFER:
        if core.partitions.own != 0:
            enter(core.partitions, number, port, core.partitions.interval[port], now)
        fault = units.access(gpu, core, warp, pc, unit, tables, units, now)
        until = np.int64(FOREVER)
        if core.counts > 1:
            count_access(core, tables, pc, part)
    if unit != CONTROL:
        _advance(core, warp, pc)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, ISSUE, core.number, warp, pc, part, np.int64(warps.mask[warp]), until)
    if fault != 0:
        raise_fault(gpu.fault, fault, core.number, warp, pc, _faulting_lanes(gpu, core, part), gpu.fault.value, gpu.fault.limit, now)
    else:
        _follow(gpu, core, warp, pc, unit, tables, now)
    return port


@inlined
def _account_wait(gpu, core, number, warp, port, row, tables, now):
    """Account the cycles since the last issue: waiting until the warp woke up, then for a full unit, then for the scheduler.

    row: of the profile, the instruction's.
    """
    if gpu.log.tracing != 0 or core.counts > 1:
        _account_and_tell(gpu, core, number, warp, port, tables, now)
        return
    warps = core.warps
    since = np.int64(warps.since[warp])
    woke = max(np.int64(warps.wake[warp]), since)
    row[warps.reason[warp]] += woke - since
    if woke < now:
        throttled = min(np.int64(core.unit_full_cycles[number, port] - warps.unit_full_at_wake[warp]), now - woke)
        if throttled > 0:
            row[_throttle_reason(port)] += throttled
            woke = woke + throttled
        if core.operands.banks != 0:
            held = min(np.int64(core.operands.held_cycles[number] - warps.held_at_wake[warp]), now - woke)
            if held > 0:
                row[DISPATCH_STALL] += held
                woke = woke + held
        row[NOT_SELECTED] += now - woke
    warps.since[warp] = now + 1


@out_of_line
def _account_and_tell(gpu, core, number, warp, port, tables, now):
    """The same, where each span is an event, or the program may ask for what it has waited."""
    warps = core.warps
    if warps.wake[warp] > warps.since[warp]:
        account_wait(gpu, core, warp, tables, warps.wake[warp])
    throttled = min(core.unit_full_cycles[number, port] - warps.unit_full_at_wake[warp], now - warps.since[warp])
    if throttled > 0:
        account(gpu, core, warp, _throttle_reason(port), tables, warps.since[warp] + throttled)
    if core.operands.banks != 0:
        held = min(core.operands.held_cycles[number] - warps.held_at_wake[warp], now - warps.since[warp])
        if held > 0:
            account(gpu, core, warp, DISPATCH_STALL, tables, warps.since[warp] + held)
    if now > warps.since[warp]:
        account(gpu, core, warp, NOT_SELECTED, tables, now)
    warps.since[warp] = now + 1


@inlined
def _throttle_reason(port):
    """The reason of a warp that waits because its port is full."""
    if port == MEMORY:
        return LG_THROTTLE
    if port == SHARED:
        return MIO_THROTTLE
    if port == TEXTURE:
        return TEX_THROTTLE
    return MATH_PIPE_THROTTLE


@inlined
def _prepare_registers(registers, warps, warp, mask, now):
    """Bring the expanded lane mask and the special registers that count up to date."""
    if warps.expanded_from[warp] != mask:
        expand_mask(registers, warps, warp, mask)
    registers.special[CLOCK] = np.uint32(warps.visits[warp])
    registers.special[CYCLE] = np.uint32(now & LOW_HALF)


@out_of_line
def expand_mask(registers, warps, warp, mask):
    """The lanes that execute have changed: a word for each lane instead of a bit."""
    expand(mask, registers.active, warps.lanes)
    warps.expanded_from[warp] = mask
    registers.special[MASK_LOW] = np.uint32(mask & np.uint64(LOW_HALF))
    registers.special[MASK_HIGH] = np.uint32(mask >> np.uint64(32))


@inlined
def _count_issue(row, part, threads, launched):
    """One more issue of an instruction: lanes that take part, lanes whose thread waits meanwhile, and lanes whose thread has ended."""
    row[SELECTED] += 1
    row[LANES] += popcount(part)
    row[LANES_DIVERGED] += popcount(threads & ~part)
    row[LANES_ENDED] += popcount(launched & ~(threads | part))


@inlined
def _count_for_program(core, warp, part, tables):
    """What a program can read of its core: the warps that run, and the instructions of threads before this one."""
    special = core.registers[warp].special
    special[CORE_WARPS] = np.uint32(core.blocks.alive[core.warps.block[warp]] & np.uint64(LOW_HALF))
    special[THREAD_INSTRUCTIONS] = np.uint32(core.thread_instructions & LOW_HALF)
    core.thread_instructions = core.thread_instructions + popcount(part)
    if core.counts > 1:
        count_instruction(core, tables, np.int64(core.warps.pc[warp]), part)


@inlined
def _execute_arithmetic(gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """Execute an instruction of an arithmetic pipe. Returns the first cycle in which its result can be used.

    part: the lanes that take part. late: cycles by which its operands come late.
    """
    warps = core.warps
    registers = core.registers[warp]
    start = np.int64(tables.code[pc, FIRST_UOP])
    _execute_uop(gpu, core, registers, warp, pc, start, tables, units, now)
    for k in range(start + 1, start + np.int64(tables.code[pc, COUNT])):
        _execute_uop(gpu, core, registers, warp, pc, k, tables, units, now)
    kind = np.int64(tables.code[pc, ISSUE_LATENCY])
    latency = core.latency[kind] + late
    if core.partitions.own != 0:
        pipe = enter(core.partitions, number, port, core.partitions.hold[kind], now)
        until = np.int64(now + latency)
        if has(core.partitions.sequences, kind):
            _begin_sequence(gpu, core, number, warp, pc, part, kind, tables, now)
        if port == SHARED:  # a shuffle, which shared memory's crossbar takes in one pass
            core.shared_free = max(np.int64(core.shared_free), np.int64(now)) + 1
        elif gpu.log.tracing != 0:
            free = core.partitions.free[number, pipe]
            emit(gpu.log, tables, now, PIPE, core.number, warp, pc, part, number * len(PORTS) + pipe, free)
    elif port == ALU:
        pipe = lowest(core.alus.idle)
        until = accept(core.alus, now, latency)
        if gpu.log.tracing != 0:
            emit(gpu.log, tables, now, PIPE, core.number, warp, pc, part, pipe, core.alus.free[pipe])
    else:
        until = accept(core.specials, now, latency)
    reason = SHORT_SCOREBOARD if port == SPECIAL or port == SHARED else WAIT
    mark_busy(core.scoreboard, tables.code, warp, pc, part, warps.lanes, until, reason)
    return until


@out_of_line
def _begin_sequence(gpu, core, number, warp, pc, part, kind, tables, now):
    """An instruction that is a sequence, and has entered one pipe, loads its others and speaks for issue slots of its scheduler."""
    partitions = core.partitions
    for pipe in range(len(PORTS)):
        if load_pipe(partitions, number, kind, pipe, now) != 0 and gpu.log.tracing != 0:
            emit(gpu.log, tables, now, PIPE, core.number, warp, pc, part, number * len(PORTS) + pipe, partitions.free[number, pipe])
    load_pipe(partitions, number, kind, SLOTS, now)


@inlined
def _execute_uop(gpu, core, registers, warp, pc, k, tables, units, now):
    """Execute micro-op `k` in all lanes of a warp."""
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    units.execute(registers, tables, k, core.warps.lanes)


@inlined
def _execute_control(gpu, core, warp, pc, tables, units, now):
    """Execute an instruction of the control unit, which writes the PC itself. Returns 0 or the number of a fault."""
    warps = core.warps
    registers = core.registers[warp]
    mask = warps.mask[warp]
    fault = np.int64(0)
    core.branch_diverged = 0
    start = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(start, start + np.int64(tables.code[pc, COUNT])):
        if core.watched != 0:
            units.watch(gpu, core, warp, pc, tables, k, now)
        if tables.uops[k, UNIT] == CONTROL:
            fault = units.control(gpu, core, warp, pc, tables, k, now)
        else:
            units.execute(registers, tables, k, warps.lanes)
    tables.profile[pc, DIVERGED] += core.branch_diverged
    mark_busy(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, now + 1, WAIT)
    return fault


@inlined
def _advance(core, warp, pc):
    """The warp is at the next instruction. If its lanes have diverged, that may be where they reconverge."""
    core.warps.pc[warp] = pc + 1
    if has(core.warps.diverged, warp):
        select_path(core, warp)


@inlined
def _faulting_lanes(gpu, core, mask):
    """The lanes that a fault names: the one that was found, the ones that took the branch, or all."""
    if core.access.fault != 0:
        gpu.fault.value = core.access.value
        gpu.fault.limit = core.access.limit
        return bit(core.access.lane)
    return gpu.fault.lanes if gpu.fault.lanes != EMPTY else mask


@inlined
def _follow(gpu, core, warp, pc, unit, tables, now):
    """After an issue: the warp ends, waits at a barrier or for its branch, or its next instruction is examined."""
    warps = core.warps
    if core.fetch.buffer != 0:
        consume(core.fetch, warp, pc, warps.pc[warp], unit == CONTROL)
    if unit != CONTROL or _goes_on(gpu, core, warp, pc, tables, now):
        examine_after_issue(gpu, core, tables, warp, now + 1)


@inlined
def _goes_on(gpu, core, warp, pc, tables, now):
    """Whether a warp that has issued an instruction of the control unit has neither ended nor waits for a barrier, or for its branch."""
    warps = core.warps
    if warps.threads[warp] == EMPTY:
        whole = 1 if tables.uops[tables.code[pc, FIRST_UOP], OP] == EXIT_WARP else 0
        end_warp(gpu, core, warp, pc, whole, tables, now)
        return False
    if not 0 <= warps.pc[warp] < core.code_rows:
        return True
    if has(warps.at_barrier, warp):
        warps.reason[warp] = BARRIER
        warps.wake[warp] = FOREVER
        return False
    if core.barriers.opens > now + core.branch_latency:
        warps.reason[warp] = BARRIER
        set_alarm(warps, warp, np.int64(core.barriers.opens), now)
        core.barriers.opens = 0
        return False
    if core.branch_latency > 1:
        warps.reason[warp] = BRANCH_RESOLVING
        set_alarm(warps, warp, now + core.branch_latency, now)
        return False
    return True
