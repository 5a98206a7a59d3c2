"""Issue: a warp's instruction is executed, its results are marked busy, its PC moves.

In hardware: the stage after the scheduler, which reads the registers and hands the instruction to a unit. Values are computed at
issue; time is accounted for separately: what an instruction writes is busy until its unit's latency is over.
Sources are read and results written in program order in every warp, so a dependent instruction sees what it would
see in hardware.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import (
    BANK_READS,
    CONTROL,
    FIRST_UOP,
    ISSUE_UNIT,
    OP,
    PORT,
    REUSE,
    SPECIAL_NUMBER,
)
from warploom.machine.accounting.events import emit_issue
from warploom.machine.accounting.faults import raise_fault
from warploom.machine.accounting.reasons import (
    BARRIER,
    BRANCH_RESOLVING,
    DISPATCH_STALL,
    LANES,
    LANES_DIVERGED,
    LANES_ENDED,
    NOT_SELECTED,
    SELECTED,
)
from warploom.machine.core.control import EXIT_WARP
from warploom.machine.core.divergence.mechanism import select_path
from warploom.machine.core.fetch.instruction_fetch import consume
from warploom.machine.core.operand_banks import read_operands
from warploom.machine.core.partitions import take_slot
from warploom.machine.core.performance_monitor import count_instruction
from warploom.machine.core.ready_check import examine_after_issue
from warploom.machine.core.reuse_cache import reads_without_reused
from warploom.machine.core.units.table import THROTTLE, execute_instruction
from warploom.machine.core.warps.stall_account import account, account_wait
from warploom.machine.core.warps.warp_exit import end_warp
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.datapath.predicate import lanes_taking_part
from warploom.machine.datapath.register_file import expand
from warploom.machine.engine.bits import EMPTY, bit, has, popcount
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
    _account_wait(gpu, core, number, warp, port, tables.profile[pc], tables, now)
    _take_slot(core, number, warp, port, now)
    _prepare_registers(core.registers[warp], warps, warp, mask, now)
    part = mask  # the lanes that take part
    if core.has_predicates != 0:
        part = lanes_taking_part(core.registers[warp], tables, pc, mask, warps.lanes)
    _count_issue(core, warp, pc, part, tables)
    late = np.int64(0)  # cycles by which its operands come late
    if core.operands.banks != 0 and unit != CONTROL:
        late = _read_operands(core, number, warp, pc, tables, now)
    fault, until = execute_instruction(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now)
    if unit != CONTROL:
        _advance(core, warp, pc)
    if gpu.log.tracing != 0:
        emit_issue(gpu.log, tables, now, core.number, warp, pc, part, np.int64(warps.mask[warp]), until)
    if fault != 0:
        raise_fault(gpu.fault, fault, core.number, warp, pc, _faulting_lanes(gpu, core, part), gpu.fault.value, gpu.fault.limit, now)
    else:
        follow(gpu, core, warp, pc, unit, tables, now)
    return port


@inlined
def _take_slot(core, number, warp, port, now):
    """The warp takes its scheduler's issue slot, and no longer waits for one."""
    take_slot(core.partitions, number, now)
    core.warps.awake = core.warps.awake & ~bit(warp)
    core.warps.wants[port] &= ~bit(warp)


@inlined
def _read_operands(core, number, warp, pc, tables, now):
    """The operands are read from the banks of the register file. Returns by how many cycles they come late."""
    reads = np.int64(tables.code[pc, BANK_READS])
    if core.reuse.banks != 0:
        reads = reads_without_reused(core.reuse, number, warp, reads, tables.code[pc, REUSE])
    return read_operands(core.operands, number, reads, now)


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
            row[THROTTLE[port]] += throttled
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
    """The same, if each span is an event, or the program may read how long it has waited."""
    warps = core.warps
    if warps.wake[warp] > warps.since[warp]:
        account_wait(gpu, core, warp, tables, warps.wake[warp])
    throttled = min(core.unit_full_cycles[number, port] - warps.unit_full_at_wake[warp], now - warps.since[warp])
    if throttled > 0:
        account(gpu, core, warp, THROTTLE[port], tables, warps.since[warp] + throttled)
    if core.operands.banks != 0:
        held = min(core.operands.held_cycles[number] - warps.held_at_wake[warp], now - warps.since[warp])
        if held > 0:
            account(gpu, core, warp, DISPATCH_STALL, tables, warps.since[warp] + held)
    if now > warps.since[warp]:
        account(gpu, core, warp, NOT_SELECTED, tables, now)
    warps.since[warp] = now + 1


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
def _count_issue(core, warp, pc, part, tables):
    """One more issue of an instruction: lanes that take part, lanes whose thread waits meanwhile, and lanes whose thread has ended."""
    row = tables.profile[pc]
    threads, launched = core.warps.threads[warp], core.warps.launched[warp]
    row[SELECTED] += 1
    row[LANES] += popcount(part)
    row[LANES_DIVERGED] += popcount(threads & ~part)
    row[LANES_ENDED] += popcount(launched & ~(threads | part))
    if core.counts != 0:
        _count_for_program(core, warp, part, tables)


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
def follow(gpu, core, warp, pc, unit, tables, now):
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
