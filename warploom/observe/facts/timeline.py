"""Timeline: what every warp did and why, as spans of cycles. The common ground of all pictures, tables and trace files.

A span is a stretch of cycles in which one warp did one thing. The spans of a warp join without gap or overlap from
its launch to its end, on both kinds of machine:

* cores with warps: from the events of a run with `tracing=True`. What a warp does is to issue, or to wait for a reason by
  Nsight Compute's name (`machine/accounting/reasons.py`).
* cores that run one instruction at a time: a core is one warp slot, and its threads are the lanes. What it does is the
  state of its sequencer. The run is repeated for it, since such a machine writes nothing down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from warploom.isa.counts import numbers, total_by
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.states import STATES
from warploom.observe.facts import lane_states
from warploom.observe.facts.events import events_of
from warploom.observe.facts.lane_states import ending, lane_masks
from warploom.observe.facts.state_spans import State, changed, ended

# Columns of `Timeline.spans`.
CORE, WARP, START, STOP, ACTIVITY, PC, MASK, NEXT_MASK, BLOCK, RANK, THREADS, ENDED = range(12)
SPAN_COLUMNS = 12

# What a span is for its lanes: KINDS, from best to worst.
ACTIVE, READY, WAITING = range(3)
KINDS = ("active", "ready", "waiting")


class Activity(NamedTuple):
    """One thing that a warp may be doing. kind: ACTIVE, READY (it could have issued) or WAITING."""

    name: str
    kind: int
    meaning: str


WARP_ACTIVITIES = tuple(
    Activity(reason.name, ACTIVE if number == reasons.SELECTED else READY if number == reasons.NOT_SELECTED else WAITING, reason.meaning)
    for number, reason in enumerate(reasons.REASONS)
)
_STATE_KINDS = {"fetch": WAITING, "wait": WAITING, "idle": WAITING, "done": WAITING}
_STATE_MEANINGS = {
    "idle": "no block in the core",
    "fetch": "the instruction is fetched from program memory",
    "decode": "the control signals are made",
    "request": "registers are read, load/store units start",
    "wait": "load/store units are at work",
    "execute": "the ALUs and the next program counters",
    "update": "registers are written",
    "done": "the block has ended",
}
STATE_ACTIVITIES = tuple(Activity(name, _STATE_KINDS.get(name, ACTIVE), _STATE_MEANINGS[name]) for name in STATES)


@dataclass(frozen=True, eq=False)
class Timeline:
    """The spans of a run.

    spans: int64[n, SPAN_COLUMNS], ordered by core, warp slot and start. START is the first cycle, STOP the first one after it.
    ACTIVITY is a number of `activities`; PC the instruction that the warp issues or waits with; MASK its lanes then; NEXT_MASK those
    afterwards; BLOCK and RANK the block and the warp's number in it; THREADS the lanes that have a thread, ENDED those of them whose thread
    has ended (`lane_states`). cycles: of the run. cores, warps, lanes: of the machine
    (warps: slots a core).
    """

    spans: np.ndarray
    activities: tuple[Activity, ...]
    cycles: int
    cores: int
    warps: int
    lanes: int

    def part(self, start: int = 0, stop: int | None = None, cores: list[int] | None = None, warps: list[int] | None = None) -> np.ndarray:
        """The spans that touch cycles `start` to `stop` (not included), cut to them; of all cores and warp slots, or of these."""
        stop = self.cycles if stop is None else stop
        s = self.spans
        keep = (s[:, STOP] > start) & (s[:, START] < stop)
        if cores is not None:
            keep &= np.isin(s[:, CORE], cores)
        if warps is not None:
            keep &= np.isin(s[:, WARP], warps)
        found = s[keep].copy()
        found[:, START] = np.maximum(found[:, START], start)
        found[:, STOP] = np.minimum(found[:, STOP], stop)
        return found

    def kinds(self) -> np.ndarray:
        """int64[activities]: the KIND of each."""
        return np.array([activity.kind for activity in self.activities], np.int64)

    def totals(self) -> dict[str, int]:
        """Warp-cycles by the name of the activity."""
        spent = total_by(self.spans[:, ACTIVITY], self.spans[:, STOP] - self.spans[:, START], len(self.activities))
        return {activity.name: int(cycles) for activity, cycles in zip(self.activities, spent, strict=True)}


def off_lanes(spans: np.ndarray, lanes: int) -> dict[str, np.ndarray]:
    """Masks of the lanes that do not execute in some spans, by the word for why. lanes: of a warp."""
    out = ~spans[:, MASK] & (-1 if lanes == 64 else (1 << lanes) - 1)
    threads, ended = spans[:, THREADS], spans[:, ENDED]
    return {lane_states.DIVERGED: out & threads & ~ended, lane_states.ENDED: out & ended, lane_states.NO_THREAD: out & ~threads}


def timeline(result: RunResult, progress: Callable[[int], None] | None = None, part: tuple[int, int] | None = None) -> Timeline:
    """The timeline of a run. Raises ValueError for cores with warps whose run has written down no events.

    progress: called with the cycle count while a run without warps is repeated, which takes some 0.1 ms a cycle. part: only the cycles from
    the first to the second number (not included), with spans cut to them.
    """
    found = _of_sequencer(result, progress, part or (0, result.cycles)) if result.has.steps else _of_events(result)
    return found if part is None else replace(found, spans=found.part(*part))


def _of_events(result: RunResult) -> Timeline:
    rows = events_of(result, "this view")
    config = result.config
    rows = rows[np.isin(rows[:, e.KIND], (e.ISSUE, e.STALL, e.LAUNCH))]
    rows = by_slot(rows)
    spans, launch = spans_of(rows)
    issued = rows[:, e.KIND] == e.ISSUE
    ends = ending(result.program)[np.clip(rows[:, e.PC], 0, len(result.program) - 1)]
    spans[:, THREADS], spans[:, ENDED] = lane_masks(
        launch, rows[launch, e.MASK], issued, spans[:, MASK], spans[:, NEXT_MASK], ends, config.core.lanes
    )
    return Timeline(
        spans[rows[:, e.KIND] != e.LAUNCH], WARP_ACTIVITIES, result.cycles, config.gpu.cores, config.core.warps, config.core.lanes
    )


def by_slot(rows: np.ndarray) -> np.ndarray:
    """Events by warp slot; of a slot as written, so that a launch comes before all that the warp does, and spans one after the other."""
    return rows[np.lexsort((rows[:, e.WARP], rows[:, e.CORE]))]


def spans_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Issues, stalls and launches `by_slot`, as spans without THREADS and ENDED, and the number of each one's launch among them."""
    launched = rows[:, e.KIND] == e.LAUNCH
    launch = np.maximum.accumulate(np.where(launched, numbers(len(rows)), 0))
    spans = np.zeros((len(rows), SPAN_COLUMNS), np.int64)
    issued = rows[:, e.KIND] == e.ISSUE
    issues, stalls, launches = (e.named(rows, kind) for kind in (e.ISSUE, e.STALL, e.LAUNCH))
    spans[:, CORE], spans[:, WARP], spans[:, PC], spans[:, MASK] = rows[:, e.CORE], rows[:, e.WARP], rows[:, e.PC], rows[:, e.MASK]
    spans[:, START] = np.where(issued, rows[:, e.TIME], stalls["since"])
    spans[:, STOP] = np.where(issued, rows[:, e.TIME] + 1, rows[:, e.TIME])
    spans[:, ACTIVITY] = np.where(issued, reasons.SELECTED, stalls["reason"])
    spans[:, NEXT_MASK] = np.where(issued, issues["after"], rows[:, e.MASK])
    spans[:, BLOCK], spans[:, RANK] = launches["block"][launch], launches["rank"][launch]
    return spans, launch


def _of_sequencer(result: RunResult, progress: Callable[[int], None] | None, part: tuple[int, int]) -> Timeline:
    config = result.config
    cores, lanes = config.gpu.cores, config.core.threads_per_block
    current: dict[int, State] = {}
    found: list[State] = []
    for cycle, machine in enumerate(result.replay().steps(part[1], part[0]), part[0]):
        if progress is not None and cycle % 1024 == 0:
            progress(cycle)
        found += changed(current, ((core.state, core.pc, core.block, core.threads) for core in machine.core_states), cycle)
    found += ended(current, part[1])
    masks = [(1 << state.threads) - 1 for state in found]
    rows = [
        (state.core, 0, state.start, state.stop, state.state, state.pc, mask, mask, state.block, 0, mask, 0)
        for state, mask in zip(found, masks, strict=True)
    ]
    spans = np.array(rows, np.int64).reshape(-1, SPAN_COLUMNS)
    spans = spans[np.lexsort((spans[:, START], spans[:, CORE]))]
    return Timeline(spans, STATE_ACTIVITIES, result.cycles, cores, 1, lanes)
