"""What a device keeps between two launches: the contents of memory, and those of the second-level cache.

In hardware nothing is done for it: DRAM holds what was stored, and the cache that all cores share stays as a kernel leaves it, for the
next kernel of the stream. First-level caches are not coherent, so they begin every kernel empty (CUDA C++ Programming Guide, "Device
Memory Accesses"); here instruction, constant and texture caches do, too, and DRAM has no row open. What the host copies passes
through the second-level cache, whose tags stay as they are.

The host keeps all memory in one array of words: that of a device first, then what a launch needs beside it (`storage.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.unit import zeros
from warploom.machine.memory.replacement import GROUP, SPAN
from warploom.machine.memory.sector_masks import table_of

OF_BLOCKS = ("link", "tag", "written")  # what a cache has of each block that holds a line, beside its masks and what its policy keeps


class Tags(NamedTuple):
    """What a cache holds, without the blocks that hold nothing: most of them, after a short kernel.

    blocks: which ones hold a line. rows: of each of OF_BLOCKS, theirs; masks: theirs. stamp: of them, what a user's policy keeps.
    used, bound: when a line and one of a group was last used, in cycles of the next launch, negative.
    held, chain, tree: (indices, values) of what is not 0 of these fields. random: this field. passed: cycles of all launches until now.
    """

    blocks: np.ndarray
    rows: tuple[np.ndarray, ...]
    masks: np.ndarray
    stamp: np.ndarray
    used: np.ndarray
    held: tuple[np.ndarray, np.ndarray]
    chain: tuple[np.ndarray, np.ndarray]
    tree: tuple[np.ndarray, np.ndarray]
    bound: np.ndarray
    random: int
    passed: int

    @classmethod
    def of(cls, cache: Any, cycle: int) -> Tags:
        """The contents of a cache (a record) in a cycle, the last one of its run."""
        lines, replacement = int(cache["sets"]) * int(cache["ways"]), cache["replacement"]
        blocks = np.flatnonzero(cache["tag"][:lines])
        groups = lines // 8 if int(cache["ways"]) > 2 * GROUP else 0  # else nobody looks at them
        since = int(replacement["since"]) - cycle
        chains = 0 if int(cache["comparators"]) else int(cache["chain_mask"]) + 1  # where tags are compared there are none
        return cls(
            blocks,
            tuple(cache[name][blocks] for name in OF_BLOCKS),
            table_of(cache["masks"])[blocks],
            replacement["stamp"][blocks],
            replacement["used"][blocks].astype(np.int64) + since,
            _not_zero(cache["held"][: int(cache["sets"])]),
            _not_zero(cache["chain"][:chains]),
            _not_zero(replacement["bits"][: int(cache["sets"])]),
            replacement["bound"][:groups].astype(np.int64) + since,
            int(replacement["random"]),
            int(replacement["passed"]) + cycle,
        )

    def put_into(self, cache: Any) -> None:
        """Into a cache of the same shape that holds nothing."""
        replacement = cache["replacement"]
        for name, rows in zip(OF_BLOCKS, self.rows, strict=True):
            cache[name][self.blocks] = rows
        table_of(cache["masks"])[self.blocks] = self.masks
        replacement["stamp"][self.blocks] = self.stamp
        for field, (indices, values) in ((cache["held"], self.held), (cache["chain"], self.chain), (replacement["bits"], self.tree)):
            field[indices] = values
        replacement["since"] = since = -SPAN // 2
        replacement["used"][self.blocks] = np.maximum(self.used - since, 0)
        replacement["bound"][: len(self.bound)] = np.maximum(self.bound - since, 0)
        replacement["random"], replacement["passed"] = self.random, self.passed


def _not_zero(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    indices = np.flatnonzero(values)
    return indices, values[indices]


class Held:
    """Memory of `capacity` bytes, all zero, and an empty second-level cache. used: bytes from address 0 on that a launch may access."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.used = capacity, 0
        self.words = zeros((capacity + 3) // 4, np.uint32)
        self.tags: Tags | None = None  # of the second-level cache; None: it holds nothing

    @property
    def bytes(self) -> np.ndarray:
        """uint8[capacity]: memory."""
        return self.words.view(np.uint8)[: self.capacity]

    def room(self, words: int) -> np.ndarray:
        """uint32[words or more]: memory, with room after it. What was in that room before is still there."""
        if words > len(self.words):
            longer = zeros(words, np.uint32)
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
        found.tags = self.tags  # which nobody changes
        return found

    def take(self, other: Held) -> None:
        """Become what another one is, which is not used any more."""
        self.used, self.words, self.tags = other.used, other.words, other.tags

    def drop_caches(self) -> None:
        """The second-level cache holds nothing. What it had not written to memory is there: caches here hold no data."""
        self.tags = None

    def put_into(self, cache: Any) -> None:
        """The second-level cache of a machine before its first cycle holds what it held after the last launch."""
        if self.tags is not None:
            self.tags.put_into(cache)

    def take_from(self, cache: Any, cycle: int) -> None:
        """Keep what the cache of a machine holds in a cycle: its last one. The next launch begins anew with cycle 0."""
        self.tags = Tags.of(cache, cycle)
