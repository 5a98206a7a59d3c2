"""The cores of a device: each is stepped in the cycles in which it has something to do, in the order of their numbers.

In hardware all of them run in every cycle. What they wake of each other is stepped in a later cycle, so their order changes nothing.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.config.schema import Config
from warploom.machine.core.warps.barrier import open_grid_barrier
from warploom.machine.core.warps.core_barrier import open_core_barriers
from warploom.machine.engine.bits import EMPTY, lowest, ones, rest
from warploom.machine.engine.comparators import PLACES, not_after
from warploom.machine.engine.unit import FOREVER, inlined, native_form_of


@inlined
def step_cores(gpu, cores, tables, units, now):
    """The cores that have something to do in this cycle are stepped. Returns the next cycle in which one of those has."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.cores):
        soonest = min(soonest, _step_if_due(gpu, cores, number, tables, units, now))
    return soonest


@native_form_of(step_cores)
@inlined
def step_cores_due(gpu, cores, tables, units, now):
    """A host guesses badly which cores have something to do, so the mask of them is made without a branch."""
    soonest = np.int64(FOREVER)
    if gpu.cores == 1 or gpu.every_cycle != 0:
        for number in range(gpu.cores):
            soonest = min(soonest, _step_if_due(gpu, cores, number, tables, units, now))
        return soonest
    for first in range(0, gpu.cores, PLACES):
        left = not_after(gpu.wake, np.int64(first), now) & ones(min(gpu.cores - first, PLACES))
        while left != EMPTY:
            number = first + lowest(left)
            left = rest(left)
            wake = np.int64(units.step(gpu, cores[number], tables, units, now))
            gpu.wake[number] = wake
            soonest = min(soonest, wake)
    return soonest


@inlined
def _step_if_due(gpu, cores, number, tables, units, now):
    """A core is stepped if it has something to do; where its policy runs in every cycle, as long as it has warps.

    Returns the next cycle in which it has something to do.
    """
    if gpu.wake[number] <= now or (gpu.every_cycle != 0 and cores[number].warps.active != EMPTY):
        gpu.wake[number] = units.step(gpu, cores[number], tables, units, now)
    return np.int64(gpu.wake[number])


@inlined
def next_core_event(gpu, now):
    """The next cycle in which a core has something to do; FOREVER when none ever has."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.cores):
        soonest = min(soonest, np.int64(gpu.wake[number]))
    return soonest


@inlined
def no_warp_left(gpu):
    """Whether no warp runs or drains."""
    return gpu.live == 0


@inlined
def open_barriers(gpu, cores, tables, units, now):
    """The barriers to which warps of several cores come are opened: that of the grid, and those of cores."""
    if gpu.grid.waiting != 0 and gpu.grid.waiting == gpu.live and gpu.grid.low >= gpu.grid.high:
        open_grid_barrier(gpu, cores, now)
    if gpu.core_barriers.opening != EMPTY:
        open_core_barriers(gpu, cores, now)
    return np.int64(FOREVER)


def set_up_shared_fetch(gpu: Any, config: Config, program: Any) -> None:
    """The instruction cache that all cores share."""
    gpu.shared_fetch.lines, gpu.shared_fetch.ahead = config.fetch.shared, config.fetch.ahead
