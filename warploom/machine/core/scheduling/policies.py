"""Scheduling policies: which of the warps that can issue does. Each is one function of a scheduler's state.

A policy's own comments say where it comes from. A policy of your own is a function like these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from warploom.machine.engine.bits import EMPTY, after, below, bit, has, lowest
from warploom.machine.engine.unit import unit


@unit
def round_robin(s, now):
    """Loose round robin: the next warp that can issue, after the last one picked. Warps stay close together."""
    return after(s.eligible, s.last, s.warps)


@unit
def greedy_oldest(s, now):
    """Greedy-then-oldest: the same warp until it has to wait, then the oldest that can issue. Warps drift apart."""
    if s.last >= 0 and has(s.eligible, s.last):
        return np.int64(s.last)
    return oldest(s, now)


@unit
def greedy_youngest(s, now):
    """NVIDIA's: the same warp until it has to wait or yields, then the youngest that can issue and has not just yielded.

    Measured on an H100; Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025, find the same on Ampere.
    """
    willing = s.eligible & ~s.yielded
    if s.last >= 0 and has(willing, s.last):
        return np.int64(s.last)
    left = willing if willing != EMPTY else s.eligible
    if left == EMPTY:
        return np.int64(-1)
    warp = np.int64(0)
    while left != EMPTY:
        warp = lowest(left)
        left = left & ~(s.older[warp] | bit(warp))
    return warp


@unit
def oldest(s, now):
    """The oldest warp that can issue, always: the one whose row of the age matrix holds no warp that can."""
    older = s.eligible
    if older == EMPTY:
        return np.int64(-1)
    warp = np.int64(0)
    while older != EMPTY:
        warp = lowest(older)
        older = s.eligible & s.older[warp]
    return warp


@unit
def lowest_first(s, now):
    """The lowest warp that can issue, always: a fixed-priority encoder, as in Vortex since 2021. The lowest runs ahead of the others."""
    return lowest(s.eligible) if s.eligible != EMPTY else np.int64(-1)


@unit
def two_level(s, now):
    """Two-level: round robin inside a group of warps until all of the group wait for memory, then the next group.

    Groups reach their loads at different times, so one computes while the others wait.
    """
    size = max(np.int64(s.group_size), np.int64(1))
    span = size * s.step
    groups = (s.warps + span - 1) // span
    group = np.int64(s.memory[0])
    for _ in range(groups):
        low = group * span
        members = s.active & ~below(low)
        if low + span < s.warps:
            members = members & below(low + span)
        ready = members & s.eligible
        if ready != EMPTY:
            s.memory[0] = group
            return after(ready, s.last, s.warps)
        if members & ~s.waiting_memory != EMPTY:
            s.memory[0] = group
            break
        group = (group + 1) % groups
    return after(s.eligible, s.last, s.warps)


@unit
def vortex(s, now):
    """Vortex's four masks: the lowest visible warp that is not stalled and not at a barrier.

    The visible mask is refilled from the active warps when it runs empty, so that every warp is served once a round.
    """
    able = s.active & s.awake & ~s.at_barrier
    candidates = s.visible & able
    if candidates == EMPTY:
        s.visible = s.active
        candidates = s.visible & able
    if candidates == EMPTY:
        return np.int64(-1)
    warp = lowest(candidates)
    s.visible = s.visible & ~bit(warp)
    return warp


@unit
def guppy(s, now):
    """guppy's fetch unit: picks one warp slot per cycle, ready or not.

    A warp that runs keeps the unit. A warp that waits, or an empty slot, loses the cycle and the unit moves on for the
    next one. A warp that only lacks an ALU keeps the unit: the article's pitfall.
    """
    if s.last < 0:
        s.memory[0] = s.number
    warp = np.int64(s.memory[0])
    runs = has(s.active, warp)
    if s.memory[1] != 0 and (not runs or s.launched[warp] + 1 != s.memory[1]):
        warp = _following(s, warp)  # the warp that it picked last has ended in that cycle
        runs = has(s.active, warp)
    waits = not runs or not has(s.awake, warp)
    s.memory[0] = _following(s, warp) if waits else warp
    s.memory[1] = s.launched[warp] + 1 if not waits else np.int64(0)
    return warp


@unit
def _following(s, warp):
    """The next warp slot that a scheduler owns, going round."""
    following = np.int64(warp + s.step)
    return following if following < s.warps else np.int64(s.number)


class Policy(NamedTuple):
    """A policy by name. every_cycle: it picks even when no warp can issue, so no cycle may be skipped.

    visits: what a warp is doing is what the policy saw when it last examined it, and not what it waits for.
    """

    choose: Callable[..., int]
    every_cycle: bool = False
    visits: bool = False


POLICIES: dict[str, Policy] = {
    "round_robin": Policy(round_robin),
    "greedy_oldest": Policy(greedy_oldest),
    "greedy_youngest": Policy(greedy_youngest),
    "oldest": Policy(oldest),
    "lowest": Policy(lowest_first),
    "two_level": Policy(two_level),
    "vortex": Policy(vortex),
    "guppy": Policy(guppy, every_cycle=True, visits=True),
}
