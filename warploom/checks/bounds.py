# mypy: disable-error-code="no-untyped-def"
"""Bounds: an index outside of its axis, although the address lies in the array.

The machine knows where an array begins and ends, and stops a kernel that leaves it. An index of 70 in an axis of 64 finds the next row
instead. So a kernel that is checked asks before each access, in micro-ops that no machine executes: `note` with a negative number, which
carries the index and the extent of an axis, or a mask.
"""

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import A_VALUE, B_VALUE, BOUNDS, find
from warploom.isa.uop import A, B, C
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, lowest, rest
from warploom.machine.engine.unit import out_of_line

INDEX, LANES = range(2)  # what a micro-op asks: its number is -1 - this - QUESTIONS * the place of its text among the kernel's questions
QUESTIONS = 2


@out_of_line
def check_index(core, warp, pc, part, tables, k, first, now):
    """Each lane's index, in sources A (low word) and B (high word), counts from the start or the end of an axis of C items."""
    registers = core.registers[warp]
    lanes = core.warps.lanes
    low = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    high = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
    extents = registers.lane[source(registers, tables.uops, k, C, 2, lanes)]
    outside = EMPTY
    for lane in range(lanes):  # without a branch: nearly always it is no lane
        index = (np.int64(high[lane]) << 32) | np.int64(low[lane])
        extent = np.int64(extents[lane])
        outside |= np.uint64((index >= extent) | (index < -extent)) << np.uint64(lane)
    left = outside & part
    while left != EMPTY:
        lane = lowest(left)
        left = rest(left)
        row = find(tables, BOUNDS, pc, -1, first + lane, -1, k, now)
        if row > 0:
            tables.findings[row, A_VALUE] = (np.int64(high[lane]) << 32) | np.int64(low[lane])
            tables.findings[row, B_VALUE] = np.int64(extents[lane])
