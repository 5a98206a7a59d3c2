"""The Perfetto trace of cores with warps: warp slots below their schedulers, ALUs, memory accesses, caches and counters."""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush

import numpy as np

from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.config.pipes import pipe_names
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.traces.accesses import Wait, waits
from warploom.observe.traces.levels import blocks, level
from warploom.observe.traces.perfetto.tracks import DEVICE, Tracks, said_of
from warploom.observe.traces.vocabulary import Percent, instruction, lanes


def write_warps(result: RunResult, tracks: Tracks, progress: Percent) -> None:
    """Write the run's device and its cores, one after the other."""
    events = events_of(result, "a trace file")
    writer = _Writer(result, tracks, events)
    writer.device()
    for core in range(result.config.gpu.cores):
        progress(100 * core // result.config.gpu.cores)
        writer.core(core, progress)
    progress(100)


class _Writer:
    def __init__(self, result: RunResult, tracks: Tracks, events: np.ndarray) -> None:
        self.result, self.program, self.config, self.tracks, self.events = result, result.program, result.config, tracks, events
        self.spans = t.timeline(result)
        self.leaves: dict[tuple[int, int, int], list[int]] = defaultdict(list)  # arrows by core, warp slot and cycle of the issue
        self.passes: dict[int, int] = {}  # the arrow through a request, by its row
        self.ends: dict[int, list[int]] = defaultdict(list)  # the arrows that end at a fill, by its row
        for number, wait in enumerate(waits(events, self.program), 1):
            self._arrow(number, wait)

    def _arrow(self, number: int, wait: Wait) -> None:
        self.leaves[wait.core, wait.warp, wait.issued].append(number)
        self.passes[wait.request] = number
        if wait.fill >= 0:
            self.ends[wait.fill].append(number)

    def rows(self, kind: int, core: int | None = None) -> np.ndarray:
        """The numbers of the events of a kind, of one core or all."""
        keep = self.events[:, e.KIND] == kind
        if core is not None:
            keep &= self.events[:, e.CORE] == core
        return np.flatnonzero(keep)

    def device(self) -> None:
        """What belongs to no core: counters, and the lookups of the second cache."""
        memory = self.events[self.rows(e.MEMORY)]
        self._counter("blocks in cores", "blocks", DEVICE, *blocks(self.spans.spans))
        if len(memory):
            self._counter("memory requests in flight", "requests", DEVICE, memory[:, e.TIME], memory[:, e.B])
        lookups = self.rows(e.L2)
        if len(lookups):
            track = self.tracks.track("second cache", description="lookups: hit, miss, merged with a miss, store")
            for time, _, core, _, _, _, line, outcome in self.events[lookups].tolist():
                self.tracks.instant(track, time, e.OUTCOMES[outcome], {"address": self._address(line), "core": core})

    def core(self, number: int, progress: Percent) -> None:
        """One core with everything in it."""
        track = self.tracks.track(f"core {number}")
        config = self.config
        mine = self.spans.spans[self.spans.spans[:, t.CORE] == number]
        launches, ended = (self.events[self.rows(kind, number), e.TIME] for kind in (e.LAUNCH, e.END))
        self._counter("warps in slots", "warps", track, launches, ended)
        issued = mine[mine[:, t.ACTIVITY] == reasons.SELECTED]
        width = np.array([mask.bit_count() for mask in (issued[:, t.MASK].tolist())], np.int64)
        self._counter("lanes that issue", "lanes", track, issued[:, t.START], issued[:, t.STOP], width)
        requests, fills = self.events[self.rows(e.REQUEST, number)], self.events[self.rows(e.FILL, number)]
        if len(fills):
            self._counter("lines in flight", "lines", track, requests[requests[:, e.B] == e.MISS, e.TIME], fills[:, e.TIME])
        schedulers = config.core.schedulers
        for scheduler in range(schedulers):
            below = self.tracks.track(f"scheduler {scheduler}", track, "the instructions that it issued")
            own = issued[issued[:, t.WARP] % schedulers == scheduler]
            for warp, start, stop, pc, block, rank in own[:, (t.WARP, t.START, t.STOP, t.PC, t.BLOCK, t.RANK)].tolist():
                said: dict[str, int | str] = {"text": instruction(self.program, pc), "block": block, "warp of the block": rank}
                self.tracks.slice(below, start, stop, f"warp slot {warp}", said)
            for warp in range(scheduler, config.core.warps, schedulers):
                slot = self.tracks.track(f"warp slot {warp}", below, "blocks, instructions, reasons to wait")
                self._warp(mine[mine[:, t.WARP] == warp], slot)
                progress((100 * number + 100 * (warp + 1) // config.core.warps) // config.gpu.cores)
        self._alus(number, track)
        self._memory(number, track)

    def _warp(self, spans: np.ndarray, track: int) -> None:
        before = None
        for core, warp, start, stop, activity, pc, mask, _, block, rank in spans[:, : t.RANK + 1].tolist():
            if before is None or before[:2] != (block, rank):
                if before is not None:
                    self.tracks.end(track, before[2])
                self.tracks.begin(track, start, f"block {block}, warp {rank}", {"block": block, "warp of the block": rank})
            if activity == reasons.SELECTED:
                flows = self.leaves.get((core, warp, start), ())
                self.tracks.slice(track, start, stop, instruction(self.program, pc), said_of(self.program, pc, mask), flows)
            else:
                self.tracks.slice(track, start, stop, self.spans.activities[activity].name, said_of(self.program, pc, mask))
            before = (block, rank, stop)
        if before is not None:
            self.tracks.end(track, before[2])

    def _alus(self, core: int, parent: int) -> None:
        taken, names = self.events[self.rows(e.PIPE, core)], pipe_names(self.result.config)
        for number in sorted(set(taken[:, e.A].tolist())):
            track = self.tracks.track(names[number], parent, "cycles in which the instruction's lanes enter it")
            for time, _, _, warp, pc, mask, _, free in taken[taken[:, e.A] == number].tolist():
                self.tracks.slice(track, time, free, f"warp slot {warp}", said_of(self.program, pc, mask))

    def _memory(self, core: int, parent: int) -> None:
        """Transactions and fills as instants; accesses from issue to completion, on as many tracks as are under way at a time."""
        instants = np.sort(np.concatenate([self.rows(e.REQUEST, core), self.rows(e.FILL, core)]))
        done = self.events[self.rows(e.COMPLETE, core)]
        if not len(instants):
            return
        unit = self.tracks.track("load/store", parent, "transactions that leave the load/store unit, lines that arrive")
        for row in instants.tolist():
            time, kind, _, warp, pc, mask, line, what = self.events[row].tolist()
            said: dict[str, int | str] = {"address": self._address(line)}
            if kind == e.FILL:
                self.tracks.instant(unit, time, "texture fill" if what else "fill", said, ends=self.ends.get(row, ()))
            else:
                said |= {"warp slot": warp} | said_of(self.program, pc, mask)
                self.tracks.instant(unit, time, e.OUTCOMES[what], said, flows=[self.passes[row]] if row in self.passes else ())
        free: list[int] = []
        busy: list[tuple[int, int]] = []
        for _, _, _, warp, pc, mask, issued, last in done[np.argsort(done[:, e.A], kind="stable")].tolist():
            while busy and busy[0][0] <= issued:
                heappush(free, heappop(busy)[1])
            track = heappop(free) if free else self.tracks.track(f"access {len(busy)}", unit, "from its issue to its last answer")
            stop = max(last, issued) + 1
            heappush(busy, (stop, track))
            said = {"warp slot": warp, "cycles": stop - issued} | said_of(self.program, pc, mask)
            self.tracks.slice(track, issued, stop, instruction(self.program, pc), said)

    def _counter(self, name: str, unit: str, parent: int, up: np.ndarray, down: np.ndarray, by: np.ndarray | None = None) -> None:
        """A number that goes up at some cycles and down at others, by 1 or by so much."""
        track = self.tracks.counter(name, unit, parent)
        times, values = level(up, down, by)
        if not len(times) or times[0] > 0:
            self.tracks.value(track, 0, 0)
        for time, value in zip(times.tolist(), values.tolist(), strict=True):
            self.tracks.value(track, time, value)

    def _address(self, line: int) -> str:
        return lanes(line * self.config.l1.line)
