"""What a warp knows of the others of its core, in programs that start their warps themselves.

There a barrier is for as many warps as its instruction says, so no block has one barrier that orders all of its threads. Each warp has a
row of `known` instead, a vector clock: up to which time it knows what each warp of its core has done. Other programs have none.

Source: Mattern, "Virtual Time and Global States of Distributed Systems", 1989.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import LANES_OF_OWN, RUN_SHIFT
from warploom.machine.engine.unit import inlined


@inlined
def knows(tables, me, other, begin, when):
    """Whether the warp of thread `me` knows what thread `other` of its core did at time `when`; never, where there are no such rows.

    begin: the first thread of the core.
    """
    lanes = np.int64(tables.findings[0, LANES_OF_OWN])
    return lanes != 0 and when < tables.known[_warp_of(tables, me, lanes), _warp_of(tables, other - begin, lanes)]


@inlined
def row_of(tables, thread, block):
    """The row of `blocks` that a thread of a block has with those who share its barriers."""
    lanes = np.int64(tables.findings[0, LANES_OF_OWN])
    return _warp_of(tables, thread, lanes) if lanes != 0 else block


@inlined
def _warp_of(tables, thread, lanes):
    """The warp of a thread. A division takes as long as the rest of a check."""
    shift = np.int64(tables.findings[0, RUN_SHIFT])
    return thread >> shift if lanes == 1 << shift else thread // lanes
