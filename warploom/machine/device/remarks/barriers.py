"""Barriers to which not all threads of a block have come: on a GPU that hangs, or lets some go on too early.

Not hardware: an observer that runs after the last cycle. Of each barrier the profile has counted how many lanes came there, and how many of
their warps were elsewhere or had ended; so this costs a run nothing. It sees whether somebody was missing, not who, nor in which block;
`warploom check` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import BARRIERS
from warploom.isa.program import Program
from warploom.machine.accounting.reasons import LANES, LANES_DIVERGED, LANES_ENDED
from warploom.machine.config.schema import Config

GRID_BARRIER = u.NUMBER["grid_barrier"]
ON_THEIR_OWN = ("its", "dwf")  # lanes of a warp may rightly come to a barrier one after the other


class Finished(Protocol):
    """A machine after its run. gpu: its record, with the grid of the launch."""

    config: Config
    program: Program
    profile: np.ndarray
    gpu: np.ndarray


def left_out(machine: Finished) -> Iterator[str]:
    """A sentence, where threads have not come to a barrier that is for all of their block, or of the grid: one, of the first barrier."""
    program = machine.program
    grid = machine.gpu["grid"]
    uops = program.uops
    of_block = np.isin(uops[:, u.OP], BARRIERS) & (uops[:, u.A] == u.NONE) & (uops[:, u.B] == u.NONE) & (uops[:, u.IMM] == 0)
    of_grid = uops[:, u.OP] == GRID_BARRIER
    of_all = of_block | of_grid
    if program.launch.whole_device or grid["threads"] == 0 or not of_all.any():
        return
    firsts, counts = program.code[:, u.FIRST_UOP], program.code[:, u.COUNT]
    places: dict[tuple[str, bool], np.ndarray] = {}
    for k in np.flatnonzero(of_all):
        pc = int(np.flatnonzero((firsts <= k) & (k < firsts + counts))[0])
        place = program.place_text(pc), bool(of_grid[k])  # code that a compiler has copied is one barrier of the text
        places[place] = places.get(place, 0) + machine.profile[pc]
    apart = machine.config.core.divergence not in ON_THEIR_OWN
    for (at, whole), row in places.items():
        if row[LANES] % grid["threads" if whole else "block_threads"] or row[LANES_ENDED] or (apart and row[LANES_DIVERGED]):
            who = "the grid" if whole else "a block"
            yield f"not all threads of {who} came to the barrier at {at}: `warploom check` says who, and what to write instead"
            return
