"""Sector masks: for each line in a cache, which of its sectors are there, which are dirty, and which are there in part.

In hardware: a few bits beside each tag. Here each mask is a byte if lines have up to eight sectors, as those of GPUs do, and a word of
64 bits if they have more: the masks of a large cache are read at random, so the fewer bytes they take, the more of them lie in the
cache of the machine that simulates.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.unit import inlined, record

# THERE: can be read. DIRTY: the next level does not have what was stored. PARTLY: some bytes are there, those of the cache's `written`.
THERE, DIRTY, PARTLY = range(3)
MASKS = 4  # a power of two, so that no block lies across two lines of the cache of the machine that simulates
NARROW = 8  # sectors that a byte has bits for


def masks_of(lines: int) -> np.dtype:
    """The record of a cache that has room for so many lines."""
    return record(
        rooms={"narrow": lines, "wide": lines},
        settings=dict(
            in_words="i8",                   # 1: a line has more than NARROW sectors
        ),
        state=dict(
            bytes=("u1", ("narrow", MASKS)),  # by block: its sectors that are THERE, DIRTY and PARTLY there: bit s = sector s
            words=("u8", ("wide", MASKS)),  # ... if a line has more than NARROW
        ),
    )  # fmt: skip


def configure(masks: Any, sectors: int) -> None:
    """Set up the mirror of all-zero masks for lines of so many sectors, up to 64."""
    masks.in_words = int(sectors > NARROW)


def table_of(masks: Any) -> np.ndarray:
    """(blocks, MASKS): the masks of all blocks, of the record."""
    return masks["words" if masks["in_words"] else "bytes"]


@inlined
def mask_of(masks, block, which):
    """The sectors of a block that are THERE, DIRTY or PARTLY there."""
    return np.uint64(masks.bytes[block, which]) if masks.in_words == 0 else np.uint64(masks.words[block, which])


@inlined
def set_mask(masks, block, which, sectors):
    """These, and no other, sectors of a block are THERE, DIRTY or PARTLY there."""
    if masks.in_words == 0:
        masks.bytes[block, which] = np.uint8(sectors)
    else:
        masks.words[block, which] = sectors


@inlined
def add_sectors(masks, block, which, sectors):
    """Some more sectors of a block are THERE, DIRTY or PARTLY there."""
    set_mask(masks, block, which, mask_of(masks, block, which) | sectors)


@inlined
def drop_sectors(masks, block, which, sectors):
    """Some sectors of a block no longer are DIRTY, or PARTLY there."""
    set_mask(masks, block, which, mask_of(masks, block, which) & ~sectors)
