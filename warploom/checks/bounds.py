"""Bounds: an index outside of its axis, although the address lies in the array.

The machine knows where an array begins and ends, and stops a kernel that leaves it. An index of 70 in an axis of 64 finds the next row
instead: the access there is in no order to those of that row's own threads, which is not a second mistake. So a kernel that is checked asks
before each access, in micro-ops that no machine executes: `note` with a negative number, which carries the index and the extent of an
axis, a mask, or whether a variable has a value or a divisor is not 0.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.checks.shadow import A_VALUE, B_VALUE, BOUNDS, OUTSIDE, OUTSIDE_AT, OUTSIDE_MET, VARIABLE, find, same_place
from warploom.checks.shadow import DIVISOR as BY_ZERO
from warploom.isa.uop import A, B, C
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, has, lowest, rest
from warploom.machine.engine.unit import out_of_line, unit

INDEX, LANES, VALUE, DIVISOR = range(4)  # what a micro-op asks
QUESTIONS = 4  # its number is -1 - what - QUESTIONS * the place of its text among the kernel's questions


class Indexed(NamedTuple):
    """What the question whether an index lies inside its axis is about. text: the index as the source has it, "" where that is too long.

    dynamic: the array lies in the shared memory that the launch gives. bound: how a kernel writes how many elements the axis has, "" where
    it cannot, or where the number is in its text.
    """

    array: str
    axis: int = 0
    axes: int = 1
    text: str = ""
    dynamic: bool = False
    bound: str = ""


@out_of_line
def check_index(core, warp, pc, part, tables, k, first, now):
    """Each lane's index, in sources A (low word) and B (high word), counts from the start or the end of an axis of C items."""
    registers = core.registers[warp]
    lanes = core.warps.lanes
    low = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    high = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
    extents = registers.lane[source(registers, tables.uops, k, C, 2, lanes)]
    outside = EMPTY
    for lane in range(lanes):  # without a branch: nearly always it is not a lane
        index = (np.int64(high[lane]) << 32) | np.int64(low[lane])
        extent = np.int64(extents[lane])
        outside |= np.uint64((index >= extent) | (index < -extent)) << np.uint64(lane)
    left = outside & part
    row = tables.warps[core.number * core.warps.slots + warp]
    if left != EMPTY or row[OUTSIDE] != 0:
        _note_outside(row, pc, part, left, tables)
    while left != EMPTY:
        lane = lowest(left)
        left = rest(left)
        number = find(tables, BOUNDS, pc, -1, first + lane, -1, k, now)
        if number > 0:
            tables.findings[number, A_VALUE] = (np.int64(high[lane]) << 32) | np.int64(low[lane])
            tables.findings[number, B_VALUE] = np.int64(extents[lane])


@unit
def _note_outside(row, pc, part, outside, tables):
    """Lanes `outside` of those that ask at this place: the access that follows is theirs by mistake. row: the warp's, of `warps`."""
    if row[OUTSIDE] != 0 and not same_place(tables, np.int64(row[OUTSIDE_AT]), pc):
        row[OUTSIDE] = 0
        row[OUTSIDE_MET] = 0
    before = np.uint64(row[OUTSIDE]) & ~(np.uint64(row[OUTSIDE_MET]) & part)  # the access that they asked about is over
    row[OUTSIDE] = np.int64(before | outside)
    row[OUTSIDE_MET] = np.int64(np.uint64(row[OUTSIDE_MET]) & ~part)
    row[OUTSIDE_AT] = pc


@out_of_line
def lanes_outside(row, pc, part, tables):
    """Those of lanes `part` that access, at this instruction, what an index outside of its axis has led them to. row: as above."""
    if not same_place(tables, np.int64(row[OUTSIDE_AT]), pc):
        return EMPTY
    row[OUTSIDE_MET] = np.int64(np.uint64(row[OUTSIDE_MET]) | part)
    return np.uint64(row[OUTSIDE]) & part


@out_of_line
def check_value(core, warp, pc, part, tables, k, first, now):
    """Before a variable is read that has no value on some path: source A is 0 in the lanes that took such a path."""
    registers = core.registers[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, core.warps.lanes)]
    for lane in range(core.warps.lanes):
        if has(part, lane) and row[lane] == 0:
            find(tables, VARIABLE, pc, -1, first + lane, -1, k, now)


@out_of_line
def check_divisor(core, warp, pc, part, tables, k, first, now):
    """Before a whole number is divided: source A is 0 in the lanes whose divisor is 0."""
    registers = core.registers[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, core.warps.lanes)]
    for lane in range(core.warps.lanes):
        if has(part, lane) and row[lane] == 0:
            find(tables, BY_ZERO, pc, -1, first + lane, -1, k, now)
