"""A run's events in windows of cycles, in order: what a file needs that is written cycle by cycle without holding the run.

Events are written down when something ends: a wait of a million cycles is one row, a million cycles after its beginning. So they are
kept on disk (spool.py) and read twice. The first time finds, for each window, the waits that begin in it and are written down
later: a few rows a warp. The second time gives out the windows, each with everything that begins in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from warploom.machine.accounting import events as e
from warploom.machine.accounting.event_kinds import EVENT_KINDS
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import NoEvents, events_of

WINDOW_ROWS = 1 << 16
# Kinds that are written down in the very cycle that they tell; an end is told a cycle ahead, a stall when it is over.
_IN_TIME = [number for number, kind in enumerate(EVENT_KINDS) if not kind.late]


class Source(Protocol):
    """Events of a run that can be read again: rows of `events`, in the order in which they were written down."""

    def __len__(self) -> int:
        """How many there are."""

    def part(self, start: int, stop: int) -> np.ndarray:
        """Rows `start` to `stop` (not included): int64[n, EVENT_COLUMNS]."""


class Kept:
    """Events that lie in memory."""

    def __init__(self, events: np.ndarray) -> None:
        self._events = events

    def __len__(self) -> int:
        return len(self._events)

    def part(self, start: int, stop: int) -> np.ndarray:
        """Some of them."""
        return self._events[start:stop]


def source_of(result: RunResult, source: Source | None) -> Source:
    """The events that were put elsewhere, or those that the run has kept. Raises NoEvents where there are none."""
    if source is None:
        return Kept(events_of(result, "a trace file"))
    if not len(source):
        raise NoEvents("no warp has run, so there is nothing to show")
    return source


class Window(NamedTuple):
    """The cycles from `start` to `stop` (not included; the last one's is FOREVER), and all that begins in them.

    rows: events by their cycle, a stall by its first one; those of a warp slot follow each other. percent: of the run, when it is over.
    """

    start: int
    stop: int
    rows: np.ndarray
    percent: int


def windows(source: Source) -> Iterator[Window]:
    """The windows of a run, each of about WINDOW_ROWS rows."""
    count = max(-(-len(source) // WINDOW_ROWS), 1)
    stops, late = _survey(source, count)
    carried = np.zeros((0, e.EVENT_COLUMNS), np.int64)
    start = 0
    for number, stop in enumerate(stops):
        rows = _rows(source, number)
        rows = rows[~((rows[:, e.KIND] == e.STALL) & (_since(rows) < start))]
        rows = np.concatenate([carried, rows])
        begins = np.where(rows[:, e.KIND] == e.STALL, _since(rows), rows[:, e.TIME])
        now, carried = rows[begins < stop], rows[begins >= stop]
        yield Window(start, stop, np.concatenate([now, *late.pop(number, ())]), 100 * (number + 1) // count)
        start = stop


def _rows(source: Source, number: int) -> np.ndarray:
    return source.part(number * WINDOW_ROWS, (number + 1) * WINDOW_ROWS)


def _since(rows: np.ndarray) -> np.ndarray:
    """int64[n]: of stalls their first cycle, of other rows anything."""
    found: np.ndarray = e.named(rows, e.STALL)["since"]
    return found


def _survey(source: Source, count: int) -> tuple[list[int], dict[int, list[np.ndarray]]]:
    """Where each window stops, and the stalls that begin in it and are found in later rows."""
    stops: list[int] = []
    late: dict[int, list[np.ndarray]] = {}
    reached = 0
    for number in range(count):
        rows = _rows(source, number)
        stalls = rows[rows[:, e.KIND] == e.STALL]
        stalls = stalls[_since(stalls) < reached]
        for place in np.unique(windows_of := np.searchsorted(stops, _since(stalls), side="right")).tolist():
            late.setdefault(place, []).append(stalls[windows_of == place])
        told = rows[np.isin(rows[:, e.KIND], _IN_TIME), e.TIME]
        reached = max(reached, int(told.max()) if len(told) else 0)
        stops.append(reached)
    stops[-1] = FOREVER
    return stops, late


class WarpSpans:
    """The spans of warps (`facts.timeline`, but without THREADS and ENDED), window by window. It remembers which warp is in which slot."""

    def __init__(self) -> None:
        self._launches = np.zeros((0, e.EVENT_COLUMNS), np.int64)

    def of(self, window: Window) -> np.ndarray:
        """Those that begin in a window: int64[n, RANK + 1], ordered by core, warp slot and start."""
        rows = window.rows[np.isin(window.rows[:, e.KIND], (e.ISSUE, e.STALL, e.LAUNCH))]
        rows = t.by_slot(np.concatenate([self._launches, rows]))
        launches = rows[rows[:, e.KIND] == e.LAUNCH]
        last = np.append(np.any(launches[1:, (e.CORE, e.WARP)] != launches[:-1, (e.CORE, e.WARP)], axis=1), True)
        self._launches = launches[last] if len(launches) else launches
        spans, _ = t.spans_of(rows)
        return spans[rows[:, e.KIND] != e.LAUNCH]


def slots(spans: np.ndarray, warps: int) -> Iterator[tuple[int, np.ndarray]]:
    """The spans of each warp slot, with its number: that of its core times `warps`, plus its own in the core."""
    place = spans[:, t.CORE] * warps + spans[:, t.WARP]
    cuts = np.flatnonzero(np.diff(place)) + 1
    if len(spans):
        for part in np.split(spans, cuts):
            yield int(part[0, t.CORE]) * warps + int(part[0, t.WARP]), part
