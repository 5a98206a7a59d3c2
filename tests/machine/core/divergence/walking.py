"""Small programs for one warp without a machine: what its lanes do, and how they are walked through on both engines."""

import numpy as np

from tests.machine.two_engines import both
from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import with_reconvergence
from warploom.isa.program import Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import NUMBER, Uop
from warploom.machine.core.divergence.its import ConvergenceBarriers
from warploom.machine.core.divergence.path_table import SIDES, PathTable
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.bits import bit
from warploom.machine.engine.unit import unit

LANES, WARP = 4, 3
NOP, END, YIELD = Uop("nop"), Uop("exit"), Uop("yield")
BRANCH, JUMP, EXIT = NUMBER["branch"], NUMBER["jump"], NUMBER["exit"]


def jump(target):
    return Uop("jump", target=target)


def fork(target, number=0):
    """Lanes whose value has this bit go to the target."""
    return Uop("branch", a=0, imm=1 << number, target=target)


def program(instructions):
    builder = ProgramBuilder()
    for instruction in instructions:
        builder.add([instruction], text=str(instruction))
    uops, code, text = builder.arrays()
    return with_reconvergence(Program("test", "test", uops, code, text, 1, ("r0",)))


@unit
def note(trace, issues, warps):
    """Write down an issue: its pc and mask. Returns how many there are now."""
    trace[issues, 0] = warps.pc[WARP]
    trace[issues, 1] = np.int64(warps.mask[WARP])
    return issues + 1


@unit
def chosen(uops, values, warps):
    """The lanes that a branch takes to its target: those whose value has its bit. The value loses the bit, so that a loop ends."""
    pc = np.int64(warps.pc[WARP])
    taken = np.uint64(0)
    for lane in range(LANES):
        if uops[pc, u.OP] == BRANCH and warps.mask[WARP] & bit(lane) != np.uint64(0) and values[lane] & uops[pc, u.IMM] != 0:
            values[lane] -= np.int64(uops[pc, u.IMM])
            taken = taken | bit(lane)
    return taken


@unit
def go_on(uops, warps, taken):
    """An instruction after which all lanes are at one place, or have ended. Returns 0, and does nothing, where they part."""
    pc = np.int64(warps.pc[WARP])
    mask = warps.mask[WARP]
    op = uops[pc, u.OP]
    if op == BRANCH and taken != np.uint64(0) and taken != mask:
        return 0
    if op == EXIT:
        warps.threads[WARP] = warps.threads[WARP] & ~mask
        warps.mask[WARP] = np.uint64(0)
    elif op == JUMP or (op == BRANCH and taken == mask):
        warps.pc[WARP] = uops[pc, u.TARGET]
    else:
        warps.pc[WARP] += 1
    return 1


def walk_through(walk, instructions, values, *, first="fall_through", barriers=16, patience=256, limit=200):
    """The issues of a warp as (instruction, lanes), and its (paths, convergence barriers) afterwards.

    walk: a unit of the mechanism's own test.
    """
    paths, tables, convergence = np.zeros(1, PathTable), np.zeros(1, Warps), np.zeros(1, ConvergenceBarriers)
    paths["first_side"], convergence["limit"], convergence["patience"] = SIDES[first], barriers, patience
    tables["mask"][0, WARP] = tables["threads"][0, WARP] = (1 << LANES) - 1
    issued, after = both(
        walk, paths, convergence, tables, program(instructions).uops, np.array(values, np.int64), np.zeros((limit, 2), np.int64)
    )
    assert not issued or after[5][issued - 1].any()
    return [tuple(row) for row in after[5][:issued].tolist()], (after[0][0], after[1][0])
