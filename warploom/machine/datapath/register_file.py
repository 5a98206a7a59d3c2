"""Register file: what one warp keeps.

In hardware: a bank of SRAM. Row r holds register r of every lane side by side, so one access reads a whole operand
of a warp; a row of 32 lanes is 128 bytes. A core's register file is its largest memory (256 KiB on an
NVIDIA multiprocessor), and how much of it a thread takes decides how many warps fit.

Here: one record per warp. `lane[r, l]` is register r of lane l. Scalar registers, as AMD GCN has them, hold one
value a warp. Special registers hold what the hardware knows without being told by a program.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import IMM, IMMEDIATE, REGISTERS, SCALAR, SCALARS, SPECIALS
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import inlined, record, unit

READ_PORTS = 3
ROWS = REGISTERS + READ_PORTS  # of a warp that has all registers


def registers_of(rows: int | str) -> np.dtype:
    """The record of a warp's registers, in so many rows of lanes; in those of the room of that name."""
    return record(
        rooms={"rows": ROWS},
        inputs=dict(
            active=("u4", MAX_LANES),          # by lane: 0xffffffff where it executes the current micro-op, else 0
            special=("u4", len(SPECIALS)),     # by special register; of lane, thread and global_thread: lane 0's value
        ),
        state=dict(
            lane=("u4", (rows, MAX_LANES)),    # row r = register r of every lane; the last rows: one for each read port
            scalar=("u4", SCALARS),            # by scalar register
            predicated=("u4", MAX_LANES),      # by lane, of a micro-op with a predicate: `active` where the predicate lets it, else 0
            result=("u4", MAX_LANES),          # by lane: what the execution unit puts out, before the mask lets it into a register
            wide=("u8", (4, MAX_LANES)),       # by lane, of 64 bits: sources A, B and C, and the result
        ),
    )  # fmt: skip


WarpRegisters = registers_of("rows")


@inlined
def expand(mask, active, lanes):
    """Spread a 64-bit lane mask over `active`: all ones in an active lane, all zeros in one that is not."""
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
    place = port_row(registers, port)
    row = registers.lane[place]
    for lane in range(lanes):
        row[lane] = value
    return place


@inlined
def port_row(registers, port):
    """The row of `registers.lane` that belongs to a read port."""
    return np.int64(registers.lane.shape[0] - READ_PORTS + port)
