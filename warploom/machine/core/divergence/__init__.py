"""Divergence mechanisms: what a warp does when its lanes disagree at a branch. One file per mechanism.

A mechanism answers six questions, a function each in `mechanism.py`, where it enters with a line:

    diverge                 the lanes of a warp disagree at a branch: which lanes go where, and which side runs first
    diverge_indirect        they disagree at a jump through a register
    exit_lanes              lanes end
    arrive_at_barrier       some lanes come to a barrier of the block: has the warp arrived?
    select_path             after every instruction: which lanes run next, from which PC? Which groups reconverge?
    backward_jump_or_yield  the lanes that run have jumped back, or yield: do others run now?
"""

from __future__ import annotations

from typing import NamedTuple


class Mechanism(NamedTuple):
    """A row of the table of mechanisms.

    number: what `Core.divergence` holds. any_order: groups of a warp's lanes run in any order, and each reaches a barrier of the block by
    itself; else whole warps do. uses_reconvergence_pc: it needs the immediate post-dominators that `isa/analysis/control_flow.py` writes
    into a program.
    """

    number: int
    meaning: str
    any_order: bool = False
    uses_reconvergence_pc: bool = False


MECHANISMS = {
    "uniform": Mechanism(0, "lanes must agree; a branch on which they disagree is a fault that names them"),
    "masks": Mechanism(1, "the program manages masks itself; its branches are for whole warps"),
    "stack": Mechanism(2, "reconvergence at the immediate post-dominator", uses_reconvergence_pc=True),
    "minpc": Mechanism(3, "no stack: the lanes with the lowest PC run", any_order=True),
    "its": Mechanism(
        4, "a PC per lane, convergence barriers, and no lane starves", any_order=True, uses_reconvergence_pc=True
    ),
    "dwf": Mechanism(5, "warps formed anew from threads of different warps that are at the same PC", any_order=True),
}  # fmt: skip
UNIFORM, MASKS, STACK, MINPC, ITS, DWF = (MECHANISMS[name].number for name in ("uniform", "masks", "stack", "minpc", "its", "dwf"))
