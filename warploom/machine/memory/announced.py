# mypy: disable-error-code="no-untyped-def"
"""What a large cache will be asked soon, so that the host can fetch it meanwhile.

Not hardware: nothing happens in the cache. Tags, stamps and masks of the second-level cache take two megabytes, more than a core of the
host has in caches of its own, and what a request needs of them is seldom there. A request is announced where it is sent, and a fill where
it is known that there will be one, hundreds of cycles ahead. Caches whose lines hang in chains (tag_match.py) are small enough.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.intrinsics import fetch_ahead
from warploom.machine.engine.unit import CACHE_LINE, inlined, native_form_of
from warploom.machine.memory.block import block_of
from warploom.machine.memory.cache import set_of
from warploom.machine.memory.replacement import FIFO, oldest_way

STAMPS_A_LINE = CACHE_LINE // 8  # stamps in a line of the host's cache


@inlined
def announce(cache, line):
    """A line will be looked up soon. Nothing happens in the cache."""


@native_form_of(announce)
@inlined
def fetch_tags(cache, line):
    """The host fetches the tags of its set meanwhile: those of a large cache lie far away."""
    if cache.comparators != 0:
        first = set_of(cache, line) * cache.ways
        fetch_ahead(cache.tag, first)
        fetch_ahead(cache.tag, first + cache.ways - 1)


@inlined
def announce_fill(cache, line):
    """A line that is not there will be filled. Nothing happens in the cache."""


@native_form_of(announce_fill)
@inlined
def fetch_stamps(cache, line):
    """The host fetches meanwhile what tells the line that has to go."""
    if cache.comparators != 0:
        first = set_of(cache, line) * cache.ways
        for way in range(0, cache.ways, STAMPS_A_LINE):
            fetch_ahead(cache.replacement.stamp, first + way)
        fetch_ahead(cache.replacement.stamp, first + cache.ways - 1)


@inlined
def announce_arrival(cache, line):
    """A line that was announced for a fill will soon be there. Nothing happens in the cache."""


@native_form_of(announce_arrival)
@inlined
def fetch_masks(cache, line):
    """The host fetches what the cache has of the line that would have to go now."""
    if cache.comparators != 0 and cache.replacement.policy <= FIFO:
        set = set_of(cache, line)
        if cache.held[set] == cache.ways:
            fetch_ahead(cache.masks[block_of(cache, set, oldest_way(cache.replacement, set))], np.int64(0))
