# mypy: disable-error-code="no-untyped-def"
"""Initialised memory: a read of bytes that nobody has written.

Shared memory holds what the block before left in it, local memory what a thread before did, a device array what the allocation before
did. Here such words read as zero or as something old; on a GPU they may hold anything. A word notes which of its bytes its block, or its
thread, has written; of global memory it notes which bytes nobody has written, neither the host nor a kernel.
"""

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import ACCESS, ADDRESS, HELD, READ, SPACE, UNINITIALISED, WORD_BYTES, find
from warploom.isa.uop import GLOBAL_SPACE
from warploom.machine.engine.unit import inlined, out_of_line

OWNER_SHIFT = 4


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
def note_read(tables, cell, space, thread, owner, pc, k, address, flags, now):
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


@out_of_line
def _report(tables, space, thread, pc, k, address, now):
    row = find(tables, UNINITIALISED, pc, -1, thread, -1, k, now)
    if row > 0:
        tables.findings[row, ACCESS] = READ
        tables.findings[row, SPACE] = space
        tables.findings[row, ADDRESS] = address
