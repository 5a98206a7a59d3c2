"""Arrows from accesses of warps over their transactions to the fills that these waited for, pieced together from a run's events."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting import events as e
from warploom.observe.traces.windows import Window

_REQUEST, _FILL = ["time", "core", "warp", "pc", "lanes", "line", "outcome"], ["core", "line", "texture"]


class Arrows:
    """A number for each transaction that missed, window by window.

    A line that is on its way has as many fills as requests that missed it; those that wait for it continue with the last one. An
    access is remembered for two windows: arrows lead away from all but those whose transactions wait longer than that to be sent.
    """

    def __init__(self, program: Program) -> None:
        self._units = program.code[:, u.ISSUE_UNIT].tolist()
        self._last = 0
        self._issues: dict[tuple[int, int, int], deque[tuple[int, int]]] = defaultdict(
            deque
        )  # by core, warp slot, instruction: cycle, lanes
        self._leaves: dict[tuple[int, int, int], list[int]] = defaultdict(list)  # by core, warp slot and cycle of the issue
        self._over: dict[int, deque[Sequence[int]]] = defaultdict(deque)  # of each core's requests and fills in this window, in their order
        self._on_the_way: dict[tuple[int, int, int], int] = defaultdict(int)
        self._waiting: dict[tuple[int, int, int], list[int]] = {}

    def take(self, window: Window) -> None:
        """Number the transactions of a window."""
        rows = window.rows[np.isin(window.rows[:, e.KIND], (e.ISSUE, e.REQUEST, e.FILL))]
        requests, fills = (e.named(rows, kind)[names].tolist() for kind, names in ((e.REQUEST, _REQUEST), (e.FILL, _FILL)))
        for (time, core, warp, pc, mask, line, outcome), kind, fill in zip(requests, rows[:, e.KIND].tolist(), fills, strict=True):
            if kind == e.ISSUE:
                if self._units[pc] in (u.MEMORY, u.TEXTURE):
                    self._issues[core, warp, pc].append((time, mask))
            elif kind == e.REQUEST:
                self._over[core].append(self._request(time, core, warp, pc, mask, line, outcome))
            else:
                self._over[core].append(self._fill(fill))

    def _request(self, time: int, core: int, warp: int, pc: int, mask: int, line: int, outcome: int) -> Sequence[int]:
        if outcome not in (e.MISS, e.MERGED):
            return ()
        key = (core, line, int(self._units[pc] == u.TEXTURE))
        self._on_the_way[key] += outcome == e.MISS
        self._last += 1
        self._waiting.setdefault(key, []).append(self._last)
        self._leaves[core, warp, self._issued(core, warp, pc, mask, time)].append(self._last)
        return (self._last,)

    def _issued(self, core: int, warp: int, pc: int, mask: int, time: int) -> int:
        """The last issue whose lanes include those of the transaction: an instruction issues again only when its load is back."""
        for issued, lanes in reversed(self._issues.get((core, warp, pc), ())):
            if issued <= time and mask & ~lanes == 0:
                return issued
        return time

    def _fill(self, key: tuple[int, int, int]) -> Sequence[int]:
        self._on_the_way[key] -= 1
        if self._on_the_way[key] > 0:
            return ()
        del self._on_the_way[key]
        return self._waiting.pop(key, ())

    def from_issue(self, core: int, warp: int, cycle: int) -> Sequence[int]:
        """The arrows that lead away from an issue; they are asked for once."""
        return self._leaves.pop((core, warp, cycle), ())

    def over_next(self, core: int) -> Sequence[int]:
        """The arrow over the next request of a core in this window, or those that end at its next fill."""
        return self._over[core].popleft()

    def forget(self, cycle: int) -> None:
        """What was issued before a cycle is too old."""
        for key, issues in list(self._issues.items()):
            while issues and issues[0][0] < cycle:
                issues.popleft()
            if not issues:
                del self._issues[key]
        for place in [place for place in self._leaves if place[2] < cycle]:
            del self._leaves[place]
