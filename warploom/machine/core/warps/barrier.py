"""Barriers: the warps of a block wait for each other.

In hardware: a counter, or a bit a warp, for each barrier of each resident block. A warp that arrives stops issuing; the
last one to arrive frees all of them (CUDA `bar.sync`). A warp may also arrive without waiting, and wait later (CUDA
`bar.arrive`). The barriers of a core take an arrival every few cycles, and the news of the last one takes its time to the warps. A
warp that has ended no longer counts, as on NVIDIA hardware since Volta.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.engine.bits import EMPTY, bit, lowest, popcount, rest
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import record, unit

MAX_BARRIERS = 16

Barriers = record(
    settings=dict(
        count="i8",                                    # barriers a block
        interval="i8",                                 # cycles from one arrival to the next that the core takes; 0: no limit
        latency="i8",                                  # cycles from the last arrival until the warps go on
    ),
    state=dict(                                        # [block slot, barrier]; in a mask, bit w = warp slot w
        free="i8",                                     # first cycle in which the core takes an arrival
        opens="i8",                                    # when a warp goes on whose arrival was just the last one
        arrived=("u8", (MAX_WARPS, MAX_BARRIERS)),     # warps that have arrived
        waiting=("u8", (MAX_WARPS, MAX_BARRIERS)),     # those of them that wait
        expected=("i8", (MAX_WARPS, MAX_BARRIERS)),    # warps that must arrive; 0: all of the block that have not ended
    ),
)  # fmt: skip


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
def take(barriers, now):
    """An arrival comes to the core's barriers. Returns the cycle in which the warps go on if it is the last one."""
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
def leave_barriers(gpu, core, block, now):
    """A warp of a block has ended: barriers that waited only for it open."""
    for number in range(core.barriers.count):
        freed = release(core.barriers, block, number, core.blocks.alive[block])
        wake(gpu, core, freed, now + 1 + core.barriers.latency, now)
