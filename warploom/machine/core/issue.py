"""Issue: a warp's instruction is executed, its results are locked, its PC moves.

In hardware: the stage behind the scheduler, which reads the registers and hands the instruction to a unit. Values are computed at
issue; time is accounted for beside them: what an instruction writes is locked until its unit's latency is over.
Sources are read and results written in program order in every warp, so what a dependent instruction sees is what it would
see in hardware.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import (
    ALU,
    CONTROL,
    COUNT,
    FIRST_UOP,
    ISSUE_LATENCY,
    ISSUE_UNIT,
    MEMORY,
    OP,
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
    DIVERGED,
    LANES,
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
from warploom.machine.core.pipes import accept
from warploom.machine.core.ready_check import examine
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.stall_account import account
from warploom.machine.core.warps.warp_exit import end
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.datapath.register_file import expand_mask
from warploom.machine.engine.bits import bit, popcount
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line

CLOCK, CYCLE = SPECIAL_NUMBER["clock"], SPECIAL_NUMBER["cycle"]
MASK_LOW, MASK_HIGH = SPECIAL_NUMBER["mask_low"], SPECIAL_NUMBER["mask_high"]


@inlined
def issue(gpu, core, number, warp, tables, units, now):
    """Issue a warp's next instruction: charge its waiting, execute its micro-ops, move its PC, examine what follows."""
    warps = core.warps
    warp_bit = bit(warp)
    pc = np.int64(warps.pc[warp])
    mask = warps.mask[warp]
    unit = np.int64(tables.code[pc, ISSUE_UNIT])
    if warps.wake[warp] > warps.since[warp]:
        account(gpu, core, warp, warps.reason[warp], tables, warps.wake[warp])
    throttled = min(core.unit_full_cycles[number, unit] - warps.unit_full_at_wake[warp], now - warps.since[warp])
    if throttled > 0:
        account(gpu, core, warp, _throttle_reason(unit), tables, warps.since[warp] + throttled)
    if now > warps.since[warp]:
        account(gpu, core, warp, NOT_SELECTED, tables, now)
    warps.since[warp] = now + 1
    warps.awake = warps.awake & ~warp_bit
    warps.wants[unit] &= ~warp_bit

    registers = core.registers[warp]
    if warps.expanded_from[warp] != mask:
        activate_lanes(registers, warps, warp, mask)
    registers.special[CLOCK] = np.uint32(warps.visits[warp])
    registers.special[CYCLE] = np.uint32(now & 0xFFFFFFFF)
    count = np.int64(tables.code[pc, COUNT])
    row = tables.profile[pc]
    row[SELECTED] += 1
    row[LANES] += popcount(mask)

    start = np.int64(tables.code[pc, FIRST_UOP])
    until = np.int64(now + 1)
    fault = np.int64(0)
    if unit == ALU or unit == SPECIAL:
        for k in range(start, start + count):
            units.execute(registers, tables, k, warps.lanes)
        warps.pc[warp] = pc + 1
        latency = core.latency[tables.code[pc, ISSUE_LATENCY]]
        if unit == ALU:
            pipe = np.int64(core.alus.open)
            until = accept(core.alus, now, latency)
            if gpu.log.tracing != 0:
                emit(gpu.log, tables, now, PIPE, core.number, warp, pc, mask, pipe, core.alus.free[pipe])
        else:
            until = accept(core.specials, now, latency)
        mark_busy(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, until, WAIT if unit == ALU else SHORT_SCOREBOARD)
    elif unit == CONTROL:
        core.diverged = 0
        for k in range(start, start + count):
            if tables.uops[k, UNIT] == CONTROL:
                fault = units.control(gpu, core, warp, pc, tables, k, now)
            else:
                units.execute(registers, tables, k, warps.lanes)
        row[DIVERGED] += core.diverged
        mark_busy(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, now + 1, WAIT)
    else:
        fault = units.access(gpu, core, warp, pc, unit, tables, units, now)
        warps.pc[warp] = pc + 1
        until = np.int64(FOREVER)
    if unit != CONTROL and warps.diverged & warp_bit != np.uint64(0):
        select_path(core, warp)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, ISSUE, core.number, warp, pc, mask, np.int64(warps.mask[warp]), until)
    if fault != 0:
        raise_fault(gpu.fault, fault, core.number, warp, pc, _guilty(gpu, core, fault, mask), gpu.fault.value, gpu.fault.limit, now)
        return
    _go_on(gpu, core, warp, pc, unit, tables, now)


@out_of_line
def activate_lanes(registers, warps, warp, mask):
    """The lanes that execute have changed."""
    expand_mask(mask, registers.active, warps.lanes)
    warps.expanded_from[warp] = mask
    registers.special[MASK_LOW] = np.uint32(mask & np.uint64(0xFFFFFFFF))
    registers.special[MASK_HIGH] = np.uint32(mask >> np.uint64(32))


@inlined
def _throttle_reason(unit):
    if unit == MEMORY:
        return LG_THROTTLE
    if unit == SHARED:
        return MIO_THROTTLE
    if unit == TEXTURE:
        return TEX_THROTTLE
    return MATH_PIPE_THROTTLE


@inlined
def _guilty(gpu, core, fault, mask):
    """The lanes that a fault names: the one that was found, the ones that took the branch, or all."""
    if core.access.fault != 0:
        gpu.fault.value = core.access.value
        gpu.fault.limit = core.access.limit
        return bit(core.access.lane)
    return gpu.fault.lanes if gpu.fault.lanes != np.uint64(0) else mask


@inlined
def _go_on(gpu, core, warp, pc, unit, tables, now):
    """After an issue: the warp ends, waits at a barrier, or its next instruction is examined."""
    warps = core.warps
    warp_bit = bit(warp)
    if core.fetch.buffer != 0:
        consume(core.fetch, warp, pc, warps.pc[warp])
    if warps.threads[warp] == np.uint64(0):
        whole = 1 if tables.uops[tables.code[pc, FIRST_UOP], OP] == EXIT_WARP else 0
        end(gpu, core, warp, pc, whole, tables, now)
        return
    inside = 0 <= warps.pc[warp] < core.code_rows
    if inside and warps.at_barrier & warp_bit != np.uint64(0):
        warps.reason[warp] = BARRIER
        warps.wake[warp] = FOREVER
    elif inside and unit == CONTROL and core.branch_latency > 1:
        warps.reason[warp] = BRANCH_RESOLVING
        set_alarm(warps, warp, now + core.branch_latency, now)
    else:
        examine(gpu, core, tables, warp, now + 1)
