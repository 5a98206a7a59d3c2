# mypy: disable-error-code="no-untyped-def"
"""Output merger: takes fragments from the cores, reads their pixels and writes them.

In hardware (Vortex of 2024, one merger for 8 cores): the fragments of one instruction are an entry of a short queue. Colours and depths
that are needed are read through a cache of the merger's own; when all words of an entry are there, they are compared and blended, and
what has changed is written. Entries wait for their words side by side, so a fragment may find its pixel in the hands of an earlier one:
the unit of 2024 does not look (`overtaken` counts that), the one of 2026 has counters, an entry chosen by a hash of the place, and lets
the later fragment wait (`merger.interlock`).

What comes of each pixel is computed at issue (`core/units/merger_access.py`), as if no fragment overtook another. Source of the steps and
sizes: github.com/vortexgpgpu/skybox d06a998, sim/simx/om_unit.cpp; of the counters: Vortex, docs/designs, output merger, 2026.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.config.schema import Config
from warploom.machine.core.units.merger_access import LAST, READS_COLOR, READS_DEPTH, WRITES_COLOR, WRITES_DEPTH
from warploom.machine.core.warps.warp_table import wake_core
from warploom.machine.device.raster.quad_queue import look_again
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.sizes import MAX_LANES, MAX_MERGERS, MAX_RASTERS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit
from warploom.machine.memory import client as clients
from warploom.machine.memory.client import FOUND, REFUSED, read, take_answers, write
from warploom.machine.merger.registers import Merger

FIRST_CLIENT = MAX_RASTERS
MAX_ENTRIES = 16
COUNTERS = 64
WORDS = 2 * MAX_LANES  # of an entry: colours, then depths

Target = record(
    launch=dict(
        color="i8",                               # address of pixel (0, 0)
        color_pitch="i8",                         # bytes from one row to the next
        depth="i8",
        depth_pitch="i8",
    ),
)  # fmt: skip

MergerUnit = record(
    settings=dict(
        queue="i8",                               # entries that it holds
        lookup="i8",                              # cycles from a request to the answer of the cache
        latency="i8",                             # cycles from the issue of an instruction until the merger sees its fragments
        ports="i8",                               # words that it asks its cache for, or writes, in a cycle
        interlock="i8",                           # counters of pixels in flight; 0: it does not look
    ),
    state=dict(
        used="u8",                                # bit e = entry e is in use
        order=("i8", MAX_ENTRIES),                # entries, the oldest first
        count="i8",
        words=("i8", (MAX_ENTRIES, WORDS)),       # by entry: the addresses that it reads; then those that it writes
        reads=("i8", MAX_ENTRIES),                # by entry: how many it reads
        total=("i8", MAX_ENTRIES),                # by entry: words in all
        sent=("i8", MAX_ENTRIES),                 # by entry: words asked for or written
        waiting=("u8", MAX_ENTRIES),              # by entry: entries of the misses that it waits for
        ready=("i8", MAX_ENTRIES),                # by entry: cycle in which the last word that the cache had is there
        pixels=("i8", (MAX_ENTRIES, MAX_LANES)),  # by entry: addresses of its pixels
        fragments=("i8", MAX_ENTRIES),            # by entry
        core=("i8", MAX_ENTRIES),                 # by entry: from whom
        warp=("i8", MAX_ENTRIES),
        in_flight=("i8", COUNTERS),               # interlock: fragments by counter
        turn="i8",                                # core that it takes from next
        wake="i8",                                # next cycle in which it has something to do by itself
    ),
    counters=dict(
        taken="i8",                               # entries
        stalls="i8",                              # cycles in which fragments waited for an earlier one of their pixel
        full="i8",                                # cycles in which fragments waited for room
        overtaken="i8",                           # fragments that found their pixel in the hands of an earlier one
    ),
)  # fmt: skip

MERGER_STATE = {
    "mergers": (MergerUnit, MAX_MERGERS),
    "merger_count": "i8",
    "merger_share": "i8",
    "merging": Merger,
    "target": Target,
    "fragments": "i8",  # handed to a merger
    "killed_late": "i8",  # of those, failed a test there
    "last_pixel": ("i8", LAST),  # by a hash of a pixel's address: a pixel that was changed, its address
    "last_triangle": ("i8", LAST),  # ... and the triangle that has changed it last
    "out_of_order": "i8",  # fragments that came after one of a later triangle had changed their pixel
}


@inlined
def step_merger(gpu, cores, tables, units, now):
    """One cycle of all output mergers."""
    return np.int64(units.step_mergers(gpu, cores, now) if gpu.merger_count > 0 else FOREVER)


@inlined
def next_merger_event(gpu, now):
    """The next cycle in which a merger has something to do by itself; FOREVER where all of them wait for others."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.merger_count):
        soonest = min(soonest, np.int64(gpu.mergers[number].wake))
    return soonest


@inlined
def mergers_are_done(gpu):
    """Whether all fragments are written."""
    left = 0
    for number in range(gpu.merger_count):
        left += 1 if gpu.mergers[number].count > 0 or gpu.mergers[number].wake < FOREVER else 0
    return left == 0


@unit
def step_mergers(gpu, cores, now):
    """One cycle of all output mergers. Returns the next one in which one has something to do by itself."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.merger_count):
        one, client = gpu.mergers[number], gpu.clients[FIRST_CLIENT + number]
        one.wake = FOREVER
        answered = take_answers(client, now)
        for place in range(one.count):
            one.waiting[one.order[place]] &= ~answered
        _serve(gpu, cores, one, client, now)
        _take(gpu, cores, one, number, now)
        soonest = min(soonest, np.int64(one.wake))
    return soonest


@unit
def no_mergers(gpu, cores, now):
    """Stands in for `step_mergers` in a program that draws nothing."""
    return np.int64(FOREVER)


@unit
def _serve(gpu, cores, one, client, now):
    """Entries ask for what they read, or write, the oldest first, as far as the cache has ports."""
    ports = np.int64(one.ports)
    place = np.int64(0)
    while place < one.count:
        entry = np.int64(one.order[place])
        while ports > 0 and one.sent[entry] < one.reads[entry]:
            found = read(gpu, client, np.int64(one.words[entry, one.sent[entry]]), now)
            if found == REFUSED:
                ports = np.int64(0)
                break
            if found == FOUND:
                one.ready[entry] = max(np.int64(one.ready[entry]), now + one.lookup)
            else:
                one.waiting[entry] |= bit(found)
            one.sent[entry] += 1
            ports -= 1
        if one.sent[entry] >= one.reads[entry] and one.waiting[entry] == EMPTY:
            if one.ready[entry] > now:
                one.wake = min(np.int64(one.wake), np.int64(one.ready[entry]))
            else:
                while ports > 0 and one.sent[entry] < one.total[entry]:
                    write(gpu, client, np.int64(one.words[entry, one.sent[entry]]), now)
                    one.sent[entry] += 1
                    ports -= 1
                if one.sent[entry] >= one.total[entry]:
                    _leave(gpu, cores, one, place, now)
                    continue
        if one.sent[entry] < one.reads[entry] or (one.waiting[entry] == EMPTY and one.ready[entry] <= now):
            one.wake = np.int64(now + 1)
        place += 1


@unit
def _leave(gpu, cores, one, place, now):
    """The entry at a place of the order is written: the later ones move up."""
    entry = np.int64(one.order[place])
    left = cores[one.core[entry]].merger_request.left
    left[one.warp[entry]] -= 1
    if left[one.warp[entry]] == 0:
        look_again(gpu, now)
    one.used = np.uint64(one.used & ~bit(entry))
    one.count = one.count - 1
    for later in range(place, one.count):
        one.order[later] = one.order[later + 1]
    if one.interlock > 0:
        for n in range(one.fragments[entry]):
            one.in_flight[_counter(one, np.int64(one.pixels[entry, n]))] -= 1


@inlined
def _counter(one, pixel):
    """The counter of a pixel's address."""
    return (pixel >> 2 ^ pixel >> 8 ^ pixel >> 14) % one.interlock


@unit
def _take(gpu, cores, one, number, now):
    """One core's fragments enter the queue."""
    first = number * gpu.merger_share
    last = min(first + gpu.merger_share, np.int64(gpu.cores))
    for turn in range(last - first):
        place = first + (one.turn + turn) % (last - first)
        core = cores[place]
        request = core.merger_request
        if request.used == 0:
            continue
        if request.issued + one.latency > now:
            one.wake = min(np.int64(one.wake), np.int64(request.issued + one.latency))
            continue
        if one.count >= one.queue:
            one.full = one.full + 1
            one.wake = np.int64(now + 1)
            return
        if one.interlock > 0 and _is_held(one, request):
            one.stalls = one.stalls + 1
            one.wake = np.int64(now + 1)
            continue
        _enter(one, request, place)
        one.turn = (place - first + 1) % (last - first)
        request.used = 0
        one.wake = np.int64(now + 1)
        wake_core(gpu, core, np.int64(now + 1), now)
        gpu.progress = now
        return


@unit
def _is_held(one, request):
    """Whether a fragment's counter says that an earlier one of its pixel, or of another with that counter, is in the merger."""
    held = 0
    for n in range(request.count):
        held += 1 if one.in_flight[_counter(one, np.int64(request.color[n]))] > 0 else 0
    return held > 0


@unit
def _enter(one, request, core):
    """Fragments become an entry: what it reads, then what it writes."""
    entry = np.int64(0)
    while one.used & bit(entry) != EMPTY:
        entry += 1
    if one.interlock == 0:
        _count_overtaken(one, request)
    total = np.int64(0)
    for pass_ in range(2):
        color, depth = (READS_COLOR, READS_DEPTH) if pass_ == 0 else (WRITES_COLOR, WRITES_DEPTH)
        for n in range(request.count):
            if request.does[n] & depth != 0:
                one.words[entry, total] = request.depth[n]
                total += 1
            if request.does[n] & color != 0:
                one.words[entry, total] = request.color[n]
                total += 1
        if pass_ == 0:
            one.reads[entry] = total
    one.total[entry] = total
    one.sent[entry] = 0
    one.waiting[entry] = EMPTY
    one.ready[entry] = 0
    one.fragments[entry] = request.count
    one.core[entry], one.warp[entry] = core, request.warp
    for n in range(request.count):
        one.pixels[entry, n] = request.color[n]
        if one.interlock > 0:
            one.in_flight[_counter(one, np.int64(request.color[n]))] += 1
    one.used = np.uint64(one.used | bit(entry))
    one.order[one.count] = entry
    one.count = one.count + 1
    one.taken = one.taken + 1


@unit
def _count_overtaken(one, request):
    """Count the fragments that read a pixel which an entry of the queue has not written yet."""
    for n in range(request.count):
        if request.does[n] & (READS_COLOR | READS_DEPTH) == 0:
            continue
        for place in range(one.count):
            entry = np.int64(one.order[place])
            for other in range(one.fragments[entry]):
                if one.pixels[entry, other] == request.color[n]:
                    one.overtaken = one.overtaken + 1


def set_up_merger(gpu: Any, config: Config, program: Any) -> None:
    """The output mergers of a machine, with what a host has written into their registers."""
    own = config.merger
    if not own.cores:
        return
    gpu.merger_share = own.cores
    gpu.merger_count = -(-config.gpu.cores // own.cores)
    for number in range(int(gpu.merger_count)):
        one = gpu.mergers[number]
        one.queue, one.lookup, one.latency, one.ports, one.interlock = own.queue, own.lookup, own.latency, own.ports, own.interlock
        one.wake = FOREVER
        clients.configure(
            gpu.clients[FIRST_CLIENT + number], FIRST_CLIENT + number, number * own.cores, own.bytes, own.ways, own.mshrs,
            config.l1.line, int(gpu.sector_shift),
        )  # fmt: skip
    if program.graphics:
        write_registers(gpu.merging, gpu.target, program.graphics[6:24])


def write_registers(merging: Any, target: Any, registers: Any) -> None:
    """Eighteen registers as a host writes them: addresses in units of 64 bytes; of a pair, front or colour in the lower half."""
    (color, target.color_pitch, merging.color_write, depth, target.depth_pitch, merging.depth_compare, depth_write, *stencil,
     mode, factors, merging.blend_constant, merging.logic_operation) = registers  # fmt: skip
    target.color, target.depth = color << 6, depth << 6
    merging.color_write &= 15
    merging.depth_compare &= 7
    merging.depth_write, merging.logic_operation = depth_write & 1, merging.logic_operation & 15
    fields = ("compare", "pass", "depth_fail", "fail", "reference", "mask", "write")
    for field, value in zip(fields, stencil, strict=True):
        kept = 7 if field in ("compare", "pass", "depth_fail", "fail") else 0xFF
        getattr(merging, f"stencil_{field}")[:] = value & 0xFFFF & kept, value >> 16 & kept
    merging.blend_color[:] = mode & 0xFFFF, mode >> 16
    merging.source_factor[:] = factors & 0xFF, factors >> 8 & 0xFF
    merging.destination_factor[:] = factors >> 16 & 0xFF, factors >> 24
