"""Tag match: in which way of its set a line lies.

In hardware: a comparator for each way, all working in parallel, followed by a priority encoder. A cache of 256 ways has its tags in a small
associative memory for that.

Here the tags of up to COMPARED ways are compared, as in hardware. With more ways every line that is in a cache hangs in a chain of those
with the same hash, so that a match takes a comparison or two however many there are.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, lowest
from warploom.machine.engine.comparators import matching
from warploom.machine.engine.unit import inlined, native_form_of, unit
from warploom.machine.memory.block import block_of

GOLDEN_RATIO = 0x9E3779B1  # times 2^-32: spreads lines that are alike in their low bits, as those of a set are
SHIFT = 13


@inlined
def chain_of(cache, line):
    """The number of a line's chain."""
    return (line * GOLDEN_RATIO >> SHIFT) & cache.chain_mask


@unit
def find_way(cache, set, line):
    """The way of a set in which a line lies, or -1."""
    if cache.comparators != 0:
        return compare_tags(cache, set * cache.ways, line)
    link = np.int64(cache.chain[chain_of(cache, line)])
    while link != 0:
        if cache.tag[link - 1] == line + 1:
            return np.int64(link - 1 - set * cache.ways)
        link = np.int64(cache.link[link - 1])
    return np.int64(-1)


@unit
def compare_tags(cache, first, line):
    """The way with a line, of the set whose blocks begin at `first`, or -1."""
    for way in range(cache.ways):
        if cache.tag[first + way] == line + 1:
            return np.int64(way)
    return np.int64(-1)


@native_form_of(compare_tags)
@unit
def compare_tags_at_once(cache, first, line):
    """All comparators at work. Beyond the set they find nothing: a line lies in one set."""
    if cache.ways == 1:
        return np.int64(0 if cache.tag[first] == line + 1 else -1)
    found = matching(cache.tag, first, np.uint32(line + 1))
    return lowest(found) if found != EMPTY else np.int64(-1)


@unit
def write_tag(cache, set, way, line):
    """A line comes to lie in a way, in the place of the one that lay there."""
    block = np.int64(block_of(cache, set, way))
    if cache.comparators == 0:
        _rechain(cache, block, line)
    cache.tag[block] = line + 1


@inlined
def _rechain(cache, block, line):
    """A line takes the place of the one in a block."""
    old = np.int64(cache.tag[block]) - 1
    if old >= 0:
        _unchain(cache, block, old)
    chain = chain_of(cache, line)
    cache.link[block] = cache.chain[chain]
    cache.chain[chain] = block + 1


@inlined
def _unchain(cache, block, line):
    """Take a block with a line out of its chain."""
    chain = chain_of(cache, line)
    link = np.int64(cache.chain[chain])
    if link == block + 1:
        cache.chain[chain] = cache.link[block]
        return
    while cache.link[link - 1] != block + 1:
        link = np.int64(cache.link[link - 1])
    cache.link[link - 1] = cache.link[block]
