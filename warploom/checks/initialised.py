"""Initialised memory: a read of bytes that nobody has written.

Shared memory holds what the block before left in it, local memory what a thread before did, a device array what the allocation before
did. Here such words read as zero or as something old; on a GPU they may hold anything. A word notes which of its bytes its block, or its
thread, has written; of global memory it notes which bytes nobody has written, neither the host nor a kernel.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import ACCESS, ADDRESS, HELD, READ, SPACE, STANDS_FOR, UNINITIALISED, WORD_BYTES, find
from warploom.isa.uop import GLOBAL_SPACE, SHARED_SPACE
from warploom.machine.engine.unit import inlined, out_of_line

OWNER_SHIFT = 4
PLACE_FACTOR = 0x9E3779B1  # odd, so that no two words of shared memory have the same product


@inlined
def note_written(cell, space, owner, flags):
    """Some bytes of a word are written now. owner: the block + 1, of local memory the thread + 1."""
    if space == GLOBAL_SPACE:
        cell[HELD] = cell[HELD] & ~flags
        return
    if cell[HELD] >> OWNER_SHIFT != owner:
        cell[HELD] = owner << OWNER_SHIFT
    cell[HELD] = cell[HELD] | (flags & WORD_BYTES)


@out_of_line
def note_read(core, tables, cell, space, thread, owner, pc, k, address, flags, now):
    """Some bytes of a word are read: somebody should have written them."""
    missing = np.int64(0)
    if space == GLOBAL_SPACE:
        missing = cell[HELD] & flags & WORD_BYTES
    else:
        missing = flags & WORD_BYTES
        if cell[HELD] >> OWNER_SHIFT == owner:
            missing = missing & ~cell[HELD]
    if missing != 0:
        _report(tables, space, thread, pc, k, address, now)
        if space == SHARED_SPACE and tables.findings[0, STANDS_FOR] != 0:
            _stand_in(core, tables, address, missing)


@out_of_line
def _report(tables, space, thread, pc, k, address, now):
    row = find(tables, UNINITIALISED, pc, -1, thread, -1, k, now)
    if row > 0:
        tables.findings[row, ACCESS] = READ
        tables.findings[row, SPACE] = space
        tables.findings[row, ADDRESS] = address


@out_of_line
def _stand_in(core, tables, address, missing):
    """Let the missing bytes of a word be what the run is to find there, see consequences.py."""
    word = np.int64(core.shared[address >> 2])
    stands_for = np.int64(tables.findings[0, STANDS_FOR])
    mixed = ((np.int64(address) >> 2) * PLACE_FACTOR) & 0xFFFFFFFF  # the place, multiplied by 2^32 over the golden ratio
    stands_for = (stands_for & 0xFFFFFFFF) ^ (mixed >> (32 - (stands_for >> 32)))
    for byte in range(4):
        if (missing >> byte) & 1 != 0:
            kept = np.int64(255) << (8 * byte)
            word = (word & ~kept) | (stands_for & kept)
    core.shared[address >> 2] = np.uint32(word)
