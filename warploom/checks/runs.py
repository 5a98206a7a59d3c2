# mypy: disable-error-code="no-untyped-def"
"""Runs: a few rows of notes for as many words as a warp has lanes.

A kernel that streams through memory lets lane i access word i of its warp's stretch, words 2i and 2i + 1 where items have 64 bits, or half
or a quarter of one. So the rows of neighbouring words say the same, but for the thread, which is one more from item to item. An aligned
run of words has up to four rows, its parts, each for a stretch of it: one part while all accesses are aligned, two where they begin at
an odd place (`x[i + 1]`), three for both neighbours; two or four where a warp's items fill a half or a quarter of it. An access that begins
or ends inside a part cuts it in two, which changes nothing of what it says. Any other access, and one that may be in conflict, spreads the
parts over the words' own rows first, of small items over rows for their bytes, and then the words are looked at one by one. So a run
changes what a check costs, and nothing that it finds.

The idea is that of compressed shadow memory in race detectors for CPUs: Song and Lee, "Efficient Data Race Detection for C/C++ Programs
Using Dynamic Granularity", IPDPS 2014.
"""

from __future__ import annotations

import numpy as np

from warploom.checks.bytes import first_byte, give_bytes
from warploom.checks.initialised import OWNER_SHIFT, note_written
from warploom.checks.shadow import (
    HALVES,
    HELD,
    PARTS,
    PARTS_SHIFT,
    QUARTERS,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    READ,
    RELEASED,
    SHADOW_COLUMNS,
    SHAPE,
    SPREAD,
    START,
    THREAD_SHIFT,
    W_TIME,
    W_WHO,
    WIDE,
    WORD_BYTES,
    stamp,
)
from warploom.checks.stamps import may_conflict, note_reader
from warploom.isa.uop import GLOBAL_SPACE
from warploom.machine.engine.unit import inlined, out_of_line, unit


@inlined
def is_row(active, addresses, lanes, size, shift):
    """Whether all lanes are active and their items follow one another, and begin and end with a word."""
    start = np.int64(addresses[0])
    if np.int64(addresses[lanes - 1]) - start != size * (lanes - 1) or lanes != np.int64(1) << shift:
        return False
    if start & ((size - 1) | 3) != 0 or (size * lanes) & 3 != 0:
        return False
    wrong = np.int64(0)
    for lane in range(lanes):
        wrong |= (np.int64(addresses[lane]) - start - size * lane) | (np.int64(active[lane]) ^ 0xFFFFFFFF)
    return wrong == 0


@inlined
def _wide(shape):
    """The binary logarithm of the words that a thread has in a run."""
    return np.int64(1 if shape & WIDE != 0 else -1 if shape & HALVES != 0 else -2 if shape & QUARTERS != 0 else 0)


@inlined
def _words_of(threads, wide):
    """How many words so many threads have."""
    return np.int64(threads << wide if wide >= 0 else threads >> -wide)


@inlined
def _threads_of(words, wide):
    """How many threads have so many words."""
    return np.int64(words >> wide if wide >= 0 else words << -wide)


@unit
def note_row(tables, word, how, space, owner, begin, first, size, lanes, wide, opened, time, pc):
    """A whole warp loads or stores the words from `word` on. wide: binary logarithm of a thread's words: 1, 0, -1 or -2.

    Returns a bit for each run that they are in, 1 where the words have to be looked at one by one. owner: the block + 1. begin, first: the
    first thread of the block, and of the warp. size: threads of the block.
    """
    end = word + _words_of(lanes, wide)
    at = np.int64(word)
    left = np.int64(0)
    bit = np.int64(1)
    while at < end:
        place = at & (lanes - 1)
        after = min(end, at - place + lanes)
        thread = first + _threads_of(at - word, wide)
        rows = tables.runs
        top = at // lanes * PARTS
        high = place + after - at
        if not _note_run(rows, top, place, high, how, space, owner, begin, first, thread, size, lanes, wide, opened, time, pc):
            left |= bit
        at = after
        bit <<= 1
    return left


@unit
def _note_run(rows, top, low, high, how, space, owner, begin, first, thread, size, lanes, wide, opened, time, pc):
    """The words from `low` to before `high` of a run are accessed, the first of them by `thread`. top: the run's first row."""
    shape = np.int64(rows[top, SHAPE])
    if shape & SPREAD != 0:
        return False
    if _wide(shape) != wide:
        if shape >> PARTS_SHIFT != 0 or rows[top, W_TIME] != 0 or rows[top, R1_TIME] != 0:
            return False
        rows[top, SHAPE] = WIDE if wide == 1 else HALVES if wide == -1 else QUARTERS if wide == -2 else 0
    if (low != 0 and not _cut(rows, top, low, wide)) or (high != lanes and not _cut(rows, top, high, wide)):
        return False
    count = (np.int64(rows[top, SHAPE]) >> PARTS_SHIFT) + 1
    for number in range(count):
        start = np.int64(0 if number == 0 else rows[top + number, START])
        if start < low:
            continue
        if start >= high:
            break
        mine = thread + _threads_of(start - low, wide)
        if not _note_part(rows[top + number], how, space, owner, begin, first, mine, size, lanes, opened, time, pc):
            return False
    return True


@inlined
def _note_part(row, how, space, owner, begin, first, thread, size, lanes, opened, time, pc):
    """The words of a part are accessed, the first of them by `thread`."""
    flags = np.int64(WORD_BYTES)
    if may_conflict(row[W_TIME], row[W_WHO], thread, begin, size, opened, flags, space):
        return False
    if how == READ:
        if row[HELD] != (0 if space == GLOBAL_SPACE else (owner << OWNER_SHIFT) | WORD_BYTES):
            return False
        note_reader(row, thread, begin, first, size, lanes, opened, time, stamp(thread, pc, flags))
        return True
    if may_conflict(row[R1_TIME], row[R1_WHO], thread, begin, size, opened, flags, space):
        return False
    if may_conflict(row[R2_TIME], row[R2_WHO], thread, begin, size, opened, flags, space):
        return False
    note_written(row, space, owner, flags)
    row[W_TIME] = time
    row[W_WHO] = stamp(thread, pc, flags)
    return True


@out_of_line
def _cut(rows, top, at, wide):
    """Let a part begin at word `at`. False when there is no room for one more part."""
    count = (np.int64(rows[top, SHAPE]) >> PARTS_SHIFT) + 1
    place = np.int64(1)
    while place < count and rows[top + place, START] < at:
        place += 1
    if place < count and rows[top + place, START] == at:
        return True
    if count == PARTS:
        return False
    for number in range(count, place, -1):
        for column in range(SHADOW_COLUMNS):
            rows[top + number, column] = rows[top + number - 1, column]
    before = np.int64(0 if place == 1 else rows[top + place - 1, START])
    row = rows[top + place]
    _copy(row, rows[top + place - 1], _threads_of(at - before, wide))
    row[START] = at
    rows[top, SHAPE] += 1 << PARTS_SHIFT
    return True


@inlined
def _copy(row, other, more):
    """What another row says, of threads that are so many more."""
    ahead = np.int64(more) << THREAD_SHIFT
    row[W_TIME] = other[W_TIME]
    row[W_WHO] = other[W_WHO] + ahead
    row[R1_TIME] = other[R1_TIME]
    row[R1_WHO] = other[R1_WHO] + ahead
    row[R2_TIME] = other[R2_TIME]
    row[R2_WHO] = other[R2_WHO] + ahead
    row[HELD] = other[HELD]


@out_of_line
def spread(tables, run, shift):
    """Give each word of a run a row of its own from now on."""
    rows = tables.runs
    top = run * PARTS
    shape = np.int64(rows[top, SHAPE])
    wide = _wide(shape)
    count = (shape >> PARTS_SHIFT) + 1
    width = np.int64(1) << shift
    place = np.int64(0)
    start = np.int64(0)
    for number in range(width):
        if place + 1 < count and rows[top + place + 1, START] == number:
            place += 1
            start = np.int64(number)
        cell = tables.shadow[run * width + number]
        _copy(cell, rows[top + place], _threads_of(number - start, wide))
        cell[RELEASED] = 0
        if wide < 0 and (cell[W_TIME] != 0 or cell[R1_TIME] != 0):
            _divide(tables, run * width + number, wide)
    rows[top, SHAPE] = shape | SPREAD


@inlined
def _divide(tables, index, wide):
    """Give the bytes of a word rows of their own: its threads have two bytes each, or one. Without room for them nothing is known of it."""
    if not give_bytes(tables, index):
        cell = tables.shadow[index]
        cell[W_TIME] = 0
        cell[R1_TIME] = 0
        cell[R2_TIME] = 0
        return
    first = first_byte(tables, index)
    for byte in range(1, 4):
        row = tables.shadow[first + byte]
        ahead = np.int64(byte >> 1 if wide == -1 else byte) << THREAD_SHIFT
        row[W_WHO] += ahead
        row[R1_WHO] += ahead
        row[R2_WHO] += ahead
