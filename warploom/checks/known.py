"""What a warp knows of the others of its block, in programs with barriers for some warps of it, and in those that start warps themselves.

There a barrier is for as many warps as its instruction says, so that some of a block's threads are in order and others are not. Each warp
has a row of `known`, a vector clock: up to which time it knows what each warp of its block, or of its core, has done. Other programs have
none.

Source: Mattern, "Virtual Time and Global States of Distributed Systems", 1989.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import LANES_OF_OWN, RAGGED, ROWS_OF_BLOCK, RUN_SHIFT
from warploom.machine.engine.unit import inlined


@inlined
def knows(tables, me, other, begin, when):
    """Whether the warp of thread `me` knows what thread `other` of its block did at time `when`; never, where there are no such rows.

    begin: the first thread of the block, or of the core.
    """
    lanes = np.int64(tables.findings[0, LANES_OF_OWN])
    return lanes != 0 and when < tables.known[warp_of(tables, me, lanes), warp_of(tables, other - begin, lanes)]


@inlined
def row_of(tables, thread, block):
    """The row of `blocks` that a thread of a block has with those who share its barriers."""
    lanes = np.int64(tables.findings[0, LANES_OF_OWN])
    return warp_of(tables, thread, lanes) if lanes != 0 else block


@inlined
def warp_of(tables, thread, lanes):
    """The warp of a thread. A division takes as long as the rest of a check."""
    size = np.int64(tables.findings[0, RAGGED])
    if size != 0:
        return thread // size * tables.findings[0, ROWS_OF_BLOCK] + thread % size // lanes
    shift = np.int64(tables.findings[0, RUN_SHIFT])
    return thread >> shift if lanes == 1 << shift else thread // lanes
