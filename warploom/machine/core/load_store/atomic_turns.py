"""Turns of an atomic: lanes of a warp on one word have to follow each other.

In hardware: the crossbar splits an atomic into passes. A pass carries one lane for each word of a sector, so lanes side by side go in one
pass a sector, and lanes on one word in as many passes as there are lanes, or one for every few where what they add up to is known before it
gets there (`l2.atomic_lanes`). How long a pass keeps a slice of L2, and a port of the crossbar, is a property of those.

Source: tests/golden/h100/atomics.csv: all of them, from one multiprocessor and from all, by words of a warp and by how far apart they are.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.load_store.atomic import conflicts
from warploom.machine.core.load_store.lsu import free_slot
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import inlined, out_of_line
from warploom.machine.memory.transactions import PASSES_SHIFT


@out_of_line
def count_turns(lsu, access, active, lanes, before, after, at_once, kind):
    """Note for the transactions `before` to `after` of the free slot what their atomic has to do there, as in the tag of a request.

    at_once: lanes on one word that one pass does. kind: SUM, or 0.
    """
    slot = free_slot(lsu)
    row = access.address
    apart = conflicts(row, active, lanes) <= 1
    for index in range(before, after):
        most = np.int64(1)
        passes = popcount(lsu.sectors[slot, index])
        if not apart:
            most, passes = _turns_of_line(lsu, row, active, lanes, lsu.line[slot, index], at_once)
        lsu.turns[slot, index] = (most - 1) | (passes - 1) << PASSES_SHIFT | kind


@out_of_line
def _turns_of_line(lsu, row, active, lanes, line, at_once):
    """(turns of the word of a line that most lanes want, passes of all its sectors)."""
    most = np.int64(1)
    passes = np.int64(0)
    for lane in range(lanes):
        if active[lane] != 0 and row[lane] >> np.uint32(lsu.line_shift) == line:
            turn = _lanes_before(row, active, lane)
            if turn % at_once == 0:
                most = max(most, turn // at_once + 1)
                passes += 1 if _begins_pass(lsu, row, active, lane, turn) else 0
    return most, max(passes, np.int64(1))


@inlined
def _lanes_before(row, active, lane):
    """How many lanes before one want the same word."""
    before = np.int64(0)
    for other in range(lane):
        if active[other] != 0 and row[other] >> np.uint32(2) == row[lane] >> np.uint32(2):
            before += 1
    return before


@inlined
def _begins_pass(lsu, row, active, lane, turn):
    """Whether a lane is the first of its sector in its turn."""
    shift = np.uint32(lsu.sector_shift)
    for other in range(lane):
        if active[other] != 0 and row[other] >> shift == row[lane] >> shift and _lanes_before(row, active, other) == turn:
            return False
    return True
