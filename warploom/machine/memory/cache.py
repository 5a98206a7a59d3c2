"""Cache: which lines, and which sectors of them, are close by.

In hardware: two SRAMs, tags and data. A line's number chooses a set (address_hash.py); the tags of that set's ways are compared in parallel
(tag_match.py). A line is fetched sector by sector (`lsu.sector` bytes), so a line may be there while a sector of it is not. A bit per
sector says whether it is *dirty*: the next level does not have its content yet. A sector in which a store wrote some bytes before it was
fetched is *partly* there, with a bit per byte; the rest is fetched when it is read (write-validate: Jouppi, "Cache Write Policies and
Performance", ISCA 1993). Which line a full set gives up is the replacement policy's choice (replacement.py); a way without a line is taken
first.

Only tags are modelled here: the data stay in memory, since a cache changes when an access is answered and never what it answers. Who asks,
what a miss starts, and when a fill arrives are up to the load/store unit and the MSHRs (mshr.py). The cache is passive: it costs its
latency, which its user adds.

Sectors: NVIDIA since Fermi (lines of 128 bytes, sectors of 32); first in the IBM System/360 Model 85 (Liptay, IBM
Systems Journal 1968).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, has, lowest, ones, popcount, rest
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory import address_hash as hashes
from warploom.machine.memory import replacement as policies
from warploom.machine.memory import sector_masks
from warploom.machine.memory.address_hash import AddressHash, channel_place, group_of, place_of
from warploom.machine.memory.block import COMPARED, L2_LINES, LINES, block_of
from warploom.machine.memory.partial_stores import WORDS, mark_bytes, missing_bytes
from warploom.machine.memory.replacement import arrive, replacement_of, touch, victim
from warploom.machine.memory.sector_masks import (
    DIRTY,
    PARTLY,
    THERE,
    add_sectors,
    drop_sectors,
    mask_of,
    masks_of,
    set_mask,
)
from warploom.machine.memory.siphash import siphash
from warploom.machine.memory.tag_match import find_way, write_tag


def cache_of(lines: int) -> np.dtype:
    """The record of a cache that has room for so many lines."""
    return record(
        rooms={"lines": lines, "chains": lines, "tags": lines + COMPARED},
        apart=("held", "link", "written"),
        settings=dict(
            sets="i8",              # of all slices; 0: not configured, which behaves as a cache that holds nothing
            ways="i8",              # blocks of a set
            comparators="i8",       # tags that are compared in parallel: COMPARED; 0: the lines of a set with more ways hang in chains
            chain_mask="i8",  # chains of the tag match - 1
            sector_shift="i8",      # log2 of the bytes of a sector
            simple="i8",            # 1: line modulo sets
            siphash="i8",           # 1: the set of a slice is the hash of its address, modulo sets
            line_shift="i8",        # ... log2 of the bytes of a line
            set_mask="i8",          # ... sets - 1 if sets is a power of two, else -1
            slices=AddressHash,     # which slice a line belongs to
            slice_sets=AddressHash, # which set of it
        ),
        state=dict(
            held=("i4", "lines"),   # by set: how many of its blocks hold a line
            chain=("i4", "chains"),  # tag match, by hash: block + 1 of the first line with it; 0 for none
            link=("i4", "lines"),  # ... by block: block + 1 of the next line with the same hash; 0 for none
            tag=("u4", "tags"),  # by block: line number + 1, 0 for none; all comparators find something to read
            masks=masks_of(lines),  # by block: which of its sectors are there
            written=("u8", ("lines", WORDS)),  # by block: bit b % 64 of word b / 64 = byte b of the line was stored
            replacement=replacement_of(lines),
            evicted_dirty="u8",     # of the line that the last fill or store displaced: its dirty sectors
            evicted_partly="u8",    # ... those of them of which some bytes only were stored; valid if there are dirty ones
            evicted_written=("u8", WORDS),  # ... which bytes of its dirty sectors were, if some are only partly there
        ),
        counters=dict(
            hits="i8",              # lookups that found all their sectors
            sector_misses="i8",     # ... that found the line but not all sectors
            tag_misses="i8",        # ... that did not find the line
            evictions="i8",         # lines displaced
            write_backs="i8",       # ... that were dirty
            written_back="i8",      # ... dirty sectors of those
        ),
    )  # fmt: skip


SIPHASH = "siphash"
SET_HASHES = (*hashes.HASHES, SIPHASH)
Cache = cache_of(LINES)
L2Cache = cache_of(L2_LINES)


def check(cache: str, sets: int, ways: int, replacement: str, lines: int = LINES) -> None:
    """Refuse a shape that a cache cannot have. cache: the section's name, for the message. Raises ConfigError."""
    if sets < 1 or ways < 1 or sets * ways > lines:
        raise ConfigError(
            f"{cache}.ways = {ways} in {sets} sets: a cache holds 1 to {lines} lines; choose longer lines ({cache}.line) or fewer bytes"
        )
    policies.check(cache, ways, replacement)


def rooms_for(lines: int, sectors: int) -> dict[str, Any]:
    """The rooms of a cache of so many lines, of so many sectors each."""
    lines = max(lines, 1)
    return {
        "lines": lines,
        "chains": 1 << (lines - 1).bit_length(),
        "tags": lines + COMPARED,
        "masks": {"narrow": lines * (sectors <= sector_masks.NARROW), "wide": lines * (sectors > sector_masks.NARROW)},
        "replacement": {"lines": lines, "used": lines + policies.GROUP, "groups": lines // 8 + policies.GROUP},
    }


def configure(
    cache: Any,
    sets: int,
    ways: int,
    replacement: str,
    seed: int,
    *,
    sector_shift: int = 0,
    slices: int = 1,
    slice_hash: str = "modulo",
    set_hash: str = "modulo",
    line_shift: int = 0,
) -> None:
    """Give a cache its shape, which `check` has passed.

    cache: the mirror of an all-zero `Cache`. sets: of a slice. seed: for the policy `random`. slice_hash: of `address_hash.HASHES`;
    set_hash: of SET_HASHES. line_shift, sector_shift: log2 of the bytes of a line and of a sector; without them a line has one sector.
    """
    policies.configure(cache.replacement, sets * slices, ways, replacement, seed)
    sector_masks.configure(cache.masks, 1 << max(line_shift - sector_shift, 0))
    cache.sets = sets * slices
    cache.ways = ways
    cache.comparators = COMPARED if ways <= COMPARED else 0
    cache.chain_mask = (1 << (sets * slices * ways - 1).bit_length()) - 1
    cache.sector_shift = sector_shift
    cache.simple = int(slices == 1 and set_hash == "modulo")
    cache.set_mask = -1 if sets & (sets - 1) else sets - 1
    hashes.configure(cache.slices, slices, slice_hash)
    hashes.configure(cache.slice_sets, sets, "modulo" if set_hash == SIPHASH else set_hash)
    cache.siphash, cache.line_shift = int(set_hash == SIPHASH), line_shift


@inlined
def set_of(cache, line):
    """The set that a line belongs to, of all sets of all slices."""
    if cache.simple != 0 and cache.set_mask >= 0:
        return np.int64(line & cache.set_mask)
    return _hashed_set_of(cache, line)


@unit
def _hashed_set_of(cache, line):
    """`set_of` where it is more than some bits of the line's number."""
    if cache.simple != 0:
        return np.int64(line % cache.sets)
    return set_in_slice(cache, channel_place(cache.slices, line), line)


@unit
def set_in_slice(cache, slice, line):
    """`set_of` if the slice is known."""
    first = slice * cache.slice_sets.places
    if cache.siphash != 0:
        return np.int64(first + _siphash_set(cache, line))
    return np.int64(first + place_of(cache.slice_sets, group_of(cache.slices, line)))


@out_of_line
def _siphash_set(cache, line):
    """The set of its slice that the hash of a line's address names."""
    return np.int64(siphash(line << cache.line_shift) % np.uint64(cache.slice_sets.places))


@inlined
def lookup(cache, line, sectors, now):
    """Ask for some sectors of a line (u8, not 0) in cycle `now`; returns those that are missing, 0 for a hit.

    A line that is there counts as used, whether all sectors are or not.
    """
    return lookup_in_set(cache, set_of(cache, line), line, sectors, now)


@inlined
def lookup_in_set(cache, set, line, sectors, now):
    """`lookup` if the set is known."""
    way = find_way(cache, set, line)
    if way < 0:
        cache.tag_misses += 1
        return np.uint64(sectors)
    touch(cache.replacement, set, way, now)
    missing = np.uint64(sectors & ~mask_of(cache.masks, block_of(cache, set, way), THERE))
    if missing == EMPTY:
        cache.hits += 1
    else:
        cache.sector_misses += 1
    return missing


@unit
def fill(cache, line, sectors, now):
    """Sectors of a line arrive in cycle `now`; returns the line that had to go, or -1.

    A line that is there gains the sectors, and its place in the replacement order stays. `evicted_dirty` holds the dirty sectors of the
    line that went; it is 0 when none did.
    """
    if cache.ways == 0:
        return np.int64(-1)
    return fill_set(cache, set_of(cache, line), line, sectors, now)


@inlined
def fill_set(cache, set, line, sectors, now):
    """`fill` if the set is known."""
    cache.evicted_dirty = EMPTY
    way = find_way(cache, set, line)
    if way >= 0:
        block = block_of(cache, set, way)
        add_sectors(cache.masks, block, THERE, sectors)
        drop_sectors(cache.masks, block, PARTLY, sectors)
        return np.int64(-1)
    gone, way = _bring(cache, set, line, now)
    set_mask(cache.masks, block_of(cache, set, way), THERE, sectors)
    return gone


@unit
def keep_store(cache, line, sectors, partial, entry, offset, dirty, now):
    """Keep what a store has written to some sectors of a line, which gets a block if it has none; returns the line that had to go, or -1.

    entry: of `partial`, a record of stores that are not whole; -1: the sectors are written whole. offset: sectors of this cache's line
    before that store's. dirty: 1 if the store is not passed on to the next level. `evicted_dirty` is as for `fill`.
    """
    return keep_store_in_set(cache, set_of(cache, line), line, sectors, partial, entry, offset, dirty, now)


@inlined
def keep_store_in_set(cache, set, line, sectors, partial, entry, offset, dirty, now):
    """`keep_store` if the set is known."""
    cache.evicted_dirty = EMPTY
    way = find_way(cache, set, line)
    gone = np.int64(-1)
    if way < 0:
        gone, way = _bring(cache, set, line, now)
        set_mask(cache.masks, block_of(cache, set, way), THERE, EMPTY)
    block = block_of(cache, set, way)
    if dirty != 0:
        add_sectors(cache.masks, block, DIRTY, sectors)
    if entry < 0:
        add_sectors(cache.masks, block, THERE, sectors)
        drop_sectors(cache.masks, block, PARTLY, sectors)
    else:
        _keep_bytes(cache, block, np.uint64(sectors & ~mask_of(cache.masks, block, THERE)), partial, entry, offset)
    return gone


@out_of_line
def _keep_bytes(cache, block, sectors, partial, entry, offset):
    """Some bytes of sectors that are not there are written; a sector is there when all of its bytes have been."""
    size = np.int64(1) << cache.sector_shift
    step = min(size, np.int64(64))
    left = sectors
    while left != EMPTY:
        sector = lowest(left)
        left = rest(left)
        begun = has(mask_of(cache.masks, block, PARTLY), sector)
        for target in range(sector * size, (sector + 1) * size, step):
            source = target - offset * size
            new = (partial.written[entry, source >> 6] >> np.uint64(source & 63)) & ones(step)
            old = cache.written[block, target >> 6]
            keep = ~EMPTY if begun else ~(ones(step) << np.uint64(target & 63))
            cache.written[block, target >> 6] = (old & keep) | (new << np.uint64(target & 63))
        if missing_bytes(cache.written[block], sector, cache.sector_shift) == EMPTY:
            add_sectors(cache.masks, block, THERE, bit(sector))
            drop_sectors(cache.masks, block, PARTLY, bit(sector))
        else:
            add_sectors(cache.masks, block, PARTLY, bit(sector))


@unit
def mark_dirty(cache, line, sectors):
    """Sectors of a line that is there have been changed here; returns 1, or 0 when the line is not there."""
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way < 0:
        return np.int64(0)
    add_sectors(cache.masks, block_of(cache, set, way), DIRTY, sectors)
    return np.int64(1)


@unit
def contains(cache, line):
    """The sectors of a line that are there (0: none), without counting as a use."""
    set = set_of(cache, line)
    way = find_way(cache, set, line)
    if way < 0:
        return EMPTY
    return mask_of(cache.masks, block_of(cache, set, way), THERE)


@inlined
def _bring(cache, set, line, now):
    """Give a line a block of its set, without sectors; returns (the line that had to go or -1, the way)."""
    gone = np.int64(-1)
    way = np.int64(cache.held[set])
    if way < cache.ways:
        cache.held[set] += 1
    else:
        way = victim(cache.replacement, set)
        gone = _evict(cache, block_of(cache, set, way))
    block = block_of(cache, set, way)
    write_tag(cache, set, way, line)
    set_mask(cache.masks, block, DIRTY, EMPTY)
    set_mask(cache.masks, block, PARTLY, EMPTY)
    arrive(cache.replacement, set, way, now)
    return gone, way


@out_of_line
def _note_written(cache, block):
    """Keep which bytes of the dirty sectors of a block were stored; all of those that are there."""
    for word in range(WORDS):
        cache.evicted_written[word] = cache.written[block, word]
    left = cache.evicted_dirty & ~cache.evicted_partly
    while left != EMPTY:
        sector = lowest(left)
        left = rest(left)
        mark_bytes(cache.evicted_written, sector << cache.sector_shift, ((sector + 1) << cache.sector_shift) - 1)


@inlined
def _evict(cache, block):
    """Note what is lost with the line in a block; returns its number."""
    cache.evicted_dirty = mask_of(cache.masks, block, DIRTY)
    cache.evictions += 1
    if cache.evicted_dirty != EMPTY:
        cache.write_backs += 1
        cache.written_back += popcount(cache.evicted_dirty)
        cache.evicted_partly = cache.evicted_dirty & mask_of(cache.masks, block, PARTLY)
        if cache.evicted_partly != EMPTY:
            _note_written(cache, block)
    return np.int64(cache.tag[block]) - 1
