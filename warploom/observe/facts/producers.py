"""Where a value comes from: the instructions whose result another instruction may be waiting for."""

from __future__ import annotations

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.program import Program


def producers(program: Program, instruction: int, units: tuple[int, ...]) -> list[int]:
    """The instructions of these units that may be the last to write a register that `instruction` reads or writes.

    units: numbers of `uop.UNITS`. All ways through the program that lead to the instruction are followed back.
    """
    flow = Flow(program)
    before: list[list[int]] = [[] for _ in range(len(program) + 1)]
    for number in range(len(program)):
        for following in flow.successors(number):
            before[following].append(number)
    found: set[int] = set()
    for group in _groups(program, instruction, u.USES):
        seen, ways = set(), list(before[instruction])
        while ways:
            number = ways.pop()
            if number in seen:
                continue
            seen.add(number)
            if group in _groups(program, number, u.WRITES):
                found.add(number)
            else:
                ways += before[number]
    return sorted(number for number in found if program.code[number, u.ISSUE_UNIT] in units)


def _groups(program: Program, instruction: int, count: int) -> list[int]:
    row = program.code[instruction]
    return [int(group) for group in row[u.USE : u.USE + row[count]]]
