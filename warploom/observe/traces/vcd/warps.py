"""The signals of cores with warps: what every warp slot, ALU and load/store unit did, and the memory below them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.config.pipes import pipe_names
from warploom.machine.config.schema import Config
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.text.styled import warp_name
from warploom.observe.traces.levels import Blocks, Level
from warploom.observe.traces.vcd.waves import NOBODY, STRING, Signal, Waves, string
from warploom.observe.traces.vocabulary import Percent, instruction
from warploom.observe.traces.windows import Source, WarpSpans, Window, slots, windows

BITS = 32  # of program counters, block numbers and counts
ADDRESS_BITS = 40

# Changes of a signal: the cycles, and the values (of a string: numbers of `words`).
Changes = tuple[Signal, np.ndarray, np.ndarray]


def write_warps(result: RunResult, source: Source, waves: Waves, progress: Percent) -> None:
    """Write the run, window by window: the changes of all signals, by time."""
    courses = Courses(result.config, result.program)
    numbers = {signal: waves.add(signal) for signal in courses.signals}
    clock = _Clock(waves, result.cycles)
    for window in windows(source):
        changes = [(numbers[signal], signal.size == STRING, times, values) for signal, times, values in courses.of(window)]
        time = np.concatenate([times for *_, times, _ in changes])
        number = np.concatenate([np.full(len(times), number, np.int64) for number, _, times, _ in changes])
        words = np.concatenate([np.full(len(times), is_word, bool) for _, is_word, times, _ in changes])
        value = np.concatenate([values for *_, values in changes])
        order = np.lexsort((number, time))
        # Of several values of a signal in one cycle the last one holds.
        last = np.append((np.diff(time[order]) != 0) | (np.diff(number[order]) != 0), True)[: len(order)]
        order = order[last & (time[order] < result.cycles)]
        rows = zip(time[order].tolist(), number[order].tolist(), words[order].tolist(), value[order].tolist(), strict=True)
        for now, signal_number, is_word, what in rows:
            clock.go_to(now)
            waves.change(signal_number, now, courses.words[what] if is_word else what & (1 << 64) - 1)
        clock.go_to(min(window.stop, result.cycles) - 1)
        progress(window.percent)
    clock.end()


class _Clock:
    """Rises at the beginning of every cycle."""

    def __init__(self, waves: Waves, cycles: int) -> None:
        self._waves, self._cycles, self._now = waves, cycles, 0
        waves.rise(0)

    def go_to(self, cycle: int) -> None:
        """To the beginning of a cycle, unless it has been there."""
        while self._now < cycle:
            self._waves.fall(self._now)
            self._now += 1
            self._waves.rise(self._now)

    def end(self) -> None:
        """To the end of the run."""
        self.go_to(self._cycles - 1)
        if self._cycles:
            self._waves.fall(self._now)
        self._waves.close(self._cycles)


class Courses:
    """All signals of a machine, and how they change. words: what the numbers of strings stand for."""

    def __init__(self, config: Config, program: Program) -> None:
        self._config, self._program = config, program
        self._levels: dict[Signal, Level] = {}
        self._blocks, self._spans = Blocks(), WarpSpans()
        self._running: dict[int, np.ndarray] = {}  # by warp slot: the last span, where what follows it is not known yet
        self._set_words()
        none = Window(0, 0, np.zeros((0, e.EVENT_COLUMNS), np.int64), 0)
        self.signals = [signal for signal, _, _ in self.of(none)]  # in the order of the device

    def _set_words(self) -> None:
        core = self._config.core
        self.words = [NOBODY, *(activity.name for activity in t.WARP_ACTIVITIES)]
        self._outcome = len(self.words)
        self.words += e.OUTCOMES
        self._text = len(self.words)
        self.words += [instruction(self._program, pc) for pc in range(len(self._program))]
        self._warp_names = len(self.words)
        self.words += [warp_name(number, warp) for number in range(self._config.gpu.cores) for warp in range(core.warps)]

    def of(self, window: Window) -> Iterator[Changes]:
        """The changes of a window, of every signal."""
        rows, stop = window.rows, window.stop
        spans = self._spans.of(window)
        mine = dict(slots(spans, self._config.core.warps))
        yield from self._device(rows, stop)
        for core in range(self._config.gpu.cores):
            yield from self._core(core, rows[rows[:, e.CORE] == core], spans[spans[:, t.CORE] == core], mine, stop)

    def _level(self, signal: Signal, stop: int, up: np.ndarray, down: np.ndarray) -> Changes:
        return signal, *self._levels.setdefault(signal, Level()).until(stop, up, down)

    def _pulses(self, signal: Signal, stop: int, times: np.ndarray) -> Changes:
        return self._level(signal, stop, times, times + 1)

    def _device(self, rows: np.ndarray, stop: int) -> Iterator[Changes]:
        kind = rows[:, e.KIND]
        came, went = self._blocks.of(rows[(kind == e.LAUNCH) | (kind == e.END)], e.LAUNCH, e.END)
        yield self._level(Signal(("gpu",), "blocks", BITS, "dec"), stop, came, went)
        if not _touches_memory(self._program):
            return
        memory = e.of_kind(rows, e.MEMORY)
        if self._config.l2.bytes:
            yield from self._traffic(("gpu", "l2"), "lookups", e.of_kind(rows, e.L2), stop)
        yield self._level(Signal(("gpu", "memory"), "in_flight", BITS, "dec"), stop, memory["time"], memory["done"])
        yield from self._traffic(("gpu", "memory"), "requests", memory, stop, outcomes=False)

    def _core(self, number: int, rows: np.ndarray, spans: np.ndarray, by_slot: dict[int, np.ndarray], stop: int) -> Iterator[Changes]:
        scope, kind, core = ("gpu", f"core{number}"), rows[:, e.KIND], self._config.core
        yield self._level(Signal(scope, "warps", BITS, "dec"), stop, rows[kind == e.LAUNCH, e.TIME], rows[kind == e.END, e.TIME])
        issued = spans[spans[:, t.ACTIVITY] == reasons.SELECTED]
        for scheduler in range(core.schedulers):
            here, picks = (*scope, f"scheduler{scheduler}"), issued[issued[:, t.WARP] % core.schedulers == scheduler]
            picks = picks[np.argsort(picks[:, t.START], kind="stable")]
            yield self._pulses(Signal(here, "issues", BITS, "dec"), stop, picks[:, t.START])
            yield self._warp_of(here, number, picks[:, t.START], picks[:, t.WARP])
        for warp in range(core.warps):
            slot = number * core.warps + warp
            # The name of a scope has no blank: `warp0:3` for `warp 0:3`.
            yield from self._warp((*scope, warp_name(number, warp).replace(" ", "")), slot, by_slot.get(slot), stop)
        taken = e.of_kind(rows, e.PIPE)
        for pipe, name in pipe_names(self._config).items():
            entries, here = taken[taken["pipe"] == pipe], (*scope, name.lower().replace(" ", ""))
            yield self._level(Signal(here, "busy", 1), stop, entries["time"], entries["until"])
            yield self._warp_of(here, number, entries["time"], entries["warp"])
        if _touches_memory(self._program):
            requests = e.of_kind(rows, e.REQUEST)
            yield from self._traffic((*scope, "lsu"), "requests", requests, stop)
            yield self._warp_of((*scope, "lsu"), number, requests["time"], requests["warp"])
            yield from self._traffic((*scope, "fill"), "lines", e.of_kind(rows, e.FILL), stop, outcomes=False)

    def _warp_of(self, scope: tuple[str, ...], core: int, times: np.ndarray, warps: np.ndarray) -> Changes:
        """The warp of the last one."""
        return string(scope, "warp"), times, self._warp_names + core * self._config.core.warps + warps

    def _warp(self, scope: tuple[str, ...], slot: int, begun: np.ndarray | None, stop: int) -> Iterator[Changes]:
        before = self._running.pop(slot, None)
        spans = np.concatenate([part for part in (before, begun) if part is not None] or [np.zeros((0, t.SPAN_COLUMNS), np.int64)])
        if len(spans) and spans[-1, t.STOP] >= stop:
            self._running[slot] = spans[-1:]
        # A slot is empty after a span that no other one follows; of the last span that is known when its end is.
        start, end = spans[:, t.START], spans[:, t.STOP]
        ends = np.append(start[1:] != end[:-1], end[-1] < stop) if len(spans) else np.zeros(0, bool)
        written = slice(0 if before is None else 1, None)
        order = np.argsort(np.concatenate([end[ends], start[written]]), kind="stable")
        times = np.concatenate([end[ends], start[written]])[order]

        def course(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """The values of the spans, and 0 where no warp is in the slot."""
            return times, np.concatenate([np.zeros(int(ends.sum()), np.int64), values[written]])[order]

        yield string(scope, "state"), *course(1 + spans[:, t.ACTIVITY])
        issues = start[written][spans[written, t.ACTIVITY] == reasons.SELECTED]
        yield self._pulses(Signal(scope, "issue", 1), stop, issues)
        yield string(scope, "instruction"), *course(np.clip(spans[:, t.PC], 0, len(self._program) - 1) + self._text)
        yield Signal(scope, "pc", BITS, "dec"), *course(spans[:, t.PC])
        yield Signal(scope, "lanes", self._config.core.lanes), *course(spans[:, t.MASK])
        yield Signal(scope, "block", BITS, "dec"), *course(spans[:, t.BLOCK])
        yield Signal(scope, "rank", BITS, "dec"), *course(spans[:, t.RANK])

    def _traffic(self, scope: tuple[str, ...], name: str, rows: np.ndarray, stop: int, outcomes: bool = True) -> Iterator[Changes]:
        """How many a cycle, and the address and outcome of the last one."""
        yield self._pulses(Signal(scope, name, BITS, "dec"), stop, rows["time"])
        yield Signal(scope, "address", ADDRESS_BITS), rows["time"], rows["line"] * self._config.l1.line
        if outcomes:
            yield string(scope, "outcome"), rows["time"], self._outcome + rows["outcome"]


def _touches_memory(program: Program) -> bool:
    return bool(len(program.constants) or np.isin(program.uops[:, u.UNIT], (u.MEMORY, u.TEXTURE)).any())
