"""Scratchpad: addresses among those of global memory that the core's shared memory answers.

In hardware: the address decoder sends an access of such a region to shared memory in the place of the cache. A store is done when it is
issued; what a load brings is there after shared memory's latency.
"""

from __future__ import annotations

from warploom.isa.uop import SIZE
from warploom.machine.accounting.reasons import SHORT_SCOREBOARD
from warploom.machine.core.units.shared_access import occupy_shared, passes_of
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.unit import inlined
from warploom.machine.memory.transactions import STORE


@inlined
def complete_in_scratchpad(core, warp, pc, tables, now):
    """Shared memory is busy for the passes of the bundle's last access, whose results are there after its latency."""
    bundle = core.bundle
    moved = bundle.moved
    bundle.passes = passes_of(core, warp, tables, moved, tables.uops[moved, SIZE])
    start = occupy_shared(core, pc, tables, now)
    if core.counts > 1:
        core.monitor.scratchpad_stalls = core.monitor.scratchpad_stalls + bundle.passes - 1
    if bundle.kind != STORE:
        until = start + core.shared_latency + bundle.passes - 1
        mark_busy(core.scoreboard, tables.code, warp, pc, bundle.every, core.warps.lanes, until, SHORT_SCOREBOARD)
