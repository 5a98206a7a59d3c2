"""The source: every line with its breakpoints, and the warps that are about to run it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.places import has_lines
from warploom.isa.program import Program, lines_of
from warploom.observe.text.styled import QUIET, Line

CURRENT, STANDS, BROKEN = "bold reverse", "bold yellow", "bold red"
MOST_NAMES = 3  # warps that a line names


@dataclass(frozen=True)
class Row:
    """A line of the listing: its number, its text, and the instructions that it holds."""

    number: int
    text: str
    instructions: tuple[int, ...]


@lru_cache(maxsize=2)
def _rows(source: str, path: str, program_id: int, lines: tuple[int, ...], text: tuple[str, ...]) -> tuple[Row, ...]:
    if not source or not any(lines):
        return tuple(Row(pc, line, (pc,)) for pc, line in enumerate(text))
    held: dict[int, list[int]] = {}
    for pc, line in enumerate(lines):
        held.setdefault(line, []).append(pc)
    return tuple(Row(number, line.expandtabs(4), tuple(held.get(number, ()))) for number, line in enumerate(lines_of(source), 1))


def rows(program: Program) -> tuple[Row, ...]:
    """The lines of the source, or one an instruction where there is none."""
    lines = tuple(program.row(pc) for pc in range(len(program)))
    return _rows("\n".join(program.listing[0]), program.source.path, id(program), lines, program.text)


def row_of(program: Program, pc: int) -> int:
    """The index of the row that holds an instruction."""
    return next((index for index, row in enumerate(rows(program)) if pc in row.instructions), 0)


def lines(debugger: Debugger, first: int, count: int, width: int, *, unicode: bool = False) -> list[Line]:
    """The rows from `first` on. Marks: a breakpoint, the line of the chosen warp, that of others, whose names stand after it."""
    program = debugger.program
    point, here, there = ("●", "▶", "▷") if unicode else ("*", ">", "-")
    chosen = debugger.warp()
    standing: dict[int, list[str]] = {}
    for state in debugger.warps():
        standing.setdefault(state.pc, []).append(debugger.name(state.core, state.slot))
    broken = debugger.breakpoints()
    listing = rows(program)
    digits = len(str(listing[-1].number)) if listing else 1
    found: list[Line] = []
    for row in listing[first : first + count]:
        names = [name for pc in row.instructions for name in standing.get(pc, ())]
        current = chosen is not None and chosen.pc in row.instructions
        style = CURRENT if current else "" if row.instructions else QUIET
        label = _names(names)
        room = max(width - digits - 5 - (len(label) + 1 if label else 0), 8)
        text = row.text if len(row.text) <= room else f"{row.text[: room - 1]}{'…' if unicode else '~'}"
        line: Line = [
            (point if any(pc in broken for pc in row.instructions) else " ", BROKEN),
            (f"{row.number:>{digits}} ", QUIET),
            (f"{here if current else there if names else ' '} ", STANDS),
            (text, style),
        ]
        if label:
            line += [(" " * max(room - len(text) + 1, 1), ""), (label, STANDS)]
        found.append(line)
    return found


def _names(names: list[str]) -> str:
    return " ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} warps"


def heading(debugger: Debugger) -> str:
    """What the listing is of."""
    program = debugger.program
    return program.source.path if has_lines(program) else f"{program.name}: {len(program)} instructions"
