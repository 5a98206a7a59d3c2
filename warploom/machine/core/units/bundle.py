"""The bundle in the memory stage: what an instruction's micro-ops add up to so far, and which unit gets it when all have executed.

In hardware: the register between address generation and the load/store unit's queue. One instruction may be several micro-ops, and their
transactions enter the queue as one access, whose lanes are those in which one of them does something.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import TEXTURE
from warploom.machine.accounting.reasons import LONG_SCOREBOARD, SECTORS, TRANSACTIONS
from warploom.machine.core.load_store.lsu import WarpAccess, enqueue, free_slot
from warploom.machine.core.texture.lane_slots import hold_lanes
from warploom.machine.core.warps.access_order import count_access
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.bits import EMPTY, popcount
from warploom.machine.engine.unit import FOREVER, inlined, record
from warploom.machine.memory.transactions import LOAD, REDUCTION, STORE

Bundle = record(
    state=dict(
        part="u8",           # lanes in which the current micro-op does something: bit l = lane l
        every="u8",          # lanes in which one of the bundle does
        kind="i8",           # LOAD; ATOMIC, REDUCTION or STORE if one of its micro-ops is
        bypass="i8",         # 1: the first-level cache may not keep it
        transactions="i8",   # in the free slot of the unit that sends them
        passes="i8",         # over the banks of shared memory
        moved="i8",          # the micro-op that accessed memory last
    ),
)  # fmt: skip


@inlined
def begin(bundle, mask, first):
    """A bundle begins, whose first micro-op is `first`, in the lanes of `mask`."""
    bundle.part = mask
    bundle.every = EMPTY
    bundle.kind = LOAD
    bundle.bypass = 0
    bundle.transactions = 0
    bundle.passes = 0
    bundle.moved = first


@inlined
def send(core, warp, pc, wanted, ordered, tables, now):
    """The transactions enter the queue of the load/store unit, or of the texture unit, and the results are busy until they are answered.

    ordered: whether the access has a place in the access order of its warp.
    """
    bundle = core.bundle
    lsu = core.texture if wanted == TEXTURE else core.lsu
    slot = free_slot(lsu)
    tables.profile[pc, TRANSACTIONS] += bundle.transactions
    for index in range(bundle.transactions):
        tables.profile[pc, SECTORS] += popcount(lsu.sectors[slot, index])
    if bundle.kind == STORE or bundle.kind == REDUCTION:
        core.warps.stores[warp] += 1
        core.warps.unsent[warp] += 1
    else:
        core.warps.pending[warp] += 1
        mark_busy(core.scoreboard, tables.code, warp, pc, bundle.every, core.warps.lanes, FOREVER, LONG_SCOREBOARD)
    if lsu.share != 0:
        lsu.held[core.warps.scheduler[warp]] += 1
    access = WarpAccess(bundle.kind, warp, pc, bundle.every, core.warps.started[warp], bundle.bypass)
    enqueue(lsu, slot, access, bundle.transactions, now)
    if core.access_order.kept != 0:
        lsu.number[lsu.access[slot]] = count_access(core.access_order, warp, 0) if ordered else 0
    if wanted == TEXTURE and core.lane_slots.capacity != 0:
        hold_lanes(core, np.int64(lsu.access[slot]), bundle.every, lsu.line_shift)
