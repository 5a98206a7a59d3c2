"""Shadow memory: what the checks know of each word, thread, block and warp.

Not hardware, though hardware has been proposed for it: ScoRD (Kamath, George, Basu: "ScoRD: A Scoped Race Detector for GPUs", ISCA 2020)
keeps such words beside memory; iGUARD (SOSP 2021) does it in software. A word of 32 bits has one row of 64 bytes, a line of the host's
cache: who wrote it last, and two threads that have read it since. Two are enough where barriers order whole blocks: any thread that writes
later differs from one of them. Where some warps or threads alone may be in order, further readers have rows of their own, see stamps.py.
Words whose items lanes access at one distance share a few such rows, see runs.py.

Times are numbers of a clock that every observed micro-op advances, so a time names one instruction of one warp, and nothing has to be
cleared when a block or a warp takes the place of another one. Rows that nobody touches take no memory of the host.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import COLUMN, FILE, LINE
from warploom.machine.core.warps.barrier import MAX_BARRIERS
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import inlined, out_of_line, unit, zeros

# A row of `shadow`: a word. WHO: `stamp` of an access. RELEASED: the last release of an atomic on it, negative where the thread that
# released had acquired other words too. HELD: what has been written of it, see initialised.py.
W_TIME, W_WHO, R1_TIME, R1_WHO, R2_TIME, R2_WHO, RELEASED, HELD = range(8)
SHADOW_COLUMNS = 8

# A run has PARTS rows in `runs`, whose columns are those of a word but for SHAPE, of the first: SPREAD when its words have rows of their
# own in `shadow`, and more, see runs.py. One more row says where the parts begin.
PARTS = 12
SHAPE = RELEASED
SPREAD = 1

# A row of `threads`, by number in the grid. FENCE: of its last fence for the device; FENCE_BLOCK: of its last one for anybody.
# MET: the word + 1 whose atomic it has met after somebody told something there, ANY_WORD of several; MET_AT: when last. ACQUIRED,
# ACQUIRED_AT: the same as of its last fence, from which on it knows what was told. RELEASED_ON: the same of what it has told.
# RELEASES: how many, the last RING of which follow: (fence for the device, fence for anybody, time).
FENCE, FENCE_BLOCK, MET, MET_AT, ACQUIRED, ACQUIRED_AT, RELEASED_ON, RELEASES, FIRST_RELEASE = range(9)
RING = 4
RELEASE = 3
THREAD_COLUMNS = FIRST_RELEASE + RING * RELEASE
ANY_WORD = -1

# Bits of `orders`, by instruction: an atomic with a fence after it; with one before it; a load that is the first half of an atomic; one
# that is atomic by itself; a store that is.
ACQUIRES, TELLS, RESERVES, LOADS, STORES = 1, 2, 4, 8, 16

# A row of `warps`, by the place of the warp in its core, so that the table stays small. MISSED and WAITING are zero again at its end.
# MISSED: the lanes that were elsewhere when others of the warp came to a barrier, at instruction MISSED_AT, thread MISSED_BY among them.
# ASKED, of a core's first place: 1 where a warp of the core waits until it is alone to start others. WAITING: the lanes that wait at a
# syncwarp; for each lane follow its instruction and its mask. OUTSIDE: the lanes whose index has been found outside of its axis, at the
# place of instruction OUTSIDE_AT; OUTSIDE_MET: those that have come from there to an access.
MISSED, MISSED_AT, MISSED_BY, ASKED, WAITING, OUTSIDE, OUTSIDE_AT, OUTSIDE_MET, FIRST_WAIT = range(9)
WAIT = 2
WARP_COLUMNS = FIRST_WAIT + MAX_LANES * WAIT

# A row of `blocks`, by number in the grid. OPENED: when its barrier opened last, for global memory, and OPENED_SHARED for shared memory (a
# barrier of OpenCL names the memory that it orders). ARRIVED: threads that wait there now; FIRST, FIRST_THREAD:
# pc + 1 and thread of the first of them. GONE, GONE_AT: thread + 1 and instruction of the first that has ended. IN_GRID: when one of its
# threads came last to the barrier of the whole grid. The rest as of threads; a release tells what came before the barrier.
# Where a program starts its warps itself, or has barriers for some warps of a block, each warp has a row, by its place in the grid, and
# ARRIVED to IN_GRID of a block stand in that of its first warp. OPENED: until when it knows what all warps of its core or block did; until
# when it knows what each did is in its row of `known`, in the column of the other one's place there (known.py). A release stands in the
# rows of those of whom it tells.
OPENED, ARRIVED, FIRST, FIRST_THREAD, GONE, GONE_AT, IN_GRID, OPENED_SHARED = range(8)
BLOCK_ACQUIRED, BLOCK_ACQUIRED_AT, BLOCK_RELEASED_ON, BLOCK_RELEASES, BLOCK_RELEASE = range(8, 13)
BLOCK_COLUMNS = BLOCK_RELEASE + RING * 2

# A row of `gathered`, by block slot and barrier, of barriers for some warps of a block: until when those that have come know what each warp
# of the block did, in the column of its place there. CAME, WAIT_THERE: warp slots that have come, and those of them that wait. EXPECTED:
# how many are waited for, 0 for all. OPEN: enough have come. MET_WORD, MET_WORD_AT: BLOCK_ACQUIRED, BLOCK_ACQUIRED_AT of those that came.
CAME, WAIT_THERE, EXPECTED, OPEN, MET_WORD, MET_WORD_AT = range(MAX_WARPS, MAX_WARPS + 6)
GATHERED_COLUMNS = MAX_WARPS + 6

# A row of `readers`: KEY, which row of `shadow` and who, 0 for a free one; the read as in `shadow`; the next row of that chain. `chains`:
# by row of `shadow`, the first one, 0 for none.
KEY, READ_TIME, READ_WHO, NEXT = range(4)
READER_COLUMNS = 4
MOST_READERS = 1 << 18  # a power of two
PROBES = 8  # rows in which a reader may stand, the first of them row 1

# Row 0 of `findings`: counts and settings. LEARNED: whether any thread has learned from an atomic. IN_BYTES: words whose bytes have rows,
# in `shadow` from row FIRST_BYTES on. STANDS_FOR: what is read of shared
# memory that nobody has written, and << 32 how many of its low bits differ by place; 0 for what there is.
# LANES_OF_OWN: lanes of a warp where each warp has a row of `blocks` and `known`, else 0. ASKS: cores of which a warp waits until it is
# alone. RAGGED: threads of a block where each warp has a row and those are not whole warps, else 0. ROWS_OF_BLOCK: rows of `blocks` that a
# block has. READERS: whether readers of a word beyond two have rows; BY_THREAD: one for each thread, else for each warp.
# Every other row is a finding.
COUNT, CLOCK, GRID_OPENED, GRID_ARRIVED, ENDED, SHARED_ROWS, SHARED_WORDS, LOCKSTEP, RETURNS, RUN_SHIFT = range(10)
LEARNED, IN_BYTES, FIRST_BYTES, STANDS_FOR, LANES_OF_OWN, ASKS, RAGGED, ROWS_OF_BLOCK, READERS, BY_THREAD = range(10, 20)
KIND, PC, OTHER_PC, ACCESS, OTHER_ACCESS, THREAD, OTHER, SPACE, ADDRESS, UOP, TIMES, CYCLE, A_VALUE, B_VALUE, LOST, UNIT_PC = range(16)
FINDING_COLUMNS = 20
MOST_FINDINGS = 200
MOST_IN_BYTES = 1 << 18  # words whose bytes have rows of their own

KINDS = (
    "none", "race", "lockstep", "uninitialised", "barrier", "syncwarp", "mask", "shuffle", "bounds", "variable", "register",
    "absent", "grid", "divisor",
)  # fmt: skip
NONE_FOUND, RACE, IN_STEP, UNINITIALISED, BARRIER, SYNCWARP, MASK, SHUFFLE, BOUNDS, VARIABLE, REGISTER, ABSENT, GRID, DIVISOR = range(14)
READ, WRITE, ATOMIC = range(3)  # kinds of an access

WORD_BYTES = 15  # a bit a byte of a word
ATOMIC_BIT = 16
PC_SHIFT, THREAD_SHIFT = 8, 32
PC_MASK = (1 << 24) - 1


@inlined
def stamp(thread, pc, flags):
    """Who, where and what: the thread's number in the grid, the instruction, bytes of the word and whether atomically."""
    return (np.int64(thread) << THREAD_SHIFT) | (np.int64(pc) << PC_SHIFT) | np.int64(flags)


@inlined
def thread_of(who):
    """The thread of a stamp."""
    return np.int64(who >> THREAD_SHIFT)


@inlined
def pc_of(who):
    """The instruction of a stamp."""
    return np.int64((who >> PC_SHIFT) & PC_MASK)


@unit
def tick(tables):
    """The next time."""
    tables.findings[0, CLOCK] += 1
    return np.int64(tables.findings[0, CLOCK])


@inlined
def same_place(tables, one, other):
    """Whether two instructions are of one place in the text; without a text, one instruction."""
    if tables.code[one, LINE] == 0:
        return one == other
    same = tables.code[one, LINE] == tables.code[other, LINE] and tables.code[one, FILE] == tables.code[other, FILE]
    return same and tables.code[one, COLUMN] == tables.code[other, COLUMN]


@out_of_line
def find(tables, kind, pc, other_pc, thread, other, k, now):
    """The row of `findings` for this kind at these two instructions. A new one; the one there is, as a negative number; 0: no room."""
    found = tables.findings
    count = np.int64(found[0, COUNT])
    for number in range(1, count + 1):
        row = found[number]
        if row[KIND] == kind and row[PC] == pc and row[OTHER_PC] == other_pc and row[UOP] == k:
            row[TIMES] += 1
            return np.int64(-number)
    if count + 1 >= found.shape[0]:
        return np.int64(0)
    found[0, COUNT] = count + 1
    row = found[count + 1]
    row[KIND] = kind
    row[PC] = pc
    row[OTHER_PC] = other_pc
    row[THREAD] = thread
    row[OTHER] = other
    row[UOP] = k
    row[TIMES] = 1
    row[CYCLE] = now
    row[SPACE] = -1
    return count + 1


def new_tables(words: int, run: int, threads: int, blocks: int, rows: int, readers: bool, warps: int, lanes: int) -> dict[str, Any]:
    """Empty tables.

    words: of all memory. run: words of a run. threads, blocks: of the grid. rows: warps of a block where each has a row of its own, else
    0. readers: whether readers of a word beyond two have rows. warps: slots of all cores. lanes: of a warp.
    """
    findings = zeros((MOST_FINDINGS + 1, FINDING_COLUMNS), np.int64)
    head = findings[0]
    head[FIRST_BYTES], head[LANES_OF_OWN], head[ROWS_OF_BLOCK], head[READERS] = words, lanes * (rows > 0), max(rows, 1), readers
    in_bytes = min(words, MOST_IN_BYTES) * 4
    return {
        "shadow": zeros((words + in_bytes, SHADOW_COLUMNS), np.int64),
        "chains": zeros(words + in_bytes if readers else 1, np.int64),
        "readers": zeros((MOST_READERS + PROBES + 1 if readers else 1, READER_COLUMNS), np.int64),
        "gathered": zeros((warps * MAX_BARRIERS if rows else 1, GATHERED_COLUMNS), np.int64),
        "runs": zeros((words // run * (PARTS + 1), SHADOW_COLUMNS), np.int64),
        "seen": zeros((warps * lanes, MAX_LANES), np.int64),
        "warps": zeros((warps, WARP_COLUMNS), np.int64),
        "threads": zeros((threads, THREAD_COLUMNS), np.int64),
        "blocks": zeros((blocks * max(rows, 1), BLOCK_COLUMNS), np.int64),
        "known": zeros((blocks * rows if rows else 1, MAX_WARPS), np.int64),
        "findings": findings,
    }
