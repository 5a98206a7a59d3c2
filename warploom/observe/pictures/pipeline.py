"""Pipeline: the instructions of one warp, a row each: what it waits for, when it issues, and until when its result is on its way.

Of a core that runs one instruction at a time: the states of its sequencer, from FETCH to UPDATE. The picture has the first MOST_ROWS
instructions of the view; of a warp slot that several warps take in turn, those of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.accounting import events as e
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.pictures.sheet import RIGHT, ROW, TOP, Page, Sheet, legend_rows
from warploom.observe.pictures.view import DrawingError, View
from warploom.observe.text.palette import DOTTED, Look, look_of
from warploom.observe.text.styled import grouped, shortened, warp_name

MOST_ROWS = 40
TALL, NOTES = 16, 54  # points: a row, the lanes after it
LETTER, MARGIN = 6.6, 32  # points of a letter of the instructions' text, and beside it
LONGEST = 36  # characters of an instruction
ON_ITS_WAY = Look("#E6E9ED", "#3F4752", DOTTED, "-")


class Stretch(NamedTuple):
    """Cycles `start` to `stop` (not included) of one activity."""

    start: int
    stop: int
    activity: str


@dataclass(frozen=True)
class Row:
    """One instruction. stretches: what its warp did for it, in order, the issue included.

    lanes: those that execute it. until: first cycle in which its result can be used.
    """

    pc: int
    line: int
    text: str
    lanes: int
    stretches: tuple[Stretch, ...]
    until: int


@dataclass(frozen=True)
class Pipeline:
    """The picture as data. more: instructions of the warp in the view beyond those shown."""

    core: int
    warp: int
    lanes: int
    rows: tuple[Row, ...]
    more: int
    sequencer: bool


def data(result: RunResult, view: View, *, most_columns: int = 0) -> Pipeline:
    """The instructions of the first warp slot of the view that has any.

    Raises ValueError where the run has written down no events, and DrawingError where no instruction ends in the view.
    """
    line = t.timeline(result)
    spans = line.part(view.start, view.stop, *(None if part is None else list(part) for part in (view.cores, view.warps)))
    if not len(spans):
        raise DrawingError("no warp is there in these cycles, so no instruction")
    core, warp = spans[0, (t.CORE, t.WARP)].tolist()
    spans = spans[(spans[:, t.CORE] == core) & (spans[:, t.WARP] == warp)]
    sequencer = not result.has.warps
    names = [activity.name for activity in line.activities]
    last = names.index("update") if sequencer else names.index("selected")
    ends = np.flatnonzero(spans[:, t.ACTIVITY] == last)
    until = {} if sequencer else _until(result, core, warp)
    rows, begin = [], 0
    for end in ends[:MOST_ROWS].tolist():
        rows.append(_row(result, spans[begin : end + 1], names, until))
        begin = end + 1
    if not rows:
        raise DrawingError(f"{warp_name(core, warp)} executes no instruction in these cycles")
    return Pipeline(core, warp, line.lanes, tuple(rows), len(ends) - len(rows), sequencer)


def _row(result: RunResult, spans: np.ndarray, names: list[str], until: dict[int, int]) -> Row:
    pc = int(spans[-1, t.PC])
    stretches = tuple(Stretch(start, stop, names[number]) for start, stop, number in spans[:, (t.START, t.STOP, t.ACTIVITY)].tolist())
    lanes = int(np.bitwise_count(spans[-1:, t.MASK].astype(np.uint64))[0])
    program = result.program
    stop = stretches[-1].stop
    return Row(pc, program.position(pc).line, program.text[pc], lanes, stretches, until.get(stop - 1, stop))


def _until(result: RunResult, core: int, warp: int) -> dict[int, int]:
    """By the cycle of an issue, the first cycle in which its result can be used; of an access to memory, the one after its last answer."""
    rows = events_of(result, "this view")
    rows = rows[(rows[:, e.CORE] == core) & (rows[:, e.WARP] == warp)]
    found = {time: until for time, until in e.of_kind(rows, e.ISSUE)[["time", "ready"]].tolist() if until < FOREVER}
    return found | {issued: done + 1 for issued, done in e.of_kind(rows, e.COMPLETE)[["issued", "done"]].tolist()}


def caption(line: Pipeline) -> str:
    """What the picture says in a sentence."""
    place = f"core {line.core}" if line.sequencer else warp_name(line.core, line.warp)
    first, last = line.rows[0].stretches[0].start, line.rows[-1].stretches[-1].stop - 1
    cut = f", {grouped(line.more)} more instructions follow" if line.more else ""
    return f"{place}: {len(line.rows)} instructions in cycles {grouped(first)} to {grouped(last)}{cut}"


def facts(line: Pipeline) -> dict[str, Any]:
    """The picture in numbers."""
    rows = [
        {"pc": row.pc, "line": row.line, "text": row.text, "lanes": row.lanes, "until": row.until, "stretches": list(row.stretches)}
        for row in line.rows
    ]
    return {"core": line.core, "warp": line.warp, "instructions": rows}


def draw(line: Pipeline, page: Page) -> Sheet:
    """The sheet: a row per instruction, from the first one at the top."""
    names = list(dict.fromkeys(one.activity for row in line.rows for one in row.stretches))
    looks = {name: look_of(name, sequencer=line.sequencer) for name in names}
    entries = [(name, looks[name]) for name in names]
    if any(row.until > row.stretches[-1].stop for row in line.rows):
        entries.append(("result in flight", ON_ITS_WAY))
    named = [f"{row.line}: {row.text}" if row.line else row.text for row in line.rows]
    short = [shortened(name, LONGEST) for name in named]
    left, tall = LETTER * max(len(name) for name in short) + MARGIN, len(line.rows) * TALL
    room = page.width - left - RIGHT - NOTES
    sheet = page.sheet(page.width, TOP + 12 + tall + 54 + ROW * legend_rows(entries, room) + 8)
    ax = sheet.plot(left, TOP + 12, room, tall)
    first = line.rows[0].stretches[0].start
    last = max(max(row.until, row.stretches[-1].stop) for row in line.rows)
    for number, row in enumerate(line.rows):
        for one in row.stretches:
            sheet.bar(ax, number, one.start, one.stop, looks[one.activity], 0.74)
        sheet.bar(ax, number, row.stretches[-1].stop, row.until, ON_ITS_WAY, 0.74)
        lanes = f"{row.lanes} of {line.lanes}"
        y = TOP + 12 + (number + 0.5) * TALL
        sheet.text(page.width - RIGHT - NOTES + 10, y, lanes, size=7.5, colour=sheet.ground.quiet, va="center")
    sheet.text(page.width - RIGHT - NOTES + 10, TOP - 4, "lanes", size=7.5, colour=sheet.ground.quiet)
    ax.set_yticks(range(len(short)), short, fontfamily="monospace", fontsize=8)
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    ax.set_ylim(len(line.rows) - 0.5, -0.5)
    sheet.cycles(ax, first, last)
    sheet.legend(left, TOP + 12 + tall + 50, entries, room)
    return sheet
