"""Spawning: a warp starts other warps of its core.

In hardware: a write of the scheduler's mask of active warps and of their program counters. A kernel that is started this way begins on
every core with one lane of one warp, and switches on what it needs. The registers of a warp slot keep their values. Until 2022 the mask
becomes the first `count` warps, whichever ran before: the others end, including the one that executes the instruction. From 2023 on the
instruction waits until its warp is the only one, so that one round of warps follows another. Sources: Tine et al., MICRO 2021, section
4.1.2 (wspawn); github.com/vortexgpgpu/vortex, 2022-01 and 2024-08.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import emit_launch
from warploom.machine.accounting.reasons import DISPATCH_STALL
from warploom.machine.core.divergence.mechanism import start
from warploom.machine.core.fetch.instruction_fetch import redirect
from warploom.machine.core.scheduling.scheduler import add_warp
from warploom.machine.core.warps.access_order import forget_accesses
from warploom.machine.core.warps.barrier import wake
from warploom.machine.core.warps.fence import leave_fence
from warploom.machine.core.warps.scoreboard import clear as clear_scoreboard
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.engine.bits import EMPTY, bit, has, rest
from warploom.machine.engine.sizes import MAX_CORES
from warploom.machine.engine.unit import FOREVER, out_of_line, record, unit

LANE_0 = np.uint64(1)

Spawn = record(
    state=dict(
        waiting="u8",     # the warp that waits to be alone; bit w = warp slot w
        count="i8",       # how many warps it wants, itself included
        pc="i8",          # where they begin: an instruction number
    ),
)  # fmt: skip


@unit
def spawn_warps(gpu, core, warp, count, pc, tables, now):
    """Warps 1 .. count - 1 of the core begin at `pc` with lane 0. warp: whose block they join."""
    for number in range(1, min(count, core.warps.slots)):
        _start(gpu, core, np.int64(core.warps.block[warp]), np.int64(number), pc, tables, now)
    gpu.progress = now


@unit
def stop_above(gpu, core, warp, count, now):
    """The warps of the core from `count` on are switched off where they are. warp: the one that executes the instruction, which ends it."""
    warps = core.warps
    block = np.int64(warps.block[warp])
    for number in range(count, warps.slots):
        if number != warp and has(core.blocks.alive[block], number):
            _leave_queues(warps, number)
            core.blocks.alive[block] &= ~bit(number)
            warps.threads[number] = EMPTY
            warps.mask[number] = EMPTY
            warps.active = warps.active & ~bit(number)
            warps.at_barrier = warps.at_barrier & ~bit(number)
            warps.wake[number] = FOREVER  # an alarm that has been set for it has no effect
            gpu.live = gpu.live - 1
    if warp >= count:
        start(core, warp)  # none of its lanes waits, wherever they diverged
        warps.threads[warp] = EMPTY
        warps.mask[warp] = EMPTY


@unit
def ask_to_spawn(core, warp, count, pc):
    """The warp waits until it is alone; `spawn_when_alone` continues from there. A second warp that does so takes the first one's place."""
    core.spawn.waiting = bit(warp)
    core.spawn.count = count
    core.spawn.pc = pc
    core.warps.at_barrier = core.warps.at_barrier | bit(warp)


@out_of_line
def spawn_when_alone(gpu, core, tables, now):
    """A warp has ended, or waits to be alone: if only one is left, and some warp waits to be alone, that warp's instruction is executed.

    Warp 0 then continues, whichever warp waited: only warp 0 may.
    """
    alive = core.blocks.alive[0]
    for warp in range(1, core.warps.slots):
        if core.warps.threads[warp] == EMPTY:
            alive = alive & ~bit(warp)  # this cycle's instruction has ended it
    if alive == EMPTY or rest(alive) != EMPTY:
        return
    core.spawn.waiting = EMPTY
    spawn_warps(gpu, core, np.int64(0), np.int64(core.spawn.count), np.int64(core.spawn.pc), tables, now)
    wake(gpu, core, alive & LANE_0, np.int64(now + 1), now)


@unit
def _leave_queues(warps, warp):
    """A warp no longer waits for anything that a scheduler or the fetch unit tracks."""
    warp_bit = bit(warp)
    warps.awake = warps.awake & ~warp_bit
    warps.starved = warps.starved & ~warp_bit
    warps.wake_time_known = warps.wake_time_known & ~warp_bit
    warps.waiting_memory = warps.waiting_memory & ~warp_bit
    warps.fencing = warps.fencing & ~warp_bit
    for port in range(len(warps.wants)):
        warps.wants[port] &= ~warp_bit


@unit
def _start(gpu, core, block, warp, pc, tables, now):
    """A warp slot begins at `pc` with lane 0; one that runs goes there with the lanes that it has, and lane 0."""
    warps = core.warps
    warp_bit = bit(warp)
    runs = has(core.blocks.alive[block], warp)
    _leave_queues(warps, warp)
    warps.pc[warp] = pc
    warps.mask[warp] = warps.mask[warp] | LANE_0 if runs else LANE_0
    warps.threads[warp] = warps.threads[warp] | LANE_0 if runs else LANE_0
    warps.launched[warp] = warps.launched[warp] | LANE_0 if runs else LANE_0
    warps.expanded_from[warp] = ~warps.mask[warp]
    leave_fence(core.fences, warp, warps.mask[warp])
    redirect(core.fetch, warp, pc)
    if not runs:
        core.blocks.alive[block] |= warp_bit
        if has(warps.draining, warp):
            warps.draining = warps.draining & ~warp_bit  # its last accesses are still in flight, and its registers wait for them
        else:
            warps.active = warps.active | warp_bit
            warps.started[warp] = now
            warps.landed[warp] = now
            warps.pending[warp] = 0
            warps.stores[warp] = 0
            warps.unsent[warp] = 0
            warps.visits[warp] = 0
            clear_scoreboard(core.scoreboard, warp, now)
            forget_accesses(core.access_order, warp)
            gpu.live = gpu.live + 1
        warps.block[warp] = block
        warps.rank[warp] = warp
        warps.since[warp] = now
        warps.reason[warp] = DISPATCH_STALL
        add_warp(core.schedulers[warps.scheduler[warp]], warp, now * MAX_CORES + warp)
        start(core, warp)
        if gpu.log.tracing != 0:
            emit_launch(gpu.log, tables, now, core.number, warp, pc, LANE_0, core.blocks.number[block], warp)
    if not has(warps.at_barrier, warp):
        set_alarm(warps, warp, now + 1, now)
