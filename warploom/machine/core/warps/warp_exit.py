"""The end of a warp: when its slot, and its block's slot, are free for the next.

In hardware: a warp whose lanes have all ended keeps its slot until its accesses are answered, or, if `lsu.drain` says so, until its
loads are answered and its stores are in flight; the last warp of a block gives back the block's shared memory and registers, and
notifies the dispatcher that there is room. If `core.warp_slots` says so, the block's warp slots are given back then too, all together: a
block begins in slots that belonged to one block or to none.

Source for those: tests/golden/h100/assignment.json, a grid of blocks of 32 warps, two to a multiprocessor. On all multiprocessors the third
and fourth block begin in the 32 slots of one of the first two, and 60 cycles later after the first began than a block of 4 warps does: as
much later as the last of 32 warps starts, and ends.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import BLOCK_ENDS, emit_block, emit_end
from warploom.machine.accounting.reasons import DRAIN
from warploom.machine.core.warps.barrier import leave_barriers
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line


@out_of_line
def end_warp(gpu, core, warp, pc, whole, tables, now):
    """All lanes have ended. The slot is free when the warp's accesses are done; `whole` warps do not wait for their stores."""
    warps = core.warps
    warps.pc[warp] = pc
    block = np.int64(warps.block[warp])
    core.blocks.alive[block] &= ~bit(warp)
    leave_barriers(gpu, core, block, tables, now)
    gpu.progress = now
    if has_to_drain(core, warp) and whole == 0:
        warps.draining = warps.draining | bit(warp)
        warps.reason[warp] = DRAIN
        warps.wake[warp] = FOREVER
    else:
        free_slot(gpu, core, warp, tables, now + 1)


@inlined
def has_to_drain(core, warp):
    """Whether a warp that has ended has accesses in flight for which it keeps its slot."""
    warps = core.warps
    return warps.pending[warp] + (warps.unsent[warp] if core.drains_sent != 0 else warps.stores[warp]) > 0


@out_of_line
def free_slot(gpu, core, warp, tables, at):
    """A warp has left the core at cycle `at`: its slot is free, or kept for its block, whose slots are free when it was the last warp."""
    warps = core.warps
    warp_bit = bit(warp)
    warps.active = warps.active & ~warp_bit
    warps.draining = warps.draining & ~warp_bit
    warps.wake[warp] = FOREVER
    gpu.live = gpu.live - 1
    gpu.room_since = at
    if gpu.log.tracing != 0:
        emit_end(gpu.log, tables, at, core.number, warp, warps.pc[warp], 0)
    block = np.int64(warps.block[warp])
    left = core.blocks.alive[block]
    own = EMPTY
    for other in range(warps.slots):
        if warps.block[other] == block:
            own = own | bit(other)
    left = left | (warps.draining & own)
    if core.blocks.keeps != 0:
        core.blocks.kept = core.blocks.kept | warp_bit if left != EMPTY else core.blocks.kept & ~own
    if left == EMPTY:
        core.blocks.used = core.blocks.used & ~bit(block)
        core.blocks.begins[block] = max(np.int64(at), np.int64(gpu.now + 1)) + gpu.grid.latency
        if gpu.log.tracing != 0:
            emit_block(gpu.log, tables, at, core.number, warp, core.blocks.number[block], BLOCK_ENDS)
