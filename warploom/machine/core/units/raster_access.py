# mypy: disable-error-code="no-untyped-def"
"""A core's side of the raster engine: an instruction takes a quad for each of its lanes.

In hardware: the core hands the request of a warp to the engine that it shares with others, and has one such request at a time; the answer
fills a few registers of each lane (`isa/vortex/graphics.py`). Which quads those are is found here, at issue, in the order in which the
engine makes them (`machine/raster/engine.py`); when they are there is the engine's business (`device/raster_unit.py`).
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import COUNT, DST, FIRST_UOP, QUAD_REGISTERS
from warploom.machine.accounting.events import emit_quad
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.reasons import LONG_SCOREBOARD
from warploom.machine.core.load_store.address_space import memory_around
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.unit import FOREVER, inlined, record, unit
from warploom.machine.raster.edges import EDGES, edge_value
from warploom.machine.raster.engine import begin, next_stamp

UNMAPPED, UNSUPPORTED = FAULT_NUMBER["unmapped"], FAULT_NUMBER["unsupported"]
PIXELS = 4
ROW_SHIFT, COLUMN_SHIFT = 18, 4  # of a quad's place, above its covered pixels

RasterRequest = record(
    state=dict(
        used="i8",         # 1: a request waits
        warp="i8",
        pc="i8",
        mask="u8",         # bit l = lane l takes part
        launched="i8",     # cycle in which the warp started
        issued="i8",
        needed="i8",       # it is answered when the engine has fetched so many triangles of its tiles
        engine="i8",       # which engine it is for
        quad="i8",         # first of the registers that quads go to; 0: none was taken yet
    ),
)  # fmt: skip


@inlined
def execute_quads(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """A warp takes quads. The number of a fault, or 0; nobody knows when they are there."""
    return np.int64(units.take_quads(gpu, core, warp, pc, tables, units, now)), np.int64(FOREVER)


@unit
def take_quads(gpu, core, warp, pc, tables, units, now):
    """Each lane's next quad goes into its registers, and the request is on its way. Returns 0, or the number of a fault."""
    first = np.int64(tables.code[pc, FIRST_UOP])
    lanes = core.warps.lanes
    engine = np.int64(0)
    for lane in range(lanes):
        if core.registers[warp].active[lane] != 0:
            base = np.int64(tables.uops[first, DST])
            engine = _take_quad(gpu, core, warp, tables, base, lane)
            if engine < 0:
                return np.int64(UNMAPPED)
            if gpu.log.tracing != 0 and core.registers[warp].lane[base, lane] != 0:
                _tell(gpu, core, warp, pc, tables, base, lane, now)
    for k in range(first + 1, first + np.int64(tables.code[pc, COUNT])):
        units.execute(core.registers[warp], tables, k, lanes)
    request = core.raster_request
    request.used = 1
    request.quad = tables.uops[first, DST]
    request.warp, request.pc, request.mask = warp, pc, core.warps.mask[warp]
    request.launched, request.issued = core.warps.started[warp], now
    request.engine, request.needed = engine, gpu.rasters[engine].engine.triangles
    core.warps.pending[warp] += 1
    mark_busy(core.scoreboard, tables.code, warp, pc, core.warps.mask[warp], lanes, np.int64(FOREVER), LONG_SCOREBOARD)
    gpu.progress = now
    return np.int64(0)


@unit
def _tell(gpu, core, warp, pc, tables, base, lane, now):
    """Write down which quad a lane has been given."""
    registers = core.registers[warp].lane
    triangle, stamp = np.int64(registers[base, lane]) >> 1, np.int64(registers[base + 1, lane])
    emit_quad(gpu.log, tables, now, core.number, warp, pc, lane, triangle, stamp)


@unit
def no_quads(gpu, core, warp, pc, tables, units, now):
    """Stands in for `take_quads` in a program that draws nothing."""
    return np.int64(UNSUPPORTED)


@unit
def _take_quad(gpu, core, warp, tables, base, lane):
    """One lane's quad, from the core's own engine, or from another where that has none left. Returns which, or -1 and a fault."""
    own = core.number // gpu.raster_share
    registers = core.registers[warp].lane
    for turn in range(gpu.raster_count):
        number = (own + turn) % gpu.raster_count
        unit = gpu.rasters[number]
        if find_buffers(core, tables, unit.engine) and next_stamp(unit.engine, unit.raster, tables.memory, unit.edges):
            engine = unit.engine
            registers[base, lane] = np.uint32(engine.triangle << 1 & 0xFFFFFFFF | 1)
            place = (engine.x >> 1) << COLUMN_SHIFT | (engine.y >> 1) << ROW_SHIFT
            registers[base + 1, lane] = np.uint32((place | engine.mask) & 0xFFFFFFFF)
            for k in range(EDGES):
                for pixel in range(PIXELS):
                    x, y = engine.x + (pixel & 1), engine.y + (pixel >> 1)
                    value = edge_value(unit.raster, unit.edges, 0, k, x, y)
                    registers[base + 2 + PIXELS * k + pixel, lane] = np.uint32(value & 0xFFFFFFFF)
            return np.int64(number)
        if unit.engine.fault != 0:
            core.access.fault, core.access.lane = UNMAPPED, lane
            core.access.value, core.access.limit = unit.engine.fault_address & 0xFFFFFFFF, 0
            return np.int64(-1)
    for place in range(QUAD_REGISTERS):
        registers[base + place, lane] = np.uint32(0)
    return np.int64(own)


@unit
def find_buffers(core, tables, engine):
    """Find out where the buffers of an engine lie, if that is not known yet. False where it has nothing to draw."""
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
    """Whether the core's last request is answered."""
    return core.raster_request.used == 0


@inlined
def next_free_raster(port, core, now):
    """The next cycle, where it is; else FOREVER."""
    return np.int64(now + 1 if core.raster_request.used == 0 else FOREVER)
