"""The cache against a dictionary, and on sequences whose hits and misses are in the textbooks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.config.presets import load_config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import mirror, unit
from warploom.machine.memory.cache import Cache, configure, contains, fill, invalidate, lookup, mark_dirty
from warploom.machine.memory.replacement import POLICIES

LOOKUP, FILL, DIRTY, INVALIDATE, CONTAINS = range(5)


@unit
def drive(caches, operations, answers):
    """Rows of `operations`: kind, line, sectors, cycle; of `answers`: what came back, evicted_dirty, evicted_sectors."""
    cache = caches[0]
    for k in range(operations.shape[0]):
        kind, line, sectors, now = operations[k, 0], operations[k, 1], np.uint64(operations[k, 2]), operations[k, 3]
        if kind == LOOKUP:
            answers[k, 0] = np.int64(lookup(cache, line, sectors, now))
        elif kind == FILL:
            answers[k, 0] = fill(cache, line, sectors, now)
        elif kind == DIRTY:
            answers[k, 0] = mark_dirty(cache, line)
        elif kind == INVALIDATE:
            answers[k, 0] = invalidate(cache, line)
        else:
            answers[k, 0] = np.int64(contains(cache, line))
        answers[k, 1] = cache.evicted_dirty
        answers[k, 2] = np.int64(cache.evicted_sectors)


@unit
def stream(caches, lines):
    """Read whole lines one after the other, filling what misses at once."""
    for k in range(lines.shape[0]):
        missing = lookup(caches[0], lines[k], np.uint64(1), k)
        if missing != np.uint64(0):
            fill(caches[0], lines[k], missing, k)


def fresh(sets, ways, policy):
    caches = np.zeros(1, Cache)
    configure(mirror(caches)[0], sets, ways, policy, 1)
    return caches


def run(caches, operations):
    """The answers, as lists, and the cache afterwards."""
    rows = np.array(operations, np.int64).reshape(-1, 4)
    _, after = both(drive, caches, rows, np.zeros((len(rows), 3), np.int64))
    return after[2].tolist(), after[0][0]


def misses(sets, ways, policy, lines):
    _, after = both(stream, fresh(sets, ways, policy), np.array(lines, np.int64))
    return int(after[0][0]["tag_misses"])


class Dictionary:
    """A cache as a dictionary from line to [sectors, dirty, cycle of arrival, cycle of last use]."""

    def __init__(self, sets, ways, policy):
        self.sets, self.ways, self.policy, self.lines = sets, ways, policy, {}
        self.counts = dict.fromkeys(["hits", "sector_misses", "tag_misses", "evictions", "write_backs"], 0)

    def lookup(self, line, sectors, now):
        if line not in self.lines:
            self.counts["tag_misses"] += 1
            return sectors
        self.lines[line][3] = now
        missing = sectors & ~self.lines[line][0]
        self.counts["sector_misses" if missing else "hits"] += 1
        return missing

    def check_fill(self, line, sectors, now, answer):
        """The policy decides which line goes, so its answer is taken, once it is seen to be a possible one."""
        gone, dirty, lost = answer
        if line in self.lines:
            self.lines[line][0] |= sectors
            assert answer == [-1, 0, 0]
            return
        mates = {other: entry for other, entry in self.lines.items() if other % self.sets == line % self.sets}
        if len(mates) < self.ways:
            assert answer == [-1, 0, 0]
        else:
            assert gone in mates
            assert [lost, dirty] == mates[gone][:2]
            if self.policy in ("lru", "fifo"):
                key = 3 if self.policy == "lru" else 2
                assert gone == min(mates, key=lambda other: mates[other][key])
            self.counts["evictions"] += 1
            self.counts["write_backs"] += dirty
            del self.lines[gone]
        self.lines[line] = [sectors, 0, now, now]


operation_lists = st.lists(
    st.tuples(st.sampled_from([LOOKUP, FILL, FILL, DIRTY, INVALIDATE, CONTAINS]), st.integers(0, 11), st.integers(1, 15)), max_size=80
)


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None)
@given(sets=st.integers(1, 5), ways=st.sampled_from([1, 2, 4, 8]), steps=operation_lists)
def test_agrees_with_a_dictionary(policy, sets, ways, steps):
    operations = [(*step, now) for now, step in enumerate(steps)]
    answers, after = run(fresh(sets, ways, policy), operations)
    model = Dictionary(sets, ways, policy)
    for (kind, line, sectors, now), answer in zip(operations, answers, strict=True):
        if kind == LOOKUP:
            assert answer[0] == model.lookup(line, sectors, now)
        elif kind == FILL:
            model.check_fill(line, sectors, now, answer)
        elif kind == DIRTY:
            assert answer[0] == (line in model.lines)
            if line in model.lines:
                model.lines[line][1] = 1
        elif kind == INVALIDATE:
            gone = model.lines.pop(line, None)
            assert answer == ([1, gone[1], gone[0]] if gone else [0, 0, 0])
        else:
            assert answer[0] == (model.lines[line][0] if line in model.lines else 0)
    assert {name: int(after[name]) for name in model.counts} == model.counts


BELADY = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("policy", "ways", "expected"), [("fifo", 3, 9), ("fifo", 4, 10), ("lru", 3, 10), ("lru", 4, 8)])
def test_beladys_sequence(policy, ways, expected):
    """Under FIFO a fourth way makes it worse (Belady, Nelson and Shedler, CACM 1969); under LRU it cannot."""
    assert misses(1, ways, policy, BELADY) == expected


def test_a_loop_one_line_too_long_never_hits_under_lru():
    assert misses(1, 4, "lru", list(range(5)) * 20) == 100


@pytest.mark.parametrize("policy", POLICIES)
def test_a_loop_that_fits_misses_once_a_line(policy):
    assert misses(8, 4, policy, list(range(32)) * 10) == 32


def test_lines_that_are_a_multiple_of_the_sets_apart_compete():
    assert misses(8, 2, "lru", [0, 8, 16] * 10) == 30
    assert misses(7, 2, "lru", [0, 8, 16] * 10) == 3


def test_a_line_can_be_there_without_all_its_sectors():
    answers, after = run(fresh(4, 2, "lru"), [(FILL, 9, 0b0101, 0), (LOOKUP, 9, 0b0111, 1), (FILL, 9, 0b0010, 2), (LOOKUP, 9, 0b0111, 3)])
    assert [answer[0] for answer in answers] == [-1, 0b0010, -1, 0]
    assert (after["tag_misses"], after["sector_misses"], after["hits"]) == (0, 1, 1)


def test_a_new_line_is_clean_though_the_one_before_it_was_dirty():
    answers, after = run(fresh(1, 1, "lru"), [(FILL, 1, 3, 0), (DIRTY, 1, 0, 1), (FILL, 2, 1, 2), (FILL, 3, 1, 3)])
    assert answers == [[-1, 0, 0], [1, 0, 0], [1, 1, 3], [2, 0, 1]]
    assert (after["evictions"], after["write_backs"]) == (2, 1)


def test_the_all_zero_state_is_an_empty_cache_that_takes_nothing():
    answers, after = run(
        np.zeros(1, Cache), [(FILL, 3, 1, 0), (LOOKUP, 3, 1, 1), (CONTAINS, 3, 0, 2), (DIRTY, 3, 0, 3), (INVALIDATE, 3, 0, 4)]
    )
    assert [answer[0] for answer in answers] == [-1, 1, 0, 0, 0]
    assert not after["tag"].any()


def test_a_cache_of_the_largest_size_uses_its_last_line():
    answers, _ = run(
        fresh(1 << 14, 4, "plru"), [*[(FILL, (1 << 14) * way + 16383, 1, way) for way in range(5)], (CONTAINS, (1 << 16) + 16383, 0, 9)]
    )
    assert [answer[0] for answer in answers] == [-1, -1, -1, -1, 16383, 1]


def test_a_cache_with_too_many_lines_is_refused():
    with pytest.raises(ConfigError) as error:
        load_config("tiny", {"l2.bytes": 1 << 23, "l2.line": 32, "l1.line": 32})
    assert str(error.value) == "l2.ways = 4 in 65536 sets: a cache holds 1 to 65536 lines; choose longer lines (l2.line) or fewer bytes"
