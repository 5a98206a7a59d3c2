"""Stamps: what a row says of the accesses before this one, be it of a word or of a run.

A row holds the last write and two reads. Two reads are enough, when they are chosen well, as long as a barrier orders whole blocks: a later
write that is in order with the two farthest ones is in order with those that are not kept. Source: the epochs of Flanagan and Freund,
"FastTrack", PLDI 2009.

Where some warps may be in order and others not, by barriers of their own or by atomics with fences, a write may be in order with two of
three reads. There the others go to `readers`, the latest one of each warp, or of each thread where threads tell by atomics. They stand in a
table of a fixed size, by a hash of word and reader, and those of one word in a chain, which a write goes through. Where the table has no
room a read is not kept, so that a race may be missed.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.known import knows, warp_of
from warploom.checks.shadow import (
    ATOMIC_BIT,
    BY_THREAD,
    GRID_OPENED,
    KEY,
    LANES_OF_OWN,
    MOST_READERS,
    NEXT,
    PROBES,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    READ_TIME,
    READ_WHO,
    READERS,
    WORD_BYTES,
    thread_of,
)
from warploom.isa.uop import SHARED_SPACE
from warploom.machine.engine.unit import inlined, out_of_line

KEY_SHIFT = 32
HASHED = (1 << 20) - 1  # of a row and of a reader, so that products stay below 2^63
FACTORS = 0x9E3779B1, 0x85EBCA6B  # odd: 2^32 over the golden ratio, and one of MurmurHash3's


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
def note_reader(tables, cell, at, thread, begin, first, size, lanes, opened, time, mine):
    """Keep this reader as the first one, and of the two before the one that is farther from it: of a different block, or warp.

    at: the row of `shadow`. The third one goes to `readers`, where that is kept.
    """
    if cell[R1_TIME] != 0 and thread_of(cell[R1_WHO]) != thread:
        keeps = np.int64(-1)
        if cell[R2_TIME] != 0:
            keeps = _distance(tables, thread_of(cell[R2_WHO]), cell[R2_TIME], begin, first, size, lanes, opened)
        gives = _distance(tables, thread_of(cell[R1_WHO]), cell[R1_TIME], begin, first, size, lanes, opened)
        if gives >= keeps:
            if keeps >= 0 and tables.findings[0, READERS] != 0:
                keep_reader(tables, at, np.int64(cell[R2_TIME]), np.int64(cell[R2_WHO]))
            cell[R2_TIME] = cell[R1_TIME]
            cell[R2_WHO] = cell[R1_WHO]
        elif gives >= 0 and tables.findings[0, READERS] != 0:
            keep_reader(tables, at, np.int64(cell[R1_TIME]), np.int64(cell[R1_WHO]))
    elif cell[R1_TIME] != 0:
        mine = mine | (cell[R1_WHO] & WORD_BYTES)
    cell[R1_TIME] = time
    cell[R1_WHO] = mine


@inlined
def _distance(tables, other, when, begin, first, size, lanes, opened):
    """2: a different block; 1: a different warp; 0: the same; -1: of no interest, since a barrier of both has opened after it."""
    if when < tables.findings[0, GRID_OPENED]:
        return np.int64(-1)
    if other < begin or other >= begin + size:
        return np.int64(2)
    if when < opened or knows(tables, first, other, begin, when):
        return np.int64(-1)
    return np.int64(0 if first <= other < first + lanes else 1)


@inlined
def loses_reader(tables, cell, thread, begin, first, size, lanes, opened):
    """Whether `note_reader` would have a third reader, which goes to `readers`: a row of a run has no room there."""
    if tables.findings[0, READERS] == 0 or cell[R2_TIME] == 0 or cell[R1_TIME] == 0 or thread_of(cell[R1_WHO]) == thread:
        return False
    if _distance(tables, thread_of(cell[R2_WHO]), cell[R2_TIME], begin, first, size, lanes, opened) < 0:
        return False
    return _distance(tables, thread_of(cell[R1_WHO]), cell[R1_TIME], begin, first, size, lanes, opened) >= 0


@out_of_line
def keep_reader(tables, at, when, who):
    """Keep a read of the word, or the byte, of row `at` of `shadow`."""
    head = tables.findings[0]
    reader = thread_of(who)
    if head[BY_THREAD] == 0:
        reader = np.int64(warp_of(tables, reader, np.int64(head[LANES_OF_OWN])))
    key = (np.int64(at) << KEY_SHIFT) | (reader + 1)
    first = (((at & HASHED) * FACTORS[0] ^ (reader & HASHED) * FACTORS[1]) >> 12) & (MOST_READERS - 1)
    free = np.int64(0)
    for place in range(first + 1, first + 1 + PROBES):
        row = tables.readers[place]
        if row[KEY] == key:
            row[READ_TIME] = when
            row[READ_WHO] = who | (row[READ_WHO] & WORD_BYTES)
            return
        if row[KEY] == 0 and free == 0:
            free = np.int64(place)
    if free != 0:
        row = tables.readers[free]
        row[KEY] = key
        row[READ_TIME] = when
        row[READ_WHO] = who
        row[NEXT] = tables.chains[at]
        tables.chains[at] = free
