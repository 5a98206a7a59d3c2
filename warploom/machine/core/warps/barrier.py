"""Barriers: the warps of a block wait for each other.

In hardware: a counter, or a bit a warp, for each barrier of each resident block. A warp that arrives stops issuing; the
last one to arrive frees all of them (CUDA `bar.sync`). A warp may also arrive without waiting, and wait later (CUDA
`bar.arrive`). A reduction counts on the way: every thread brings a bit, and all get how many are set, whether all or whether any
(PTX `barrier.red`); the barrier writes it into the threads' registers when it opens. The barriers of a core take an arrival every few
cycles, and it takes time until the warps are notified of the last one. A warp that has ended no longer counts, as on NVIDIA hardware since
Volta.

The barrier of the whole grid is a counter beside the second-level cache (AMD: the global wave sync of the GCN3 ISA; NVIDIA: a word
of memory that cooperative groups add to and poll): an arrival travels there, and the news of the last one back to all cores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import DST, NUMBER, OP
from warploom.machine.core.warps.warp_table import set_alarm, wake_core
from warploom.machine.engine.bits import EMPTY, bit, lowest, popcount, rest
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import out_of_line, record, unit

MAX_BARRIERS = 16
GRID_BARRIER = MAX_BARRIERS  # the number that lanes wait at for the barrier of the whole grid
WHOLE_WARP = MAX_BARRIERS + 1  # ... at an instruction that is for all lanes of their warp
CORE_BARRIERS = MAX_BARRIERS + 2  # + n: ... at barrier n across cores
NOBODY = -1  # in place of how many warps a barrier expects: one that arrives continues
COUNT, AND = NUMBER["barrier_count"], NUMBER["barrier_and"]

Barriers = record(
    settings=dict(
        count="i8",                                    # barriers a block
        interval="i8",                                 # cycles from one arrival to the next that the core takes; 0: no limit
        latency="i8",                                  # cycles from the last arrival until the warps continue
        reduces="i8",                                  # 1: the program has barriers with a reduction
    ),
    state=dict(                                        # [block slot, barrier]; in a mask, bit w = warp slot w
        free="i8",                                     # first cycle in which the core takes an arrival
        opens="i8",                                    # when a warp continues whose arrival was just the last one
        arrived=("u8", (MAX_WARPS, MAX_BARRIERS)),     # warps that have arrived
        waiting=("u8", (MAX_WARPS, MAX_BARRIERS)),     # those of them that wait
        expected=("i8", (MAX_WARPS, MAX_BARRIERS)),    # warps that must arrive; 0: all of the block that have not ended
        counted=("i8", (MAX_WARPS, MAX_BARRIERS)),     # threads that have come to a reduction,
        holding=("i8", (MAX_WARPS, MAX_BARRIERS)),     # ... and in how many of them its condition holds
        reduction=("i4", (MAX_WARPS, MAX_LANES)),      # [warp slot, lane] the micro-op of the reduction that it waits at + 1; 0: none
        at_grid="u8",                                  # warp slots that wait at the barrier of the grid
    ),
)  # fmt: skip


def configure(barriers: Any, section: Any, reduces: bool) -> None:
    """Set up an all-zero `Barriers` through its mirror. section: `core` of a configuration; reduces: the program
    has barriers with a reduction."""
    barriers.count = min(section.barriers or max(section.warps // 2, 1), MAX_BARRIERS)
    barriers.interval, barriers.latency, barriers.reduces = section.barrier_interval, section.barrier_latency, int(reduces)


@unit
def arrive(barriers, block, number, warp, wait, expected, alive):
    """Warp slot `warp` arrives. Returns the mask of warps that this frees (it may hold `warp` itself).

    wait: 0 when the warp does not wait. expected: warps that must arrive, or 0 for all in `alive`, the
    block's warp slots that have not ended.
    """
    barriers.arrived[block, number] |= bit(warp)
    barriers.expected[block, number] = expected
    if wait != 0:
        barriers.waiting[block, number] |= bit(warp)
    return release(barriers, block, number, alive)


@unit
def release(barriers, block, number, alive):
    """Open the barrier if enough have arrived; returns the mask of warps that this frees."""
    arrived = barriers.arrived[block, number]
    expected = barriers.expected[block, number]
    missing = expected - popcount(arrived) if expected != 0 else popcount(alive & ~arrived)
    if arrived == EMPTY or missing > 0:
        return EMPTY
    freed = barriers.waiting[block, number]
    barriers.arrived[block, number] = EMPTY
    barriers.waiting[block, number] = EMPTY
    return freed


@unit
def reset(barriers, block):
    """A block takes the slot: its barriers are empty."""
    for number in range(MAX_BARRIERS):
        barriers.arrived[block, number] = EMPTY
        barriers.waiting[block, number] = EMPTY


@unit
def vote(barriers, block, number, warp, k, part, holds):
    """Lanes `part` of a warp slot come to a reduction, micro-op `k`; in the lanes `holds` its condition holds."""
    barriers.counted[block, number] += popcount(part)
    barriers.holding[block, number] += popcount(part & holds)
    left = part
    while left != EMPTY:
        barriers.reduction[warp, lowest(left)] = k + 1
        left = rest(left)


@out_of_line
def deliver(core, tables, block, number, freed):
    """A barrier has opened: threads of the warps that it frees get the result of their reduction."""
    barriers = core.barriers
    counted = np.int64(barriers.counted[block, number])
    holding = np.int64(barriers.holding[block, number])
    barriers.counted[block, number] = 0
    barriers.holding[block, number] = 0
    while freed != EMPTY:
        warp = lowest(freed)
        freed = rest(freed)
        for lane in range(core.warps.lanes):
            k = np.int64(barriers.reduction[warp, lane]) - 1
            if k >= 0:
                barriers.reduction[warp, lane] = 0
                op = tables.uops[k, OP]
                value = holding if op == COUNT else np.int64(holding == counted) if op == AND else np.int64(holding > 0)
                if tables.uops[k, DST] >= 0:
                    core.registers[warp].lane[tables.uops[k, DST], lane] = np.uint32(value)


@out_of_line
def open_grid_barrier(gpu, cores, now):
    """All warps of the grid have reached its barrier: they continue."""
    gpu.grid.waiting = 0
    at = now + 1 + gpu.grid.barrier_latency
    for number in range(gpu.cores):
        core = cores[number]
        freed = core.barriers.at_grid
        core.barriers.at_grid = EMPTY
        if freed != EMPTY:
            wake(gpu, core, freed, at, now)
            wake_core(gpu, core, at, now)


@unit
def take(barriers, now):
    """An arrival at the core's barriers. Returns the cycle in which the warps continue if it is the last one."""
    taken = max(np.int64(barriers.free), np.int64(now)) + barriers.interval
    barriers.free = taken
    return max(np.int64(taken + barriers.latency), np.int64(now + 1))


@unit
def wake(gpu, core, freed, at, now):
    """A barrier has opened: the warps that waited there are examined in cycle `at`."""
    warps = core.warps
    if freed != EMPTY:
        gpu.progress = now
    warps.at_barrier = warps.at_barrier & ~freed
    while freed != EMPTY:
        warp = lowest(freed)
        freed = rest(freed)
        set_alarm(warps, warp, at, now)


@unit
def leave_barriers(gpu, core, block, tables, now):
    """A warp of a block has ended: barriers that waited only for it open."""
    for number in range(core.barriers.count):
        freed = release(core.barriers, block, number, core.blocks.alive[block])
        if core.barriers.reduces != 0 and freed != EMPTY:
            deliver(core, tables, block, np.int64(number), freed)
        wake(gpu, core, freed, now + 1 + core.barriers.latency, now)
