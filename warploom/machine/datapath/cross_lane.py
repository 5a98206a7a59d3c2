"""Operations across the lanes of a warp, and between lanes and scalar registers: ballot, or, shuffles, match, single lanes.

In hardware: a ballot is wiring only, the lanes' comparison bits side by side, straight into a scalar register; an OR over lanes is a
tree of gates, as for flags that a warp has one register of; a shuffle is a crossbar between the lanes' operand latches, the one that
shared memory and texture addresses use too, and with 32 ports of 32 bits by far the largest piece of wiring in a core. A match compares
every lane with every other one. Sources: NVIDIA PTX ISA (`vote.ballot`, `shfl`, `match.any`); AMD GCN3 ISA (`v_cmp` into a scalar pair,
`ds_bpermute`, `v_readlane`, `v_writelane`, `s_movrels`, `v_movrels`); Vortex, hw/rtl/core/VX_csr_data.sv (flags of a warp).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import HIDDEN, NUMBER, SCALARS
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import inlined, out_of_line, unit

LANE_BIT, INSERT_LANE, GET_SCALAR, PUT_SCALAR, GET_REGISTER, PUT_REGISTER = (
    NUMBER[name] for name in ("lane_bit", "insert_lane", "get_scalar", "put_scalar", "get_register", "put_register")
)
SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN = NUMBER["shuffle"], NUMBER["shuffle_up"], NUMBER["shuffle_down"]


@inlined
def ballot(registers, takes_part, a, pair, lanes):
    """Scalar registers `pair` and `pair` + 1 = one bit a lane, 1 where `takes_part` and row `a` are not zero."""
    value = registers.lane[a]
    bits = EMPTY
    for lane in range(lanes):
        if takes_part[lane] != 0 and value[lane] != 0:
            bits |= bit(lane)
    registers.scalar[pair] = np.uint32(bits & np.uint64(0xFFFFFFFF))
    registers.scalar[pair + 1] = np.uint32(bits >> np.uint64(32))


@out_of_line
def or_lanes(registers, takes_part, a, b, destination, lanes):
    """Scalar register `destination` = the OR of row `b` of lane 0 and row `a` of each lane that takes part."""
    value = registers.lane[a]
    found = registers.lane[b, 0]
    for lane in range(lanes):
        found = np.uint32(found | value[lane] & takes_part[lane])
    registers.scalar[destination] = found


@out_of_line
def shuffle(registers, op, a, b, c, segmented, lanes):
    """Result = row `a` of a different lane: see `source_lane`. segmented: 1 where row `c` says how many lanes a segment has.

    A lane that does not take part is read all the same: what it holds is what its register held last.
    """
    value = registers.lane[a]
    number = registers.lane[b]
    result = registers.result
    if op == SHUFFLE and segmented == 0 and lanes & (lanes - 1) == 0:
        for lane in range(lanes):
            result[lane] = value[np.int64(number[lane]) & (lanes - 1)]
        return
    for lane in range(lanes):
        segment = min(max(np.int64(registers.lane[c, lane]), np.int64(1)), np.int64(lanes)) if segmented != 0 else np.int64(lanes)
        result[lane] = value[source_lane(op, np.int64(lane), np.int64(number[lane]), segment, lanes)]


@unit
def source_lane(op, lane, number, segment, lanes):
    """Which lane a lane reads in a shuffle: that `number` of its segment, the one so many lanes below or above, or its exclusive or.

    number: taken modulo `lanes`. segment: lanes a segment; the last one may have fewer. Where there is no such lane, a lane reads itself.
    """
    number = number % lanes
    first = lane - lane % segment
    end = min(first + segment, np.int64(lanes))
    if op == SHUFFLE:
        found = first + number % (end - first)
    elif op == SHUFFLE_UP:
        found = lane - number if number <= lane - first else lane
    elif op == SHUFFLE_DOWN:
        found = lane + number if number < end - lane else lane
    else:
        found = lane ^ number
        if found >= end:
            found = lane
    return np.int64(found)


@out_of_line
def match_any(registers, takes_part, a, half, lanes):
    """Bit l of the result = 1 where lane 32 * `half` + l takes part and holds the same in row `a`."""
    value = registers.lane[a]
    first = 32 * half
    for lane in range(lanes):
        found = np.uint32(0)
        for other in range(first, min(np.int64(first + 32), np.int64(lanes))):
            if takes_part[other] != 0 and value[other] == value[lane]:
                found = np.uint32(found | np.uint32(np.uint32(1) << np.uint32(other - first)))
        registers.result[lane] = found


@out_of_line
def permute(registers, takes_part, a, b, lanes):
    """Row `a` of each lane that takes part goes to the lane that its row `b` names; what no lane sends to gets 0."""
    result = registers.result
    for lane in range(lanes):
        result[lane] = np.uint32(0)
    for lane in range(lanes):
        if takes_part[lane] != 0:
            result[np.int64(registers.lane[b, lane]) % lanes] = registers.lane[a, lane]


@out_of_line
def lane_bit(result, low, high, lanes):
    """Result = each lane's bit of a mask in two words."""
    for lane in range(lanes):
        word = low if lane < 32 else high
        result[lane] = np.uint32((word >> np.uint32(lane & 31)) & np.uint32(1))


@out_of_line
def single(registers, op, destination, a, b, offset, lanes):
    """Move one word: row `a` into one lane of row `destination`, whatever the mask; or from or to a scalar register whose number is known
    only now, in row `a` (GET_SCALAR: into scalar register `destination`; PUT_SCALAR: from row `b`)."""
    if op == INSERT_LANE:
        lane = np.int64(registers.lane[b, 0]) % lanes
        registers.lane[destination, lane] = registers.lane[a, lane]
        return
    number = np.int64(registers.lane[a, 0]) + offset
    there = 0 <= number < SCALARS
    if op == GET_SCALAR:
        registers.scalar[destination] = registers.scalar[number] if there else np.uint32(0)
    elif there:
        registers.scalar[number] = registers.lane[b, 0]


@unit
def indexed_register(registers, a, offset):
    """The number of the lane register whose number is known only now, in lane 0 of row `a`; -1 where there is none."""
    number = np.int64(registers.lane[a, 0]) + offset
    return np.int64(number if 0 <= number < HIDDEN else -1)
