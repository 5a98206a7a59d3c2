"""What a device keeps: copies are apart, ages go on, and room beside memory keeps memory."""

import numpy as np
import pytest

from warploom.machine.device.held import Held
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.cache import L2Cache, configure
from warploom.machine.memory.replacement import GROUP, SPAN


def of_four_lines():
    cache = zeros((), L2Cache)
    configure(mirror(cache), 2, 2, "lru", 1)
    return cache


def cycles_of(replacement, field):
    """Cycles in which the lines of blocks, or one of groups of them, were last used."""
    return (replacement[field].astype(np.int64) + replacement["since"]).tolist()


def test_a_cache_comes_back_as_it_was_with_its_ages():
    held, cache = Held(4096), of_four_lines()
    cache["tag"][:3], cache["replacement"]["used"][:3] = (7, 8, 9), (10, 30, 20)
    cache["hits"] = 5
    held.take_from(cache, 30)
    later = of_four_lines()
    held.put_into(later)
    assert later["tag"][:4].tolist() == [7, 8, 9, 0] and later["hits"] == 0
    assert cycles_of(later["replacement"], "used")[:3] == [-20, 0, -10]
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
    if ways > 2 * GROUP:
        assert cycles_of(later["replacement"], "bound")[:4] == [10, -20, -5, 0]
    else:
        assert not later["replacement"]["bound"].any()


def test_a_line_that_was_not_used_for_half_a_span_is_no_older_than_that():
    held, cache, later = Held(64), of_four_lines(), of_four_lines()
    cache["tag"][:3], cache["replacement"]["since"], cache["replacement"]["used"][:3] = 5, 100, (0, 10, 20 + SPAN // 2)
    held.take_from(cache, 120 + SPAN // 2)
    held.put_into(later)
    assert cycles_of(later["replacement"], "used")[:3] == [-SPAN // 2, -SPAN // 2, 0]


def test_what_a_user_s_policy_keeps_stays_and_its_clock_goes_on():
    held, cache, later = Held(64), of_four_lines(), of_four_lines()
    cache["tag"][:2], cache["replacement"]["stamp"][:2], cache["replacement"]["passed"] = 5, (3, 70), 1000
    held.take_from(cache, 60)
    held.put_into(later)
    assert later["replacement"]["stamp"][:3].tolist() == [3, 70, 0] and later["replacement"]["passed"] == 1060


@pytest.mark.every(3)
@pytest.mark.parametrize(("sets", "ways"), [(1, 1), (2, 2), (3, 4), (4, 1), (2, 3 * GROUP)])
@pytest.mark.parametrize("comparators", [0, 1])
def test_all_that_a_cache_holds_comes_back_and_nothing_else(sets, ways, comparators):
    """Every field of every block, set and chain has a number of its own. Blocks without a line have no ages."""
    cache, later = zeros((), L2Cache), zeros((), L2Cache)
    for made in (cache, later):
        configure(mirror(made), sets, ways, "lru", 1)
        made["comparators"] = comparators
    lines, chains = sets * ways, 0 if comparators else int(cache["chain_mask"]) + 1
    numbers = np.random.default_rng(sets * ways)
    replacement = cache["replacement"]
    of_blocks = [cache[name] for name in ("link", "tag", "written")] + [cache["masks"]["bytes"], replacement["stamp"]]
    for field in of_blocks:
        field[:lines] = numbers.integers(1, 100, field[:lines].shape)
    cache["tag"][1:lines:3] = 0
    replacement["used"][:lines], replacement["bits"][:sets] = numbers.integers(1, 100, lines), numbers.integers(1, 100, sets)
    replacement["bound"][: lines // 8], replacement["random"] = 50, 12345
    cache["held"][:sets] = numbers.integers(1, 100, cache["held"][:sets].shape)
    cache["chain"][:chains] = numbers.integers(1, 100, chains)
    held = Held(64)
    held.take_from(cache, 70)
    held.put_into(later)
    full = np.flatnonzero(cache["tag"][:lines])
    assert len(full) == lines - len(range(1, lines, 3))
    back = [later[name] for name in ("link", "tag", "written")] + [later["masks"]["bytes"], later["replacement"]["stamp"]]
    for found, expected in zip(back, of_blocks, strict=True):
        assert np.array_equal(found[full], expected[full]) and found.any(axis=None)
        assert np.count_nonzero(found) == np.count_nonzero(expected[full])
    assert [cycles_of(later["replacement"], "used")[block] for block in full] == (replacement["used"][full].astype(int) - 70).tolist()
    for found, expected in (
        (later["held"], cache["held"]),
        (later["chain"], cache["chain"]),
        (later["replacement"]["bits"], replacement["bits"]),
    ):
        assert np.array_equal(found, expected)
    assert later["replacement"]["random"] == 12345
    if ways > 2 * GROUP:
        assert cycles_of(later["replacement"], "bound")[: lines // 8] == [-20] * (lines // 8)
    else:
        assert not later["replacement"]["bound"].any()
