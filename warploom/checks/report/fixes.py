"""Fixes: what a finding proposes to write instead."""

from __future__ import annotations

import math
from collections.abc import Sequence

from warploom.checks import shadow as s
from warploom.checks.bounds import Indexed
from warploom.checks.report.places import extreme_at, in_branch, is_assigned
from warploom.isa import uop as u
from warploom.isa.needs import uses
from warploom.isa.program import Program

LOCK = "; for a lock: cuda.threadfence() after it is taken and before it is given back"
MEETING = "; threads of two blocks may meet there too: for them it takes an array of its own for the results, or a kernel after this one"
WARP_OPERATIONS = ("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "ballot", "match_any")
ATOMIC_BYTES = 4  # there is no atomic of smaller items


def fix_of_race(program: Program, row: Sequence[int], blocks: bool, same_line: bool, in_loop: bool) -> str:
    """For two accesses without order. row: of the findings. blocks: of threads of two blocks. same_line: one line does both.

    in_loop: a loop of the function may come to that line again.
    """
    python, cooperative = program.language.python, uses(program, "grid_barrier")
    if python and (extreme := extreme_of(program, row)):
        return f"do it in one step: {extreme}"
    several = row[s.SPACE] == u.GLOBAL_SPACE and math.prod(program.launch.grid_dims) > 1
    if blocks and cooperative:
        return "blocks have no order: put the grid's sync() between the two, or use an atomic"
    if blocks:
        lock = LOCK if python and uses(program, "atomic_cas") else ""
        return f"blocks have no order: use an atomic, an array for each block, or a kernel of its own after this one{lock}"
    if row[s.PC] == row[s.OTHER_PC] and row[s.ACCESS] == s.WRITE:
        return "let one thread write it, or give each thread an element of its own"
    if python and cooperative and row[s.SPACE] == u.GLOBAL_SPACE:
        return "put the grid's sync() between the two, or cuda.syncthreads() where only threads of one block meet"
    if python and same_line and {row[s.ACCESS], row[s.OTHER_ACCESS]} == {s.READ, s.WRITE}:
        return (
            "split the line: read into a variable, then cuda.syncthreads() where all threads of the block pass, then write"
            f"{', and once more cuda.syncthreads() before the next round' if in_loop else ''}{MEETING if several else ''}"
        )
    unordered = u.SHARED_UNORDERED if row[s.SPACE] == u.SHARED_SPACE else u.GLOBAL_UNORDERED
    if (program.uops[program.uops[:, u.OP] == u.NUMBER["barrier"], u.FLAGS] & unordered).any():
        return "let the barrier between the two order both memories: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"
    return f"put {program.language.barrier} between the two, where all threads of the block pass{MEETING if several else ''}"


def fix_of_lockstep(program: Program, row: Sequence[int], lanes: int, same_line: bool) -> str:
    """For two accesses that only the lockstep of a warp orders. row: of the findings. lanes: of a warp. same_line: one line does both.

    Where all threads of a block of one warp pass, nobody can tell whether the program is about warps or its block is small: a barrier is
    right for every size.
    """
    about_warps = uses(program, "sync_warp", *WARP_OPERATIONS)
    branches = any(in_branch(program, program.position(row[pc])) for pc in (s.PC, s.OTHER_PC))
    if program.language.python and program.launch.block_threads <= lanes and not (about_warps or branches):
        barrier, why = "cuda.syncthreads()", ", where all threads of the block pass: it is right for every size of the block"
    else:
        barrier, why = "cuda.syncwarp()", ""
    if same_line and {row[s.ACCESS], row[s.OTHER_ACCESS]} == {s.READ, s.WRITE}:
        return f"split the line: read into a variable, then {barrier}, then write{why}"
    return f"put {barrier} between the two{why}"


def extreme_of(program: Program, row: Sequence[int]) -> str:
    """The atomic that keeps the largest or the smallest number, where both accesses are of a statement that does so by hand; else ""."""
    if program.uops[row[s.UOP], u.SIZE] < ATOMIC_BYTES:
        return ""
    one, other = program.position(row[s.PC]), program.position(row[s.OTHER_PC])
    ways = [(one, other)] * (row[s.ACCESS] == s.WRITE) + [(other, one)] * (row[s.OTHER_ACCESS] == s.WRITE)
    return next((found for write, meets in ways if (found := extreme_at(program, write, meets))), "")


def fix_of_update(program: Program, row: Sequence[int], blocks: bool) -> str:
    """For a lost update. row: of the findings. blocks: of threads of two blocks."""
    if not program.language.python:
        return "update it with an atomic"
    if not is_assigned(program, program.position(row[s.PC])):  # by a function of the library, such as one for random numbers
        return "give each thread an element of its own"
    if extreme := extreme_of(program, row):
        return f"do it in one step: {extreme}"
    fix = f"update it in one step, with cuda.atomic{LOCK if blocks and uses(program, 'atomic_cas') else ''}"
    if blocks or row[s.SPACE] != u.SHARED_SPACE:
        return fix
    return f"{fix}; or, where it is one step of several, put cuda.syncthreads() between them"


def fix_of_index(asked: Indexed, index: int, extent: int) -> str:
    """For an index outside of its axis. extent: elements of the axis."""
    if not extent:
        if asked.dynamic:
            return f"{asked.array} is empty: ask for more dynamic shared memory in the launch"
        return f"the array is empty; guard it: if {asked.array if asked.array.isidentifier() else 'array'}.size > 0"
    if asked.text.lstrip("-").isdecimal():
        return f"the index {index} needs an axis of {index + 1 if index >= 0 else -index} elements"
    more = ", or ask for more dynamic shared memory in the launch" if asked.dynamic and index >= 0 else ""
    if asked.text:
        return f"guard it: if {'0 <= ' if index < 0 else ''}{asked.text} < {asked.bound or extent}{more}"
    return f"let the index be from 0 to {extent - 1}" if index < 0 else f"let the index be below {asked.bound or extent}{more}"
