"""Barriers: who comes to a block's barrier, from which instruction, and when it opens.

All threads of a block that have not ended must come to the same barrier of the text (CUDA C++ Programming Guide, "Synchronization
Functions": `__syncthreads()` in conditional code must be reached by all or none). Threads at two different ones have mixed up their
phases: hardware may open the barrier for both, or never. A warp of which some lanes wait while others cannot come never continues; the
machine finds that by itself, as a deadlock, and the finding says who waits.

When a barrier opens is found out here by counting, as the hardware does. Barriers for some of a block's warps order, so they are
taken as opening at once, and for all. Those of programs that start their warps themselves are in core_warps.py.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.order import share_with_block, share_with_warp
from warploom.checks.shadow import (
    ABSENT,
    ACQUIRED,
    ACQUIRED_AT,
    ARRIVED,
    BARRIER,
    ENDED,
    FENCE,
    FENCE_BLOCK,
    FIRST,
    FIRST_THREAD,
    GONE,
    GONE_AT,
    GRID,
    GRID_ARRIVED,
    GRID_OPENED,
    IN_GRID,
    MET,
    MET_AT,
    MISSED,
    MISSED_AT,
    MISSED_BY,
    OPENED,
    OPENED_SHARED,
    find,
)
from warploom.isa.uop import COLUMN, FILE, FLAGS, GLOBAL_UNORDERED, IMM, LINE, NONE, NUMBER, OP, SHARED_UNORDERED, A, B
from warploom.isa.uop import FENCE_BLOCK as FOR_BLOCK
from warploom.machine.engine.bits import EMPTY, has, lowest, popcount, rest
from warploom.machine.engine.unit import inlined, out_of_line, unit

ARRIVE = NUMBER["barrier_arrive"]


@unit
def note_fence(core, warp, part, tables, k, first, time):
    """Lanes `part` execute a fence."""
    for lane in range(core.warps.lanes):
        if has(part, lane):
            tables.threads[first + lane, FENCE_BLOCK] = time
            tables.threads[first + lane, ACQUIRED] = tables.threads[first + lane, MET]
            tables.threads[first + lane, ACQUIRED_AT] = tables.threads[first + lane, MET_AT]
            share_with_warp(tables, first + lane)
            if tables.uops[k, IMM] != FOR_BLOCK:
                tables.threads[first + lane, FENCE] = time


@out_of_line
def note_barrier(gpu, core, warp, pc, part, tables, k, first, time, now):
    """Lanes `part` come to a barrier of their block."""
    slot = np.int64(core.warps.block[warp])
    block = np.int64(core.blocks.number[slot])
    row = tables.blocks[block]
    if tables.uops[k, OP] == ARRIVE or tables.uops[k, A] != NONE or tables.uops[k, B] != NONE or tables.uops[k, IMM] != 0:
        _order(tables, row, k, time)
        return
    coming = part if core.any_order != 0 else core.warps.threads[warp]
    for lane in range(core.warps.lanes):
        if has(coming, lane):
            share_with_block(tables, block, first + lane)
    if row[FIRST] == 0:
        row[FIRST] = pc + 1
        row[FIRST_THREAD] = first + lowest(coming)
    elif not _same_place(tables, np.int64(row[FIRST]) - 1, pc):
        find(tables, BARRIER, pc, np.int64(row[FIRST]) - 1, first + lowest(coming), np.int64(row[FIRST_THREAD]), k, now)
    _miss(core, warp, pc, part, tables, k, first, now)
    row[ARRIVED] += popcount(coming)
    _open_if_all_came(core, slot, row, EMPTY, warp, tables, k, time, now)


@unit
def _miss(core, warp, pc, part, tables, k, first, now):
    """Some of the lanes that were missed at a barrier come now, to the same one or to a different one; others are missed from now on."""
    row = tables.warps[core.number * core.warps.slots + warp]
    missed = np.uint64(row[MISSED])
    if missed & part != EMPTY:
        at = np.int64(row[MISSED_AT])
        if not _same_place(tables, at, pc):
            find(tables, BARRIER, pc, at, first + lowest(missed & part), np.int64(row[MISSED_BY]), k, now)
        row[MISSED] = np.int64(missed & ~part)
    elif part != core.warps.threads[warp]:
        row[MISSED] = np.int64(core.warps.threads[warp] & ~part)
        row[MISSED_AT] = pc
        row[MISSED_BY] = first + lowest(part)


@unit
def note_together(core, warp, part, tables, k, first, now):
    """Lanes that were missed at a barrier execute together with those that were there: they never came to it."""
    row = tables.warps[core.number * core.warps.slots + warp]
    missed = np.uint64(row[MISSED])
    if missed & part != EMPTY and part & ~missed != EMPTY:
        find(tables, BARRIER, np.int64(row[MISSED_AT]), -1, np.int64(row[MISSED_BY]), first + lowest(missed & part), k, now)
        row[MISSED] = 0


@inlined
def _same_place(tables, one, other):
    """Whether two instructions are of one place in the text; without a text, one instruction."""
    if tables.code[one, LINE] == 0:
        return one == other
    same = tables.code[one, LINE] == tables.code[other, LINE] and tables.code[one, FILE] == tables.code[other, FILE]
    return same and tables.code[one, COLUMN] == tables.code[other, COLUMN]


@unit
def _open_if_all_came(core, slot, row, leaving, warp, tables, k, time, now):
    """The barrier opens when as many threads have come as have not ended. leaving: lanes of `warp` that end now.

    Those that have ended never came to it: what is written of that is not a mistake on today's hardware.
    """
    left = core.blocks.alive[slot]
    threads = np.int64(0)
    while left != EMPTY:
        one = lowest(left)
        left = rest(left)
        threads += popcount(core.warps.threads[one])
    threads -= popcount(leaving)
    if row[ARRIVED] > 0 and row[ARRIVED] >= threads:
        if row[GONE] != 0:
            find(
                tables,
                ABSENT,
                np.int64(row[FIRST]) - 1,
                np.int64(row[GONE_AT]),
                np.int64(row[FIRST_THREAD]),
                np.int64(row[GONE]) - 1,
                -1,
                now,
            )
        _order(tables, row, k, time)
        row[ARRIVED] = 0
        row[FIRST] = 0


@inlined
def _order(tables, row, k, time):
    """A block's barrier opens: what its threads did to the memory that it orders is before what they do now."""
    flags = tables.uops[k, FLAGS]
    if flags & GLOBAL_UNORDERED == 0:
        row[OPENED] = time
    if flags & SHARED_UNORDERED == 0:
        row[OPENED_SHARED] = time


@unit
def note_end(gpu, core, warp, pc, part, tables, k, first, time, now):
    """Lanes `part` end."""
    row = tables.warps[core.number * core.warps.slots + warp]
    row[MISSED] = np.int64(np.uint64(row[MISSED]) & ~part)
    slot = np.int64(core.warps.block[warp])
    block = tables.blocks[core.blocks.number[slot]]
    if block[GONE] == 0:
        block[GONE] = first + lowest(part) + 1
        block[GONE_AT] = pc
    _open_if_all_came(core, slot, block, part, warp, tables, k, time, now)
    tables.findings[0, ENDED] += popcount(part)
    _open_grid(gpu, tables, time, now)


@unit
def note_grid_barrier(gpu, core, warp, pc, part, tables, first, time, now):
    """Lanes `part` come to the barrier of the whole grid."""
    tables.findings[0, GRID_ARRIVED] += popcount(part)
    row = tables.blocks[core.blocks.number[core.warps.block[warp]]]
    row[IN_GRID] = time
    row[FIRST] = pc + 1
    row[FIRST_THREAD] = first + lowest(part)
    _open_grid(gpu, tables, time, now)


@unit
def _open_grid(gpu, tables, time, now):
    """The barrier opens when all threads have come that have not ended; on a GPU a block that ended without coming leaves it closed."""
    head = tables.findings[0]
    if head[GRID_ARRIVED] > 0 and head[GRID_ARRIVED] + head[ENDED] >= gpu.grid.threads:
        if head[ENDED] > 0:
            _find_absent_block(tables, np.int64(head[GRID_OPENED]), now)
        for number in range(tables.blocks.shape[0]):
            tables.blocks[number, FIRST] = 0
        head[GRID_OPENED] = time
        head[GRID_ARRIVED] = 0


@unit
def _find_absent_block(tables, since, now):
    """Of blocks that have not come to the grid's barrier since it opened last, one is named beside one that has."""
    absent, there = np.int64(-1), np.int64(-1)
    for number in range(tables.blocks.shape[0] - 1, -1, -1):
        if tables.blocks[number, IN_GRID] > since:
            there = np.int64(number)
        elif tables.blocks[number, GONE] != 0:
            absent = np.int64(number)
    if absent >= 0 and there >= 0:
        row = tables.blocks[there]
        gone = tables.blocks[absent]
        here, left = np.int64(row[FIRST]) - 1, np.int64(gone[GONE_AT])
        find(tables, GRID, here, left, np.int64(row[FIRST_THREAD]), np.int64(gone[GONE]) - 1, -1, now)
