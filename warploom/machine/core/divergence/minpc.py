# mypy: disable-error-code="no-untyped-def"
"""Lowest PC first: no stack, no hints from the compiler. Lanes meet wherever their PCs are equal.

In hardware: a PC a lane, or a table of groups of lanes (`path_table.py`), and a comparator. The warp always runs the lanes with
the lowest PC. A compiler lays code out so that what comes later lies higher, so the lanes behind are the ones that run,
and those ahead wait for them without being told where: an `if` meets at its end, a loop is left by all before any
goes on. Where the paths of a branch meet before its post-dominator (short-circuit conditions, goto, exits from nested
loops), lanes meet there already, which a stack cannot know.

The price: lanes at a higher PC can starve. A lane that spins on a lock below the code of the lane that holds it spins for ever.

Source: Collange, "Stack-less SIMT reconvergence at low cost", 2011 (hal-00622654); the rule is older: Quinn, Hatcher and
Jourdenais, "Compiling C* programs for a hypercube multicomputer", 1988.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import READY, mark, merge, put_aside, run
from warploom.machine.engine.unit import unit


@unit
def select_path(contexts, warps, warp):
    """After a change of PC or of the live lanes: the group with the lowest PC runs, with all that are there too."""
    lowest = np.int64(-1)
    for index in range(np.int64(contexts.count[warp])):
        if contexts.state[warp, index] == READY and (lowest < 0 or contexts.pc[warp, index] < contexts.pc[warp, lowest]):
            lowest = np.int64(index)
    if lowest >= 0:
        if warps.mask[warp] == np.uint64(0):
            run(contexts, warps, warp, lowest)
        elif contexts.pc[warp, lowest] < warps.pc[warp]:
            put_aside(contexts, warps, warp, READY)
            run(contexts, warps, warp, lowest)
        merge(contexts, warps, warp)
    mark(contexts, warps, warp)
