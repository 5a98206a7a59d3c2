# mypy: disable-error-code="no-untyped-def"
"""A core's side of the ray unit: instructions that start rays, wait for them, and decide about candidates.

In hardware: the core has a number of slots in the unit that it shares with others, each for the rays of one warp. A trace takes a slot and
gives its number as a handle; if none is free, the warp waits at issue. The wait stops whoever reads the answers, not the warp; when all
rays of the slot stand still, the answers go into registers. The slot is free again when all of its rays have ended and were waited for.
What a ray hits is found while it walks (`device/ray_unit.py`), step after step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import COUNT, DST, FIRST_UOP, IMM, NUMBER, OP, A, B, C
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.reasons import LONG_SCOREBOARD
from warploom.machine.core.load_store.address_space import memory_around
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.warp_table import wake_core
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, bit, lowest
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit
from warploom.machine.rays.context import keep, take_up
from warploom.machine.rays.leaf import resume
from warploom.machine.rays.ray import AXES, prepare
from warploom.machine.rays.walk import CANDIDATE, TREE, begin

UNSUPPORTED = FAULT_NUMBER["unsupported"]
RAY = 8  # registers of a ray
FLAGS, MASK_SHIFT = 0xFFFF, 16
SCENE_LANE, FLAGS_LANE = 1, 3  # of what is the warp's
AWAIT = NUMBER["await_ray"]
NO_SLOT = -1
ISSUE_LATENCY = 4  # cycles until the handle can be used

RayPort = record(
    settings=dict(
        slots="i8",                    # how many it has
    ),
    state=dict(
        free="u8",                     # bit s = its slot s is free
        waiting="u8",                  # bit w = warp w waits for an answer
        slot=("i8", MAX_WARPS),        # by warp: slot that it waits for, or has waited for last; NO_SLOT
        pc=("i8", MAX_WARPS),          # by warp: the instruction that waits
        mask=("u8", MAX_WARPS),        # by warp: its lanes
        launched=("i8", MAX_WARPS),    # by warp: cycle in which it started
    ),
)  # fmt: skip


@inlined
def first_slot(gpu, core):
    """The first of a core's slots in its unit."""
    return core.number % gpu.ray_share * core.ray_port.slots


@inlined
def execute_rays(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """A warp starts rays. The number of a fault, or 0, and when the handle is there."""
    return np.int64(units.start_rays(gpu, core, warp, pc, tables, units, now)), np.int64(now + ISSUE_LATENCY)


@inlined
def execute_answers(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """A warp waits for its rays, or decides about candidates. The number of a fault, or 0, and when the result is there."""
    waits = tables.uops[np.int64(tables.code[pc, FIRST_UOP]), OP] == AWAIT
    ready = np.int64(FOREVER) if waits else np.int64(now + 1)
    return np.int64(units.answer_rays(gpu, core, warp, pc, tables, units, now)), ready


@unit
def start_rays(gpu, core, warp, pc, tables, units, now):
    """The lanes' rays take a slot and begin their walks. Returns 0."""
    last = np.int64(tables.code[pc, FIRST_UOP]) + np.int64(tables.code[pc, COUNT]) - 1
    registers, lanes, own = core.registers[warp], core.warps.lanes, core.ray_port
    for k in range(np.int64(tables.code[pc, FIRST_UOP]), last):
        units.execute(registers, tables, k, lanes)
    one = gpu.rays[core.number // gpu.ray_share]
    index = lowest(own.free)
    own.free = np.uint64(own.free & ~bit(index))
    slot = first_slot(gpu, core) + index
    first, of_warp = np.int64(tables.uops[last, A]), np.int64(tables.uops[last, IMM])
    scene = registers.lane[source(registers, tables.uops, last, B, 1, lanes)]
    flags = registers.lane[source(registers, tables.uops, last, C, 2, lanes)]
    one.core[slot], one.warp[slot] = core.number, warp
    one.lanes[slot], one.asking[slot], one.loaded[slot] = EMPTY, EMPTY, EMPTY
    for lane in range(lanes):
        if registers.active[lane] != 0:
            word = np.int64(flags[min(FLAGS_LANE, lanes - 1) if of_warp != 0 else lane])
            base = np.int64(scene[min(SCENE_LANE, lanes - 1) if of_warp != 0 else lane])
            _start(core, one, registers.lane, tables, slot, lane, first, base, word, lanes, now)
            registers.lane[np.int64(tables.uops[last, DST]), lane] = np.uint32(index + 1)
    one.wake = min(np.int64(one.wake), np.int64(now + one.latency))
    if one.walking == 0:
        one.since = now
    one.walking = one.walking + 1
    gpu.progress = now
    return np.int64(0)


@unit
def _start(core, one, rows, tables, slot, lane, first, base, word, lanes, now):
    """The walk of one lane's ray."""
    walk = one.walk
    for axis in range(AXES):
        walk.world.origin[axis] = rows[first + axis].view(np.float32)[lane]
        walk.world.direction[axis] = rows[first + AXES + axis].view(np.float32)[lane]
    walk.world.tmin, walk.world.tmax = rows[first + 6].view(np.float32)[lane], rows[first + 7].view(np.float32)[lane]
    walk.base, walk.flags, walk.mask = base, word & FLAGS, word >> MASK_SHIFT
    prepare(walk.world)
    begin(walk)
    move, begin_at, end_at = memory_around(core, tables, base)
    walk.move, walk.begin, walk.end = move, begin_at, end_at
    one.lanes[slot] = np.uint64(one.lanes[slot] | bit(lane))
    if walk.state <= TREE:
        one.asking[slot] = np.uint64(one.asking[slot] | bit(lane))
    one.asked[slot, lane], one.waiting[slot, lane], one.ready[slot, lane] = 0, EMPTY, now + one.latency
    one.rays = one.rays + 1
    keep(walk, one.contexts, slot * lanes + lane)


@unit
def answer_rays(gpu, core, warp, pc, tables, units, now):
    """A warp waits for a handle, or decides about candidates of the one that it has waited for last. Returns 0, or a fault."""
    k = np.int64(tables.code[pc, FIRST_UOP])
    registers, lanes, own = core.registers[warp], core.warps.lanes, core.ray_port
    one = gpu.rays[core.number // gpu.ray_share]
    if tables.uops[k, OP] == AWAIT:
        handles = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
        handle = np.int64(handles[lowest(core.warps.mask[warp])])
        own.slot[warp] = _slot_of(gpu, core, one, handle, warp)
        own.pc[warp], own.mask[warp], own.launched[warp] = pc, core.warps.mask[warp], core.warps.started[warp]
        own.waiting = np.uint64(own.waiting | bit(warp))
        core.warps.pending[warp] += 1
        mark_busy(core.scoreboard, tables.code, warp, pc, core.warps.mask[warp], lanes, np.int64(FOREVER), LONG_SCOREBOARD)
    elif own.slot[warp] != NO_SLOT:
        actions = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
        places = registers.lane[source(registers, tables.uops, k, B, 1, lanes)].view(np.float32)
        for lane in range(lanes):
            if registers.active[lane] != 0:
                _decide(one, own.slot[warp], lane, lanes, np.int64(actions[lane]), places[lane], now)
    one.wake = min(np.int64(one.wake), np.int64(now + 1))
    gpu.progress = now
    return np.int64(0)


@unit
def _slot_of(gpu, core, one, handle, warp):
    """The slot of a handle; NO_SLOT for one that this warp does not have."""
    own = core.ray_port
    if handle < 1 or handle > own.slots or own.free & bit(handle - 1) != EMPTY:
        return np.int64(NO_SLOT)
    slot = first_slot(gpu, core) + handle - 1
    return np.int64(slot if one.warp[slot] == warp else NO_SLOT)


@unit
def _decide(one, slot, lane, lanes, action, t, now):
    """A program's decision about one lane's candidate; without a candidate nothing happens."""
    if one.lanes[slot] & bit(lane) == EMPTY:
        return
    walk = one.walk
    take_up(walk, one.contexts, slot * lanes + lane)
    if walk.state == CANDIDATE:
        resume(walk, action, t)
        keep(walk, one.contexts, slot * lanes + lane)
        if walk.state == TREE:
            one.asking[slot] = np.uint64(one.asking[slot] | bit(lane))
            one.asked[slot, lane], one.ready[slot, lane] = 0, now + one.latency


@unit
def no_rays(gpu, core, warp, pc, tables, units, now):
    """Stands in for `start_rays` and `answer_rays` in a program that traces none."""
    return np.int64(UNSUPPORTED)


@inlined
def rays_accept(port, core, now):
    """Whether a slot of the core is free."""
    return core.ray_port.free != EMPTY


@inlined
def next_free_rays(port, core, now):
    """The next cycle, if one is; else FOREVER."""
    return np.int64(now + 1 if core.ray_port.free != EMPTY else FOREVER)


@inlined
def free_slot(gpu, core, slot, now):
    """A slot of a core is free again."""
    core.ray_port.free = np.uint64(core.ray_port.free | bit(slot - first_slot(gpu, core)))
    wake_core(gpu, core, np.int64(now + 1), now)


def set_up_ray_port(core: Any, config: Any, program: Any) -> None:
    """A core's slots."""
    core.ray_port.slots = config.rays.warps if config.rays.cores else 0
    core.ray_port.free = (1 << int(core.ray_port.slots)) - 1
    core.ray_port.slot[:] = NO_SLOT
