"""History: what every warp and every ALU did in every cycle, rebuilt from a run's events.

It is the diagram of the article "What's up with my branch on GPU?" as data and as text: a row per cycle, and in it the
state, the lane mask and the program counter of every warp slot after that cycle, and whose instruction each ALU held. Pictures
are drawn from it. It needs a run with `tracing=True` on cores with warps, and reads nothing but its Result.

    A:0000ffff@5   the warp issued an instruction; its mask and its next instruction afterwards
    S:0000ffff@5   it waits for a register, for memory, at a barrier ...
    I:0000ffff@5   it could have issued, but an execution unit or the scheduler's choice was lacking
    .              no warp runs in this slot; the cycle in which a warp ends already shows it so

Where a scheduler visits one warp per cycle (guppy's fetch unit), nothing is known of the warps that it does not visit: such
a warp is shown as it was at its last visit, as in the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warploom.isa.counts import numbers
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.config.pipes import pipe_names
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import events_of

EMPTY, ACTIVE, STALLED, IDLE = range(4)
LETTERS = ".ASI"
NOBODY = -1  # an ALU that holds nothing


@dataclass(frozen=True, eq=False)
class History:
    """A run, cycle by cycle: index 0 is cycle `start`.

    state: uint8[cycles, cores, warps], one of EMPTY, ACTIVE, STALLED, IDLE. mask: uint64[cycles, cores, warps], active lanes after
    the cycle. pc: int32[cycles, cores, warps], instruction number after the cycle. alu: int16[cycles, cores, alus], the warp
    slot whose instruction entered the ALU last and is still in it, or NOBODY. alus: their names. lanes: lanes per warp.
    """

    start: int
    lanes: int
    state: np.ndarray
    mask: np.ndarray
    pc: np.ndarray
    alu: np.ndarray
    alus: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.state)

    def rows(self) -> list[str]:
        """A line per cycle: the warps of all cores, `|`, the warp in each ALU (-2 for none, as the original has it)."""
        width = (self.lanes + 3) // 4
        lines = []
        for state, mask, pc, alu in zip(self.state, self.mask, self.pc, self.alu, strict=True):
            cells = zip(state.ravel().tolist(), mask.ravel().tolist(), pc.ravel().tolist(), strict=True)
            warps = [f"{LETTERS[s]}:{m:0{width}x}@{p}" if s else LETTERS[EMPTY] for s, m, p in cells]
            holders = [str(warp) if warp != NOBODY else "-2" for warp in alu.ravel().tolist()]
            lines.append(f"{' '.join(warps)} | {' '.join(holders)}")
        return lines

    def strips(self) -> list[str]:
        """The diagram on its side: a line per warp slot (a letter a cycle), then a line per ALU (the last digit of the warp in it)."""
        _, cores, warps = self.state.shape
        lines = []
        for core in range(cores):
            place = f"core {core} " if cores > 1 else ""
            for warp in range(warps):
                lines.append(f"{place}warp {warp:<2} {''.join(LETTERS[state] for state in self.state[:, core, warp])}")
            for alu, name in enumerate(self.alus):
                holders = self.alu[:, core, alu].tolist()
                lines.append(f"{place}{name.lower():<7} {''.join('.' if warp == NOBODY else str(warp % 10) for warp in holders)}")
        return lines


def history(result: RunResult, start: int = 0, stop: int | None = None) -> History:
    """The cycles `start` to `stop` (not included; None: to the end) of a run.

    A cycle of a core takes 13 bytes per warp slot. Raises ValueError when the run has written down no events.
    """
    rows = events_of(result, "a history", "a run on cores with warps")
    core = result.config.core
    stop = result.cycles if stop is None else min(stop, result.cycles)
    start = min(max(start, 0), stop)
    shape = (stop - start, result.config.gpu.cores, core.warps)
    pipes = pipe_names(result.config)
    found = History(
        start,
        core.lanes,
        np.zeros(shape, np.uint8),
        np.zeros(shape, np.uint64),
        np.zeros(shape, np.int32),
        np.full((*shape[:2], len(pipes)), NOBODY, np.int16),
        tuple(pipes.values()),
    )
    cycles = np.arange(start, stop, dtype=np.int64)
    by_visit = result.detail.by_visit
    for number in range(shape[1]):
        of_core = rows[rows[:, e.CORE] == number]
        for warp in range(shape[2]):
            _warp(found, of_core[of_core[:, e.WARP] == warp], number, warp, cycles, by_visit)
        _alus(found, of_core, number, tuple(pipes), cycles)
    return found


def _warp(found: History, rows: np.ndarray, core: int, warp: int, cycles: np.ndarray, by_visit: bool) -> None:
    """Fill in one warp slot: each of its events says what holds from a cycle on, until the next one says otherwise."""
    kind = rows[:, e.KIND]
    after, seen, wait = e.named(rows, e.ISSUE)["after"], e.named(rows, e.VISIT)["outcome"], e.named(rows, e.STALL)
    issues, launches, ends = (np.flatnonzero(kind == wanted) for wanted in (e.ISSUE, e.LAUNCH, e.END))
    following = _following_pc(rows)
    onward = issues[~np.isin(rows[issues, e.TIME] + 1, rows[ends, e.TIME])]
    changes = [
        _changes(rows[onward], rows[onward, e.TIME] + 1, IDLE, after[onward], following[onward]),
        _changes(rows[launches], rows[launches, e.TIME], IDLE, rows[launches, e.MASK], rows[launches, e.PC]),
        _changes(rows[issues], rows[issues, e.TIME], ACTIVE, after[issues], following[issues]),
    ]
    if by_visit:
        visits = np.flatnonzero((kind == e.VISIT) & (seen != e.EMPTY_SLOT))
        state = np.where(seen[visits] == e.WAITS, STALLED, IDLE)
        changes.append(_changes(rows[visits], rows[visits, e.TIME], state, rows[visits, e.MASK], rows[visits, e.PC]))
    else:
        waits = np.flatnonzero(kind == e.STALL)
        state = np.where(np.isin(wait["reason"][waits], reasons.READY), IDLE, STALLED)
        changes.append(_changes(rows[waits], wait["since"][waits], state, rows[waits, e.MASK], rows[waits, e.PC]))
    # A warp that ends by an instruction is gone in that cycle already; one that waits for its stores ends in a cycle of its own.
    end = rows[ends, e.TIME] - np.isin(rows[ends, e.TIME] - 1, rows[issues, e.TIME])
    changes.append(_changes(rows[ends], end, EMPTY, np.zeros_like(end), np.zeros_like(end)))
    table = np.concatenate(changes)
    if not len(table):
        return
    # Of changes in one cycle the last of the list above counts: what an issue changes comes before the cycle's own events.
    table = table[np.argsort(table[:, 0], kind="stable")]
    last = np.searchsorted(table[:, 0], cycles, side="right") - 1
    known = last >= 0
    now = table[last[known]]
    found.state[known, core, warp] = now[:, 1]
    found.mask[known, core, warp] = now[:, 2].view(np.uint64)
    found.pc[known, core, warp] = now[:, 3]


def _changes(rows: np.ndarray, time: np.ndarray, state: np.ndarray | int, mask: np.ndarray, pc: np.ndarray) -> np.ndarray:
    """int64[n, 4]: from cycle `time` on, this state, mask and program counter."""
    return np.stack([time, np.broadcast_to(state, (len(rows),)).astype(np.int64), mask, pc], axis=1)


def _following_pc(rows: np.ndarray) -> np.ndarray:
    """The program counter of the warp's next visit, wait or issue after every event: where an instruction has led it."""
    says = np.isin(rows[:, e.KIND], (e.ISSUE, e.VISIT, e.STALL))
    where = np.where(says, numbers(len(rows)), len(rows))
    following = np.append(np.minimum.accumulate(where[::-1])[::-1][1:], len(rows)) if len(rows) else where
    at_the_end = rows[-1, e.PC] + 1 if len(rows) else 0
    return np.append(rows[:, e.PC], at_the_end)[following]


def _alus(found: History, rows: np.ndarray, core: int, numbers: tuple[int, ...], cycles: np.ndarray) -> None:
    """Fill in the ALUs of a core: an instruction is in its ALU from its issue to the cycle before its result can be used."""
    until = {(time, warp): ready for time, warp, ready in e.of_kind(rows, e.ISSUE)[["time", "warp", "ready"]].tolist()}
    entries = e.of_kind(rows, e.PIPE)
    for alu, number in enumerate(numbers):
        taken = entries[entries["pipe"] == number]
        if not len(taken):
            continue
        leaves = np.array([until[time, warp] for time, warp in taken[["time", "warp"]].tolist()], np.int64)
        last = np.searchsorted(taken["time"], cycles, side="right") - 1
        held = (last >= 0) & (cycles < leaves[last])
        found.alu[held, core, alu] = taken["warp"][last[held]]
