"""What a program needs of a machine, read off its micro-ops."""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program

BARRIERS = (u.NUMBER["barrier"], u.NUMBER["barrier_arrive"])


def needs_shared_memory(uops: np.ndarray) -> bool:
    """Whether any of these micro-ops accesses a block's shared memory."""
    return bool((uops[:, u.UNIT] == u.SHARED).any())


def first_of_a_block(program: Program) -> int:
    """The first instruction that has to do with the block as a whole, its shared memory or its barriers; NONE when there is none."""
    uops = program.uops
    found = np.flatnonzero((uops[:, u.UNIT] == u.SHARED) | np.isin(uops[:, u.OP], BARRIERS))
    if not len(found):
        return u.NONE
    return int(np.flatnonzero(program.code[:, u.FIRST_UOP] <= found[0])[-1])
