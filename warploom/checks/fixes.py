"""Fixes: what a finding proposes to write instead."""

from __future__ import annotations

from collections.abc import Sequence

from warploom.checks import shadow as s
from warploom.checks.places import DYNAMIC, Names
from warploom.isa import uop as u
from warploom.isa.needs import uses
from warploom.isa.program import Program


def fix_of_race(program: Program, row: Sequence[int], blocks: bool, same_line: bool) -> str:
    """For two accesses without order. row: of the findings. blocks: of threads of two blocks. same_line: one line does both."""
    python, cooperative = program.isa == "python", uses(program, "grid_barrier")
    if blocks and cooperative:
        return "blocks have no order: put the grid's sync() between the two, or use an atomic"
    if blocks and python and uses(program, "atomic_cas"):
        return "blocks have no order: use an atomic; a lock needs cuda.threadfence() after it is taken and before it is given back"
    if blocks:
        return "blocks have no order: use an atomic, an array for each block, or a kernel of its own after this one"
    if row[s.PC] == row[s.OTHER_PC] and row[s.ACCESS] == s.WRITE:
        return "let one thread write it, or give each thread an element of its own"
    if python and cooperative and row[s.SPACE] == u.GLOBAL_SPACE:
        return "put the grid's sync() between the two, or cuda.syncthreads() where only threads of one block meet"
    if python and same_line and {row[s.ACCESS], row[s.OTHER_ACCESS]} == {s.READ, s.WRITE}:
        return "split the line: read into a variable, then cuda.syncthreads() where all threads of the block pass, then write"
    return f"put {'cuda.syncthreads()' if python else 'a barrier'} between the two, where all threads of the block pass"


def fix_of_update(program: Program) -> str:
    """For a lost update."""
    return "update it in one step, with cuda.atomic" if program.isa == "python" else "update it with an atomic"


def fix_of_index(names: Names, index: int, extent: int, text: str) -> str:
    """For an index outside of its axis. extent: elements of the axis. text: the index as the source has it."""
    if extent:
        return f"guard it: if {'0 <= ' if index < 0 else ''}{text} < {extent}"
    if any(start == DYNAMIC for _, start in names.arrays):
        return "the array is empty: ask for more dynamic shared memory in the launch"
    return "the array is empty; guard it: if array.size > 0"
