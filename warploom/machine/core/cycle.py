"""The cycle of a core with warps: examine, pick, issue.

The warps for which something has happened are *examined* (ready_check.py): those that wait for nothing any more are awake. Each
scheduler picks one of its awake warps whose unit is free, and its instruction is *issued* (issue.py). Then the fetch
unit and the load/store units live through the cycle.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import ALU, CONTROL, ISSUE_UNIT, MEMORY, SHARED, SPECIAL, TEXTURE
from warploom.machine.accounting.events import VISIT, emit
from warploom.machine.core.divergence.dwf import form_warps
from warploom.machine.core.fetch.instruction_fetch import step as fetch_step
from warploom.machine.core.issue import issue
from warploom.machine.core.load_store.lsu import full
from warploom.machine.core.pipes import look, next_free
from warploom.machine.core.ready_check import examine, wake_up
from warploom.machine.core.warps.stall_account import charge
from warploom.machine.core.warps.warp_exit import free
from warploom.machine.core.warps.warp_table import next_alarm, ring
from warploom.machine.engine.bits import bit, lowest
from warploom.machine.engine.unit import FOREVER, part, rare, unit


@unit
def step(gpu, core, tables, units, now):
    """One cycle of a core. Returns the next cycle in which it has something to do; FOREVER when only others can wake it."""
    warps = core.warps
    if core.taken != np.uint64(0) and now > core.stepped + 1:
        _skipped(core, now - core.stepped - 1)
    core.stepped = now
    core.issued = 0
    rung = ring(warps, now) & ~warps.awake
    while rung != np.uint64(0):
        warp = lowest(rung)
        rung = rung & (rung - np.uint64(1))
        if warps.certain & bit(warp) != np.uint64(0):
            wake_up(core, warp, np.int64(tables.code[warps.pc[warp], ISSUE_UNIT]), now)
            continue
        charge(gpu, core, warp, warps.reason[warp], tables, now)
        if warps.draining & bit(warp) != np.uint64(0):
            if warps.pending[warp] + warps.stores[warp] == 0:
                free(gpu, core, warp, tables, now)
        else:
            examine(gpu, core, tables, warp, now)
    core.taken = np.uint64(0)
    core.busy = np.uint64(0)
    look(core.alus, np.int64(0), now)
    look(core.specials, np.int64(0), now)
    for wanted in range(CONTROL):
        _look_at_unit(core, wanted, now)
    for number in range(core.scheduler_count):
        _slot(gpu, core, number, tables, units, now)
    again = np.int64(FOREVER)
    if core.fetch.buffer != 0:
        again = min(again, fetch_step(gpu, core.fetch, warps, core.code_rows, now))
    if core.lsu.waiting > 0 and units.load_store(gpu, core, core.lsu, tables, now) != 0:
        again = np.int64(now + 1)
    if core.texture.waiting > 0 and units.load_store(gpu, core, core.texture, tables, now) != 0:
        again = np.int64(now + 1)
    if warps.awake != np.uint64(0):
        again = min(again, _next_turn(core, now))
    return min(again, next_alarm(warps, now))


@unit
def step_forming_warps(gpu, core, tables, units, now):
    """`step` of a core that forms its warps anew first. Same arguments, same answer."""
    form_warps(gpu, core, tables, now)
    return step(gpu, core, tables, units, now)


@part
def _slot(gpu, core, number, tables, units, now):
    """One scheduler's issue slot."""
    warps = core.warps
    s = core.schedulers[number]
    awake = warps.awake & s.owned
    able = awake & ~core.busy
    if able != awake:
        left = core.taken
        while left != np.uint64(0):
            wanted = lowest(left)
            left = left & (left - np.uint64(1))
            if awake & warps.wants[wanted] != np.uint64(0):
                core.blocked[number, wanted] += 1
    if able == np.uint64(0) and gpu.every_cycle == 0:
        return
    s.active = warps.active & s.owned
    s.awake = awake
    s.eligible = able
    s.waiting_memory = warps.waiting_memory & s.owned
    s.at_barrier = warps.at_barrier & s.owned
    warp = units.policy(s, now)
    if warp < 0 or warp >= warps.slots:
        return
    s.last = warp
    me = bit(warp)
    if s.active & me != np.uint64(0):
        warps.visits[warp] += 1
    if able & me != np.uint64(0):
        wanted = np.int64(tables.code[warps.pc[warp], ISSUE_UNIT])
        core.issued = core.issued + 1
        issue(gpu, core, number, warp, tables, units, now)
        if wanted != CONTROL:
            _look_at_unit(core, wanted, now)
    elif gpu.log.tracing != 0:
        outcome = 2 if s.active & me == np.uint64(0) else (1 if s.awake & me != np.uint64(0) else 0)
        emit(gpu.log, tables, now, VISIT, core.number, warp, warps.pc[warp], warps.mask[warp], outcome, 0)


@part
def _look_at_unit(core, wanted, now):
    """Note when a unit takes nothing more in this cycle."""
    if core.warps.awake & core.warps.wants[wanted] != np.uint64(0) and _accepts(core, wanted, now) == 0:
        core.taken = core.taken | bit(wanted)
        core.busy = core.busy | core.warps.wants[wanted]


@part
def _accepts(core, wanted, now):
    """1 when a unit can take an instruction in this cycle."""
    if wanted == ALU:
        return 1 if core.alus.open >= 0 else 0
    if wanted == SPECIAL:
        return 1 if core.specials.open >= 0 else 0
    if wanted == MEMORY:
        return 1 - full(core.lsu)
    if wanted == SHARED:
        return 1 if core.shared_free <= now else 0
    if wanted == TEXTURE:
        return 1 - full(core.texture)
    return 1


@rare
def _skipped(core, cycles):
    """Cycles were skipped in which every warp that was awake wanted a unit that was taken: count them."""
    for number in range(core.scheduler_count):
        waiting = core.warps.awake & core.schedulers[number].owned
        for wanted in range(CONTROL):
            if core.taken & bit(wanted) != np.uint64(0) and waiting & core.warps.wants[wanted] != np.uint64(0):
                core.blocked[number, wanted] += cycles


@part
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
