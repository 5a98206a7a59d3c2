"""The Kanata log of cores with warps: every instruction that a warp issued, what it waited for, and for whose registers."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.config.schema import Config
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.text.styled import warp_name
from warploom.observe.traces.konata.kanata_log import FLUSHED, RETIRED, STAGES, STALLS, Log
from warploom.observe.traces.vocabulary import Percent, instruction, lanes
from warploom.observe.traces.windows import Source, WarpSpans, Window, slots, windows

FETCH, DECODE = "F", "D"
EXECUTE = {u.ALU: "X", u.SPECIAL: "XF", u.MEMORY: "XM", u.SHARED: "XS", u.TEXTURE: "XT", u.CONTROL: "XC", u.BUFFER: "X"}
NOT_KNOWN = -1


def write_warps(result: RunResult, source: Source, log: Log, progress: Percent) -> None:
    """The instructions of all warps, window by window."""
    schedule = _Schedule(log, result.cycles)
    core = result.config.core
    warps = {
        number * core.warps + warp: _Warp(result.program, result.config, number, warp, schedule)
        for number in range(result.config.gpu.cores)
        for warp in range(core.warps)
    }
    spans = WarpSpans()
    for window in windows(source):
        stop = min(window.stop, result.cycles)
        ready = _ready(window, core.warps)
        for place, until in ready.items():
            warps[place[0]].answered(place[1], until)
        issues = e.of_kind(window.rows, e.ISSUE)[["core", "warp", "time", "ready"]]
        results = {(core_ * core.warps + warp, now): ready_ for core_, warp, now, ready_ in issues.tolist()}
        begun = dict(slots(spans.of(window), core.warps))
        for place_, warp_ in warps.items():
            warp_.take(begun.get(place_), results, ready, stop, last=window.stop == FOREVER)
        schedule.up_to(stop)
        progress(window.percent)
    schedule.up_to(FOREVER)
    log.go_to(result.cycles)


def _ready(window: Window, warps: int) -> dict[tuple[int, int], int]:
    """By warp slot and cycle of the issue: the first cycle in which the result of an access that is complete now can be used."""
    complete = e.of_kind(window.rows, e.COMPLETE)[["core", "warp", "issued", "done"]]
    return {(core * warps + warp, issued): done + 1 for core, warp, issued, done in complete.tolist()}


class _Schedule:
    """What is to be written, by cycle; in a cycle by warp slot, instruction, and the order in which it was put there."""

    def __init__(self, log: Log, cycles: int) -> None:
        self.log, self._cycles = log, cycles
        self._order = 0
        self._heap: list[tuple[int, int, int, int, Callable[[], None]]] = []

    def at(self, cycle: int, slot: int, number: int, write: Callable[[], None]) -> None:
        """Write this in a cycle, or when the run ends before it."""
        self._order += 1
        heapq.heappush(self._heap, (min(cycle, self._cycles), slot, number, self._order, write))

    def up_to(self, cycle: int) -> None:
        """Write everything before a cycle."""
        while self._heap and self._heap[0][0] < cycle:
            now, *_, write = heapq.heappop(self._heap)
            self.log.go_to(now)
            write()


@dataclass(eq=False)
class _Operation:
    """An instruction of a warp. index: among those of its slot. number: in the log, from its first line on.

    ready: the first cycle in which its result can be used, NOT_KNOWN before its access is answered. over: the first cycle after what the
    warp waited for after its last instruction; NOT_KNOWN before it is known whether it does.
    """

    index: int
    begin: int
    block: int
    rank: int
    stage: str = ""
    issue: int = NOT_KNOWN
    ready: int = NOT_KNOWN
    over: int = NOT_KNOWN
    ended: bool = False
    log: list[int] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.log[0]


class _Warp:
    """The instructions of one warp slot, as its spans come. What a warp waits for after its last instruction belongs to that one."""

    def __init__(self, program: Program, config: Config, core: int, warp: int, schedule: _Schedule) -> None:
        self._program, self._core, self._name, self._schedule = program, core, warp_name(core, warp), schedule
        self._slot = core * config.core.warps + warp
        self._code = program.code.tolist()
        self._count = 0
        self._waiting: _Operation | None = None  # has not come to its issue
        self._last: _Operation | None = None  # has issued, and it is not known yet what follows it
        self._where: list[int] = []
        self._open: dict[int, _Operation] = {}  # accesses by the cycle of their issue
        self._writers: dict[int, tuple[_Operation, int]] = {}  # by group of registers: what wrote it last, in which lanes

    def _at(self, cycle: int, operation: _Operation, write: Callable[[], None]) -> None:
        self._schedule.at(cycle, self._slot, operation.index, write)

    def answered(self, issued: int, until: int) -> None:
        """An access of an earlier window is complete."""
        operation = self._open.pop(issued, None)
        if operation is not None:
            self._is_ready(operation, until)

    def take(
        self,
        spans: np.ndarray | None,
        results: dict[tuple[int, int], int],
        ready: dict[tuple[int, int], int],
        stop: int,
        last: bool,
    ) -> None:
        """The spans that begin in a window before cycle `stop`. results, ready: when those of issues and of accesses can be used."""
        for row in [] if spans is None else spans[:, : t.RANK + 1].tolist():
            _, _, start, end, activity, pc, mask, _, block, rank = row
            if self._where and self._where[t.BLOCK :] != [block, rank]:
                self._cut_off()
            self._where = row
            if activity == reasons.DRAIN and self._last is not None and self._waiting is None:
                self._wait(self._last, start, end, activity)
                self._last.over = end
            elif activity == reasons.SELECTED:
                self._issue(self._begun(start, block, rank), start, pc, mask, results, ready)
            else:
                self._wait(self._begun(start, block, rank), start, end, activity)
        if self._last is not None and self._waiting is None and self._where[t.STOP] < stop:
            self._follow(self._last)
        if last:
            self._end(stop)

    def _begun(self, start: int, block: int, rank: int) -> _Operation:
        """The instruction that the warp has come to."""
        if self._last is not None:
            self._follow(self._last)
        if self._waiting is None:
            found = self._waiting = _Operation(self._count, start, block, rank)
            self._count += 1
            log = self._schedule.log
            self._at(start, found, lambda: found.log.append(log.begin(self._slot)))
        return self._waiting

    def _wait(self, operation: _Operation, start: int, stop: int, reason: int) -> None:
        log, name = self._schedule.log, reasons.REASONS[reason].name
        stage = FETCH if reason == reasons.NO_INSTRUCTION else DECODE
        if operation.issue == NOT_KNOWN and stage != operation.stage:
            operation.stage = stage
            self._at(start, operation, lambda: log.stage(operation.number, STAGES, stage))
        self._at(start, operation, lambda: log.stage(operation.number, STALLS, name))
        self._at(stop, operation, lambda: log.end_stage(operation.number, STALLS, name))

    def _issue(
        self,
        operation: _Operation,
        now: int,
        pc: int,
        mask: int,
        results: dict[tuple[int, int], int],
        ready: dict[tuple[int, int], int],
    ) -> None:
        log, code = self._schedule.log, self._code[pc]
        self._waiting, self._last = None, operation
        operation.issue = now
        self._label(operation, now, pc, mask)
        stage = EXECUTE[code[u.ISSUE_UNIT]]
        operation.stage = stage
        self._at(now, operation, lambda: log.stage(operation.number, STAGES, stage))
        for producer in self._producers(operation, code, mask):
            self._at(now, operation, lambda producer=producer: log.arrow(operation.number, producer.number))  # type: ignore[misc]
        until = results[self._slot, now]
        if code[u.ISSUE_UNIT] not in (u.MEMORY, u.TEXTURE):
            self._is_ready(operation, now + 1 if until >= FOREVER else until)
        elif (self._slot, now) in ready:
            self._is_ready(operation, ready[self._slot, now])
        else:
            self._open[now] = operation

    def _label(self, operation: _Operation, now: int, pc: int, mask: int) -> None:
        log, place = self._schedule.log, self._program.position(pc)
        where = f"\n{self._program.source_of(place).path}:{place.line}" if place.line else ""
        who = f"block {operation.block}, warp {operation.rank}\nlanes {lanes(mask)} ({mask.bit_count()})"
        label = f"{self._name} @{pc}: {instruction(self._program, pc)}"
        self._at(now, operation, lambda: log.label(operation.number, label, who + where))

    def _producers(self, operation: _Operation, code: list[int], mask: int) -> list[_Operation]:
        """Instructions whose registers were not there yet when this one was at hand; notes which registers it writes itself."""
        used = code[u.USE : u.USE + code[u.USES]]
        found: dict[int, _Operation] = {}
        for group in used:
            writer, written = self._writers.get(group, (None, 0))
            if writer is not None and operation.begin < writer.ready <= operation.issue and written & mask:
                found[writer.index] = writer
        for group in used[: code[u.WRITES]]:
            self._writers[group] = operation, mask
        return [found[index] for index in sorted(found)]

    # ---- ends

    def _is_ready(self, operation: _Operation, until: int) -> None:
        """Its result can be used from cycle `until` on."""
        log, stage = self._schedule.log, operation.stage
        operation.ready = until
        self._at(until, operation, lambda: log.end_stage(operation.number, STAGES, stage))
        self._retire(operation)

    def _follow(self, operation: _Operation) -> None:
        """It is known what the warp did after it."""
        operation.over = max(operation.over, operation.issue + 1)
        self._last = None
        self._retire(operation)

    def _retire(self, operation: _Operation) -> None:
        if NOT_KNOWN not in (operation.ready, operation.over) and operation is not self._last and not operation.ended:
            operation.ended = True
            log = self._schedule.log
            self._at(max(operation.ready, operation.over), operation, lambda: log.end(operation.number, RETIRED))

    def _cut_off(self) -> None:
        """Another warp has the slot: what this one had begun comes to nothing."""
        if self._last is not None:
            self._follow(self._last)
        if self._waiting is not None:
            operation, stop = self._waiting, self._where[t.STOP]
            self._waiting = None
            self._label(operation, operation.begin, self._where[t.PC], self._where[t.MASK])
            log = self._schedule.log
            self._at(stop, operation, lambda: log.end(operation.number, FLUSHED))

    def _end(self, cycles: int) -> None:
        """The run is over; it does not wait for stores that are still on their way."""
        self._cut_off()
        for operation in self._open.values():
            self._is_ready(operation, cycles)
