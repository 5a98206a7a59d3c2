# mypy: disable-error-code="no-untyped-def"
"""Ray unit: walks rays of several warps through trees of boxes, a step a cycle.

In hardware (after Vortex of 2026, one unit for some cores): the context of every ray lies in a RAM. A ray whose next node or leaf is known
asks the unit's own cache for it, a sector a cycle; one whose bytes are there is taken up in turn, and makes a step: all boxes of a node
are tested side by side, or a triangle. Box and triangle tests are pipelines; the ray goes on when its result is there, others meanwhile.
When all rays of a warp's slot stand still, its answers go back to the core that waits for them.

The steps themselves are `machine/rays/walk.py`: what is hit, and what is visited for it, does not depend on time. Sources: Vortex, commit
00ea949, docs/designs/ray_tracing_unit.md (contexts, short stack of 16, cache of 8 KiB); one step a cycle and the latencies are a model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import DST, FIRST_UOP
from warploom.machine.accounting.reasons import LONG_SCOREBOARD
from warploom.machine.config.schema import Config
from warploom.machine.core.load_store.completion import wake_waiting_warp
from warploom.machine.core.units.ray_access import NO_SLOT, free_slot
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.core.warps.warp_table import wake_core
from warploom.machine.engine.bits import EMPTY, bit, lowest, popcount, rest
from warploom.machine.engine.sizes import MAX_LANES, MAX_MERGERS, MAX_RASTERS, MAX_RAY_SLOTS, MAX_RAY_UNITS
from warploom.machine.engine.unit import FOREVER, inlined, record, take_settings, unit
from warploom.machine.memory import client as clients
from warploom.machine.memory.client import FOUND, REFUSED, read, take_answers
from warploom.machine.rays.context import AT, BASE, BYTES, STATE, Contexts, keep, take_up
from warploom.machine.rays.layout import TRIANGLE_LEAF
from warploom.machine.rays.leaf import step
from warploom.machine.rays.ray import AXES
from warploom.machine.rays.walk import CANDIDATE, FAULT, TREE, Walk

FIRST_CLIENT = MAX_RASTERS + MAX_MERGERS
HIT, MISS, ANY_HIT, PROCEDURAL, DAMAGED = 0, 1, 2, 3, 128  # statuses of an answer

RayUnit = record(
    settings=dict(
        first_core="i8",                                  # of the cores that share it
        slots="i8",                                       # warps whose rays it has room for
        latency="i8",                                     # cycles from an instruction to its rays' arrival, and back
        box="i8",                                         # cycles from a node to what is visited next
        triangle="i8",                                    # ... from a triangle
        interval="i8",                                    # cycles between two triangles
        instance="i8",                                    # cycles to bring a ray into an instance's space
        lookup="i8",                                      # cycles from a request to the answer of the cache
        ports="i8",                                       # sectors that it asks its cache for in a cycle
    ),
    state=dict(
        walk=Walk,                                        # the ray that makes a step
        contexts=Contexts,                                # row slot * lanes + lane: the others
        core=("i8", MAX_RAY_SLOTS),                       # by slot: whose rays these are
        warp=("i8", MAX_RAY_SLOTS),
        lanes=("u8", MAX_RAY_SLOTS),                      # by slot: bit l = lane l has a ray
        asking=("u8", MAX_RAY_SLOTS),                     # ... has to ask for bytes
        loaded=("u8", MAX_RAY_SLOTS),                     # ... has asked for all, and makes a step when they are there
        asked=("i8", (MAX_RAY_SLOTS, MAX_LANES)),         # sectors that were asked for
        waiting=("u8", (MAX_RAY_SLOTS, MAX_LANES)),       # entries of the misses that are waited for
        ready=("i8", (MAX_RAY_SLOTS, MAX_LANES)),         # cycle from which it may ask, or make its step
        turn="i8",                                        # slot that is looked at first
        triangle_at="i8",                                 # cycle in which the next triangle may be tested
        walking="i8",                                     # slots with a ray that walks, or whose warp has not waited yet
        since="i8",                                       # cycle in which that began
        wake="i8",                                        # next cycle in which it has something to do by itself
    ),
    counters=dict(
        rays="i8",
        steps="i8",
        walkers="i8",                                     # lanes of the same warp that walk, added over all steps
        busy="i8",                                        # cycles with a slot in use
        faults="i8",                                      # rays that ended in a damaged tree
    ),
)  # fmt: skip

RAY_STATE = {"rays": (RayUnit, MAX_RAY_UNITS), "ray_count": "i8", "ray_share": "i8"}


@inlined
def step_rays(gpu, cores, tables, units, now):
    """One cycle of all ray units."""
    return np.int64(units.walk_rays(gpu, cores, tables, now) if gpu.ray_count > 0 else FOREVER)


@inlined
def next_ray_event(gpu, now):
    """The next cycle in which a unit has something to do by itself; FOREVER where all of them wait for others."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.ray_count):
        soonest = min(soonest, np.int64(gpu.rays[number].wake))
    return soonest


@unit
def walk_rays(gpu, cores, tables, now):
    """One cycle of all ray units. Returns the next one in which one has something to do by itself."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.ray_count):
        one, client = gpu.rays[number], gpu.clients[FIRST_CLIENT + number]
        answered = take_answers(client, now)
        if answered != EMPTY:
            _note_answers(one, answered)
        lanes = cores[0].warps.lanes
        if one.walking > 0:
            _step_one(one, tables, lanes, now)
            _ask(gpu, one, client, lanes, now)
        _answer(gpu, cores, one, tables, lanes, now)
        one.wake = FOREVER
        if one.walking > 0:
            _find_next(one, now)
        if one.wake <= now:
            one.wake = now + 1
        soonest = min(soonest, np.int64(one.wake))
    return soonest


@unit
def no_walks(gpu, cores, tables, now):
    """Stands in for `walk_rays` in a program that traces no rays."""
    return np.int64(FOREVER)


@unit
def _note_answers(one, answered):
    """Sectors have come."""
    for slot in range(one.slots):
        left = np.uint64(one.loaded[slot] | one.asking[slot])
        while left != EMPTY:
            lane = lowest(left)
            left = rest(left)
            one.waiting[slot, lane] = np.uint64(one.waiting[slot, lane] & ~answered)


@unit
def _step_one(one, tables, lanes, now):
    """A ray whose bytes are there makes a step."""
    for turn in range(one.slots):
        slot = (one.turn + turn) % one.slots
        left = np.uint64(one.loaded[slot])
        while left != EMPTY:
            lane = lowest(left)
            left = rest(left)
            if one.waiting[slot, lane] == EMPTY and one.ready[slot, lane] <= now:
                one.turn = (slot + 1) % one.slots
                _make_step(one, tables, slot, lane, lanes, now)
                return


@unit
def _make_step(one, tables, slot, lane, lanes, now):
    """A step of one ray: what it visits is tested, and what it visits next is known when that is done."""
    walk, row = one.walk, slot * lanes + lane
    take_up(walk, one.contexts, row)
    triangles, instances = walk.triangles, walk.instances
    step(walk, tables.memory, tables.memory.view(np.float32))
    keep(walk, one.contexts, row)
    one.steps = one.steps + 1
    one.walkers = one.walkers + popcount(np.uint64(one.asking[slot] | one.loaded[slot]))
    one.loaded[slot] = np.uint64(one.loaded[slot] & ~bit(lane))
    after = np.int64(now + one.box)
    if walk.instances != instances:
        after = now + one.instance
    elif walk.triangles != triangles:
        begins = max(np.int64(now), np.int64(one.triangle_at))
        one.triangle_at = begins + one.interval
        after = begins + one.triangle
    one.ready[slot, lane], one.asked[slot, lane] = after, 0
    if walk.state == TREE:
        one.asking[slot] = np.uint64(one.asking[slot] | bit(lane))
    elif walk.state == FAULT:
        one.faults = one.faults + 1


@unit
def _ask(gpu, one, client, lanes, now):
    """Rays ask for the bytes that they visit next: `ports` sectors in a cycle."""
    asks = np.int64(0)
    for turn in range(one.slots):
        slot = (one.turn + turn) % one.slots
        left = np.uint64(one.asking[slot])
        while left != EMPTY:
            lane = lowest(left)
            left = rest(left)
            if one.ready[slot, lane] > now:
                continue
            while asks < one.ports and one.asking[slot] & bit(lane) != EMPTY:
                if not _ask_one(gpu, one, client, slot, lane, lanes, now):
                    return
                asks += 1
            if asks >= one.ports:
                return


@unit
def _ask_one(gpu, one, client, slot, lane, lanes, now):
    """One ray asks for one sector; false where the table of misses is full."""
    kept, row = one.contexts.integers, slot * lanes + lane
    start = kept[row, BASE] + kept[row, AT]
    sector = (start >> client.sector_shift) + one.asked[slot, lane]
    entry = read(gpu, client, sector << client.sector_shift, now)
    if entry == REFUSED:
        return False
    if entry != FOUND:
        one.waiting[slot, lane] = np.uint64(one.waiting[slot, lane] | bit(entry))
    one.asked[slot, lane] = one.asked[slot, lane] + 1
    if sector >= (start + kept[row, BYTES] - 1) >> client.sector_shift:
        one.asking[slot] = np.uint64(one.asking[slot] & ~bit(lane))
        one.loaded[slot] = np.uint64(one.loaded[slot] | bit(lane))
        one.ready[slot, lane] = now + one.lookup
    return True


@unit
def _answer(gpu, cores, one, tables, lanes, now):
    """A warp whose rays all stand still has its answer, of each core one in a cycle."""
    for place in range(one.first_core, min(one.first_core + gpu.ray_share, gpu.cores)):
        core = cores[place]
        left = np.uint64(core.ray_port.waiting)
        while left != EMPTY:
            warp = lowest(left)
            left = rest(left)
            slot = np.int64(core.ray_port.slot[warp])
            if slot == NO_SLOT or not _walks(one, slot, now):
                _complete(gpu, core, one, tables, warp, slot, lanes, now)
                break


@unit
def _walks(one, slot, now):
    """Whether a ray of a slot is still walking, or its last step not done."""
    if one.asking[slot] != EMPTY or one.loaded[slot] != EMPTY:
        return True
    left = np.uint64(one.lanes[slot])
    while left != EMPTY:
        lane = lowest(left)
        left = rest(left)
        if one.ready[slot, lane] > now:
            return True
    return False


@unit
def _complete(gpu, core, one, tables, warp, slot, lanes, now):
    """The answers go into registers, and the slot is free where all rays have ended."""
    own, warps = core.ray_port, core.warps
    own.waiting = np.uint64(own.waiting & ~bit(warp))
    pc, ready = np.int64(own.pc[warp]), np.int64(now + one.latency)
    ended = True
    if own.launched[warp] == warps.started[warp]:  # else the warp has ended or was stopped, and a new one has its slot
        first = np.int64(tables.code[pc, FIRST_UOP])
        left = np.uint64(own.mask[warp])
        while left != EMPTY:
            lane = lowest(left)
            left = rest(left)
            _write_answer(core, one, warp, slot, lane, lanes, np.int64(tables.uops[first, DST]), np.int64(tables.uops[first + 1, DST]))
        mark_busy(core.scoreboard, tables.code, warp, pc, own.mask[warp], lanes, ready, LONG_SCOREBOARD)
        warps.pending[warp] -= 1
        warps.landed[warp] = max(np.int64(warps.landed[warp]), ready)
        wake_waiting_warp(gpu, core, warp, ready, now)
    if slot != NO_SLOT:
        left = np.uint64(one.lanes[slot])
        while left != EMPTY:
            lane = lowest(left)
            left = rest(left)
            ended = ended and one.contexts.integers[slot * lanes + lane, STATE] != CANDIDATE
        if ended:
            own.slot[warp] = NO_SLOT
            one.walking = one.walking - 1
            if one.walking == 0:
                one.busy = one.busy + now - one.since
            free_slot(gpu, core, slot, now)
    wake_core(gpu, core, np.int64(now + 1), now)
    gpu.progress = now


@unit
def _write_answer(core, one, warp, slot, lane, lanes, base, to):
    """What a lane's ray has found, into its registers: at `base` and after, and its status into `to`."""
    registers, walk = core.registers[warp].lane, one.walk
    status = np.int64(DAMAGED)
    if slot != NO_SLOT and one.lanes[slot] & bit(lane) != EMPTY:
        take_up(walk, one.contexts, slot * lanes + lane)
        status = _status(walk)
        candidate = walk.state == CANDIDATE
        registers[base + 1].view(np.float32)[lane] = walk.candidate_t if candidate else walk.t
        registers[base + 2].view(np.float32)[lane] = walk.candidate_u if candidate else walk.u
        registers[base + 3].view(np.float32)[lane] = walk.candidate_v if candidate else walk.v
        registers[base + 4, lane] = np.uint32((walk.first + walk.index if candidate else walk.hit_primitive) & 0xFFFFFFFF)
        registers[base + 5, lane] = np.uint32((walk.instance if candidate else walk.hit_instance) & 0xFFFFFFFF)
        registers[base + 6, lane] = np.uint32((walk.geometry if candidate else walk.hit_geometry) & 0xFFFFFFFF)
        registers[base + 7, lane] = np.uint32((walk.custom if candidate else walk.hit_custom) & 0xFFFFFFFF)
        for axis in range(AXES):
            registers[base + 8 + axis].view(np.float32)[lane] = walk.ray.origin[axis]
            registers[base + 8 + AXES + axis].view(np.float32)[lane] = walk.ray.direction[axis]
    registers[base, lane] = np.uint32(status)
    registers[to, lane] = np.uint32(status)


@unit
def _status(walk):
    """What a program is told of a walk."""
    if walk.state == FAULT:
        return np.int64(DAMAGED + walk.fault)
    if walk.state == CANDIDATE:
        return np.int64(ANY_HIT if walk.kind == TRIANGLE_LEAF else PROCEDURAL)
    return np.int64(HIT if walk.hit != 0 else MISS)


@unit
def _find_next(one, now):
    """`wake` becomes the next cycle in which a ray can ask or make a step, or has made its last."""
    for slot in range(one.slots):
        left = np.uint64(one.lanes[slot])
        while left != EMPTY:
            lane = lowest(left)
            left = rest(left)
            works = (one.asking[slot] | one.loaded[slot]) & bit(lane) != EMPTY
            if one.waiting[slot, lane] == EMPTY and (works or one.ready[slot, lane] > now):
                one.wake = min(np.int64(one.wake), max(np.int64(one.ready[slot, lane]), np.int64(now + 1)))


def set_up_rays(gpu: Any, config: Config, program: Any) -> None:
    """The ray units of a machine."""
    own = config.rays
    if not own.cores:
        return
    gpu.ray_share = min(own.cores, config.gpu.cores)
    gpu.ray_count = -(-config.gpu.cores // own.cores)
    for number in range(int(gpu.ray_count)):
        one = gpu.rays[number]
        one.wake, one.first_core, one.slots = FOREVER, number * int(gpu.ray_share), own.warps * int(gpu.ray_share)
        one.walk.stack = own.stack
        take_settings(one, RayUnit, own)
        clients.configure(
            gpu.clients[FIRST_CLIENT + number], FIRST_CLIENT + number, number * own.cores, own.bytes, own.ways, own.mshrs,
            config.l1.line, int(gpu.sector_shift),
        )  # fmt: skip
