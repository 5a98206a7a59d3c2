"""Stores of single bytes in a cache that keeps them, against sets of bytes: which are there of a line, and which sectors are whole."""

import random

import numpy as np
import pytest

from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.cache import DIRTY, PARTLY, THERE, Cache, configure, keep_store
from warploom.machine.memory.partial_stores import PartialStores, mark_bytes

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # products of masks wrap
LINE, ENTRY = 9, 3


def bits(numbers):
    return sum(1 << number for number in numbers)


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("sector_shift, sectors", [(2, 8), (4, 16), (5, 4), (5, 8), (6, 4), (7, 2)])
def test_bytes_of_stores_add_up_to_sectors(sector_shift, sectors, ratio):
    """ratio: lines of the level before in a line of this one; stores are in bytes of those."""
    chosen, size = random.Random(sectors), 1 << sector_shift
    for _ in range(6):
        (cache,), (partial,) = mirror(zeros(1, Cache)), mirror(zeros(1, PartialStores))
        configure(cache, 1, 1, "lru", 1, sector_shift=sector_shift)
        cache.written[0] = 0xDEAD  # of an earlier line
        there, stored, dirty = set(), set(), set()
        for _ in range(8):
            offset = chosen.randrange(ratio) * (sectors // ratio)
            first = chosen.randrange(sectors // ratio * size)
            last = min(first + chosen.choice([0, 3, size - 1, 2 * size]), sectors // ratio * size - 1)
            partial.written[ENTRY] = 0
            mark_bytes(partial.written[ENTRY], first, last)
            before = first, last
            first, last = first + offset * size, last + offset * size
            touched = set(range(first // size, last // size + 1))
            entry = -1 if before[0] % size == 0 and (last + 1) % size == 0 else ENTRY
            keeps = chosen.randrange(2)
            keep_store(cache, LINE, np.uint64(bits(touched)), partial, entry, offset, keeps, 1)
            stored |= set(range(first, last + 1))
            dirty |= touched if keeps else set()
            there = {sector for sector in range(sectors) if all(byte in stored for byte in range(sector * size, (sector + 1) * size))}
            partly = {byte // size for byte in stored} - there
            assert (cache.masks[0, THERE], cache.masks[0, PARTLY], cache.masks[0, DIRTY]) == (bits(there), bits(partly), bits(dirty))
            for sector in partly:
                here = [bool(int(cache.written[0, byte >> 6]) >> (byte & 63) & 1) for byte in range(sector * size, (sector + 1) * size)]
                assert here == [byte in stored for byte in range(sector * size, (sector + 1) * size)]
