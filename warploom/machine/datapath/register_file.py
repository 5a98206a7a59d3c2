"""Register file: what one warp keeps.

In hardware: a bank of SRAM. Row r holds register r of every lane side by side, so one access reads a whole operand
of a warp; a row of 32 lanes is 128 bytes. A core's register file is its largest memory (256 KiB on an
NVIDIA multiprocessor), and how much of it a thread takes decides how many warps fit.

Here: one record a warp. `lane[r, l]` is register r of lane l. Scalar registers, as AMD GCN has them, hold one
value a warp. The rest is what the hardware knows without asking a register.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import IMM, IMMEDIATE, REGISTERS, SCALAR, SCALARS, SPECIALS
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import part, record, unit

WarpRegisters = record(
    lane=("u4", (REGISTERS + 3, MAX_LANES)),  # lane registers, row r = register r of every lane; then one row a read port
    scalar=("u4", SCALARS),                # scalar registers
    special=("u4", len(SPECIALS)),         # special registers; of lane, thread and global_thread: lane 0's value
    active=("u4", MAX_LANES),              # 0xffffffff in the lanes that execute the current micro-op, else 0
    chosen=("u4", MAX_LANES),              # of a micro-op with a predicate: the active lanes that it does not leave out
    result=("u4", MAX_LANES),              # what the execution unit puts out, before the mask lets it into a register
)  # fmt: skip


@part
def expand(mask, active, lanes):
    """Spread a 64-bit lane mask over `active`: all ones in an active lane, all zeros in another."""
    for lane in range(lanes):
        active[lane] = np.uint32(0) - np.uint32((mask >> np.uint64(lane)) & np.uint64(1))


@unit
def source(registers, uops, k, column, port, lanes):
    """The row of `registers.lane` that micro-op `k` has as its source in `column`; `port` is 0, 1, 2 for A, B, C.

    A scalar register or the immediate is spread over the lanes of the port's own row first. NONE gives row 0.
    """
    code = np.int64(uops[k, column])
    if 0 <= code < SCALAR:
        return code
    if code == IMMEDIATE:
        value = np.uint32(np.int64(uops[k, IMM]) & 0xFFFFFFFF)
    elif code >= SCALAR:
        value = registers.scalar[code - SCALAR]
    else:
        return np.int64(0)
    row = registers.lane[REGISTERS + port]
    for lane in range(lanes):
        row[lane] = value
    return np.int64(REGISTERS + port)
