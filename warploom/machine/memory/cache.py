# mypy: disable-error-code="no-untyped-def"
"""Cache: which lines, and which sectors of them, are close by.

In hardware: two SRAMs, tags and data. A line's number chooses a set (line % sets); the tags of that set's ways are
compared at once (tag_match.py). A line is fetched sector by sector (`lsu.sector` bytes), so a line may be there while a sector of
it is not; each line has a dirty bit, which says that the next level does not have its content yet. Which line a full set gives up
is the replacement policy's choice (replacement.py); a way without a line is taken first.

Here are tags only: the data stay in memory, since caches change when an access is answered and never what it
answers. Who asks, what a miss starts, and when a fill arrives is up to the load/store unit and the MSHRs
(mshr.py). The cache is passive: it costs its latency, which its user adds.

Sectors: NVIDIA since Fermi (lines of 128 bytes, sectors of 32); first in the IBM System/360 Model 85 (Liptay, IBM
Systems Journal 1968).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory import replacement as policies
from warploom.machine.memory.block import LINES, block_of
from warploom.machine.memory.replacement import Replacement, arrive, touch, victim
from warploom.machine.memory.tag_match import find_way, write_tag

Cache = record(
    settings=dict(
        sets="i8",              # 0: not configured, which behaves as a cache that holds nothing
        ways="i8",              # blocks of a set
        set_mask="i8",          # sets - 1 where sets is a power of two, else -1
        words="i8",             # of `partial`, a set
    ),
    state=dict(
        held=("u1", LINES),     # by set: how many of its blocks hold a line
        partial=("u8", LINES),  # partial tags, 8 bits each, way w of a word's eight in bits 8w .. 8w + 7; index = set * words + way / 8
        tag=("u4", LINES + 8),  # by block: line number + 1, 0 for none (8: the ways of the last word that are not there)
        sectors=("u8", LINES),  # by block: bit s = sector s is there
        dirty=("u1", LINES),    # by block: 1 = the next level does not have what was stored here
        replacement=Replacement,
        evicted_sectors="u8",   # of the line that the last fill displaced or `invalidate` removed: bit s = sector s was there
        evicted_dirty="i8",     # ... and 1 when it was dirty
    ),
    counters=dict(
        hits="i8",              # lookups that found all their sectors
        sector_misses="i8",     # ... that found the line but not all sectors
        tag_misses="i8",        # ... that did not find the line
        evictions="i8",         # lines displaced by a fill
        write_backs="i8",       # ... that were dirty
    ),
)  # fmt: skip


def check(cache: str, sets: int, ways: int, replacement: str) -> None:
    """Refuse a shape that a cache cannot have. cache: the section's name, for the message. Raises ConfigError."""
    if sets < 1 or ways < 1 or sets * ways > LINES:
        raise ConfigError(
            f"{cache}.ways = {ways} in {sets} sets: a cache holds 1 to {LINES} lines; choose longer lines ({cache}.line) or fewer bytes"
        )
    policies.check(cache, ways, replacement)


def configure(cache: Any, sets: int, ways: int, replacement: str, seed: int) -> None:
    """Give a cache its shape. cache: the mirror of an all-zero `Cache`; seed: for the policy `random`. Raises ConfigError."""
    check("cache", sets, ways, replacement)
    policies.configure(cache.replacement, ways, replacement, seed)
    cache.sets = sets
    cache.ways = ways
    cache.words = (ways + 7) // 8
    cache.set_mask = -1 if sets & (sets - 1) else sets - 1


@unit
def set_of(cache, line):
    """The set that a line belongs to: line % sets."""
    return np.int64(line & cache.set_mask if cache.set_mask >= 0 else line % cache.sets)


@inlined
def lookup(cache, line, sectors, now):
    """Ask for some sectors of a line (u8, not 0) in cycle `now`; returns those that are missing, 0 for a hit.

    A line that is there counts as used, whether all sectors are or not.
    """
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way < 0:
        cache.tag_misses += 1
        return np.uint64(sectors)
    touch(cache.replacement, set, way, now)
    missing = np.uint64(sectors & ~cache.sectors[block_of(cache, set, way)])
    if missing == EMPTY:
        cache.hits += 1
    else:
        cache.sector_misses += 1
    return missing


@unit
def fill(cache, line, sectors, now):
    """Sectors of a line arrive in cycle `now`; returns the line that had to go, or -1.

    A line that is there gains the sectors, and its place in the replacement order stays. `evicted_dirty` and
    `evicted_sectors` tell what the line that went was like; they are 0 when none did.
    """
    cache.evicted_dirty = 0
    cache.evicted_sectors = EMPTY
    if cache.ways == 0:
        return np.int64(-1)
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way >= 0:
        cache.sectors[block_of(cache, set, way)] |= sectors
        return np.int64(-1)
    gone = np.int64(-1)
    if cache.held[set] < cache.ways:
        way = _empty_way(cache, set)
        cache.held[set] += 1
    else:
        way = victim(cache.replacement, set)
        gone = _evict(cache, block_of(cache, set, way))
        cache.evictions += 1
        cache.write_backs += cache.evicted_dirty
    block = block_of(cache, set, way)
    write_tag(cache, set, way, line)
    cache.sectors[block] = sectors
    cache.dirty[block] = 0
    arrive(cache.replacement, set, way, now)
    return gone


@unit
def mark_dirty(cache, line):
    """A store has changed a line; returns 1, or 0 when the line is not there."""
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way < 0:
        return np.int64(0)
    cache.dirty[block_of(cache, set, way)] = 1
    return np.int64(1)


@unit
def invalidate(cache, line):
    """Forget a line; returns 1, or 0 when it is not there. `evicted_dirty` and `evicted_sectors` tell what is lost."""
    cache.evicted_dirty = 0
    cache.evicted_sectors = EMPTY
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way < 0:
        return np.int64(0)
    block = block_of(cache, set, way)
    _evict(cache, block)
    cache.tag[block] = 0
    cache.held[set] -= 1
    return np.int64(1)


@unit
def contains(cache, line):
    """The sectors of a line that are there (0: none), without counting as a use."""
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way < 0:
        return EMPTY
    return np.uint64(cache.sectors[block_of(cache, set, way)])


@out_of_line
def _empty_way(cache, set):
    """The lowest way without a line. There is one: a set fills up once and is full from then on."""
    way = np.int64(0)
    while cache.tag[block_of(cache, set, way)] != 0:
        way += 1
    return way


@unit
def _evict(cache, block):
    """Note what is lost with the line in a block; returns its number."""
    cache.evicted_dirty = np.int64(cache.dirty[block])
    cache.evicted_sectors = cache.sectors[block]
    return np.int64(cache.tag[block]) - 1
