"""Runs: a few rows of notes for as many words as a warp has lanes.

Lanes that stream through memory access items at one distance, the pitch: of an array as many bytes as an item has, of the red bytes of
pixels three, of a field of records as many as a record has. So the rows of neighbouring items say the same, but for the thread, which is
one more from item to item. An aligned run of words has up to PARTS such rows, its parts. A part holds of every item from its start on that
lies at the run's pitch, up to the next start of a part that the pitch leads to. One part is enough while all accesses are aligned; those
that begin at an odd place (`x[i + 1]`) need a part for each warp that has items in the run, records one for each field.

An access that begins or ends inside a part cuts it in two, which changes nothing of what it says. Any other access, and one that may be
in conflict, spreads the parts over the words' own rows first, of small items over rows for their bytes, and then the lanes are looked at
one by one. So a run changes what a check costs, and nothing that it finds.

The idea is that of compressed shadow memory in race detectors for CPUs: Song and Lee, "Efficient Data Race Detection for C/C++ Programs
Using Dynamic Granularity", IPDPS 2014.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.initialised import OWNER_SHIFT, note_written
from warploom.checks.shadow import (
    HELD,
    PARTS,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    READ,
    RUN_SHIFT,
    SHAPE,
    SPREAD,
    THREAD_SHIFT,
    W_TIME,
    W_WHO,
    WORD_BYTES,
    stamp,
)
from warploom.checks.stamps import loses_reader, may_conflict, note_reader
from warploom.isa.uop import GLOBAL_SPACE
from warploom.machine.engine.bits import EMPTY, ones
from warploom.machine.engine.unit import inlined, out_of_line, unit

# SHAPE of a run that has been accessed, besides SPREAD: its pitch and the bytes of an item, and how many parts it has.
PITCH_SHIFT, ITEM_SHIFT, COUNT_SHIFT = 8, 16, 24
FIELD = 255
STARTS, START_BITS = 4, 16  # of the last of a run's rows: starts in a column, in bytes of the run


@inlined
def pitch_of(shape):
    """Bytes from an item to the next thread's; 0 of a run that has not been accessed."""
    return np.int64((shape >> PITCH_SHIFT) & FIELD)


@inlined
def item_of(shape):
    """Bytes of an item."""
    return np.int64((shape >> ITEM_SHIFT) & FIELD)


@inlined
def count_of(shape):
    """Parts. Where the pitch is not the item, the first one is what no access has come to."""
    return np.int64((shape >> COUNT_SHIFT) & FIELD)


@inlined
def shape_of(pitch, size):
    """Of a run with one part."""
    return np.int64((pitch << PITCH_SHIFT) | (size << ITEM_SHIFT) | (1 << COUNT_SHIFT))


@inlined
def runs_of(tables):
    """How many runs there are: part `number` of run `run` is row `run + number * runs_of(tables)`, so that first parts lie together."""
    return np.int64(tables.runs.shape[0] // (PARTS + 1))


@inlined
def start_of(tables, run, number):
    """Where a part begins."""
    starts = tables.runs[run + PARTS * runs_of(tables), number // STARTS]
    return np.int64((starts >> (number % STARTS * START_BITS)) & ((1 << START_BITS) - 1))


@unit
def note_stretch(tables, at, pitch, size, lane, count, how, space, owner, begin, first, threads, lanes, opened, time, pc):
    """So many lanes from `lane` on load or store items of `size` bytes, the first at byte `at`, each `pitch` bytes after the one before.

    Returns the lanes that have to be looked at one by one. owner: the block + 1. begin, first: the first thread of the block, and of the
    warp. threads: of the block.
    """
    left = EMPTY
    width = np.int64(4) << tables.findings[0, RUN_SHIFT]
    while count > 0:
        run = at // width
        low = at - run * width
        fits = np.int64(count)
        if low + pitch * count > width:
            fits = min(fits, (width - low + pitch - 1) // pitch)
        if not _note_run(tables, run, low, fits, pitch, size, width, how, space, owner, begin, first, first + lane, threads, lanes,
                         opened, time, pc):  # fmt: skip
            left |= ones(fits) << np.uint64(lane)
        at += fits * pitch
        lane += fits
        count -= fits
    return left


@inlined
def _note_run(tables, run, low, count, pitch, size, width, how, space, owner, begin, first, thread, threads, lanes, opened, time, pc):
    """So many items of a run from byte `low` of it on are accessed, the first of them by `thread`. width: bytes of the run."""
    rows = tables.runs
    if rows[run, SHAPE] == 0:
        rows[run, SHAPE] = shape_of(pitch, size)
    if count == 1 and item_of(rows[run, SHAPE]) == size:  # one item lies at any pitch
        pitch = pitch_of(rows[run, SHAPE])
    high = low + count * pitch
    if rows[run, SHAPE] == shape_of(pitch, size) and pitch == size and low == 0 and high == width:
        return _note_part(tables, rows[run], how, space, owner, begin, first, thread, threads, lanes, opened, time, pc)
    return _note_parts(
        tables, run, low, high, pitch, size, width, how, space, owner, begin, first, thread, threads, lanes, opened, time, pc
    )


@unit
def _note_parts(tables, run, low, high, pitch, size, width, how, space, owner, begin, first, thread, threads, lanes, opened, time, pc):
    """Items of a run that has more parts than one, or will have. They end before byte `high`."""
    shape = np.int64(tables.runs[run, SHAPE])
    if shape & SPREAD != 0 or pitch_of(shape) != pitch or item_of(shape) != size:
        return False
    if not _cut(tables, run, low, pitch, size) or (high < width and not _cut(tables, run, high, pitch, size)):
        return False
    for number in range(0 if pitch == size else 1, count_of(tables.runs[run, SHAPE])):
        start = start_of(tables, run, number)
        if low <= start < high:
            ahead = (start - low) // pitch
            if ahead * pitch != start - low:
                continue
            row = tables.runs[run + number * runs_of(tables)]
            if not _note_part(tables, row, how, space, owner, begin, first, thread + ahead, threads, lanes, opened, time, pc):
                return False
    return True


@inlined
def _note_part(tables, row, how, space, owner, begin, first, thread, size, lanes, opened, time, pc):
    """The items of a part are accessed, the first of them by `thread`. size: threads of the block."""
    flags = np.int64(WORD_BYTES)
    if may_conflict(tables, row[W_TIME], row[W_WHO], thread, begin, size, opened, flags, space):
        return False
    if how == READ:
        if row[HELD] != (0 if space == GLOBAL_SPACE else (owner << OWNER_SHIFT) | WORD_BYTES):
            return False
        if loses_reader(tables, row, thread, begin, first, size, lanes, opened):
            return False
        note_reader(tables, row, np.int64(0), thread, begin, first, size, lanes, opened, time, stamp(thread, pc, flags))
        return True
    if may_conflict(tables, row[R1_TIME], row[R1_WHO], thread, begin, size, opened, flags, space):
        return False
    if may_conflict(tables, row[R2_TIME], row[R2_WHO], thread, begin, size, opened, flags, space):
        return False
    note_written(row, space, owner, flags)
    row[W_TIME] = time
    row[W_WHO] = stamp(thread, pc, flags)
    return True


@unit
def part_of(tables, run, at):
    """The part that an item at byte `at` of a run is in; -1 for none."""
    shape = np.int64(tables.runs[run, SHAPE])
    pitch = pitch_of(shape)
    found = np.int64(-1)
    nearest = np.int64(-1)
    for number in range(0 if pitch == item_of(shape) else 1, count_of(shape)):
        start = start_of(tables, run, number)
        if nearest < start <= at and (at - start) % pitch == 0:
            found = np.int64(number)
            nearest = start
    return found


@inlined
def _cut(tables, run, at, pitch, size):
    """Let a part begin at byte `at` of a run. False when there is no room for one more part."""
    part = part_of(tables, run, at)
    if part < 0:  # of an item that no access has come to yet, at this pitch
        if not _add(tables, run, 0, at % pitch, 0):
            return False
        part = count_of(tables.runs[run, SHAPE]) - 1
    start = start_of(tables, run, part)
    return start == at or _add(tables, run, part, at, (at - start) // pitch)


@out_of_line
def _add(tables, run, part, at, ahead):
    """One more part, from byte `at` on, that says what `part` does, of threads that are so many more. False when there is no room."""
    number = count_of(tables.runs[run, SHAPE])
    if number == PARTS:
        return False
    count = runs_of(tables)
    copy_part(tables.runs[run + number * count], tables.runs[run + part * count], ahead)
    tables.runs[run + PARTS * count, number // STARTS] |= np.int64(at) << (number % STARTS * START_BITS)
    tables.runs[run, SHAPE] += 1 << COUNT_SHIFT
    return True


@inlined
def copy_part(row, other, ahead):
    """What another row says, of threads that are so many more."""
    more = np.int64(ahead) << THREAD_SHIFT
    row[W_TIME] = other[W_TIME]
    row[W_WHO] = other[W_WHO] + more
    row[R1_TIME] = other[R1_TIME]
    row[R1_WHO] = other[R1_WHO] + more
    row[R2_TIME] = other[R2_TIME]
    row[R2_WHO] = other[R2_WHO] + more
    row[HELD] = other[HELD]
