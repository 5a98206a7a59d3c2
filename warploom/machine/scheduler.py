"""Warp scheduler: picks, each cycle, the warp that issues.

In hardware: a priority encoder over a few bit masks, one bit a warp, so that a choice among 64 warps fits into a
fraction of a cycle. A core has one or more schedulers; scheduler i owns the warps w with w modulo schedulers = i, and
issues at most one instruction a cycle.

A policy is one function, `policy(s, now) -> warp`, over the scheduler's record. It returns a warp, or -1 for none.
Returning a warp that is not in `s.eligible` is allowed and loses the slot: that is what the schedulers of guppy and
of Vortex do, which look at a warp before they know whether it can issue. The function runs as plain Python and
as native code; pass your own as `GPU(..., scheduler=function)`.

Sources: round robin and greedy-then-oldest, Rogers et al., "Cache-conscious wavefront scheduling", MICRO 2012;
the age matrix, Preston et al., "Design of an 8-wide superscalar RISC microprocessor with simultaneous multithreading", ISSCC 2002;
two-level, Narasiman et al., "Improving GPU performance via large warps and two-level warp scheduling", MICRO 2011;
four masks, Vortex (Tine et al., MICRO 2021); guppy's, github.com/aschrein/guppy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from warploom.machine.config import MAX_WARPS
from warploom.machine.engine import record, unit
from warploom.machine.registers import bit, first

MAX_SCHEDULERS = 64

Scheduler = record(
    owned="u8",                # the warps that this scheduler may pick: bit w = warp w, as in all masks here
    active="u8",               # warps that are running a kernel
    awake="u8",                # of those, the ones that wait for no register, barrier or instruction
    eligible="u8",             # of those, the ones whose execution unit can take their next instruction: they can issue
    waiting_memory="u8",       # active warps that wait for a load or a texture
    at_barrier="u8",           # active warps that wait at a barrier
    visible="u8",              # free for the policy (Vortex: the warps still to be served in this round)
    last="i8",                 # the warp that was picked last; -1 at first
    warps="i8",                # warp slots of the core
    number="i8",               # which scheduler of the core this is
    step="i8",                 # schedulers of the core: owned warps are number, number + step ...
    group_size="i8",           # two_level: warps of a fetch group
    launched=("i8", MAX_WARPS),  # when each warp started: the smaller, the older
    older=("u8", MAX_WARPS),   # the age matrix: row w has the warps that are older than w
    rank=("i8", MAX_WARPS),    # dwf: what its heuristic says of each warp; the lower, the sooner
    memory=("i8", 16),         # free for the policy; zero at first
)  # fmt: skip


@unit
def after(mask, last, warps):
    """The first warp of a mask after warp `last`, going round; -1 when the mask is empty."""
    if mask == np.uint64(0):
        return np.int64(-1)
    start = last + 1
    if start < warps:
        above = mask & ~(bit(start) - np.uint64(1))
        if above != np.uint64(0):
            return first(above)
    return first(mask)


@unit
def round_robin(s, now):
    """Loose round robin: the next warp after the last one that can issue. Warps stay close together."""
    return after(s.eligible, s.last, s.warps)


@unit
def greedy_oldest(s, now):
    """Greedy-then-oldest: the same warp until it has to wait, then the oldest that can issue. Warps drift apart."""
    if s.last >= 0 and s.eligible & bit(s.last) != np.uint64(0):
        return np.int64(s.last)
    return oldest(s, now)


@unit
def oldest(s, now):
    """The oldest warp that can issue, always: the one in whose row of the age matrix there is no other that can."""
    older = s.eligible
    if older == np.uint64(0):
        return np.int64(-1)
    warp = np.int64(0)
    while older != np.uint64(0):
        warp = first(older)
        older = s.eligible & s.older[warp]
    return warp


@unit
def join(s, warp, age):
    """A warp starts in a slot: it gets its row and its column of the age matrix. age: the smaller, the older; else by slot."""
    me = bit(warp)
    s.launched[warp] = age
    older = np.uint64(0)
    for other in range(s.warps):
        if s.launched[other] < age or (s.launched[other] == age and other < warp):
            older = older | bit(other)
            s.older[other] &= ~me
        else:
            s.older[other] |= me
    s.older[warp] = older & ~me


@unit
def two_level(s, now):
    """Two-level: round robin inside a group of warps until all of the group wait for memory, then the next group.

    Groups reach their loads at different times, so one computes while another waits.
    """
    size = max(np.int64(s.group_size), np.int64(1))
    span = size * s.step
    groups = (s.warps + span - 1) // span
    group = np.int64(s.memory[0])
    for _ in range(groups):
        low = group * span
        members = s.active & ~(bit(low) - np.uint64(1))
        if low + span < s.warps:
            members = members & (bit(low + span) - np.uint64(1))
        ready = members & s.eligible
        if ready != np.uint64(0):
            s.memory[0] = group
            return after(ready, s.last, s.warps)
        if members & ~s.waiting_memory != np.uint64(0):
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
    if candidates == np.uint64(0):
        s.visible = s.active
        candidates = s.visible & able
    if candidates == np.uint64(0):
        return np.int64(-1)
    warp = first(candidates)
    s.visible = s.visible & ~bit(warp)
    return warp


@unit
def guppy(s, now):
    """guppy's fetch unit: looks at one warp slot a cycle, wanted or not.

    A warp that runs keeps the unit. A warp that waits, or an empty slot, loses the cycle and the unit moves on for the
    next one. A warp that only lacks an ALU keeps the unit: the article's pitfall.
    """
    if s.last < 0:
        s.memory[0] = s.number
    warp = np.int64(s.memory[0])
    runs = s.active & bit(warp) != np.uint64(0)
    if s.memory[1] != 0 and (not runs or s.launched[warp] + 1 != s.memory[1]):
        warp = _following(s, warp)  # the warp that it looked at last has ended in that cycle
        runs = s.active & bit(warp) != np.uint64(0)
    waits = not runs or s.awake & bit(warp) == np.uint64(0)
    s.memory[0] = _following(s, warp) if waits else warp
    s.memory[1] = s.launched[warp] + 1 if not waits else np.int64(0)
    return warp


@unit
def _following(s, warp):
    """The next warp slot that a scheduler owns, going round."""
    following = np.int64(warp + s.step)
    return following if following < s.warps else np.int64(s.number)


class Policy(NamedTuple):
    """A policy by name. every_cycle: it looks even when nothing can issue, so no cycle may be skipped."""

    choose: Callable[..., int]
    every_cycle: bool = False


POLICIES: dict[str, Policy] = {
    "round_robin": Policy(round_robin),
    "greedy_oldest": Policy(greedy_oldest),
    "oldest": Policy(oldest),
    "two_level": Policy(two_level),
    "vortex": Policy(vortex),
    "guppy": Policy(guppy, every_cycle=True),
}
