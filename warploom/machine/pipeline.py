"""The cycle of a core with warps: examine, pick, issue.

A warp is *examined* when something that it waited for has happened: does its next instruction lie in its buffer, are its
registers there? If so it is awake, else it waits for a time or an event, with a reason. Each cycle, every scheduler picks
one of its awake warps whose unit is free, and issues its instruction: the registers are read, the lanes execute, the
results are locked until the unit's latency is over, the PC moves.

Values are computed at issue; time is accounted for beside them. Sources are read and results written in program
order in every warp, so what a dependent instruction sees is what it would see in hardware.
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
from warploom.machine.control import EXIT_WARP, FENCE, leave_barriers
from warploom.machine.divergence.mechanism import settle
from warploom.machine.engine import FOREVER, part, unit
from warploom.machine.events import BLOCK, END, ISSUE, PIPE, STALL, VISIT, emit
from warploom.machine.faults import FAULT_NUMBER, raise_fault
from warploom.machine.fetch import consume
from warploom.machine.fetch import step as fetch_step
from warploom.machine.lsu import full
from warploom.machine.pipes import accept, free_pipe, next_free
from warploom.machine.reasons import (
    BARRIER,
    BRANCH_RESOLVING,
    DIVERGED,
    DRAIN,
    LANES,
    LG_THROTTLE,
    LONG_SCOREBOARD,
    MATH_PIPE_THROTTLE,
    MEMBAR,
    MIO_THROTTLE,
    NO_INSTRUCTION,
    NOT_SELECTED,
    SELECTED,
    SHORT_SCOREBOARD,
    TEX_THROTTLE,
    WAIT,
)
from warploom.machine.registers import bit, expand, first, popcount
from warploom.machine.scoreboard import hazard, hazard_time, lock
from warploom.machine.warps import next_alarm, ring, set_alarm

CLOCK, CYCLE = SPECIAL_NUMBER["clock"], SPECIAL_NUMBER["cycle"]
MASK_LOW, MASK_HIGH = SPECIAL_NUMBER["mask_low"], SPECIAL_NUMBER["mask_high"]
PC_FAULT = FAULT_NUMBER["pc_out_of_range"]


@unit
def step(gpu, core, uops, code, views, samplers, memory, profile, events, execute, policy, control, access, sampler, load_store, now):
    """One cycle of a core. Returns the next cycle in which it has something to do; FOREVER when only others can wake it."""
    warps = core.warps
    if core.taken != np.uint64(0) and now > core.stepped + 1:
        _skipped(core, now - core.stepped - 1)
    core.stepped = now
    core.issued = 0
    rung = ring(warps, now) & ~warps.awake
    while rung != np.uint64(0):
        warp = first(rung)
        rung = rung & (rung - np.uint64(1))
        if warps.certain & bit(warp) != np.uint64(0):
            _wake_up(core, warp, np.int64(code[warps.pc[warp], ISSUE_UNIT]), now)
            continue
        _span(gpu, core, warp, warps.reason[warp], profile, events, now)
        if warps.draining & bit(warp) != np.uint64(0):
            if warps.pending[warp] + warps.stores[warp] == 0:
                _free(gpu, core, warp, events, now)
        else:
            examine(gpu, core, uops, code, warp, now)
    core.taken = np.uint64(0)
    core.busy = np.uint64(0)
    for wanted in range(CONTROL):
        _look_at_unit(core, wanted, now)
    for number in range(core.scheduler_count):
        _slot(gpu, core, number, uops, code, views, samplers, memory, profile, events, execute, policy, control, access, sampler, now)
    again = np.int64(FOREVER)
    if core.fetch.buffer != 0:
        again = min(again, fetch_step(gpu, core.fetch, warps, core.code_rows, now))
    if core.lsu.waiting > 0 and load_store(gpu, core, core.lsu, code, profile, events, now) != 0:
        again = np.int64(now + 1)
    if core.texture.waiting > 0 and load_store(gpu, core, core.texture, code, profile, events, now) != 0:
        again = np.int64(now + 1)
    if warps.awake != np.uint64(0):
        again = min(again, _next_turn(core, now))
    return min(again, next_alarm(warps, now))


@unit
def _skipped(core, cycles):
    """Cycles were skipped in which every warp that was awake wanted a unit that was taken: count them."""
    for number in range(core.scheduler_count):
        waiting = core.warps.awake & core.schedulers[number].owned
        for wanted in range(CONTROL):
            if core.taken & bit(wanted) != np.uint64(0) and waiting & core.warps.wants[wanted] != np.uint64(0):
                core.blocked[number, wanted] += cycles


@unit
def _next_turn(core, now):
    """The next cycle in which a warp that is awake may issue; FOREVER when that takes an answer of the memory system."""
    if core.issued != 0 or core.warps.awake & ~core.busy != np.uint64(0):
        return np.int64(now + 1)
    soonest = np.int64(FOREVER)
    if core.taken & bit(ALU) != np.uint64(0):
        soonest = min(soonest, next_free(core.alus))
    if core.taken & bit(SPECIAL) != np.uint64(0):
        soonest = min(soonest, next_free(core.specials))
    if core.taken & bit(SHARED) != np.uint64(0):
        soonest = min(soonest, np.int64(core.shared_free))
    # A queue that was full when the schedulers looked may have room since.
    if (core.taken & bit(MEMORY) != np.uint64(0) and full(core.lsu) == 0) or (
        core.taken & bit(TEXTURE) != np.uint64(0) and full(core.texture) == 0
    ):
        soonest = np.int64(now + 1)
    return max(soonest, np.int64(now + 1))


@unit
def examine(gpu, core, uops, code, warp, at):
    """What does a warp's next instruction wait for, as of cycle `at`? Sets the warp awake, or its reason and alarm."""
    warps = core.warps
    me = bit(warp)
    pc = np.int64(warps.pc[warp])
    warps.waiting_memory = warps.waiting_memory & ~me
    warps.fencing = warps.fencing & ~me
    warps.certain = warps.certain & ~me
    if pc < 0 or pc >= core.code_rows:
        raise_fault(gpu.fault, PC_FAULT, core.number, warp, pc, warps.mask[warp], pc, core.code_rows, at)
        return
    if core.fetch.buffer != 0 and core.fetch.held[warp] == 0:
        warps.starved = warps.starved | me
        warps.reason[warp] = NO_INSTRUCTION
        warps.wake[warp] = FOREVER
        return
    wanted = np.int64(code[pc, ISSUE_UNIT])
    group = hazard(core.scoreboard, code, warp, pc, warps.mask[warp], warps.lanes, at)
    if group >= 0:
        time = hazard_time(core.scoreboard, warp, group, warps.mask[warp], warps.lanes)
        warps.reason[warp] = core.scoreboard.reason[warp, group] if time < FOREVER else LONG_SCOREBOARD
        if warps.reason[warp] == LONG_SCOREBOARD:
            warps.waiting_memory = warps.waiting_memory | me
        if time < FOREVER and wanted != CONTROL:
            warps.certain = warps.certain | me
        set_alarm(warps, warp, time, at)
        return
    if wanted == CONTROL and _must_drain(core, uops, code, warp, pc, at) != 0:
        return
    warps.reason[warp] = NOT_SELECTED
    _wake_up(core, warp, wanted, at)


@part
def _wake_up(core, warp, wanted, at):
    """A warp waits for nothing any more but its unit. What it has waited for is charged when it issues."""
    warps = core.warps
    me = bit(warp)
    warps.awake = warps.awake | me
    warps.certain = warps.certain & ~me
    warps.waiting_memory = warps.waiting_memory & ~me
    warps.wants[wanted] |= me
    warps.wake[warp] = at
    warps.blocked_at[warp] = core.blocked[warps.scheduler[warp], wanted]


@part
def _must_drain(core, uops, code, warp, pc, at):
    """A fence, and the end of a whole warp, wait for the warp's own accesses and registers. Returns 1 if it has to wait."""
    warps = core.warps
    op = uops[code[pc, FIRST], OP]
    if op != FENCE and op != EXIT_WARP:
        return 0
    warps.reason[warp] = MEMBAR if op == FENCE else DRAIN
    if warps.pending[warp] > 0 or (op == FENCE and warps.stores[warp] > 0):
        warps.fencing = warps.fencing | bit(warp)
        warps.wake[warp] = FOREVER
        return 1
    if op == FENCE and warps.landed[warp] > at:
        set_alarm(warps, warp, np.int64(warps.landed[warp]), at)
        return 1
    if op == EXIT_WARP and core.scoreboard.last[warp] > at:
        set_alarm(warps, warp, np.int64(core.scoreboard.last[warp]), at)
        return 1
    return 0


@unit
def _span(gpu, core, warp, reason, profile, events, until):
    """Charge the cycles that the warp has spent since its last charge."""
    warps = core.warps
    since = warps.since[warp]
    if until > since:
        profile[warps.pc[warp], reason] += until - since
        warps.since[warp] = until
        if gpu.log.tracing != 0:
            emit(gpu.log, events, until, STALL, core.number, warp, warps.pc[warp], warps.mask[warp], reason, since)


@part
def _accepts(core, wanted, now):
    """1 when a unit can take an instruction in this cycle."""
    if wanted == ALU:
        return 1 if free_pipe(core.alus, now) >= 0 else 0
    if wanted == SPECIAL:
        return 1 if free_pipe(core.specials, now) >= 0 else 0
    if wanted == MEMORY:
        return 1 - full(core.lsu)
    if wanted == SHARED:
        return 1 if core.shared_free <= now else 0
    if wanted == TEXTURE:
        return 1 - full(core.texture)
    return 1


@part
def _slot(gpu, core, number, uops, code, views, samplers, memory, profile, events, execute, policy, control, access, sampler, now):
    """One scheduler's issue slot."""
    warps = core.warps
    s = core.schedulers[number]
    s.active = warps.active & s.owned
    s.awake = warps.awake & s.owned
    able = s.awake & ~core.busy
    if able != s.awake:
        for wanted in range(CONTROL):
            if core.taken & bit(wanted) != np.uint64(0) and s.awake & warps.wants[wanted] != np.uint64(0):
                core.blocked[number, wanted] += 1
    s.eligible = able
    if able == np.uint64(0) and gpu.every_cycle == 0:
        return
    s.waiting_memory = warps.waiting_memory & s.owned
    s.at_barrier = warps.at_barrier & s.owned
    warp = policy(s, now)
    if warp < 0 or warp >= warps.slots:
        return
    s.last = warp
    me = bit(warp)
    if s.active & me != np.uint64(0):
        warps.visits[warp] += 1
    if able & me != np.uint64(0):
        wanted = np.int64(code[warps.pc[warp], ISSUE_UNIT])
        core.issued = core.issued + 1
        _issue(gpu, core, number, warp, uops, code, views, samplers, memory, profile, events, execute, control, access, sampler, now)
        if wanted != CONTROL:
            _look_at_unit(core, wanted, now)
    elif gpu.log.tracing != 0:
        outcome = 2 if s.active & me == np.uint64(0) else (1 if s.awake & me != np.uint64(0) else 0)
        emit(gpu.log, events, now, VISIT, core.number, warp, warps.pc[warp], warps.mask[warp], outcome, 0)


@part
def _look_at_unit(core, wanted, now):
    """Note when a unit takes nothing more in this cycle."""
    if core.warps.awake & core.warps.wants[wanted] != np.uint64(0) and _accepts(core, wanted, now) == 0:
        core.taken = core.taken | bit(wanted)
        core.busy = core.busy | core.warps.wants[wanted]


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
def _issue(gpu, core, number, warp, uops, code, views, samplers, memory, profile, events, execute, control, access, sampler, now):
    """Issue a warp's next instruction: charge its waiting, execute its micro-ops, move its PC, examine what follows."""
    warps = core.warps
    me = bit(warp)
    pc = np.int64(warps.pc[warp])
    mask = warps.mask[warp]
    wanted = np.int64(code[pc, ISSUE_UNIT])
    if warps.wake[warp] > warps.since[warp]:
        _span(gpu, core, warp, warps.reason[warp], profile, events, warps.wake[warp])
    throttled = min(core.blocked[number, wanted] - warps.blocked_at[warp], now - warps.since[warp])
    if throttled > 0:
        _span(gpu, core, warp, _throttle_reason(wanted), profile, events, warps.since[warp] + throttled)
    if now > warps.since[warp]:
        _span(gpu, core, warp, NOT_SELECTED, profile, events, now)
    warps.since[warp] = now + 1
    warps.awake = warps.awake & ~me
    warps.wants[wanted] &= ~me

    registers = core.registers[warp]
    if warps.expanded[warp] != mask:
        expand(mask, registers.active, warps.lanes)
        warps.expanded[warp] = mask
        registers.special[MASK_LOW] = np.uint32(mask & np.uint64(0xFFFFFFFF))
        registers.special[MASK_HIGH] = np.uint32(mask >> np.uint64(32))
    registers.special[CLOCK] = np.uint32(warps.visits[warp])
    registers.special[CYCLE] = np.uint32(now & 0xFFFFFFFF)
    count = np.int64(code[pc, COUNT])
    row = profile[pc]
    row[SELECTED] += 1
    row[LANES] += popcount(mask)

    start = np.int64(code[pc, FIRST])
    until = np.int64(now + 1)
    fault = np.int64(0)
    if wanted == ALU or wanted == SPECIAL:
        for k in range(start, start + count):
            execute(registers, uops, k, warps.lanes)
        warps.pc[warp] = pc + 1
        latency = core.latency[code[pc, ISSUE_LATENCY]]
        if wanted == ALU:
            pipe = free_pipe(core.alus, now)
            until = accept(core.alus, pipe, now, latency)
            if gpu.log.tracing != 0:
                emit(gpu.log, events, now, PIPE, core.number, warp, pc, mask, pipe, core.alus.free[pipe])
        else:
            until = accept(core.specials, free_pipe(core.specials, now), now, latency)
        lock(core.scoreboard, code, warp, pc, mask, warps.lanes, until, WAIT if wanted == ALU else SHORT_SCOREBOARD)
    elif wanted == CONTROL:
        core.diverged = 0
        for k in range(start, start + count):
            if uops[k, UNIT] == CONTROL:
                fault = control(gpu, core, warp, pc, uops, code, k, events, now)
            else:
                execute(registers, uops, k, warps.lanes)
        row[DIVERGED] += core.diverged
        lock(core.scoreboard, code, warp, pc, mask, warps.lanes, now + 1, WAIT)
    else:
        fault = access(gpu, core, warp, pc, wanted, uops, code, views, samplers, memory, profile, execute, sampler, now)
        warps.pc[warp] = pc + 1
        until = np.int64(FOREVER)
    if wanted != CONTROL and warps.parted & me != np.uint64(0):
        settle(core, warp)
    if gpu.log.tracing != 0:
        emit(gpu.log, events, now, ISSUE, core.number, warp, pc, mask, np.int64(warps.mask[warp]), until)
    if fault != 0:
        raise_fault(gpu.fault, fault, core.number, warp, pc, _guilty(gpu, core, fault, mask), gpu.fault.value, gpu.fault.limit, now)
        return
    _go_on(gpu, core, warp, pc, wanted, uops, code, events, now)


@part
def _guilty(gpu, core, fault, mask):
    """The lanes that a fault names: the one that was found, the ones that took the branch, or all."""
    if core.access.fault != 0:
        gpu.fault.value = core.access.value
        gpu.fault.limit = core.access.limit
        return bit(core.access.lane)
    return gpu.fault.lanes if gpu.fault.lanes != np.uint64(0) else mask


@part
def _go_on(gpu, core, warp, pc, wanted, uops, code, events, now):
    """After an issue: the warp ends, waits at a barrier, or its next instruction is examined."""
    warps = core.warps
    me = bit(warp)
    if core.fetch.buffer != 0:
        consume(core.fetch, warp, pc, warps.pc[warp])
    if warps.threads[warp] == np.uint64(0):
        whole = 1 if uops[code[pc, FIRST], OP] == EXIT_WARP else 0
        _end(gpu, core, warp, pc, whole, events, now)
    elif warps.pc[warp] < 0 or warps.pc[warp] >= core.code_rows:
        examine(gpu, core, uops, code, warp, now + 1)
    elif warps.at_barrier & me != np.uint64(0):
        warps.reason[warp] = BARRIER
        warps.wake[warp] = FOREVER
    elif wanted == CONTROL and core.branch_latency > 1:
        warps.reason[warp] = BRANCH_RESOLVING
        set_alarm(warps, warp, now + core.branch_latency, now)
    else:
        examine(gpu, core, uops, code, warp, now + 1)


@unit
def _end(gpu, core, warp, pc, whole, events, now):
    """All lanes have ended. The slot is free when the warp's accesses are done; `whole` warps do not wait for their stores."""
    warps = core.warps
    warps.pc[warp] = pc
    block = np.int64(warps.block[warp])
    core.blocks.alive[block] &= ~bit(warp)
    leave_barriers(gpu, core, block, now)
    gpu.progress = now
    if warps.pending[warp] + warps.stores[warp] > 0 and whole == 0:
        warps.draining = warps.draining | bit(warp)
        warps.reason[warp] = DRAIN
        warps.wake[warp] = FOREVER
    else:
        _free(gpu, core, warp, events, now + 1)


@unit
def _free(gpu, core, warp, events, at):
    """A warp slot is free from cycle `at` on, and its block's slot when it was the block's last warp."""
    warps = core.warps
    me = bit(warp)
    warps.active = warps.active & ~me
    warps.draining = warps.draining & ~me
    warps.wake[warp] = FOREVER
    gpu.live = gpu.live - 1
    gpu.room_since = at
    if gpu.log.tracing != 0:
        emit(gpu.log, events, at, END, core.number, warp, warps.pc[warp], 0, 0, 0)
    block = np.int64(warps.block[warp])
    members = core.blocks.alive[block]
    for other in range(warps.slots):
        if warps.draining & bit(other) != np.uint64(0) and warps.block[other] == block:
            members = members | bit(other)
    if members == np.uint64(0):
        core.blocks.used = core.blocks.used & ~bit(block)
        if gpu.log.tracing != 0:
            emit(gpu.log, events, at, BLOCK, core.number, warp, -1, 0, core.blocks.number[block], 1)
