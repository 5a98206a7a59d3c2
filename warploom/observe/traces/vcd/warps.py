"""The signals of cores with warps: what every warp slot, ALU and load/store unit did, and the memory below them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.config.pipes import pipe_names
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.traces.levels import blocks, level, pulses
from warploom.observe.traces.vcd.waves import NOBODY, STRING, Signal, Waves, string
from warploom.observe.traces.vocabulary import Percent, instruction

BITS = 32  # of program counters, block numbers and counts
ADDRESS_BITS = 40
CHUNK = 1 << 16  # changes that are turned into text at once

# A signal with its changes: the cycles, and the values (of a string: numbers of `words`).
Course = tuple[Signal, np.ndarray, np.ndarray]


def signals_of_warps(result: RunResult) -> list[Signal]:
    """The signals of a run, in the order of the device."""
    return [course[0] for course in _Courses(result).all()]


def write_warps(result: RunResult, waves: Waves, progress: Percent) -> None:
    """Write the run: the changes of all signals, by time."""
    courses = _Courses(result)
    times, numbers, values = [], [], []
    strings = []
    for signal, when, value in courses.all():
        number = waves.add(signal)
        strings.append(signal.size == STRING)
        times.append(when)
        values.append(value)
        numbers.append(np.full(len(when), number, np.int32))
    time = np.concatenate(times)
    order = np.argsort(time, kind="stable")
    cycle = 0
    waves.rise(0)
    words = courses.words
    joined, number_of = np.concatenate(values), np.concatenate(numbers)
    for start in range(0, len(order), CHUNK):
        part = order[start : start + CHUNK]
        for now, number, value in zip(time[part].tolist(), number_of[part].tolist(), joined[part].tolist(), strict=True):
            while cycle < now < result.cycles:
                waves.fall(cycle)
                cycle += 1
                waves.rise(cycle)
            if now < result.cycles:
                waves.change(number, now, words[value] if strings[number] else value & (1 << 64) - 1)
        progress(100 * start // len(order))
    for last in range(cycle, result.cycles):
        waves.fall(last)
        if last + 1 < result.cycles:
            waves.rise(last + 1)
    waves.close(result.cycles)


class _Courses:
    """The courses of all signals; words: what the numbers of strings stand for."""

    def __init__(self, result: RunResult) -> None:
        self.result, self.config, self.program = result, result.config, result.program
        self.events, self.spans = events_of(result, "a trace file"), t.timeline(result)
        self.words = [NOBODY, *(activity.name for activity in self.spans.activities), *e.OUTCOMES]
        self.outcome = 1 + len(self.spans.activities)
        self.text = len(self.words)
        self.words += [instruction(self.program, pc) for pc in range(len(self.program))]

    def all(self) -> Iterator[Course]:
        """Of every signal."""
        yield from self._device()
        for core in range(self.config.gpu.cores):
            yield from self._core(core)

    def _of(self, kind: int, core: int | None = None) -> np.ndarray:
        keep = self.events[:, e.KIND] == kind
        if core is not None:
            keep &= self.events[:, e.CORE] == core
        return self.events[keep]

    def _device(self) -> Iterator[Course]:
        memory, lookups = self._of(e.MEMORY), self._of(e.L2)
        yield Signal(("gpu",), "blocks", BITS, "dec"), *level(*blocks(self.spans.spans))
        if len(lookups):
            yield from self._traffic(("gpu", "l2"), "lookups", lookups)
        if len(memory):
            yield Signal(("gpu", "memory"), "in_flight", BITS, "dec"), *level(memory[:, e.TIME], memory[:, e.B])
            yield from self._traffic(("gpu", "memory"), "requests", memory, outcomes=False)

    def _core(self, number: int) -> Iterator[Course]:
        scope = ("gpu", f"core{number}")
        yield Signal(scope, "warps", BITS, "dec"), *level(self._of(e.LAUNCH, number)[:, e.TIME], self._of(e.END, number)[:, e.TIME])
        mine = self.spans.spans[self.spans.spans[:, t.CORE] == number]
        issued = mine[mine[:, t.ACTIVITY] == reasons.SELECTED]
        for scheduler in range(self.config.core.schedulers):
            here = (*scope, f"scheduler{scheduler}")
            picks = issued[issued[:, t.WARP] % self.config.core.schedulers == scheduler]
            picks = picks[np.argsort(picks[:, t.START], kind="stable")]
            yield Signal(here, "issues", BITS, "dec"), *pulses(picks[:, t.START])
            yield Signal(here, "warp", 8, "dec"), picks[:, t.START], picks[:, t.WARP]
        for warp in range(self.config.core.warps):
            yield from self._warp((*scope, f"warp{warp}"), mine[mine[:, t.WARP] == warp])
        taken = self._of(e.PIPE, number)
        for pipe, name in pipe_names(self.config).items():
            entries, place = taken[taken[:, e.A] == pipe], name.lower().replace(" ", "")
            yield Signal((*scope, place), "busy", 1), *level(entries[:, e.TIME], entries[:, e.B])
            yield Signal((*scope, place), "warp", 8, "dec"), entries[:, e.TIME], entries[:, e.WARP]
        requests, fills = self._of(e.REQUEST, number), self._of(e.FILL, number)
        if len(requests):
            yield from self._traffic((*scope, "lsu"), "requests", requests)
            yield Signal((*scope, "lsu"), "warp", 8, "dec"), requests[:, e.TIME], requests[:, e.WARP]
        if len(fills):
            yield from self._traffic((*scope, "fill"), "lines", fills, outcomes=False)

    def _warp(self, scope: tuple[str, ...], spans: np.ndarray) -> Iterator[Course]:
        start, stop = spans[:, t.START], spans[:, t.STOP]
        ends = np.append(start[1:] != stop[:-1], True) if len(spans) else np.zeros(0, bool)
        order = np.argsort(np.concatenate([start, stop[ends]]), kind="stable")
        times = np.concatenate([start, stop[ends]])[order]

        def course(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """The values of the spans, and 0 where no warp is in the slot."""
            return times, np.concatenate([values, np.zeros(int(ends.sum()), np.int64)])[order]

        yield string(scope, "state"), *course(1 + spans[:, t.ACTIVITY])
        issues = start[spans[:, t.ACTIVITY] == reasons.SELECTED]
        yield Signal(scope, "issue", 1), *pulses(issues)
        yield string(scope, "instruction"), *course(np.clip(spans[:, t.PC], 0, len(self.program) - 1) + self.text)
        yield Signal(scope, "pc", BITS, "dec"), *course(spans[:, t.PC])
        yield Signal(scope, "lanes", self.config.core.lanes), *course(spans[:, t.MASK])
        yield Signal(scope, "block", BITS, "dec"), *course(spans[:, t.BLOCK])
        yield Signal(scope, "rank", BITS, "dec"), *course(spans[:, t.RANK])

    def _traffic(self, scope: tuple[str, ...], name: str, rows: np.ndarray, outcomes: bool = True) -> Iterator[Course]:
        """How many a cycle, and the address and outcome of the last one."""
        yield Signal(scope, name, BITS, "dec"), *pulses(rows[:, e.TIME])
        yield Signal(scope, "address", ADDRESS_BITS), rows[:, e.TIME], rows[:, e.A] * self.config.l1.line
        if outcomes:
            yield string(scope, "outcome"), rows[:, e.TIME], self.outcome + rows[:, e.B]
