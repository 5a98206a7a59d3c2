"""Queue of an L2 slice: requests wait for it in the order in which they came.

In hardware: a buffer before the slice's tags. The slice takes one request a turn; while the first one cannot be served, because no MSHR
is free or memory takes no more lines, it stalls, and continues when either changes.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import inlined, out_of_line, unit
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.request import hold, request
from warploom.machine.memory.transactions import SLICE_TURN


@out_of_line
def queue_up(gpu, l2, slice, asked, now):
    """A request waits for its slice, after those that do already."""
    index = hold(l2, asked)
    if l2.queue_first[slice] == 0:
        l2.queue_first[slice] = index + 1
    else:
        l2.next[l2.queue_last[slice] - 1] = index + 1
    l2.queue_last[slice] = index + 1
    if l2.stalled[slice] == 0:
        take_turn(gpu, l2, slice, now + 1)


@unit
def take_turn(gpu, l2, slice, soonest):
    """Let a slice have its turn as soon as it takes a request."""
    if l2.turn[slice] == 0:
        l2.turn[slice] = 1
        schedule(gpu.wheel, max(np.int64(soonest), np.int64(l2.slice_free[slice])), request(SLICE_TURN, -1, slice, EMPTY, 0))


@inlined
def resume(gpu, l2, slice, now):
    """What a stalled slice waited for may be there now."""
    if l2.stalled[slice] != 0:
        l2.stalled[slice] = 0
        take_turn(gpu, l2, slice, now)
