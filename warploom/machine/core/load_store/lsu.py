# mypy: disable-error-code="no-untyped-def"
"""Load/store unit of a core: takes a warp's access, turns it into transactions, and waits for the answers.

In hardware: a queue of warp instructions. The one at the head sends a transaction a cycle and port to the first-level
cache, and leaves the queue when it has sent its last; whose registers wait for an answer is noted in a table beside it. A hit answers
after the cache's latency. A miss waits in an MSHR (miss status holding register) for its line; a second miss to the same line waits with
it and sends nothing. A store continues to the next level, and holds a place there until the level that keeps it has answered
(`lsu.stores`). When no MSHR or no place for a store is free the queue stands still. An atomic operation passes the cache by, because it
is done where all cores meet.

Values move at issue (`lane_access.py`); this file is about time only. The same unit, with a cache of its own, serves
the texture unit. Sources: MSHRs, Kroft, ISCA 1981; a GPU's load/store path, MGPUSim and GPGPU-Sim.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.accounting.events import COMPLETE, FILL, HIT, MERGED, MISS, PASSED_ON, REQUEST, emit
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.accounting.reasons import HITS, LONG_SCOREBOARD, MISSES
from warploom.machine.core.load_store.prefetcher import Prefetcher
from warploom.machine.core.texture.lane_slots import serve_lanes
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.warp_table import set_alarm, wake_core
from warploom.machine.engine.bits import EMPTY, bit, has, lowest
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory.cache import Cache, contains, fill, keep_store, lookup
from warploom.machine.memory.mshr import Mshr, allocate, find, first_waiter, may_allocate, may_join, merge, release, take_waiter
from warploom.machine.memory.partial_stores import WORDS, add_partial, remove_partial, room_for_partial
from warploom.machine.memory.transactions import (
    ATOMIC,
    CACHED_TAG,
    LOAD,
    SLOT_MASK,
    STORE,
    TRACKED_TAG,
    send,
    tag_of,
    transaction_room,
)

SLOTS = 64
ACCESSES = SLOT_MASK  # that can be on their way; the last number stands for nobody's
NOBODY = SLOT_MASK
MAX_TRANSACTIONS = 512
ROW = MAX_TRANSACTIONS + 8  # not a power of two, or the first transactions of all slots would share one set of the host's cache

Lsu = record(
    settings=dict(
        texture="i8",                                 # 1: this is the texture unit's
        capacity="i8",                                # accesses that it holds
        keeps="i8",                                   # 1: it holds them until they are answered (a sampler); 0: until they are sent
        ports="i8",                                   # transactions per cycle
        merge="i8",                                   # 1: lanes that touch the same line share a transaction
        line_shift="i8",                              # log2 of the bytes of a line
        sector_shift="i8",                            # log2 of the bytes of a sector
        ahead="i8",                                   # cycles from the issue to the lookup: where that is done when its latency ends
        latency="i8",                                 # cycles of a lookup
        cached="i8",                                  # 1: there is a cache
        write_back="i8",                              # 1: the cache keeps a store until its line has to go; 0: it passes it on
        write_allocate="i8",                          # 1: a store whose line is not there brings it a block
        tracks_bytes="i8",                            # 1: some cache keeps stores, and has to know the bytes
        store_limit="i8",                             # transactions of stores that may be on their way; 0: any number, and none is answered
    ),
    inputs=dict(
        line=("i8", (SLOTS, ROW)),                    # by slot: line numbers of its transactions, written before `enqueue`
        sectors=("u8", (SLOTS, ROW)),                 # by slot: bit s = sector s, of each transaction
        whole=("u8", (SLOTS, ROW)),                   # tracks_bytes, by slot, of stores: bit s = all of sector s is written
        written=("u8", (SLOTS, ROW, WORDS)),          # ... where some sector is not whole: bit b % 64 of word b / 64 = byte b of the line
    ),
    state=dict(
        cache=Cache,
        misses=Mshr,
        prefetcher=Prefetcher,
        used="u8",                                    # bit s = slot s is in use
        count="i8",                                   # accesses that it holds
        access=("i4", SLOTS),                         # by slot: the number of its access
        total=("i4", SLOTS),                          # by slot: transactions
        sent=("i4", SLOTS),                           # of those, how many have left
        queue=("i4", SLOTS),                          # slots that still send, a ring, oldest first
        head="i8",                                    # where the oldest stands
        waiting="i8",                                 # how many slots still send
        blocked="i8",                                 # 1: the oldest waits for an answer, which frees an MSHR or a place for a store
        blocked_since="i8",                           # ... since that cycle
        stores="i8",                                  # transactions of stores that are on their way
        free=("i4", ACCESSES),                        # stack of numbers given back
        freed="i8",                                   # how many those are
        fresh="i8",                                   # numbers never given out start here
        warp=("i4", ACCESSES),                        # by access: whose it is
        pc=("i4", ACCESSES),                          # by access: instruction number
        kind=("i4", ACCESSES),                        # by access: LOAD, STORE or ATOMIC
        leaving=("i4", ACCESSES),                     # by access: 1 as long as it still sends
        open=("i4", ACCESSES),                        # by access: transactions that have left and have not been answered
        mask=("u8", ACCESSES),                        # by access: bit l = lane l takes part
        issued=("i8", ACCESSES),                      # by access: cycle of its issue
        launched=("i8", ACCESSES),                    # by access: cycle in which that warp started
        done=("i8", ACCESSES),                        # by access: cycle in which the last answer so far was there
        bypass=("i4", ACCESSES),                      # by access: 1: the cache may not keep it
        extra=("i8", ACCESSES),                       # by access: cycles that an atomic takes longer, for lanes on one word
    ),
    counters=dict(
        stalled="i8",                                 # cycles in which the oldest could not send
    ),
)  # fmt: skip


class WarpAccess(NamedTuple):
    """What the unit has to know of a warp's access. Natively its fields are passed side by side."""

    kind: Any  # i8: LOAD, STORE or ATOMIC
    warp: Any  # i8
    pc: Any  # i8: instruction number
    mask: Any  # u8: bit l = lane l takes part
    launched: Any  # i8: cycle in which the warp started
    extra: Any  # i8: cycles that an atomic takes longer
    bypass: Any  # i8: 1: the cache may not keep it


@unit
def full(lsu):
    """1 when no further access fits."""
    return 1 if lsu.count >= lsu.capacity or lsu.fresh - lsu.freed >= ACCESSES else 0


@inlined
def free_slot(lsu):
    """The slot that the next access takes: its transactions are written there, then it is put into the queue."""
    return lowest(~lsu.used)


@inlined
def enqueue(lsu, slot, asked, transactions, now):
    """Take an access into the free slot in which its transactions lie."""
    if lsu.freed > 0:
        lsu.freed = lsu.freed - 1
        access = np.int64(lsu.free[lsu.freed])
    else:
        access = np.int64(lsu.fresh)
        lsu.fresh = access + 1
    lsu.used = lsu.used | bit(slot)
    lsu.count = lsu.count + 1
    lsu.access[slot] = access
    lsu.total[slot] = transactions
    lsu.sent[slot] = 0
    lsu.warp[access] = asked.warp
    lsu.pc[access] = asked.pc
    lsu.mask[access] = asked.mask
    lsu.kind[access] = asked.kind
    lsu.issued[access] = now
    lsu.launched[access] = asked.launched
    lsu.leaving[access] = 1
    lsu.open[access] = 0
    lsu.done[access] = now
    lsu.extra[access] = asked.extra
    lsu.bypass[access] = asked.bypass
    lsu.queue[(lsu.head + lsu.waiting) & (SLOTS - 1)] = slot
    lsu.waiting = lsu.waiting + 1


@unit
def load_store(gpu, core, lsu, tables, now):
    """One cycle: the access at the head sends up to `ports` transactions. Returns 1 if it has something to do in the next cycle."""
    if lsu.blocked != 0:
        return 0
    for _ in range(lsu.ports):
        if lsu.waiting == 0:
            return 0
        slot = np.int64(lsu.queue[lsu.head])
        index = np.int64(lsu.sent[slot])
        if lsu.ahead != 0 and now < lsu.issued[lsu.access[slot]] + lsu.ahead:
            return 1
        if index < lsu.total[slot]:
            if transaction_room(gpu) < 2 or not room_for_partial(gpu.partial_stores):
                lsu.stalled = lsu.stalled + 1
                return 1
            if _send(gpu, core, lsu, slot, index, tables, now) == 0:
                lsu.blocked = 1
                lsu.blocked_since = now
                return 0
            index += 1
            lsu.sent[slot] = index
        if index >= lsu.total[slot]:
            _leave(gpu, core, lsu, slot, tables, now)
    return 1 if lsu.waiting > 0 else 0


@unit
def no_load_store(gpu, core, lsu, tables, now):
    """Stands in for `load_store` in a program without memory accesses, so that it is not compiled for nothing."""
    return 0


@inlined
def _leave(gpu, core, lsu, slot, tables, now):
    """An access has sent its last transaction: its slot is free, and a store has reached the first-level cache."""
    lsu.head = (lsu.head + 1) & (SLOTS - 1)
    lsu.waiting = lsu.waiting - 1
    lsu.used = lsu.used & ~bit(slot)
    lsu.count = lsu.count - (1 - lsu.keeps)
    access = np.int64(lsu.access[slot])
    lsu.leaving[access] = 0
    if lsu.kind[access] == STORE:
        _reach_cache(gpu, core, lsu, access, now)
    if lsu.open[access] == 0:
        complete(gpu, core, lsu, access, tables, now)


@unit
def _reach_cache(gpu, core, lsu, access, now):
    """A store has reached the first-level cache, which is as far as the warps of a block see."""
    warps = core.warps
    warp = np.int64(lsu.warp[access])
    if lsu.launched[access] == warps.started[warp]:
        warps.unsent[warp] -= 1
        warps.landed[warp] = max(np.int64(warps.landed[warp]), np.int64(lsu.done[access]) + 1)
        if has(warps.fencing, warp):
            _wake_waiting_warp(gpu, core, warp, np.int64(now + 1), now)


@inlined
def _send(gpu, core, lsu, slot, index, tables, now):
    """Send one transaction; returns 0 when that takes an answer first."""
    line = lsu.line[slot, index]
    sectors = lsu.sectors[slot, index]
    access = np.int64(lsu.access[slot])
    kind = np.int64(lsu.kind[access])
    cached = lsu.cached != 0 and lsu.bypass[access] == 0
    delay = lsu.latency - 1 if cached and kind != ATOMIC else np.int64(0)
    if kind == STORE:
        outcome = STORED if cached else PASSED_ON
        if _store(gpu, core, lsu, slot, index, access, line, sectors, delay, now) == 0:
            return 0
        lsu.done[access] = max(np.int64(lsu.done[access]), np.int64(now + delay))
    elif not cached or kind == ATOMIC:
        outcome = PASSED_ON
        send(gpu, core, kind, line, sectors, tag_of(access, lsu.texture, 0, lsu.extra[access]), delay, now)
        lsu.open[access] += 1
    else:
        entry = find(lsu.misses, line)
        if not _may_load(lsu, entry, line, sectors):
            return 0
        missing = lookup(lsu.cache, line, sectors, now)
        outcome = _load(gpu, core, lsu, access, line, missing, entry, delay, now)
        see_lookup(gpu, core, lsu, access, line, outcome, now)
        if outcome == HIT and lsu.texture != 0:
            serve_lanes(gpu, core, access, line, now)
        tables.profile[lsu.pc[access], HITS if outcome == HIT else MISSES] += 1
        lsu.done[access] = max(np.int64(lsu.done[access]), np.int64(now + delay))
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, REQUEST, core.number, lsu.warp[access], lsu.pc[access], lsu.mask[access], line, outcome)
    return 1


@inlined
def _may_load(lsu, entry, line, sectors):
    """Whether a load hits, or finds an MSHR or room in the one of its line (`entry`, if it is not negative)."""
    if may_allocate(lsu.misses) if entry < 0 else may_join(lsu.misses, entry):
        return True
    return sectors & ~contains(lsu.cache, line) == EMPTY


@inlined
def _load(gpu, core, lsu, access, line, missing, entry, delay, now):
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
    send(gpu, core, LOAD, line, missing, tag_of(access, lsu.texture, 1, 0), delay, now)
    return MISS


@inlined
def see_lookup(gpu, core, lsu, access, line, outcome, now):
    """Here a prefetcher would see what loads ask for: a machine has none of its own."""


@inlined
def _store(gpu, core, lsu, slot, index, access, line, sectors, delay, now):
    """A store is kept in the cache, or goes on to the next level, or both. Returns 0 when there is no room for it."""
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
            _keep(gpu, core, lsu, line, sectors, partial, delay, now)
    if not keeps:
        _send_store(gpu, core, lsu, access, line, sectors, partial, delay, now)
    elif partial >= 0:
        remove_partial(gpu.partial_stores, partial)
    return 1


@inlined
def _send_store(gpu, core, lsu, access, line, sectors, partial, delay, now):
    """A store, or a dirty line of `NOBODY`, goes on to the next level. `partial`: the entry of a store that is not whole, or -1."""
    tag = tag_of(access, lsu.texture, 0, partial + 1)
    if lsu.store_limit > 0:
        tag |= TRACKED_TAG
        lsu.stores = lsu.stores + 1
        gpu.unfinished = gpu.unfinished + 1
        if access != NOBODY:
            lsu.open[access] += 1
    send(gpu, core, STORE, line, sectors, tag, delay, now)


@out_of_line
def _keep(gpu, core, lsu, line, sectors, partial, delay, now):
    """The cache keeps a store; a dirty line that has to go for it is written to the next level."""
    gone = keep_store(lsu.cache, line, sectors, gpu.partial_stores, partial, np.int64(0), lsu.write_back, now)
    if lsu.cache.evicted_dirty != EMPTY:
        _send_store(gpu, core, lsu, np.int64(NOBODY), gone, lsu.cache.evicted_dirty, np.int64(-1), delay, now)


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
            _count_answer(gpu, core, lsu, asked.tag & SLOT_MASK, tables, now)
        return
    gone = fill(lsu.cache, asked.line, asked.sectors, now)
    if lsu.cache.evicted_dirty != EMPTY:
        _send_store(gpu, core, lsu, np.int64(NOBODY), gone, lsu.cache.evicted_dirty, np.int64(-1), np.int64(0), now)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, FILL, core.number, -1, -1, asked.sectors, asked.line, lsu.texture)
    entry = find(lsu.misses, asked.line)
    lsu.misses.sectors[entry] &= ~asked.sectors
    if lsu.misses.sectors[entry] != EMPTY:
        return
    link = first_waiter(lsu.misses, entry)
    release(lsu.misses, entry)
    while link != 0:
        access, link = take_waiter(lsu.misses, link)
        if lsu.texture != 0:
            serve_lanes(gpu, core, access, asked.line, now)
        _count_answer(gpu, core, lsu, access, tables, now)


@unit
def _count_answer(gpu, core, lsu, access, tables, now):
    """One transaction of an access is answered."""
    lsu.done[access] = max(np.int64(lsu.done[access]), np.int64(now))
    lsu.open[access] -= 1
    if lsu.open[access] == 0 and lsu.leaving[access] == 0:
        complete(gpu, core, lsu, access, tables, now)


@inlined
def _wake_waiting_warp(gpu, core, warp, time, now):
    """A warp that waits for a load is examined again in cycle `time`, unless it is to be examined earlier or knows the very cycle.

    A fence, and a warp that has ended, wait for all that has been on its way.
    """
    warps = core.warps
    if has(warps.fencing | warps.draining, warp):
        time = max(time, np.int64(warps.landed[warp]))
    elif not has(warps.waiting_memory & ~warps.wake_time_known, warp) or warps.wake[warp] <= time:
        return
    set_alarm(warps, warp, time, now)
    wake_core(gpu, core, time, now)


@unit
def complete(gpu, core, lsu, access, tables, now):
    """All transactions of an access are answered at the end of cycle `done`: its registers can be used from the next one on."""
    warps = core.warps
    warp = np.int64(lsu.warp[access])
    done = np.int64(lsu.done[access])
    lsu.free[lsu.freed] = access
    lsu.freed = lsu.freed + 1
    lsu.count = lsu.count - lsu.keeps
    if core.full_units != EMPTY:  # a warp may have been waiting for room
        gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(now + 1))
    if lsu.kind[access] != STORE:
        mark_busy(core.scoreboard, tables.code, warp, lsu.pc[access], lsu.mask[access], warps.lanes, done + 1, LONG_SCOREBOARD)
        warps.pending[warp] -= 1
    if lsu.launched[access] == warps.started[warp]:  # else the warp has ended, and a new one has its slot
        if lsu.kind[access] == STORE:
            warps.stores[warp] -= 1
        warps.landed[warp] = max(np.int64(warps.landed[warp]), done + 1)
        _wake_waiting_warp(gpu, core, warp, max(done + 1, now + 1), now)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, COMPLETE, core.number, warp, lsu.pc[access], lsu.mask[access], lsu.issued[access], done)
