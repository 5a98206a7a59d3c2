"""Access order: which of a warp's last accesses of memory have not been answered.

In hardware: a counter a warp that goes up when an access leaves and down when one is answered (AMD's vmcnt), and a queue that hands the
answers out in the order in which the accesses left. So when a warp has waited until n are counted, all but its last n are done, whatever
came back first. Here it is a shift register a warp: a bit for each of its last 64 accesses, set while it has no answer. It costs six bits a
warp for the counter, and the queue, which a load/store unit without a scoreboard needs anyway.

Loads, stores and atomic operations of lanes count; those of scalar registers, and those of shared memory alone, belong to other counters.
The order is kept only for a program that waits in this way.

Source: AMD "Vega" Instruction Set Architecture, section 4.4, VM_CNT: vector memory accesses return in the order in which they were issued.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import inlined, out_of_line, record

KEPT = 64  # accesses that have a bit of their own

AccessOrder = record(
    side_by_side=(MAX_WARPS,),
    settings=dict(
        kept="i8",                      # 1: the program has instructions that wait for all but the last accesses
    ),
    state=dict(                         # by warp slot
        left=("i8", MAX_WARPS),         # accesses that have left since the machine started
        open=("u8", MAX_WARPS),         # bit n = the one that left as the nth before the last has no answer
        older=("i8", MAX_WARPS),        # of those before the last 64, how many have no answer
    ),
)  # fmt: skip


@inlined
def forget_accesses(order, warp):
    """A warp begins in the slot: none of the accesses in flight is its own."""
    order.open[warp] = EMPTY
    order.older[warp] = 0


@out_of_line
def count_access(order, warp, answered):
    """An access leaves, or has its answer immediately (answered = 1). Returns its number, from 1 on."""
    order.older[warp] += 1 if has(order.open[warp], KEPT - 1) else 0
    order.open[warp] = (order.open[warp] << np.uint64(1)) | (EMPTY if answered != 0 else bit(0))
    order.left[warp] += 1
    return np.int64(order.left[warp])


@out_of_line
def answer_access(order, warp, number):
    """The access with this number is answered; 0 is none."""
    since = order.left[warp] - number
    if number == 0:
        return
    if since < KEPT:
        order.open[warp] &= ~bit(since)
    else:
        order.older[warp] -= 1


@inlined
def all_but_last(order, warp, last):
    """Whether all accesses of a warp have been answered but for the `last` ones, 0 to 63."""
    return order.older[warp] == 0 and order.open[warp] >> np.uint64(last) == EMPTY
