"""Schedule: a stretch of what one scheduler of a core does, cycle by cycle: which warp issues, on which pipe, and what the code says.

Machine code carries its compiler's schedule (`isa/schedule.py`): how many cycles a warp then waits, whether another should go first, which
of six counters an instruction raises and which have to be at zero. They stand beside each issue. For other code the picture has the issues,
what the other warps wait for, and the pipes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.schedule import RUNS_ON, stall_of
from warploom.isa.schedule import Schedule as ControlWords
from warploom.isa.uop import ISSUE_UNIT, PORTS
from warploom.machine.accounting import events as e
from warploom.machine.config.pipes import pipe_names
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.pictures.sheet import LEFT, RIGHT, ROW, TOP, Page, Sheet, legend_rows
from warploom.observe.pictures.view import DrawingError, View
from warploom.observe.text.palette import WARPS, look_of
from warploom.observe.text.styled import QUIET, Line, counted, grouped, shortened, warp_name

MOST_CYCLES, MOST_WARPS = 96, 16  # of a picture
TALL, PIPE = 46, 18  # points: the row of a warp, and of a pipe
UNDER = 0.16  # of a row, by which a warp's bar lies lower than its middle: its marks stand above it
LONGEST = 28  # characters of an instruction


class Word(NamedTuple):
    """What an instruction's control word says. stall: cycles. sets: counters raised until its result, and until its operands, are done."""

    stall: int
    yields: bool
    sets: tuple[int, ...]
    waits: tuple[int, ...]

    def marks(self) -> str:
        """As the picture has it: `y` for a yield, `+2` for a counter that is raised, `0?` for one that it waited for."""
        return " ".join(
            [*(f"{number}?" for number in self.waits), *(f"+{number}" for number in self.sets), *(["y"] if self.yields else [])]
        )


class Issue(NamedTuple):
    """An instruction that issues. role: in time, of code with a schedule (`isa/schedule.py`); of other code the unit. word: None there."""

    cycle: int
    warp: int
    pc: int
    line: int
    text: str
    role: str
    word: Word | None


class Stretch(NamedTuple):
    """Cycles `start` to `stop` (not included) of one activity of a warp, or of an instruction of a warp in a pipe."""

    warp: int
    start: int
    stop: int
    activity: str


@dataclass(frozen=True)
class Schedule:
    """The picture as data: cycles `start` to `stop` (not included).

    pipes: by name, who is in it. more: cycles of the view that follow. unseen: warps beyond MOST_WARPS, which have no row.
    """

    core: int
    scheduler: int
    start: int
    stop: int
    warps: tuple[int, ...]
    stretches: tuple[Stretch, ...]
    issues: tuple[Issue, ...]
    pipes: dict[str, tuple[Stretch, ...]]
    more: int
    unseen: int


def data(result: RunResult, view: View, *, most_columns: int = 0) -> Schedule:
    """The scheduler of the first issue in the view, from that issue on.

    Raises ValueError where the run has written down no events, and DrawingError where nothing issues in the view.
    """
    if not result.has.warps:
        raise DrawingError("a schedule is of cores with warps, and these run one instruction at a time: use pipeline")
    rows = events_of(result, "this picture")
    issued = e.of_kind(rows, e.ISSUE)
    keep = (issued["time"] >= view.start) & (issued["time"] < view.stop)
    for name, chosen in (("core", view.cores), ("warp", view.warps)):
        if chosen is not None:
            keep &= np.isin(issued[name], chosen)
    issued = np.sort(issued[keep], order=["time", "core", "warp"])
    if not len(issued):
        raise DrawingError("no instruction issues in these cycles")
    schedulers = result.config.core.schedulers
    core, start = int(issued["core"][0]), int(issued["time"][0])
    scheduler = int(issued["warp"][0]) % schedulers
    stop = min(view.stop, start + MOST_CYCLES)
    here = (issued["core"] == core) & (issued["warp"] % schedulers == scheduler) & (issued["time"] < stop)
    issues = tuple(_issue(result, *row) for row in issued[here][["time", "warp", "pc"]].tolist())
    spans = t.timeline(result).part(start, stop, [core], None if view.warps is None else list(view.warps))
    spans = spans[spans[:, t.WARP] % schedulers == scheduler]
    there = np.unique(spans[:, t.WARP]).tolist()
    warps = tuple(there[:MOST_WARPS])
    names = [activity.name for activity in t.WARP_ACTIVITIES]
    told = spans[:, (t.WARP, t.START, t.STOP, t.ACTIVITY)].tolist()
    stretches = tuple(Stretch(warp, begin, end, names[number]) for warp, begin, end, number in told if warp in warps)
    pipes = _pipes(result, rows, core, scheduler, start, stop)
    unseen = len(there) - len(warps)
    return Schedule(core, scheduler, start, stop, warps, stretches, issues, pipes, view.stop - stop, unseen)


def _issue(result: RunResult, cycle: int, warp: int, pc: int) -> Issue:
    program = result.program
    place, text, said = program.position(pc).line, program.text[pc], program.schedule
    if said is None:
        return Issue(cycle, warp, pc, place, text, PORTS[int(program.code[pc, ISSUE_UNIT])], None)
    return Issue(cycle, warp, pc, place, text, said.role(pc), _word(said, pc))


def _word(schedule: ControlWords, number: int) -> Word:
    word = int(schedule.words[number])
    return Word(stall_of(word), not word & RUNS_ON, tuple(schedule.set_by(number)), tuple(schedule.waited_for(number)))


def _pipes(result: RunResult, rows: np.ndarray, core: int, scheduler: int, start: int, stop: int) -> dict[str, tuple[Stretch, ...]]:
    """The pipes that something enters, of this scheduler or, where they are the core's, of the core."""
    of_core = result.config.pipes.owner == "core"
    entered = e.of_kind(rows[rows[:, e.CORE] == core], e.PIPE)
    entered = entered[(entered["until"] > start) & (entered["time"] < stop)]
    found = {}
    for number, name in pipe_names(result.config).items():
        if of_core or number // len(PORTS) == scheduler:
            there = entered[entered["pipe"] == number][["warp", "time", "until", "pc"]].tolist()
            if there:
                found[name] = tuple(Stretch(warp, begin, end, result.program.text[pc]) for warp, begin, end, pc in there)
    return found


def caption(found: Schedule) -> str:
    """What the picture says in a sentence."""
    cycles = found.stop - found.start
    cut = f"; {counted(found.more, 'more cycle')} follow" if found.more else ""
    words = "" if any(one.word is not None for one in found.issues) else "; the code has no control words"
    place = f"core {found.core}, scheduler {found.scheduler}" + (f", {len(found.warps)} of its warps" if found.unseen else "")
    return f"{place}: {counted(len(found.issues), 'issue')} in the {counted(cycles, 'cycle')} from {grouped(found.start)} on{words}{cut}"


def facts(found: Schedule) -> dict[str, Any]:
    """The picture in numbers."""
    issues = [
        {"cycle": one.cycle, "warp": one.warp, "pc": one.pc, "line": one.line, "text": one.text, "role": one.role}
        | ({} if one.word is None else one.word._asdict())
        for one in found.issues
    ]
    pipes = {name: [one._asdict() for one in there] for name, there in found.pipes.items()}
    shown = {"core": found.core, "scheduler": found.scheduler, "start": found.start, "stop": found.stop}
    return shown | {"warps": list(found.warps), "issues": issues, "pipes": pipes, "stretches": [one._asdict() for one in found.stretches]}


def draw(found: Schedule, page: Page) -> Sheet:
    """The sheet: a row per warp, below them the pipes, one point in time above the other."""
    names = list(dict.fromkeys(one.activity for one in found.stretches))
    entries = [(name, look_of(name)) for name in names]
    words = any(one.word is not None for one in found.issues)
    room = page.width - LEFT - RIGHT
    tall, below = len(found.warps) * TALL, len(found.pipes) * PIPE
    key = 22 if words else 0
    sheet = page.sheet(page.width, TOP + tall + 14 + below + 52 + key + ROW * legend_rows(entries, room) + 8)
    ax = sheet.plot(LEFT, TOP, room, tall)
    for one in found.stretches:
        sheet.bar(ax, found.warps.index(one.warp) + UNDER, one.start, one.stop, look_of(one.activity), 0.34)
    each = room / (found.stop - found.start)  # points of a cycle
    for issue in found.issues:
        if issue.warp in found.warps and issue.word is not None:
            _marks(ax, found.warps.index(issue.warp), issue.cycle, issue.word, found.stop, sheet, each)
    _axis(sheet, ax, found, [warp_name(found.core, warp) for warp in found.warps], last=not found.pipes)
    if found.pipes:
        under = sheet.plot(LEFT, TOP + tall + 14, room, below)
        for row, there in enumerate(found.pipes.values()):
            for one in there:
                sheet.bar(under, row, one.start, min(one.stop, found.stop), WARPS[one.warp % len(WARPS)], 0.6)
        _axis(sheet, under, found, list(found.pipes), last=True)
    bottom = TOP + tall + 14 + below + 44
    if words:
        said = "line under an issue: its stall count;  3? waits for counter B3,  +3 raises B3,  y yields;  pipes: a colour a warp"
        sheet.text(LEFT, bottom, said, size=8, colour=sheet.ground.quiet)
    sheet.legend(LEFT, bottom + key, entries, room)
    return sheet


def _marks(ax: Any, row: int, cycle: int, word: Word, stop: int, sheet: Sheet, each: float) -> None:
    """The stall count as a line under the bar, counters and yield above it."""
    ink, low = sheet.ground.text, row + UNDER + 0.24
    ax.plot([cycle, min(cycle + word.stall, stop)], [low, low], color=ink, linewidth=1.2, solid_capstyle="butt")
    ax.plot([cycle, cycle], [low - 0.05, low + 0.05], color=ink, linewidth=0.8)
    if each >= 5 and word.marks():
        ax.text(cycle + 0.5, row + UNDER - 0.22, word.marks(), fontsize=5.5, color=ink, va="bottom", ha="center", rotation=90, clip_on=True)


def _axis(sheet: Sheet, ax: Any, found: Schedule, names: list[str], *, last: bool) -> None:
    """The names of rows, and cycles: written below the last rows of the sheet alone."""
    ax.set_yticks([row + (0 if last else UNDER) for row in range(len(names))], names, fontsize=8)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    sheet.cycles(ax, found.start, found.stop)
    if not last:
        ax.tick_params(labelbottom=False)
        ax.set_xlabel("")


def lines(result: RunResult, view: View, width: int, *, colours: bool) -> Iterator[Line]:
    """A line per issue: cycle, warp, role or unit, instruction, and what its control word says."""
    found = data(result, view)
    last = "control word" if any(one.word is not None for one in found.issues) else ""
    yield [(caption(found), "")]
    yield []
    yield [(f"{'cycle':>9}  {'warp':>4}  {'role':<14}  {'instruction':<{LONGEST}}  {last}".rstrip(), QUIET)]
    for one in found.issues:
        text = shortened(one.text, LONGEST)
        yield [(f"{grouped(one.cycle):>9}  {one.warp:>4}  {one.role:<14}  {text:<{LONGEST}}  {_said(one.word)}".rstrip(), "")]


def _said(word: Word | None) -> str:
    """`stall 4, 0?, +2, y`."""
    return "" if word is None else ", ".join([f"stall {word.stall}", *word.marks().split()])
