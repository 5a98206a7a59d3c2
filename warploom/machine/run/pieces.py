"""Pieces: a run repeated and written down stretch by stretch, so that a run of any length can be looked at in bounded memory.

Not hardware. A machine is deterministic: its run is repeated, at full speed up to the first cycle that is asked for, and from there
with events and every change of registers and memory. When a stretch has PIECE_BYTES of them it is handed out and forgotten, and the
next one begins.

A stretch overlaps its neighbours by LEAD cycles on both sides, so that what is on its way at its first and last cycle is known with
its beginning and its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from warploom.machine.accounting.status import EVENTS_FULL, LIMIT
from warploom.machine.engine.pages import Pages
from warploom.machine.run.compile import entry_call
from warploom.machine.run.recording import Recorder, Selection
from warploom.machine.run.result import RunResult

PIECE_BYTES = 16 << 20  # of events and changes that a piece has when it ends; what one stretch of LEAD cycles adds comes on top
LEAD = 1024  # cycles
FORWARD = 1 << 20  # cycles between two reports of the progress, where nothing is written down


class Piece(NamedTuple):
    """A stretch of a run.

    first, stop: its cycles, stop not included. begins, ends: what `result` covers: more on both sides, as far as the run has it.
    result: the run, with the events and the recording of those cycles, and memory as it was before them as its initial memory.
    """

    first: int
    stop: int
    begins: int
    ends: int
    result: RunResult


class Repeated(Protocol):
    """What is needed of a machine of cores with warps, beside what a recorder reads."""

    events: list[np.ndarray]
    recorder: Recorder | None

    def whole(self) -> tuple[np.ndarray, ...]:
        """Everything that changes."""

    def launch_rows(self) -> np.ndarray:
        """A LAUNCH for every warp that lives, as if it came now."""

    def open_rows(self) -> np.ndarray:
        """The spans of all warps that live, as if they ended now."""

    def drain(self) -> None:
        """Take the events out of the buffer."""


def pieces(
    result: RunResult,
    first: int = 0,
    stop: int | None = None,
    *,
    selection: Selection | None = None,
    piece_bytes: int = PIECE_BYTES,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Piece]:
    """The cycles `first` to `stop` (not included) of a run of cores with warps, piece by piece.

    selection: the warps whose events and registers are written down; all, unless it is given. progress: called with the cycle.
    """
    stop = result.cycles if stop is None else min(stop, result.cycles)
    assert result.rebuild is not None
    machine: Any = result.rebuild(tracing=True, recording=True)
    engine = "native" if "native" in result.engine else "python"
    with np.errstate(all="ignore"):
        call = entry_call(machine, engine)
        run_up_to(machine, call, max(first - LEAD, 0), progress)
        while first < stop:
            piece, back = _piece(machine, call, result, first, stop, selection, piece_bytes, progress)
            yield piece
            first = piece.stop
            if first < stop:
                for kept in back:
                    kept.restore()


def run_up_to(machine: Any, call: Callable[[int], int], until: int, progress: Callable[[int], None] | None) -> None:
    """Run up to a cycle without writing anything down."""
    machine.gpu["log"]["tracing"] = 0
    code = LIMIT
    while code in (LIMIT, EVENTS_FULL) and machine.cycle < until:
        code = call(min(machine.cycle + FORWARD, until))
        if progress is not None:
            progress(machine.cycle)


def record_piece(machine: Any, call: Callable[[int], int], result: RunResult, first: int, stop: int, selection: Selection | None) -> Piece:
    """The cycles from now to LEAD beyond `stop`, as one piece."""
    return _piece(machine, call, result, first, stop, selection, result.cycles << 40, None)[0]


def _piece(
    machine: Any,
    call: Callable[[int], int],
    result: RunResult,
    first: int,
    stop: int,
    selection: Selection | None,
    piece_bytes: int,
    progress: Callable[[int], None] | None,
) -> tuple[Piece, list[Pages]]:
    """The piece that begins at `first`, LEAD cycles from now, and the machine as it was where the next one has to be taken up."""
    begins = machine.cycle
    machine.events.clear()
    machine.gpu["log"]["rows"], machine.gpu["log"]["tracing"] = 0, 1
    memory = machine.memory.view(np.uint8)[: len(result.initial_memory)].copy()
    rows = [machine.launch_rows()]
    recorder = Recorder(machine, selection=selection)
    recorder.record_state()
    machine.recorder = recorder
    last = min(stop + LEAD, result.cycles)  # as long as there is room
    earlier: list[Pages] = []
    ends, back, code = last, [], LIMIT
    while code == LIMIT and machine.cycle < ends:
        code = call(machine.cycle + 1)
        recorder.record_cycle()
        full = code == EVENTS_FULL
        code = LIMIT if full else code
        now = machine.cycle
        if now % LEAD == 0:
            machine.drain()
            rows += _kept(machine, selection)
            if progress is not None:
                progress(now)
            if ends == last and now < stop and now > first and earlier:
                if recorder.bytes + sum(part.nbytes for part in rows) >= piece_bytes:
                    back, stop, ends = earlier, now, min(now + LEAD, result.cycles)
                else:
                    earlier = [Pages(array) for array in machine.whole()]
            elif ends == last:
                earlier = [Pages(array) for array in machine.whole()]
        elif full:  # it has not run this cycle
            machine.drain()
            rows += _kept(machine, selection)
    rows.append(machine.open_rows())
    machine.drain()
    rows += _kept(machine, selection)
    events = np.concatenate([rows[0], *rows[1:]])
    if selection is not None:
        events = selection.of_events(events)
    detail = replace(result.detail, events=events, recording=recorder.recording())
    return Piece(first, stop, begins, machine.cycle, replace(result, initial_memory=memory, detail=detail)), back


def _kept(machine: Any, selection: Selection | None) -> list[np.ndarray]:
    """The events that the machine has handed over, those that are wanted."""
    found = [selection.of_events(rows) if selection is not None else rows for rows in machine.events]
    machine.events.clear()
    return found
