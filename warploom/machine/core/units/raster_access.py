# mypy: disable-error-code="no-untyped-def"
"""A core's side of the raster engine: an instruction takes a quad for each of its lanes.

In hardware: the core hands the request of a warp to the engine that it shares with others, and has one such request at a time; the answer
fills a few registers of each lane (`isa/vortex/graphics.py`). Which quads those are is found here, at issue, in the order in which the
engine makes them (`machine/raster/engine.py`); when they arrive is determined by the engine (`device/raster/raster_unit.py`).

An engine whose quads wait for earlier ones of their place (`raster.interlock`) hands them out itself (`device/raster/quad_queue.py`). There
all warps of a core may request quads at the same time: a waiting warp must not block the request of the warp that it waits for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import COUNT, DST, FIRST_UOP, QUAD_REGISTERS
from warploom.machine.accounting.events import emit_quad
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.reasons import LONG_SCOREBOARD
from warploom.machine.core.load_store.address_space import memory_around
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit
from warploom.machine.raster.edges import EDGES, edge_value
from warploom.machine.raster.engine import begin, next_stamp

UNMAPPED, UNSUPPORTED = FAULT_NUMBER["unmapped"], FAULT_NUMBER["unsupported"]
PIXELS = 4
VALUES = PIXELS * EDGES
ROW_SHIFT, COLUMN_SHIFT = 18, 4  # of a quad's place, above its covered pixels

RasterRequest = record(
    settings=dict(
        queued="i8",                     # 1: the engine hands quads out; 0: they are found at issue
    ),
    state=dict(
        waiting="u8",                    # bit w = warp w waits for quads
        quad="i8",                       # first of the registers that quads go to; 0: none was taken yet
        pc=("i8", MAX_WARPS),            # by warp: the instruction that waits
        mask=("u8", MAX_WARPS),          # by warp: bit l = lane l takes part
        launched=("i8", MAX_WARPS),      # by warp: cycle in which it started
        issued=("i8", MAX_WARPS),
        needed=("i8", MAX_WARPS),        # by warp: it is answered when the engine has fetched so many triangles of its tiles
        engine=("i8", MAX_WARPS),        # by warp: which engine it asks
        missing=("u8", MAX_WARPS),       # by warp: lanes of it that have no quad yet, if the engine hands them out
        holders=("u8", MAX_WARPS),       # by warp: lanes that were given a quad and have not requested another
        held_from=("i8", MAX_WARPS),     # by warp: cycle in which the warp started that they belong to
    ),
)  # fmt: skip


@inlined
def execute_quads(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """A warp takes quads. The number of a fault, or 0; when they arrive is not known yet."""
    return np.int64(units.take_quads(gpu, core, warp, pc, tables, units, now)), np.int64(FOREVER)


@unit
def take_quads(gpu, core, warp, pc, tables, units, now):
    """Each lane's next quad goes into its registers, and the request is sent. Returns 0, or the number of a fault."""
    first = np.int64(tables.code[pc, FIRST_UOP])
    lanes, request = core.warps.lanes, core.raster_request
    request.quad = tables.uops[first, DST]
    engine = np.int64(0)
    if request.queued != 0:
        engine = core.number // gpu.raster_share
        _ask(core, warp)
        gpu.rasters[engine].wake = np.int64(now + 1)
    else:
        for lane in range(lanes):
            if core.registers[warp].active[lane] != 0:
                engine = _take_quad(gpu, core, warp, tables, np.int64(request.quad), lane)
                if engine < 0:
                    return np.int64(UNMAPPED)
                tell_quad(gpu, core, warp, pc, tables, np.int64(request.quad), lane, now)
        execute_rest(core, warp, pc, tables, units)
    request.waiting = np.uint64(request.waiting | bit(warp))
    request.pc[warp], request.mask[warp] = pc, core.warps.mask[warp]
    request.launched[warp], request.issued[warp] = core.warps.started[warp], now
    request.engine[warp], request.needed[warp] = engine, gpu.rasters[engine].engine.triangles
    core.warps.pending[warp] += 1
    mark_busy(core.scoreboard, tables.code, warp, pc, core.warps.mask[warp], lanes, np.int64(FOREVER), LONG_SCOREBOARD)
    gpu.progress = now
    return np.int64(0)


@unit
def _ask(core, warp):
    """The running lanes are done with their quads, and request new ones."""
    request, warps = core.raster_request, core.warps
    if request.held_from[warp] != warps.started[warp]:  # what is noted is an earlier warp's, which has ended
        request.holders[warp], request.held_from[warp] = EMPTY, warps.started[warp]
    request.holders[warp] &= ~warps.mask[warp]
    request.missing[warp] = warps.mask[warp]


@inlined
def execute_rest(core, warp, pc, tables, units):
    """The micro-ops of the instruction that follow, which compute with what the lanes were given."""
    first = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(first + 1, first + np.int64(tables.code[pc, COUNT])):
        units.execute(core.registers[warp], tables, k, core.warps.lanes)


@unit
def tell_quad(gpu, core, warp, pc, tables, base, lane, now):
    """Write down which quad a lane has been given."""
    registers = core.registers[warp].lane
    if gpu.log.tracing != 0 and registers[base, lane] != 0:
        triangle, stamp = np.int64(registers[base, lane]) >> 1, np.int64(registers[base + 1, lane])
        emit_quad(gpu.log, tables, now, core.number, warp, pc, lane, triangle, stamp)


@unit
def no_quads(gpu, core, warp, pc, tables, units, now):
    """Stands in for `take_quads` in a program that draws nothing."""
    return np.int64(UNSUPPORTED)


@unit
def _take_quad(gpu, core, warp, tables, base, lane):
    """One lane's quad, from the core's own engine, or from another if that has none left. Returns which, or -1 and a fault."""
    own = core.number // gpu.raster_share
    registers = core.registers[warp].lane
    for turn in range(gpu.raster_count):
        number = (own + turn) % gpu.raster_count
        unit = gpu.rasters[number]
        if find_buffers(core, tables, unit.engine) and next_stamp(unit.engine, unit.raster, tables.memory, unit.edges):
            engine = unit.engine
            write_place(registers, base, lane, np.int64(engine.triangle), np.int64(engine.x), np.int64(engine.y), np.int64(engine.mask))
            for place in range(VALUES):
                registers[base + 2 + place, lane] = np.uint32(value_at(unit, place) & 0xFFFFFFFF)
            return np.int64(number)
        if unit.engine.fault != 0:
            core.access.fault, core.access.lane = UNMAPPED, lane
            core.access.value, core.access.limit = unit.engine.fault_address & 0xFFFFFFFF, 0
            return np.int64(-1)
    write_nothing(registers, base, lane)
    return np.int64(own)


@inlined
def value_at(unit, place):
    """The value of an edge at a pixel of the quad that was found last, in the order in which a lane has them. unit: a raster unit."""
    pixel = place % PIXELS
    return edge_value(unit.raster, unit.edges, 0, place // PIXELS, unit.engine.x + (pixel & 1), unit.engine.y + (pixel >> 1))


@inlined
def write_place(registers, base, lane, triangle, x, y, mask):
    """A quad's triangle, its place and its covered pixels, into a lane's registers."""
    registers[base, lane] = np.uint32(triangle << 1 & 0xFFFFFFFF | 1)
    registers[base + 1, lane] = np.uint32(((x >> 1) << COLUMN_SHIFT | (y >> 1) << ROW_SHIFT | mask) & 0xFFFFFFFF)


@inlined
def write_nothing(registers, base, lane):
    """No quads are left."""
    for place in range(QUAD_REGISTERS):
        registers[base + place, lane] = np.uint32(0)


@unit
def find_buffers(core, tables, engine):
    """Find out where the buffers of an engine lie, if that is not known yet. False if it has nothing to draw."""
    if engine.tile_count == 0:
        return False
    if engine.tile_end == 0:
        move, begin_at, end_at = memory_around(core, tables, np.int64(engine.tiles))
        engine.tile_move, engine.tile_begin, engine.tile_end = move, begin_at, end_at
        move, begin_at, end_at = memory_around(core, tables, np.int64(engine.primitives))
        engine.primitive_move, engine.primitive_begin, engine.primitive_end = move, begin_at, end_at
        begin(engine)
    return True


@inlined
def raster_accepts(port, core, now):
    """Whether the core's last request is answered, or the engine keeps one of each warp."""
    return core.raster_request.queued != 0 or core.raster_request.waiting == EMPTY


@inlined
def next_free_raster(port, core, now):
    """The next cycle, if it accepts; else FOREVER."""
    return np.int64(now + 1 if raster_accepts(port, core, now) else FOREVER)


def set_up_raster_request(core: Any, config: Any, program: Any) -> None:
    """Who hands the quads out."""
    core.raster_request.queued = int(queues(config))


def queues(config: Any) -> bool:
    """Whether a machine's raster engines keep quads in a queue before they hand them out."""
    return bool(config.raster.cores and (config.raster.interlock or config.raster.early_depth))
