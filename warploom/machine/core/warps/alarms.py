"""Alarms: the cycle in which each warp is looked at again.

Hardware counts down, or compares every cycle; here warps that wait for a known cycle cost nothing until then. A ring of 64 masks, one
a cycle, says for which warps it rings, and one more mask which of them are not empty. The unit that handles an alarm also checks the
time that was meant: what lies farther ahead than the ring reaches rings early, and is set again.

It is the event wheel of the memory system (memory/event_wheel.py) with a bit for an event.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, lowest
from warploom.machine.engine.unit import FOREVER, inlined, record

SLOTS = 64

Alarms = record(
    state=dict(
        warps=("u8", SLOTS),  # [cycle modulo SLOTS] the warps for which it rings: bit w = warp slot w
        ringing="u8",         # slots that are not empty: bit s = slot s
    ),
)  # fmt: skip


@inlined
def ring_in(alarms, warp, time, now):
    """An alarm for a warp rings in cycle `time`, which is not before `now`, or earlier if that is far away."""
    slot = min(time, now + SLOTS - 1) & (SLOTS - 1)
    alarms.warps[slot] |= bit(warp)
    alarms.ringing = alarms.ringing | bit(slot)


@inlined
def ringing_in(alarms, now):
    """The warps whose alarm rings in cycle `now`, as a mask. It rings once."""
    slot = now & (SLOTS - 1)
    found = alarms.warps[slot]
    if found != EMPTY:
        alarms.warps[slot] = EMPTY
        alarms.ringing = alarms.ringing & ~bit(slot)
    return found


@inlined
def next_ringing(ringing, now):
    """The next cycle after `now` in which an alarm may ring; FOREVER when none is set. ringing: of one ring, or of several together."""
    if ringing == EMPTY:
        return np.int64(FOREVER)
    start = np.uint64((now + 1) & (SLOTS - 1))
    turned = ringing >> start | ringing << (np.uint64(SLOTS) - start & np.uint64(SLOTS - 1))  # the slot of the next cycle is bit 0
    return now + 1 + lowest(turned)
