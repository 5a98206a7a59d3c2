# mypy: disable-error-code="no-untyped-def"
"""Tag match: in which way of its set a line lies.

In hardware: a comparator for each way, all at work at once, followed by a priority encoder.

`find_way` says what is wanted, and is what plain Python runs. Natively eight ways are compared at once: next to its tag every block has
a *partial tag*, eight bits made from the whole line number, and the partial tags of eight ways share a word. (Hardware has partial tags
too, to choose a way before the whole comparison is done: Kessler, Jooss, Lebeck and Hill, "Inexpensive Implementations of
Set-Associativity", ISCA 1989.)
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, lowest, rest
from warploom.machine.engine.unit import inlined, native_form_of, unit
from warploom.machine.memory.block import block_of

EACH_BYTE = np.uint64(0x0101010101010101)
HIGHEST_BITS = np.uint64(0x8080808080808080)
GOLDEN_RATIO = 0x9E3779B1  # times 2^-32: spreads lines that are alike in their low bits, as those of a set are


@unit
def find_way(cache, set, line):
    """The way of a set in which a line lies, or -1."""
    for way in range(cache.ways):
        if cache.tag[block_of(cache, set, way)] == line + 1:
            return way
    return -1


@native_form_of(find_way)
@unit
def find_way_by_partial_tags(cache, set, line):
    """Eight ways a step: only where the partial tags agree, which is seldom another line's, is the whole tag read.

    A byte of `differing` is zero where they agree, and then the subtraction sets its highest bit. It may do so in the byte above it as
    well: one tag more is read.
    """
    wanted = partial_tag(line) * EACH_BYTE
    for word in range(cache.words):
        differing = cache.partial[set * cache.words + word] ^ wanted
        agreeing = (differing - EACH_BYTE) & ~differing & HIGHEST_BITS
        while agreeing != EMPTY:
            way = (word << 3) + (lowest(agreeing) >> 3)
            if cache.tag[block_of(cache, set, way)] == line + 1:
                return way
            agreeing = rest(agreeing)
    return -1


@inlined
def write_tag(cache, set, way, line):
    """A line comes to lie in a way."""
    cache.tag[block_of(cache, set, way)] = line + 1
    word = set * cache.words + (way >> 3)
    shift = np.uint64((way & 7) << 3)
    cache.partial[word] = (cache.partial[word] & ~(np.uint64(0xFF) << shift)) | (partial_tag(line) << shift)


@inlined
def partial_tag(line):
    """Eight bits made from a whole line number."""
    return np.uint64((line * GOLDEN_RATIO >> 24) & 0xFF)
