"""Predicate: lanes that a single micro-op leaves out, on top of its warp's mask.

In hardware: an AND gate a lane in front of every write enable, between the warp's mask and a mask register that the micro-op names. It
costs no branch and no path of its own: the instruction is issued for all lanes, and does nothing in those that are left out. Every unit
obeys it: a register is not written, no address leaves the load/store unit, a branch is not taken, a lane does not end.

The predicate is a scalar register with a bit per lane (a pair of them, low half first, where a warp has more than 32 lanes).

Sources: NVIDIA PTX ISA, "Predicated Execution" (`@p`, `@!p`); AMD GCN3 ISA, EXEC and VCC.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import COUNT, DST, FIRST_UOP, FLAGS, NEGATE_PREDICATE, NUMBER, OP, PREDICATE, SCALAR, A, B, C
from warploom.machine.engine.bits import EMPTY, has
from warploom.machine.engine.unit import inlined, out_of_line

LOAD_SCALAR, STORE_SCALAR = NUMBER["load_scalar"], NUMBER["store_scalar"]
BRANCH_SCALAR, WRITE_MASK = NUMBER["branch_scalar"], NUMBER["write_mask"]
FIRST_LANE = np.uint64(1)
EVERY_LANE = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def named_lanes(registers, uops, k, lanes):
    """The lanes that the predicate of micro-op `k` lets take part, as a mask; all where it has none. Bits from `lanes` on mean nothing."""
    code = np.int64(uops[k, PREDICATE])
    if code < SCALAR:
        return EVERY_LANE
    bits = np.uint64(registers.scalar[code - SCALAR])
    if lanes > 32:
        bits |= np.uint64(registers.scalar[code - SCALAR + 1]) << np.uint64(32)
    return ~bits if uops[k, FLAGS] & NEGATE_PREDICATE != 0 else bits


@inlined
def apply_predicate(registers, uops, k, lanes):
    """`registers.predicated` = the active lanes that the predicate of micro-op `k` lets take part."""
    bits = named_lanes(registers, uops, k, lanes)
    active = registers.active
    predicated = registers.predicated
    for lane in range(lanes):
        here = active[lane]
        predicated[lane] = here if has(bits, lane) else np.uint32(0)


@inlined
def is_scalar(uops, k):
    """Whether micro-op `k` is an access of the warp as a whole, for scalar registers."""
    return LOAD_SCALAR <= uops[k, OP] <= STORE_SCALAR


@inlined
def lanes_of_access(registers, uops, k, mask, lanes):
    """The lanes of `mask` in which micro-op `k` does something; of an access of the warp as a whole its first lane, whatever the mask."""
    if is_scalar(uops, k):
        return FIRST_LANE
    return mask & named_lanes(registers, uops, k, lanes)


@inlined
def works_once(uops, k):
    """Whether micro-op `k` works once for the warp, beside its lanes: on scalar registers and numbers alone."""
    op = uops[k, OP]
    if LOAD_SCALAR <= op <= STORE_SCALAR or op == BRANCH_SCALAR or op == WRITE_MASK:
        return True
    return uops[k, DST] >= SCALAR and not (_is_lanes(uops[k, A]) or _is_lanes(uops[k, B]) or _is_lanes(uops[k, C]))


@inlined
def _is_lanes(code):
    return 0 <= code < SCALAR


@out_of_line
def lanes_taking_part(registers, tables, pc, mask, lanes):
    """The lanes of `mask` in which at least one micro-op of instruction `pc` does something; the first one where all work once a warp."""
    found = EMPTY
    once = FIRST_LANE
    start = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(start, start + np.int64(tables.code[pc, COUNT])):
        if not works_once(tables.uops, k):
            found |= mask & named_lanes(registers, tables.uops, k, lanes)
            once = EMPTY
    return found | once
