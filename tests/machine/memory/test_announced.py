"""What a cache is told ahead: the host may fetch for it, and nothing happens in the cache. Which blocks are dirty is kept apart too."""

import random

import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit
from warploom.machine.memory.announced import announce, announce_arrival, announce_fill
from warploom.machine.memory.cache import DIRTY, Cache, configure, fill, keep_store, mark_dirty
from warploom.machine.memory.partial_stores import PartialStores


@unit
def announced(tables, lines):
    for k in range(lines.shape[0]):
        announce(tables[0], lines[k])
        announce_fill(tables[0], lines[k])
        announce_arrival(tables[0], lines[k])


@pytest.mark.parametrize(("sets", "ways", "slices"), [(4, 2, 1), (1, 256, 1), (8, 24, 4), (1, 1, 1)])
@pytest.mark.parametrize("policy", ["lru", "fifo", "random"])
def test_announcing_a_line_changes_nothing(sets, ways, slices, policy):
    tables = np.zeros(1, Cache)
    cache = mirror(tables)[0]
    configure(cache, sets, ways, policy, 1, slices=slices, slice_hash="ipoly")
    for line in range(2 * sets * ways * slices):
        fill(cache, np.int64(line), np.uint64(1), np.int64(line))
    before = tables.tobytes()
    lines = np.array([0, 1, 5, 1 << 20, (1 << 25) - 1], np.int64)
    both(announced, tables, lines)
    announced(mirror(tables), lines)
    assert tables.tobytes() == before


def test_the_blocks_that_are_noted_as_dirty_are_those_with_dirty_sectors():
    tables = np.zeros(1, Cache)
    cache, partial = mirror(tables)[0], mirror(np.zeros(1, PartialStores))[0]
    configure(cache, 4, 40, "lru", 1)
    chosen = random.Random(3)
    evicted = 0
    for now in range(2000):
        line, sectors = np.int64(chosen.randrange(400)), np.uint64(chosen.randrange(1, 16))
        kind = chosen.randrange(3)
        lost = {block: int(cache.masks[block, DIRTY]) for block in range(160)}
        held = {block: int(cache.tag[block]) - 1 for block in range(160)}
        if kind == 2:
            mark_dirty(cache, line, sectors)
        else:
            gone = (
                fill(cache, line, sectors, now) if kind == 0 else keep_store(cache, line, sectors, partial, -1, 0, chosen.randrange(2), now)
            )
            expected = next((lost[block] for block in held if held[block] == gone), 0) if gone >= 0 else 0
            assert int(cache.evicted_dirty) == expected
            evicted += expected != 0
        noted = [block for block in range(160) if int(cache.dirty[block >> 6]) >> (block & 63) & 1]
        assert noted == [block for block in range(160) if cache.masks[block, DIRTY] != 0]
    assert evicted > 50
