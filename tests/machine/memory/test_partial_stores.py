"""Partial stores against sets of bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit
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

LINE = 64 * WORDS


def mask_of(numbers):
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
    assert sum(int(word) << 64 * place for place, word in enumerate(words)) == mask_of(bytes_)


@settings(max_examples=60, deadline=None)
@given(ranges_of_bytes, st.sampled_from([0, 2, 4, 5, 6, 7]))
def test_a_sector_is_whole_when_all_of_its_bytes_are_written(ranges, shift):
    words, bytes_ = written_by(ranges)
    sectors = range(min(LINE >> shift, 64))
    inside = {sector: set(range(sector << shift, (sector + 1) << shift)) for sector in sectors}
    whole = [sector for sector in sectors if inside[sector] <= bytes_]
    for asked in (mask_of(sectors), mask_of(list(sectors)[::2])):
        assert both(whole_sectors, words, np.uint64(asked), shift)[0] == mask_of(whole) & asked
    for sector in list(sectors)[:8]:
        missing = {byte - (sector << shift) for byte in inside[sector] - bytes_}
        assert both(missing_bytes, words, sector, shift)[0] == mask_of({byte % 64 for byte in missing})


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
    _, (tables, _, entries, _) = both(come_and_go, np.zeros(1, PartialStores), steps, *answers)
    assert entries.tolist() == [0, 1, 2, -1, 1, 3, -1, -1, 3, 0, 4]
    assert tables[0]["whole"][:5].tolist() == [13, 10, 9, 12, 14]
    assert tables[0]["written"][:5].tolist() == [[value] * WORDS for value in (13, 10, 9, 12, 14)]


def test_there_is_room_for_so_many_and_no_more():
    tables = np.zeros(1, PartialStores)
    tables["fresh"], tables["freed"] = PARTIAL_STORES, 1
    tables["free"][0, 0] = 5
    steps = np.array([(0, 1), (1, 5), (0, 3)], np.int64)
    _, (_, _, entries, rooms) = both(come_and_go, tables, steps, np.full(3, -1), np.zeros(3, np.int64))
    assert (entries.tolist(), rooms.tolist()) == ([5, -1, 5], [1, 0, 1])
