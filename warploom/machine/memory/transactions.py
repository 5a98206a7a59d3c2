"""Transactions: what a core sends to the memory system, and what becomes of it there.

A transaction is one line, or some sectors of it, that a core wants or writes. It lies on the event wheel as a request, for as long as
the wire and the lookup before it take.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import inlined, unit
from warploom.machine.memory.crossbar import leave_core
from warploom.machine.memory.event_wheel import room, schedule
from warploom.machine.memory.request import request

# Kinds of a request: where it is when its time has come.
LOAD, STORE, ATOMIC = range(3)  # what an access does: it has left the core, and reaches the second-level cache
REDUCTION = 3  # of an access alone: an atomic without a result. Its warp waits for it as for a store; in flight it is an ATOMIC
TO_MEMORY, WRITE_MEMORY = 3, 4  # a miss of that cache, and a store that it passes on: they reach memory
L2_FILL = 5  # memory has answered that cache
ANSWER, DELIVERED = 6, 7  # an answer is ready to leave for its core; the core has it
SLICE_TURN = 8  # a slice takes the next request that waits for it; its number is in `line`
CHANNEL_TURN = 9  # a DRAM channel chooses what it serves next; its number is in `line`
WRITTEN, LINE_WRITTEN = 10, 11  # memory has taken a store, and a line that a cache has written back; `core` is the slice of the latter
NOTHING = 12  # no unit needs to know
TAKEN = 13  # a DRAM channel has a place for a write; `sectors` is its kind, WRITTEN or LINE_WRITTEN, and `core` and `line` are as there

# Fields of a request's tag. Bits 0 to 11: the access that waits, a number of the unit's.
SLOT_MASK = (1 << 12) - 1
TEXTURE_TAG = 1 << 12  # that unit is the texture unit
CACHED_TAG = 1 << 13  # the answer goes through the unit's MSHRs into its cache
TRACKED_TAG = 1 << 14  # a store whose core waits for an answer
CLIENT_TAG = 1 << 15  # a unit of the device waits, not one of a core: `memory/client.py` says what bits 0 to 11 are then
EXTRA_SHIFT = 16  # the bits above: the turns of an atomic, as below; of a store, its entry of `PartialStores` + 1, or 0
# Turns of an atomic, less one: of the word that most lanes want, and passes of all sectors of its line. SUM: of floats.
TURNS_BITS, PASSES_SHIFT, SUM = 255, 8, 1 << 16

# Requests that the second-level cache may add to those that were sent: a write-back for each that makes a line go.
RESERVE = 1 << 14


@unit
def transaction_room(gpu):
    """How many transactions can still be sent.

    Those that wait in the second-level cache or for DRAM come back to the wheel later, and each may send a request to memory.
    """
    return room(gpu.wheel) - 2 * gpu.l2.waiting - gpu.dram.waiting - RESERVE


@inlined
def tag_of(access, texture, cached, extra):
    """The tag of a transaction. access: what waits; texture, cached: 0 or 1; extra: turns, or an entry + 1."""
    return access + texture * TEXTURE_TAG + cached * CACHED_TAG + (extra << EXTRA_SHIFT)


@inlined
def passes_of(tag):
    """The passes that an atomic takes for the sectors of its line."""
    return (tag >> EXTRA_SHIFT + PASSES_SHIFT & TURNS_BITS) + 1


@inlined
def without_extra(tag):
    """A tag without the bits above EXTRA_SHIFT."""
    return tag & ((1 << EXTRA_SHIFT) - 1)


@inlined
def send(gpu, core, kind, line, sectors, tag, delay, now):
    """Send a transaction. kind: LOAD, STORE or ATOMIC. delay: cycles that the first-level cache takes to see that it must go on."""
    size = popcount(sectors) << gpu.sector_shift if kind != LOAD else np.int64(0)
    passes = np.int64(gpu.crossbar.pass_out) * passes_of(tag) if kind == ATOMIC else np.int64(0)
    departs = leave_core(gpu.crossbar, core.number, size, passes, now)
    schedule(gpu.wheel, departs + delay + gpu.l2.ahead, request(kind, core.number, line, sectors, tag))
