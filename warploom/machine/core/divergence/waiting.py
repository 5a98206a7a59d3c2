"""The waiting paths of a warp, for observers outside of the machine: reports, recordings, the debugger.

Not hardware: the only reader of the path tables. It does not depend on a mechanism, so it shows the paths of future ones as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, NAMED, RECONVERGENCE, STACKED

TABLES = ("path_table", "mask_stack")  # of a core: the mechanism's, and that of a program that manages masks itself


class WaitingPath(NamedTuple):
    """A path that waits.

    table: the one of `TABLES` that it lies in. lanes: its mask; a lane that ended meanwhile is still in it. pc: where it continues.
    state: what it waits for, as in `path_table.py`, but STACKED for RECONVERGENCE, AT_RECONVERGENCE for NAMED. reconvergence_pc: where its
    lanes reconverge with others then; -1: when they end.
    """

    table: str
    lanes: int
    pc: int
    state: int
    reconvergence_pc: int

    @property
    def barrier(self) -> int:
        """The barrier at which it waits, as `barrier.py` numbers those that are not the block's; -1 for none."""
        return max(self.state - AT_BARRIER, -1)


def waiting_paths(core: np.void, warp: int) -> list[WaitingPath]:
    """All paths of a warp that wait, the oldest of each table first. core: the record of a core."""
    found = []
    for name in TABLES:
        table = core[name]
        for row in range(int(table["count"][warp])):
            lanes, pc, state, joins = (int(table[field][warp, row]) for field in ("mask", "pc", "state", "reconvergence_pc"))
            state = AT_RECONVERGENCE if state <= NAMED else STACKED if state == RECONVERGENCE else state
            found.append(WaitingPath(name, lanes, pc, state, joins if state == STACKED else -1))
    return found


def next_paths(core: np.void, warp: int, lanes: int) -> list[tuple[int, WaitingPath]]:
    """(lanes, path): where lanes that do not run continue, the newest path first. A lane that waits in several is in the newest."""
    found = []
    for path in reversed(waiting_paths(core, warp)):
        here, lanes = path.lanes & lanes, lanes & ~path.lanes
        if here:
            found.append((here, path))
    return found


def state_bytes(core: np.void, warp: int) -> list[bytes]:
    """Everything about a warp's paths that affects what it does next."""
    found = []
    for name in TABLES:
        table, count = core[name], int(core[name]["count"][warp])
        found.append(np.array([count, table["rejoins_at"][warp]], np.int64).tobytes() + table["called"][warp].tobytes())
        found += [table[field][warp, :count].tobytes() for field in ("mask", "pc", "state", "reconvergence_pc")]
    barriers, count = core["convergence_barriers"], int(core["convergence_barriers"]["count"][warp])
    found.append(np.array([count, barriers["backward_jumps"][warp]], np.int64).tobytes())
    found += [barriers[field][warp, :count].tobytes() for field in ("pc", "members")]
    found.append(barriers["converging"][warp].tobytes())
    syncing = int(barriers["syncing"][warp])
    named = [int(lanes) for lane, lanes in enumerate(barriers["named"][warp].tolist()) if syncing >> lane & 1]
    found.append(np.array([syncing, *named], np.uint64).tobytes())
    return found
