"""Instruction fetch: keeps each warp's instruction buffer filled.

In hardware: an instruction cache that all warps of the core share, and a few entries of buffer for each warp, so that
the scheduler finds decoded instructions waiting. The fetch unit searches, each cycle, for a warp whose buffer has room,
round robin; an instruction that is in the cache arrives some cycles later, one that is not brings its whole line from program
memory. A jump empties the buffer. With a buffer of 0 instructions are always there (guppy's machine).

A scheduler may have its own small cache in front of the core's (NVIDIA since Volta: L0, 12 to 32 KiB). A line that is not in it comes from
the core's cache, and some lines after it are prefetched, since most code runs straight on. Then each scheduler fetches for one of its warps
per cycle.

Sources: schedulers' caches and lines ahead, Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025; instruction buffer, Coon et
al., US 7,834,881; Vortex, MICRO 2021, section 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.core.fetch.shared_instruction_cache import bring, program_memory
from warploom.machine.core.warps.alarms import Alarms, ring_in, ringing_in
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.engine.bits import EMPTY, after, below, bit, has, lowest, rest
from warploom.machine.engine.sizes import MAX_FETCH_LINES, MAX_L0_LINES, MAX_SCHEDULERS, MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, record, take_settings, unit

Fetch = record(
    side_by_side=(MAX_WARPS, MAX_FETCH_LINES),
    settings=dict(
        waits="i8",                      # 1: nothing is fetched after a control instruction until that is executed
        buffer="i8",                     # instructions that a warp's buffer holds; 0: no fetch unit
        per_cycle="i8",                  # fetches a cycle
        line="i8",                       # instructions in a line
        line_shift="i8",                 # log2 of them; 0 where they are not a power of two
        sets="i8",                       # sets of the cache; 0: none
        ways="i8",                       # lines in a set
        latency="i8",                    # cycles of a hit
        miss_latency="i8",               # cycles of a miss, unless program memory has channels
        l0_sets="i8",                    # sets of the cache of each scheduler, before that of the core; 0: none
        l0_ways="i8",                    # lines in a set of it
        l0_latency="i8",                 # cycles of a hit in it
        l0_ahead="i8",                   # lines that a miss in it brings ahead
        stream="i8",                     # lines that the core's cache has ahead of one that is read in a scheduler's; 0: none
        l0_slots=("u8", MAX_SCHEDULERS), # by scheduler: bit w = warp slot w is its own
        channels="i8",                   # 1: misses go to the channels of program memory
    ),
    state=dict(
        next_warp="i8",                  # warp slot at which the round continues
        l0_last=("i8", MAX_SCHEDULERS),  # with schedulers' caches: the warp slot that each has fetched for last
        l0_way=("i8", MAX_SCHEDULERS),   # ... and the place in its cache where that was
        held=("i8", MAX_WARPS),          # instructions in a warp's buffer; the first is the one at its PC
        following=("i8", MAX_WARPS),     # instruction that is fetched next
        full="u8",                       # bit w: the buffer of warp w takes nothing more, or the program has nothing more
        requested="u8",                  # bit w: an instruction for warp w is in flight
        arrives=("i8", MAX_WARPS),       # cycle at whose end it arrives; FOREVER: none is
        coming=Alarms,                   # when it is looked whether one has arrived, the cycle after it does
        tag=("i8", MAX_FETCH_LINES),     # line number + 1; 0: none; way w of set s is s * ways + w
        ready=("i8", MAX_FETCH_LINES),   # first cycle in which a line can be read
        used=("i8", MAX_FETCH_LINES),    # cycle in which a line was last read
        l0_tag=("i8", (MAX_SCHEDULERS, MAX_L0_LINES)),    # the same for the cache of each scheduler
        l0_ready=("i8", (MAX_SCHEDULERS, MAX_L0_LINES)),
        l0_used=("i8", (MAX_SCHEDULERS, MAX_L0_LINES)),
    ),
    counters=dict(
        hits="i8",                       # instructions found in the cache; with schedulers' caches before it, lines
        misses="i8",                     # instructions, or lines, not found there
        l0_hits="i8",                    # instructions found in a scheduler's cache
        l0_misses="i8",                  # instructions not found there
    ),
)  # fmt: skip


def configure(fetch: Any, section: Any, channels: bool) -> None:
    """Set up an all-zero `Fetch` through its mirror. section: `fetch` of a configuration; channels: whether program memory has some."""
    take_settings(fetch, Fetch, section)
    fetch.line_shift = section.line.bit_length() - 1 if section.line & (section.line - 1) == 0 else 0
    fetch.channels = int(channels)


@unit
def redirect(fetch, warp, pc):
    """A warp starts, or jumps: its buffer is empty."""
    fetch.held[warp] = 0
    fetch.following[warp] = pc
    fetch.arrives[warp] = FOREVER
    fetch.requested = fetch.requested & ~bit(warp)
    fetch.full = fetch.full & ~bit(warp)


@unit
def consume(fetch, warp, before, after, is_control):
    """A warp has issued the instruction at `before`, a control instruction if `is_control`; its next one is at `after`."""
    if after == before + 1 and (fetch.waits == 0 or not is_control):
        fetch.held[warp] -= 1
        fetch.full = fetch.full & ~bit(warp)
    else:
        redirect(fetch, warp, after)


@inlined
def receive_instructions(fetch, warps, rows, now):
    """The beginning of a cycle: what has arrived by the end of the one before is in the buffers. Warps that waited for it are examined."""
    left = ringing_in(fetch.coming, now) & warps.active & fetch.requested
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if fetch.arrives[warp] < now:
            _deliver(fetch, warps, warp, rows, now, now)
        else:  # it has been requested again, or takes longer than the alarms reach
            ring_in(fetch.coming, warp, np.int64(fetch.arrives[warp] + 1), now)


@inlined
def fetch_instructions(gpu, fetch, warps, rows, now):
    """The end of a cycle: further instructions are requested. Returns the next cycle in which more can be; one may arrive before."""
    with_room = warps.active & ~(fetch.requested | fetch.full)
    return np.int64(_request(gpu, fetch, warps, with_room, rows, now) if with_room != EMPTY else FOREVER)


@inlined
def _request(gpu, fetch, warps, with_room, rows, now):
    """Request instructions for some warps that have none in flight, round robin. Returns the next cycle in which there is work."""
    first = below(np.int64(fetch.next_warp))
    left = with_room & ~first
    behind = with_room & first
    started = np.int64(0)
    soonest = np.int64(FOREVER)
    wanting = EMPTY  # with schedulers' caches: the warps that want an instruction
    while left | behind != EMPTY:
        if left == EMPTY:
            left = behind
            behind = EMPTY
        warp = lowest(left)
        left = rest(left)
        if fetch.following[warp] >= rows:
            fetch.full = fetch.full | bit(warp)
        elif fetch.l0_sets != 0:
            wanting = wanting | bit(warp)
        elif started < fetch.per_cycle:
            time = _fetch_line(gpu, fetch, _line_of(fetch, np.int64(fetch.following[warp])), rows, now)
            soonest = min(soonest, _expect(fetch, warps, warp, time, rows, now))
            started += 1
            if started == fetch.per_cycle:
                fetch.next_warp = warp + 1 if warp + 1 < warps.slots else 0
        else:
            return np.int64(now + 1)
    if wanting != EMPTY:
        return _fetch_for_schedulers(gpu, fetch, warps, wanting, rows, now)
    return soonest


@inlined
def _fetch_for_schedulers(gpu, fetch, warps, wanting, rows, now):
    """Each scheduler fetches for one of its warps, round robin. Returns the next cycle in which there is work."""
    soonest = np.int64(FOREVER)
    number = np.int64(0)
    while wanting != EMPTY:
        own = wanting & fetch.l0_slots[number]
        wanting = wanting & ~own
        if own != EMPTY:
            warp = after(own, np.int64(fetch.l0_last[number]), warps.slots)
            fetch.l0_last[number] = warp
            time = fetch_from_l0(gpu, fetch, number, np.int64(fetch.following[warp]), rows, now)
            soonest = min(soonest, _expect(fetch, warps, warp, time, rows, now))
            if rest(own) != EMPTY:
                soonest = np.int64(now + 1)
        number += 1
    return soonest


@inlined
def _expect(fetch, warps, warp, time, rows, now):
    """An instruction for a warp is in flight, and in its buffer at the end of cycle `time`, which may be this one: then it is there.

    Returns the next cycle in which another one can be requested for the warp, as far as that is known.
    """
    if time <= now:
        _deliver(fetch, warps, warp, rows, now + 1, now)
        return np.int64(FOREVER) if has(fetch.full, warp) else np.int64(now + 1)
    fetch.arrives[warp] = time
    fetch.requested = fetch.requested | bit(warp)
    ring_in(fetch.coming, warp, time + 1, now)
    return np.int64(FOREVER)


@inlined
def _deliver(fetch, warps, warp, rows, time, now):
    """An instruction has arrived in a warp's buffer; a warp that waited for it is examined in cycle `time`, this one or the next."""
    fetch.held[warp] += 1
    fetch.following[warp] += 1
    fetch.arrives[warp] = FOREVER
    fetch.requested = fetch.requested & ~bit(warp)
    if fetch.held[warp] >= fetch.buffer or fetch.following[warp] >= rows:
        fetch.full = fetch.full | bit(warp)
    if has(warps.starved, warp):
        warps.starved = warps.starved & ~bit(warp)
        set_alarm(warps, warp, time, now)


@inlined
def _line_of(fetch, pc):
    """The line of instruction `pc`."""
    return pc >> fetch.line_shift if fetch.line_shift > 0 else pc // fetch.line


@inlined
def _set_of(line, sets):
    """The set of a cache of `sets` sets in which a line lies. Hosts divide slowly, and nearly all caches have a power of two of sets."""
    return line & (sets - 1) if sets & (sets - 1) == 0 else line % sets


@unit
def fetch_from_l0(gpu, fetch, number, pc, rows, now):
    """The cycle at whose end instruction `pc` is in the buffer, for a scheduler with its own cache."""
    line = _line_of(fetch, pc)
    before = np.int64(fetch.l0_way[number])
    way = before  # most often it is in the line of the instruction before it
    if fetch.l0_tag[number, way] != line + 1:
        way = _find_in_l0(fetch, number, line)
        fetch.l0_way[number] = way
    if fetch.l0_tag[number, way] == line + 1:
        fetch.l0_hits = fetch.l0_hits + 1
        if fetch.stream != 0 and way != before:
            _stream_on(gpu, fetch, number, line, rows, now)
    else:
        _miss_l0(gpu, fetch, number, way, line, rows, now)
    fetch.l0_used[number, way] = now
    return max(now + fetch.l0_latency - 1, np.int64(fetch.l0_ready[number, way]))


@out_of_line
def _miss_l0(gpu, fetch, number, way, line, rows, now):
    """A line missing from a scheduler's cache gets a place there, and some lines after it are prefetched."""
    fetch.l0_misses = fetch.l0_misses + 1
    _fill_l0(gpu, fetch, number, way, line, rows, now + fetch.l0_latency)
    for following in range(line + 1, line + 1 + fetch.l0_ahead):
        if following * fetch.line < rows:
            place = _find_in_l0(fetch, number, following)
            if fetch.l0_tag[number, place] != following + 1:
                _fill_l0(gpu, fetch, number, place, following, rows, now + fetch.l0_latency + following - line)
    for following in range(line + 1 + fetch.l0_ahead, line + 1 + fetch.stream):
        if following * fetch.line < rows:
            _fetch_line(gpu, fetch, following, rows, now)


@out_of_line
def _stream_on(gpu, fetch, number, line, rows, now):
    """A line is read after another one: the last of those that follow it closely is brought into the scheduler's cache, if it is not there,
    and those that follow further away into that of the core."""
    last = line + np.int64(fetch.l0_ahead)
    place = _find_in_l0(fetch, number, last)
    if last * fetch.line < rows and fetch.l0_tag[number, place] != last + 1:
        _fill_l0(gpu, fetch, number, place, last, rows, now + fetch.l0_latency)
    for following in range(last + 1, line + 1 + fetch.stream):
        if following * fetch.line < rows:
            _fetch_line(gpu, fetch, following, rows, now)


@unit
def _find_in_l0(fetch, number, line):
    """Where a line lies in a scheduler's cache, or the place that it takes: an empty one, or the least recently used."""
    base = _set_of(line, fetch.l0_sets) * fetch.l0_ways
    victim = base
    for way in range(base, base + fetch.l0_ways):
        if fetch.l0_tag[number, way] == line + 1:
            return way
        if fetch.l0_used[number, way] < fetch.l0_used[number, victim]:
            victim = way
    return victim


@unit
def _fill_l0(gpu, fetch, number, way, line, rows, now):
    """A scheduler's cache requests a line from the core's cache, which sends one per cycle."""
    fetch.l0_tag[number, way] = line + 1
    fetch.l0_used[number, way] = now
    fetch.l0_ready[number, way] = _fetch_line(gpu, fetch, line, rows, now)


@inlined
def _fetch_line(gpu, fetch, line, rows, now):
    """The cycle at whose end instruction line `line` has come from the core's cache."""
    if fetch.sets == 0:
        return _fetch_without_cache(gpu, fetch, line, rows, now)
    base = _set_of(line, fetch.sets) * fetch.ways
    for way in range(base, base + fetch.ways):
        if fetch.tag[way] == line + 1:
            fetch.hits = fetch.hits + 1
            fetch.used[way] = now
            return max(now + fetch.latency - 1, np.int64(fetch.ready[way]))
    return _miss(gpu, fetch, line, base, rows, now)


@out_of_line
def _fetch_without_cache(gpu, fetch, line, rows, now):
    """The same in a core without its own cache."""
    fetch.misses = fetch.misses + 1
    if gpu.shared_fetch.lines != 0:
        return bring(gpu, fetch, line, rows, now)
    return program_memory(gpu, fetch, 1, now)


@out_of_line
def _miss(gpu, fetch, line, base, rows, now):
    """The same for a line that the core's cache does not have: it takes a place of the set that begins at `base`."""
    victim = base
    for way in range(base, base + fetch.ways):
        if fetch.used[way] < fetch.used[victim] or (fetch.tag[way] == 0 and fetch.tag[victim] != 0):
            victim = way
    fetch.misses = fetch.misses + 1
    fetch.tag[victim] = line + 1
    fetch.used[victim] = now
    beyond = now + fetch.latency
    if gpu.shared_fetch.lines != 0:
        fetch.ready[victim] = bring(gpu, fetch, line, rows, beyond)
    else:
        fetch.ready[victim] = program_memory(gpu, fetch, fetch.line, beyond - 1)
    return np.int64(fetch.ready[victim])
