"""Divergence mechanisms: what a warp does when its lanes disagree at a branch. One file a mechanism.

A mechanism answers five questions, a function each in `mechanism.py`, where it enters with a line:

    part     the lanes of a warp disagree at a branch: who goes where, and who goes first
    scatter  they disagree at a jump through a register
    leave    lanes end
    comes    some lanes come to a barrier of the block: has the warp come?
    settle   after every instruction: which lanes run next, from which PC? Who meets whom?
"""

MECHANISMS = {
    "uniform": 0,  # lanes must agree; a branch on which they disagree is a fault that names them
    "masks": 1,    # the program manages masks itself; its branches are for whole warps
    "stack": 2,    # reconvergence at the immediate post-dominator
    "minpc": 3,    # no stack: the lanes with the lowest PC run
    "its": 4,      # a PC a lane, convergence barriers, and no lane starves
    "dwf": 5,      # warps formed anew from threads of different warps that stand at the same PC
}  # fmt: skip
UNIFORM, MASKS, STACK, MINPC, ITS, DWF = MECHANISMS.values()

# Mechanisms that use the meeting points that `isa/analysis/control_flow.py` finds.
WITH_RECONVERGENCE = ("stack", "its")
