"""Accesses: what a warp's lanes do to memory goes to the notes, neighbouring lanes together where their items follow one another."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.bounds import lanes_outside
from warploom.checks.bytes import first_byte, has_bytes
from warploom.checks.initialised import note_read, note_written
from warploom.checks.known import row_of
from warploom.checks.races import access_word, read_word
from warploom.checks.runs import note_stretch
from warploom.checks.shadow import (
    ATOMIC,
    LOADS,
    OPENED,
    OPENED_SHARED,
    OUTSIDE,
    READ,
    RESERVES,
    RUN_SHIFT,
    SHAPE,
    SHARED_ROWS,
    SHARED_WORDS,
    SPREAD,
    STORES,
    W_TIME,
    WORD_BYTES,
    WRITE,
)
from warploom.checks.spreading import spread
from warploom.checks.stretches import MOST_STRETCHES, pitch_of_lanes, starts_of_stretches
from warploom.isa.uop import CONSTANT_SPACE, GLOBAL_SPACE, LOCAL_SPACE, NUMBER, OP, SHARED_SPACE, SIZE
from warploom.isa.uop import SPACE as OF_SPACE
from warploom.machine.engine.bits import EMPTY, has, lowest, ones, popcount, rest
from warploom.machine.engine.unit import out_of_line, unit

LOAD, STORE, STORE_IMAGE = NUMBER["load"], NUMBER["store"], NUMBER["store_image"]
LOAD_SCALAR, STORE_SCALAR = NUMBER["load_scalar"], NUMBER["store_scalar"]  # once for the warp, at the address of lane 0
FIRST_LANE = np.uint64(1)


@out_of_line
def check_access(gpu, core, warp, pc, part, tables, k, now, time):
    """Look at the items of lanes `part` of micro-op `k`, whose addresses are in `core.access`, before the values move."""
    op = tables.uops[k, OP]
    space = tables.uops[k, OF_SPACE]
    if op == STORE_IMAGE or space == CONSTANT_SPACE:
        return
    how = np.int64(READ if op == LOAD or op == LOAD_SCALAR else WRITE if op == STORE or op == STORE_SCALAR else ATOMIC)
    if op == LOAD_SCALAR or op == STORE_SCALAR:
        part = FIRST_LANE
    orders = np.int64(tables.orders[pc])
    if how == READ and orders & RESERVES != 0:
        how = np.int64(ATOMIC)
    lanes = np.int64(core.warps.lanes)
    size = np.int64(tables.uops[k, SIZE])
    block = np.int64(core.blocks.number[core.warps.block[warp]])
    threads = np.int64(gpu.grid.block_threads)
    begin = block * threads
    first = begin + core.warps.rank[warp] * lanes
    opened = np.int64(tables.blocks[row_of(tables, first, block), OPENED_SHARED if space == SHARED_SPACE else OPENED])
    base = np.int64(0)
    if space == SHARED_SPACE:
        base = np.int64(tables.findings[0, SHARED_ROWS] + core.number * tables.findings[0, SHARED_WORDS])
    row = core.access.place if space != SHARED_SPACE and core.spaces.used != 0 else core.access.address
    asked = tables.warps[core.number * core.warps.slots + warp]
    if asked[OUTSIDE] != 0:
        outside = lanes_outside(asked, pc, part, tables)
        if how != READ and outside != EMPTY:
            _note_outside(core, outside, tables, space, size, base, row, first, block)
        part = part & ~outside
    pitch = np.int64(0)
    starts = part
    if how != ATOMIC and orders & (LOADS | STORES) == 0 and space != LOCAL_SPACE and lanes == np.int64(1) << tables.findings[0, RUN_SHIFT]:
        pitch = pitch_of_lanes(part, row, size)
        if pitch != 0:
            starts = starts_of_stretches(part, row, lanes, pitch)
    if pitch == 0 or popcount(starts) > MOST_STRETCHES:
        _lane_by_lane(gpu, core, warp, pc, part, tables, k, now, time, how, space, size, base, row, begin, first, opened)
        return
    while starts != EMPTY:  # a stretch after the other, so that what happens is in the order of lanes
        lane = lowest(starts)
        starts = rest(starts)
        count = min(lowest((starts | ~part) & ~ones(lane + 1)), lanes) - lane
        at = base * 4 + np.int64(row[lane])
        distance = pitch if count > 1 else size
        left = note_stretch(
            tables, at, distance, size, lane, count, how, space, block + 1, begin, first, threads, lanes, opened, time, pc
        )  # fmt: skip
        if left != EMPTY:
            _lane_by_lane(gpu, core, warp, pc, left, tables, k, now, time, how, space, size, base, row, begin, first, opened)


@out_of_line
def _note_outside(core, outside, tables, space, size, base, row, first, block):
    """What lanes `outside` have written by mistake has been written; nothing else is said of it. The rest as of `_lane_by_lane`."""
    shift = np.int64(tables.findings[0, RUN_SHIFT])
    step = np.int64(core.warps.lanes) if space == LOCAL_SPACE else np.int64(1)
    for lane in range(core.warps.lanes):
        if not has(outside, lane):
            continue
        address = np.int64(row[lane])
        owner = (first + lane if space == LOCAL_SPACE else block) + 1
        flags = np.int64(WORD_BYTES) if size >= 4 else ((np.int64(1) << size) - 1) << (address & 3)
        for word in range(2 if size == 8 else 1):
            index = base + (address >> 2) + word * step
            if tables.runs[index >> shift, SHAPE] & SPREAD == 0:
                spread(tables, index >> shift, shift)
            note_written(tables.shadow[index], space, owner, flags)


@out_of_line
def check_atomics(gpu, core, warp, pc, part, tables, k, now, time, size):
    """Look at items of `size` bytes of global memory that lanes `part` change atomically, whose addresses are in `core.access`."""
    block = np.int64(core.blocks.number[core.warps.block[warp]])
    begin = block * np.int64(gpu.grid.block_threads)
    first = begin + core.warps.rank[warp] * np.int64(core.warps.lanes)
    opened = np.int64(tables.blocks[row_of(tables, first, block), OPENED])
    row = core.access.place if core.spaces.used != 0 else core.access.address
    _lane_by_lane(
        gpu, core, warp, pc, part, tables, k, now, time, np.int64(ATOMIC), GLOBAL_SPACE, size, np.int64(0), row, begin, first, opened
    )  # fmt: skip


@unit
def _lane_by_lane(gpu, core, warp, pc, part, tables, k, now, time, how, space, size, base, row, begin, first, opened):
    """Look at the items of lanes `part` in rows of their words. base: the first of the space. row: the lanes' addresses in it."""
    block = np.int64(core.blocks.number[core.warps.block[warp]])
    shift = np.int64(tables.findings[0, RUN_SHIFT])
    step = np.int64(core.warps.lanes) if space == LOCAL_SPACE else np.int64(1)
    whole = np.int64(WORD_BYTES)
    last = np.int64(-1)
    for lane in range(core.warps.lanes):
        if not has(part, lane):
            continue
        address = np.int64(row[lane])
        index = base + (address >> 2)
        thread = first + lane
        owner = (thread if space == LOCAL_SPACE else block) + 1
        for _ in range(2 if size == 8 else 1):
            if index >> shift != last:
                last = index >> shift
                if tables.runs[last, SHAPE] & SPREAD == 0:
                    spread(tables, last, shift)
            if how == READ and size >= 4 and tables.shadow[index, W_TIME] >= 0 and tables.orders[pc] & LOADS == 0:
                read_word(gpu, core, warp, pc, tables, k, now, time, space, index, address, thread, lane, begin, first, opened, owner)
            else:
                flags = whole if size >= 4 else ((np.int64(1) << size) - 1) << (address & 3)
                if how != WRITE:
                    note_read(core, tables, tables.shadow[index], space, thread, owner, pc, k, address, flags, now)
                if how != READ:
                    note_written(tables.shadow[index], space, owner, flags)
                if space != LOCAL_SPACE:
                    bytes_from = first_byte(tables, index) if has_bytes(tables, index, size) else np.int64(-1)
                    for byte in range(4 if bytes_from >= 0 else 1):
                        if bytes_from >= 0 and (flags >> byte) & 1 == 0:
                            continue
                        access_word(
                            gpu, core, warp, pc, tables, k, now, time, how, space, index,
                            index if bytes_from < 0 else bytes_from + byte, address, thread, lane, begin, first, opened,
                            flags if bytes_from < 0 else whole,
                        )  # fmt: skip
            index += step
            address += 4
