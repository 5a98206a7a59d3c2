"""Small programs for one warp without a machine: what its lanes do, and how they are walked through on both engines."""

import numpy as np

from tests.machine.two_engines import both
from warploom.isa.flow import with_reconvergence
from warploom.isa.program import Program, ProgramBuilder
from warploom.isa.uop import Uop
from warploom.machine.divergence.contexts import SIDES, Contexts
from warploom.machine.warps import Warps

LANES, WARP = 4, 3
NOP, END, YIELD = Uop("nop"), Uop("exit"), Uop("yield")


def jump(target):
    return Uop("jump", target=target)


def fork(target, number=0):
    """Lanes whose value has this bit go to the target; the value loses the bit, so that a loop ends."""
    return Uop("branch", a=0, imm=1 << number, target=target)


def program(instructions):
    builder = ProgramBuilder()
    for instruction in instructions:
        builder.add([instruction], text=str(instruction))
    uops, code, text = builder.arrays()
    return with_reconvergence(Program("test", "test", uops, code, text, 1, ("r0",)))


def walk_through(walk, instructions, values, *, first="fall_through", barriers=16, patience=256, limit=200):
    """The issues of a warp as (instruction, lanes), and its contexts afterwards. walk: a unit of the mechanism's own test."""
    contexts, tables = np.zeros(1, Contexts), np.zeros(1, Warps)
    contexts["first"], contexts["barrier_limit"], contexts["patience"] = SIDES[first], barriers, patience
    tables["mask"][0, WARP] = tables["threads"][0, WARP] = (1 << LANES) - 1
    issued, after = both(walk, contexts, tables, program(instructions).uops, np.array(values, np.int64), np.zeros((limit, 2), np.int64))
    assert not issued or after[4][issued - 1].any()
    return [tuple(row) for row in after[4][:issued].tolist()], after[0][0]
