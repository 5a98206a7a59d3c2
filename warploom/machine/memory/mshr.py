# mypy: disable-error-code="no-untyped-def"
"""Miss-status holding registers: the lines that are on their way.

In hardware: a small fully associative table beside a cache, an entry a line that was missed and asked for, with a
list of those who wait for it. A second miss to the same line joins the entry and asks for nothing; when all
entries are taken, the cache can take no further miss. So their number bounds how many misses overlap, and with it
the bandwidth that a latency allows (Little's law: lines in flight = bandwidth x latency).

Merging is unlimited, a bit a waiter. An entry's number is good until it is released.

Source: Kroft, "Lockup-Free Instruction Fetch/Prefetch Cache Organization", ISCA 1981.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.memory.line_table import ENTRIES, LineTable, add_line, find_line, remove_line

WORDS = 4  # of 64 waiters each
WAITERS = 64 * WORDS  # waiter w is bit w % 64 of word w // 64

Mshr = record(
    settings=dict(
        limit="i8",                           # entries that the hardware has, up to ENTRIES
    ),
    state=dict(
        table=LineTable,                      # the entries in use, by line number
        sectors=("u8", ENTRIES),              # by entry: bit s = sector s was asked for
        waiting=("u8", (ENTRIES, WORDS)),     # by entry: bit w % 64 of word w / 64 = waiter w waits
    ),
    counters=dict(
        allocated="i8",                       # entries taken
        merged="i8",                          # waiters that joined an entry
        refused="i8",                         # misses that found all entries taken
        most="i8",                            # most entries that were in use at a time
    ),
)  # fmt: skip


@inlined
def find(mshr, line):
    """The entry of a line, or -1."""
    return find_line(mshr.table, line)


@unit
def allocate(mshr, line, sectors, waiter):
    """A new entry for a line that has none; `waiter` (0 ... WAITERS - 1) waits for it. Returns it, or -1: all are taken."""
    if mshr.table.used >= mshr.limit:
        mshr.refused += 1
        return np.int64(-1)
    entry = add_line(mshr.table, line)
    mshr.allocated += 1
    mshr.most = max(np.int64(mshr.most), np.int64(mshr.table.used))
    mshr.sectors[entry] = sectors
    for word in range(WORDS):
        mshr.waiting[entry, word] = EMPTY
    mshr.waiting[entry, waiter >> 6] = bit(waiter & 63)
    return entry


@unit
def merge(mshr, entry, sectors, waiter):
    """`waiter` waits for an entry too, and the entry now covers `sectors` as well; returns 1 if it had not been waiting.

    Sectors that must still be asked for are `sectors & ~mshr.sectors[entry]` before the call.
    """
    mshr.sectors[entry] |= sectors
    if has(mshr.waiting[entry, waiter >> 6], waiter & 63):
        return np.int64(0)
    mshr.waiting[entry, waiter >> 6] |= bit(waiter & 63)
    mshr.merged += 1
    return np.int64(1)


@unit
def release(mshr, entry):
    """The line is there: give its entry back. Read who waits before."""
    remove_line(mshr.table, entry)
