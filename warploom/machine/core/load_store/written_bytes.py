"""Written bytes: what a warp's store writes of each line, byte by byte.

In hardware: the byte enables that travel with the data. They are worked out here only if a cache keeps stores, and only for stores
that do not write whole sectors side by side.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import out_of_line, unit
from warploom.machine.memory.partial_stores import WORDS, mark_bytes, whole_sectors


@out_of_line
def mark_written(lsu, slot, addresses, active, size, lanes, before, transactions):
    """Fill in `whole` and `written` of a slot's transactions.

    lsu: a record with their lines and sectors. addresses: u4[lanes], bytes; active: u4[lanes], not 0 in lanes that take part; size: bytes a
    lane. before: transactions that an earlier micro-op of the bundle has noted.
    """
    if before > 0:
        _spell_out(lsu, slot, before)
    for index in range(before, transactions):
        for word in range(WORDS):
            lsu.written[slot, index, word] = EMPTY
    place = np.int64(0)
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        last = first + size - 1
        for line in range(first >> lsu.line_shift, (last >> lsu.line_shift) + 1):
            place = _place(lsu, slot, line, place, transactions)
            start = line << lsu.line_shift
            end = start + (np.int64(1) << lsu.line_shift) - 1
            mark_bytes(lsu.written[slot, place], max(first, start) - start, min(last, end) - start)
    for index in range(transactions):
        lsu.whole[slot, index] = whole_sectors(lsu.written[slot, index], lsu.sectors[slot, index], lsu.sector_shift)


@unit
def _spell_out(lsu, slot, before):
    """Transactions of which only whole sectors are noted get their bytes."""
    for index in range(before):
        missing = lsu.sectors[slot, index] & ~lsu.whole[slot, index]
        if missing == EMPTY:
            for word in range(WORDS):
                lsu.written[slot, index, word] = EMPTY
            for sector in range(np.int64(1) << (lsu.line_shift - lsu.sector_shift)):
                if (lsu.whole[slot, index] >> np.uint64(sector)) & np.uint64(1) != EMPTY:
                    mark_bytes(lsu.written[slot, index], sector << lsu.sector_shift, ((sector + 1) << lsu.sector_shift) - 1)


@unit
def _place(lsu, slot, line, place, transactions):
    """The transaction of a line: the one of the lane before, or one that is searched for."""
    if place < transactions and lsu.line[slot, place] == line:
        return place
    for index in range(transactions):
        if lsu.line[slot, index] == line:
            return np.int64(index)
    return np.int64(0)
