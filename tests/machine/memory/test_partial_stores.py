"""Partial stores against sets of bytes."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.cache import Cache, configure, keep_store
from warploom.machine.memory.partial_stores import (
    PARTIAL_STORES,
    WORDS,
    PartialStores,
    add_partial,
    mark_bytes,
    missing_bytes,
    remove_partial,
    room_for_partial,
    whole_sectors,
)
from warploom.machine.memory.sector_masks import DIRTY, PARTLY, THERE, mask_of

LINE = 64 * WORDS


def bits_of_all(numbers):
    return sum(1 << number for number in numbers)


def written_by(ranges):
    """(the bytes in words of 64, as both engines mark them; the set of them). ranges: of (first byte, last byte)."""
    words = np.zeros(WORDS, np.uint64)
    for first, last in ranges:
        words = both(mark_bytes, words, first, last)[1][0]
    return words, {byte for first, last in ranges for byte in range(first, last + 1)}


ranges_of_bytes = st.lists(st.tuples(st.integers(0, LINE - 1), st.integers(0, LINE - 1)).map(sorted), max_size=4)


@pytest.mark.parametrize(("first", "last"), [(0, 0), (63, 63), (63, 64), (60, 67), (0, 63), (10, 200), (64, 127), (0, LINE - 1)])
def test_a_range_marks_its_bytes_and_no_other(first, last):
    words, bytes_ = written_by([(first, last)])
    assert sum(int(word) << 64 * place for place, word in enumerate(words)) == bits_of_all(bytes_)


@settings(max_examples=60, deadline=None)
@given(ranges_of_bytes, st.sampled_from([0, 2, 4, 5, 6, 7]))
def test_a_sector_is_whole_when_all_of_its_bytes_are_written(ranges, shift):
    words, bytes_ = written_by(ranges)
    sectors = range(min(LINE >> shift, 64))
    inside = {sector: set(range(sector << shift, (sector + 1) << shift)) for sector in sectors}
    whole = [sector for sector in sectors if inside[sector] <= bytes_]
    for asked in (bits_of_all(sectors), bits_of_all(list(sectors)[::2])):
        assert both(whole_sectors, words, np.uint64(asked), shift)[0] == bits_of_all(whole) & asked
    for sector in list(sectors)[:8]:
        missing = {byte - (sector << shift) for byte in inside[sector] - bytes_}
        assert both(missing_bytes, words, sector, shift)[0] == bits_of_all({byte % 64 for byte in missing})


@unit
def come_and_go(tables, steps, entries, rooms):
    """Rows of `steps`: 0 adds a store (its whole sectors, its bytes), 1 removes the one in an entry."""
    words = tables[0].written[PARTIAL_STORES - 1]
    for k in range(steps.shape[0]):
        rooms[k] = 1 if room_for_partial(tables[0]) else 0
        if steps[k, 0] == 0:
            words[:] = np.uint64(steps[k, 1])
            entries[k] = add_partial(tables[0], np.uint64(steps[k, 1]), words)
        else:
            remove_partial(tables[0], steps[k, 1])


def test_an_entry_is_one_stores_until_it_has_arrived():
    steps = np.array([(0, 7), (0, 8), (0, 9), (1, 1), (0, 10), (0, 11), (1, 0), (1, 3), (0, 12), (0, 13), (0, 14)], np.int64)
    answers = np.full((2, len(steps)), -1)
    _, (tables, _, entries, _) = both(come_and_go, zeros(1, PartialStores), steps, *answers)
    assert entries.tolist() == [0, 1, 2, -1, 1, 3, -1, -1, 3, 0, 4]
    assert tables[0]["whole"][:5].tolist() == [13, 10, 9, 12, 14]
    assert tables[0]["written"][:5].tolist() == [[value] * WORDS for value in (13, 10, 9, 12, 14)]


def test_there_is_room_for_so_many_and_no_more():
    tables = zeros(1, PartialStores)
    tables["fresh"], tables["freed"] = PARTIAL_STORES, 1
    tables["free"][0, 0] = 5
    steps = np.array([(0, 1), (1, 5), (0, 3)], np.int64)
    _, (_, _, entries, rooms) = both(come_and_go, tables, steps, np.full(3, -1), np.zeros(3, np.int64))
    assert (entries.tolist(), rooms.tolist()) == ([5, -1, 5], [1, 0, 1])


LINE, ENTRY = 9, 3


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("sector_shift, sectors", [(2, 8), (4, 16), (5, 4), (5, 8), (6, 4), (7, 2), (2, 64)])
@pytest.mark.filterwarnings("ignore:overflow")  # products of masks wrap
def test_bytes_of_stores_add_up_to_sectors(sector_shift, sectors, ratio):
    """In a cache that keeps them. ratio: lines of the level before in a line of this one; stores are in bytes of those."""
    chosen, size = random.Random(sectors), 1 << sector_shift
    for _ in range(6):
        (cache,), (partial,) = mirror(zeros(1, Cache)), mirror(zeros(1, PartialStores))
        configure(cache, 1, 1, "lru", 1, sector_shift=sector_shift, line_shift=sector_shift + sectors.bit_length() - 1)
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
            keep_store(cache, LINE, np.uint64(bits_of_all(touched)), partial, entry, offset, keeps, 1)
            stored |= set(range(first, last + 1))
            dirty |= touched if keeps else set()
            there = {sector for sector in range(sectors) if all(byte in stored for byte in range(sector * size, (sector + 1) * size))}
            partly = {byte // size for byte in stored} - there
            found = [int(mask_of(cache.masks, 0, which)) for which in (THERE, PARTLY, DIRTY)]
            assert found == [bits_of_all(there), bits_of_all(partly), bits_of_all(dirty)]
            for sector in partly:
                here = [bool(int(cache.written[0, byte >> 6]) >> (byte & 63) & 1) for byte in range(sector * size, (sector + 1) * size)]
                assert here == [byte in stored for byte in range(sector * size, (sector + 1) * size)]
