"""What a device keeps between two launches: the contents of memory, and those of the second-level cache.

In hardware nothing is done for it: DRAM holds what was stored, and the cache that all cores share stays as a kernel leaves it, for the
next kernel of the stream. First-level caches are not coherent, so they begin every kernel empty (CUDA C++ Programming Guide, "Device
Memory Accesses"); here instruction, constant and texture caches do, too, and DRAM has no row open. What the host copies passes
through the second-level cache, whose tags stay as they are.

The host keeps all memory in one array of words: that of a device first, then what a launch needs beside it (`storage.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.unit import zeros
from warploom.machine.memory.cache import L2Cache

TAGS = ("held", "chain", "link", "tag", "sectors", "dirty", "partly", "written", "replacement")  # of a cache: what a launch leaves in it


class Held:
    """Memory of `capacity` bytes, all zero, and an empty second-level cache. used: bytes from address 0 on that a launch may access."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.used = capacity, 0
        self.words = np.zeros((capacity + 3) // 4, np.uint32)
        self.tags: np.ndarray | None = None  # of type L2Cache; None: it holds nothing

    @property
    def bytes(self) -> np.ndarray:
        """uint8[capacity]: memory."""
        return self.words.view(np.uint8)[: self.capacity]

    def room(self, words: int) -> np.ndarray:
        """uint32[words or more]: memory, with room after it. What was in that room before is still there."""
        if words > len(self.words):
            longer = np.zeros(words, np.uint32)
            kept = (self.used + 3) // 4
            longer[:kept] = self.words[:kept]
            self.words = longer
        return self.words

    def copy(self) -> Held:
        """The same at this moment."""
        found = Held(self.capacity)
        found.used = self.used
        kept = (self.used + 3) // 4
        found.words[:kept] = self.words[:kept]
        found.tags = None if self.tags is None else self.tags.copy()
        return found

    def drop_caches(self) -> None:
        """The second-level cache holds nothing. What it had not written to memory is there: caches here hold no data."""
        self.tags = None

    def put_into(self, cache: np.ndarray) -> None:
        """The second-level cache of a machine before its first cycle holds what it held after the last launch."""
        if self.tags is not None:
            for name in TAGS:
                cache[name] = self.tags[name]

    def take_from(self, cache: np.ndarray, cycle: int) -> None:
        """Keep what the cache of a machine holds in a cycle: its last one. The next launch begins with cycle 0, so ages become negative."""
        if self.tags is None:
            self.tags = zeros((), L2Cache)
        for name in TAGS:
            self.tags[name] = cache[name]
        age(self.tags, cycle)


def age(tags: Any, cycles: int) -> None:
    """So many cycles go by for the stamps of a cache's replacement policy."""
    for name in ("stamp", "bound"):
        tags["replacement"][name] -= cycles
