"""Completion of an access: its last transaction is answered, so its registers can be used and its warp may continue.

In hardware: a counter per access of what it still waits for, beside the scoreboard, which it notifies; and the counters of a warp's loads
and stores, which fences check.

The way back to the register file has a limited width, so a load of several words per lane has its last register later. Only the load
itself waits for that: the accesses after it are not held up.

Source: Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025 (512 bits a cycle; loads of 64 and 128 bits 2 and 6 cycles more).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import WRITES
from warploom.machine.accounting.events import emit_complete
from warploom.machine.accounting.reasons import LONG_SCOREBOARD
from warploom.machine.core.warps.access_order import answer_access
from warploom.machine.core.warps.scoreboard import release
from warploom.machine.core.warps.warp_exit import has_to_drain
from warploom.machine.core.warps.warp_table import set_alarm, wake_core
from warploom.machine.engine.bits import EMPTY, has, popcount
from warploom.machine.engine.unit import inlined, unit
from warploom.machine.memory.transactions import REDUCTION, STORE


@unit
def count_answer(gpu, core, lsu, access, tables, now):
    """One transaction of an access is answered."""
    lsu.done[access] = max(np.int64(lsu.done[access]), np.int64(now))
    lsu.open[access] -= 1
    if lsu.open[access] == 0 and lsu.leaving[access] == 0:
        complete(gpu, core, lsu, access, tables, now)


@inlined
def wake_waiting_warp(gpu, core, warp, time, now):
    """A warp that waits for a load is examined again in cycle `time`, unless it is to be examined earlier or its exact cycle is known.

    A warp that has ended waits for everything that was in flight. One at a fence is checked in the next cycle for what it still waits for:
    that may take less than a cache's latency.
    """
    warps = core.warps
    if has(warps.draining, warp):
        time = max(time, np.int64(warps.landed[warp]))
    elif has(warps.fencing, warp):
        time = np.int64(now + 1)
    elif not has(warps.waiting_memory & ~warps.wake_time_known, warp) or warps.wake[warp] <= time:
        return
    set_alarm(warps, warp, time, now)
    wake_core(gpu, core, time, now)


@inlined
def complete(gpu, core, lsu, access, tables, now):
    """All transactions of an access are answered at the end of cycle `done`: its registers can be used from the next one on."""
    warps = core.warps
    warp = np.int64(lsu.warp[access])
    done = np.int64(lsu.done[access])
    lsu.free[lsu.freed] = access
    lsu.freed = lsu.freed + 1
    lsu.count = lsu.count - lsu.keeps
    if core.full_units != EMPTY:  # a warp may have been waiting for room
        gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(now + 1))
    stored = lsu.kind[access] == STORE or lsu.kind[access] == REDUCTION
    if lsu.write_cycles != 0 and not stored:
        done = done + lsu.write_cycles * max(np.int64(tables.code[lsu.pc[access], WRITES]) - 1, np.int64(0))
    if core.counts > 1 and not stored and lsu.texture == 0:
        core.monitor.load_latency = core.monitor.load_latency + (done + 1 - lsu.issued[access]) * popcount(lsu.mask[access])
    if lsu.launched[access] == warps.started[warp]:  # else the warp has ended or was stopped, and a new one has its slot
        if stored:
            warps.stores[warp] -= 1
        else:
            release(core.scoreboard, tables.code, warp, lsu.pc[access], lsu.mask[access], warps.lanes, done + 1, LONG_SCOREBOARD)
            warps.pending[warp] -= 1
        if core.access_order.kept != 0:
            answer_access(core.access_order, warp, np.int64(lsu.number[access]))
        warps.landed[warp] = max(np.int64(warps.landed[warp]), done + 1)
        wake_waiting_warp(gpu, core, warp, max(done + 1, now + 1), now)
    if gpu.log.tracing != 0:
        emit_complete(gpu.log, tables, now, core.number, warp, lsu.pc[access], lsu.mask[access], lsu.issued[access], done)


@unit
def reach_cache(gpu, core, lsu, access, now):
    """A store has reached the first-level cache, which is as far as the warps of a block see."""
    warps = core.warps
    warp = np.int64(lsu.warp[access])
    if lsu.launched[access] == warps.started[warp]:
        warps.unsent[warp] -= 1
        warps.landed[warp] = max(np.int64(warps.landed[warp]), np.int64(lsu.done[access]) + 1)
        if has(warps.fencing, warp):
            wake_waiting_warp(gpu, core, warp, np.int64(now + 1), now)
        elif core.drains_sent != 0 and has(warps.draining, warp) and not has_to_drain(core, warp):
            set_alarm(warps, warp, np.int64(now + 1), now)
            wake_core(gpu, core, np.int64(now + 1), now)
