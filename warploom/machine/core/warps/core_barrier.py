"""Barriers across cores: all warps of some cores wait for each other.

In hardware: a bit a core for each barrier, in a table beside the caches that the cores share. A core reports when all of its warps that run
have come, and the table lets the cores continue when enough of them have reported. A warp that ends after that is not noticed: its core
waits for it. Source: Tine et al., MICRO 2021, section 4.1.3; github.com/vortexgpgpu/vortex (2024-08), whose barrier has it in the number's
highest bit.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.warps.barrier import MAX_BARRIERS, wake
from warploom.machine.core.warps.warp_table import wake_core
from warploom.machine.engine.bits import EMPTY, bit, has, popcount
from warploom.machine.engine.unit import out_of_line, record, unit

CoreBarriers = record(
    state=dict(
        cores=("u8", MAX_BARRIERS),      # [barrier] cores of which all warps have come: bit c = core c
        opening="u8",                    # cores that go on at the end of this cycle
    ),
)  # fmt: skip


@unit
def arrive_with_core(gpu, core, warp, number, expected):
    """A warp comes to barrier `number` across cores. Its core's other warps may be at a different one: the last to arrive decides which."""
    core.barriers.at_grid = core.barriers.at_grid | bit(warp)
    core.warps.at_barrier = core.warps.at_barrier | bit(warp)
    if core.blocks.alive[core.warps.block[warp]] & ~core.barriers.at_grid != EMPTY:
        return
    gpu.core_barriers.cores[number] |= bit(core.number)
    if popcount(gpu.core_barriers.cores[number]) >= expected:
        gpu.core_barriers.opening = gpu.core_barriers.opening | gpu.core_barriers.cores[number]
        gpu.core_barriers.cores[number] = EMPTY


@out_of_line
def open_core_barriers(gpu, cores, now):
    """The cores that have waited for each other continue."""
    opening = gpu.core_barriers.opening
    gpu.core_barriers.opening = EMPTY
    at = now + 1 + gpu.grid.barrier_latency
    for number in range(gpu.cores):
        if has(opening, number):
            core = cores[number]
            freed = core.barriers.at_grid
            core.barriers.at_grid = EMPTY
            wake(gpu, core, freed, np.int64(at), now)
            wake_core(gpu, core, np.int64(at), now)
