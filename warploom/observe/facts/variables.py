"""Variables: which of the source's names the result of an instruction is, and which array of shared memory a line indexes."""

from __future__ import annotations

import ast
import re
from typing import cast

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.program import Program
from warploom.isa.program_builder import registers_written
from warploom.isa.variables import Event, Span, Variables
from warploom.observe.facts.producers import groups_read

ASSIGNMENT = re.compile(r"\s*(?:[A-Za-z_][\w:<>]*[\s*&]+)*([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)")  # of C and its kin

SHARED = (  # declarations of Python, and of CUDA C++ and OpenCL
    re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(?:[A-Za-z_]\w*\.)*shared\.array\b"),
    re.compile(r"\b(?:__shared__|__local|local)\s+(?:[A-Za-z_]\w*[\s*]+)+([A-Za-z_]\w*)\s*\["),
)
INDEXED = re.compile(r"\b([A-Za-z_]\w*)\s*\[")


def variables(program: Program) -> dict[int, str]:
    """By instruction: the variable that its result is. A compiler of ours says it; else it is read from the text (`_by_lines`)."""
    return program.variables.results if program.variables else _by_lines(program)


def held(program: Program) -> Variables:
    """Where the variables of a program are at each of its instructions."""
    return program.variables or cast(Variables, program.once("variables of lines", lambda: _from_lines(program)))


def _from_lines(program: Program) -> Variables:
    """What the text says of variables, followed through the registers: results of one register, or of a pair."""
    names, flow = _by_lines(program), Flow(program)
    if not names:
        return Variables()
    entry = min(max(program.launch.entry, 0), len(program) - 1)
    order = sorted(range(len(flow.blocks)), key=lambda number: flow.blocks[number].first)
    place = {number: where for where, number in enumerate(order)}
    spans = []
    for number in order:
        block, events = flow.blocks[number], []
        for instruction in range(block.first, block.last + 1):
            registers = sorted(one for one in _written(program, instruction) if not u.HIDDEN <= one < u.SCALAR)
            pair = len(registers) == 2 and registers[1] == registers[0] + 1
            name = names.get(instruction, "") if len(registers) == 1 or pair else ""
            whole = [(registers[0], len(registers))] if name else [(register, 1) for register in registers]
            for register, words in whole:
                events.append(Event(instruction + 1, instruction * (u.SCALAR * 2) + register + 1, "", register, words))
            if name:
                events.append(Event(instruction + 1, events[-1].token, name))
        spans.append(Span(block.first, block.last + 1, tuple(place[one] for one in block.successors if one in place), tuple(events)))
    return Variables(tuple(spans)) if spans and spans[0].first <= entry <= spans[0].stop else Variables()


def _written(program: Program, number: int) -> set[int]:
    """The registers that an instruction writes, as operands say them."""
    first, count = (int(program.code[number, column]) for column in (u.FIRST_UOP, u.COUNT))
    return {int(one) for one in registers_written(program.uops[first : first + count]).ravel() if one >= 0}


def _by_lines(program: Program) -> dict[int, str]:
    """Results of instructions, where lines are statements and the line assigns one variable.

    It is the one of the line's instructions whose result no later one of them reads; where that is not one alone, nothing is said.
    """
    if not program.statements:
        return {}
    lines: dict[tuple[int, int], list[int]] = {}
    for number in range(len(program)):
        place = program.position(number)
        if place.line:
            lines.setdefault((place.file, place.line), []).append(number)
    found = {}
    for (file, line), numbers in lines.items():
        source = program.sources[file].lines
        name = _assigned(source[line - 1], program.language.python) if line <= len(source) else ""
        roots = _roots(program, numbers) if name else []
        if len(roots) == 1:
            found[roots[0]] = name
    return found


def shared_array(program: Program, instruction: int) -> str:
    """The name of the array in shared memory that an instruction's line indexes; "" where that is not one alone."""
    place = program.position(instruction)
    lines = program.source_of(place).lines
    if not 0 < place.line <= len(lines):
        return ""
    declared = {name for line in lines for pattern in SHARED for name in pattern.findall(line)}
    indexed = declared & set(INDEXED.findall(lines[place.line - 1]))
    return indexed.pop() if len(indexed) == 1 else ""


def _assigned(text: str, python: bool) -> str:
    """The variable that a line assigns; "" for anything else, and for several."""
    if not python:
        match = ASSIGNMENT.match(text)
        return match[1] if match else ""
    try:
        (statement,) = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return ""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AugAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _roots(program: Program, numbers: list[int]) -> list[int]:
    """Those whose result no later one reads, of a line's instructions in their order."""
    last: dict[int, int] = {}
    consumed = set()
    for number in numbers:
        consumed |= {last[group] for group in groups_read(program, number) if group in last}
        for group in program.code[number, u.USE : u.USE + program.code[number, u.WRITES]].tolist():
            last[group] = number
    return sorted(set(last.values()) - consumed)
