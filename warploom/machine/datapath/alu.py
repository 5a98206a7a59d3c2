"""Vector ALU: executes one micro-op in all lanes of a warp at once.

In hardware: one 32-bit datapath a lane (integer unit, floating-point unit), all driven by one decoded instruction;
that sharing of fetch and decode is what makes a GPU cheap. A lane that the execution mask leaves out computes like the
others, but its result is not written: only the write enable of the register file depends on the mask. So
it is here: operands are read, every lane computes, and the result goes into the destination where the mask lets it. How long that
takes is up to the pipes (`core/pipes.py`).

What an operation means is in `isa/uop.py`, and which part of the ALU computes it: the column `datapath`. The parts are in `integer.py`,
`floating_point.py`, `special_function.py`, `cross_lane.py`, `double_precision.py` and `rounding.py`. What holds for all operations:

* The result is kept apart until all lanes have computed, so a destination may be a source, across lanes too.
* A predicate (scalar register; a pair where a warp has more than 32 lanes) leaves lanes out, on top of the mask.
* SIZE 1 and 2 keep the result's low 8 and 16 bits; the rest becomes zero.
* A scalar destination: the operation is executed once, whatever mask and predicate say, on scalar and
  immediate sources (of a lane register: lane 0's value). Not so a ballot and an OR over lanes: their sources are lanes, and what they
  write, the ballot both halves of a pair, is never truncated. A shuffle into a scalar register reads one lane.
* Arithmetic that gives a NaN gives the quiet NaN 0x7fc00000, whatever NaNs went in (RISC-V unprivileged specification, "NaN
  Generation and Propagation"), so that hosts of every make agree; where a micro-op has the flag NVIDIA_NAN, NVIDIA's (`nvidia_nan` in
  `isa/uop.py`). Operations that pick one of their sources keep its bits.
  Subnormal numbers are kept, and rounding is to nearest, ties to even.

Sources: masked lanes, AMD GCN3 ISA (EXEC); scalar registers, the same; division by zero and saturation, RISC-V (M, F).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import (
    CROSS_LANE,
    DATAPATH,
    DOUBLE_PRECISION,
    DST,
    FLOATING_POINT,
    FUNCTION_TABLE,
    IMM,
    INTEGER,
    NONE,
    NOTE,
    NUMBER,
    OP,
    PREDICATE,
    ROUNDING,
    SCALAR,
    SIZE,
    SPECIAL_FUNCTION,
    SPECIAL_REGISTER,
    A,
    B,
    C,
)
from warploom.machine.accounting.notes import write_notes
from warploom.machine.datapath.cross_lane import (
    GET_REGISTER,
    GET_SCALAR,
    INSERT_LANE,
    LANE_BIT,
    PUT_REGISTER,
    PUT_SCALAR,
    ballot,
    indexed_register,
    lane_bit,
    match_any,
    or_lanes,
    permute,
    shuffle,
    single,
)
from warploom.machine.datapath.double_precision import double, writes_pair
from warploom.machine.datapath.floating_point import floating
from warploom.machine.datapath.function_table import look_up
from warploom.machine.datapath.integer import integer
from warploom.machine.datapath.nan_rule import nan_rule
from warploom.machine.datapath.predicate import apply_predicate
from warploom.machine.datapath.register_file import source
from warploom.machine.datapath.rounding import UINT, rounding
from warploom.machine.datapath.special_function import special
from warploom.machine.datapath.special_register import read_special
from warploom.machine.engine.unit import inlined, lanewise, out_of_line, unit

COMMON_LANES = 32  # a warp of most GPUs
BALLOT, MATCH_ANY, PERMUTE, OR_LANES = (NUMBER[name] for name in ("ballot", "match_any", "permute", "or_lanes"))


@unit
def execute(registers, tables, k, lanes):
    """Execute micro-op `k`, of the unit ALU or SPECIAL, in the lanes where `registers.active` is not zero.

    registers: WarpRegisters of one warp. uops: int32[n, UOP_COLUMNS]. lanes: lanes a warp.
    """
    scalar = tables.uops[k, DST] >= SCALAR and tables.uops[k, DATAPATH] != CROSS_LANE
    if lanes == COMMON_LANES and not scalar:
        _execute(registers, tables, k, np.int64(COMMON_LANES), np.int64(COMMON_LANES))
    else:
        _execute(registers, tables, k, lanes, np.int64(1) if scalar else lanes)


@inlined
def _execute(registers, tables, k, lanes, wide):
    """`execute` in the first `wide` lanes. Natively there is a copy for warps of COMMON_LANES, whose loops have a known length."""
    op = np.int64(tables.uops[k, OP])
    datapath = tables.uops[k, DATAPATH]
    destination = np.int64(tables.uops[k, DST])
    takes_part = registers.active
    if tables.uops[k, PREDICATE] >= SCALAR:
        apply_predicate(registers, tables.uops, k, lanes)
        takes_part = registers.predicated
    a = source(registers, tables.uops, k, A, 0, wide)
    b = source(registers, tables.uops, k, B, 1, wide)
    c = source(registers, tables.uops, k, C, 2, wide)
    result = registers.result
    if datapath == INTEGER:
        integer(result, registers.lane[a], registers.lane[b], registers.lane[c], op, wide)
    elif datapath == FLOATING_POINT:
        floating(result, registers.lane[a], registers.lane[b], registers.lane[c], op, nan_rule(tables.uops, k), wide)
    elif datapath == SPECIAL_FUNCTION:
        special(registers, op, a, nan_rule(tables.uops, k), wide)
    elif datapath == SPECIAL_REGISTER:
        read_special(registers, np.int64(tables.uops[k, IMM]), wide)
    elif op == BALLOT:
        ballot(registers, takes_part, a, destination - SCALAR, wide)
        return
    elif op == OR_LANES:
        or_lanes(registers, takes_part, a, b, destination - SCALAR, wide)
        return
    elif op == LANE_BIT:
        number = np.int64(tables.uops[k, A]) - SCALAR
        lane_bit(result, registers.scalar[number], registers.scalar[number + 1], wide)
    elif op == INSERT_LANE or op == GET_SCALAR or op == PUT_SCALAR:
        into = destination - SCALAR if op == GET_SCALAR else destination
        single(registers, op, into, a, b, np.int64(tables.uops[k, IMM]), wide)
        return
    elif op == GET_REGISTER:
        copy(result, registers.lane[max(indexed_register(registers, a, np.int64(tables.uops[k, IMM])), np.int64(0))], wide)
    elif op == PUT_REGISTER:
        into = indexed_register(registers, a, np.int64(tables.uops[k, IMM]))
        if into >= 0:
            write(registers.lane[into], registers.lane[b], takes_part, lanes)
        return
    elif op == MATCH_ANY:
        match_any(registers, takes_part, a, np.int64(tables.uops[k, IMM]), wide)
    elif op == PERMUTE:
        permute(registers, takes_part, a, b, wide)
    else:
        shuffle(registers, op, a, b, c, 1 if tables.uops[k, C] != NONE else 0, wide)

    if 0 < tables.uops[k, SIZE] < 4:
        truncate(result, tables.uops[k, SIZE], wide)
    if destination >= SCALAR:
        registers.scalar[destination - SCALAR] = result[0]
    elif destination >= 0:
        write(registers.lane[destination], result, takes_part, lanes)


@unit
def execute_with_doubles(registers, tables, k, lanes):
    """`execute` of programs that have operations on 64-bit floats: only they pay for compiling those."""
    if tables.uops[k, DATAPATH] != DOUBLE_PRECISION:
        execute(registers, tables, k, lanes)
        return
    takes_part = registers.active
    if tables.uops[k, PREDICATE] >= SCALAR:
        apply_predicate(registers, tables.uops, k, lanes)
        takes_part = registers.predicated
    a = source(registers, tables.uops, k, A, 0, lanes)
    b = source(registers, tables.uops, k, B, 1, lanes)
    c = source(registers, tables.uops, k, C, 2, lanes)
    double(registers, np.int64(tables.uops[k, OP]), a, b, c, nan_rule(tables.uops, k), lanes)
    _write_wide(registers, takes_part, np.int64(tables.uops[k, DST]), writes_pair(np.int64(tables.uops[k, OP])), lanes)


@unit
def execute_with_notes(registers, tables, k, lanes):
    """`execute_with_doubles` of programs that write notes."""
    if tables.uops[k, DATAPATH] != NOTE:
        execute_with_doubles(registers, tables, k, lanes)
        return
    takes_part = registers.active
    if tables.uops[k, PREDICATE] >= SCALAR:
        apply_predicate(registers, tables.uops, k, lanes)
        takes_part = registers.predicated
    a = source(registers, tables.uops, k, A, 0, lanes)
    b = source(registers, tables.uops, k, B, 1, lanes)
    c = source(registers, tables.uops, k, C, 2, lanes)
    write_notes(registers, tables, k, takes_part, a, b, c, lanes)


@unit
def execute_with_tables(registers, tables, k, lanes):
    """`execute_with_notes` of programs that look functions up in tables."""
    if tables.uops[k, DATAPATH] != FUNCTION_TABLE:
        execute_with_notes(registers, tables, k, lanes)
        return
    takes_part = registers.active
    if tables.uops[k, PREDICATE] >= SCALAR:
        apply_predicate(registers, tables.uops, k, lanes)
        takes_part = registers.predicated
    a = source(registers, tables.uops, k, A, 0, lanes)
    look_up(registers.result, registers.lane[a], np.int64(tables.uops[k, IMM]), tables.functions, lanes)
    write(registers.lane[tables.uops[k, DST]], registers.result, takes_part, lanes)


@unit
def execute_with_rounding(registers, tables, k, lanes):
    """`execute` of programs that have rounding modes, or look at the flags of floats."""
    if tables.uops[k, DATAPATH] != ROUNDING:
        execute(registers, tables, k, lanes)
        return
    takes_part = registers.active
    if tables.uops[k, PREDICATE] >= SCALAR:
        apply_predicate(registers, tables.uops, k, lanes)
        takes_part = registers.predicated
    a = source(registers, tables.uops, k, A, 0, lanes)
    b = source(registers, tables.uops, k, B, 1, lanes)
    c = source(registers, tables.uops, k, C, 2, lanes)
    rounding(registers, np.int64(tables.uops[k, OP]), a, b, c, lanes)
    _write_wide(registers, takes_part, np.int64(tables.uops[k, DST]), 1 if tables.uops[k, OP] <= UINT else 0, lanes)


@inlined
def _write_wide(registers, takes_part, destination, pair, lanes):
    """The result goes into a register; where it has 64 bits (pair: 1), its high word, from `registers.wide`, into the next one."""
    if destination < 0:
        return
    write(registers.lane[destination], registers.result, takes_part, lanes)
    if pair != 0:
        for lane in range(lanes):
            registers.result[lane] = np.uint32(registers.wide[3, lane] >> np.uint64(32))
        write(registers.lane[destination + 1], registers.result, takes_part, lanes)


@out_of_line
def truncate(result, size, wide):
    """Keep the low byte, or the low two, of every lane's result."""
    kept = np.uint32((1 << (8 * size)) - 1)
    for lane in range(wide):
        result[lane] &= kept


@lanewise
def copy(result, row, lanes):
    """Result = a row of registers."""
    for lane in range(lanes):
        result[lane] = row[lane]


@lanewise
def write(row, result, takes_part, lanes):
    """The result goes into a register in the lanes that take part. Without a branch: many hosts store slowly under a mask."""
    for lane in range(lanes):
        row[lane] = (row[lane] & ~takes_part[lane]) | (result[lane] & takes_part[lane])
