"""Variables: which of the source's names the result of an instruction is, and which array of shared memory a line indexes."""

from __future__ import annotations

import ast
import re

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.observe.facts.producers import groups_read

ASSIGNMENT = re.compile(r"\s*(?:[A-Za-z_][\w:<>]*[\s*&]+)*([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)")  # of C and its kin

SHARED = (  # declarations of Python, and of CUDA C++ and OpenCL
    re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(?:[A-Za-z_]\w*\.)*shared\.array\b"),
    re.compile(r"\b(?:__shared__|__local|local)\s+(?:[A-Za-z_]\w*[\s*]+)+([A-Za-z_]\w*)\s*\["),
)
INDEXED = re.compile(r"\b([A-Za-z_]\w*)\s*\[")


def variables(program: Program) -> dict[int, str]:
    """By instruction: the variable that its result is, where lines are statements and the line assigns one.

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
