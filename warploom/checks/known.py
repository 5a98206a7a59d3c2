# mypy: disable-error-code="no-untyped-def"
"""What a warp knows of the others of its core, in programs that start their warps themselves.

There a barrier is for as many warps as its instruction says, so no block has one barrier that orders all of its threads. Each warp has a
row of `known` instead, a vector clock: up to which time it knows what each warp of its core has done. Other programs have none.

Source: Mattern, "Virtual Time and Global States of Distributed Systems", 1989.
"""

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import OWN_WARPS, SHARERS
from warploom.machine.engine.unit import inlined


@inlined
def knows(tables, me, other, begin, when):
    """Whether the warp of thread `me` knows what thread `other` of its core did at time `when`; never, where there are no such rows.

    begin: the first thread of the core.
    """
    sharers = np.int64(tables.findings[0, SHARERS])
    return tables.findings[0, OWN_WARPS] != 0 and when < tables.known[me // sharers, (other - begin) // sharers]
