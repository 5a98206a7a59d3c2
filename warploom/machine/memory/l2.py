"""Second-level cache: shared by all cores, in banks, in front of memory.

In hardware: slices beside the memory controllers; a line lives in the slice that its number names, so all cores see
one copy, and atomic operations are done here. A bank looks up one request a cycle. A miss takes an MSHR and asks
memory for the sectors; later misses to the line wait with it. When no MSHR is free, requests queue in order.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import L2 as L2_EVENT
from warploom.machine.accounting.events import emit
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import part, rare, record, unit
from warploom.machine.memory.cache import Cache, fill, lookup, mark_dirty
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.line_table import ENTRIES, LineTable, add_line, find_line, remove_line
from warploom.machine.memory.main_memory import serve
from warploom.machine.memory.transactions import ANSWER, EXTRA_SHIFT, L2_FILL, LOAD_ARRIVES, STORE_ARRIVES, TO_MEMORY, WRITE_MEMORY

POOL = 1 << 15
MAX_BANKS = 64

L2 = record(
    present="i8",
    banks="i8",
    latency="i8",
    line_shift="i8",                # log2 of the bytes of a line
    ratio_shift="i8",               # log2 of how many of the cores' lines one line holds
    sectors_a_line="i8",            # sectors of one of the cores' lines
    sector_shift="i8",
    write_back="i8",
    write_allocate="i8",
    limit="i8",                     # MSHRs that the machine has
    cache=Cache,
    bank_free=("i8", MAX_BANKS),    # first cycle in which a bank takes a lookup
    misses=LineTable,               # MSHRs in use, by line number
    miss_sectors=("u8", ENTRIES),  # sectors on their way
    miss_first=("i4", ENTRIES),  # first and last of the requests that wait: index + 1 in the pool
    miss_last=("i4", ENTRIES),
    parked_first="i8",              # requests that wait for an MSHR, oldest first
    parked_last="i8",
    core=("i4", POOL),              # the pool of requests that wait
    line=("i8", POOL),
    sectors=("u8", POOL),
    tag=("i8", POOL),
    kind=("i4", POOL),
    next=("i4", POOL),
    free=("i4", POOL),
    freed="i8",
    taken="i8",
    waiting="i8",                   # requests in the pool
)  # fmt: skip


@unit
def pool_room(l2):
    """How many more requests can wait."""
    return POOL - l2.waiting


@part
def _wait(l2, kind, core, line, sectors, tag):
    """Put a request into the pool; returns its index."""
    if l2.freed > 0:
        l2.freed = l2.freed - 1
        index = np.int64(l2.free[l2.freed])
    else:
        index = l2.taken
        l2.taken = l2.taken + 1
    l2.waiting = l2.waiting + 1
    l2.kind[index] = kind
    l2.core[index] = core
    l2.line[index] = line
    l2.sectors[index] = sectors
    l2.tag[index] = tag
    l2.next[index] = 0
    return index


@part
def _leave(l2, index):
    l2.free[l2.freed] = index
    l2.freed = l2.freed + 1
    l2.waiting = l2.waiting - 1


@part
def arrive(gpu, l2, tables, kind, core, line, sectors, tag, now):
    """A request reaches the cache: it is looked up by its bank, one after the other."""
    own_line = line >> l2.ratio_shift
    own_sectors = sectors << np.uint64((line - (own_line << l2.ratio_shift)) * l2.sectors_a_line)
    bank = own_line % l2.banks
    start = max(np.int64(now), np.int64(l2.bank_free[bank]))
    l2.bank_free[bank] = start + 1 + (tag >> EXTRA_SHIFT)
    answer = start + l2.latency - 1 + (tag >> EXTRA_SHIFT)
    missing = lookup(l2.cache, own_line, own_sectors, now)
    outcome = 3
    if kind == STORE_ARRIVES:
        _store(gpu, l2, own_line, own_sectors, missing, now, answer)
    elif missing == np.uint64(0):
        outcome = 0
        if kind != LOAD_ARRIVES and l2.write_back != 0:
            mark_dirty(l2.cache, own_line)
        schedule(gpu.wheel, answer, ANSWER, core, line, sectors, tag)
    else:
        outcome = _miss(gpu, l2, own_line, missing, kind, core, line, sectors, tag, answer)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, L2_EVENT, core, -1, -1, sectors, line, outcome)


@part
def _miss(gpu, l2, own_line, missing, kind, core, line, sectors, tag, answer):
    entry = find_line(l2.misses, own_line)
    outcome = 2
    if entry < 0:
        if l2.misses.used >= l2.limit:
            _park(l2, _wait(l2, kind, core, line, sectors, tag))
            return 1
        entry = add_line(l2.misses, own_line)
        l2.miss_sectors[entry] = np.uint64(0)
        l2.miss_first[entry] = 0
        l2.miss_last[entry] = 0
        outcome = 1
    index = _wait(l2, kind, core, line, sectors, tag)
    if l2.miss_first[entry] == 0:
        l2.miss_first[entry] = index + 1
    else:
        l2.next[l2.miss_last[entry] - 1] = index + 1
    l2.miss_last[entry] = index + 1
    new = missing & ~l2.miss_sectors[entry]
    if new != np.uint64(0):
        l2.miss_sectors[entry] |= new
        schedule(gpu.wheel, answer, TO_MEMORY, core, own_line, new, 0)
    return outcome


@rare
def _park(l2, index):
    """A request of the pool waits for an MSHR, behind those that do already."""
    if l2.parked_first == 0:
        l2.parked_first = index + 1
    else:
        l2.next[l2.parked_last - 1] = index + 1
    l2.parked_last = index + 1


@part
def _store(gpu, l2, own_line, sectors, missing, now, time):
    if l2.write_back != 0 and (missing != sectors or l2.write_allocate != 0):
        if missing != np.uint64(0):
            _fill(gpu, l2, own_line, sectors, now)
        mark_dirty(l2.cache, own_line)
    else:
        schedule(gpu.wheel, time, WRITE_MEMORY, -1, own_line, sectors, 0)


@rare
def write_memory(gpu, l2, own_line, sectors, now):
    """A store that the cache passed on reaches memory."""
    serve(gpu, own_line << l2.line_shift, popcount(sectors) << l2.sector_shift, 1, now)


@unit
def _fill(gpu, l2, own_line, sectors, now):
    evicted = fill(l2.cache, own_line, sectors, now)
    if l2.cache.evicted_dirty != 0:
        serve(gpu, evicted << l2.line_shift, popcount(l2.cache.evicted_sectors) << l2.sector_shift, 1, now)


@part
def to_memory(gpu, l2, own_line, sectors, now):
    """A miss reaches memory."""
    done = serve(gpu, own_line << l2.line_shift, popcount(sectors) << l2.sector_shift, 0, now)
    schedule(gpu.wheel, done, L2_FILL, -1, own_line, sectors, 0)


@part
def filled(gpu, l2, own_line, sectors, now):
    """Memory has answered: the sectors are there; if nothing of the line is missing any more, all who wait are answered."""
    _fill(gpu, l2, own_line, sectors, now)
    entry = find_line(l2.misses, own_line)
    l2.miss_sectors[entry] &= ~sectors
    if l2.miss_sectors[entry] != np.uint64(0):
        return
    link = np.int64(l2.miss_first[entry])
    remove_line(l2.misses, entry)
    while link != 0:
        index = link - 1
        link = np.int64(l2.next[index])
        if l2.kind[index] != LOAD_ARRIVES and l2.write_back != 0:
            mark_dirty(l2.cache, own_line)
        schedule(gpu.wheel, now, ANSWER, l2.core[index], l2.line[index], l2.sectors[index], l2.tag[index])
        _leave(l2, index)
    if l2.parked_first != 0:
        _unpark(gpu, l2, now)


@rare
def _unpark(gpu, l2, now):
    """Look again at as many parked requests as there are free MSHRs; at all of them when nothing is on its way,

    because one that hits or merges frees no MSHR, and no later fill would come for the rest.
    """
    tries = np.int64(l2.limit - l2.misses.used) if l2.misses.used > 0 else np.int64(POOL)
    while tries > 0 and l2.parked_first != 0:
        index = l2.parked_first - 1
        l2.parked_first = np.int64(l2.next[index])
        schedule(gpu.wheel, now, l2.kind[index], l2.core[index], l2.line[index], l2.sectors[index], l2.tag[index])
        _leave(l2, index)
        tries -= 1
