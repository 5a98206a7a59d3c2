"""The tag match against a dictionary, also where many lines share a chain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.block import COMPARED
from warploom.machine.memory.cache import Cache, configure
from warploom.machine.memory.tag_match import chain_of, find_way, write_tag

WRITE, FIND = range(2)
LINES = 1 << 32


@unit
def drive(caches, operations, found):
    """Rows of `operations`: kind, set, way, line."""
    for k in range(operations.shape[0]):
        if operations[k, 0] == WRITE:
            write_tag(caches[0], operations[k, 1], operations[k, 2], operations[k, 3])
        else:
            found[k] = find_way(caches[0], operations[k, 1], operations[k, 3])


def found_ways(ways, operations):
    """What each FIND gives, as both engines say, in a cache of 3 sets."""
    caches = zeros(1, Cache)
    configure(mirror(caches)[0], 3, ways, "lru", 1)
    rows = np.array(operations, np.int64).reshape(-1, 4)
    _, after = both(drive, caches, rows, np.zeros(len(rows), np.int64))
    return [int(way) for way, row in zip(after[2], rows, strict=True) if row[0] == FIND]


def alike(line, count):
    """Lines in the chain of `line`, and itself, in the largest of these caches."""
    cache = mirror(zeros(1, Cache))[0]
    configure(cache, 3, 64, "lru", 1)
    lines = (line + step for step in range(100_000))
    return [other for other in lines if chain_of(cache, other) == chain_of(cache, line)][:count]


CROWDED = alike(7, 40) + list(range(20))


@settings(max_examples=80, deadline=None)
@given(
    ways=st.sampled_from([1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 63, 64]),
    steps=st.lists(st.tuples(st.sampled_from([WRITE, FIND]), st.integers(0, 2), st.integers(0, 63), st.sampled_from(CROWDED)), max_size=80),
)
def test_a_line_is_found_in_the_way_into_which_it_was_written(ways, steps):
    held, operations, expected = {}, [], []
    for kind, set, way, line in steps:
        line = 3 * line + set  # lines of one set never lie in the next one
        if kind == WRITE and any(held.get((set, other)) == line for other in range(ways)):
            continue  # a line lies in one way of its set
        operations.append((kind, set, way % ways, line))
        if kind == WRITE:
            held[set, way % ways] = line
        else:
            expected.append(next((other for other in range(ways) if held.get((set, other)) == line), -1))
    assert found_ways(ways, operations) == expected


def test_lines_of_one_chain_are_told_apart_by_their_tags():
    lines = alike(1000, 16)
    writes = [(WRITE, 0, way, line) for way, line in enumerate(lines[:15])]
    assert found_ways(64, [*writes, *[(FIND, 0, 0, line) for line in lines]]) == [*range(15), -1]


def test_chains_spread_the_lines_of_a_set():
    cache = mirror(zeros(1, Cache))[0]
    configure(cache, 64, 4, "lru", 1)
    chains = [int(chain_of(cache, 64 * number)) for number in range(4096)]
    assert len(set(chains)) == 256
    assert max(chains.count(chain) for chain in set(chains)) < 3 * 4096 // 256


@pytest.mark.parametrize("ways, compared", [(1, COMPARED), (COMPARED - 1, COMPARED), (COMPARED, COMPARED), (COMPARED + 1, 0), (64, 0)])
def test_a_set_with_more_ways_than_comparators_hangs_in_chains(ways, compared):
    (cache,) = mirror(zeros(1, Cache))
    configure(cache, 3, ways, "lru", 1)
    assert cache.comparators == compared
