# mypy: disable-error-code="no-untyped-def"
"""Load/store unit of a core: takes a warp's access, turns it into transactions, and waits for the answers.

In hardware: a queue of warp instructions. The one at the head sends a transaction a cycle and port to the first-level
cache. A hit answers after the cache's latency. A miss waits in an MSHR (miss status holding register) for its line; a
second miss to the same line waits with it and sends nothing. When no MSHR is free the queue stands still. A store continues
to the next level and needs no answer; an atomic operation passes the cache by, because it is done where all cores meet.

Values move at issue (`lane_access.py`); this file is about time only. The same unit, with a cache of its own, serves
the texture unit. Sources: MSHRs, Kroft, ISCA 1981; a GPU's load/store path, MGPUSim and GPGPU-Sim.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.accounting.events import COMPLETE, FILL, HIT, MERGED, MISS, PASSED_ON, REQUEST, emit
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.accounting.reasons import HITS, LONG_SCOREBOARD, MISSES
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.warp_table import set_alarm, wake_core
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, rest
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory.cache import Cache, contains, fill, lookup, mark_dirty
from warploom.machine.memory.mshr import Mshr, allocate, find, merge, release
from warploom.machine.memory.transactions import ATOMIC, CACHED_TAG, LOAD, SLOT_MASK, STORE, send, tag_of, transaction_room

SLOTS = 64
MAX_TRANSACTIONS = 512
ROW = MAX_TRANSACTIONS + 8  # not a power of two, or the first transactions of all slots would share one set of the host's cache

Lsu = record(
    settings=dict(
        texture="i8",                                 # 1: this is the texture unit's
        capacity="i8",                                # slots that the machine has
        ports="i8",                                   # transactions per cycle
        merge="i8",                                   # 1: lanes that touch the same line share a transaction
        line_shift="i8",                              # log2 of the bytes of a line
        sector_shift="i8",                            # log2 of the bytes of a sector
        latency="i8",                                 # cycles of a lookup
        cached="i8",                                  # 1: there is a cache
        write_back="i8",                              # 1: the cache keeps a store until its line has to go; 0: it passes it on
        write_allocate="i8",                          # 1: so does a store whose line is not there
    ),
    inputs=dict(
        line=("i8", (SLOTS, ROW)),                    # by slot: line numbers of its transactions, written before `enqueue`
        sectors=("u8", (SLOTS, ROW)),                 # by slot: bit s = sector s, of each transaction
    ),
    state=dict(
        cache=Cache,
        misses=Mshr,
        used="u8",                                    # bit s = slot s is in use
        count="i8",                                   # how many slots are
        warp=("i4", SLOTS),                           # by slot: whose access it is
        pc=("i4", SLOTS),                             # by slot: instruction number
        mask=("u8", SLOTS),                           # by slot: bit l = lane l takes part
        kind=("i4", SLOTS),                           # by slot: LOAD, STORE or ATOMIC
        issued=("i8", SLOTS),                         # by slot: cycle of its issue
        launched=("i8", SLOTS),                       # by slot: cycle in which that warp started
        total=("i8", SLOTS),                          # by slot: transactions
        sent=("i8", SLOTS),                           # of those, how many have left
        open=("i8", SLOTS),                           # of those, how many have not been answered
        done=("i8", SLOTS),                           # by slot: cycle in which the last answer so far was there
        bypass=("i8", SLOTS),                         # by slot: 1: the cache may not keep it
        extra=("i8", SLOTS),                          # by slot: cycles that an atomic takes longer, for lanes on one word
        queue=("i4", SLOTS),                          # slots that still send, a ring, oldest first
        head="i8",                                    # where the oldest stands
        waiting="i8",                                 # how many slots still send
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
    return 1 if lsu.count >= lsu.capacity else 0


@inlined
def free_slot(lsu):
    """The slot that the next access takes: its transactions are written there, then it is put into the queue."""
    return lowest(~lsu.used)


@inlined
def enqueue(lsu, slot, access, transactions, now):
    """Take an access into the free slot in which its transactions lie."""
    lsu.used = lsu.used | bit(slot)
    lsu.count = lsu.count + 1
    lsu.warp[slot] = access.warp
    lsu.pc[slot] = access.pc
    lsu.mask[slot] = access.mask
    lsu.kind[slot] = access.kind
    lsu.issued[slot] = now
    lsu.launched[slot] = access.launched
    lsu.total[slot] = transactions
    lsu.sent[slot] = 0
    lsu.open[slot] = 0
    lsu.done[slot] = now
    lsu.extra[slot] = access.extra
    lsu.bypass[slot] = access.bypass
    lsu.queue[(lsu.head + lsu.waiting) & (SLOTS - 1)] = slot
    lsu.waiting = lsu.waiting + 1


@unit
def load_store(gpu, core, lsu, tables, now):
    """One cycle: the access at the head sends up to `ports` transactions. Returns 1 if it has something to do in the next cycle."""
    for _ in range(lsu.ports):
        if lsu.waiting == 0:
            return 0
        slot = np.int64(lsu.queue[lsu.head])
        index = lsu.sent[slot]
        if index < lsu.total[slot]:
            if _send(gpu, core, lsu, slot, lsu.line[slot, index], lsu.sectors[slot, index], tables, now) == 0:
                lsu.stalled = lsu.stalled + 1
                return 1
            index += 1
            lsu.sent[slot] = index
        if index >= lsu.total[slot]:
            lsu.head = (lsu.head + 1) & (SLOTS - 1)
            lsu.waiting = lsu.waiting - 1
            if lsu.open[slot] == 0:
                complete(gpu, core, lsu, slot, tables, now)
    return 1 if lsu.waiting > 0 else 0


@unit
def no_load_store(gpu, core, lsu, tables, now):
    """Stands in for `load_store` in a program without memory accesses, so that it is not compiled for nothing."""
    return 0


@inlined
def _send(gpu, core, lsu, slot, line, sectors, tables, now):
    """Send one transaction; returns 0 when it must be tried again."""
    kind = np.int64(lsu.kind[slot])
    if transaction_room(gpu) < 2:
        return 0
    if lsu.cached == 0 or kind == ATOMIC or lsu.bypass[slot] != 0:
        outcome = PASSED_ON
        send(gpu, core, kind, line, sectors, tag_of(slot, lsu.texture, 0, lsu.extra[slot]), now)
        if kind != STORE:
            lsu.open[slot] += 1
        else:
            lsu.done[slot] = now
    else:
        entry = find(lsu.misses, line) if kind == LOAD else np.int64(-1)
        if kind == LOAD and entry < 0 and _would_need_mshr(lsu, line, sectors):
            return 0
        missing = lookup(lsu.cache, line, sectors, now)
        arrives = now + lsu.latency - 1
        if kind == LOAD:
            outcome = _load(gpu, core, lsu, slot, line, missing, entry, arrives)
            tables.profile[lsu.pc[slot], HITS if outcome == HIT else MISSES] += 1
        else:
            outcome = STORED
            if lsu.write_back != 0 and (missing != sectors or lsu.write_allocate != 0):
                _keep_store(gpu, core, lsu, slot, line, sectors, missing, now)
            else:
                send(gpu, core, STORE, line, sectors, tag_of(slot, lsu.texture, 0, 0), arrives)
        lsu.done[slot] = max(np.int64(lsu.done[slot]), np.int64(arrives))
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, REQUEST, core.number, lsu.warp[slot], lsu.pc[slot], lsu.mask[slot], line, outcome)
    return 1


@inlined
def _would_need_mshr(lsu, line, sectors):
    """Whether a load of a line that is not on its way would need an MSHR when none is free."""
    return lsu.misses.table.used >= lsu.misses.limit and sectors & ~contains(lsu.cache, line) != EMPTY


@inlined
def _load(gpu, core, lsu, slot, line, missing, entry, arrives):
    """What a load finds: HIT, all its sectors; MISS, it asks the next level; MERGED, it waits with a miss in MSHR `entry`."""
    if missing == EMPTY:
        return HIT
    if entry < 0:
        allocate(lsu.misses, line, missing, slot)
        lsu.open[slot] += 1
    else:
        new = missing & ~lsu.misses.sectors[entry]
        lsu.open[slot] += merge(lsu.misses, entry, missing, slot)
        if new == EMPTY:
            return MERGED
        missing = new
    send(gpu, core, LOAD, line, missing, tag_of(slot, lsu.texture, 1, 0), arrives)
    return MISS


@out_of_line
def _keep_store(gpu, core, lsu, slot, line, sectors, missing, now):
    """A cache that writes back keeps a store. (One that writes through passes it on to the next level.)"""
    if missing != EMPTY:
        _fill(gpu, core, lsu, slot, line, sectors, now + lsu.latency - 1, now)
    mark_dirty(lsu.cache, line)


@inlined
def _fill(gpu, core, lsu, slot, line, sectors, arrives, now):
    """Put sectors into the cache; a dirty line that has to go is written to the next level."""
    evicted = fill(lsu.cache, line, sectors, now)
    if lsu.cache.evicted_dirty != 0:
        send(gpu, core, STORE, evicted, lsu.cache.evicted_sectors, tag_of(slot, lsu.texture, 0, 0), arrives)


@inlined
def answer(gpu, core, lsu, tables, asked, now):
    """The next level has answered a request."""
    if asked.tag & CACHED_TAG == 0:
        _count_answer(gpu, core, lsu, asked.tag & SLOT_MASK, tables, now)
        return
    _fill(gpu, core, lsu, 0, asked.line, asked.sectors, now, now)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, FILL, core.number, -1, -1, asked.sectors, asked.line, lsu.texture)
    entry = find(lsu.misses, asked.line)
    lsu.misses.sectors[entry] &= ~asked.sectors
    if lsu.misses.sectors[entry] != EMPTY:
        return
    waiters = lsu.misses.waiting[entry, 0]
    release(lsu.misses, entry)
    while waiters != EMPTY:
        _count_answer(gpu, core, lsu, lowest(waiters), tables, now)
        waiters = rest(waiters)


@unit
def _count_answer(gpu, core, lsu, slot, tables, now):
    """One transaction of an access is answered."""
    lsu.done[slot] = max(np.int64(lsu.done[slot]), np.int64(now))
    lsu.open[slot] -= 1
    if lsu.open[slot] == 0 and lsu.sent[slot] >= lsu.total[slot]:
        complete(gpu, core, lsu, slot, tables, now)


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
def complete(gpu, core, lsu, slot, tables, now):
    """All transactions of an access are answered at the end of cycle `done`: its registers can be used from the next one on."""
    warps = core.warps
    warp = np.int64(lsu.warp[slot])
    done = np.int64(lsu.done[slot])
    lsu.used = lsu.used & ~bit(slot)
    lsu.count = lsu.count - 1
    if core.full_units != EMPTY:  # a warp may have been waiting for room
        gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(now + 1))
    if lsu.kind[slot] != STORE:
        mark_busy(core.scoreboard, tables.code, warp, lsu.pc[slot], lsu.mask[slot], warps.lanes, done + 1, LONG_SCOREBOARD)
        warps.pending[warp] -= 1
    if lsu.launched[slot] == warps.started[warp]:  # else the warp has ended, and a new one has its slot
        if lsu.kind[slot] == STORE:
            warps.stores[warp] -= 1
        warps.landed[warp] = max(np.int64(warps.landed[warp]), done + 1)
        _wake_waiting_warp(gpu, core, warp, max(done + 1, now + 1), now)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, COMPLETE, core.number, warp, lsu.pc[slot], lsu.mask[slot], lsu.issued[slot], done)
