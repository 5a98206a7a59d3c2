"""Issue in turns: the schedulers of a core issue one after the other, each several instructions of different warps in a cycle.

In hardware: AMD's GCN has four SIMDs of 16 lanes, each with its own waves. A vector instruction of 64 lanes keeps a SIMD for four
cycles, so an arbiter that looks at one SIMD per cycle is enough for all four: a quarter of the logic of four schedulers. In its turn a
SIMD issues up to five instructions, of different waves and of different kinds (vector arithmetic, scalar, vector memory, LDS, branch),
each to a different unit. The units that the SIMDs share, the scalar unit among them, are used by one SIMD per cycle, so they do not need an
arbiter either.

A warp's wait ends at its scheduler's turn. A warp that waits only for that turn is charged to `wait`.

Sources: AMD, "Graphics Cores Next (GCN) architecture", white paper, 2012; Mantor and Houston, "AMD Graphic Core Next", AMD Fusion
Developer Summit 2011 (instruction arbitration: up to five per cycle, one for each kind, of different waves).
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import PORT
from warploom.machine.core.cycle import check_alarms, fetch_and_load_store, pick_warp, visit
from warploom.machine.core.fetch.instruction_fetch import receive_instructions
from warploom.machine.core.full_units import count_full_units, find_full_units, next_free_unit, note_full_ports, note_if_full
from warploom.machine.core.issue import issue
from warploom.machine.core.ready_check import next_turn
from warploom.machine.core.warps.alarms import next_ringing
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import FOREVER, inlined, unit


@unit
def step_in_turns(gpu, core, tables, units, now):
    """One cycle of a core whose schedulers issue in turns. Returns the next cycle in which it has something to do, or FOREVER."""
    _count_skipped_turns(core, now)
    core.stepped = now
    core.issued = 0
    if core.fetch.buffer != 0:
        receive_instructions(core.fetch, core.warps, core.code_rows, now)
    check_alarms(gpu, core, tables, now)
    find_full_units(core, now)
    for number in range(core.scheduler_count):
        note_full_ports(core, number, now)
    _issue_turn(gpu, core, np.int64(now % core.scheduler_count), tables, units, now)
    soonest = fetch_and_load_store(gpu, core, tables, units, now)
    if core.warps.awake != EMPTY:
        soonest = min(soonest, _next_issue_turn(core, now))
    return min(soonest, next_ringing(core.warps.alarms.ringing | core.fetch.coming.ringing, now))


@inlined
def _issue_turn(gpu, core, number, tables, units, now):
    """The turn of scheduler `number`: its policy picks warps, until no kind of instruction is left or as many as a turn has are issued."""
    if gpu.fault.kind != 0:
        return  # a kernel that has failed issues nothing more
    warps = core.warps
    s = core.schedulers[number]
    left = warps.awake & s.owned
    if left & core.warps_blocked != EMPTY:
        count_full_units(core, number, left, core.scheduler_count, now)
    for _ in range(core.issues_per_turn):
        eligible = left & ~core.warps_blocked
        if gpu.fault.kind != 0:
            return
        if eligible == EMPTY:
            if gpu.every_cycle != 0:
                visit(gpu, core, s, left, tables, units, now)
            return
        warp = pick_warp(gpu, core, s, left, eligible, tables, units, now)
        if warp < 0:
            return
        port = np.int64(tables.code[warps.pc[warp], PORT])
        left = left & ~(warps.wants[port] | bit(warp))
        core.issued = core.issued + 1
        issue(gpu, core, number, warp, tables, units, now)
        note_if_full(core, port, now)


@inlined
def _next_issue_turn(core, now):
    """The next cycle in which an awake warp may issue; FOREVER if that depends on an answer of the memory system."""
    soonest = np.int64(FOREVER)
    ready = core.warps.awake & ~core.warps_blocked
    for number in range(core.scheduler_count):
        if ready & core.schedulers[number].owned != EMPTY:
            soonest = min(soonest, next_turn(core, number, now + 1))
    if core.warps_blocked != EMPTY:
        soonest = min(soonest, next_free_unit(core, now))
    return soonest


@inlined
def _count_skipped_turns(core, now):
    """Turns are skipped while every awake warp of the scheduler needs a full unit: they count like the turn before them."""
    if core.warps_blocked != EMPTY and now > core.stepped + 1:
        for number in range(core.scheduler_count):
            turns = (now - 1 - number) // core.scheduler_count - (core.stepped - number) // core.scheduler_count
            if turns > 0:
                first = next_turn(core, number, core.stepped + 1)
                count_full_units(core, number, core.warps.awake & core.schedulers[number].owned, turns * core.scheduler_count, first)
