"""Where a value comes from: the instructions whose result an instruction may be waiting for."""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.program import Program
from warploom.isa.program_builder import registers_read

LOADS = (u.MEMORY, u.TEXTURE, u.SHARED)  # the units whose results a program waits for itself


class Producers:
    """A program's instructions, each with those whose result it may be waiting for."""

    def __init__(self, program: Program) -> None:
        self.program, self.before = program, _instructions_before(program)

    def of(self, instruction: int, units: tuple[int, ...], *, read_only: bool = False) -> list[int]:
        """The instructions of these units that may be the last to write a register that `instruction` reads or writes.

        units: numbers of `uop.UNITS`. All paths through the program that lead to the instruction are followed back. read_only: of
        registers that it reads alone; one that it only writes has to be free, but nothing of it is used.
        """
        wanted = groups_read(self.program, instruction) if read_only else None
        return _of_units(self.program, _last_writers(self.program, self.before, instruction, wanted), units)


def producers(program: Program, instruction: int, units: tuple[int, ...]) -> list[int]:
    """The same of one instruction alone."""
    return Producers(program).of(instruction, units)


def awaits_stores(program: Program, instruction: int) -> bool:
    """Whether an instruction waits until few enough of its warp's stores are in flight."""
    first = program.uops[program.code[instruction, u.FIRST_UOP]]
    return bool(first[u.UNIT] == u.BUFFER and first[u.IMM])


def waits_for_shared(program: Program, waits: np.ndarray) -> np.ndarray:
    """int64[instructions]: of each one's waits for `waitcnt` those for shared memory; with loads from elsewhere, or stores, it waits
    for memory."""
    found = np.zeros_like(waits)
    if not waits.any():
        return found
    before = _instructions_before(program)
    for number in np.flatnonzero(waits).tolist():
        loads = _of_units(program, _last_writers(program, before, number), LOADS)
        if not awaits_stores(program, number) and {int(program.code[load, u.ISSUE_UNIT]) for load in loads} == {u.SHARED}:
            found[number] = waits[number]
    return found


def _of_units(program: Program, instructions: set[int], units: tuple[int, ...]) -> list[int]:
    return sorted(number for number in instructions if program.code[number, u.ISSUE_UNIT] in units)


def _instructions_before(program: Program) -> list[list[int]]:
    """By instruction: those after which it may be executed."""
    flow = Flow(program)
    before: list[list[int]] = [[] for _ in range(len(program) + 1)]
    for number in range(len(program)):
        for following in flow.successors(number):
            before[following].append(number)
    return before


def _last_writers(program: Program, before: list[list[int]], instruction: int, wanted: set[int] | None = None) -> set[int]:
    """wanted: the register groups that count; None for all that it uses."""
    found: set[int] = set()
    for group in _groups(program, instruction, u.USES):
        if wanted is not None and group not in wanted:
            continue
        seen, open_ones = set(), list(before[instruction])
        while open_ones:
            number = open_ones.pop()
            if number in seen:
                continue
            seen.add(number)
            if group in _groups(program, number, u.WRITES):
                found.add(number)
            else:
                open_ones += before[number]
    return found


def groups_read(program: Program, instruction: int) -> set[int]:
    """The register groups that an instruction reads."""
    first, count = (int(program.code[instruction, column]) for column in (u.FIRST_UOP, u.COUNT))
    registers = np.unique(registers_read(program.uops[first : first + count])).tolist()
    lanes = {register // program.lock_width for register in registers if 0 <= register < u.SCALAR}
    return lanes | {register - u.SCALAR + u.SCALAR_GROUP for register in registers if register >= u.SCALAR}


def _groups(program: Program, instruction: int, count: int) -> list[int]:
    row = program.code[instruction]
    return [int(group) for group in row[u.USE : u.USE + row[count]]]
