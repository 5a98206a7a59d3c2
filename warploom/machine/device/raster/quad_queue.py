# mypy: disable-error-code="no-untyped-def"
"""Queue of quads: between the walk of a raster engine and the warps, where the order of fragments begins.

In hardware: a short queue of quads, and a few counters beside it. A quad's place chooses one of them by a hash. The counter belongs to the
warp that was given a quad of such a place, until that warp has nothing more to do with it: its lanes have asked for other quads or have
ended, since a shader may drop a pixel, and its fragments are written. Until then a quad whose counter is another warp's waits in the queue,
and so do those after it that have the same counter; others are handed out before it. So two fragments of one pixel are never shaded side
by side, and that of the later triangle comes later: the warps may run in any order.

* Lanes of one warp share a place. They merge in the order of lanes, which is that of the quads. Where a divergence mechanism lets lanes
  run apart (`any_order` in `core/divergence`) they do not share: such a lane gets a quad without covered pixels, and asks again.
* A warp some of whose lanes still hold quads does not wait, or two such warps would wait for each other: it gets such quads too.
* A place may share its counter with others: it waits needlessly then, and never wrongly goes on.

Source of the counters (64, chosen by a hash): Vortex, docs/designs, output merger, 2026. That they are asked where quads are handed out
is a choice of this model: in the merger it is too late, since a later fragment may have come first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.accounting.faults import FAULT_NUMBER, raise_fault
from warploom.machine.core.units.raster_access import (
    PIXELS,
    VALUES,
    execute_rest,
    find_buffers,
    queues,
    tell_quad,
    value_at,
    write_nothing,
    write_place,
)
from warploom.machine.datapath.register_file import expand
from warploom.machine.engine.bits import EMPTY, bit, has, lowest
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.raster.depth_plane import FIRST_PLANE, PLANE_WORDS, depth_at
from warploom.machine.raster.edges import wrapped
from warploom.machine.raster.engine import edge_address, next_stamp, primitive_word

UNMAPPED = FAULT_NUMBER["unmapped"]
MOST_QUADS = 64
COUNTERS = 64
NOBODY = -1  # in the place of a warp's number
GIVEN, WAITS, WAITS_FOR_TRIANGLE, WAITS_FOR_DEPTH, ELSEWHERE = range(5)  # how a warp is served
NOT_HELD = -1  # in the place of a cycle
OTHERS, OWN = -1, -2  # in the place of a quad of the queue: all wait for other warps, or one for lanes of this warp

QuadQueue = record(
    settings=dict(
        room="i8",                           # quads that it holds; 0: there is no queue
        counters="i8",                       # of the interlock; 0: none
        early="i8",                          # 1: quads are tested in it (`early_depth.py`)
    ),
    state=dict(
        order=("i8", MOST_QUADS),            # places of quads, the oldest first
        count="i8",                          # quads in it
        used="u8",                           # bit p = place p is in use
        walked="i8",                         # 1: the walk has found its last quad
        triangle=("i8", MOST_QUADS),         # by place: its number
        x=("i8", MOST_QUADS),                # by place: upper left pixel
        y=("i8", MOST_QUADS),
        mask=("i8", MOST_QUADS),             # by place: covered pixels
        needed=("i8", MOST_QUADS),           # by place: triangles that the engine must have fetched for it
        depth=("i8", (MOST_QUADS, PIXELS)),  # by place, where there is an early test: depths of its pixels; -1: not known
        tested=("i8", MOST_QUADS),           # by place: 1: it has been tested
        asked=("i8", MOST_QUADS),            # by place: pixels whose depths have been asked for
        waiting=("u8", MOST_QUADS),          # by place: entries of the misses that it waits for
        ready=("i8", MOST_QUADS),            # by place: cycle in which the last depth that the cache had is there
        values=("i8", (MOST_QUADS, VALUES)), # by place: of edges at pixels
        owner=("i8", COUNTERS),              # by counter: the warp, or NOBODY
        serving="i8",                        # the warp that quads are handed to, or NOBODY
        held_since="i8",                     # cycle since which all quads wait for their places, or NOT_HELD
    ),
    counters=dict(
        held="i8",                           # cycles in which a warp waited because the places of all quads were others'
        passed="i8",                         # quads that went out before an older one whose place was another's
        killed="i8",                         # covered pixels that the early test has dropped
        killed_quads="i8",                   # quads that have left because none was left
        empty="i8",                          # lanes that were given a quad without covered pixels
    ),
)  # fmt: skip


@inlined
def number_of(core, warp):
    """A warp's number among those of all cores."""
    return core.number * MAX_WARPS + warp


@inlined
def core_of(number):
    """The core of a warp."""
    return number // MAX_WARPS


@inlined
def warp_of(number):
    """Its slot there."""
    return number % MAX_WARPS


@inlined
def look_again(gpu, now):
    """The fragments of a warp are written: a quad may have waited for that."""
    for number in range(gpu.raster_count):
        one = gpu.rasters[number]
        if one.quads.held_since != NOT_HELD:
            one.wake = min(np.int64(one.wake), np.int64(now + 1))


@inlined
def needed_next(queue):
    """How many triangles must be there for the oldest quad, if a warp wants it; else 0."""
    return np.int64(queue.needed[queue.order[0]] if queue.serving != NOBODY and queue.count > 0 else 0)


@unit
def next_request(gpu, cores, one, number):
    """The warp that is served next: of one core after the other the one that has waited longest. NOBODY where none asks this engine."""
    for turn in range(gpu.cores):
        core = cores[(one.turn + turn) % gpu.cores]
        request = core.raster_request
        found, left = np.int64(NOBODY), np.uint64(request.waiting)
        while left != EMPTY:
            warp = lowest(left)
            left &= ~bit(warp)
            if request.engine[warp] == number and (found == NOBODY or request.issued[warp] < request.issued[found]):
                found = warp
        if found != NOBODY:
            return np.int64(number_of(core, found))
    return np.int64(NOBODY)


@unit
def serve_quads(gpu, cores, core, warp, one, tables, number, fetched, now):
    """The lanes of a warp that have none get quads: GIVEN where all have one now, or why not.

    number: of the engine. fetched: triangles that it has fetched.
    """
    queue, request = one.quads, core.raster_request
    registers, base = core.registers[warp].lane, np.int64(request.quad)
    while request.missing[warp] != EMPTY:
        lane = lowest(request.missing[warp])
        fill_queue(core, one, tables)
        if one.engine.fault != 0:
            _refuse(gpu, core, warp, lane, one, now)
            return np.int64(WAITS)
        if queue.count == 0:
            other = (number + 1) % gpu.raster_count
            if other != core.number // gpu.raster_share:
                request.engine[warp] = other
                gpu.rasters[other].wake = min(np.int64(gpu.rasters[other].wake), np.int64(now + 1))
                queue.serving = np.int64(NOBODY)
                return np.int64(ELSEWHERE)
            write_nothing(registers, base, lane)
        elif queue.needed[queue.order[0]] > fetched:
            return np.int64(WAITS_FOR_TRIANGLE)
        elif queue.tested[queue.order[0]] == 0:
            one.wake = np.int64(now + 1) if queue.asked[queue.order[0]] == 0 else one.wake
            return np.int64(WAITS_FOR_DEPTH)
        else:
            turn = _first_free(cores, core, warp, queue, fetched)
            if turn < 0 and turn != OWN and not holds_others(core, warp):
                if queue.held_since == NOT_HELD:
                    queue.held_since = now
                return np.int64(WAITS)
            if turn < 0:
                _give_empty(core, warp, lane, queue)
            else:
                _note_held(queue, now)
                _give(gpu, core, warp, lane, one, turn, tables, now)
        request.missing[warp] &= ~bit(lane)
        one.wake = np.int64(now + 1)
    _note_held(queue, now)
    return np.int64(GIVEN)


@inlined
def holds_others(core, warp):
    """Whether lanes of a warp that do not ask still hold quads."""
    request = core.raster_request
    return request.holders[warp] & ~request.mask[warp] & core.warps.threads[warp] != EMPTY


@unit
def next_impatient(gpu, cores, one, number):
    """A warp that must not wait, because others may wait for those of its lanes that do not ask; NOBODY where none is such."""
    for place in range(gpu.cores):
        request = cores[place].raster_request
        left = np.uint64(request.waiting)
        while left != EMPTY:
            warp = lowest(left)
            left &= ~bit(warp)
            if request.engine[warp] == number and number_of(cores[place], warp) != one.quads.serving and holds_others(cores[place], warp):
                return np.int64(number_of(cores[place], warp))
    return np.int64(NOBODY)


@unit
def send_away(core, warp, queue):
    """All lanes of a warp that ask get a quad without covered pixels."""
    request = core.raster_request
    while request.missing[warp] != EMPTY:
        lane = lowest(request.missing[warp])
        _give_empty(core, warp, lane, queue)
        request.missing[warp] &= ~bit(lane)


@inlined
def _give_empty(core, warp, lane, queue):
    """The oldest quad, but none of its pixels: it stays in the queue."""
    _write(core.registers[warp].lane, np.int64(core.raster_request.quad), lane, queue, np.int64(queue.order[0]), np.int64(0))
    queue.empty = queue.empty + 1


@inlined
def _note_held(queue, now):
    """No quad waits for its place any more."""
    if queue.held_since != NOT_HELD:
        queue.held = queue.held + (now - queue.held_since)
        queue.held_since = np.int64(NOT_HELD)


@unit
def fill_queue(core, one, tables):
    """The walk goes on, which costs no cycle, until the queue is full."""
    queue, engine = one.quads, one.engine
    while queue.count < queue.room and queue.walked == 0:
        if not (find_buffers(core, tables, engine) and next_stamp(engine, one.raster, tables.memory, one.edges)):
            queue.walked = 1
            return
        place = lowest(~np.uint64(queue.used))
        queue.used = np.uint64(queue.used | bit(place))
        queue.order[queue.count] = place
        queue.triangle[place], queue.x[place], queue.y[place], queue.mask[place] = engine.triangle, engine.x, engine.y, engine.mask
        queue.needed[place] = engine.triangles
        for k in range(VALUES):
            queue.values[place, k] = value_at(one, k)
        queue.tested[place] = 1 - queue.early
        if queue.early != 0:
            _note_depths(one, tables, place)
        queue.count = queue.count + 1


@unit
def _note_depths(one, tables, place):
    """The depths that a quad's pixels have by their triangle's plane."""
    queue, engine = one.quads, one.engine
    queue.asked[place], queue.waiting[place], queue.ready[place] = 0, EMPTY, 0
    start = edge_address(engine, np.int64(engine.triangle)) + FIRST_PLANE
    known = engine.stride >= FIRST_PLANE + 4 * PLANE_WORDS
    a, b, c = np.int64(0), np.int64(0), np.int64(0)
    if known:
        a = wrapped(primitive_word(engine, tables.memory, start))
        b = wrapped(primitive_word(engine, tables.memory, start + 4))
        c = wrapped(primitive_word(engine, tables.memory, start + 8))
    values = queue.values[place]
    for pixel in range(PIXELS):
        depth = depth_at(np.int64(values[pixel]), np.int64(values[PIXELS + pixel]), np.int64(values[2 * PIXELS + pixel]), a, b, c)
        queue.depth[place, pixel] = depth if known else -1


@unit
def _refuse(gpu, core, warp, lane, one, now):
    """A buffer leads to where no memory is."""
    pc, address = np.int64(core.raster_request.pc[warp]), one.engine.fault_address & 0xFFFFFFFF
    raise_fault(gpu.fault, UNMAPPED, core.number, warp, pc, bit(lane), address, 0, now)


@inlined
def _counter(queue, place):
    """The counter of a quad: those of 8 x 8 quads side by side are different."""
    x, y = queue.x[place] >> 1, queue.y[place] >> 1
    return (x + 8 * y + 5 * (x >> 3) + 3 * (y >> 3)) % queue.counters


@unit
def _first_free(cores, core, warp, queue, fetched):
    """Which quad of the queue, from the oldest on, the warp may have: the first whose place is its own or nobody's, and no older one's.

    OTHERS where none is; OWN where one only waits for other lanes of this warp. A place whose warp has done is freed here.
    """
    if queue.counters == 0:
        return np.int64(0)  # the oldest, which has been tested
    taken, found = EMPTY, np.int64(OTHERS)
    for turn in range(queue.count):
        place = np.int64(queue.order[turn])
        if queue.needed[place] > fetched or queue.tested[place] == 0:
            break
        counter = np.int64(_counter(queue, place))
        if has(taken, counter):
            continue
        owner = np.int64(queue.owner[counter])
        if owner == number_of(core, warp):
            if core.any_order == 0 or core.raster_request.holders[warp] == EMPTY:
                return np.int64(turn)
            found = np.int64(OWN)
        elif owner == NOBODY or _has_done(cores[core_of(owner)], warp_of(owner)):
            return np.int64(turn)
        taken |= bit(counter)
    return found


@unit
def _has_done(core, warp):
    """Whether a warp has no quad any more, and no fragment on its way."""
    request, warps = core.raster_request, core.warps
    if core.merger_request.left[warp] > 0:
        return False
    lives = has(warps.active, warp) and request.held_from[warp] == warps.started[warp]
    return not lives or request.holders[warp] & warps.threads[warp] == EMPTY


@unit
def _give(gpu, core, warp, lane, one, turn, tables, now):
    """A quad is a lane's, and its place the warp's. turn: which one, from the oldest on."""
    queue, request = one.quads, core.raster_request
    base, place = np.int64(request.quad), np.int64(queue.order[turn])
    _write(core.registers[warp].lane, base, lane, queue, place, np.int64(queue.mask[place]))
    if queue.counters > 0:
        queue.owner[_counter(queue, place)] = number_of(core, warp)
        request.holders[warp] |= bit(lane)
    tell_quad(gpu, core, warp, np.int64(request.pc[warp]), tables, base, lane, now)
    one.taken = max(np.int64(one.taken), np.int64(queue.needed[place]))
    queue.passed = queue.passed + (1 if turn > 0 else 0)
    leave_queue(queue, turn)


@unit
def leave_queue(queue, turn):
    """A quad leaves the queue: the later ones move up."""
    queue.used = np.uint64(queue.used & ~bit(queue.order[turn]))
    queue.count = queue.count - 1
    for later in range(turn, queue.count):
        queue.order[later] = queue.order[later + 1]


@unit
def _write(registers, base, lane, queue, place, mask):
    """A quad of the queue goes into a lane's registers, with these covered pixels."""
    write_place(registers, base, lane, np.int64(queue.triangle[place]), np.int64(queue.x[place]), np.int64(queue.y[place]), mask)
    for k in range(VALUES):
        registers[base + 2 + k, lane] = np.uint32(queue.values[place, k] & 0xFFFFFFFF)


@unit
def finish(core, warp, tables, units):
    """All lanes of a warp have their quads: what its instruction makes of them is computed. Other lanes may run meanwhile."""
    request = core.raster_request
    if request.launched[warp] == core.warps.started[warp]:
        expand(np.uint64(request.mask[warp]), core.registers[warp].active, core.warps.lanes)
        core.warps.expanded_from[warp] = EMPTY  # the next instruction expands its own mask
        execute_rest(core, warp, np.int64(request.pc[warp]), tables, units)


def set_up_queue(queue: Any, config: Any) -> None:
    """A queue with nothing in it."""
    if queues(config):
        queue.room, queue.counters = config.raster.quads, config.raster.interlock
    queue.owner[:] = NOBODY
    queue.serving, queue.held_since = NOBODY, NOT_HELD
