"""Fences with a latency: to the level that they are for, and back, whatever accesses the warp has in flight.

In hardware: a fence is sent down the memory system behind the warp's accesses, and the warp waits for its answer. If a preset gives that
time (`core.fence_device`, `core.fence_block`), it begins when a thread reaches its fence, and ends for the warp with its last thread's. It
belongs to the thread: one that changes warps (dynamic warp formation), or waits while other lanes run, takes it along.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import FIRST_UOP, IMM, NUMBER, OP
from warploom.machine.engine.bits import EMPTY, bit, lowest, rest
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import inlined, out_of_line, record

FENCE = NUMBER["fence"]

Fences = record(
    side_by_side=((MAX_WARPS, MAX_LANES),),
    state=dict(
        at=("i4", (MAX_WARPS, MAX_LANES)),     # [warp, lane] instruction number + 1 of the fence that the thread is at
        until=("i8", (MAX_WARPS, MAX_LANES)),  # [warp, lane] first cycle in which that may issue
    ),
)  # fmt: skip


@inlined
def fence_time(core, tables, pc):
    """Cycles that instruction `pc` takes at least as a fence; 0 if it is not one."""
    if not 0 <= pc < core.code_rows:
        return np.int64(0)
    k = np.int64(tables.code[pc, FIRST_UOP])
    return np.int64(core.fence_latency[tables.uops[k, IMM]]) if tables.uops[k, OP] == FENCE else np.int64(0)


@out_of_line
def begin_fence(fences, warp, pc, lanes, until):
    """The threads in `lanes` reach the fence at `pc`, or are checked there again. Returns the first cycle in which all have passed it.

    until: the same of those that come now.
    """
    latest = np.int64(0)
    while lanes != EMPTY:
        lane = lowest(lanes)
        lanes = rest(lanes)
        if fences.at[warp, lane] != pc + 1:
            fences.at[warp, lane], fences.until[warp, lane] = pc + 1, until
        latest = max(latest, np.int64(fences.until[warp, lane]))
    return latest


@out_of_line
def through_fence(fences, warp, pc, lanes, now):
    """Those of the threads in `lanes` that have waited at the fence at `pc` for as long as it takes."""
    found = EMPTY
    while lanes != EMPTY:
        lane = lowest(lanes)
        lanes = rest(lanes)
        if fences.at[warp, lane] == pc + 1 and fences.until[warp, lane] <= now:
            found = found | bit(lane)
    return found


@out_of_line
def leave_fence(fences, warp, lanes):
    """The threads in `lanes` are at no fence: they have passed it, or begin."""
    while lanes != EMPTY:
        fences.at[warp, lowest(lanes)] = 0
        lanes = rest(lanes)
