"""Partial stores: which bytes a store in flight writes, if it does not write whole sectors.

In hardware: a byte-enable bit for each byte, beside the data. Most stores write whole sectors, for which the mask of sectors is enough;
only the others have an entry here for as long as they are in flight.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, lowest, ones, rest
from warploom.machine.engine.unit import inlined, out_of_line, record, unit

PARTIAL_STORES = 1 << 14
WORDS = 4  # of 64 bytes each: the longest line

PartialStores = record(
    rooms={"entries": PARTIAL_STORES},
    apart=("free",),
    settings=dict(
        tracked="i8",                             # 1: some cache keeps stores, and has to know the bytes
    ),
    state=dict(
        written=("u8", ("entries", WORDS)),       # by entry: bit b % 64 of word b / 64 = byte b of the line is written
        whole=("u8", "entries"),                  # by entry: bit s = sector s is written whole
        free=("i4", "entries"),                   # stack of entries given back
        freed="i8",                               # how many those are
        fresh="i8",                               # entries never given out start here
    ),
)  # fmt: skip


@inlined
def room_for_partial(partial):
    """Whether a store that is not whole can have an entry."""
    return partial.fresh - partial.freed < PARTIAL_STORES


@out_of_line
def add_partial(partial, whole, written):
    """An entry for a store. written: u8[WORDS]. Returns it."""
    if partial.freed > 0:
        partial.freed = partial.freed - 1
        entry = np.int64(partial.free[partial.freed])
    else:
        entry = np.int64(partial.fresh)
        partial.fresh = entry + 1
    partial.whole[entry] = whole
    for word in range(WORDS):
        partial.written[entry, word] = written[word]
    return entry


@out_of_line
def remove_partial(partial, entry):
    """The store has arrived."""
    partial.free[partial.freed] = entry
    partial.freed = partial.freed + 1


@unit
def whole_sectors(written, sectors, sector_shift):
    """Those of some sectors of which every byte is written. written: u8[WORDS], by byte of the line."""
    found = EMPTY
    left = np.uint64(sectors)
    while left != EMPTY:
        sector = lowest(left)
        low = left & ~rest(left)
        left = rest(left)
        if missing_bytes(written, sector, sector_shift) == EMPTY:
            found |= low
    return found


@unit
def missing_bytes(written, sector, sector_shift):
    """The bytes of a sector that are not written, as a mask; those that lie 64 apart share a bit."""
    step = min(np.int64(1) << sector_shift, np.int64(64))
    missing = EMPTY
    for position in range(sector << sector_shift, (sector + 1) << sector_shift, step):
        missing |= ~(written[position >> 6] >> np.uint64(position & 63)) & ones(step)
    return missing


@unit
def mark_bytes(written, first, last):
    """Bytes `first` to `last` of a line are written."""
    for word in range(first >> 6, (last >> 6) + 1):
        low = max(first - (word << 6), np.int64(0))
        high = min(last - (word << 6), np.int64(63))
        written[word] |= ones(high - low + 1) << np.uint64(low)
