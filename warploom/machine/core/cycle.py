"""The cycle of a core with warps: examine, pick, issue.

A warp for which something has happened is *examined* (ready_check.py): if it no longer waits for anything, it is awake. Each scheduler
picks one of its awake warps whose unit is free, and the warp's instruction is *issued* (issue.py). Then the fetch unit and the load/store
units do their work of the cycle.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import ISSUE_LATENCY, ISSUE_UNIT, PORT
from warploom.machine.accounting.events import EMPTY_SLOT, LACKS_UNIT, WAITS, emit_visit
from warploom.machine.core.divergence.dwf import form_warps
from warploom.machine.core.fetch.instruction_fetch import fetch_instructions, receive_instructions
from warploom.machine.core.full_units import count_full_units, find_full_units, next_free_unit, note_full_ports, note_what_it_fills
from warploom.machine.core.issue import issue
from warploom.machine.core.ready_check import examine, wake_up
from warploom.machine.core.units.table import step_units
from warploom.machine.core.warps.alarms import next_ringing, ringing_in
from warploom.machine.core.warps.stall_account import account_wait
from warploom.machine.core.warps.warp_exit import free_slot, has_to_drain
from warploom.machine.core.warps.warp_table import rings
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, ones, rest
from warploom.machine.engine.unit import FOREVER, inlined, native_form_of, out_of_line, unit


@unit
def step(gpu, core, tables, units, now):
    """One cycle of a core. Returns the next cycle in which it has something to do; FOREVER if only other units can wake it."""
    _count_skipped_cycles(core, now)
    core.stepped = now
    core.issued = 0
    if core.fetch.buffer != 0:
        receive_instructions(core.fetch, core.warps, core.code_rows, now)
    check_alarms(gpu, core, tables, now)
    if core.warps.awake != EMPTY or gpu.every_cycle != 0:
        find_full_units(core, now)
        issue_slots(gpu, core, tables, units, now)
    else:  # no warp needs a unit
        core.full_units = EMPTY
        core.warps_blocked = EMPTY
    soonest = fetch_and_load_store(gpu, core, tables, units, now)
    if core.warps.awake != EMPTY:
        soonest = min(soonest, next_issue_cycle(core, now))
    return min(soonest, next_ringing(core.warps.alarms.ringing | core.fetch.coming.ringing, now))


@unit
def step_forming_warps(gpu, core, tables, units, now):
    """`step` of a core that re-forms its warps first. Same arguments, same result.

    Threads become ready without an alarm, too: no cycle is skipped as long as a warp waits for something other than memory, a barrier or
    its end.
    """
    if core.fetch.buffer != 0:
        receive_instructions(core.fetch, core.warps, core.code_rows, now)
    form_warps(gpu, core, tables, now)
    soonest = step(gpu, core, tables, units, now)
    warps = core.warps
    waiting = warps.waiting_memory | warps.at_barrier | warps.fencing | warps.draining
    return np.int64(now + 1) if warps.active & ~waiting != EMPTY else soonest


@inlined
def check_alarms(gpu, core, tables, now):
    """The warps whose alarm rings: those with nothing left to wait for wake up, those that have ended leave their slot."""
    warps = core.warps
    ringing = ringing_in(warps.alarms, now) & ~warps.awake
    while ringing != EMPTY:
        warp = lowest(ringing)
        ringing = rest(ringing)
        if not rings(warps, warp, now):
            continue
        if has(warps.wake_time_known, warp):
            wake_up(core, warp, np.int64(tables.code[warps.pc[warp], PORT]), now)
            continue
        account_wait(gpu, core, warp, tables, now)
        if not has(warps.draining, warp):
            examine(gpu, core, tables, warp, now)
        elif not has_to_drain(core, warp):
            free_slot(gpu, core, warp, tables, now)


@inlined
def issue_slots(gpu, core, tables, units, now):
    """The schedulers issue one after the other: those that own an awake warp before the first of them issues."""
    awake = core.warps.awake
    for number in range(core.scheduler_count):
        if awake & core.schedulers[number].owned != EMPTY or gpu.every_cycle != 0:
            issue_slot(gpu, core, number, tables, units, now)


@native_form_of(issue_slots)
@inlined
def issue_slots_asked_for(gpu, core, tables, units, now):
    """A host predicts badly which scheduler has an awake warp, so the mask of these schedulers is computed without a branch."""
    left = _schedulers_asked(gpu, core)
    while left != EMPTY:
        number = lowest(left)
        left = rest(left)
        issue_slot(gpu, core, number, tables, units, now)


@inlined
def _schedulers_asked(gpu, core):
    """The schedulers that own an awake warp, bit i = scheduler i; at least one warp is awake. Each of n schedulers owns every n-th slot."""
    count = core.scheduler_count
    if gpu.every_cycle != 0 or count == 1:
        return ones(count)
    if count & (count - 1) != 0:
        return _schedulers_with(core, core.warps.awake)
    asked = core.warps.awake
    asked = asked | asked >> core.folds[0]
    asked = asked | asked >> core.folds[1]
    asked = asked | asked >> core.folds[2]
    asked = asked | asked >> core.folds[3]
    asked = asked | asked >> core.folds[4]
    return asked & ones(count)


def folds_of(schedulers: int) -> list[int]:
    """How far the mask of warps is shifted, one after the other, to become one of schedulers, a power of two; 0 for not at all."""
    return [shift if shift >= schedulers else 0 for shift in (32, 16, 8, 4, 2)]


@out_of_line
def _schedulers_with(core, warps):
    """The schedulers that own one of some warps."""
    found = EMPTY
    for number in range(core.scheduler_count):
        if core.schedulers[number].owned & warps != EMPTY:
            found = found | bit(number)
    return found


@inlined
def issue_slot(gpu, core, number, tables, units, now):
    """The issue slot of scheduler `number`: its policy picks a warp, and the warp's instruction is issued if it can be."""
    if gpu.fault.kind != 0:
        return  # a kernel that has failed issues nothing more, so the record of the fault does not change
    warps = core.warps
    s = core.schedulers[number]
    awake = warps.awake & s.owned
    if core.partitions.own != 0:
        note_full_ports(core, number, now)
    eligible = awake & ~core.warps_blocked
    if eligible != awake:
        count_full_units(core, number, awake, 1, now)
    if eligible == EMPTY:
        if gpu.every_cycle != 0:
            visit(gpu, core, s, awake, tables, units, now)
        return
    warp = pick_warp(gpu, core, s, awake, eligible, tables, units, now)
    if warp >= 0:
        core.issued = core.issued + 1
        port = issue(gpu, core, number, warp, tables, units, now)
        note_what_it_fills(core, port, now)


@out_of_line
def visit(gpu, core, s, awake, tables, units, now):
    """A policy that runs in every cycle picks a warp in a cycle in which none can issue."""
    pick_warp(gpu, core, s, awake, EMPTY, tables, units, now)


@inlined
def pick_warp(gpu, core, s, awake, eligible, tables, units, now):
    """The policy of scheduler `s` picks a warp. Returns it when its instruction can be issued, else -1."""
    warps = core.warps
    _show_warps(warps, s, awake, eligible)
    show_instructions(warps, s, tables)
    warp = np.int64(units.policy(s, now))
    if warp < 0:
        return warp
    s.last = warp
    if has(s.active, warp):
        warps.visits[warp] += 1
    if has(eligible, warp):
        return warp
    if gpu.log.tracing != 0:
        emit_visit(gpu.log, tables, now, core.number, warp, warps.pc[warp], warps.mask[warp], _why_not(s, warp))
    return np.int64(-1)


@inlined
def _show_warps(warps, s, awake, eligible):
    """Write the scheduler's inputs: what its policy may read about the warps that it owns."""
    s.active = warps.active & s.owned
    s.awake = awake
    s.eligible = eligible
    s.waiting_memory = warps.waiting_memory & s.owned
    s.at_barrier = warps.at_barrier & s.owned


@inlined
def show_instructions(warps, s, tables):
    """A built-in policy does not read the warps' next instructions."""


@unit
def show_instructions_of_warps(warps, s, tables):
    """Write what a policy may read about the next instruction of each awake warp."""
    left = s.awake
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        pc = np.int64(warps.pc[warp])
        s.pc[warp] = pc
        s.unit[warp] = tables.code[pc, ISSUE_UNIT]
        s.latency_class[warp] = tables.code[pc, ISSUE_LATENCY]


@inlined
def _why_not(s, warp):
    """Why the warp that was picked cannot issue: `outcome` of a visit."""
    if not has(s.active, warp):
        return EMPTY_SLOT
    return LACKS_UNIT if has(s.awake, warp) else WAITS


@inlined
def _count_skipped_cycles(core, now):
    """Cycles are skipped while every awake warp needs a full unit: they count like the cycle before them."""
    if core.warps_blocked != EMPTY and now > core.stepped + 1:
        _count_skipped(core, now - core.stepped - 1)


@out_of_line
def _count_skipped(core, cycles):
    for number in range(core.scheduler_count):
        count_full_units(core, number, core.warps.awake & core.schedulers[number].owned, cycles, core.stepped + 1)


@inlined
def fetch_and_load_store(gpu, core, tables, units, now):
    """One cycle of the units beside the schedulers. Returns the next cycle in which one of them has something to do, alarms apart."""
    soonest = np.int64(FOREVER)
    if core.fetch.buffer != 0:
        soonest = min(soonest, fetch_instructions(gpu, core.fetch, core.warps, core.code_rows, now))
    return min(soonest, step_units(gpu, core, tables, units, now))


@inlined
def next_issue_cycle(core, now):
    """The next cycle in which an awake warp may issue; FOREVER if that depends on an answer of the memory system."""
    if core.issued != 0 or core.warps.awake & ~core.warps_blocked != EMPTY:
        return np.int64(now + 1)
    return next_free_unit(core, now)
