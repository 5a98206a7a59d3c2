"""Edges: what is copied on the way back to a loop's beginning is copied before the branch that leads there.

A loop that asks at its end has its copies on an edge of their own: a branch out of the loop, the copies, a jump back. Where what they
overwrite is not wanted behind the loop, they stand in front of the branch, which then leads back itself: one instruction fewer a turn.
What is copied must not be wanted there either: on its edge such a copy vanishes, since both may share a register, and in front of the
branch both would hold something.
"""

from __future__ import annotations

from dataclasses import replace

from warploom.compiler.liveness import live_out
from warploom.compiler.mir import MachineBlock, Reg, register_of


def copy_before_branches(blocks: list[MachineBlock]) -> None:
    """Move the copies of edges back, block by block."""
    place = {block: number for number, block in enumerate(blocks)}
    edges = [(block, edge, other) for block in blocks if len(block.after) == 2 for edge, other in (block.after, block.after[::-1])]
    backward = [(block, edge, other) for block, edge, other in edges if _is_edge(edge, block) and place[edge.after[0]] <= place[block]]
    if not backward:
        return
    _, wanted = live_out(blocks)
    changed: set[MachineBlock] = set()  # of a block both of whose edges lead back only one is looked at
    for block, edge, other in backward:
        if block in changed:
            continue
        condition = register_of(block.condition)
        copies = edge.code[0].copies
        moved = [one for one in copies if not {one[0], register_of(one[1])} & wanted[other] and _may_go(one[0], condition)]
        while left := [one for one in copies if one not in moved]:  # who stays behind reads nothing that is overwritten before
            read = {register_of(source) for _, source in left}
            again = [one for one in moved if one[0] not in read]
            if len(again) == len(moved):
                break
            moved = again
        if moved:
            changed.add(block)
            block.code.append(replace(edge.code[0], copies=moved))
            edge.code = [replace(edge.code[0], copies=left)] if left else []


def _may_go(to: Reg, condition: Reg | None) -> bool:
    """Whether a register may be written before the branch asks: those of the warp only where all its lanes go the same way."""
    return to is not condition and (to.bank == "v" or condition is None or condition.bank == "s")


def _is_edge(edge: MachineBlock, block: MachineBlock) -> bool:
    """Whether a block has copies alone, all at the same time, and is come to from one place."""
    return len(edge.after) == 1 and edge.before == [block] and len(edge.code) == 1 and bool(edge.code[0].copies)
