"""Transactions: what travels between the cores, the second-level cache and memory.

A transaction is one line, or some sectors of it, that a core wants or writes. It is an event on the wheel: it lies
there for as long as the wire and the lookup before it take.
"""

from __future__ import annotations

from warploom.machine.engine.unit import unit
from warploom.machine.memory.event_wheel import room, schedule

# What an access does.
LOAD, STORE, ATOMIC = range(3)

# What happens when an event's time has come.
LOAD_ARRIVES, STORE_ARRIVES, ATOMIC_ARRIVES, TO_MEMORY, WRITE_MEMORY, L2_FILL, ANSWER = range(7)

# Fields of an event's tag: the slot of the unit that waits, whether that is the texture unit, extra cycles, and
# whether the answer goes through the unit's MSHRs.
SLOT_BITS = 8
TEXTURE_TAG = 1 << 8
CACHED_TAG = 1 << 9
EXTRA_SHIFT = 16


# Events that the second-level cache may add to those that were sent: one for every sector that it has asked memory for.
RESERVE = 256 * 64


@unit
def transaction_room(gpu):
    """How many transactions can still be sent. Those that wait in the second-level cache come back to the wheel later."""
    return room(gpu.wheel) - gpu.l2.waiting - RESERVE


@unit
def send(gpu, core, line, sectors, kind, texture, cached, slot, extra, time):
    """Send a transaction that arrives beyond the first-level cache at `time`."""
    tag = slot + texture * TEXTURE_TAG + cached * CACHED_TAG + (extra << EXTRA_SHIFT)
    schedule(gpu.wheel, time, LOAD_ARRIVES + kind, core, line, sectors, tag)
