"""What a device keeps: copies are apart, ages go on, and room beside memory keeps memory."""

import numpy as np
import pytest

from warploom.machine.device.held import Held
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.cache import L2Cache, configure
from warploom.machine.memory.replacement import GROUP


def of_four_lines():
    cache = zeros((), L2Cache)
    configure(mirror(cache), 2, 2, "lru", 1)
    return cache


def test_a_cache_comes_back_as_it_was_with_its_ages():
    held, cache = Held(4096), of_four_lines()
    cache["tag"][:3], cache["replacement"]["stamp"][:3] = (7, 8, 9), (10, 30, 20)
    cache["hits"] = 5
    held.take_from(cache, 30)
    later = of_four_lines()
    held.put_into(later)
    assert later["tag"][:4].tolist() == [7, 8, 9, 0] and later["hits"] == 0
    assert later["replacement"]["stamp"][:3].tolist() == [-20, 0, -10]
    held.drop_caches()
    empty = of_four_lines()
    held.put_into(empty)
    assert not empty["tag"].any()


def test_room_beside_memory_leaves_memory_as_it_is():
    held = Held(64)
    held.used = 64
    held.bytes[:] = np.arange(64)
    copy = held.copy()
    assert len(held.room(1000)) >= 1000 and held.bytes.tolist() == list(range(64))
    held.bytes[0] = 99
    assert copy.bytes[0] == 0 and copy.used == 64


@pytest.mark.parametrize("ways", [2 * GROUP, 3 * GROUP])
def test_the_bounds_of_groups_of_ways_age_as_the_ways_do(ways):
    """Of up to two groups nobody looks at them."""
    cache, later = zeros((), L2Cache), zeros((), L2Cache)
    for made in (cache, later):
        configure(mirror(made), 1, ways, "lru", 1)
    cache["replacement"]["bound"][:4] = 40, 10, 25, 30
    held = Held(64)
    held.take_from(cache, 30)
    held.put_into(later)
    expected = [10, -20, -5, 0] if ways > 2 * GROUP else [0, 0, 0, 0]
    assert later["replacement"]["bound"][:4].tolist() == expected
