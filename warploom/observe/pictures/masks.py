"""Masks: what every lane did in every cycle, and below that the ALUs and the caches. The diagram of "What's up with my branch on GPU?".

x = cycles, y = lanes, by core and warp slot. A cell is one lane in one cycle. Where the mask has the lane, it is what its warp does:
`selected`, or the reason of its wait. A lane that the mask leaves out is one of three things, whatever its warp does: `diverged` (black),
`ended` or `no thread` (`facts/lane_states.py`). `none`: no warp in the slot.

A warp buys all its lanes from the cycle of its launch to the one before its end. **Black area** is the part of the lane-cycles bought
that divergence takes: black area = diverged lane-cycles / lane-cycles bought, over what is shown. Lanes that have ended, and lanes that
never had a thread, are not used either, and are counted apart. For an instruction, the mask is the one that it executes with. Lanes that
wait are not black: only other warps could have used them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.isa.counts import numbers, total_by
from warploom.machine.accounting import events as e
from warploom.machine.config.pipes import pipe_names
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.facts.lane_states import DIVERGED, ENDED, NO_THREAD, OFF
from warploom.observe.pictures.view import Columns, View, columns_of, sampled
from warploom.observe.text.palette import NONE
from warploom.observe.text.styled import counted, percent

LANE_STATES = (NONE, DIVERGED, ENDED, NO_THREAD)  # the first numbers of cells
FIRST_ACTIVITY = len(LANE_STATES)  # an activity of the timeline is FIRST_ACTIVITY + its number
NO_WARP = 0
NOBODY = -1  # an ALU that is free


@dataclass(frozen=True, eq=False)
class Slot:
    """One warp slot. cells: uint8[rows, columns]; a row stands for `Masks.lanes_a_row` lanes.

    Where a cell stands for several lane-cycles, it has the state that most of them have, and shares: float64[rows, names, columns] are
    the parts of them in each state.
    """

    core: int
    warp: int
    cells: np.ndarray
    shares: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Unit:
    """One ALU of a core, or one pipe of a sub-partition. holders: int16[columns], the warp slot that has it for the most cycles, or NOBODY.

    shares: float64[warp slots, columns], the part of a column in which each has it.
    """

    core: int
    name: str
    holders: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class Traffic:
    """Lookups of a cache. core: None for one that all cores share. counts: int64[events.OUTCOMES, columns]."""

    name: str
    core: int | None
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class Masks:
    """The picture as data.

    names: what each number of a cell means. lane_cycles: by those names, exact also where columns stand for several cycles. slots: those
    that held a warp in the view; hidden: how many of those asked for did not. sequencer: cores that run one instruction at a time.
    """

    columns: Columns
    lanes: int
    lanes_a_row: int
    names: tuple[str, ...]
    lane_cycles: dict[str, int]
    slots: tuple[Slot, ...]
    hidden: int
    units: tuple[Unit, ...]
    traffic: tuple[Traffic, ...]
    sequencer: bool

    @property
    def bought(self) -> int:
        """Lane-cycles from the launch to the end of every warp."""
        return sum(self.lane_cycles.values())

    @property
    def black_area(self) -> float:
        """The part of them, from 0 to 1, in which the lane has diverged."""
        return self.share(DIVERGED)

    def share(self, name: str) -> float:
        """The part of them, from 0 to 1, that is spent in one way."""
        return self.lane_cycles.get(name, 0) / self.bought if self.bought else 0.0


def data(result: RunResult, view: View, *, most_columns: int = 1000, most_rows: int = 560, most_shared_rows: int = 90) -> Masks:
    """The masks of a run. most_columns, most_rows: cells that there may be each way.

    Beyond, a cell stands for several lane-cycles, and there are at most `most_shared_rows` rows (though one a slot) to show their shares.
    Raises ValueError for cores with warps whose run has written down no events.
    """
    line = t.timeline(result)
    spans = line.part(view.start, view.stop, _list(view.cores), _list(view.warps))
    columns = columns_of(view, most_columns)
    used = [divmod(number, line.warps) for number in np.unique(spans[:, t.CORE] * line.warps + spans[:, t.WARP]).tolist()]
    shared = columns.each > 1 or len(used) * line.lanes > most_rows
    needed = -(-len(used) * line.lanes // (most_shared_rows if shared else most_rows))
    lanes_a_row = next(count for count in range(1, line.lanes + 1) if line.lanes % count == 0 and count >= min(needed, line.lanes))
    slots = []
    for core, warp in used:
        of_slot = spans[(spans[:, t.CORE] == core) & (spans[:, t.WARP] == warp)]
        shares = _shares(of_slot, line.lanes, lanes_a_row, columns, len(line.activities)) if shared else None
        cells = _cells(of_slot, line.lanes, columns) if shares is None else shares.argmax(axis=1).astype(np.uint8)
        slots.append(Slot(core, warp, cells, shares))
    asked = (len(view.cores) if view.cores else line.cores) * (len(view.warps) if view.warps else line.warps)
    events = events_of(result, "this view") if result.has.events else None
    cores = sorted({core for core, _ in used})
    return Masks(
        columns,
        line.lanes,
        lanes_a_row,
        (*LANE_STATES, *(activity.name for activity in line.activities)),
        lane_cycles(spans, line.lanes, [activity.name for activity in line.activities]),
        tuple(slots),
        asked - len(used),
        () if events is None else tuple(_units(result, events, cores, columns)),
        () if events is None else tuple(_traffic(result, events, cores, columns)),
        not result.has.warps,
    )


NAMED = {DIVERGED: "diverged (black area)"}


def caption(masks: Masks) -> str:
    """What the picture says in a sentence."""
    empty = f"; {counted(masks.hidden, 'slot')} without a warp left out" if masks.hidden and not masks.sequencer else ""
    parts = [(f"{NAMED.get(name, name)} {percent(masks.share(name)).strip()}") for name in OFF if masks.lane_cycles[name]]
    return f"of the warps' lane-cycles: {', '.join(parts) or 'all are used or wait'}{empty}"


def facts(masks: Masks) -> dict[str, Any]:
    """The picture in numbers."""
    return {"black_area": masks.black_area, "bought_lane_cycles": masks.bought, "lane_cycles": masks.lane_cycles}


def lane_cycles(spans: np.ndarray, lanes: int, activities: list[str]) -> dict[str, int]:
    """Lane-cycles of spans: of lanes that do not execute, by why; and of the others by what their warp does."""
    length = spans[:, t.STOP] - spans[:, t.START]
    on = np.bitwise_count(spans[:, t.MASK].astype(np.uint64)).astype(np.int64)
    off = t.off_lanes(spans, lanes)
    found = {name: int((length * np.bitwise_count(mask.astype(np.uint64))).sum()) for name, mask in off.items()}
    for number, name in enumerate(activities):
        of_activity = spans[:, t.ACTIVITY] == number
        if of_activity.any():
            found[name] = int((length * on)[of_activity].sum())
    return found


def _list(numbers: tuple[int, ...] | None) -> list[int] | None:
    return None if numbers is None else list(numbers)


def _states(spans: np.ndarray, lanes: int) -> Iterator[np.ndarray]:
    """int64[spans] of every lane: what it is in each span, as a number of a cell."""
    off = t.off_lanes(spans, lanes)
    for lane in range(lanes):
        state = spans[:, t.ACTIVITY] + FIRST_ACTIVITY
        for name, mask in off.items():
            state = np.where(mask >> lane & 1 == 1, LANE_STATES.index(name), state)
        yield state


def _cells(spans: np.ndarray, lanes: int, columns: Columns) -> np.ndarray:
    """uint8[lanes, columns] of one warp slot, where a column is one cycle."""
    if not len(spans):
        return np.full((lanes, columns.count), NO_WARP, np.uint8)
    found = sampled(spans[:, t.START], spans[:, t.STOP], columns.edges()[:-1])
    cells = np.stack([state[found] for state in _states(spans, lanes)])
    return np.where(found < 0, NO_WARP, cells).astype(np.uint8)


def _shares(spans: np.ndarray, lanes: int, lanes_a_row: int, columns: Columns, activities: int) -> np.ndarray:
    """float64[rows, names, columns] of one warp slot: exact."""
    names = FIRST_ACTIVITY + activities
    span, column, cycles = columns.pieces(spans[:, t.START], spans[:, t.STOP])
    rows = -(-lanes // lanes_a_row)
    spent = np.zeros((rows, names * columns.count))
    for lane, state in enumerate(_states(spans, lanes)):
        spent[lane // lanes_a_row] += total_by(state[span] * columns.count + column, cycles, names * columns.count)
    of_row = np.minimum(lanes - numbers(rows) * lanes_a_row, lanes_a_row)
    shares = spent.reshape(rows, names, columns.count) / (of_row[:, None, None] * np.diff(columns.edges()))
    shares[:, NO_WARP] = 1 - shares.sum(axis=1)
    return shares


def _units(result: RunResult, events: np.ndarray, cores: list[int], columns: Columns) -> list[Unit]:
    """Every ALU of the cores that are shown: taken from the cycle of an instruction until it takes the next."""
    taken = e.of_kind(events, e.PIPE)
    units = []
    for core in cores:
        for number, name in pipe_names(result.config).items():
            rows = taken[(taken["core"] == core) & (taken["pipe"] == number)]
            until = np.maximum(rows["until"], rows["time"] + 1)
            span, column, busy = columns.pieces(rows["time"], until)
            slots = result.config.core.warps
            spent = total_by(rows["warp"][span] * columns.count + column, busy, slots * columns.count)
            shares = spent.reshape(slots, columns.count) / np.diff(columns.edges())
            free = 1 - shares.sum(axis=0)
            holders = np.where(free > shares.max(axis=0), NOBODY, shares.argmax(axis=0))
            units.append(Unit(core, name, holders.astype(np.int16), shares))
    return units


def _traffic(result: RunResult, events: np.ndarray, cores: list[int], columns: Columns) -> list[Traffic]:
    """Lookups of the caches that the machine has; where it has none, the requests of its cores."""
    config = result.config
    first = ", ".join(name for name, size in (("L1", config.l1.bytes), ("texture", config.texture.bytes)) if size)
    levels: list[tuple[str, int, int | None]] = [(first or "requests", e.REQUEST, core) for core in cores]
    if config.l2.bytes:
        levels.append(("L2", e.L2, None))
    found = []
    for name, kind, core in levels:
        rows = e.of_kind(events, kind)
        rows = rows if core is None else rows[rows["core"] == core]
        counts = np.stack([columns.sums(rows["time"][rows["outcome"] == outcome]) for outcome in range(len(e.OUTCOMES))])
        if counts.any():
            found.append(Traffic(name, core, counts.astype(np.int64)))
    return found
