"""Blocks: the places of a cache that hold a line each.

In hardware: a row of the tag and data SRAMs is a set, and lies side by side with its ways. Here the blocks of all sets are numbered
consecutively, set after set, and everything that is kept per block is an array over these numbers.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from warploom.machine.engine.comparators import MATCHED
from warploom.machine.engine.unit import inlined

LINES = 1 << 14  # that a core's cache has room for
L2_LINES = 1 << 20  # that the cache of all cores has room for
COMPARED = MATCHED  # ways whose tags are compared in parallel


@inlined
def block_of(cache, set, way):
    """Number of the block in a way of a set. cache: a record with `ways`, the blocks of a set."""
    return set * cache.ways + way
