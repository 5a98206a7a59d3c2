"""Banks: how many passes the accesses of every instruction to shared memory take. One pass is an access without a conflict.

An n-way conflict, lanes that want n different words of one bank, takes n passes
(`machine/core/load_store/shared_memory.py`). An access of more than a bank's word a lane takes several passes even without one.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from warploom.machine.accounting import reasons as r
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import profile_of
from warploom.observe.pictures.raster import hex_of, line_colour
from warploom.observe.pictures.sheet import RIGHT, TOP, Page, Sheet
from warploom.observe.pictures.view import DrawingError, View
from warploom.observe.text.palette import LANES, REASONS
from warploom.observe.text.styled import grouped, percent, shortened

BAR, NOTES = 26, 190  # points: a bar with its gap, the numbers after the bars
LETTER, MARGIN = 7, 32  # points of a letter of the instructions' text, and beside it
LONGEST = 38  # characters of an instruction


@dataclass(frozen=True)
class Instruction:
    """One instruction with accesses to shared memory. line: of the source, 0 for none."""

    line: int
    text: str
    accesses: int
    passes: int

    @property
    def each(self) -> float:
        """Passes per access."""
        return self.passes / self.accesses


@dataclass(frozen=True)
class Banks:
    """The picture as data. banks: of the machine's shared memory."""

    banks: int
    instructions: tuple[Instruction, ...]

    @property
    def accesses(self) -> int:
        """Accesses of warps."""
        return sum(one.accesses for one in self.instructions)

    @property
    def passes(self) -> int:
        """Passes that they take."""
        return sum(one.passes for one in self.instructions)


def data(result: RunResult, view: View, *, most_columns: int = 0) -> Banks:
    """The accesses of a run, by instruction. Raises DrawingError where there are none."""
    if not result.has.shared_memory:
        raise DrawingError(f"the cores of {result.config.name!r} have no shared memory: bank conflicts are of machines with warps")
    profile, program = profile_of(result, "a picture of bank conflicts"), result.program
    found = [
        Instruction(program.position(pc).line, program.text[pc], int(row[r.ACCESSES]), int(row[r.PASSES]))
        for pc, row in enumerate(profile)
        if row[r.PASSES]
    ]
    if not found:
        raise DrawingError("the kernel has no access to shared memory, so no bank conflicts")
    return Banks(result.config.shared.banks, tuple(found))


def caption(banks: Banks) -> str:
    """What the picture says in a sentence."""
    more = banks.passes - banks.accesses
    said = f"{_counted(banks.accesses, 'access')} in {_counted(banks.passes, 'pass')}"
    return f"{banks.banks} banks: {said}, {percent(more / banks.passes).strip()} of them for conflicts"


def _counted(number: int, noun: str) -> str:
    return f"{grouped(number)} {noun}{'' if number == 1 else 'es'}"


def facts(banks: Banks) -> dict[str, Any]:
    """The picture in numbers."""
    return {
        "banks": banks.banks,
        "accesses": banks.accesses,
        "passes": banks.passes,
        "instructions": [
            {"line": one.line, "text": one.text, "accesses": one.accesses, "passes": one.passes} for one in banks.instructions
        ],
    }


def draw(banks: Banks, page: Page) -> Sheet:
    """The sheet: a bar per instruction, its first pass and those that a conflict adds."""
    rows = len(banks.instructions)
    named = [f"{one.line}: {one.text}" if one.line else one.text for one in banks.instructions]
    short = [shortened(name, LONGEST) for name in named]
    left = LETTER * max(len(name) for name in short) + MARGIN
    sheet = page.sheet(page.width, TOP + 40 + rows * BAR + 50)
    needed, added = LANES["active"], REASONS["not_selected"]
    sheet.legend(left, TOP, [("first pass", needed), ("passes for a conflict", added)])
    ax = sheet.plot(left, TOP + 30, page.width - left - RIGHT - NOTES, rows * BAR + 6)
    ax.grid(axis="x", color=sheet.ground.line, linewidth=0.7)
    ax.grid(visible=False, axis="y")
    height = 0.62
    for row, one in enumerate(banks.instructions):
        edge = {"edgecolor": sheet.ground.quiet, "linewidth": 0.6}
        ax.barh(row, min(one.each, 1), height, color=hex_of(needed, page.dark), **edge)
        colour = hex_of(added, page.dark)
        ax.barh(row, max(one.each - 1, 0), height, left=1, color=colour, hatch="//", edgecolor=line_colour(colour), linewidth=0)
        note = f"{_counted(one.accesses, 'access')} x {one.each:.3g} {'pass' if one.each == 1 else 'passes'}"
        ax.annotate(note, (one.each, row), (6, 0), textcoords="offset points", va="center", fontsize=8.5, color=sheet.ground.text)
    ax.set_yticks(range(rows), short, fontfamily="monospace", fontsize=8.5)
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    ax.set_ylim(rows - 0.4, -0.6)
    ax.set_xlim(0, max(one.each for one in banks.instructions) * 1.02)
    ax.xaxis.set_major_locator(importlib.import_module("matplotlib.ticker").MaxNLocator(nbins=10, integer=True))
    ax.set_xlabel("passes per access; 1 is without a conflict", fontsize=9)
    return sheet
