"""Second-level cache: shared by all cores, in slices, in front of memory.

In hardware: slices beside the memory controllers; a line lies in the slice that its number names (address_hash.py), so all cores see
one copy, and atomic operations are done here. A slice takes one request per cycle, fewer if their data take longer to come in, in order of
arrival. A miss takes one of the slice's MSHRs and asks memory for the sectors; later misses to the line wait with it. A request that would
need an MSHR when none is free stays at the head of the slice's queue, and so does every request while as many lines as the slice has room
for are in flight to memory.

A line here holds one or more of the cores' lines: a request names the cores' line, and `line` is the one here that it lies in.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.accounting.events import HIT, MERGED, MISS, emit_l2
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.engine.bits import EMPTY, popcount
from warploom.machine.engine.sizes import MAX_SLICES
from warploom.machine.engine.unit import inlined, out_of_line, record, take_settings, unit
from warploom.machine.memory import address_hash as hashes
from warploom.machine.memory import cache as caches
from warploom.machine.memory import line_table as line_tables
from warploom.machine.memory.address_hash import channel_place
from warploom.machine.memory.cache import L2Cache, contains, keep_store_in_set, lookup_in_set, set_in_slice
from warploom.machine.memory.crossbar import cycles_for
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.l2_memory import change, pass_on, send_back, write_back
from warploom.machine.memory.l2_queue import queue_up, take_turn
from warploom.machine.memory.line_table import ENTRIES, LineTable, add_line, find_line
from warploom.machine.memory.partial_stores import remove_partial
from warploom.machine.memory.request import held, hold, let_go, request
from warploom.machine.memory.transactions import (
    ATOMIC,
    EXTRA_SHIFT,
    LOAD,
    STORE,
    SUM,
    TO_MEMORY,
    TRACKED_TAG,
    TURNS_BITS,
    passes_of,
)

WAITING_REQUESTS = 1 << 17  # that there is room for
SIXTEENTHS = 4  # bits of a time in sixteenths of a cycle

L2 = record(
    side_by_side=(MAX_SLICES,),
    rooms={"mshrs": ENTRIES, "requests": WAITING_REQUESTS},
    apart=("free",),
    settings=dict(
        present="i8",                         # 0: there is none
        ahead="i8",                           # cycles that a request takes to come here: where a lookup is done when its latency ends
        latency="i8",                         # cycles from a lookup to its answer
        ports="i8",                           # 1: a slice does one lookup a cycle; 0: any number
        line_shift="i8",                      # log2 of the bytes of a line
        ratio_shift="i8",                     # log2 of how many of the cores' lines one line holds
        sectors_a_line="i8",                  # sectors of one of the cores' lines
        sector_shift="i8",                    # log2 of the bytes of a sector
        write_back="i8",                      # 1: a store stays here until its line has to go; 0: it is passed on to memory
        write_allocate="i8",                  # 1: a store whose line is not here brings it a block
        atomic_latency="i8",                  # further cycles until an atomic is answered
        atomic_pass="i8",                     # sixteenths of a cycle that one of its passes keeps the slice; 0: a cycle a lane on one word
        atomic_sum="i8",                      # ... from a sum of floats to the next one on the same word
        limit="i8",                           # MSHRs of a slice
        write_limit="i8",                     # lines of a slice in flight to memory; 0: any number
        counts_writes="i8",                   # 1: they are counted, and the kernel ends when they are written
    ),
    state=dict(
        cache=L2Cache,
        slice_free=("i8", MAX_SLICES),        # by slice: first cycle in which it takes a request
        passing=("i8", MAX_SLICES),           # by slice: until when an atomic's passes keep it, in sixteenths of a cycle
        summing=("i8", MAX_SLICES),           # by slice: until when a sum of floats keeps its word, in sixteenths of a cycle
        sum_line=("i8", MAX_SLICES),          # by slice: the line in which that word is
        turn=("i8", MAX_SLICES),              # by slice: 1 while its turn lies on the wheel
        stalled=("i8", MAX_SLICES),           # by slice: 1 while the first of its queue waits for an MSHR or for memory to take a line
        writing=("i8", MAX_SLICES),           # by slice: lines in flight to memory
        in_use=("i8", MAX_SLICES),            # by slice: MSHRs in use
        queue_first=("i4", MAX_SLICES),       # by slice: index + 1 of the first request that waits for it; 0 for none
        queue_last=("i4", MAX_SLICES),        # by slice: ... of the last one
        misses=LineTable,                     # MSHRs in use, by line number
        miss_sectors=("u8", "mshrs"),         # by MSHR: bit s = sector s is in flight
        miss_first=("i4", "mshrs"),           # by MSHR: index + 1 of the first request that waits for it; 0 for none
        miss_last=("i4", "mshrs"),            # by MSHR: index + 1 of the last one
        core=("i4", "requests"),              # by waiting request: its fields, as in `Request`
        line=("i8", "requests"),
        sectors=("u8", "requests"),
        tag=("i8", "requests"),
        ready=("i8", "requests"),             # ... that waits with a miss: cycle in which it has been looked up, as a hit would be answered
        kind=("i4", "requests"),
        next=("i4", "requests"),              # by waiting request: index + 1 of the next one that waits for the same; 0 for none
        free=("i4", "requests"),              # stack of indices given back
        freed="i8",                           # how many those are
        fresh="i8",                           # indices never given out start here
        waiting="i8",                         # requests that wait
    ),
    counters=dict(
        stalls="i8",                          # requests that found no MSHR free, or memory busy
        atomics="i8",                         # operations of atomics
        filled="i8",                          # sectors that memory has brought
        passed_on="i8",                       # sectors of stores that went on to memory
    ),
)  # fmt: skip


def configure(l2: Any, section: Any, memory: Any, line: int, sector_shift: int, counts_writes: bool) -> None:
    """Set up an all-zero `L2` through its mirror.

    section, memory: `l2` and `memory` of a configuration. line: bytes of a line of the cores. counts_writes: whether the kernel ends only
    when what is written is in memory.
    """
    l2.present = int(section.bytes > 0)
    hashes.configure(l2.cache.slices, section.slices if l2.present else 1, memory.hash)
    if not l2.present:
        return
    take_settings(l2, L2, section)
    l2.limit, l2.write_limit, l2.counts_writes = section.mshrs, section.write_buffer, int(counts_writes)
    line_tables.configure(l2.misses, section.slices * section.mshrs)
    l2.line_shift, l2.sector_shift = section.line.bit_length() - 1, sector_shift
    l2.ratio_shift = l2.line_shift - (line - 1).bit_length()
    l2.sectors_a_line = line >> sector_shift
    l2.write_back, l2.write_allocate = int(section.write == "back"), int(section.allocate)
    if memory.lookup == "end":
        l2.latency, l2.ahead = 1, section.latency - 1
    sets, ways = section.shape(section.slices)
    hashing = {"slices": section.slices, "slice_hash": memory.hash, "set_hash": section.hash, "line_shift": int(l2.line_shift)}
    caches.configure(l2.cache, sets, ways, section.replacement, 2, sector_shift=sector_shift, **hashing)


@unit
def waiting_room(l2):
    """How many more requests can wait."""
    return WAITING_REQUESTS - l2.waiting


@inlined
def arrive(gpu, l2, tables, asked, now):
    """A request has come to its slice, which takes it, or puts it into its queue."""
    slice = channel_place(l2.cache.slices, asked.line >> l2.ratio_shift)
    if l2.queue_first[slice] == 0 and l2.slice_free[slice] <= now:
        if _look_up(gpu, l2, tables, slice, asked, now):
            return
        l2.stalled[slice] = 1
    queue_up(gpu, l2, slice, asked, now)


@inlined
def serve_slice(gpu, l2, tables, slice, now):
    """The turn of a slice: it takes the first request of its queue, if it can."""
    l2.turn[slice] = 0
    index = np.int64(l2.queue_first[slice]) - 1
    if index < 0:
        return
    if not _look_up(gpu, l2, tables, slice, held(l2, index), now):
        l2.stalled[slice] = 1
        return
    l2.queue_first[slice] = l2.next[index]
    let_go(l2, index)
    if l2.queue_first[slice] != 0:
        take_turn(gpu, l2, slice, now + 1)


@unit
def _look_up(gpu, l2, tables, slice, asked, now):
    """A slice looks a request up. Returns False, and has done nothing, when it has to wait."""
    line = asked.line >> l2.ratio_shift
    offset = (asked.line - (line << l2.ratio_shift)) * l2.sectors_a_line
    sectors = asked.sectors << np.uint64(offset)
    if not _may_take(l2, slice, line, sectors, asked.kind):
        l2.stalls = l2.stalls + 1
        return False
    extra = np.int64(0) if asked.kind == STORE else asked.tag >> EXTRA_SHIFT & TURNS_BITS
    if asked.kind == ATOMIC:
        l2.atomics = l2.atomics + 1 + extra
        if l2.atomic_pass != 0:
            extra = _take_turns(l2, slice, line, asked.tag, now)
    taken = max(np.int64(l2.ports), np.int64(l2.passing[slice] >> SIXTEENTHS) - now) if l2.atomic_pass != 0 else np.int64(l2.ports) + extra
    if asked.kind != LOAD and gpu.crossbar.slice_bytes > 0:
        taken = max(taken, cycles_for(popcount(sectors) << l2.sector_shift, gpu.crossbar.slice_bytes))
    l2.slice_free[slice] = now + taken
    ready = now + l2.latency - 1 + extra
    set = set_in_slice(l2.cache, slice, line)
    missing = lookup_in_set(l2.cache, set, line, sectors, now)
    if asked.kind == STORE:
        outcome = STORED
        _store(gpu, l2, slice, set, line, offset, sectors, missing, asked, now, ready)
    elif missing == EMPTY:
        outcome = HIT
        if asked.kind != LOAD:
            ready += l2.atomic_latency
            change(gpu, l2, slice, line, sectors, asked, ready)
        send_back(gpu, asked, ready)
    else:
        outcome = _miss(gpu, l2, slice, line, missing, asked, ready)
    if gpu.log.tracing != 0:
        emit_l2(gpu.log, tables, now, asked.core, asked.sectors, asked.line, outcome)
    return True


@out_of_line
def _take_turns(l2, slice, line, tag, now):
    """An atomic begins its passes. Returns for how many cycles more than a pass of one cycle they keep its result.

    A pass does one lane on each word of a sector. A sum of floats has the next one on its word wait longer; passes on others go on.
    """
    most = np.int64(tag >> EXTRA_SHIFT & TURNS_BITS) + 1
    begin = max(now << SIXTEENTHS, np.int64(l2.passing[slice]))
    if tag >> EXTRA_SHIFT & SUM != 0 and l2.sum_line[slice] == line:
        begin = max(begin, np.int64(l2.summing[slice]))
    end = begin + passes_of(tag) * l2.atomic_pass
    l2.passing[slice] = end
    if tag >> EXTRA_SHIFT & SUM != 0:
        l2.sum_line[slice], l2.summing[slice] = line, begin + most * l2.atomic_sum
        end = max(end, np.int64(l2.summing[slice]))
    return max((end >> SIXTEENTHS) - now - 1, np.int64(0))


@inlined
def _may_take(l2, slice, line, sectors, kind):
    """Whether a slice can take a request: memory takes its lines, and there is an MSHR if it needs one."""
    if l2.write_limit > 0 and l2.writing[slice] >= l2.write_limit:
        return False
    if kind == STORE or l2.in_use[slice] < l2.limit:
        return True
    return find_line(l2.misses, line) >= 0 or sectors & ~contains(l2.cache, line) == EMPTY


@inlined
def _miss(gpu, l2, slice, line, missing, asked, ready):
    """A request waits for the sectors of its line that are missing. Returns the outcome of its lookup."""
    entry = find_line(l2.misses, line)
    outcome = MERGED
    if entry < 0:
        outcome = MISS
        entry = add_line(l2.misses, line)
        l2.in_use[slice] += 1
        l2.miss_sectors[entry] = EMPTY
        l2.miss_first[entry] = 0
        l2.miss_last[entry] = 0
    index = hold(l2, asked)
    l2.ready[index] = ready
    if l2.miss_first[entry] == 0:
        l2.miss_first[entry] = index + 1
    else:
        l2.next[l2.miss_last[entry] - 1] = index + 1
    l2.miss_last[entry] = index + 1
    new = missing & ~l2.miss_sectors[entry]
    if new != EMPTY:
        l2.miss_sectors[entry] |= new
        schedule(gpu.wheel, ready, request(TO_MEMORY, asked.core, line, new, 0))
    return outcome


@inlined
def _store(gpu, l2, slice, set, line, offset, sectors, missing, asked, now, ready):
    """A store stays here, or is passed on to memory, or both. The level that keeps it answers its core."""
    partial = (asked.tag >> EXTRA_SHIFT) - 1
    stays = l2.write_back != 0 and (missing != sectors or l2.write_allocate != 0)
    if stays or l2.write_allocate != 0:
        gone = keep_store_in_set(l2.cache, set, line, sectors, gpu.partial_stores, partial, offset, l2.write_back, now)
        write_back(gpu, l2, slice, gone, now)
    if partial >= 0:
        remove_partial(gpu.partial_stores, partial)
    if not stays:
        pass_on(gpu, l2, slice, asked, ready)
    elif asked.tag & TRACKED_TAG != 0:
        send_back(gpu, asked, ready)
