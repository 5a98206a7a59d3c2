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
from warploom.machine.core.pipes import find_free_pipe, next_free
from warploom.machine.core.ready_check import examine, wake_up
from warploom.machine.core.warps.stall_account import account
from warploom.machine.core.warps.warp_exit import free
from warploom.machine.core.warps.warp_table import next_alarm, ring
from warploom.machine.engine.bits import bit, lowest
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, unit


@unit
def step(gpu, core, tables, units, now):
    """One cycle of a core. Returns the next cycle in which it has something to do; FOREVER when only others can wake it."""
    warps = core.warps
    if core.full_units != np.uint64(0) and now > core.stepped + 1:
        _skipped(core, now - core.stepped - 1)
    core.stepped = now
    core.issued = 0
    rung = ring(warps, now) & ~warps.awake
    while rung != np.uint64(0):
        warp = lowest(rung)
        rung = rung & (rung - np.uint64(1))
        if warps.wake_time_known & bit(warp) != np.uint64(0):
            wake_up(core, warp, np.int64(tables.code[warps.pc[warp], ISSUE_UNIT]), now)
            continue
        account(gpu, core, warp, warps.reason[warp], tables, now)
        if warps.draining & bit(warp) != np.uint64(0):
            if warps.pending[warp] + warps.stores[warp] == 0:
                free(gpu, core, warp, tables, now)
        else:
            examine(gpu, core, tables, warp, now)
    core.full_units = np.uint64(0)
    core.warps_blocked = np.uint64(0)
    find_free_pipe(core.alus, np.int64(0), now)
    find_free_pipe(core.specials, np.int64(0), now)
    note_if_full(core, ALU, now)
    note_if_full(core, SPECIAL, now)
    note_if_full(core, MEMORY, now)
    note_if_full(core, SHARED, now)
    note_if_full(core, TEXTURE, now)
    for number in range(core.scheduler_count):
        issue_slot(gpu, core, number, tables, units, now)
    again = np.int64(FOREVER)
    if core.fetch.buffer != 0:
        again = min(again, fetch_step(gpu, core.fetch, warps, core.code_rows, now))
    if core.lsu.waiting > 0 and units.load_store(gpu, core, core.lsu, tables, now) != 0:
        again = np.int64(now + 1)
    if core.texture.waiting > 0 and units.load_store(gpu, core, core.texture, tables, now) != 0:
        again = np.int64(now + 1)
    if warps.awake != np.uint64(0):
        again = min(again, next_issue_cycle(core, now))
    return min(again, next_alarm(warps, now))


@unit
def step_forming_warps(gpu, core, tables, units, now):
    """`step` of a core that forms its warps anew first. Same arguments, same answer."""
    form_warps(gpu, core, tables, now)
    return step(gpu, core, tables, units, now)


@inlined
def issue_slot(gpu, core, number, tables, units, now):
    """One scheduler's issue slot."""
    warps = core.warps
    s = core.schedulers[number]
    awake = warps.awake & s.owned
    able = awake & ~core.warps_blocked
    if able != awake:
        left = core.full_units
        while left != np.uint64(0):
            unit = lowest(left)
            left = left & (left - np.uint64(1))
            if awake & warps.wants[unit] != np.uint64(0):
                core.unit_full_cycles[number, unit] += 1
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
    warp_bit = bit(warp)
    if s.active & warp_bit != np.uint64(0):
        warps.visits[warp] += 1
    if able & warp_bit != np.uint64(0):
        unit = np.int64(tables.code[warps.pc[warp], ISSUE_UNIT])
        core.issued = core.issued + 1
        issue(gpu, core, number, warp, tables, units, now)
        if unit != CONTROL:
            note_if_full(core, unit, now)
    elif gpu.log.tracing != 0:
        outcome = 2 if s.active & warp_bit == np.uint64(0) else (1 if s.awake & warp_bit != np.uint64(0) else 0)
        emit(gpu.log, tables, now, VISIT, core.number, warp, warps.pc[warp], warps.mask[warp], outcome, 0)


@inlined
def note_if_full(core, unit, now):
    """Note when a unit takes nothing more in this cycle."""
    if core.warps.awake & core.warps.wants[unit] != np.uint64(0) and unit_accepts(core, unit, now) == 0:
        core.full_units = core.full_units | bit(unit)
        core.warps_blocked = core.warps_blocked | core.warps.wants[unit]


@inlined
def unit_accepts(core, unit, now):
    """1 when a unit can take an instruction in this cycle."""
    if unit == ALU:
        return 1 if core.alus.open >= 0 else 0
    if unit == SPECIAL:
        return 1 if core.specials.open >= 0 else 0
    if unit == MEMORY:
        return 1 - full(core.lsu)
    if unit == SHARED:
        return 1 if core.shared_free <= now else 0
    if unit == TEXTURE:
        return 1 - full(core.texture)
    return 1


@out_of_line
def _skipped(core, cycles):
    """Cycles were skipped in which every warp that was awake wanted a unit that was taken: count them."""
    for number in range(core.scheduler_count):
        waiting = core.warps.awake & core.schedulers[number].owned
        left = core.full_units
        while left != np.uint64(0):
            unit = lowest(left)
            left = left & (left - np.uint64(1))
            if waiting & core.warps.wants[unit] != np.uint64(0):
                core.unit_full_cycles[number, unit] += cycles


@inlined
def next_issue_cycle(core, now):
    """The next cycle in which a warp that is awake may issue; FOREVER when that takes an answer of the memory system."""
    if core.issued != 0 or core.warps.awake & ~core.warps_blocked != np.uint64(0):
        return np.int64(now + 1)
    soonest = np.int64(FOREVER)
    if core.full_units & bit(ALU) != np.uint64(0):
        soonest = min(soonest, next_free(core.alus))
    if core.full_units & bit(SPECIAL) != np.uint64(0):
        soonest = min(soonest, next_free(core.specials))
    if core.full_units & bit(SHARED) != np.uint64(0):
        soonest = min(soonest, np.int64(core.shared_free))
    # A queue that was full when the schedulers looked may have room since.
    if (core.full_units & bit(MEMORY) != np.uint64(0) and full(core.lsu) == 0) or (
        core.full_units & bit(TEXTURE) != np.uint64(0) and full(core.texture) == 0
    ):
        soonest = np.int64(now + 1)
    return max(soonest, np.int64(now + 1))
