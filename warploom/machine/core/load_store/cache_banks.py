"""Banks of the first-level cache: how long a warp's access keeps its tags and its data busy.

In hardware: the lanes of a warp are handled in groups, quarter-warps on NVIDIA's cores, each of which finds its own lines and has every one
looked up. The tags lie in banks, four on those cores, so that a cycle takes four lookups: those of a warp that reads a row of words, or of
four accesses' single lines. The data lie in banks like those of shared memory, of which they are a part: words that differ and share one
take a pass each. Tags and data are stages of one pipe, so an access keeps it for as long as the busier of the two.

The next level is not asked twice for a line: one that several groups miss is one transaction.

Sources: groups of eight threads, four banks, Khairy, Shen, Aamodt and Rogers, "Accel-Sim", ISCA 2020, section IV; what strides cost,
RRZE's gpu-benches, gpu-strides.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.load_store.lsu import free_slot
from warploom.machine.core.load_store.shared_memory import conflicts
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.sizes import BANK_BYTES
from warploom.machine.engine.unit import inlined, out_of_line


@inlined
def note_lookups(lsu, access, addresses, active, size, lanes, before, transactions):
    """Note which groups look each line of an access up, and the passes over the data.

    The access is in the free slot of `lsu`, with `transactions` transactions, `before` of which are of earlier micro-ops of the bundle.
    addresses, active: u4[lanes]. size: bytes per lane.
    """
    if before == 0 and transactions == 1 and access.run != 0 and size <= BANK_BYTES and _in_a_row(lsu, addresses[0], size * lanes):
        slot = free_slot(lsu)
        lsu.groups[slot, 0] = lsu.all_groups
        lsu.passes[slot] = 1
        lsu.wanted[slot] = size * lanes
    else:
        note_scattered(lsu, addresses, active, size, lanes, before, transactions)


@inlined
def _in_a_row(lsu, first, bytes):
    """Whether no two words of some bytes that lie side by side share a bank."""
    return (np.int64(first) & (BANK_BYTES - 1)) + bytes <= lsu.row_bytes


@out_of_line
def note_scattered(lsu, addresses, active, size, lanes, before, transactions):
    """`note_lookups` for lanes with arbitrary addresses."""
    slot = free_slot(lsu)
    for index in range(before, transactions):
        lsu.groups[slot, index] = EMPTY
    if before == 0:
        lsu.passes[slot] = 0
        lsu.wanted[slot] = 0
    place = np.int64(0)
    if lsu.merge != 0:
        for lane in range(lanes):
            if active[lane] == 0:
                continue
            first = np.int64(addresses[lane]) >> lsu.line_shift
            last = (np.int64(addresses[lane]) + size - 1) >> lsu.line_shift
            for line in range(first, last + 1):
                place = _place(lsu.line[slot], transactions, place, line)
                lsu.groups[slot, place] |= bit(lane >> lsu.group_shift)
    if lsu.banks != 0:
        _note_passes(lsu, slot, addresses, active, size, lanes)


@inlined
def _place(lines, count, likely, line):
    """Where a line stands among the first `count`; likely: where the lane before had its own."""
    if lines[likely] == line:
        return np.int64(likely)
    found = np.int64(likely)
    for place in range(count):
        found = np.int64(place) if lines[place] == line else found
    return found


@inlined
def _note_passes(lsu, slot, addresses, active, size, lanes):
    """The words that a bundle's micro-ops access are contiguous, so they lie in different banks: they cost no more than their bytes fill
    rows."""
    passes = np.int64(conflicts(addresses, active, size, lanes, lsu.banks, np.int64(BANK_BYTES), 0))
    lowest, highest, taking_part = np.int64(1 << 32), np.int64(-1), np.int64(0)
    for lane in range(lanes):
        if active[lane] != 0:
            lowest = min(lowest, np.int64(addresses[lane]))
            highest = max(highest, np.int64(addresses[lane]))
            taking_part += 1
    if taking_part == 0:
        return
    lsu.wanted[slot] += min(taking_part * size, highest + size - lowest)
    lsu.passes[slot] = max(np.int64(lsu.passes[slot]), passes, (np.int64(lsu.wanted[slot]) + lsu.row_bytes - 1) // lsu.row_bytes)
