"""Lowest PC first: no stack, no hints from the compiler. Lanes reconverge wherever their PCs are equal.

In hardware: a PC per lane, or a table of groups of lanes (`path_table.py`), and a comparator. The warp always runs the lanes with
the lowest PC. A compiler places later code at higher addresses, so the lanes that lag run, and those ahead wait for them without a
reconvergence point: the lanes of an `if` reconverge at its end, and all leave a loop before any continues. Where the paths of a branch join
before its post-dominator (short-circuit conditions, goto, exits from nested loops), lanes reconverge there already, which a stack cannot
do.

The price: lanes at a higher PC can starve. A lane that spins on a lock below the code of the lane that holds it spins forever.

Source: Collange, "Stack-less SIMT reconvergence at low cost", 2011 (hal-00622654); the rule is older: Quinn, Hatcher and
Jourdenais, "Compiling C* programs for a hypercube multicomputer", 1988.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import READY, merge, note_diverged, put_aside, run_group
from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import unit


@unit
def select_path(paths, warps, warp):
    """After a change of PC or of the live lanes: the group with the lowest PC runs, with all that are there too."""
    lowest = np.int64(-1)
    for index in range(np.int64(paths.count[warp])):
        if paths.state[warp, index] == READY and (lowest < 0 or paths.pc[warp, index] < paths.pc[warp, lowest]):
            lowest = np.int64(index)
    if lowest >= 0:
        if warps.mask[warp] == EMPTY:
            run_group(paths, warps, warp, lowest)
        elif paths.pc[warp, lowest] < warps.pc[warp]:
            put_aside(paths, warps, warp, READY)
            run_group(paths, warps, warp, lowest)
        merge(paths, warps, warp)
    note_diverged(paths, warps, warp)
