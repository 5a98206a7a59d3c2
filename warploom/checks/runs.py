# mypy: disable-error-code="no-untyped-def"
"""Runs: one row of notes for as many words as a warp has lanes.

A kernel that streams through memory lets lane i access word i of an aligned run of words, so the rows of these words say the same, but
for the thread: that of word i is i more. As long as a run is only accessed in this way it has one row, of the columns of a word's, which
stands for all: thread numbers are those of its first word. Any other access, and one that may be in conflict, spreads the row over the
words first, and then the words are looked at one by one. So a run changes what a check costs, and nothing that it finds.

The idea is that of compressed shadow memory in race detectors for CPUs: Song and Lee, "Efficient Data Race Detection for C/C++ Programs
Using Dynamic Granularity", IPDPS 2014.
"""

from __future__ import annotations

import numpy as np

from warploom.checks.initialised import OWNER_SHIFT, note_written
from warploom.checks.shadow import (
    HELD,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    READ,
    RELEASED,
    SPREAD,
    THREAD_SHIFT,
    W_TIME,
    W_WHO,
    WORD_BYTES,
    stamp,
)
from warploom.checks.stamps import may_conflict, note_reader
from warploom.isa.uop import GLOBAL_SPACE
from warploom.machine.engine.unit import inlined, out_of_line, unit


@inlined
def is_whole(active, addresses, lanes, base, shift):
    """Whether all lanes are active and access the words of one run in their order. base: the row of the word at address 0."""
    start = np.int64(addresses[0])
    if np.int64(addresses[lanes - 1]) - start != 4 * (lanes - 1):
        return False
    if lanes != np.int64(1) << shift or (base + (start >> 2)) & (lanes - 1) != 0:
        return False
    wrong = np.int64(0)
    for lane in range(lanes):
        wrong |= (np.int64(addresses[lane]) - start - 4 * lane) | (np.int64(active[lane]) ^ 0xFFFFFFFF)
    return wrong == 0


@unit
def note_run(row, how, space, owner, begin, first, size, lanes, opened, time, pc):
    """A whole warp loads or stores a run. False, and nothing is noted, when the words have to be looked at one by one.

    owner: the block + 1. begin, first: the first thread of the block, and of the warp. size: threads of the block.
    """
    flags = np.int64(WORD_BYTES)
    if row[SPREAD] != 0 or may_conflict(row[W_TIME], row[W_WHO], first, begin, size, opened, flags, space):
        return False
    if how == READ:
        if row[HELD] != (0 if space == GLOBAL_SPACE else (owner << OWNER_SHIFT) | WORD_BYTES):
            return False
        note_reader(row, first, begin, first, size, lanes, opened, time, stamp(first, pc, flags))
        return True
    if may_conflict(row[R1_TIME], row[R1_WHO], first, begin, size, opened, flags, space):
        return False
    if may_conflict(row[R2_TIME], row[R2_WHO], first, begin, size, opened, flags, space):
        return False
    note_written(row, space, owner, flags)
    row[W_TIME] = time
    row[W_WHO] = stamp(first, pc, flags)
    return True


@out_of_line
def spread(tables, run, shift):
    """Give each word of a run a row of its own from now on."""
    row = tables.runs[run]
    width = np.int64(1) << shift
    for number in range(width):
        cell = tables.shadow[run * width + number]
        more = np.int64(number) << THREAD_SHIFT
        cell[W_TIME] = row[W_TIME]
        cell[W_WHO] = row[W_WHO] + more
        cell[R1_TIME] = row[R1_TIME]
        cell[R1_WHO] = row[R1_WHO] + more
        cell[R2_TIME] = row[R2_TIME]
        cell[R2_WHO] = row[R2_WHO] + more
        cell[RELEASED] = 0
        cell[HELD] = row[HELD]
    row[SPREAD] = 1
