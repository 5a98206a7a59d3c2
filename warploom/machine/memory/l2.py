# mypy: disable-error-code="no-untyped-def"
"""Second-level cache: shared by all cores, in banks, in front of memory.

In hardware: slices beside the memory controllers; a line lies in the slice that its number names, so all cores see
one copy, and atomic operations are done here. A bank looks up one request per cycle. A miss takes an MSHR and asks
memory for the sectors; later misses to the line wait with it. When no MSHR is free, requests queue in order.

A line here holds one or more of the cores' lines: a request names the cores' line, and `line` is the one here that it lies in.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import HIT, MERGED, MISS, emit
from warploom.machine.accounting.events import L2 as L2_EVENT
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.engine.bits import EMPTY, popcount
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory.cache import Cache, fill, lookup, mark_dirty
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.line_table import ENTRIES, LineTable, add_line, find_line, remove_line
from warploom.machine.memory.main_memory import serve
from warploom.machine.memory.request import request
from warploom.machine.memory.transactions import ANSWER, EXTRA_SHIFT, L2_FILL, LOAD, STORE, TO_MEMORY, WRITE_MEMORY

WAITING_REQUESTS = 1 << 15  # that there is room for
MAX_BANKS = 64

L2 = record(
    settings=dict(
        present="i8",                         # 0: there is none
        banks="i8",                           # lines are dealt out to them in turn
        latency="i8",                         # cycles from a lookup to its answer
        line_shift="i8",                      # log2 of the bytes of a line
        ratio_shift="i8",                     # log2 of how many of the cores' lines one line holds
        sectors_a_line="i8",                  # sectors of one of the cores' lines
        sector_shift="i8",                    # log2 of the bytes of a sector
        write_back="i8",                      # 1: a store stays here until its line has to go; 0: it goes on to memory
        write_allocate="i8",                  # 1: so does a store whose line is not here
        limit="i8",                           # MSHRs that the machine has
    ),
    state=dict(
        cache=Cache,
        bank_free=("i8", MAX_BANKS),          # by bank: first cycle in which it takes a lookup
        misses=LineTable,                     # MSHRs in use, by line number
        miss_sectors=("u8", ENTRIES),         # by MSHR: bit s = sector s is on its way
        miss_first=("i4", ENTRIES),           # by MSHR: index + 1 of the first request that waits for it; 0 for none
        miss_last=("i4", ENTRIES),            # by MSHR: index + 1 of the last one
        parked_first="i8",                    # index + 1 of the first request that waits for an MSHR to be free; 0 for none
        parked_last="i8",                     # index + 1 of the last one
        core=("i4", WAITING_REQUESTS),        # by waiting request: its fields, as in `Request`
        line=("i8", WAITING_REQUESTS),
        sectors=("u8", WAITING_REQUESTS),
        tag=("i8", WAITING_REQUESTS),
        kind=("i4", WAITING_REQUESTS),
        next=("i4", WAITING_REQUESTS),        # by waiting request: index + 1 of the next one that waits for the same; 0 for none
        free=("i4", WAITING_REQUESTS),        # stack of indices given back
        freed="i8",                           # how many those are
        fresh="i8",                           # indices never given out start here
        waiting="i8",                         # requests that wait
    ),
)  # fmt: skip


@unit
def waiting_room(l2):
    """How many more requests can wait."""
    return WAITING_REQUESTS - l2.waiting


@inlined
def _add_waiting(l2, asked):
    """A request begins to wait; returns its index."""
    if l2.freed > 0:
        l2.freed = l2.freed - 1
        index = np.int64(l2.free[l2.freed])
    else:
        index = l2.fresh
        l2.fresh = l2.fresh + 1
    l2.waiting = l2.waiting + 1
    l2.kind[index] = asked.kind
    l2.core[index] = asked.core
    l2.line[index] = asked.line
    l2.sectors[index] = asked.sectors
    l2.tag[index] = asked.tag
    l2.next[index] = 0
    return index


@inlined
def _waiting_request(l2, index):
    """The request with an index."""
    return request(l2.kind[index], l2.core[index], l2.line[index], l2.sectors[index], l2.tag[index])


@inlined
def _remove_waiting(l2, index):
    """A request waits no longer."""
    l2.free[l2.freed] = index
    l2.freed = l2.freed + 1
    l2.waiting = l2.waiting - 1


@inlined
def look_up(gpu, l2, tables, asked, now):
    """A request has reached the cache: its bank looks it up, one after the other."""
    line = asked.line >> l2.ratio_shift
    sectors = asked.sectors << np.uint64((asked.line - (line << l2.ratio_shift)) * l2.sectors_a_line)
    extra = asked.tag >> EXTRA_SHIFT
    bank = line % l2.banks
    start = max(np.int64(now), np.int64(l2.bank_free[bank]))
    l2.bank_free[bank] = start + 1 + extra
    answer = start + l2.latency - 1 + extra
    missing = lookup(l2.cache, line, sectors, now)
    if asked.kind == STORE:
        outcome = STORED
        _store(gpu, l2, line, sectors, missing, now, answer)
    elif missing == EMPTY:
        outcome = HIT
        if asked.kind != LOAD and l2.write_back != 0:
            mark_dirty(l2.cache, line)
        _answer(gpu, asked, answer)
    else:
        outcome = _miss(gpu, l2, line, missing, asked, answer)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, L2_EVENT, asked.core, -1, -1, asked.sectors, asked.line, outcome)


@inlined
def _answer(gpu, asked, time):
    """A request goes back to its core."""
    schedule(gpu.wheel, time, request(ANSWER, asked.core, asked.line, asked.sectors, asked.tag))


@inlined
def _miss(gpu, l2, line, missing, asked, answer):
    """A request waits for the sectors of its line that are missing. Returns the outcome of its lookup."""
    entry = find_line(l2.misses, line)
    outcome = MERGED
    if entry < 0:
        outcome = MISS
        if l2.misses.used >= l2.limit:
            _park(l2, _add_waiting(l2, asked))
            return outcome
        entry = add_line(l2.misses, line)
        l2.miss_sectors[entry] = EMPTY
        l2.miss_first[entry] = 0
        l2.miss_last[entry] = 0
    index = _add_waiting(l2, asked)
    if l2.miss_first[entry] == 0:
        l2.miss_first[entry] = index + 1
    else:
        l2.next[l2.miss_last[entry] - 1] = index + 1
    l2.miss_last[entry] = index + 1
    new = missing & ~l2.miss_sectors[entry]
    if new != EMPTY:
        l2.miss_sectors[entry] |= new
        schedule(gpu.wheel, answer, request(TO_MEMORY, asked.core, line, new, 0))
    return outcome


@out_of_line
def _park(l2, index):
    """A request waits for an MSHR to be free, after those that do already."""
    if l2.parked_first == 0:
        l2.parked_first = index + 1
    else:
        l2.next[l2.parked_last - 1] = index + 1
    l2.parked_last = index + 1


@inlined
def _store(gpu, l2, line, sectors, missing, now, time):
    """A store stays here, or goes on to memory at `time`."""
    if l2.write_back != 0 and (missing != sectors or l2.write_allocate != 0):
        if missing != EMPTY:
            _fill(gpu, l2, line, sectors, now)
        mark_dirty(l2.cache, line)
    else:
        schedule(gpu.wheel, time, request(WRITE_MEMORY, -1, line, sectors, 0))


@unit
def _fill(gpu, l2, line, sectors, now):
    """Put sectors into the cache; a dirty line that has to go is written to memory."""
    evicted = fill(l2.cache, line, sectors, now)
    if l2.cache.evicted_dirty != 0:
        serve(gpu, evicted << l2.line_shift, popcount(l2.cache.evicted_sectors) << l2.sector_shift, 1, now)


@out_of_line
def write_memory(gpu, l2, asked, now):
    """A store that the cache passed on reaches memory."""
    serve(gpu, asked.line << l2.line_shift, popcount(asked.sectors) << l2.sector_shift, 1, now)


@inlined
def read_memory(gpu, l2, asked, now):
    """A miss reaches memory."""
    done = serve(gpu, asked.line << l2.line_shift, popcount(asked.sectors) << l2.sector_shift, 0, now)
    schedule(gpu.wheel, done, request(L2_FILL, -1, asked.line, asked.sectors, 0))


@inlined
def accept_fill(gpu, l2, filled, now):
    """Memory has answered: the sectors are there. If nothing more of the line is missing, all that wait for it are answered."""
    _fill(gpu, l2, filled.line, filled.sectors, now)
    entry = find_line(l2.misses, filled.line)
    l2.miss_sectors[entry] &= ~filled.sectors
    if l2.miss_sectors[entry] != EMPTY:
        return
    link = np.int64(l2.miss_first[entry])
    remove_line(l2.misses, entry)
    while link != 0:
        index = link - 1
        link = np.int64(l2.next[index])
        if l2.kind[index] != LOAD and l2.write_back != 0:
            mark_dirty(l2.cache, filled.line)
        _answer(gpu, _waiting_request(l2, index), now)
        _remove_waiting(l2, index)
    if l2.parked_first != 0:
        _retry_parked(gpu, l2, now)


@out_of_line
def _retry_parked(gpu, l2, now):
    """Look up as many parked requests again as there are free MSHRs; all of them when nothing is on its way,

    because one that hits or merges frees no MSHR, and no later fill would come for the rest.
    """
    tries = np.int64(l2.limit - l2.misses.used) if l2.misses.used > 0 else np.int64(WAITING_REQUESTS)
    while tries > 0 and l2.parked_first != 0:
        index = l2.parked_first - 1
        l2.parked_first = np.int64(l2.next[index])
        schedule(gpu.wheel, now, _waiting_request(l2, index))
        _remove_waiting(l2, index)
        tries -= 1
