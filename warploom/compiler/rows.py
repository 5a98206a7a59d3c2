"""Rows: accesses that follow one another in memory become one instruction of up to 16 bytes a lane.

In hardware: LDG.64 and LDG.128, STS.128 and their like (NVIDIA, "CUDA Binary Utilities"). An access says how long the aligned row is that
it is a part of (`ssa.Access.row`). The machine makes the transactions of all micro-ops of an instruction together.
"""

from __future__ import annotations

from warploom.compiler.mir import Instr

ACCESSES = ("load", "store")


def join_rows(code: list[Instr]) -> list[Instr]:
    """The instructions of a block, where those that access one row, in its order, are one."""
    found: list[Instr] = []
    for instr in code:
        if found and _continues(found[-1], instr):
            before = found[-1]
            before.uops += instr.uops
            before.bound += instr.bound
            before.early = True  # the address is read after the first result is written
        else:
            found.append(instr)
    return found


def _continues(before: Instr, instr: Instr) -> bool:
    """Whether an access begins where another one ends, in the same row."""
    if not instr.row or before.row != instr.row or len(instr.uops) != 1 or instr.uops[0].op not in ACCESSES:
        return False
    one, last = instr.uops[0], before.uops[-1]
    same = all((x.op, x.a, x.space, x.size, x.view) == (one.op, one.a, one.space, one.size, one.view) for x in before.uops)
    return same and last.imm + one.size == one.imm and (len(before.uops) + 1) * one.size <= instr.row
