"""Warp table: where each resident warp is, and what it waits for.

In hardware: a few registers for each warp slot beside the schedulers: program counter, lane mask, block, and
bits that say what the warp waits for. Everything that many warps share a question about is kept as one mask with a
bit a warp, because that is what a scheduler can look at in one cycle.

A warp that waits for a known time has an alarm: a slot of a ring of 64 cycles holds the mask of warps to look
at again, so that waiting warps cost nothing.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import UNITS
from warploom.machine.engine.bits import bit, lowest
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit

ALARMS = 64

Warps = record(
    slots="i8",                          # warp slots of the core
    lanes="i8",                          # lanes a warp
    active="u8",                         # warp slots that run a warp
    awake="u8",                          # those that wait for nothing but an execution unit
    draining="u8",                       # those that have ended but whose accesses are on their way
    waiting_memory="u8",                 # those that wait for a load or a texture
    at_barrier="u8",                     # those that wait at a barrier
    fencing="u8",                        # those that wait for their own accesses at a fence, or to end
    starved="u8",                        # those whose instruction buffer is empty
    wake_time_known="u8",                        # those that wait for a known cycle, and for nothing after it
    diverged="u8",                         # those whose lanes are not all on one path: their course is looked at at each instruction
    wants=("u8", len(UNITS)),            # warp slots whose next instruction goes to each unit
    pc=("i4", MAX_WARPS),                # instruction number
    mask=("u8", MAX_WARPS),              # active lanes
    threads=("u8", MAX_WARPS),           # lanes that have a thread which has not ended
    expanded_from=("u8", MAX_WARPS),          # the mask that WarpRegisters.active was made from
    block=("i4", MAX_WARPS),             # block slot in the core
    rank=("i4", MAX_WARPS),              # warp number in its block
    scheduler=("i4", MAX_WARPS),         # which scheduler owns the slot
    wake=("i8", MAX_WARPS),              # cycle in which it is looked at again; FOREVER: when something happens
    resolve=("i8", MAX_WARPS),           # first cycle in which it may issue after its last instruction
    reason=("i4", MAX_WARPS),            # what it waits for: a number of REASONS
    since=("i8", MAX_WARPS),             # first cycle that has not been charged to a reason
    unit_full_at_wake=("i8", MAX_WARPS),        # its scheduler's count of blocked cycles of its unit when it woke up
    pending=("i8", MAX_WARPS),           # loads, atomics and samples on their way
    stores=("i8", MAX_WARPS),            # stores on their way
    landed=("i8", MAX_WARPS),            # first cycle in which all accesses that have been answered are done
    visits=("i8", MAX_WARPS),            # cycles in which its scheduler has looked at it
    started=("i8", MAX_WARPS),           # cycle of its launch
    alarm=("u8", ALARMS),                # warp slots to look at, by cycle modulo ALARMS
    ringing="u8",                        # slots of `alarm` that are not empty
)  # fmt: skip


@inlined
def set_alarm(warps, warp, time, now):
    """Look at a warp again in cycle `time`, which lies after `now`; FOREVER sets no alarm."""
    warps.wake[warp] = time
    if time < FOREVER:
        slot = min(time, now + ALARMS - 1) & (ALARMS - 1)
        warps.alarm[slot] |= bit(warp)
        warps.ringing = warps.ringing | bit(slot)


@unit
def wake_core(gpu, core, time, now):
    """Step a core again in cycle `time`, or in the one in which the alarm that was just set for it is looked at."""
    gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(time), np.int64(now + ALARMS - 1))


@inlined
def ring(warps, now):
    """The warps whose alarm rings in cycle `now`, as a mask."""
    slot = now & (ALARMS - 1)
    found = warps.alarm[slot]
    if found == np.uint64(0):
        return np.uint64(0)
    warps.alarm[slot] = np.uint64(0)
    warps.ringing = warps.ringing & ~bit(slot)
    rung = np.uint64(0)
    left = found
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if warps.wake[warp] <= now:
            rung = rung | bit(warp)
        elif warps.wake[warp] < FOREVER:
            set_alarm(warps, warp, warps.wake[warp], now)
    return rung


@inlined
def next_alarm(warps, now):
    """The next cycle after `now` in which an alarm may ring; FOREVER when none is set."""
    if warps.ringing == np.uint64(0):
        return np.int64(FOREVER)
    start = (now + 1) & (ALARMS - 1)
    ahead = warps.ringing >> np.uint64(start)
    if ahead != np.uint64(0):
        return now + 1 + lowest(ahead)
    return now + 1 + (ALARMS - start) + lowest(warps.ringing)
