"""Races: two threads access a word, one of them writes, and nothing says which comes first.

The order that is missing is looked for, not a wrong value, so it does not matter in which order this machine has happened to run. Lanes
of one warp count as threads too: what keeps them apart is a syncwarp. Where only the lockstep of their warp does, that is said in other
words. Two atomics on a word are in no conflict, and neither are threads that write the same value.

A store over a value that a different thread has written since this warp read the word is a lost update: `bins[b] += 1` without an atomic.

Costs about 10 ns a lane and access, natively; of a whole warp that accesses a row of items (runs.py) about as much for each run of them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.initialised import OWNER_SHIFT, note_read
from warploom.checks.known import knows
from warploom.checks.order import in_order, synchronise
from warploom.checks.shadow import (
    ACCESS,
    ADDRESS,
    ATOMIC,
    ATOMIC_BIT,
    HELD,
    IN_STEP,
    KEY,
    LOADS,
    LOCKSTEP,
    LOST,
    NEXT,
    OTHER_ACCESS,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    RACE,
    READ,
    READ_TIME,
    READ_WHO,
    READERS,
    SPACE,
    STORES,
    W_TIME,
    W_WHO,
    WORD_BYTES,
    WRITE,
    find,
    pc_of,
    stamp,
    thread_of,
)
from warploom.checks.stamps import may_conflict, note_reader
from warploom.isa.uop import (
    COLUMN,
    FILE,
    GLOBAL_SPACE,
    IMM,
    IMMEDIATE,
    LINE,
    LOCAL_SPACE,
    SCALAR,
    SHARED_SPACE,
    SIZE,
    B,
)
from warploom.machine.engine.unit import inlined, out_of_line, unit


@inlined
def read_word(gpu, core, warp, pc, tables, k, now, time, space, index, address, thread, lane, begin, first, opened, owner):
    """One lane's load of a whole word: what nearly all accesses are, and what nearly all of them find."""
    cell = tables.shadow[index]
    flags = np.int64(WORD_BYTES)
    if cell[HELD] != (0 if space == GLOBAL_SPACE else (owner << OWNER_SHIFT) | WORD_BYTES):
        note_read(core, tables, cell, space, thread, owner, pc, k, address, flags, now)
    if space == LOCAL_SPACE:
        return
    size = np.int64(gpu.grid.block_threads)
    if may_conflict(tables, cell[W_TIME], cell[W_WHO], thread, begin, size, opened, flags, space):
        _after_write(gpu, core, warp, pc, tables, k, now, time, np.int64(READ), space, cell, address, thread, lane, opened, flags)
    lanes = np.int64(core.warps.lanes)
    note_reader(tables, cell, np.int64(index), thread, begin, first, size, lanes, opened, time, stamp(thread, pc, flags))


@unit
def access_word(gpu, core, warp, pc, tables, k, now, time, how, space, index, at, address, thread, lane, begin, first, opened, flags):
    """One lane's access to one word, of any kind. at: the row of the word, or of a byte in it."""
    size = np.int64(gpu.grid.block_threads)
    lanes = np.int64(core.warps.lanes)
    cell = tables.shadow[at]
    row = (core.number * core.warps.slots + warp) * lanes + lane
    atomic = how == ATOMIC or tables.orders[pc] & (LOADS | STORES) != 0
    if atomic:
        synchronise(tables, index, size, thread, pc, time)
        flags = flags | ATOMIC_BIT
    if may_conflict(tables, cell[W_TIME], cell[W_WHO], thread, begin, size, opened, flags, space):
        _after_write(gpu, core, warp, pc, tables, k, now, time, how, space, cell, address, thread, lane, opened, flags)
    mine = stamp(thread, pc, flags)
    if how == READ:
        note_reader(tables, cell, np.int64(at), thread, begin, first, size, lanes, opened, time, mine)
        return
    if may_conflict(tables, cell[R1_TIME], cell[R1_WHO], thread, begin, size, opened, flags, space):
        if in_order(tables, row, lanes, size, opened, thread, thread_of(cell[R1_WHO]), cell[R1_TIME]):
            cell[R1_TIME] = 0
        else:
            _report(gpu, core, pc, tables, k, now, time, how, space, address, thread, READ, cell[R1_WHO], cell[R1_TIME])
    if may_conflict(tables, cell[R2_TIME], cell[R2_WHO], thread, begin, size, opened, flags, space):
        if in_order(tables, row, lanes, size, opened, thread, thread_of(cell[R2_WHO]), cell[R2_TIME]):
            cell[R2_TIME] = 0
        else:
            _report(gpu, core, pc, tables, k, now, time, how, space, address, thread, READ, cell[R2_WHO], cell[R2_TIME])
    if tables.findings[0, READERS] != 0 and tables.chains[at] != 0:
        _against_readers(gpu, core, pc, tables, k, now, time, how, space, at, address, thread, row, begin, opened, flags)
    before = np.int64(cell[W_WHO])
    plain = before & ATOMIC_BIT == 0 and begin <= thread_of(before) < begin + size
    if atomic and cell[W_TIME] > opened and plain and not knows(tables, thread, thread_of(before), begin, cell[W_TIME]):
        return  # a plain write of this block since its barrier opened is in nobody's order yet, and no atomic may hide it
    cell[W_TIME] = time
    cell[W_WHO] = mine


@out_of_line
def _against_readers(gpu, core, pc, tables, k, now, time, how, space, at, address, thread, row, begin, opened, flags):
    """A write meets the readers of its word that have rows of their own. Those that are before it are kept no longer. row: of `seen`."""
    size = np.int64(gpu.grid.block_threads)
    lanes = np.int64(core.warps.lanes)
    place = np.int64(tables.chains[at])
    tables.chains[at] = 0
    while place != 0:
        reader = tables.readers[place]
        following = np.int64(reader[NEXT])
        who, when = np.int64(reader[READ_WHO]), np.int64(reader[READ_TIME])
        keeps = who & flags & WORD_BYTES == 0 or who & flags & ATOMIC_BIT != 0
        meets = not keeps and may_conflict(tables, when, who, thread, begin, size, opened, flags, space)
        if meets and not in_order(tables, row, lanes, size, opened, thread, thread_of(who), when):
            _report(gpu, core, pc, tables, k, now, time, how, space, address, thread, READ, who, when)
            keeps = True
        if keeps:
            reader[NEXT] = tables.chains[at]
            tables.chains[at] = place
        else:
            reader[KEY] = 0
        place = following


@unit
def _after_write(gpu, core, warp, pc, tables, k, now, time, how, space, cell, address, thread, lane, opened, flags):
    """The last write of a word is of a different thread: is it before this access?"""
    lanes = np.int64(core.warps.lanes)
    row = (core.number * core.warps.slots + warp) * lanes + lane
    if not in_order(tables, row, lanes, np.int64(gpu.grid.block_threads), opened, thread, thread_of(cell[W_WHO]), cell[W_TIME]):
        _against_writer(gpu, core, warp, pc, tables, k, now, time, how, space, cell, address, thread, lane, flags)


@out_of_line
def _against_writer(gpu, core, warp, pc, tables, k, now, time, how, space, cell, address, thread, lane, flags):
    """An access without order to the last write of its word. Of two writes of the same value nothing is said."""
    who = np.int64(cell[W_WHO])
    before = np.int64(ATOMIC if who & ATOMIC_BIT != 0 else WRITE)
    if how != WRITE:
        _report(gpu, core, pc, tables, k, now, time, how, space, address, thread, before, who, cell[W_TIME])
        return
    lanes = core.warps.lanes
    old = np.int64(0)
    if cell[W_TIME] == time:  # of the same instruction: its value is still in the other lane's register
        old = _value(core.registers[warp], tables, k, (thread_of(who) % np.int64(gpu.grid.block_threads)) % lanes)
    elif space == SHARED_SPACE:
        old = np.int64(core.shared[address >> 2])
    else:
        old = np.int64(tables.memory[address >> 2])
    new = _value(core.registers[warp], tables, k, lane)
    size = np.int64(tables.uops[k, SIZE])
    if size < 4:
        kept = (np.int64(1) << (8 * size)) - 1
        old = (old if cell[W_TIME] == time else old >> (8 * (address & 3))) & kept
        new = new & kept
    lost = _read_before(gpu, core, tables, cell, thread, pc)
    if size <= 4 and old == new and not lost:
        return
    row = _report(gpu, core, pc, tables, k, now, time, how, space, address, thread, before, who, cell[W_TIME])
    if lost and row != 0:
        tables.findings[abs(row), LOST] += 1


@inlined
def _value(registers, tables, k, lane):
    """The low word of what micro-op `k` stores in a lane."""
    code = np.int64(tables.uops[k, B])
    if code == IMMEDIATE:
        return np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF
    if code >= SCALAR:
        return np.int64(registers.scalar[code - SCALAR])
    return np.int64(registers.lane[code, lane])


@inlined
def _read_before(gpu, core, tables, cell, thread, pc):
    """Whether this warp has read the word, for this very statement, before the write that stands there now."""
    size = np.int64(gpu.grid.block_threads)
    lanes = core.warps.lanes
    found = cell[R1_TIME] != 0 and cell[R1_TIME] < cell[W_TIME] and _updates(tables, pc_of(cell[R1_WHO]), pc)
    if found and _same_warp(thread_of(cell[R1_WHO]), thread, size, lanes):
        return True
    found = cell[R2_TIME] != 0 and cell[R2_TIME] < cell[W_TIME] and _updates(tables, pc_of(cell[R2_WHO]), pc)
    return found and _same_warp(thread_of(cell[R2_WHO]), thread, size, lanes)


@inlined
def _same_warp(one, other, size, lanes):
    """Whether two threads are of one warp."""
    return one // size == other // size and one % size // lanes == other % size // lanes


@inlined
def _updates(tables, load, store):
    """Whether a load and a store are of one statement `x[i] = x[i] ...` or `x[i] += ...`, as their places in the text say."""
    line = tables.code[store, LINE]
    same = line != 0 and tables.code[load, LINE] == line and tables.code[load, FILE] == tables.code[store, FILE]
    return same and tables.code[load, COLUMN] >= tables.code[store, COLUMN]


@out_of_line
def _report(gpu, core, pc, tables, k, now, time, how, space, address, thread, before, who, when):
    """Write a conflict down. Returns what `find` does."""
    size = np.int64(gpu.grid.block_threads)
    lanes = core.warps.lanes
    other = thread_of(who)
    kind = np.int64(RACE)
    if _same_warp(other, thread, size, lanes) and when != time:
        if tables.findings[0, LOCKSTEP] != 0:
            return np.int64(0)
        kind = np.int64(IN_STEP)
    row = find(tables, kind, pc, pc_of(who), thread, other, k, now)
    if row > 0:
        found = tables.findings[row]
        found[ACCESS] = how
        found[OTHER_ACCESS] = before
        found[SPACE] = space
        found[ADDRESS] = address % np.int64(core.blocks.shared_bytes) if space == SHARED_SPACE else address
    return row
