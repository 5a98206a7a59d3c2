"""Special registers: what a thread knows without being told by a program, read as an operand.

In hardware: a few words of each warp slot, written by the dispatcher, on a path of their own to the lanes (NVIDIA's `S2R`); AMD's
dispatcher writes them into registers before the first instruction instead. Lane and thread numbers are the warp's first one, to which each
lane adds its own. Thread numbers by dimension are quotients and remainders by the block's extents; AMD's dispatcher writes them packed
into one register (LLVM, "User Guide for AMDGPU Backend", Initial Kernel Execution State). Here they are computed when asked for.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import SPECIAL_NUMBER
from warploom.machine.engine.unit import inlined, out_of_line

LANE, THREAD, GLOBAL_THREAD = SPECIAL_NUMBER["lane"], SPECIAL_NUMBER["thread"], SPECIAL_NUMBER["global_thread"]
THREAD_X, THREAD_Y, THREAD_Z = (SPECIAL_NUMBER[f"thread_{axis}"] for axis in "xyz")
BLOCK_DIM_X, BLOCK_DIM_Y = SPECIAL_NUMBER["block_dim_x"], SPECIAL_NUMBER["block_dim_y"]


@inlined
def read_special(registers, number, wide):
    """Result = a special register; lane and thread numbers count on from lane 0's."""
    result = registers.result
    if THREAD_X <= number <= THREAD_Z:
        thread_numbers(result, registers.special, number, wide)
        return
    value = np.int64(registers.special[number])
    step = np.int64(1 if number == LANE or number == THREAD or number == GLOBAL_THREAD else 0)
    for lane in range(wide):
        result[lane] = value + lane * step


@out_of_line
def thread_numbers(row, special, number, lanes):
    """`row` = the lanes' thread numbers in x, y or z, as `number` says: a special register."""
    x_extent = np.int64(special[BLOCK_DIM_X])
    y_extent = np.int64(special[BLOCK_DIM_Y])
    first = np.int64(special[THREAD])
    for lane in range(lanes):
        thread = first + lane
        if number == THREAD_X:
            row[lane] = np.uint32(thread % x_extent)
        elif number == THREAD_Y:
            row[lane] = np.uint32(thread // x_extent % y_extent)
        else:
            row[lane] = np.uint32(thread // (x_extent * y_extent))
