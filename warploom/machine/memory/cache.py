# mypy: disable-error-code="no-untyped-def"
"""Cache: which lines, and which sectors of them, are close by.

In hardware: two SRAMs, tags and data. A line's number chooses a set (line % sets); the tags of that set's ways are
compared at once. A line is fetched sector by sector (`lsu.sector` bytes), so a line may be there while a sector of
it is not; a dirty bit a line says that the next level does not know its content yet. What goes from a full set is the
replacement policy's choice (replacement.py); a way without a line is taken first.

Here are tags only: the data stay in memory, since caches change when an access is answered and never what it
answers. Who asks, what a miss starts, and when a fill arrives is the business of the load/store unit and of the MSHRs
(mshr.py). The cache is passive: it costs its latency, which its user adds.

Sectors: NVIDIA since Fermi (lines of 128 bytes, sectors of 32); first in the IBM System/360 Model 85 (Liptay, IBM
Systems Journal 1968).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import lowest
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import part, rare, record, unit
from warploom.machine.memory import replacement as policies
from warploom.machine.memory.replacement import LINES, Replacement, arrive, touch, victim

EACH_BYTE = np.uint64(0x0101010101010101)
HIGHEST_BITS = np.uint64(0x8080808080808080)

Cache = record(
    sets="i8",                # 0: not configured, which behaves as a cache that holds nothing
    ways="i8",                # lines that a set holds
    set_mask="i8",            # sets - 1 where sets is a power of two, else -1
    held=("u1", LINES),       # lines that a set holds
    words="i8",               # of `partial`, a set
    partial=("u8", LINES),    # eight bits of each way's tag, eight ways a word; index = set * words + way / 8
    tag=("u4", LINES + 8),    # line number + 1, 0 for none; index = set * ways + way. (8: behind the last way of the last word)
    sectors=("u8", LINES),    # bit s = sector s is there
    dirty=("u1", LINES),      # 1: the next level does not have what was stored here
    replacement=Replacement,
    evicted_sectors="u8",     # of the line that the last fill displaced or `invalidate` removed: what was there
    evicted_dirty="i8",       # ... and 1 when it was dirty
    hits="i8",                # lookups that found all their sectors
    sector_misses="i8",       # ... that found the line but not all sectors
    tag_misses="i8",          # ... that did not find the line
    evictions="i8",           # lines displaced by a fill
    write_backs="i8",         # ... that were dirty
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


@part
def lookup(cache, line, sectors, now):
    """Ask for some sectors of a line (u8, not 0) in cycle `now`; returns those that are missing, 0 for a hit.

    A line that is there counts as used, whether all sectors are or not.
    """
    set = set_of(cache, line)
    way = _way(cache, set, line)
    if way < 0:
        cache.tag_misses += 1
        return np.uint64(sectors)
    touch(cache.replacement, set, way, now)
    missing = np.uint64(sectors & ~cache.sectors[set * cache.ways + way])
    if missing == np.uint64(0):
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
    cache.evicted_sectors = np.uint64(0)
    if cache.ways == 0:
        return np.int64(-1)
    set = set_of(cache, line)
    base = set * cache.ways
    way = _way(cache, set, line)
    if way >= 0:
        cache.sectors[base + way] |= sectors
        return np.int64(-1)
    gone = np.int64(-1)
    if cache.held[set] < cache.ways:
        way = _empty_way(cache, set)
        cache.held[set] += 1
    else:
        way = victim(cache.replacement, set)
        gone = np.int64(cache.tag[base + way]) - 1
        _note_evicted(cache, base + way)
        cache.evictions += 1
        cache.write_backs += cache.evicted_dirty
    _write_tag(cache, set, way, line)
    cache.sectors[base + way] = sectors
    cache.dirty[base + way] = 0
    arrive(cache.replacement, set, way, now)
    return gone


@unit
def mark_dirty(cache, line):
    """A store has changed a line; returns 1, or 0 when the line is not there."""
    set = set_of(cache, line)
    way = _way(cache, set, line)
    if way < 0:
        return np.int64(0)
    cache.dirty[set * cache.ways + way] = 1
    return np.int64(1)


@unit
def invalidate(cache, line):
    """Forget a line; returns 1, or 0 when it is not there. `evicted_dirty` and `evicted_sectors` tell what is lost."""
    cache.evicted_dirty = 0
    cache.evicted_sectors = np.uint64(0)
    set = set_of(cache, line)
    way = _way(cache, set, line)
    if way < 0:
        return np.int64(0)
    slot = set * cache.ways + way
    _note_evicted(cache, slot)
    cache.tag[slot] = 0
    cache.held[set] -= 1
    return np.int64(1)


@unit
def contains(cache, line):
    """The sectors of a line that are there (0: none), without counting as a use."""
    set = set_of(cache, line)
    way = _way(cache, set, line)
    if way < 0:
        return np.uint64(0)
    return np.uint64(cache.sectors[set * cache.ways + way])


@part
def _partial(line):
    """Eight bits made from a whole line number, in each byte of a word: lines of one set are alike in their low bits."""
    return np.uint64((line * 0x9E3779B1 >> 24) & 0xFF) * EACH_BYTE


@unit
def _way(cache, set, line):
    """The way in which a line lies, or -1.

    Hardware compares the tags of all ways at once. Here eight bits of eight tags are compared at once, in one word; a way
    where they agree, which is seldom another line's, is looked at as a whole. (Partial tags: hardware has them too, to
    choose a way before the comparison is done.) A byte of `differing` is zero where they agree, and then the subtraction
    sets its highest bit; it may do so in the byte above it too, which does no harm.
    """
    wanted = _partial(line)
    for word in range(cache.words):
        differing = cache.partial[set * cache.words + word] ^ wanted
        alike = (differing - EACH_BYTE) & ~differing & HIGHEST_BITS
        while alike != np.uint64(0):
            way = (word << 3) + (lowest(alike) >> 3)
            if cache.tag[set * cache.ways + way] == line + 1:
                return np.int64(way)
            alike = alike & (alike - np.uint64(1))
    return np.int64(-1)


@part
def _write_tag(cache, set, way, line):
    """A line comes to lie in a way."""
    cache.tag[set * cache.ways + way] = line + 1
    word = set * cache.words + (way >> 3)
    byte = np.uint64(0xFF) << np.uint64((way & 7) << 3)
    cache.partial[word] = (cache.partial[word] & ~byte) | (_partial(line) & byte)


@rare
def _empty_way(cache, set):
    """The lowest way without a line. There is one: a set fills up once and is full from then on."""
    base = np.uint64(set * cache.ways)
    way = np.int64(0)
    while cache.tag[base + np.uint64(way)] != 0:
        way += 1
    return way


@unit
def _note_evicted(cache, slot):
    cache.evicted_dirty = np.int64(cache.dirty[slot])
    cache.evicted_sectors = cache.sectors[slot]
