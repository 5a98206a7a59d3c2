"""Sector masks: bytes for lines of a few sectors, words for lines of many; what happens to one block and mask leaves the others."""

import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.sector_masks import (
    DIRTY,
    MASKS,
    NARROW,
    PARTLY,
    THERE,
    add_sectors,
    configure,
    drop_sectors,
    mask_of,
    masks_of,
    set_mask,
    table_of,
)

BLOCKS = 16


@unit
def drive(masks, block, which, sectors, more, fewer):
    set_mask(masks[0], block, which, sectors)
    add_sectors(masks[0], block, which, more)
    drop_sectors(masks[0], block, which, fewer)
    return mask_of(masks[0], block, which)


@pytest.mark.parametrize("sectors", [1, 4, NARROW, NARROW + 1, 64])
@pytest.mark.parametrize("which", [THERE, DIRTY, PARTLY])
def test_sectors_are_set_added_and_dropped_in_one_mask_of_one_block(sectors, which):
    masks = zeros(1, masks_of(BLOCKS))
    configure(mirror(masks)[0], sectors)
    table_of(masks[0])[:] = numbers = np.arange(BLOCKS * MASKS).reshape(BLOCKS, MASKS) % 2
    last = np.uint64(1 << (sectors - 1))
    found, after = both(drive, masks, 3, which, np.uint64(0), last | np.uint64(1), np.uint64(1) & ~last)
    assert int(found) == int(last)
    numbers[3, which] = 0
    expected = numbers.astype(np.uint64)
    expected[3, which] = last
    assert np.array_equal(table_of(after[0][0]), expected)


@pytest.mark.parametrize(("sectors", "size"), [(1, 1), (NARROW, 1), (NARROW + 1, 8), (64, 8)])
def test_a_mask_takes_a_byte_where_a_line_has_few_sectors(sectors, size):
    masks = zeros(1, masks_of(BLOCKS))
    configure(mirror(masks)[0], sectors)
    assert table_of(masks[0]).dtype.itemsize == size and table_of(masks[0]).shape == (BLOCKS, MASKS)
