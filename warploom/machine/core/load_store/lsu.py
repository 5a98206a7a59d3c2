"""Load/store unit of a core: takes a warp's access, turns it into transactions, and waits for the answers.

In hardware: a queue of warp instructions, cut into as many parts as there are sub-partitions. The one at the head sends transactions to the
first-level cache (l1_access.py), as soon as its tags and data are free (cache_banks.py), and leaves the queue when it has sent its last; a
table beside it notes whose registers wait for an answer (completion.py). When the cache has no MSHR (miss status holding register) for a
miss, or there is no place for a store, the queue stalls.

Values move at issue (lane_access.py); this file is about time only. The same unit, with its own cache, serves the texture unit. Sources:
MSHRs, Kroft, ISCA 1981; a GPU's load/store path, MGPUSim and GPGPU-Sim.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.core.load_store.completion import complete, reach_cache
from warploom.machine.core.load_store.l1_access import send_one
from warploom.machine.core.load_store.prefetcher import Prefetcher
from warploom.machine.engine.bits import bit, lowest, popcount
from warploom.machine.engine.sizes import BANK_BYTES, MAX_LANES, MAX_SCHEDULERS
from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.memory import cache as caches
from warploom.machine.memory import mshr as mshrs
from warploom.machine.memory.cache import Cache
from warploom.machine.memory.mshr import Mshr
from warploom.machine.memory.partial_stores import WORDS, room_for_partial
from warploom.machine.memory.transactions import ATOMIC, REDUCTION, SLOT_MASK, STORE, transaction_room

SLOTS = 64
ACCESSES = SLOT_MASK  # that can be in flight; the last number is for none
MAX_TRANSACTIONS = 512
ROW = MAX_TRANSACTIONS + 8  # not a power of two, or the first transactions of all slots would share one set of the host's cache

Lsu = record(
    side_by_side=(SLOTS,),
    rooms={"slots": SLOTS, "accesses": ACCESSES},
    apart=("free", "queue"),
    settings=dict(
        texture="i8",                                 # 1: this is the texture unit's
        capacity="i8",                                # accesses that it holds
        share="i8",                                   # of those, of the warps of one scheduler; 0: all may be
        keeps="i8",                                   # 1: it holds them until they are answered (a sampler); 0: until they are sent
        ports="i8",                                   # lookups per cycle: transactions, unless several groups of lanes look one up
        in_banks="i8",                                # 1: groups of lanes look lines up for themselves, or the data lie in banks
        group_shift="i8",                             # in_banks: log2 of the lanes of a group
        all_groups="u8",                              # in_banks: bit g = group g of a whole warp
        banks="i8",                                   # in_banks: banks of the data; 0: they take no time
        row_bytes="i8",                               # in_banks: bytes side by side that they give in one pass
        merge="i8",                                   # 1: lanes that touch the same line share a transaction
        line_shift="i8",                              # log2 of the bytes of a line
        sector_shift="i8",                            # log2 of the bytes of a sector
        ahead="i8",                                   # cycles from the issue to the lookup: where that is done when its latency ends
        latency="i8",                                 # cycles of a lookup
        forward="i8",                                 # cycles from a lookup until what goes on leaves for the next level
        write_cycles="i8",                            # cycles that a register takes to be written; that of the first is part of the latency
        cached="i8",                                  # 1: there is a cache
        write_back="i8",                              # 1: the cache keeps a store until its line has to go; 0: it passes it on
        write_allocate="i8",                          # 1: a store whose line is not there brings it a block
        tracks_bytes="i8",                            # 1: some cache keeps stores, and has to know the bytes
        store_limit="i8",                             # transactions of stores that may be in flight; 0: any number, and none is answered
    ),
    inputs=dict(
        line=("i8", ("slots", ROW)),                  # by slot: line numbers of its transactions, written before `enqueue`
        sectors=("u8", ("slots", ROW)),               # by slot: bit s = sector s, of each transaction
        whole=("u8", ("slots", ROW)),                 # tracks_bytes, by slot, of stores: bit s = all of sector s is written
        written=("u8", ("slots", ROW, WORDS)),        # ... if some sector is not whole: bit b % 64 of word b / 64 = byte b of the line
        groups=("u8", ("slots", ROW)),                # in_banks, by slot: bit g = group g looks it up, of each transaction
        turns=("i4", ("slots", ROW)),                 # by slot: of each transaction of an atomic, as in the tag of a request
        passes=("i4", SLOTS),                         # in_banks, by slot: passes over the banks of the data
        wanted=("i4", SLOTS),                         # in_banks, by slot: bytes that its micro-ops want of them
    ),
    state=dict(
        cache=Cache,
        misses=Mshr,
        prefetcher=Prefetcher,
        used="u8",                                    # bit s = slot s is in use
        count="i8",                                   # accesses that it holds
        held=("i4", MAX_SCHEDULERS),                  # share: of those, of the warps of each scheduler
        access=("i4", SLOTS),                         # by slot: the number of its access
        total=("i4", SLOTS),                          # by slot: transactions
        sent=("i4", SLOTS),                           # of those, how many have left
        queue=("i4", SLOTS),                          # slots that still send, a ring, oldest first
        head="i8",                                    # where the oldest stands
        waiting="i8",                                 # how many slots still send
        looked_up="i8",                               # in_banks: lookups up to here are taken; there are `ports` a cycle, from cycle 0 on
        data_free="i8",                               # in_banks: first cycle in which the data serve the next access
        blocked="i8",                                 # 1: the oldest waits for an answer, which frees an MSHR or a place for a store
        blocked_since="i8",                           # ... since that cycle
        stores="i8",                                  # transactions of stores that are in flight
        free=("i4", "accesses"),                      # stack of numbers given back
        freed="i8",                                   # how many those are
        fresh="i8",                                   # numbers never given out start here
        warp=("i4", "accesses"),                      # by access: whose it is
        pc=("i4", "accesses"),                        # by access: instruction number
        kind=("i1", "accesses"),                      # by access: LOAD, STORE, ATOMIC or REDUCTION
        leaving=("i1", "accesses"),                   # by access: 1 as long as it still sends
        open=("i4", "accesses"),                      # by access: transactions that have left and have not been answered
        mask=("u8", "accesses"),                      # by access: bit l = lane l takes part
        issued=("i8", "accesses"),                    # by access: cycle of its issue
        number=("i8", "accesses"),                    # by access: which of its warp's it is in the access order; 0: not one of those
        launched=("i8", "accesses"),                  # by access: cycle in which that warp started
        done=("i8", "accesses"),                      # by access: cycle in which the last answer so far was there
        bypass=("i1", "accesses"),                    # by access: 1: the cache may not keep it
    ),
    counters=dict(
        stalled="i8",                                 # cycles in which the oldest could not send
    ),
)  # fmt: skip


class WarpAccess(NamedTuple):
    """A warp's access, as the unit needs it. Natively its fields are passed side by side."""

    kind: Any  # i8: LOAD, STORE, ATOMIC or REDUCTION
    warp: Any  # i8
    pc: Any  # i8: instruction number
    mask: Any  # u8: bit l = lane l takes part
    launched: Any  # i8: cycle in which the warp started
    bypass: Any  # i8: 1: the cache may not keep it


def configure(lsu: Any, config: Any, l1: Any, sector_shift: int, tracks_bytes: bool) -> None:
    """Set up an all-zero `Lsu`, a core's load/store unit, through its mirror.

    l1: section `l1` of the configuration, with the bytes that shared memory leaves it. tracks_bytes: whether some cache keeps stores, and
    has to know the bytes.
    """
    own, lanes, banks = config.lsu, config.core.lanes, config.l1.banks
    lsu.capacity, lsu.ports, lsu.merge = own.queue, own.ports, int(own.coalesce)
    if config.pipes.owner == "scheduler":
        lsu.share = max(own.queue // config.core.schedulers, 1)
    lsu.line_shift, lsu.sector_shift = l1.line.bit_length() - 1, sector_shift
    lsu.write_cycles = lanes * BANK_BYTES // own.write_back if own.write_back else 0
    lsu.cached = int(l1.bytes > 0)
    lsu.write_back, lsu.write_allocate = int(l1.write == "back"), int(l1.allocate)
    lsu.tracks_bytes, lsu.store_limit = int(tracks_bytes), own.stores
    mshrs.configure(lsu.misses, l1.mshrs, l1.merges)
    if lsu.cached:
        lsu.in_banks, lsu.banks = int(own.group > 0 or banks > 0), banks
        lsu.group_shift = (own.group or MAX_LANES).bit_length() - 1
        lsu.all_groups = (1 << -(-lanes // (own.group or MAX_LANES))) - 1
        lsu.row_bytes = (banks or MAX_LANES) * BANK_BYTES
        sets, ways = l1.shape()
        shift = int(lsu.line_shift)
        caches.configure(lsu.cache, sets, ways, l1.replacement, 1, sector_shift=sector_shift, set_hash=l1.hash, line_shift=shift)
    set_lookup(lsu, l1.latency, config)


def set_lookup(lsu: Any, latency: int, config: Any) -> None:
    """When a unit looks up its cache, and when what is passed on leaves. latency: cycles of a lookup."""
    lsu.latency = latency
    if config.memory.lookup == "end" and lsu.cached:
        lsu.latency, lsu.ahead, lsu.forward = 1, latency - 1, 0
    else:
        lsu.forward = latency - int(config.crossbar.core > 0)  # a crossbar takes a cycle, which is one of the latency's


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
    lsu.bypass[access] = asked.bypass
    lsu.queue[(lsu.head + lsu.waiting) & (SLOTS - 1)] = slot
    lsu.waiting = lsu.waiting + 1


@unit
def load_store(gpu, core, lsu, tables, now):
    """One cycle: the accesses at the head send transactions, for up to `ports` lookups. Returns 1 if it has something to do in the next."""
    if lsu.blocked != 0:
        return 0
    left = np.int64(lsu.ports) if lsu.in_banks == 0 else _lookups_left(lsu, now)
    while left > 0:
        left -= 1
        if lsu.waiting == 0:
            return 0
        slot = np.int64(lsu.queue[lsu.head])
        index = np.int64(lsu.sent[slot])
        if lsu.ahead != 0 and now < lsu.issued[lsu.access[slot]] + lsu.ahead:
            return 1
        if index < lsu.total[slot]:
            if index == 0 and now < lsu.data_free:
                return 1
            if transaction_room(gpu) < 2 or not room_for_partial(gpu.partial_stores):
                lsu.stalled = lsu.stalled + 1
                return 1
            if send_one(gpu, core, lsu, slot, index, tables, now) == 0:
                lsu.blocked = 1
                lsu.blocked_since = now
                return 0
            if lsu.in_banks != 0:
                left -= _use_banks(lsu, slot, index, now) - 1
            index += 1
            lsu.sent[slot] = index
        if index >= lsu.total[slot]:
            _leave(gpu, core, lsu, slot, tables, now)
    return 1 if lsu.waiting > 0 else 0


@inlined
def _lookups_left(lsu, now):
    """How many lookups the tags can do in this cycle: fewer than `ports` while those of a line begun before continue."""
    return (now + 1) * lsu.ports - max(np.int64(lsu.looked_up), now * lsu.ports)


@inlined
def _use_banks(lsu, slot, index, now):
    """A transaction is looked up by each group that wants it, and the first of an access has the data busy for all. Returns the lookups.

    Lookups that do not fit into this cycle end in the next one. An atomic is done elsewhere: each of its transactions takes one place in
    the pipe, and nothing of the data.
    """
    access = np.int64(lsu.access[slot])
    if lsu.kind[access] >= ATOMIC:
        lsu.looked_up = max(np.int64(lsu.looked_up), now * lsu.ports) + 1
        return np.int64(1)
    lookups = max(popcount(lsu.groups[slot, index]), np.int64(1))
    lsu.looked_up = max(np.int64(lsu.looked_up), now * lsu.ports) + lookups
    if index == 0 and lsu.banks != 0:
        last = now + lsu.passes[slot] - 1
        lsu.data_free = last + 1
        lsu.done[access] = max(np.int64(lsu.done[access]), last + lsu.latency - 1)
    return lookups


@unit
def no_load_store(gpu, core, lsu, tables, now):
    """Stands in for `load_store` in a program without memory accesses, so that it is not compiled needlessly."""
    return 0


@inlined
def _leave(gpu, core, lsu, slot, tables, now):
    """An access has sent its last transaction: its slot is free, and a store has reached the first-level cache."""
    lsu.head = (lsu.head + 1) & (SLOTS - 1)
    lsu.waiting = lsu.waiting - 1
    lsu.used = lsu.used & ~bit(slot)
    lsu.count = lsu.count - (1 - lsu.keeps)
    access = np.int64(lsu.access[slot])
    if lsu.share != 0:
        lsu.held[core.warps.scheduler[lsu.warp[access]]] -= 1
    lsu.leaving[access] = 0
    if lsu.kind[access] == STORE or lsu.kind[access] == REDUCTION:
        reach_cache(gpu, core, lsu, access, now)
    if lsu.open[access] == 0:
        complete(gpu, core, lsu, access, tables, now)
