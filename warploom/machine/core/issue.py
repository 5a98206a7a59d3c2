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
    FIRST,
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
from warploom.machine.core.divergence.mechanism import settle
from warploom.machine.core.fetch.instruction_fetch import consume
from warploom.machine.core.pipes import accept
from warploom.machine.core.ready_check import examine
from warploom.machine.core.warps.scoreboard import lock
from warploom.machine.core.warps.stall_account import charge
from warploom.machine.core.warps.warp_exit import end
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.datapath.register_file import expand_mask
from warploom.machine.engine.bits import bit, popcount
from warploom.machine.engine.unit import FOREVER, part, rare

CLOCK, CYCLE = SPECIAL_NUMBER["clock"], SPECIAL_NUMBER["cycle"]
MASK_LOW, MASK_HIGH = SPECIAL_NUMBER["mask_low"], SPECIAL_NUMBER["mask_high"]


@part
def issue(gpu, core, number, warp, tables, units, now):
    """Issue a warp's next instruction: charge its waiting, execute its micro-ops, move its PC, examine what follows."""
    warps = core.warps
    me = bit(warp)
    pc = np.int64(warps.pc[warp])
    mask = warps.mask[warp]
    wanted = np.int64(tables.code[pc, ISSUE_UNIT])
    if warps.wake[warp] > warps.since[warp]:
        charge(gpu, core, warp, warps.reason[warp], tables, warps.wake[warp])
    throttled = min(core.blocked[number, wanted] - warps.blocked_at[warp], now - warps.since[warp])
    if throttled > 0:
        charge(gpu, core, warp, _throttle_reason(wanted), tables, warps.since[warp] + throttled)
    if now > warps.since[warp]:
        charge(gpu, core, warp, NOT_SELECTED, tables, now)
    warps.since[warp] = now + 1
    warps.awake = warps.awake & ~me
    warps.wants[wanted] &= ~me

    registers = core.registers[warp]
    if warps.expanded[warp] != mask:
        _spread(registers, warps, warp, mask)
    registers.special[CLOCK] = np.uint32(warps.visits[warp])
    registers.special[CYCLE] = np.uint32(now & 0xFFFFFFFF)
    count = np.int64(tables.code[pc, COUNT])
    row = tables.profile[pc]
    row[SELECTED] += 1
    row[LANES] += popcount(mask)

    start = np.int64(tables.code[pc, FIRST])
    until = np.int64(now + 1)
    fault = np.int64(0)
    if wanted == ALU or wanted == SPECIAL:
        for k in range(start, start + count):
            units.execute(registers, tables, k, warps.lanes)
        warps.pc[warp] = pc + 1
        latency = core.latency[tables.code[pc, ISSUE_LATENCY]]
        if wanted == ALU:
            pipe = np.int64(core.alus.open)
            until = accept(core.alus, now, latency)
            if gpu.log.tracing != 0:
                emit(gpu.log, tables, now, PIPE, core.number, warp, pc, mask, pipe, core.alus.free[pipe])
        else:
            until = accept(core.specials, now, latency)
        lock(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, until, WAIT if wanted == ALU else SHORT_SCOREBOARD)
    elif wanted == CONTROL:
        core.diverged = 0
        for k in range(start, start + count):
            if tables.uops[k, UNIT] == CONTROL:
                fault = units.control(gpu, core, warp, pc, tables, k, now)
            else:
                units.execute(registers, tables, k, warps.lanes)
        row[DIVERGED] += core.diverged
        lock(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, now + 1, WAIT)
    else:
        fault = units.access(gpu, core, warp, pc, wanted, tables, units, now)
        warps.pc[warp] = pc + 1
        until = np.int64(FOREVER)
    if wanted != CONTROL and warps.parted & me != np.uint64(0):
        settle(core, warp)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, ISSUE, core.number, warp, pc, mask, np.int64(warps.mask[warp]), until)
    if fault != 0:
        raise_fault(gpu.fault, fault, core.number, warp, pc, _guilty(gpu, core, fault, mask), gpu.fault.value, gpu.fault.limit, now)
        return
    _go_on(gpu, core, warp, pc, wanted, tables, now)


@rare
def _spread(registers, warps, warp, mask):
    """The lanes that execute have changed."""
    expand_mask(mask, registers.active, warps.lanes)
    warps.expanded[warp] = mask
    registers.special[MASK_LOW] = np.uint32(mask & np.uint64(0xFFFFFFFF))
    registers.special[MASK_HIGH] = np.uint32(mask >> np.uint64(32))


@part
def _throttle_reason(wanted):
    if wanted == MEMORY:
        return LG_THROTTLE
    if wanted == SHARED:
        return MIO_THROTTLE
    if wanted == TEXTURE:
        return TEX_THROTTLE
    return MATH_PIPE_THROTTLE


@part
def _guilty(gpu, core, fault, mask):
    """The lanes that a fault names: the one that was found, the ones that took the branch, or all."""
    if core.access.fault != 0:
        gpu.fault.value = core.access.value
        gpu.fault.limit = core.access.limit
        return bit(core.access.lane)
    return gpu.fault.lanes if gpu.fault.lanes != np.uint64(0) else mask


@part
def _go_on(gpu, core, warp, pc, wanted, tables, now):
    """After an issue: the warp ends, waits at a barrier, or its next instruction is examined."""
    warps = core.warps
    me = bit(warp)
    if core.fetch.buffer != 0:
        consume(core.fetch, warp, pc, warps.pc[warp])
    if warps.threads[warp] == np.uint64(0):
        whole = 1 if tables.uops[tables.code[pc, FIRST], OP] == EXIT_WARP else 0
        end(gpu, core, warp, pc, whole, tables, now)
        return
    inside = 0 <= warps.pc[warp] < core.code_rows
    if inside and warps.at_barrier & me != np.uint64(0):
        warps.reason[warp] = BARRIER
        warps.wake[warp] = FOREVER
    elif inside and wanted == CONTROL and core.branch_latency > 1:
        warps.reason[warp] = BRANCH_RESOLVING
        set_alarm(warps, warp, now + core.branch_latency, now)
    else:
        examine(gpu, core, tables, warp, now + 1)
