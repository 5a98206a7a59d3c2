"""Callers: which instruction of the user's program has called the run-time, where a warp is there.

Not hardware: an observer that runs after the last cycle, as a debugger that walks the stack. The program says from which instructions the
run-time is entered; the address that one of them has left behind, in the register for it or on the stack, says which one it was. A jump in
a function's last statement leaves none: the register then has the address that the function itself goes back to.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.entrances import entrances
from warploom.isa.program import Program
from warploom.isa.regions import RegionError

RETURN_ADDRESS, STACK_POINTERS = "ra", ("sp", "rsp")
WORD = 0xFFFFFFFF
DEEPEST = 2048  # bytes of the stack that are looked through


class Stopped(Protocol):
    """A machine that does not run."""

    program: Program
    memory: np.ndarray
    cores: np.ndarray


def caller(machine: Stopped, core: int, warp: int, lane: int, instruction: int) -> int:
    """The user's instruction that has called the run-time, in which a lane of a warp is at an instruction; -1 where there is none.

    -1 too of an instruction that is the user's own, and where nothing tells which of several it was.
    """
    program = machine.program
    if not program.in_runtime(instruction):
        return -1
    callers = entrances(program).get(instruction, ())
    if len(callers) < 2:
        return callers[0] if callers else -1
    returns = {int(program.code[one + 1, u.ADDRESS]) & WORD: one for one in callers if one + 1 < len(program)}
    held = dict(zip(program.register_names, machine.cores[core]["registers"]["lane"][warp][:, lane].tolist(), strict=False))
    if RETURN_ADDRESS in held:
        address = held[RETURN_ADDRESS]
        if address in returns:
            return returns[address]
        back = np.flatnonzero(program.code[:, u.ADDRESS].astype(np.int64) & WORD == address)
        if len(back) and int(back[0]) not in entrances(program):
            jumps = [one for one in callers if not _links(program, one)]
            return jumps[0] if len(jumps) == 1 else -1
    pointer = next((name for name in STACK_POINTERS if name in held), None)
    return -1 if pointer is None else _on_stack(machine, held[pointer] & ~3, returns)


def _links(program: Program, instruction: int) -> bool:
    """Whether a call or jump keeps the way back in a register."""
    first, count = program.code[instruction, [u.FIRST_UOP, u.COUNT]].tolist()
    return bool((program.uops[first : first + count, u.DST] != u.NONE).any())


def _on_stack(machine: Stopped, bottom: int, returns: dict[int, int]) -> int:
    """The caller whose return address lies lowest on a stack."""
    space = machine.program.address_space()
    for address in range(bottom, bottom + DEEPEST, 4):
        try:
            place = space.place(address, 4)
        except RegionError:
            return -1
        if (found := returns.get(int(machine.memory[place // 4]) & WORD)) is not None:
            return found
    return -1
