"""Miss-status holding registers: the lines that are in flight.

In hardware: a small fully associative table beside a cache, an entry per line that was missed and requested, with a list of those that wait
for it. A second miss to the same line joins the entry and sends nothing; when all entries are taken, or as many wait for one as it has room
for, the cache can take no further miss. So their number bounds how many misses overlap, and with it the bandwidth that a latency allows
(Little's law: lines in flight = bandwidth x latency).

An entry's number is good until it is released.

Source: Kroft, "Lockup-Free Instruction Fetch/Prefetch Cache Organization", ISCA 1981.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.memory.line_table import LineTable, add_line, find_line, remove_line
from warploom.machine.memory.line_table import configure as configure_table
from warploom.machine.memory.line_table import rooms_for as table_rooms_for

ENTRIES = 1024
WAITERS = 1 << 15  # in all lists together

Mshr = record(
    rooms={"entries": ENTRIES, "waiters": WAITERS},
    apart=("free",),
    settings=dict(
        limit="i8",                           # entries that the hardware has, up to ENTRIES
        merges="i8",                          # waiters that an entry has room for; 0: any number
    ),
    state=dict(
        table=LineTable,                      # the entries in use, by line number
        sectors=("u8", "entries"),            # by entry: bit s = sector s was requested
        first=("i4", "entries"),              # by entry: index + 1 of its first waiter
        last=("i4", "entries"),               # ... and of its last
        count=("i4", "entries"),              # ... and how many there are
        waiter=("i4", "waiters"),             # by index: who waits
        next=("i4", "waiters"),               # by index: index + 1 of the next waiter of the entry; 0: the last
        free=("i4", "waiters"),               # stack of indices given back
        freed="i8",                           # how many those are
        fresh="i8",                           # indices never given out start here
    ),
    counters=dict(
        allocated="i8",                       # entries taken
        merged="i8",                          # waiters that joined an entry
        refused="i8",                         # misses that found no room
        most="i8",                            # most entries that were in use at a time
    ),
)  # fmt: skip


def rooms_for(limit: int, merges: int) -> dict[str, Any]:
    """The rooms of an `Mshr`, by the numbers that `configure` takes."""
    waiters = min(limit * merges, WAITERS) if merges else WAITERS
    return {"entries": limit, "waiters": waiters, "table": table_rooms_for(limit)}


def configure(mshr: Any, limit: int, merges: int) -> None:
    """Set up an all-zero `Mshr` through its mirror."""
    mshr.limit, mshr.merges = limit, merges
    configure_table(mshr.table, limit)


@inlined
def find(mshr, line):
    """The entry of a line, or -1."""
    return find_line(mshr.table, line)


@inlined
def may_join(mshr, entry):
    """Whether one more can wait for an entry."""
    return (mshr.merges == 0 or mshr.count[entry] < mshr.merges) and mshr.fresh - mshr.freed < WAITERS


@inlined
def may_allocate(mshr):
    """Whether an entry is free."""
    return mshr.table.used < mshr.limit and mshr.fresh - mshr.freed < WAITERS


@unit
def allocate(mshr, line, sectors, waiter):
    """A new entry for a line that has none; `waiter` waits for it. Returns it, or -1: all are taken."""
    if not may_allocate(mshr):
        mshr.refused += 1
        return np.int64(-1)
    entry = add_line(mshr.table, line)
    mshr.allocated += 1
    mshr.most = max(np.int64(mshr.most), np.int64(mshr.table.used))
    mshr.sectors[entry] = sectors
    index = _new_waiter(mshr, waiter)
    mshr.first[entry] = index + 1
    mshr.last[entry] = index + 1
    mshr.count[entry] = 1
    return entry


@unit
def merge(mshr, entry, sectors, waiter):
    """`waiter` waits for an entry too, after those that do, and the entry now covers `sectors` as well. `may_join` has said so.

    Sectors that must still be requested are `sectors & ~mshr.sectors[entry]` before the call.
    """
    mshr.sectors[entry] |= sectors
    index = _new_waiter(mshr, waiter)
    mshr.next[mshr.last[entry] - 1] = index + 1
    mshr.last[entry] = index + 1
    mshr.count[entry] += 1
    mshr.merged += 1


@unit
def allocate_for_nobody(mshr, line, sectors):
    """A new entry for a line that has none and no waiter. `may_allocate` has said so."""
    entry = add_line(mshr.table, line)
    mshr.allocated += 1
    mshr.most = max(np.int64(mshr.most), np.int64(mshr.table.used))
    mshr.sectors[entry] = sectors
    mshr.first[entry] = 0
    mshr.last[entry] = 0
    mshr.count[entry] = 0


@unit
def merge_or_begin(mshr, entry, sectors, waiter):
    """`merge` if there may be no waiter yet."""
    mshr.sectors[entry] |= sectors
    index = _new_waiter(mshr, waiter)
    if mshr.last[entry] == 0:
        mshr.first[entry] = index + 1
    else:
        mshr.next[mshr.last[entry] - 1] = index + 1
    mshr.last[entry] = index + 1
    mshr.count[entry] += 1
    mshr.merged += 1


@inlined
def _new_waiter(mshr, waiter):
    """An index of the lists for someone who waits."""
    if mshr.freed > 0:
        mshr.freed = mshr.freed - 1
        index = np.int64(mshr.free[mshr.freed])
    else:
        index = np.int64(mshr.fresh)
        mshr.fresh = index + 1
    mshr.waiter[index] = waiter
    mshr.next[index] = 0
    return index


@inlined
def first_waiter(mshr, entry):
    """Index + 1 of an entry's first waiter."""
    return np.int64(mshr.first[entry])


@inlined
def take_waiter(mshr, link):
    """(who waits at an index + 1, index + 1 of the next; 0: the last); the index is given back."""
    index = link - 1
    mshr.free[mshr.freed] = index
    mshr.freed = mshr.freed + 1
    return np.int64(mshr.waiter[index]), np.int64(mshr.next[index])


@unit
def release(mshr, entry):
    """The line is there: give its entry back. Read who waits first before, and take all of them after."""
    remove_line(mshr.table, entry)
