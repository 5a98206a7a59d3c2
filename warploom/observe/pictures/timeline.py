"""Timeline: what every warp did, a row per warp: it issues, or it waits for a reason by Nsight Compute's name.

x = cycles. If cores run one instruction at a time, a row is a core and what it does is the state of its sequencer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.isa.counts import total_by
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.pictures.bands import CORE_GAP, Band, cell_width, sheet_of
from warploom.observe.pictures.raster import painted, stacked
from warploom.observe.pictures.sheet import SCALE, Page, Sheet
from warploom.observe.pictures.view import Columns, View, columns_of
from warploom.observe.text.palette import LANES, NONE, Look, look_of
from warploom.observe.text.styled import QUIET, Line, counted, grouped, percent, warp_name

NO_WARP, FIRST_ACTIVITY = 0, 1  # cells; an activity is FIRST_ACTIVITY + its number
HEIGHT = 560  # points that all rows may take together, as long as each has the least
TALLEST, TALLEST_DIVIDED, LEAST = 24, 60, 4  # points of a row; divided: one whose columns are
LABEL = 15  # characters in front of a row of letters


@dataclass(frozen=True, eq=False)
class Row:
    """One warp slot. cells: uint8[columns], what it does most. shares: float64[names, columns], the part of a column spent in each way."""

    core: int
    warp: int
    cells: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class Rows:
    """The picture as data. names: what each number of a cell means. warp_cycles: by those names, exact."""

    columns: Columns
    names: tuple[str, ...]
    warp_cycles: dict[str, int]
    rows: tuple[Row, ...]
    sequencer: bool


def data(result: RunResult, view: View, *, most_columns: int = 1000) -> Rows:
    """The timeline of a run. Raises ValueError for cores with warps whose run has written down no events."""
    line = t.timeline(result)
    cores, warps = (None if part is None else list(part) for part in (view.cores, view.warps))
    spans = line.part(view.start, view.stop, cores, warps)
    columns = columns_of(view, most_columns)
    names = (NONE, *(activity.name for activity in line.activities))
    slot = spans[:, t.CORE] * line.warps + spans[:, t.WARP]
    rows = []
    for number in np.unique(slot).tolist():
        core, warp = divmod(number, line.warps)
        rows.append(_row(core, warp, spans[slot == number], columns, len(names)))
    spent = total_by(spans[:, t.ACTIVITY], spans[:, t.STOP] - spans[:, t.START], len(line.activities))
    totals = {activity.name: int(cycles) for activity, cycles in zip(line.activities, spent, strict=True) if cycles}
    return Rows(columns, names, totals, tuple(rows), not result.has.warps)


def _row(core: int, warp: int, spans: np.ndarray, columns: Columns, names: int) -> Row:
    span, column, cycles = columns.pieces(spans[:, t.START], spans[:, t.STOP])
    spent = total_by((spans[span, t.ACTIVITY] + FIRST_ACTIVITY) * columns.count + column, cycles, names * columns.count)
    shares = spent.reshape(names, columns.count) / np.diff(columns.edges())
    shares[NO_WARP] = 1 - shares.sum(axis=0)
    return Row(core, warp, shares.argmax(axis=0).astype(np.uint8), shares)


def caption(rows: Rows) -> str:
    """What the picture says in a sentence: the part of the time in which warps issue, and what takes most of the rest."""
    total = max(sum(rows.warp_cycles.values()), 1)
    works = rows.warp_cycles.get("selected", 0) + rows.warp_cycles.get("execute", 0)
    waits = {name: cycles for name, cycles in rows.warp_cycles.items() if name not in ("selected", "execute")}
    who, does = ("blocks", "execute") if rows.sequencer else ("warps", "selected")
    said = f"{does} in {percent(works / total).strip()} of the cycles of all {who}"
    if not waits:
        return said
    most = max(waits, key=lambda name: waits[name])
    return f"{said}; most of the others are {most}, {percent(waits[most] / total).strip()}"


def facts(rows: Rows) -> dict[str, Any]:
    """The picture in numbers."""
    return {"warp_cycles": rows.warp_cycles}


def _looks(rows: Rows) -> list[Look]:
    return [LANES[NONE], *(look_of(name, sequencer=rows.sequencer) for name in rows.names[FIRST_ACTIVITY:])]


def _name(row: Row, rows: Rows) -> str:
    return f"core {row.core}" if rows.sequencer else warp_name(row.core, row.warp)


def draw(rows: Rows, page: Page) -> Sheet:
    """The sheet of a timeline."""
    across = cell_width(page, rows.columns)
    tall = min(max(HEIGHT // max(len(rows.rows), 1), LEAST), TALLEST if rows.columns.each == 1 else TALLEST_DIVIDED)
    looks = _looks(rows)
    order = list(range(FIRST_ACTIVITY, len(rows.names)))
    bands: list[Band] = []
    for number, row in enumerate(rows.rows):
        gap = 0 if number == 0 else CORE_GAP if row.core != rows.rows[number - 1].core else 2 if tall > 8 else 0
        if rows.columns.each == 1:
            points = painted(row.cells[None, :], looks, across, tall * SCALE, dark=page.dark)
        else:
            points = stacked(row.shares[order], [*(looks[k] for k in order), looks[NO_WARP]], across, tall * SCALE, dark=page.dark)
        shown = tall >= 12 or row.warp % -(-12 // tall) == 0
        bands.append(Band(_name(row, rows) if shown else "", points, gap, minor=tall < 12))
    label = "cycle"
    if rows.columns.each > 1:
        label += f"; a column stands for {counted(rows.columns.each, 'cycle')}, and is divided as they are"
    return sheet_of(page, bands, rows.columns, across, label, _entries(rows, looks))


def _entries(rows: Rows, looks: list[Look]) -> list[tuple[str, Look]]:
    total = max(sum(rows.warp_cycles.values()), 1)
    known = dict(zip(rows.names, looks, strict=True))
    spent = sorted(rows.warp_cycles.items(), key=lambda item: (item[0] not in ("selected", "execute"), -item[1]))
    entries = [(f"{name} {percent(cycles / total).strip()}", known[name]) for name, cycles in spent]
    empty = any((row.cells == NO_WARP).any() for row in rows.rows)
    return [*entries, ("no block" if rows.sequencer else "no warp", LANES[NONE])] if empty else entries


def lines(result: RunResult, view: View, width: int, *, colours: bool) -> Iterator[Line]:
    """The rows in letters or coloured blocks, a column a character, and a legend."""
    rows = data(result, view, most_columns=max(width - LABEL, 20))
    looks = _looks(rows)
    yield [(caption(rows), "")]
    yield []
    for row in rows.rows:
        cells = row.cells.tolist()
        block = "█" if colours else ""
        yield [
            (f"{_name(row, rows):<{LABEL}}", ""),
            *((block or looks[cell].letter, looks[cell].dark if colours else "") for cell in cells),
        ]
    step = 10
    marks = (rows.columns.start + place * rows.columns.each for place in range(0, rows.columns.count, step))
    yield [(" " * LABEL + "".join(f"{'|' + grouped(mark):<{step}}"[:step] for mark in marks).rstrip(), QUIET)]
    each = rows.columns.each
    label = f"cycle; a column stands for {grouped(each)} cycles and shows what takes most of them" if each > 1 else "cycle"
    yield [(" " * LABEL + label, QUIET)]
    yield []
    total = max(sum(rows.warp_cycles.values()), 1)
    for number, name in enumerate(rows.names):
        if cycles := rows.warp_cycles.get(name):
            mark = ("██", looks[number].dark) if colours else (f" {looks[number].letter}", "")
            yield [("  ", ""), mark, (f"  {name:<26}{percent(cycles / total)}{grouped(cycles):>16} warp-cycles", "")]
