"""Transactions of a memory instruction: what the coalescer makes of its lanes' addresses, access by access.

In hardware: the buffer between the coalescer and the load/store unit's queue, an entry per line. One instruction may be several micro-ops
(a texture sample of four texels, a value of 8 bytes in local memory): a line that an earlier one of them has requested is not sent again,
and for stores the bytes that they write in each sector are recorded, so that the caches can keep parts of a sector.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import SIZE
from warploom.machine.core.load_store.cache_banks import note_scattered
from warploom.machine.core.load_store.coalescer import coalesce, coalesce_run, coalesce_scattered
from warploom.machine.core.load_store.lsu import free_slot
from warploom.machine.core.load_store.written_bytes import mark_written
from warploom.machine.engine.bits import ONE
from warploom.machine.engine.unit import inlined, out_of_line
from warploom.machine.memory.transactions import STORE


@inlined
def collect(core, registers, tables, k, lanes, transactions):
    """Append the transactions of one micro-op to those of the bundle's earlier ones; returns how many there are now."""
    lsu = core.lsu
    access = core.access
    size = np.int64(tables.uops[k, SIZE])
    if transactions == 0 and lsu.merge != 0:
        slot = free_slot(lsu)
        first, last = np.int64(access.lowest), np.int64(access.highest) + size - 1
        if access.run != 0:
            return coalesce_run(first, last, lsu.line_shift, lsu.sector_shift, lsu.line[slot], lsu.sectors[slot])
        if first >> lsu.line_shift < last >> lsu.line_shift:
            return _collect_scattered(lsu, access, registers, size, lanes)
        if lsu.line_shift == lsu.sector_shift and first <= last:
            lsu.line[slot, 0], lsu.sectors[slot, 0] = first >> lsu.line_shift, ONE
            return np.int64(1)
    return append(lsu, access.address, registers.active, size, lanes, transactions)


@out_of_line
def _collect_scattered(lsu, access, registers, size, lanes):
    """The first transactions of a bundle, of lanes that are neither side by side nor in one line."""
    slot = free_slot(lsu)
    return coalesce_scattered(lsu, access.address, registers.active, size, lanes, lsu.line[slot], lsu.sectors[slot])


@out_of_line
def collect_halves(core, active, lanes, kind, transactions):
    """`collect` of 8 bytes a lane of local memory, which is interleaved by words: the high halves lie a row of the warp further on."""
    lsu = core.lsu
    row = core.access.address
    size = np.int64(4)
    for half in range(2):
        before = transactions
        transactions = append(lsu, row, active, size, lanes, before)
        if kind == STORE and lsu.tracks_bytes != 0:
            mark_written(lsu, free_slot(lsu), row, active, size, lanes, before, transactions)
        if lsu.in_banks != 0:
            note_scattered(lsu, row, active, size, lanes, before, transactions)
        if half == 0:
            for lane in range(lanes):
                row[lane] = np.uint32(row[lane] + np.uint32(4 * lanes))
    return transactions


@out_of_line
def append(lsu, row, active, size, lanes, transactions):
    """Coalesce a row of addresses and append its transactions; a line that is there already is not sent twice."""
    slot = free_slot(lsu)
    lines = lsu.line[slot]
    line_sectors = lsu.sectors[slot]
    found = coalesce(lsu, row, active, size, lanes, lines[transactions:], line_sectors[transactions:])
    if transactions == 0 or lsu.merge == 0:
        return transactions + found
    kept = transactions
    for index in range(transactions, transactions + found):
        line = lines[index]
        sectors = line_sectors[index]
        known = np.int64(-1)
        for earlier in range(kept):
            if lines[earlier] == line:
                known = np.int64(earlier)
                break
        if known >= 0:
            line_sectors[known] |= sectors
        else:
            lines[kept] = line
            line_sectors[kept] = sectors
            kept += 1
    return kept


@inlined
def note_written_bytes(core, registers, size, lanes, before, transactions):
    """Note which bytes a store writes. before, transactions: of the bundle, without this micro-op and with it."""
    lsu = core.lsu
    slot = free_slot(lsu)
    access = core.access
    low_bits = (np.int64(1) << lsu.sector_shift) - 1
    first = np.int64(access.address[0])
    if before == 0 and access.run != 0 and first & low_bits == 0 and (first + size * lanes) & low_bits == 0:
        for index in range(transactions):
            lsu.whole[slot, index] = lsu.sectors[slot, index]
    else:
        mark_written(lsu, slot, access.address, registers.active, size, lanes, before, transactions)
