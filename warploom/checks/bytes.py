"""Bytes: rows of their own for the four bytes of a word that is accessed in smaller items.

The row of a word has room for one writer and two readers. In an array of items of 8 or 16 bits up to four threads rightly write one
word, and the last one would take the place of the others, so that a race on an earlier item was missed. From the first access to a smaller
item on, what is known of the word stands in four rows, a byte each; the word's own row says where, as a negative time of its last write.
What is initialised, and what atomics tell, stays in the word's row.

There is room for `MOST_IN_BYTES` words; those after them are judged by their own row alone, which may miss a race and invents none.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import (
    FIRST_BYTES,
    IN_BYTES,
    KEY,
    NEXT,
    R1_TIME,
    R1_WHO,
    R2_TIME,
    R2_WHO,
    READ_TIME,
    READ_WHO,
    READERS,
    W_TIME,
    W_WHO,
    WORD_BYTES,
)
from warploom.checks.stamps import keep_reader
from warploom.machine.engine.unit import inlined, out_of_line, unit


@inlined
def has_bytes(tables, index, size):
    """Whether the bytes of a word have rows of their own, which they get now when the item is smaller than a word."""
    if tables.shadow[index, W_TIME] < 0:
        return True
    return size < 4 and give_bytes(tables, index)


@inlined
def first_byte(tables, index):
    """The row of the first byte of a word, whose bytes have rows."""
    return np.int64(-1 - tables.shadow[index, W_TIME])


@out_of_line
def give_bytes(tables, index):
    """Move what is known of a word to rows of its bytes. False where there is no room."""
    first = np.int64(tables.findings[0, FIRST_BYTES] + 4 * tables.findings[0, IN_BYTES])
    if first + 4 > tables.shadow.shape[0]:
        return False
    tables.findings[0, IN_BYTES] += 1
    cell = tables.shadow[index]
    for byte in range(4):
        row = tables.shadow[first + byte]
        _move(row, cell, W_TIME, W_WHO, byte)
        _move(row, cell, R1_TIME, R1_WHO, byte)
        _move(row, cell, R2_TIME, R2_WHO, byte)
    if tables.findings[0, READERS] != 0:
        _move_readers(tables, index, first)
    cell[W_TIME] = -1 - first
    cell[R1_TIME] = 0
    cell[R2_TIME] = 0
    return True


@unit
def _move_readers(tables, index, first):
    """The same of the word's further readers."""
    place = np.int64(tables.chains[index])
    tables.chains[index] = 0
    while place != 0:
        row = tables.readers[place]
        row[KEY] = 0
        following, when, who = np.int64(row[NEXT]), np.int64(row[READ_TIME]), np.int64(row[READ_WHO])
        for byte in range(4):
            if (who >> byte) & 1 != 0:
                keep_reader(tables, first + byte, when, who | WORD_BYTES)
        place = following


@inlined
def _move(row, cell, time, who, byte):
    """One access of the word, where it was to this byte: all of the row's it is then."""
    if (cell[who] >> byte) & 1 != 0:
        row[time] = cell[time]
        row[who] = cell[who] | WORD_BYTES
