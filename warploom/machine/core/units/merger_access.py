# mypy: disable-error-code="no-untyped-def"
"""A core's side of the output merger: an instruction hands it a fragment of each lane.

In hardware: the core keeps the fragments of one instruction until the merger, which it shares with others, has room for them; the warp
continues. What becomes of each pixel is computed here, at issue, fragment after fragment in the order of lanes
(`machine/merger/fragment.py`); what the merger reads and writes for it, and when, is in `device/merger_unit.py`.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import FIRST_UOP, A, B, C
from warploom.machine.accounting.events import DRAWN, FAILED_DEPTH, FAILED_STENCIL, emit_color, emit_depth, emit_fragment
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.load_store.address_space import place_of
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit
from warploom.machine.merger.depth_stencil import FARTHEST, PASSED, depth_stencil_test, passes_stencil
from warploom.machine.merger.fragment import WORD, reads_color, reads_depth_stencil, written_color

UNMAPPED, UNSUPPORTED, MISALIGNED = FAULT_NUMBER["unmapped"], FAULT_NUMBER["unsupported"], FAULT_NUMBER["misaligned"]
READS_COLOR, READS_DEPTH, WRITES_COLOR, WRITES_DEPTH = 1, 2, 4, 8  # what the merger has to do for a fragment
COORDINATE = 0x7FFF
LAST = 1 << 12  # pixels of which the triangle is kept that has changed them last

MergerRequest = record(
    state=dict(
        used="i8",                         # 1: fragments wait
        issued="i8",
        warp="i8",
        pc="i8",
        count="i8",                        # fragments
        does=("i8", MAX_LANES),            # by fragment: READS_COLOR ...
        color=("i8", MAX_LANES),           # by fragment: address of its pixel's colour
        depth=("i8", MAX_LANES),           # ... of its depth and stencil
        left=("i8", MAX_WARPS),            # by warp: instructions whose fragments are not all written yet
    ),
)  # fmt: skip


@inlined
def execute_fragments(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """A warp hands over fragments. The number of a fault, or 0; nothing waits for what becomes of them."""
    return np.int64(units.merge_fragments(gpu, core, warp, pc, tables, units, now)), np.int64(now + 1)


@unit
def merge_fragments(gpu, core, warp, pc, tables, units, now):
    """The lanes' fragments change their pixels, and are sent to the merger. Returns 0, or the number of a fault."""
    k = np.int64(tables.code[pc, FIRST_UOP])
    registers, lanes = core.registers[warp], core.warps.lanes
    places = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    colors = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
    depths = registers.lane[source(registers, tables.uops, k, C, 2, lanes)]
    request = core.merger_request
    request.count = 0
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    for lane in range(lanes):
        if registers.active[lane] != 0:
            where, color, depth = np.int64(places[lane]), np.int64(colors[lane]), np.int64(depths[lane])
            fault = _merge(gpu, core, registers, warp, pc, tables, lane, where, color, depth, now)
            if fault != 0:
                return fault
    request.used = 1
    request.issued, request.warp, request.pc = now, warp, pc
    request.left[warp] += 1
    gpu.progress = now
    return np.int64(0)


@unit
def no_fragments(gpu, core, warp, pc, tables, units, now):
    """Stands in for `merge_fragments` in a program that draws nothing."""
    return np.int64(UNSUPPORTED)


@unit
def _merge(gpu, core, registers, warp, pc, tables, lane, where, color, depth, now):
    """One fragment changes its pixel; what the merger does for that is noted in the request. Returns 0, or the number of a fault."""
    state, target, request = gpu.merging, gpu.target, core.merger_request
    face = where & 1
    color_at, depth_at = color_address(target, where), depth_address(target, where)
    memory = tables.memory
    does, passed = np.int64(0), True
    stored, tested, before, after = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    gpu.fragments = gpu.fragments + 1
    if reads_depth_stencil(state, face):
        place = place_of(core, tables, depth_at, np.int64(4))
        if place < 0 or depth_at & 3 != 0:
            return _refuse(core, lane, depth_at, place)
        stored = np.int64(memory[place >> 2])
        tested = depth_stencil_test(state, face, stored, depth)
        memory[place >> 2] = np.uint32(tested & WORD)
        passed = tested & PASSED != 0
        does = does | READS_DEPTH | (WRITES_DEPTH if tested & WORD != stored else 0)
    if not passed:
        gpu.killed_late = gpu.killed_late + 1
    if state.color_write != 0:
        place = place_of(core, tables, color_at, np.int64(4))
        if place < 0 or color_at & 3 != 0:
            return _refuse(core, lane, color_at, place)
        if reads_color(state):
            does = does | READS_COLOR
        if passed:
            before = np.int64(memory[place >> 2])
            after = np.int64(written_color(state, color, before))
            memory[place >> 2] = np.uint32(after)
            does = does | WRITES_COLOR
            if core.raster_request.quad != 0:
                _note_order(gpu, color_at, np.int64(registers.lane[core.raster_request.quad, lane]) >> 1)
    request.does[request.count] = does
    request.color[request.count] = color_at
    request.depth[request.count] = depth_at
    request.count = request.count + 1
    if gpu.log.tracing != 0:
        fate = np.int64(DRAWN if passed else FAILED_DEPTH if passes_stencil(state, face, stored) else FAILED_STENCIL)
        emit_fragment(gpu.log, tables, now, core.number, warp, pc, lane, (where >> 16) << 16 | (where >> 1 & COORDINATE), fate)
        if does & READS_DEPTH != 0:
            emit_depth(gpu.log, tables, now, core.number, warp, pc, depth & FARTHEST, stored, tested & WORD)
        if does & WRITES_COLOR != 0:
            emit_color(gpu.log, tables, now, core.number, warp, pc, color & WORD, before, after)
    return np.int64(0)


@inlined
def color_address(target, where):
    """Where the colour of a fragment's pixel lies. where: as the instruction says it, y << 16 | x << 1 | face."""
    return target.color + (where >> 16) * target.color_pitch + 4 * (where >> 1 & COORDINATE)


@inlined
def depth_address(target, where):
    """... and its depth and stencil."""
    return target.depth + (where >> 16) * target.depth_pitch + 4 * (where >> 1 & COORDINATE)


@inlined
def _note_order(gpu, pixel, triangle):
    """A fragment of a triangle has changed a pixel: whether one of a later triangle has done so before."""
    place = (pixel >> 2 ^ pixel >> 14) & (LAST - 1)
    if gpu.last_pixel[place] == pixel and gpu.last_triangle[place] > triangle:
        gpu.out_of_order = gpu.out_of_order + 1
    else:
        gpu.last_pixel[place], gpu.last_triangle[place] = pixel, triangle


@unit
def _refuse(core, lane, address, place):
    """A fragment's pixel has no memory, or lies across words."""
    kind = UNMAPPED if place < 0 else MISALIGNED
    core.access.fault, core.access.lane, core.access.value, core.access.limit = kind, lane, address & 0xFFFFFFFF, 0 if place < 0 else 4
    return np.int64(kind)


@inlined
def merger_accepts(port, core, now):
    """Whether the merger has taken the core's last fragments."""
    return core.merger_request.used == 0


@inlined
def next_free_merger(port, core, now):
    """The next cycle, if it has; else FOREVER."""
    return np.int64(now + 1 if core.merger_request.used == 0 else FOREVER)
