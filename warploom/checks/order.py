"""Order: whether an access came before this one in every schedule.

The model. Two accesses of one thread are in order. Those of a block's threads are, where the block's barrier opened between them; those
of a warp's lanes also where both lanes came to a syncwarp between them; all, where the grid's barrier did. Beyond that only atomics
order, with fences: what a thread did before a fence and told by an atomic on a word after it is before everything that a thread does
after it has met that word by an atomic and come to a fence or a barrier then. What it tells includes what came before its block's
barrier; what it has met holds for its block after the next barrier. A fence for the block (`threadfence_block`) tells threads of the
block alone. An instruction set may have fences in its atomics (atomic_orders.py): one that releases has a fence before it, for what it
tells itself alone, and one that acquires a fence after it.

Where a program starts its warps itself, or has barriers for some warps of a block, warps take the place of blocks: a warp knows what it has
learned of each warp of its core, by barriers and starts (core_warps.py, barriers.py), and tells that too. Where lanes run in step, what one
of them tells or acquires holds for the warp.

A few more releases than the last four of a thread are not remembered: then order is assumed. So the checks may miss a race between
threads that synchronise by several words in turn, and report none that is not there.

Sources: vector clocks cut down to epochs, Flanagan and Freund, "FastTrack", PLDI 2009; scopes and fences, NVIDIA PTX ISA, "Memory
Consistency Model": release and acquire patterns.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.known import knows, row_of, warp_of
from warploom.checks.shadow import (
    ACQUIRED,
    ACQUIRED_AT,
    ACQUIRES,
    ANY_WORD,
    BLOCK_ACQUIRED,
    BLOCK_ACQUIRED_AT,
    BLOCK_RELEASE,
    BLOCK_RELEASED_ON,
    BLOCK_RELEASES,
    FENCE,
    FENCE_BLOCK,
    FIRST_RELEASE,
    GRID_OPENED,
    LANES_OF_OWN,
    LEARNED,
    LOADS,
    LOCKSTEP,
    MET,
    MET_AT,
    OPENED,
    RELEASE,
    RELEASED,
    RELEASED_ON,
    RELEASES,
    RING,
    ROWS_OF_BLOCK,
    STORES,
    TELLS,
)
from warploom.machine.engine.unit import inlined, out_of_line, unit


@out_of_line
def in_order(tables, seen_row, lanes, size, opened, me, other, when):
    """Whether thread `me` comes after what thread `other` did at time `when`. Threads count in the grid.

    seen_row: the row of `seen` of the lane of `me`. size: threads of a block. opened: when the block's barrier opened last for this memory.
    """
    block = me // size
    theirs = other // size
    ours = tables.blocks[row_of(tables, me, block)]
    if when < tables.findings[0, GRID_OPENED]:
        return True
    if block == theirs:
        if when < opened or knows(tables, me, other, theirs * size, when):
            return True
        inside = other - theirs * size
        if (me - block * size) // lanes == inside // lanes and when < tables.seen[seen_row, inside % lanes]:
            return True
    mine = tables.threads[me]
    fence = np.int64(1 if block == theirs else 0)
    row = row_of(tables, other, theirs)
    if mine[ACQUIRED_AT] != 0 and _told(tables, mine[ACQUIRED], mine[ACQUIRED_AT], other, row, fence, when):
        return True
    return ours[BLOCK_ACQUIRED_AT] != 0 and _told(tables, ours[BLOCK_ACQUIRED], ours[BLOCK_ACQUIRED_AT], other, row, fence, when)


@unit
def _told(tables, word, until, other, theirs, fence, when):
    """Whether who has learned from `word` (ANY_WORD: of several) up to time `until` knows what thread `other` did at time `when`.

    theirs: the row of `blocks` of `other`. fence: 1 where one of its fences for the block is enough, else 0.
    """
    row = tables.threads[other]
    if word == ANY_WORD or row[RELEASED_ON] == ANY_WORD or row[RELEASED_ON] == word:
        kept = min(np.int64(row[RELEASES]), np.int64(RING))
        for number in range(kept):
            place = FIRST_RELEASE + number * RELEASE
            if when < row[place + fence] and (row[place + 2] <= until or row[RELEASES] > RING):
                return True
    row = tables.blocks[theirs]
    if word == ANY_WORD or row[BLOCK_RELEASED_ON] == ANY_WORD or row[BLOCK_RELEASED_ON] == word:
        kept = min(np.int64(row[BLOCK_RELEASES]), np.int64(RING))
        for number in range(kept):
            place = BLOCK_RELEASE + number * 2
            if when < row[place] and (row[place + 1] <= until or row[BLOCK_RELEASES] > RING):
                return True
    return False


@out_of_line
def synchronise(tables, index, size, thread, pc, time):
    """A thread's atomic on word `index`: it meets what was told there, and tells what it did before its last fence.

    One that is a store meets nothing, and one that is a load tells nothing.
    """
    orders = np.int64(tables.orders[pc])
    mine = tables.threads[thread]
    cell = tables.shadow[index]
    if cell[RELEASED] != 0 and orders & STORES == 0:
        before = mine[MET]
        mine[MET] = index + 1 if cell[RELEASED] > 0 and (before == 0 or before == index + 1) else ANY_WORD
        mine[MET_AT] = time
        tables.findings[0, LEARNED] = 1
        if orders & ACQUIRES != 0:
            mine[ACQUIRED] = mine[MET]
            mine[ACQUIRED_AT] = time
            share_with_warp(tables, thread)
    for_device = np.int64(mine[FENCE])
    for_block = np.int64(mine[FENCE_BLOCK])
    if orders & TELLS != 0:
        mine[FENCE] = time
        mine[FENCE_BLOCK] = time
    if mine[FENCE_BLOCK] == 0 or orders & LOADS != 0:
        return
    block = tables.blocks[row_of(tables, thread, thread // size)]
    foreign = mine[MET] != 0 and mine[MET] != index + 1
    foreign = foreign or (block[BLOCK_ACQUIRED] != 0 and block[BLOCK_ACQUIRED] != index + 1)
    cell[RELEASED] = -time if foreign or cell[RELEASED] < 0 else time
    _tell(mine, index + 1, time)
    if mine[FENCE] != 0 and tables.findings[0, LANES_OF_OWN] == 0:
        _tell_of_block(block, index + 1, np.int64(block[OPENED]), time)
    elif mine[FENCE] != 0:
        _tell_of_core(tables, index + 1, thread, size, time)
    mine[FENCE] = for_device
    mine[FENCE_BLOCK] = for_block


@unit
def _tell(mine, word, time):
    """One more release of a thread, unless the last one said the same already."""
    count = np.int64(mine[RELEASES])
    last = FIRST_RELEASE + (count - 1) % RING * RELEASE
    if count > 0 and mine[RELEASED_ON] == word and mine[last] == mine[FENCE] and mine[last + 1] == mine[FENCE_BLOCK]:
        return
    place = FIRST_RELEASE + count % RING * RELEASE
    mine[place] = mine[FENCE]
    mine[place + 1] = mine[FENCE_BLOCK]
    mine[place + 2] = time
    mine[RELEASES] = count + 1
    mine[RELEASED_ON] = word if count == 0 or mine[RELEASED_ON] == word else ANY_WORD


@unit
def _tell_of_block(block, word, opened, time):
    """`_tell` of what all threads of a block did before its barrier opened, at time `opened`; 0: it did not."""
    if opened == 0:
        return
    count = np.int64(block[BLOCK_RELEASES])
    if count > 0 and block[BLOCK_RELEASED_ON] == word and block[BLOCK_RELEASE + (count - 1) % RING * 2] == opened:
        return
    place = BLOCK_RELEASE + count % RING * 2
    block[place] = max(opened, np.int64(block[place]))  # of a warp others tell, one less than the other: what is forgotten stays told
    block[place + 1] = time
    block[BLOCK_RELEASES] = count + 1
    block[BLOCK_RELEASED_ON] = word if count == 0 or block[BLOCK_RELEASED_ON] == word else ANY_WORD


@unit
def _tell_of_core(tables, word, thread, size, time):
    """`_tell` of what the thread's warp did before the fence, where its lanes run in step, and of what it knows of others."""
    lanes = np.int64(tables.findings[0, LANES_OF_OWN])
    warps = np.int64(tables.findings[0, ROWS_OF_BLOCK])
    row = warp_of(tables, thread, lanes)
    first = thread // size * warps
    if tables.findings[0, LOCKSTEP] != 0:
        tables.known[row, row - first] = max(np.int64(tables.known[row, row - first]), np.int64(tables.threads[thread, FENCE]))
    opened = np.int64(tables.blocks[row, OPENED])
    for other in range(warps):
        _tell_of_block(tables.blocks[first + other], word, max(opened, np.int64(tables.known[row, other])), time)


@unit
def share_with_warp(tables, thread):
    """What a thread has acquired holds for its warp, where a program starts its warps itself: there lanes run in step."""
    if tables.findings[0, LANES_OF_OWN] != 0 and tables.findings[0, LOCKSTEP] != 0:
        share_with_block(tables, row_of(tables, thread, 0), thread)


@unit
def share_with_block(tables, block, thread):
    """What a thread has learned holds for its block, since it has come to the block's barrier."""
    if tables.findings[0, LEARNED] == 0:
        return
    mine = tables.threads[thread]
    if mine[MET_AT] != 0:
        acquire(tables.blocks[block], BLOCK_ACQUIRED, BLOCK_ACQUIRED_AT, np.int64(mine[MET]), np.int64(mine[MET_AT]))


@inlined
def acquire(row, column, at, word, when):
    """A row has acquired one more word, at time `when`. column, at: where it keeps the word, and the time."""
    row[column] = word if row[column] == 0 or row[column] == word else ANY_WORD
    row[at] = max(np.int64(row[at]), np.int64(when))
