"""Barriers: who comes to a block's barrier, from which instruction, and when it opens.

All threads of a block that have not ended must come to the same barrier of the text (CUDA C++ Programming Guide, "Synchronization
Functions": `__syncthreads()` in conditional code must be reached by all or none). Threads at two different ones have mixed up their
phases: hardware may open the barrier for both, or never. A warp of which some lanes wait while others cannot come never continues; the
machine finds that by itself, as a deadlock, and the finding says who waits.

When a barrier opens is found out here by counting, as the hardware does.

A barrier with a number or a count of its own is for some of a block's warps (PTX `bar.sync 1, 64`), and orders those alone: who waits
there knows from then on what all that came did and knew when they came. Who only arrives (`bar.arrive`) tells, and learns nothing. Where
lanes of a warp come one after the other, each of them is taken as the last: so an order may be noted too early, but what the later lanes
did until they came is noted with them. Barriers of programs that start their warps themselves are in core_warps.py.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.known import row_of
from warploom.checks.order import acquire, share_with_block, share_with_warp
from warploom.checks.shadow import (
    ABSENT,
    ACQUIRED,
    ACQUIRED_AT,
    ARRIVED,
    BARRIER,
    BLOCK_ACQUIRED,
    BLOCK_ACQUIRED_AT,
    CAME,
    ENDED,
    EXPECTED,
    FENCE,
    FENCE_BLOCK,
    FIRST,
    FIRST_THREAD,
    GATHERED_COLUMNS,
    GONE,
    GONE_AT,
    GRID,
    GRID_ARRIVED,
    GRID_OPENED,
    IN_GRID,
    LANES_OF_OWN,
    LEARNED,
    LOCKSTEP,
    MET,
    MET_AT,
    MET_WORD,
    MET_WORD_AT,
    MISSED,
    MISSED_AT,
    MISSED_BY,
    OPEN,
    OPENED,
    OPENED_SHARED,
    ROWS_OF_BLOCK,
    WAIT_THERE,
    find,
    same_place,
)
from warploom.isa.uop import FENCE_BLOCK as FOR_BLOCK
from warploom.isa.uop import FLAGS, GLOBAL_UNORDERED, IMM, NONE, NUMBER, OP, SHARED_UNORDERED, A, B
from warploom.machine.core.control import value_of_leader
from warploom.machine.core.warps.barrier import MAX_BARRIERS
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, popcount, rest
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
    row = tables.blocks[block * tables.findings[0, ROWS_OF_BLOCK]]
    coming = part if core.any_order != 0 else core.warps.threads[warp]
    own = row_of(tables, first, block)
    for lane in range(core.warps.lanes):
        if has(coming, lane):
            share_with_block(tables, own, first + lane)
    if tables.uops[k, OP] == ARRIVE or tables.uops[k, A] != NONE or tables.uops[k, B] != NONE or tables.uops[k, IMM] != 0:
        _come_with_some(core, warp, part, tables, k, own, time)
        return
    if row[FIRST] == 0:
        row[FIRST] = pc + 1
        row[FIRST_THREAD] = first + lowest(coming)
    elif not same_place(tables, np.int64(row[FIRST]) - 1, pc):
        find(tables, BARRIER, pc, np.int64(row[FIRST]) - 1, first + lowest(coming), np.int64(row[FIRST_THREAD]), k, now)
    _miss(core, warp, pc, part, tables, k, first, now)
    row[ARRIVED] += popcount(coming)
    _open_if_all_came(core, slot, block, EMPTY, warp, tables, k, time, now)


@unit
def _miss(core, warp, pc, part, tables, k, first, now):
    """Some of the lanes that were missed at a barrier come now, to the same one or to a different one; others are missed from now on."""
    row = tables.warps[core.number * core.warps.slots + warp]
    missed = np.uint64(row[MISSED])
    if missed & part != EMPTY:
        at = np.int64(row[MISSED_AT])
        if not same_place(tables, at, pc):
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


@unit
def _open_if_all_came(core, slot, block, leaving, warp, tables, k, time, now):
    """The barrier opens when as many threads have come as have not ended. leaving: lanes of `warp` that end now.

    Those that have ended never came to it: what is written of that is not a mistake on today's hardware.
    """
    row = tables.blocks[block * tables.findings[0, ROWS_OF_BLOCK]]
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
        _order(tables, block, k, time)
        row[ARRIVED] = 0
        row[FIRST] = 0


@inlined
def _order(tables, block, k, time):
    """A block's barrier opens: what its threads did to the memory that it orders is before what they do now."""
    flags = tables.uops[k, FLAGS]
    rows = np.int64(tables.findings[0, ROWS_OF_BLOCK])
    first = block * rows
    for number in range(first, first + rows):
        if flags & GLOBAL_UNORDERED == 0:
            tables.blocks[number, OPENED] = time
        if flags & SHARED_UNORDERED == 0:
            tables.blocks[number, OPENED_SHARED] = time
    if rows > 1 and tables.findings[0, LEARNED] != 0:
        _learn_from_each_other(tables, first, rows)


@out_of_line
def _learn_from_each_other(tables, first, rows):
    """All warps of a block have acquired what one of them has."""
    together = tables.blocks[first]
    for number in range(first + 1, first + rows):
        if tables.blocks[number, BLOCK_ACQUIRED] != 0:
            word, when = np.int64(tables.blocks[number, BLOCK_ACQUIRED]), np.int64(tables.blocks[number, BLOCK_ACQUIRED_AT])
            acquire(together, BLOCK_ACQUIRED, BLOCK_ACQUIRED_AT, word, when)
    for number in range(first + 1, first + rows):
        tables.blocks[number, BLOCK_ACQUIRED] = together[BLOCK_ACQUIRED]
        tables.blocks[number, BLOCK_ACQUIRED_AT] = together[BLOCK_ACQUIRED_AT]


@unit
def _come_with_some(core, warp, part, tables, k, own, time):
    """Lanes `part` come to a barrier for some warps of their block. own: the row of their warp in `known` and `blocks`."""
    slot = np.int64(core.warps.block[warp])
    number = np.int64(tables.uops[k, IMM]) + value_of_leader(core, warp, part, tables, k, A, 0)
    if number < 0 or number >= core.barriers.count:
        return  # a fault
    row = tables.gathered[(core.number * core.warps.slots + slot) * MAX_BARRIERS + number]
    if row[OPEN] != 0 and core.barriers.arrived[slot, number] == EMPTY:
        for column in range(GATHERED_COLUMNS):
            row[column] = 0
    inside = np.int64(core.warps.rank[warp])
    for other in range(tables.findings[0, ROWS_OF_BLOCK]):
        row[other] = max(np.int64(row[other]), time if other == inside else np.int64(tables.known[own, other]))
    mine = tables.blocks[own]
    if mine[BLOCK_ACQUIRED] != 0:
        acquire(row, MET_WORD, MET_WORD_AT, np.int64(mine[BLOCK_ACQUIRED]), np.int64(mine[BLOCK_ACQUIRED_AT]))
    row[CAME] = np.int64(np.uint64(row[CAME]) | bit(warp))
    if tables.uops[k, OP] != ARRIVE:
        row[WAIT_THERE] = np.int64(np.uint64(row[WAIT_THERE]) | bit(warp))
    elif tables.findings[0, LOCKSTEP] != 0:
        tables.known[own, inside] = time
    row[EXPECTED] = value_of_leader(core, warp, part, tables, k, B, 1)
    _open_if_some_came(core, tables, row, own - inside, core.blocks.alive[slot])


@unit
def _open_if_some_came(core, tables, row, first, alive):
    """Who waits at a barrier for some warps learns, where enough have come. row: of `gathered`. first: row of the block's first warp."""
    came = np.uint64(row[CAME])
    expected = np.int64(row[EXPECTED])
    if came == EMPTY or (popcount(came) < expected if expected != 0 else alive & ~came != EMPTY):
        return
    row[OPEN] = 1
    learners = np.uint64(row[WAIT_THERE])
    while learners != EMPTY:
        one = first + core.warps.rank[lowest(learners)]
        learners = rest(learners)
        for other in range(tables.findings[0, ROWS_OF_BLOCK]):
            tables.known[one, other] = max(np.int64(tables.known[one, other]), np.int64(row[other]))
        if row[MET_WORD] != 0:
            acquire(tables.blocks[one], BLOCK_ACQUIRED, BLOCK_ACQUIRED_AT, np.int64(row[MET_WORD]), np.int64(row[MET_WORD_AT]))


@out_of_line
def _leave_some(core, slot, leaving, warp, tables, first):
    """Lanes `leaving` of a warp end: barriers without a count that waited only for that warp open."""
    if core.warps.threads[warp] & ~leaving != EMPTY:
        return
    for number in range(core.barriers.count):
        row = tables.gathered[(core.number * core.warps.slots + slot) * MAX_BARRIERS + number]
        if row[OPEN] == 0 and row[EXPECTED] == 0:
            _open_if_some_came(core, tables, row, first, core.blocks.alive[slot] & ~bit(warp))


@unit
def note_end(gpu, core, warp, pc, part, tables, k, first, time, now):
    """Lanes `part` end."""
    row = tables.warps[core.number * core.warps.slots + warp]
    row[MISSED] = np.int64(np.uint64(row[MISSED]) & ~part)
    slot = np.int64(core.warps.block[warp])
    number = np.int64(core.blocks.number[slot])
    rows = np.int64(tables.findings[0, ROWS_OF_BLOCK])
    block = tables.blocks[number * rows]
    if block[GONE] == 0:
        block[GONE] = first + lowest(part) + 1
        block[GONE_AT] = pc
    _open_if_all_came(core, slot, number, part, warp, tables, k, time, now)
    if tables.findings[0, LANES_OF_OWN] != 0:
        _leave_some(core, slot, part, warp, tables, number * rows)
    tables.findings[0, ENDED] += popcount(part)
    _open_grid(gpu, tables, time, now)


@unit
def note_grid_barrier(gpu, core, warp, pc, part, tables, first, time, now):
    """Lanes `part` come to the barrier of the whole grid."""
    tables.findings[0, GRID_ARRIVED] += popcount(part)
    row = tables.blocks[core.blocks.number[core.warps.block[warp]] * tables.findings[0, ROWS_OF_BLOCK]]
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
