# mypy: disable-error-code="no-untyped-def"
"""Early depth test: what is hidden already is not shaded.

In hardware: a stage in the way of the quads, after the walk and before the warps, with a cache for depths of its own. It reads the depths
of a quad's covered pixels, compares them with those that the triangle's plane gives, and takes away the pixels that must fail; a quad
without pixels leaves the queue. It writes nothing: the merger tests again, and stores.

It may do so where stored depths move in one direction only: `less`, `less-equal`, `greater`, `greater-equal`, without stencil. What fails
now fails later too, whatever is drawn in between, so no value depends on this test. And the shader must hand over the plane's depth:
the host says that in register 0x34, as in Vortex of 2026 (its eighteenth of the merger), since a program may compute one of its own.

The depths that it compares are those of the cycle in which the last of them has come; hardware may have an older one in its cache, with
which more pixels pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.core.load_store.address_space import place_of
from warploom.machine.core.units.merger_access import depth_address
from warploom.machine.core.units.raster_access import PIXELS
from warploom.machine.device.raster.quad_queue import fill_queue, leave_queue
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.sizes import MAX_MERGERS, MAX_RASTERS, MAX_RAY_UNITS
from warploom.machine.engine.unit import inlined, unit
from warploom.machine.memory import client as clients
from warploom.machine.memory.client import FOUND, REFUSED, read, take_answers
from warploom.machine.merger.compare import passes
from warploom.machine.merger.depth_stencil import tests_stencil
from warploom.machine.merger.registers import BACK, FRONT, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL

FIRST_DEPTH_CLIENT = MAX_RASTERS + MAX_MERGERS + MAX_RAY_UNITS
DEPTH = 0xFFFFFF
ALLOWED = 24  # among the registers of graphics: the host says that shaders hand over the depths of planes


@unit
def may_test(gpu):
    """Whether an early test changes no value."""
    compare = gpu.merging.depth_compare
    one_way = compare == LESS or compare == LESS_EQUAL or compare == GREATER or compare == GREATER_EQUAL
    return one_way and not tests_stencil(gpu.merging, np.int64(FRONT)) and not tests_stencil(gpu.merging, np.int64(BACK))


@unit
def test_quads(gpu, core, one, tables, number, now):
    """The quads of the queue whose triangles are there read the depths of their pixels, the oldest first, and are tested."""
    queue, client = one.quads, gpu.clients[FIRST_DEPTH_CLIENT + number]
    answered = take_answers(client, now)
    for turn in range(queue.count):
        queue.waiting[queue.order[turn]] &= ~answered
    fill_queue(core, one, tables)
    tests = may_test(gpu)
    ports, turn = np.int64(one.ports), np.int64(0)
    while turn < queue.count:
        place = np.int64(queue.order[turn])
        if queue.needed[place] > one.fetched:
            return
        if queue.tested[place] == 0:
            before = np.int64(queue.asked[place])
            if not tests or _may_be_tested(gpu, client, one, queue, place, ports, now):
                if tests:
                    _drop_pixels(gpu, core, queue, tables, place)
                queue.tested[place] = 1
                one.wake = np.int64(now + 1)
                if queue.mask[place] == 0:
                    queue.killed_quads = queue.killed_quads + 1
                    one.taken = max(np.int64(one.taken), np.int64(queue.needed[place]))
                    leave_queue(queue, turn)
                    continue
            ports = max(np.int64(0), ports - (queue.asked[place] - before))
        turn += 1


@unit
def _may_be_tested(gpu, client, one, queue, place, ports, now):
    """A quad asks for the depths of its pixels, as far as there are ports: whether all of them are there."""
    while queue.asked[place] < PIXELS and ports > 0:
        pixel = np.int64(queue.asked[place])
        if queue.mask[place] >> pixel & 1 != 0:
            found = read(gpu, client, depth_address(gpu.target, _where(queue, place, pixel)), now)
            if found == REFUSED:
                return False
            if found == FOUND:
                queue.ready[place] = max(np.int64(queue.ready[place]), now + one.lookup)
            else:
                queue.waiting[place] |= bit(found)
            ports -= 1
        queue.asked[place] += 1
    if queue.asked[place] < PIXELS:
        one.wake = np.int64(now + 1)
        return False
    if queue.waiting[place] != EMPTY:
        return False
    if queue.ready[place] > now:
        one.wake = min(np.int64(one.wake), np.int64(queue.ready[place]))
        return False
    return True


@inlined
def _where(queue, place, pixel):
    """A pixel as an instruction says it to the merger: y << 16 | x << 1."""
    return (queue.y[place] + (pixel >> 1)) << 16 | (queue.x[place] + (pixel & 1)) << 1


@unit
def _drop_pixels(gpu, core, queue, tables, place):
    """The pixels that must fail the merger's test are covered no longer."""
    for pixel in range(PIXELS):
        depth = np.int64(queue.depth[place, pixel])
        if queue.mask[place] >> pixel & 1 != 0 and depth >= 0:
            at = place_of(core, tables, depth_address(gpu.target, _where(queue, place, pixel)), np.int64(4))
            if at >= 0 and not passes(np.int64(gpu.merging.depth_compare), depth, np.int64(tables.memory[at >> 2]) & DEPTH):
                queue.mask[place] = queue.mask[place] & ~(1 << pixel)
                queue.killed = queue.killed + 1


def set_up_early_depth(gpu: Any, one: Any, number: int, config: Any, program: Any) -> None:
    """The test of one engine, where the machine has it and the host allows it."""
    own = config.raster
    one.quads.early = int(bool(own.early_depth and program.graphics and program.graphics[ALLOWED] & 1))
    if own.early_depth:
        client = FIRST_DEPTH_CLIENT + number
        clients.configure(
            gpu.clients[client], client, number * own.cores, own.depth_bytes, own.ways, own.mshrs, config.l1.line, int(gpu.sector_shift)
        )
