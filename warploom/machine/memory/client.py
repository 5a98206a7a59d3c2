# mypy: disable-error-code="no-untyped-def"
"""Client of the memory system: the cache, and the way to the next level, of a unit that belongs to the whole device.

In hardware: a cache of some KiB, which passes stores on and gives them no line, with a table of misses beside it. A unit that several cores
share (raster engine, output merger) has one, and its requests travel on the wires of the first of those cores.

A sector in flight has an entry in the table; a unit that waits for several keeps a mask of entries and waits until it is empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, has, lowest, popcount, rest
from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.memory import cache as caches
from warploom.machine.memory.cache import cache_of, fill, lookup
from warploom.machine.memory.crossbar import leave_core
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.request import request
from warploom.machine.memory.transactions import CLIENT_TAG, LOAD, SLOT_MASK, STORE

ENTRIES = 64
ENTRY_BITS = 6  # of the number of an entry; above it in a tag is the client's
CLIENT_LINES = 1024
FOUND, REFUSED = -1, -2  # in the place of an entry: the cache has it; the table is full

ClientCache = cache_of(CLIENT_LINES)
Client = record(
    settings=dict(
        number="i8",                 # of this client
        core="i8",                   # the core whose wires it uses
        cached="i8",                 # 1: there is a cache
        limit="i8",                  # entries of the table of misses
        line_shift="i8",             # log2 of the bytes of a line
        sector_shift="i8",           # log2 of the bytes of a sector
    ),
    inputs=dict(
        answered="u8",               # bit e = entry e has its answer since the last cycle
    ),
    state=dict(
        cache=ClientCache,
        busy="u8",                   # bit e = entry e waits
        line=("i8", ENTRIES),        # by entry: what for
        sectors=("u8", ENTRIES),
    ),
    counters=dict(
        hits="i8",                   # reads that the cache answered
        misses="i8",                 # reads that it asked the next level for
        merged="i8",                 # reads of a sector that was in flight
        writes="i8",                 # words written
        stalls="i8",                 # cycles in which the table was full
    ),
)  # fmt: skip


def configure(client: Any, number: int, core: int, size: int, ways: int, mshrs: int, line: int, sector_shift: int) -> None:
    """Give a client, all zero, its shape. size: bytes of the cache, 0 for none; line: bytes of a line."""
    client.number, client.core, client.cached, client.limit = number, core, int(size > 0), mshrs
    client.line_shift, client.sector_shift = line.bit_length() - 1, sector_shift
    if size:
        caches.configure(client.cache, size // (line * ways), ways, "fifo", 7, sector_shift=sector_shift, line_shift=int(client.line_shift))


@inlined
def line_of(client, address):
    """The line that an address lies in."""
    return np.int64(address) >> client.line_shift


@inlined
def sector_of(client, address):
    """The sector of its line, as a mask of one bit."""
    return bit((np.int64(address) & ((1 << client.line_shift) - 1)) >> client.sector_shift)


@unit
def read(gpu, client, address, now):
    """Ask for the word at an address: the entry that it waits for, FOUND, or REFUSED if no entry is free."""
    line, sectors = line_of(client, address), sector_of(client, address)
    left = np.uint64(client.busy)
    while left != EMPTY:
        entry = lowest(left)
        left = rest(left)
        if client.line[entry] == line and client.sectors[entry] == sectors:
            client.merged += 1
            return np.int64(entry)
    if client.cached != 0 and lookup(client.cache, line, sectors, now) == EMPTY:
        client.hits += 1
        return np.int64(FOUND)
    if popcount(client.busy) >= client.limit:
        client.stalls += 1
        return np.int64(REFUSED)
    client.misses += 1
    entry = lowest(~np.uint64(client.busy))
    client.busy |= bit(entry)
    client.line[entry] = line
    client.sectors[entry] = sectors
    _send(gpu, client, LOAD, line, sectors, np.int64(0), (client.number << ENTRY_BITS) + entry, now)
    return np.int64(entry)


@unit
def write(gpu, client, address, now):
    """A word goes to the next level; a line that the cache holds keeps up with it."""
    client.writes += 1
    sectors = sector_of(client, address)
    _send(gpu, client, STORE, line_of(client, address), sectors, np.int64(1) << client.sector_shift, np.int64(0), now)


@inlined
def _send(gpu, client, kind, line, sectors, size, slot, now):
    departs = leave_core(gpu.crossbar, client.core, size, np.int64(0), now)
    schedule(gpu.wheel, departs + 1 + gpu.l2.ahead, request(kind, client.core, line, sectors, CLIENT_TAG + slot))


@inlined
def tell_client(clients, tag):
    """An answer has come: its client sees that in this cycle."""
    slot = tag & SLOT_MASK
    clients[slot >> ENTRY_BITS].answered |= bit(slot & (ENTRIES - 1))


@unit
def take_answers(client, now):
    """The answers of this cycle go into the cache. Returns the entries that wait no longer."""
    found = np.uint64(client.answered)
    left = found
    while left != EMPTY:
        entry = lowest(left)
        left = rest(left)
        if client.cached != 0:
            fill(client.cache, np.int64(client.line[entry]), np.uint64(client.sectors[entry]), now)
    client.busy &= ~found
    client.answered = EMPTY
    return found


@inlined
def waits(client, entry):
    """Whether an entry still waits for its answer."""
    return entry >= 0 and has(client.busy, entry)
