"""Warp scheduler: picks, each cycle, the warp that issues.

In hardware: a priority encoder over a few bit masks, one bit per warp, so that a choice among 64 warps fits into a
fraction of a cycle. A core has one or more schedulers; scheduler i owns the warps w with w modulo schedulers = i, and
issues at most one instruction a cycle.

A policy is one function, `policy(s, now) -> warp`, over the scheduler's record. It returns a warp, or -1 for none.
Returning a warp that is not in `s.eligible` is allowed and loses the slot: that is what the schedulers of guppy and
of Vortex do, which pick a warp before it is known whether it can issue. A slot that the core does not have is a fault. The function runs as
plain Python and as native code; pass your own as `GPU(..., units={"scheduler": function})`.

Sources: round robin and greedy-then-oldest, Rogers et al., "Cache-conscious wavefront scheduling", MICRO 2012;
the age matrix, Preston et al., "Design of an 8-wide superscalar RISC microprocessor with simultaneous multithreading", ISSCC 2002;
two-level, Narasiman et al., "Improving GPU performance via large warps and two-level warp scheduling", MICRO 2011;
four masks, Vortex (Tine et al., MICRO 2021); guppy's, github.com/aschrein/guppy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import record, unit

Scheduler = record(
    settings=dict(
        owned="u8",                  # the warps that this scheduler may pick: bit w = warp w, as in all masks here
        warps="i8",                  # warp slots of the core
        number="i8",                 # which scheduler of the core this is
        step="i8",                   # schedulers of the core: owned warps are number, number + step ...
        group_size="i8",             # two_level: warps of a fetch group
    ),
    inputs=dict(
        active="u8",                 # warps that are running a kernel
        awake="u8",                  # of those, the ones that wait for no register, barrier or instruction
        eligible="u8",               # of those, the ones whose execution unit can take their next instruction: they can issue
        waiting_memory="u8",         # active warps that wait for a load or a texture
        at_barrier="u8",             # active warps that wait at a barrier
        launched=("i8", MAX_WARPS),  # when each warp started: the smaller, the older
        older=("u8", MAX_WARPS),     # the age matrix: row w has the warps that are older than w
        pc=("i4", MAX_WARPS),         # for a user's policy, of each warp that is awake: the number of its next instruction
        unit=("i4", MAX_WARPS),       # ... the functional unit that executes it: ALU, MEMORY ... of units.py
        latency_class=("i4", MAX_WARPS),  # ... and its latency class, a number of LATENCIES
        yielded="u8",                # warps whose last instruction asked that another one go first (control words)
        rank=("i8", MAX_WARPS),      # dwf: the order that its heuristic gives to each warp; the lower, the sooner
    ),
    state=dict(
        last="i8",                   # the warp that was picked last; -1 at first
        visible="u8",                # free for the policy (Vortex: the warps still to be served in this round)
        memory=("i8", MAX_WARPS),    # free for the policy; zero at first
    ),
)  # fmt: skip


def configure(scheduler: Any, number: int, section: Any) -> None:
    """Set up an all-zero `Scheduler` through its mirror: it owns every n-th warp of its core. section: `core` of a configuration."""
    scheduler.owned = np.uint64(sum(1 << warp for warp in range(number, section.warps, section.schedulers)))
    scheduler.last, scheduler.warps = -1, section.warps
    scheduler.number, scheduler.step, scheduler.group_size = number, section.schedulers, section.fetch_group


@unit
def add_warp(s, warp, age):
    """A warp starts in a slot: it gets its row and its column of the age matrix. age: the smaller, the older; else by slot."""
    warp_bit = bit(warp)
    s.launched[warp] = age
    older = EMPTY
    for other in range(s.warps):
        if s.launched[other] < age or (s.launched[other] == age and other < warp):
            older = older | bit(other)
            s.older[other] &= ~warp_bit
        else:
            s.older[other] |= warp_bit
    s.older[warp] = older & ~warp_bit
