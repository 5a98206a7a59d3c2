"""Traffic between an L2 slice and memory: misses that it sends, lines that it writes back, stores that it passes on; and memory's answers.

In hardware: the way from the slice to the memory controller beside it, with a buffer of lines that are to be written (`l2.write_buffer`).
A line leaves it when the controller has a place for it in its queue, or, if memory does not have a queue, when it is written. A fill wakes
all requests that wait in the MSHR of its line; their answers cross back to the cores.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, popcount
from warploom.machine.engine.unit import inlined, out_of_line
from warploom.machine.memory.address_hash import channel_place
from warploom.machine.memory.cache import fill_set, mark_dirty, set_in_slice
from warploom.machine.memory.crossbar import cross_back
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.l2_queue import resume
from warploom.machine.memory.line_table import find_line, remove_line
from warploom.machine.memory.main_memory import UNKNOWN, serve
from warploom.machine.memory.request import held, let_go, request
from warploom.machine.memory.transactions import (
    ANSWER,
    DELIVERED,
    EXTRA_SHIFT,
    L2_FILL,
    LINE_WRITTEN,
    LOAD,
    NOTHING,
    TRACKED_TAG,
    WRITE_MEMORY,
    WRITTEN,
    passes_of,
    without_extra,
)


@inlined
def send_back(gpu, asked, time):
    """A request goes back to its core."""
    schedule(gpu.wheel, time, request(ANSWER, asked.core, asked.line, asked.sectors, asked.tag))


@inlined
def time_to_cross(gpu, slice, asked, now):
    """An answer leaves its slice for its core in cycle `now`; returns when the core has it."""
    crossbar = gpu.crossbar
    if crossbar.core_bytes == 0 and crossbar.slice_bytes == 0:
        return np.int64(now)
    size = np.int64(0)
    passes = np.int64(0)
    if asked.tag & TRACKED_TAG == 0:
        size = popcount(asked.sectors) << gpu.sector_shift
        if asked.tag >> EXTRA_SHIFT != 0:
            passes = np.int64(crossbar.pass_back) * passes_of(asked.tag)
    return cross_back(crossbar, slice, asked.core, size, passes, now)


@inlined
def change(gpu, l2, slice, line, sectors, asked, time):
    """An atomic operation has changed sectors: they are written back with their line, or passed on to memory immediately."""
    if l2.write_back != 0:
        mark_dirty(l2.cache, line, sectors)
    else:
        pass_on(gpu, l2, slice, request(asked.kind, asked.core, asked.line, asked.sectors, asked.tag & ~np.int64(TRACKED_TAG)), time)


@inlined
def pass_on(gpu, l2, slice, asked, time):
    """What was written is passed on to memory, which it reaches at `time`."""
    l2.passed_on = l2.passed_on + popcount(asked.sectors)
    _begin_write(gpu, l2, slice)
    schedule(gpu.wheel, time, request(WRITE_MEMORY, asked.core, asked.line, asked.sectors, without_extra(asked.tag)))


@inlined
def write_back(gpu, l2, slice, gone, now):
    """A line has had to go: its dirty sectors are written to memory."""
    if l2.cache.evicted_dirty == EMPTY:
        return
    _begin_write(gpu, l2, slice)
    finished = request(LINE_WRITTEN if l2.counts_writes != 0 else NOTHING, slice, gone, EMPTY, 0)
    if serve(gpu, gone << l2.line_shift, popcount(l2.cache.evicted_dirty) << l2.sector_shift, 1, finished, now) == UNKNOWN:
        _leave_buffer(l2, slice)


@inlined
def _begin_write(gpu, l2, slice):
    """A slice has something for memory in its buffer; the kernel does not end before it is written."""
    if l2.counts_writes != 0:
        l2.writing[slice] += 1
        gpu.unfinished = gpu.unfinished + 1


@inlined
def _leave_buffer(l2, slice):
    """Memory has taken something of a slice's buffer."""
    if l2.counts_writes != 0:
        l2.writing[slice] -= 1


@inlined
def _slice_of(l2, line):
    """The slice in which one of the cores' lines lies."""
    return channel_place(l2.cache.slices, line >> l2.ratio_shift)


@out_of_line
def write_memory(gpu, l2, asked, now):
    """A store that the cache passed on reaches memory."""
    told = l2.counts_writes != 0 or asked.tag & TRACKED_TAG != 0
    finished = request(WRITTEN if told else NOTHING, asked.core, asked.line, asked.sectors, asked.tag)
    address = (asked.line >> l2.ratio_shift) << l2.line_shift
    if serve(gpu, address, popcount(asked.sectors) << l2.sector_shift, 1, finished, now) == UNKNOWN:
        slice = _slice_of(l2, asked.line)
        _leave_buffer(l2, slice)
        resume(gpu, l2, slice, now)


@out_of_line
def take_write(gpu, l2, asked, now):
    """A DRAM channel has a place for what a slice had sent."""
    slice = np.int64(asked.core) if asked.sectors == np.uint64(LINE_WRITTEN) else _slice_of(l2, asked.line)
    _leave_buffer(l2, slice)
    resume(gpu, l2, slice, now)


@out_of_line
def end_write(gpu, l2, asked, now):
    """Memory has written what a slice had sent: a store, or a line that it has written back."""
    if asked.kind != LINE_WRITTEN and asked.tag & TRACKED_TAG != 0:
        send_back(gpu, asked, now)
    if l2.counts_writes != 0:
        gpu.unfinished = gpu.unfinished - 1
    if gpu.dram.banks == 0:
        slice = np.int64(asked.core) if asked.kind == LINE_WRITTEN else _slice_of(l2, asked.line)
        _leave_buffer(l2, slice)
        resume(gpu, l2, slice, now)


@inlined
def read_memory(gpu, l2, asked, now):
    """A miss reaches memory."""
    size = popcount(asked.sectors) << l2.sector_shift
    serve(gpu, asked.line << l2.line_shift, size, 0, request(L2_FILL, -1, asked.line, asked.sectors, 0), now)


@inlined
def accept_fill(gpu, l2, filled, now):
    """Memory has answered: the sectors are there. If nothing more of the line is missing, all that wait for it are answered.

    One that came when the line was nearly there is still being looked up, and is answered no sooner than a hit.
    """
    slice = channel_place(l2.cache.slices, filled.line)
    gone = fill_set(l2.cache, set_in_slice(l2.cache, slice, filled.line), filled.line, filled.sectors, now)
    l2.filled = l2.filled + popcount(filled.sectors)
    write_back(gpu, l2, slice, gone, now)
    entry = find_line(l2.misses, filled.line)
    l2.miss_sectors[entry] &= ~filled.sectors
    if l2.miss_sectors[entry] != EMPTY:
        return
    link = np.int64(l2.miss_first[entry])
    remove_line(l2.misses, entry)
    l2.in_use[slice] -= 1
    while link != 0:
        index = link - 1
        link = np.int64(l2.next[index])
        asked = held(l2, index)
        ready = max(np.int64(l2.ready[index]), np.int64(now))
        if asked.kind != LOAD:
            offset = (asked.line - (filled.line << l2.ratio_shift)) * l2.sectors_a_line
            change(gpu, l2, slice, filled.line, asked.sectors << np.uint64(offset), asked, ready)
            ready += l2.atomic_latency
        if ready > now:
            send_back(gpu, asked, ready)
            let_go(l2, index)
            continue
        schedule(gpu.wheel, time_to_cross(gpu, slice, asked, now), request(DELIVERED, asked.core, asked.line, asked.sectors, asked.tag))
        let_go(l2, index)
    resume(gpu, l2, slice, now)
