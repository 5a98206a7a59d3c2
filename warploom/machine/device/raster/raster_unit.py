# mypy: disable-error-code="no-untyped-def"
"""Raster engine: fetches triangles for its tiles, and answers the cores that take quads.

In hardware (Vortex of 2024, one engine for 16 cores): the header of a tile, then the number of a triangle, then its edges, are read one
after the other through a cache of the engine's own, one set of requests in flight. So many triangles may be ready before anybody takes
their quads. An arbiter answers one core in a cycle, in turn. Several engines share the tiles: each has every n-th.

The quads themselves are found when an instruction takes them (`core/units/raster_access.py`), or when they leave the queue of an engine
that has one (`quad_queue.py`): what is fetched here says when that is answered. The walk from a tile to its quads costs no cycle, as in
the model of 2024; a request is answered when the last triangle that it has quads of is there. Source of the steps and sizes:
github.com/vortexgpgpu/skybox d06a998, sim/simx/raster_unit.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.accounting.reasons import LONG_SCOREBOARD
from warploom.machine.config.schema import Config
from warploom.machine.core.load_store.completion import wake_waiting_warp
from warploom.machine.core.units.raster_access import find_buffers
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.warp_table import wake_core
from warploom.machine.device.raster.early_depth import set_up_early_depth, test_quads
from warploom.machine.device.raster.quad_queue import (
    ELSEWHERE,
    GIVEN,
    NOBODY,
    WAITS_FOR_DEPTH,
    WAITS_FOR_TRIANGLE,
    QuadQueue,
    core_of,
    finish,
    needed_next,
    next_impatient,
    next_request,
    send_away,
    serve_quads,
    set_up_queue,
    warp_of,
)
from warploom.machine.engine.bits import EMPTY, bit, lowest
from warploom.machine.engine.sizes import MAX_RASTERS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit
from warploom.machine.memory import client as clients
from warploom.machine.memory.client import FOUND, REFUSED, read, take_answers
from warploom.machine.raster.depth_plane import PLANE_WORDS
from warploom.machine.raster.edges import COEFFICIENTS, RULES, Raster
from warploom.machine.raster.engine import Engine, configure, edge_address, header_address, id_address, tile_word

FIRST_CLIENT = 0
HEADER, NUMBER, EDGES, ENDED = range(4)  # what is read; ENDED: the last triangle of the last tile has come
HEADER_WORDS = 2

RasterUnit = record(
    settings=dict(
        ahead="i8",                # triangles that may be ready before anybody takes their quads
        lookup="i8",               # cycles from a request to the answer of the cache
        latency="i8",              # cycles from the issue of an instruction to its result, where its quads are there
        ports="i8",                # words that the engine asks its cache for in a cycle
    ),
    state=dict(
        engine=Engine,             # as programs see it: which quad is next
        raster=Raster,
        edges=("i8", (1, COEFFICIENTS)),
        quads=QuadQueue,
        stage="i8",                # HEADER ...
        tile="i8",                 # which is read
        place="i8",                # triangle of that tile
        asked="i8",                # words of the stage that have been asked for
        waiting="u8",              # entries of the misses that it waits for
        ready="i8",                # cycle in which the last word that the cache had is there
        fetched="i8",              # triangles of tiles that are there
        taken="i8",                # ... of which the last answer was about
        turn="i8",                 # core that is answered next, of its own
        wake="i8",                 # next cycle in which it has something to do by itself
    ),
    counters=dict(
        answers="i8",              # requests answered
        idle="i8",                 # cycles in which a request waited for a triangle
    ),
)  # fmt: skip

RASTER_STATE = {"rasters": (RasterUnit, MAX_RASTERS), "raster_count": "i8", "raster_share": "i8"}


@inlined
def step_raster(gpu, cores, tables, units, now):
    """One cycle of all raster engines."""
    return np.int64(units.step_rasters(gpu, cores, tables, units, now) if gpu.raster_count > 0 else FOREVER)


@inlined
def next_raster_event(gpu, now):
    """The next cycle in which an engine has something to do by itself; FOREVER where all of them wait for others."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.raster_count):
        soonest = min(soonest, np.int64(gpu.rasters[number].wake))
    return soonest


@unit
def step_rasters(gpu, cores, tables, units, now):
    """One cycle of all raster engines. Returns the next one in which one has something to do by itself."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.raster_count):
        one, client = gpu.rasters[number], gpu.clients[FIRST_CLIENT + number]
        one.waiting = np.uint64(one.waiting & ~take_answers(client, now))
        _fetch(gpu, cores, one, client, tables, number, now)
        if one.quads.early != 0:
            test_quads(gpu, cores[0], one, tables, number, now)
        if one.quads.room > 0:
            _hand_out(gpu, cores, one, tables, units, number, now)
        else:
            _answer(gpu, cores, one, tables, number, now)
        soonest = min(soonest, np.int64(one.wake))
    return soonest


@unit
def no_rasters(gpu, cores, tables, units, now):
    """Stands in for `step_rasters` in a program that draws nothing."""
    return np.int64(FOREVER)


@unit
def _fetch(gpu, cores, one, client, tables, number, now):
    """The engine reads on. `wake` becomes the next cycle in which it can."""
    one.wake = FOREVER
    if one.stage == ENDED or (one.stage == HEADER and one.asked == 0 and not find_buffers(cores[0], tables, one.engine)):
        one.stage = ENDED
        return
    words = HEADER_WORDS if one.stage == HEADER else 1 if one.stage == NUMBER else COEFFICIENTS + PLANE_WORDS * one.quads.early
    if one.asked == 0 and one.stage == NUMBER and one.fetched >= _wanted(gpu, cores, number, one):
        return  # enough is there; the next answer lets it go on
    asks = np.int64(0)
    while one.asked < words and asks < one.ports:
        entry = read(gpu, client, _address(one, tables, one.asked), now)
        if entry == REFUSED:
            return
        if entry == FOUND:
            one.ready = max(np.int64(one.ready), now + one.lookup)
        else:
            one.waiting = np.uint64(one.waiting | bit(entry))
        one.asked = one.asked + 1
        asks += 1
    if one.asked < words:
        one.wake = now + 1
    elif one.waiting == EMPTY:
        if one.ready > now:
            one.wake = one.ready
        else:
            _next_stage(one, tables)
            one.wake = now + 1


@unit
def _wanted(gpu, cores, number, one):
    """How many triangles should be there: some ahead of what has been taken, and all that a request waits for."""
    most = one.taken + one.ahead
    if one.quads.room > 0:
        return max(most, needed_next(one.quads))
    for place in range(gpu.cores):
        request = cores[place].raster_request
        if request.waiting != EMPTY:
            warp = lowest(request.waiting)
            if request.engine[warp] == number:
                most = max(most, np.int64(request.needed[warp]))
    return most


@unit
def _address(one, tables, word):
    """Where a word of the stage lies."""
    engine = one.engine
    header = header_address(engine, one.tile)
    if one.stage == HEADER:
        return np.int64(header + 4 * word)
    offset = tile_word(engine, tables.memory, header + 4) & 0xFFFF
    at = id_address(header, offset, one.place)
    if one.stage == NUMBER:
        return np.int64(at)
    return np.int64(edge_address(engine, tile_word(engine, tables.memory, at)) + 4 * word)


@unit
def _next_stage(one, tables):
    """All words of a stage have come."""
    engine = one.engine
    one.asked = 0
    if one.stage == NUMBER:
        one.stage = EDGES
        return
    if one.stage == EDGES:
        one.fetched = one.fetched + 1
        one.place = one.place + 1
    count = tile_word(engine, tables.memory, header_address(engine, one.tile) + 4) >> 16
    one.stage = NUMBER
    if one.place >= count:
        one.tile = one.tile + engine.step
        one.place = 0
        one.stage = HEADER if one.tile < engine.tile_count and engine.fault == 0 else ENDED


@unit
def _answer(gpu, cores, one, tables, number, now):
    """One core has its answer: it has one warp that waits."""
    waits = False
    for turn in range(gpu.cores):
        place = (one.turn + turn) % gpu.cores
        core = cores[place]
        request = core.raster_request
        if request.waiting == EMPTY:
            continue
        warp = lowest(request.waiting)
        if request.engine[warp] != number:
            continue
        if one.fetched < request.needed[warp] and one.stage != ENDED:
            waits = True
            continue
        one.taken = max(np.int64(one.taken), np.int64(request.needed[warp]))
        _complete(gpu, core, one, warp, tables, now)
        break
    if waits:
        one.idle = one.idle + 1


@unit
def _hand_out(gpu, cores, one, tables, units, number, now):
    """Quads go from the queue to the lanes of one warp after the other, as long as nothing stops them. One warp has its answer."""
    queue = one.quads
    while True:
        if queue.serving == NOBODY:
            queue.serving = next_request(gpu, cores, one, number)
            if queue.serving == NOBODY:
                return
            one.wake = np.int64(now + 1)
        core, warp = cores[core_of(queue.serving)], warp_of(queue.serving)
        state = serve_quads(gpu, cores, core, warp, one, tables, number, one.fetched if one.stage != ENDED else FOREVER, now)
        if state == ELSEWHERE:
            continue
        if state == GIVEN:
            queue.serving = np.int64(NOBODY)
        elif state == WAITS_FOR_TRIANGLE:
            one.idle = one.idle + 1
            return
        elif state == WAITS_FOR_DEPTH:
            return
        else:
            other = next_impatient(gpu, cores, one, number)
            if other == NOBODY:
                return
            core, warp = cores[core_of(other)], warp_of(other)
            send_away(core, warp, queue)
        finish(core, warp, tables, units)
        _complete(gpu, core, one, warp, tables, now)
        return


@unit
def _complete(gpu, core, one, warp, tables, now):
    """The registers of a warp can be used as soon as the answer has arrived, and it may take the next quads."""
    request, warps = core.raster_request, core.warps
    ready = np.int64(max(request.issued[warp] + one.latency, now + 2))
    request.waiting = np.uint64(request.waiting & ~bit(warp))
    one.turn = (core.number + 1) % gpu.cores
    one.answers = one.answers + 1
    one.wake = np.int64(now + 1)
    if request.launched[warp] == warps.started[warp]:  # else the warp has ended or was stopped, and a new one has its slot
        pc, mask = np.int64(request.pc[warp]), np.uint64(request.mask[warp])
        mark_busy(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, ready, LONG_SCOREBOARD)
        warps.pending[warp] -= 1
        warps.landed[warp] = max(np.int64(warps.landed[warp]), ready)
        wake_waiting_warp(gpu, core, warp, ready, now)
    wake_core(gpu, core, np.int64(now + 1), now)
    gpu.progress = now


def set_up_raster(gpu: Any, config: Config, program: Any) -> None:
    """The raster engines of a machine, with what a host has written into their registers."""
    own = config.raster
    if not own.cores:
        return
    gpu.raster_share = own.cores
    gpu.raster_count = -(-config.gpu.cores // own.cores)
    registers = np.array(program.graphics[:6] if program.graphics else [0] * 6, np.uint32)
    for number in range(int(gpu.raster_count)):
        one = gpu.rasters[number]
        one.wake = FOREVER
        one.ahead, one.lookup, one.latency, one.ports = own.queue, own.lookup, own.latency, own.ports
        one.raster.narrow, one.raster.rule, one.raster.log_tile = 1, RULES[own.rule], own.tile.bit_length() - 1
        set_up_queue(one.quads, config)
        set_up_early_depth(gpu, one, number, config, program)
        configure(one.engine, one.raster, registers, 0)
        one.engine.first, one.engine.step = number, gpu.raster_count
        one.engine.tile = one.tile = number
        clients.configure(
            gpu.clients[FIRST_CLIENT + number], FIRST_CLIENT + number, number * own.cores, own.bytes, own.ways, own.mshrs,
            config.l1.line, int(gpu.sector_shift),
        )  # fmt: skip
