"""First-level cache, as the load/store unit uses it: what becomes of one transaction, and of its answer.

In hardware: the pipeline behind the queue, as many lookups a cycle as the tags have ports (`lsu.ports`); a transaction is a lookup, or one
for each group of lanes that wants its line (cache_banks.py). A load looks its line up: a hit answers after the cache's
latency; a miss takes an MSHR, or joins the one that already waits for its line, and asks the next level for the sectors that are missing.
A store is kept, or passed on, or both (`l1.write`, `l1.allocate`). An atomic operation goes down the same pipe and is not looked up,
because it is done where all cores meet. An answer fills the cache and wakes all that waited in its MSHR.

Sources: as for the load/store unit (lsu.py).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import HIT, MERGED, MISS, PASSED_ON, emit_fill, emit_request
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.accounting.reasons import HITS, MISSES
from warploom.machine.core.load_store.completion import count_answer
from warploom.machine.core.texture.lane_slots import serve_lanes
from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import inlined, out_of_line
from warploom.machine.memory.cache import contains, fill, keep_store, lookup
from warploom.machine.memory.mshr import allocate, find, first_waiter, may_allocate, may_join, merge, release, take_waiter
from warploom.machine.memory.partial_stores import add_partial, remove_partial, room_for_partial
from warploom.machine.memory.transactions import ATOMIC, CACHED_TAG, LOAD, REDUCTION, SLOT_MASK, STORE, TRACKED_TAG, send, tag_of

NOBODY = SLOT_MASK  # whose a dirty line's store is


@inlined
def send_one(gpu, core, lsu, slot, index, tables, now):
    """Send one transaction; returns 0 if it has to wait for an answer first."""
    line = lsu.line[slot, index]
    sectors = lsu.sectors[slot, index]
    access = np.int64(lsu.access[slot])
    kind = np.int64(lsu.kind[access])
    cached = lsu.cached != 0 and lsu.bypass[access] == 0
    delay = lsu.latency - 1 if cached else np.int64(0)
    forward = np.int64(lsu.forward) if cached else np.int64(0)
    if kind == STORE:
        outcome = STORED if cached else PASSED_ON
        if _store(gpu, core, lsu, slot, index, access, line, sectors, forward, now) == 0:
            return 0
        lsu.done[access] = max(np.int64(lsu.done[access]), np.int64(now + delay))
    elif kind == REDUCTION:
        outcome = PASSED_ON
        if _reduce(gpu, core, lsu, slot, index, access, forward, now) == 0:
            return 0
    elif not cached or kind == ATOMIC:
        outcome = PASSED_ON
        turns = np.int64(lsu.turns[slot, index]) if kind == ATOMIC else np.int64(0)
        send(gpu, core, kind, line, sectors, tag_of(access, lsu.texture, 0, turns), forward, now)
        lsu.open[access] += 1
    else:
        entry = find(lsu.misses, line)
        if not _may_load(lsu, entry, line, sectors):
            return 0
        missing = lookup(lsu.cache, line, sectors, now)
        outcome = _load(gpu, core, lsu, access, line, missing, entry, forward, now)
        see_lookup(gpu, core, lsu, access, line, outcome, now)
        if outcome == HIT and lsu.texture != 0:
            serve_lanes(gpu, core, access, line, now)
        tables.profile[lsu.pc[access], HITS if outcome == HIT else MISSES] += 1
        if core.counts > 1 and lsu.texture == 0:
            core.monitor.cache_reads = core.monitor.cache_reads + 1
            core.monitor.cache_read_misses = core.monitor.cache_read_misses + (0 if outcome == HIT else 1)
        lsu.done[access] = max(np.int64(lsu.done[access]), np.int64(now + delay))
    if gpu.log.tracing != 0:
        emit_request(gpu.log, tables, now, core.number, lsu.warp[access], lsu.pc[access], lsu.mask[access], line, outcome)
    return 1


@inlined
def _may_load(lsu, entry, line, sectors):
    """Whether a load hits, or finds an MSHR or room in the one of its line (`entry`, if it is not negative)."""
    if may_allocate(lsu.misses) if entry < 0 else may_join(lsu.misses, entry):
        return True
    return sectors & ~contains(lsu.cache, line) == EMPTY


@inlined
def _load(gpu, core, lsu, access, line, missing, entry, forward, now):
    """What a load finds: HIT, all its sectors; MISS, it asks the next level; MERGED, it waits with a miss in MSHR `entry`."""
    if missing == EMPTY:
        return HIT
    lsu.open[access] += 1
    if entry < 0:
        allocate(lsu.misses, line, missing, access)
    else:
        new = missing & ~lsu.misses.sectors[entry]
        merge(lsu.misses, entry, missing, access)
        if new == EMPTY:
            return MERGED
        missing = new
    send(gpu, core, LOAD, line, missing, tag_of(access, lsu.texture, 1, 0), forward, now)
    return MISS


@inlined
def see_lookup(gpu, core, lsu, access, line, outcome, now):
    """A prefetcher's hook for what loads request; empty unless one is put in."""


@inlined
def see_answer(lsu, line, waiter):
    """A prefetcher's hook for what arrives. waiter: index + 1 of the first who waits for it; 0: nobody does."""


@inlined
def _store(gpu, core, lsu, slot, index, access, line, sectors, forward, now):
    """A store is kept in the cache, or passed on to the next level, or both. Returns 0 when there is no room for it."""
    if lsu.store_limit > 0 and lsu.stores >= lsu.store_limit:
        return 0
    partial = np.int64(-1)
    if lsu.tracks_bytes != 0 and lsu.whole[slot, index] != sectors:
        partial = add_partial(gpu.partial_stores, lsu.whole[slot, index], lsu.written[slot, index])
    keeps = False
    if lsu.cached != 0 and lsu.bypass[access] == 0:
        missing = lookup(lsu.cache, line, sectors, now)
        keeps = lsu.write_back != 0 and (missing != sectors or lsu.write_allocate != 0)
        if keeps or lsu.write_allocate != 0:
            _keep(gpu, core, lsu, line, sectors, partial, forward, now)
    if not keeps:
        _send_store(gpu, core, lsu, access, line, sectors, partial, forward, now)
    elif partial >= 0:
        remove_partial(gpu.partial_stores, partial)
    return 1


@out_of_line
def _reduce(gpu, core, lsu, slot, index, access, forward, now):
    """An atomic without a result is passed on, in a place of a store. Returns 0 when there is none."""
    if lsu.store_limit > 0 and lsu.stores >= lsu.store_limit:
        return 0
    tag = tag_of(access, lsu.texture, 0, np.int64(lsu.turns[slot, index])) | TRACKED_TAG
    lsu.stores = lsu.stores + 1
    gpu.unfinished = gpu.unfinished + 1
    lsu.open[access] += 1
    send(gpu, core, ATOMIC, lsu.line[slot, index], lsu.sectors[slot, index], tag, forward, now)
    return 1


@inlined
def _send_store(gpu, core, lsu, access, line, sectors, partial, forward, now):
    """A store, or a dirty line of `NOBODY`, is passed on to the next level. `partial`: the entry of a store that is not whole, or -1."""
    tag = tag_of(access, lsu.texture, 0, partial + 1)
    if lsu.store_limit > 0:
        tag |= TRACKED_TAG
        lsu.stores = lsu.stores + 1
        gpu.unfinished = gpu.unfinished + 1
        if access != NOBODY:
            lsu.open[access] += 1
    send(gpu, core, STORE, line, sectors, tag, forward, now)


@out_of_line
def _keep(gpu, core, lsu, line, sectors, partial, forward, now):
    """The cache keeps a store; a dirty line that has to go for it is written to the next level."""
    gone = keep_store(lsu.cache, line, sectors, gpu.partial_stores, partial, np.int64(0), lsu.write_back, now)
    if lsu.cache.evicted_dirty != EMPTY:
        _write_back(gpu, core, lsu, gone, forward, now)


@out_of_line
def _write_back(gpu, core, lsu, gone, forward, now):
    """The dirty line that had to go is written to the next level: of sectors that are only partly there, the bytes that were stored.

    If no more such stores can be in flight, it counts as whole.
    """
    partial = np.int64(-1)
    if lsu.cache.evicted_partly != EMPTY and room_for_partial(gpu.partial_stores):
        whole = lsu.cache.evicted_dirty & ~lsu.cache.evicted_partly
        partial = add_partial(gpu.partial_stores, whole, lsu.cache.evicted_written)
    _send_store(gpu, core, lsu, np.int64(NOBODY), gone, lsu.cache.evicted_dirty, partial, forward, now)


@inlined
def answer(gpu, core, lsu, tables, asked, now):
    """The next level has answered a request."""
    if lsu.blocked != 0:
        lsu.blocked = 0
        lsu.stalled = lsu.stalled + now - lsu.blocked_since
        gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(now + 1))
    if asked.tag & CACHED_TAG == 0:
        if asked.tag & TRACKED_TAG != 0:
            lsu.stores = lsu.stores - 1
            gpu.unfinished = gpu.unfinished - 1
        if lsu.texture != 0:
            serve_lanes(gpu, core, asked.tag & SLOT_MASK, asked.line, now)
        if asked.tag & SLOT_MASK != NOBODY:
            count_answer(gpu, core, lsu, asked.tag & SLOT_MASK, tables, now)
        return
    gone = fill(lsu.cache, asked.line, asked.sectors, now)
    if lsu.cache.evicted_dirty != EMPTY:
        _write_back(gpu, core, lsu, gone, np.int64(0), now)
    if gpu.log.tracing != 0:
        emit_fill(gpu.log, tables, now, core.number, asked.sectors, asked.line, lsu.texture)
    entry = find(lsu.misses, asked.line)
    lsu.misses.sectors[entry] &= ~asked.sectors
    if lsu.misses.sectors[entry] != EMPTY:
        return
    link = first_waiter(lsu.misses, entry)
    see_answer(lsu, asked.line, link)
    release(lsu.misses, entry)
    while link != 0:
        access, link = take_waiter(lsu.misses, link)
        if lsu.texture != 0:
            serve_lanes(gpu, core, access, asked.line, now)
        count_answer(gpu, core, lsu, access, tables, now)
