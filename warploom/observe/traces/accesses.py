"""Accesses of warps to memory, pieced together from a run's events: which transactions an access sent, and which fill each waited for."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting import events as e


class Wait(NamedTuple):
    """A transaction that missed. issued: cycle of its access. request, fill: rows of the events; fill is -1 if it never came."""

    core: int
    warp: int
    issued: int
    request: int
    fill: int


def waits(events: np.ndarray, program: Program) -> list[Wait]:
    """The transactions that waited for a line, in the order in which they left.

    A line that is on its way has as many fills as requests that missed it; those that wait for it go on with the last one.
    """
    wanted = np.isin(events[:, e.KIND], (e.ISSUE, e.REQUEST, e.FILL))
    issues: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    on_the_way: dict[tuple[int, int, int], int] = defaultdict(int)
    waiting: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    found: list[Wait] = []
    units = program.code[:, u.ISSUE_UNIT].tolist()
    for row, (time, kind, core, warp, pc, mask, a, b) in zip(np.flatnonzero(wanted).tolist(), events[wanted].tolist(), strict=True):
        if kind == e.ISSUE:
            if units[pc] in (u.MEMORY, u.TEXTURE):
                issues[core, warp, pc].append((time, mask))
        elif kind == e.REQUEST:
            if b in (e.MISS, e.MERGED):
                key = (core, a, int(units[pc] == u.TEXTURE))
                on_the_way[key] += b == e.MISS
                waiting[key].append(len(found))
                found.append(Wait(core, warp, _issued(issues[core, warp, pc], mask, time), row, -1))
        else:
            on_the_way[core, a, b] -= 1
            if on_the_way[core, a, b] == 0:
                for number in waiting.pop((core, a, b), []):
                    found[number] = found[number]._replace(fill=row)
    return found


def _issued(issues: list[tuple[int, int]], mask: int, time: int) -> int:
    """The last issue whose lanes include those of the transaction: an instruction issues again only when its load is back."""
    for issued, lanes in reversed(issues):
        if issued <= time and mask & ~lanes == 0:
            return issued
    return time
