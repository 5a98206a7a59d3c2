"""The Kanata log of cores with warps: every instruction that a warp issued, what it waited for, and for whose registers."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.traces.konata.kanata_log import FLUSHED, RETIRED, STAGES, STALLS, Log
from warploom.observe.traces.vocabulary import Percent, instruction, lanes

FETCH, DECODE = "F", "D"
EXECUTE = {u.ALU: "X", u.SPECIAL: "XF", u.MEMORY: "XM", u.SHARED: "XS", u.TEXTURE: "XT", u.CONTROL: "XC"}


class Operation(NamedTuple):
    """An instruction of a warp, from cycle `begin` on. waits: (first cycle, first one after it, reason).

    issue: its cycle, or -1 when the run was over before. ready: the first cycle in which its result can be used.
    """

    begin: int
    core: int
    warp: int
    pc: int
    mask: int
    block: int
    rank: int
    waits: tuple[tuple[int, int, int], ...]
    issue: int
    ready: int

    @property
    def end(self) -> int:
        """The first cycle after all that is known of it."""
        return max(self.ready, *(stop for _, stop, _ in self.waits)) if self.waits else self.ready


def write_warps(result: RunResult, log: Log, progress: Percent) -> None:
    """The instructions of all warps by their begin; what happens to each later waits for its cycle in a heap."""
    schedule = _Schedule(log)
    writers: dict[tuple[int, int], dict[int, tuple[int, int, int]]] = defaultdict(dict)
    slots = result.config.core.warps
    for operation in heapq.merge(*_warps(result), key=lambda operation: operation.begin):
        schedule.up_to(operation.begin)
        log.go_to(operation.begin)
        progress(100 * operation.begin // max(result.cycles, 1))
        number = log.begin(operation.core * slots + operation.warp, *_texts(result.program, operation))
        code = result.program.code[min(operation.pc, len(result.program) - 1)].tolist()
        _stages(schedule, operation, number, EXECUTE[code[u.ISSUE_UNIT]])
        for producer in _producers(operation, number, code, writers[operation.core, operation.warp]):
            schedule.at(operation.issue, log.arrow, number, producer)
        schedule.at(operation.end, log.end, number, RETIRED if operation.issue >= 0 else FLUSHED)
    schedule.up_to(FOREVER)
    log.go_to(result.cycles)


class _Schedule:
    """What is to be written in later cycles."""

    def __init__(self, log: Log) -> None:
        self.log, self.order = log, 0
        self.heap: list[tuple[int, int, Callable[..., None], tuple[int | str, ...]]] = []

    def at(self, cycle: int, write: Callable[..., None], *said: int | str) -> None:
        """In that cycle, after all that has been put there before."""
        self.order += 1
        heapq.heappush(self.heap, (cycle, self.order, write, said))

    def up_to(self, cycle: int) -> None:
        """Write everything up to that cycle."""
        while self.heap and self.heap[0][0] <= cycle:
            now, _, write, said = heapq.heappop(self.heap)
            self.log.go_to(now)
            write(*said)


def _texts(program: Program, operation: Operation) -> tuple[str, str]:
    """What stands at the left, and what is shown under the mouse."""
    place = program.position(operation.pc)
    where = f"\n{program.source_of(place).path}:{place.line}" if place.line else ""
    who = f"block {operation.block}, warp {operation.rank}\nlanes {lanes(operation.mask)} ({operation.mask.bit_count()})"
    return f"c{operation.core}w{operation.warp} @{operation.pc}: {instruction(program, operation.pc)}", who + where


def _stages(schedule: _Schedule, operation: Operation, number: int, execute: str) -> None:
    log, shown = schedule.log, ""
    for start, stop, reason in operation.waits:
        stage = FETCH if reason == reasons.NO_INSTRUCTION else DECODE
        if stage != shown and (operation.issue < 0 or start < operation.issue):
            schedule.at(start, log.stage, number, STAGES, stage)
            shown = stage
        schedule.at(start, log.stage, number, STALLS, reasons.REASONS[reason].name)
        schedule.at(stop, log.end_stage, number, STALLS, reasons.REASONS[reason].name)
    if operation.issue >= 0:
        schedule.at(operation.issue, log.stage, number, STAGES, execute)
        schedule.at(operation.ready, log.end_stage, number, STAGES, execute)


def _producers(operation: Operation, number: int, code: list[int], writers: dict[int, tuple[int, int, int]]) -> list[int]:
    """Instructions of the warp whose registers were not there yet when this one was at hand; notes which registers it writes itself.

    writers: for a group of registers the last instruction that wrote it: (first cycle in which it is there, number, lanes).
    """
    if operation.issue < 0:
        return []
    used = code[u.USE : u.USE + code[u.USES]]
    found = set()
    for group in used:
        ready, producer, mask = writers.get(group, (0, 0, 0))
        if operation.begin < ready <= operation.issue and mask & operation.mask:
            found.add(producer)
    for group in used[: code[u.WRITES]]:
        writers[group] = (operation.ready, number, operation.mask)
    return sorted(found)


def _warps(result: RunResult) -> list[Iterator[Operation]]:
    """The instructions of each warp slot, by their begin."""
    spans = t.timeline(result).spans
    ready = _ready(result, spans)
    place = spans[:, t.CORE] * result.config.core.warps + spans[:, t.WARP]
    cuts = np.flatnonzero(np.diff(place)) + 1
    return [_operations(part, ends) for part, ends in zip(np.split(spans, cuts), np.split(ready, cuts), strict=True)]


def _ready(result: RunResult, spans: np.ndarray) -> np.ndarray:
    """int64[spans]: for an issue, the first cycle in which its result can be used; 0 for a wait."""
    events, slots, cycles = events_of(result, "a trace file"), result.config.core.warps, result.cycles + 1

    def key(core: np.ndarray, warp: np.ndarray, cycle: np.ndarray) -> np.ndarray:
        return (core * slots + warp) * cycles + cycle

    known: list[tuple[np.ndarray, np.ndarray]] = []
    for kind, when, until, more in ((e.ISSUE, e.TIME, e.B, 0), (e.COMPLETE, e.A, e.B, 1)):
        rows = events[events[:, e.KIND] == kind]
        keys = key(rows[:, e.CORE], rows[:, e.WARP], rows[:, when])
        order = np.argsort(keys, kind="stable")
        known.append((keys[order], rows[order, until] + more))
    wanted = key(spans[:, t.CORE], spans[:, t.WARP], spans[:, t.START])
    found = np.where(spans[:, t.ACTIVITY] == reasons.SELECTED, spans[:, t.STOP], 0)
    for keys, untils in known:
        if len(keys):
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            says = (keys[place] == wanted) & (found > 0) & (untils[place] < FOREVER)
            found[says] = np.maximum(found[says], untils[place][says])
    return np.minimum(found, result.cycles)  # a run does not wait for stores that are still on their way


def _operations(spans: np.ndarray, ready: np.ndarray) -> Iterator[Operation]:
    """The instructions of one warp slot. What a warp waits for after its last instruction belongs to that one."""
    waits: list[tuple[int, int, int]] = []
    last: Operation | None = None
    where: list[int] = []
    for row, until in zip(spans.tolist(), ready.tolist(), strict=True):
        core, warp, start, stop, activity, pc, mask, _, block, rank = row[: t.RANK + 1]
        if waits and where[t.BLOCK : t.RANK + 1] != row[t.BLOCK : t.RANK + 1]:
            yield from _cut_off(last, where, waits)
            last, waits = None, []
        where = row
        if activity == reasons.DRAIN and last is not None:
            last = last._replace(waits=(*last.waits, (start, stop, activity)))
        elif activity == reasons.SELECTED:
            if last is not None:
                yield last
            begin = waits[0][0] if waits else start
            last = Operation(begin, core, warp, pc, mask, block, rank, tuple(waits), start, until)
            waits = []
        else:
            waits.append((start, stop, activity))
    yield from _cut_off(last, where, waits)


def _cut_off(last: Operation | None, where: list[int], waits: list[tuple[int, int, int]]) -> Iterator[Operation]:
    """The last instruction, and the one that has not come to its issue."""
    if last is not None:
        yield last
    if waits:
        core, warp, _, stop, _, pc, mask, _, block, rank = where[: t.RANK + 1]
        yield Operation(waits[0][0], core, warp, pc, mask, block, rank, tuple(waits), -1, stop)
