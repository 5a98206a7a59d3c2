"""Stamps: what a row says of the accesses before this one, be it of a word or of a run.

A row holds the last write and two reads. Two reads are enough, when they are chosen well: a later write that is in order with the two
farthest ones is in order with those that are not kept. Source: the epochs of Flanagan and Freund, "FastTrack", PLDI 2009.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.known import knows
from warploom.checks.shadow import ATOMIC_BIT, R1_TIME, R1_WHO, R2_TIME, R2_WHO, WORD_BYTES, thread_of
from warploom.isa.uop import SHARED_SPACE
from warploom.machine.engine.unit import inlined


@inlined
def may_conflict(tables, when, who, thread, begin, size, opened, flags, space):
    """Whether an earlier access is of a different thread, to the same bytes, not atomic as this one is, and not before a barrier.

    begin, size: the first thread of this block, and how many it has. opened: when its barrier opened last.
    """
    if when == 0 or who & flags & WORD_BYTES == 0 or who & flags & ATOMIC_BIT != 0:
        return False
    other = thread_of(who)
    if begin <= other < begin + size:
        return other != thread and when >= opened and not knows(tables, thread, other, begin, when)
    return space != SHARED_SPACE  # else of the block that had this shared memory before


@inlined
def note_reader(tables, cell, thread, begin, first, size, lanes, opened, time, mine):
    """Keep this reader as the first one, and of the two before the one that is farther from it: of a different block, or warp."""
    if cell[R1_TIME] != 0 and thread_of(cell[R1_WHO]) != thread:
        keeps = np.int64(-1)
        if cell[R2_TIME] != 0:
            keeps = _distance(tables, thread_of(cell[R2_WHO]), cell[R2_TIME], begin, first, size, lanes, opened)
        if _distance(tables, thread_of(cell[R1_WHO]), cell[R1_TIME], begin, first, size, lanes, opened) >= keeps:
            cell[R2_TIME] = cell[R1_TIME]
            cell[R2_WHO] = cell[R1_WHO]
    elif cell[R1_TIME] != 0:
        mine = mine | (cell[R1_WHO] & WORD_BYTES)
    cell[R1_TIME] = time
    cell[R1_WHO] = mine


@inlined
def _distance(tables, other, when, begin, first, size, lanes, opened):
    """2: a different block; 1: a different warp; 0: the same; -1: of no interest, since a barrier of both has opened after it."""
    if other < begin or other >= begin + size:
        return np.int64(2)
    if when < opened or knows(tables, first, other, begin, when):
        return np.int64(-1)
    return np.int64(0 if first <= other < first + lanes else 1)
