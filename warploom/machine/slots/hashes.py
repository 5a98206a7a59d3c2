"""The slots of the address hashes: which set of a cache a line belongs to, and which slice and channel."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import unit
from warploom.machine.memory.address_hash import ASKED, AddressHash, channel_place, group_of
from warploom.machine.memory.cache import set_in_slice, set_of
from warploom.machine.slots.slot import Door

NUMBER = np.dtype(np.int64)
KINDS = ((NUMBER, (AddressHash, NUMBER)),)
EXPECTED = "a hash returns a place, 0 to hash.places - 1, and of one line always the same"
PLACE_BITS = 24  # of a row of what has been asked; the line is above


@unit
def users_set(hash, line):
    """A user's function stands in this place."""
    return np.int64(0)


@unit
def set_of_users(cache, line):
    """`set_of` in a machine with a user's hash of the sets."""
    return set_in_slice_users(cache, channel_place(cache.slices, line), line)


@unit
def set_in_slice_users(cache, slice, line):
    """`set_in_slice` of such a machine. The lines of a slice are numbered through."""
    return np.int64(slice * cache.slice_sets.places + users_set(cache.slice_sets, group_of(cache.slices, line)))


def is_a_place(result: Any, hash: Any, line: Any) -> bool:
    """Whether a result is one of the places, and the same as before for this line.

    A line that moved would be looked for in the wrong place: its answer would find no waiter, and its waiters would never end.
    """
    if result < 0 or result >= max(hash.places, 1):
        return False
    row = line % ASKED
    before = hash.asked[row]
    hash.asked[row] = line << PLACE_BITS | (result + 1)
    return bool(before == 0 or before >> PLACE_BITS != line or before == hash.asked[row])


def set_swaps(hash: Callable[..., int]) -> Swaps:
    """Every cache's sets: of the first level, of the second, of textures."""
    return (set_of, set_of_users), (set_in_slice, set_in_slice_users), (users_set, Socket("set_hash", hash, KINDS, is_a_place, EXPECTED))


def channel_swaps(hash: Callable[..., int]) -> Swaps:
    """Slices of the second-level cache, and channels of DRAM."""
    return ((channel_place, Socket("channel_hash", hash, KINDS, is_a_place, EXPECTED)),)


SETS, CHANNELS = Door(set_swaps), Door(channel_swaps)
