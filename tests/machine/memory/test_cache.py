"""The cache against a dictionary, and on sequences whose hits and misses are in the textbooks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.config.presets import load_config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.block import L2_LINES, LINES
from warploom.machine.memory.cache import Cache, check, configure, contains, fill, keep_store, lookup, mark_dirty
from warploom.machine.memory.partial_stores import PartialStores
from warploom.machine.memory.replacement import POLICIES

LOOKUP, FILL, DIRTY, STORE, CONTAINS = range(5)
SECTOR = 4  # bytes


@unit
def drive(caches, partials, operations, answers):
    """Rows of `operations`: kind, line, sectors, cycle, bytes; of `answers`: what came back, evicted_dirty.

    bytes: a mask, of a store that does not write whole sectors; 0: it does."""
    cache = caches[0]
    for k in range(operations.shape[0]):
        kind, line, sectors, now = operations[k, 0], operations[k, 1], np.uint64(operations[k, 2]), operations[k, 3]
        if kind == LOOKUP:
            answers[k, 0] = np.int64(lookup(cache, line, sectors, now))
        elif kind == FILL:
            answers[k, 0] = fill(cache, line, sectors, now)
        elif kind == DIRTY:
            answers[k, 0] = mark_dirty(cache, line, sectors)
        elif kind == STORE:
            partials[0].written[0, 0] = np.uint64(operations[k, 4])
            entry = 0 if operations[k, 4] != 0 else -1
            answers[k, 0] = keep_store(cache, line, sectors, partials[0], entry, 0, 1, now)
        else:
            answers[k, 0] = np.int64(contains(cache, line))
        answers[k, 1] = np.int64(cache.evicted_dirty)


@unit
def stream(caches, lines):
    """Read whole lines one after the other, filling what misses at once."""
    for k in range(lines.shape[0]):
        missing = lookup(caches[0], lines[k], np.uint64(1), k)
        if missing != np.uint64(0):
            fill(caches[0], lines[k], missing, k)


def fresh(sets, ways, policy):
    caches = zeros(1, Cache)
    configure(mirror(caches)[0], sets, ways, policy, 1, sector_shift=2)
    return caches


def run(caches, operations):
    """The answers, as lists, and the cache afterwards."""
    rows = np.array([(*operation, 0)[:5] for operation in operations], np.int64).reshape(-1, 5)
    _, after = both(drive, caches, zeros(1, PartialStores), rows, np.zeros((len(rows), 2), np.int64))
    return after[3].tolist(), after[0][0]


def misses(sets, ways, policy, lines):
    _, after = both(stream, fresh(sets, ways, policy), np.array(lines, np.int64))
    return int(after[0][0]["tag_misses"])


class Line:
    """What a dictionary keeps of a line: the bytes that are there, those that a store changed, and when it came and was used."""

    def __init__(self, now):
        self.bytes, self.dirty, self.came, self.used = set(), 0, now, now

    @property
    def sectors(self):
        return sum(1 << s for s in range(4) if {*range(SECTOR * s, SECTOR * (s + 1))} <= self.bytes)


def bytes_of(sectors):
    return {SECTOR * s + b for s in range(4) if sectors >> s & 1 for b in range(SECTOR)}


class Dictionary:
    """A cache as a dictionary from line number to `Line`."""

    def __init__(self, sets, ways, policy):
        self.sets, self.ways, self.policy, self.lines = sets, ways, policy, {}
        self.counts = dict.fromkeys(["hits", "sector_misses", "tag_misses", "evictions", "write_backs", "written_back"], 0)

    def lookup(self, line, sectors, now):
        if line not in self.lines:
            self.counts["tag_misses"] += 1
            return sectors
        self.lines[line].used = now
        missing = sectors & ~self.lines[line].sectors
        self.counts["sector_misses" if missing else "hits"] += 1
        return missing

    def bring(self, line, now, answer):
        """The policy decides which line goes, so its answer is taken, once it is seen to be a possible one."""
        gone, dirty = answer
        mates = {other: entry for other, entry in self.lines.items() if other % self.sets == line % self.sets}
        if line in self.lines or len(mates) < self.ways:
            assert answer == [-1, 0]
        else:
            assert gone in mates
            assert dirty == mates[gone].dirty
            if self.policy in ("lru", "fifo"):
                key = "used" if self.policy == "lru" else "came"
                assert gone == min(mates, key=lambda other: getattr(mates[other], key))
            self.counts["evictions"] += 1
            self.counts["write_backs"] += dirty > 0
            self.counts["written_back"] += dirty.bit_count()
            del self.lines[gone]
        return self.lines.setdefault(line, Line(now))


@st.composite
def operations(draw):
    """A kind, a line, sectors, and the bytes of a store, in those sectors."""
    kind, line = draw(st.sampled_from([LOOKUP, FILL, FILL, DIRTY, STORE, STORE, CONTAINS])), draw(st.integers(0, 11))
    sectors, written = draw(st.integers(1, 15)), 0
    if kind == STORE and draw(st.booleans()):
        within = sum(1 << byte for byte in bytes_of(sectors))
        written = draw(st.integers(1, 0xFFFF)) & within or within
    return kind, line, sectors, written


def test_a_sector_is_there_when_the_last_of_its_bytes_is_written_whatever_is_written_elsewhere_in_between():
    low, high, next_low, next_high = 0b0011, 0b1100, 0b0011 << SECTOR, 0b1100 << SECTOR
    steps = [(STORE, 0, 1, 0, low), (STORE, 0, 2, 1, next_low), (CONTAINS, 0, 0, 2), (STORE, 0, 1, 3, high), (CONTAINS, 0, 0, 4)]
    answers, _ = run(fresh(1, 1, "lru"), [*steps, (STORE, 0, 2, 5, next_high), (CONTAINS, 0, 0, 6)])
    assert [answers[number][0] for number in (2, 4, 6)] == [0, 1, 3]


def test_a_store_to_a_sector_leaves_the_bytes_of_those_after_it():
    low, next_low, next_high = 0b0011, 0b0011 << SECTOR, 0b1100 << SECTOR
    steps = [(STORE, 0, 2, 0, next_low), (STORE, 0, 1, 1, low), (STORE, 0, 2, 2, next_high), (CONTAINS, 0, 0, 3)]
    answers, _ = run(fresh(1, 1, "lru"), steps)
    assert answers[3][0] == 2


def test_bytes_of_a_line_that_has_gone_do_not_count_for_the_next():
    low, high = 0b0011 << SECTOR, 0b1100 << SECTOR
    answers, _ = run(
        fresh(1, 1, "lru"), [(STORE, 0, 2, 0, low), (STORE, 1, 2, 1, high), (CONTAINS, 1, 0, 2), (STORE, 1, 2, 3, low), (CONTAINS, 1, 0, 4)]
    )
    assert (answers[1][0], answers[2][0], answers[4][0]) == (0, 0, 2)


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None)
@given(sets=st.integers(1, 5), ways=st.sampled_from([1, 2, 4, 8]), steps=st.lists(operations(), max_size=80))
def test_agrees_with_a_dictionary(policy, sets, ways, steps):
    rows = [(kind, line, sectors, now, written) for now, (kind, line, sectors, written) in enumerate(steps)]
    answers, after = run(fresh(sets, ways, policy), rows)
    model = Dictionary(sets, ways, policy)
    for (kind, line, sectors, now, written), answer in zip(rows, answers, strict=True):
        if kind == LOOKUP:
            assert answer[0] == model.lookup(line, sectors, now)
        elif kind == FILL:
            model.bring(line, now, answer).bytes |= bytes_of(sectors)
        elif kind == STORE:
            kept = model.bring(line, now, answer)
            kept.bytes |= {byte for byte in range(16) if written >> byte & 1} if written else bytes_of(sectors)
            kept.dirty |= sectors
        elif kind == DIRTY:
            assert answer[0] == (line in model.lines)
            if line in model.lines:
                model.lines[line].dirty |= sectors
        else:
            assert answer[0] == (model.lines[line].sectors if line in model.lines else 0)
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
    answers, after = run(fresh(1, 1, "lru"), [(FILL, 1, 3, 0), (DIRTY, 1, 2, 1), (FILL, 2, 1, 2), (FILL, 3, 1, 3)])
    assert answers == [[-1, 0], [1, 0], [1, 2], [2, 0]]
    assert (after["evictions"], after["write_backs"], after["written_back"]) == (2, 1, 1)


def test_the_all_zero_state_is_an_empty_cache_that_takes_nothing():
    answers, after = run(zeros(1, Cache), [(FILL, 3, 1, 0), (LOOKUP, 3, 1, 1), (CONTAINS, 3, 0, 2), (DIRTY, 3, 0, 3)])
    assert [answer[0] for answer in answers] == [-1, 1, 0, 0]
    assert not after["tag"].any()


def test_a_cache_of_the_largest_size_uses_its_last_line():
    sets = LINES // 4
    answers, _ = run(
        fresh(sets, 4, "plru"), [*[(FILL, sets * way + sets - 1, 1, way) for way in range(5)], (CONTAINS, LINES + sets - 1, 0, 9)]
    )
    assert [answer[0] for answer in answers] == [-1, -1, -1, -1, sets - 1, 1]


def test_a_set_may_have_as_many_ways_as_the_cache_has_lines():
    filled = [(FILL, line, 1, line) for line in range(300)]
    answers, after = run(fresh(1, 256, "lru"), [*filled, (LOOKUP, 44, 1, 300), (LOOKUP, 43, 1, 301)])
    assert [answer[0] for answer in answers] == [*[-1] * 256, *range(44), 0, 1]
    assert after["evictions"] == 44


@pytest.mark.parametrize(("level", "lines"), [("l1", LINES), ("l2", L2_LINES)])
def test_a_cache_with_too_many_lines_is_refused(level, lines):
    with pytest.raises(ConfigError) as error:
        load_config("tiny", {f"{level}.bytes": 64 * lines, "l2.line": 32, "l1.line": 32})
    said = f"{level}.ways = 4 in {lines // 2} sets: a cache holds 1 to {lines} lines; choose longer lines ({level}.line) or fewer bytes"
    assert str(error.value) == said


def test_the_bytes_give_the_ways_where_the_sets_are_given():
    config = load_config("tiny", {"l1.bytes": 96 << 10, "l1.line": 128, "l1.sets": 4})
    assert config.l1.shape() == (4, 192)
    with pytest.raises(ConfigError) as error:
        load_config("tiny", {"l1.bytes": 1000, "l1.line": 128, "l1.sets": 4})
    assert str(error.value) == "l1.bytes = 1000: not a multiple of line x sets = 512"


def test_a_cache_may_have_as_many_lines_as_there_is_room_for_and_one_at_least():
    for sets, ways in ((LINES // 4, 4), (LINES, 1), (1, 1)):
        check("l1", sets, ways, "lru")
    for sets, ways in ((LINES // 4 + 1, 4), (0, 1), (1, 0)):
        with pytest.raises(ConfigError, match=f"l1.ways = {ways} in {sets} sets: a cache holds 1 to {LINES} lines"):
            check("l1", sets, ways, "lru")


@pytest.mark.parametrize(
    ("sets", "ways", "slices"), [(1, 1, 1), (1, 2, 1), (3, 1, 1), (2, 2, 1), (1, 5, 1), (4, 2, 2), (3, 3, 3), (3, 1, 3)]
)
def test_the_tag_match_has_a_chain_a_line_rounded_up_to_a_power_of_two(sets, ways, slices):
    (cache,) = mirror(zeros(1, Cache))
    configure(cache, sets, ways, "lru", 1, slices=slices)
    assert cache.chain_mask + 1 == next(1 << bits for bits in range(10) if 1 << bits >= sets * ways * slices)
