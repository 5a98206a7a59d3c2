"""The source: every line with its breakpoints, and the warps that are about to run it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.places import has_lines
from warploom.isa.program import Program, lines_of
from warploom.observe.text.styled import QUIET, Line

CURRENT, STANDS, BROKEN = "bold reverse", "bold yellow", "bold red"
MOST_NAMES = 3  # warps that a line names
GUTTER = 4  # characters of a line beside its number and its text


@dataclass(frozen=True)
class Row:
    """A line of the listing: its number in its file, its text, and the instructions that it holds. number: 0 of a file's path."""

    number: int
    text: str
    instructions: tuple[int, ...]


@lru_cache(maxsize=2)
def _rows(
    source: str, path: str, program_id: int, lines: tuple[int, ...], text: tuple[str, ...], numbers: tuple[int, ...]
) -> tuple[Row, ...]:
    if not source or not any(lines):
        return tuple(Row(pc, line, (pc,)) for pc, line in enumerate(text))
    held: dict[int, list[int]] = {}
    for pc, line in enumerate(lines):
        held.setdefault(line, []).append(pc)
    listed = zip(numbers, lines_of(source), strict=False)
    return tuple(Row(number, line.expandtabs(4), tuple(held.get(row, ()))) for row, (number, line) in enumerate(listed, 1))


def rows(program: Program) -> tuple[Row, ...]:
    """The lines of the source, or one an instruction where there is none."""
    lines = tuple(program.row(pc) for pc in range(len(program)))
    return _rows("\n".join(program.listing[0]), program.source.path, id(program), lines, program.text, tuple(program.line_numbers))


def row_of(program: Program, pc: int) -> int:
    """The index of the row that holds an instruction."""
    return next((index for index, row in enumerate(rows(program)) if pc in row.instructions), 0)


class Listing:
    """The source as it stands now, in lines of a width. Marks: a breakpoint, the chosen warp's line, that of others, whose names follow."""

    def __init__(self, debugger: Debugger, width: int, *, unicode: bool = False) -> None:
        self.rows = rows(debugger.program)
        self._marks = ("●", "▶", "▷") if unicode else ("*", ">", "-")
        self._broken = debugger.breakpoints()
        chosen = debugger.warp()
        self._chosen = -1 if chosen is None else chosen.pc
        self._standing: dict[int, list[str]] = {}
        for state in debugger.warps():
            self._standing.setdefault(state.pc, []).append(debugger.name(state.core, state.slot))
        self._digits = max((len(str(row.number)) for row in self.rows), default=1)
        self._room = max(width - self._digits - GUTTER, 8)

    def lines(self, index: int) -> list[Line]:
        """A row: one line, or as many as its text and the names of the warps that stand there need."""
        row, (point, here, there) = self.rows[index], self._marks
        names = [name for pc in row.instructions for name in self._standing.get(pc, ())]
        current = self._chosen in row.instructions
        style = CURRENT if current else "" if row.instructions else QUIET
        texts, label = _wrapped(row.text, self._room), _names(names)
        if label and len(texts[-1]) + 1 + len(label) > self._room:
            texts.append("")
        found: list[Line] = [
            [
                (point if any(pc in self._broken for pc in row.instructions) else " ", BROKEN),
                (f"{row.number or '':>{self._digits}} ", QUIET),
                (f"{here if current else there if names else ' '} ", STANDS),
                (texts[0], style),
            ]
        ]
        found += [[(" " * (self._digits + GUTTER), ""), (text, style)] for text in texts[1:]]
        if label:
            found[-1] += [(" " * max(self._room - len(texts[-1]) - len(label), 1), ""), (label, STANDS)]
        return found


def lines(debugger: Debugger, first: int, count: int, width: int) -> list[Line]:
    """So many rows from `first` on."""
    listing = Listing(debugger, width)
    return [line for index in range(first, min(first + count, len(listing.rows))) for line in listing.lines(index)]


def _wrapped(text: str, room: int) -> list[str]:
    """A text in pieces that fit, without the blanks that line up its comment; what continues is indented by two more, cut at blanks."""
    indent = len(text) - len(text.lstrip())
    if len(text) > room:
        text = " " * indent + re.sub(r" {2,}(?=;)", "  ", text[indent:])
    indent = min(indent + 2, room // 2)
    found, left = [], text
    while len(left) > room:
        cut = left.rfind(" ", indent + 1, room + 1)
        cut = cut if cut > 0 and left[:cut].strip() else room
        found.append(left[:cut].rstrip())
        left = " " * indent + left[cut:].lstrip()
    return [*found, left]


def _names(names: list[str]) -> str:
    return " ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} warps"


def heading(debugger: Debugger) -> str:
    """What the listing is of."""
    program = debugger.program
    return program.source.path if has_lines(program) else f"{program.name}: {len(program)} instructions"
