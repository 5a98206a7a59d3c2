"""Spreading: what is known of a run goes to rows of its words, and of items smaller than a word to rows of its bytes (`runs.py`)."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.bytes import first_byte, give_bytes
from warploom.checks.initialised import OWNER_SHIFT
from warploom.checks.runs import copy_part, item_of, part_of, pitch_of, runs_of, start_of
from warploom.checks.shadow import HELD, R1_TIME, RELEASED, SHADOW_COLUMNS, SHAPE, SPREAD, W_TIME
from warploom.machine.engine.unit import inlined, out_of_line, unit


@out_of_line
def spread(tables, run, shift):
    """Give each word of a run a row of its own from now on. shift: binary logarithm of its words."""
    shape = np.int64(tables.runs[run, SHAPE])
    width = np.int64(1) << shift
    for number in range(width):
        index = run * width + number
        if pitch_of(shape) == 0 or item_of(shape) >= 4:
            _copy_item(tables, tables.shadow[index], run, number * 4)
            tables.shadow[index, RELEASED] = 0
        else:
            _divide(tables, index, run, number * 4)
    tables.runs[run, SHAPE] = shape | SPREAD


@unit
def _copy_item(tables, cell, run, at):
    """What a run says of the item that has its byte `at`."""
    shape = np.int64(tables.runs[run, SHAPE])
    if pitch_of(shape) == 0:
        copy_part(cell, tables.runs[run], 0)
        return
    at -= at % item_of(shape)
    part = part_of(tables, run, at)
    if part < 0:
        copy_part(cell, tables.runs[run], 0)
    else:
        copy_part(cell, tables.runs[run + part * runs_of(tables)], (at - start_of(tables, run, part)) // pitch_of(shape))


@inlined
def _divide(tables, index, run, at):
    """A word that holds several items. Without room for rows of its bytes nothing is known of its accesses."""
    cell = tables.shadow[index]
    latest = np.int64(-1)
    owner = np.int64(0)
    accessed = False
    for byte in range(4):
        _copy_item(tables, cell, run, at + byte)  # where it stands until the next one is looked at
        accessed = accessed or cell[W_TIME] != 0 or cell[R1_TIME] != 0
        if cell[W_TIME] > latest:
            latest = np.int64(cell[W_TIME])
            owner = np.int64(cell[HELD] >> OWNER_SHIFT)
    held = owner << OWNER_SHIFT
    for byte in range(4):
        _copy_item(tables, cell, run, at + byte)
        if cell[HELD] >> OWNER_SHIFT == owner:  # what the owner before has written is not written for this one
            held |= np.int64(cell[HELD]) & (1 << byte)
    for column in range(SHADOW_COLUMNS):
        cell[column] = 0
    cell[HELD] = held
    if not accessed or not give_bytes(tables, index):
        return
    first = first_byte(tables, index)
    for byte in range(4):
        _copy_item(tables, tables.shadow[first + byte], run, at + byte)
        tables.shadow[first + byte, HELD] = 0
