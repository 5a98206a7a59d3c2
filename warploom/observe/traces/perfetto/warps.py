"""The Perfetto trace of cores with warps: warps below their schedulers, ALUs, memory accesses, caches and counters."""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.config.pipes import pipe_names
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.text.styled import warp_name
from warploom.observe.traces.accesses import Arrows
from warploom.observe.traces.levels import Blocks, Level
from warploom.observe.traces.perfetto.tracks import DEVICE, Tracks, said_of
from warploom.observe.traces.vocabulary import Percent, instruction, lanes
from warploom.observe.traces.windows import Source, WarpSpans, Window, slots, windows

# Places of tracks below the same one.
SECOND_CACHE, CORES = 10, 100
SCHEDULERS, PIPES, LOAD_STORE = 10, 1000, 2000


def write_warps(result: RunResult, source: Source, tracks: Tracks, progress: Percent) -> None:
    """Write the run, window by window; the slices of a window when the next one is known, in which arrows may lead away from them."""
    writer = _Writer(result, tracks)
    for window in windows(source):
        writer.window(window)
        progress(window.percent)
    writer.close()


class _Writer:
    def __init__(self, result: RunResult, tracks: Tracks) -> None:
        self.program, self.config, self.cycles, self.tracks = result.program, result.config, result.cycles, tracks
        self.arrows, self.spans, self.blocks = Arrows(result.program), WarpSpans(), Blocks()
        self.counters: dict[tuple[int, str], tuple[int, Level]] = {}
        self.begun: set[int] = set()  # counters that have a value
        self.places: dict[tuple[int, ...], int] = {}  # tracks that are there when something lies on them
        self.accesses: list[list[tuple[int, int]]] = [[] for _ in range(self.config.gpu.cores)]  # a core's tracks: free from, track
        self.held = np.zeros((0, t.SPAN_COLUMNS), np.int64)
        self.running: dict[int, tuple[int, int, int]] = {}  # by warp slot: block and warp of the open slice, and where it is
        self._declare()

    def _declare(self) -> None:
        """The tracks that every run has, in the order of the device."""
        core = self.config.core
        self._counter(DEVICE, "blocks in cores", "blocks")
        self.cores, self.schedulers, self.slots = [], {}, {}
        for number in range(self.config.gpu.cores):
            track = self.tracks.track(f"core {number}", place=CORES + number)
            self.cores.append(track)
            self._counter(track, "warps in slots", "warps")
            self._counter(track, "lanes that issue", "lanes")
            for scheduler in range(core.schedulers):
                below = self.tracks.track(f"scheduler {scheduler}", track, "the instructions that it issued", SCHEDULERS + scheduler)
                self.schedulers[number, scheduler] = below
                for warp in range(scheduler, core.warps, core.schedulers):
                    name = warp_name(number, warp)
                    slot = self.tracks.track(name, below, "what the warps of this slot do: blocks, instructions, reasons to wait")
                    self.slots[number * core.warps + warp] = slot

    def window(self, window: Window) -> None:
        """Everything that begins in a window, but for what the warps did in it: that is of the window before."""
        self.arrows.take(window)
        spans = self.spans.of(window)
        self._device(window)
        kind, core = window.rows[:, e.KIND], window.rows[:, e.CORE]
        for number in range(self.config.gpu.cores):
            mine, kinds = window.rows[core == number], kind[core == number]
            issued = spans[(spans[:, t.CORE] == number) & (spans[:, t.ACTIVITY] == reasons.SELECTED)]
            self._counts(number, mine, kinds, issued, window.stop)
            self._issues(number, issued)
            self._alus(number, e.of_kind(mine, e.PIPE))
            self._transactions(number, mine[np.isin(kinds, (e.REQUEST, e.FILL))])
            self._accesses(number, e.of_kind(mine, e.COMPLETE))
        self._warps(self.held)
        self.held = spans
        self.arrows.forget(window.start)

    def close(self) -> None:
        """The run has ended."""
        self._warps(self.held)
        for slot, (_, _, stop) in sorted(self.running.items()):
            self.tracks.end(self.slots[slot], stop)
        for track, level in self.counters.values():
            self._begin(track, self.cycles)
            if level.value:
                self.tracks.value(track, self.cycles, 0)

    # ---- counters

    def _counter(self, parent: int, name: str, unit: str) -> tuple[int, Level]:
        """A counter."""
        if (parent, name) not in self.counters:
            self.counters[parent, name] = self.tracks.counter(name, unit, parent), Level()
        return self.counters[parent, name]

    def _count(self, parent: int, name: str, unit: str, stop: int, up: np.ndarray, down: np.ndarray, by: np.ndarray | None = None) -> None:
        """A number goes up at some cycles and down at others, by 1 or by so much."""
        track, level = self._counter(parent, name, unit)
        times, values = level.until(min(stop, self.cycles), up, down, by)
        for time, value in zip(times.tolist(), values.tolist(), strict=True):
            self._begin(track, time)
            self.tracks.value(track, time, value)

    def _begin(self, track: int, cycle: int) -> None:
        """A counter that changes first in this cycle is 0 before."""
        if track not in self.begun and cycle > 0:
            self.tracks.value(track, 0, 0)
        self.begun.add(track)

    def _counts(self, core: int, rows: np.ndarray, kind: np.ndarray, issued: np.ndarray, stop: int) -> None:
        track = self.cores[core]
        self._count(track, "warps in slots", "warps", stop, rows[kind == e.LAUNCH, e.TIME], rows[kind == e.END, e.TIME])
        width = np.array([mask.bit_count() for mask in (issued[:, t.MASK].tolist())], np.int64)
        self._count(track, "lanes that issue", "lanes", stop, issued[:, t.START], issued[:, t.STOP], width)
        requests = e.of_kind(rows, e.REQUEST)
        fills, misses = rows[kind == e.FILL, e.TIME], requests["time"][requests["outcome"] == e.MISS]
        if len(fills) or len(misses):
            self._count(track, "lines in flight", "lines", stop, misses, fills)

    def _device(self, window: Window) -> None:
        """What belongs to no core: counters, and the lookups of the second cache."""
        rows, kind = window.rows, window.rows[:, e.KIND]
        came, went = self.blocks.of(rows[(kind == e.LAUNCH) | (kind == e.END)], e.LAUNCH, e.END)
        self._count(DEVICE, "blocks in cores", "blocks", window.stop, came, went)
        memory = e.of_kind(rows, e.MEMORY)
        if len(memory) or (DEVICE, "memory requests in flight") in self.counters:
            self._count(DEVICE, "memory requests in flight", "requests", window.stop, memory["time"], memory["done"])
        for time, core, line, outcome in e.of_kind(rows, e.L2)[["time", "core", "line", "outcome"]].tolist():
            track = self._place((SECOND_CACHE,), "second cache", DEVICE, "lookups: hit, miss, merged with a miss, store", SECOND_CACHE)
            self.tracks.instant(track, time, e.OUTCOMES[outcome], {"address": self._address(line), "core": core})

    # ---- tracks of slices

    def _place(self, key: tuple[int, ...], name: str, parent: int, description: str, place: int) -> int:
        """A track that is there from the first thing that lies on it."""
        if key not in self.places:
            self.places[key] = self.tracks.track(name, parent, description, place)
        return self.places[key]

    def _issues(self, core: int, issued: np.ndarray) -> None:
        schedulers = self.config.core.schedulers
        for warp, start, stop, pc, block, rank in issued[:, (t.WARP, t.START, t.STOP, t.PC, t.BLOCK, t.RANK)].tolist():
            said: dict[str, int | str] = {"text": instruction(self.program, pc), "block": block, "warp of the block": rank}
            self.tracks.slice(self.schedulers[core, warp % schedulers], start, stop, warp_name(core, warp), said)

    def _warps(self, spans: np.ndarray) -> None:
        """What each warp did: a block around its instructions and its waits."""
        for slot, mine in slots(spans, self.config.core.warps):
            track = self.slots[slot]
            for core, warp, start, stop, activity, pc, mask, _, block, rank in mine[:, : t.RANK + 1].tolist():
                before = self.running.get(slot)
                if before is None or before[:2] != (block, rank):
                    if before is not None:
                        self.tracks.end(track, before[2])
                    self.tracks.begin(track, start, f"block {block}, warp {rank}", {"block": block, "warp of the block": rank})
                self.running[slot] = (block, rank, stop)
                flows = self.arrows.from_issue(core, warp, start) if activity == reasons.SELECTED else ()
                name = instruction(self.program, pc) if activity == reasons.SELECTED else t.WARP_ACTIVITIES[activity].name
                self.tracks.slice(track, start, stop, name, said_of(self.program, pc, mask), flows)

    def _alus(self, core: int, taken: np.ndarray) -> None:
        names = pipe_names(self.config)
        for time, warp, pc, mask, pipe, free in taken[["time", "warp", "pc", "lanes", "pipe", "until"]].tolist():
            about = "cycles in which the instruction's lanes enter it"
            track = self._place((core, PIPES + pipe), names[pipe], self.cores[core], about, PIPES + pipe)
            self.tracks.slice(track, time, free, warp_name(core, warp), said_of(self.program, pc, mask))

    def _load_store(self, core: int) -> int:
        about = "transactions that leave the load/store unit, lines that arrive"
        return self._place((core, LOAD_STORE), "load/store", self.cores[core], about, LOAD_STORE)

    def _transactions(self, core: int, rows: np.ndarray) -> None:
        """Transactions and fills as instants."""
        requests = e.named(rows, e.REQUEST)[["time", "line", "warp", "pc", "lanes", "outcome"]].tolist()
        for (time, line, *request), kind, into_texture in zip(requests, rows[:, e.KIND], e.named(rows, e.FILL)["texture"], strict=True):
            said: dict[str, int | str] = {"address": self._address(line)}
            flows = self.arrows.over_next(core)
            if kind == e.FILL:
                name = "texture fill" if into_texture else "fill"
                self.tracks.instant(self._load_store(core), time, name, said, ends=flows)
            else:
                warp, pc, mask, outcome = request
                said |= {"warp": warp_name(core, warp)} | said_of(self.program, pc, mask)
                self.tracks.instant(self._load_store(core), time, e.OUTCOMES[outcome], said, flows=flows)

    def _accesses(self, core: int, done: np.ndarray) -> None:
        """Accesses from issue to completion, on as many tracks as are needed for those that are under way at a time."""
        lines = self.accesses[core]
        done = done[np.argsort(done["issued"], kind="stable")]
        for warp, pc, mask, issued, last in done[["warp", "pc", "lanes", "issued", "done"]].tolist():
            number = next((number for number, (free, _) in enumerate(lines) if free <= issued), len(lines))
            if number == len(lines):
                lines.append((0, self.tracks.track(f"access {number}", self._load_store(core), "from its issue to its last answer")))
            stop, track = max(last, issued) + 1, lines[number][1]
            lines[number] = stop, track
            said: dict[str, int | str] = {"warp": warp_name(core, warp), "cycles": stop - issued}
            self.tracks.slice(track, issued, stop, instruction(self.program, pc), said | said_of(self.program, pc, mask))

    def _address(self, line: int) -> str:
        return lanes(line * self.config.l1.line)
