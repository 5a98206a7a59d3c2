"""Warp table: where each resident warp is, and what it waits for.

In hardware: a few registers for each warp slot beside the schedulers: program counter, lane mask, block, and
bits that say what the warp waits for. Every property that is checked for many warps is kept as one mask with a bit per warp, because a
scheduler can examine a mask in one cycle.

A warp that waits for a known time has an alarm (alarms.py), so that waiting warps cost nothing.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import PORTS
from warploom.machine.core.warps.alarms import SLOTS, Alarms, ring_in
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit

Warps = record(
    side_by_side=(MAX_WARPS,),
    settings=dict(
        slots="i8",                          # warp slots of the core
        lanes="i8",                          # lanes per warp
        scheduler=("i1", MAX_WARPS),         # which scheduler owns the slot
    ),
    inputs=dict(
        block=("i4", MAX_WARPS),             # dispatcher: block slot in the core
        rank=("i4", MAX_WARPS),              # dispatcher: warp number in its block
        started=("i8", MAX_WARPS),           # dispatcher: cycle of its launch
        pending=("i8", MAX_WARPS),           # load/store units: loads, atomics and samples in flight
        stores=("i8", MAX_WARPS),            # load/store units: stores in flight
        unsent=("i8", MAX_WARPS),            # load/store units: of those, which have not reached the first-level cache
        landed=("i8", MAX_WARPS),            # load/store units: first cycle in which all accesses that have been answered are done
    ),
    state=dict(                              # in a mask of warps, bit w = warp slot w; in a mask of lanes, bit l = lane l
        active="u8",                         # warps that run
        awake="u8",                          # warps that wait for nothing but an execution unit
        draining="u8",                       # warps that have ended but whose accesses are in flight
        waiting_memory="u8",                 # warps that wait for a load or a texture
        at_barrier="u8",                     # warps that wait at a barrier
        fencing="u8",                        # warps that wait for their own accesses at a fence, or to end
        starved="u8",                        # warps whose instruction buffer is empty
        wake_time_known="u8",                # warps that wait for a known cycle, and for nothing after it
        diverged="u8",                       # warps with diverged lanes: `select_path` runs after each of their instructions
        wants=("u8", len(PORTS)),            # [port] warps that are awake and whose next instruction goes to the port
        pc=("i4", MAX_WARPS),                # instruction number
        mask=("u8", MAX_WARPS),              # active lanes
        threads=("u8", MAX_WARPS),           # lanes that have a thread which has not ended
        launched=("u8", MAX_WARPS),          # lanes that have had a thread since the warp's launch
        expanded_from=("u8", MAX_WARPS),     # the mask that WarpRegisters.active was made from
        wake=("i8", MAX_WARPS),              # cycle in which it is examined again; FOREVER: when something happens
        reason=("i1", MAX_WARPS),            # what it waits for: a number of REASONS
        since=("i8", MAX_WARPS),             # first cycle that has not been accounted to a reason
        unit_full_at_wake=("i8", MAX_WARPS), # its scheduler's `unit_full_cycles` of its port when it woke up
        held_at_wake=("i8", MAX_WARPS),      # its scheduler's `held_cycles` when it woke up
        visits=("i8", MAX_WARPS),            # cycles in which its scheduler has picked it; a program can read them
        alarms=Alarms,                       # when warps are examined again
    ),
)  # fmt: skip


@inlined
def set_alarm(warps, warp, time, now):
    """Examine a warp again in cycle `time`, which is after `now`; FOREVER sets no alarm."""
    warps.wake[warp] = time
    if time < FOREVER:
        ring_in(warps.alarms, warp, time, now)


@unit
def wake_core(gpu, core, time, now):
    """Step a core again in cycle `time`, or in the one in which the alarm that was just set for it rings."""
    gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(time), np.int64(now + SLOTS - 1))


@inlined
def rings(warps, warp, now):
    """Whether the alarm of a warp that comes up in cycle `now` was meant for it. One that lies farther ahead is set again."""
    if warps.wake[warp] <= now:
        return True
    if warps.wake[warp] < FOREVER:
        set_alarm(warps, warp, warps.wake[warp], now)
    return False
