"""Transactions: what a core sends to the memory system, and what becomes of it there.

A transaction is one line, or some sectors of it, that a core wants or writes. It lies on the event wheel as a request, for as long as
the wire and the lookup before it take.
"""

from __future__ import annotations

from warploom.machine.engine.unit import inlined, unit
from warploom.machine.memory.event_wheel import room, schedule
from warploom.machine.memory.request import request

# Kinds of a request: where it is when its time has come.
LOAD, STORE, ATOMIC = range(3)  # what an access does: it has left the core, and reaches the second-level cache
TO_MEMORY, WRITE_MEMORY = 3, 4  # a miss of that cache, and a store that it passes on: they reach memory
L2_FILL = 5  # memory has answered that cache
ANSWER = 6  # the core has its answer

# Fields of a request's tag. Bits 0 to 7: the slot of the unit that waits.
SLOT_MASK = (1 << 8) - 1
TEXTURE_TAG = 1 << 8  # that unit is the texture unit
CACHED_TAG = 1 << 9  # the answer goes through the unit's MSHRs into its cache
EXTRA_SHIFT = 16  # the bits above: cycles that an atomic takes longer

# Requests that the second-level cache may add to those that were sent: one for every sector that it has asked memory for.
RESERVE = 256 * 64


@unit
def transaction_room(gpu):
    """How many transactions can still be sent. Those that wait in the second-level cache come back to the wheel later."""
    return room(gpu.wheel) - gpu.l2.waiting - RESERVE


@inlined
def tag_of(slot, texture, cached, extra):
    """The tag of a transaction. slot: of the unit that waits; texture, cached: 0 or 1; extra: cycles."""
    return slot + texture * TEXTURE_TAG + cached * CACHED_TAG + (extra << EXTRA_SHIFT)


@unit
def send(gpu, core, access, line, sectors, tag, time):
    """Send a transaction that arrives beyond the first-level cache at `time`. access: LOAD, STORE or ATOMIC."""
    schedule(gpu.wheel, time, request(access, core.number, line, sectors, tag))
