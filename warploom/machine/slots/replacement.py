"""The slot of the cache's replacement policy: in the caches of all cores, and in the second-level cache.

A texture unit's cache stays as it is, a line buffer whose lines go in the order in which they came. So a policy's number says whose a cache
is, and only a machine with a user's unit reads it.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import unit
from warploom.machine.memory.block import L2_LINES, LINES
from warploom.machine.memory.replacement import USERS, arrive, note_use, oldest_way, replacement_of, touch, victim
from warploom.machine.slots.slot import Door
from warploom.machine.slots.verbs import Replacement

NUMBER = np.dtype(np.int64)
RECORDS = (replacement_of(LINES), replacement_of(L2_LINES))
USE = tuple((None, (kind, NUMBER, NUMBER, NUMBER)) for kind in RECORDS)
CHOICE = tuple((NUMBER, (kind, NUMBER)) for kind in RECORDS)


@unit
def users_hit(state, set, way, now):
    """A user's function stands in this place."""


@unit
def users_fill(state, set, way, now):
    """A user's function stands in this place."""


@unit
def users_victim(state, set):
    """A user's function stands in this place."""
    return np.int64(0)


@unit
def touch_users(state, set, way, now):
    """`touch` in a machine with a user's policy."""
    if state.policy == USERS:
        users_hit(state, set, way, now + state.passed)


@unit
def arrive_users(state, set, way, now):
    """`arrive` in a machine with a user's policy."""
    if state.policy == USERS:
        users_fill(state, set, way, now + state.passed)
    else:
        note_use(state, set, way, now)


@unit
def victim_users(state, set):
    """`victim` in a machine with a user's policy."""
    if state.policy == USERS:
        return users_victim(state, set)
    return oldest_way(state, set)


def is_a_way(result: Any, state: Any, set: Any) -> bool:
    """Whether a result is a way of the set."""
    return bool(0 <= result < state.ways)


def swaps(policy: Replacement) -> Swaps:
    """Three units, and three functions."""
    return (
        (touch, touch_users),
        (arrive, arrive_users),
        (victim, victim_users),
        (users_hit, Socket("replacement.hit", policy.hit, USE)),
        (users_fill, Socket("replacement.fill", policy.fill, USE)),
        (users_victim, Socket("replacement.victim", policy.victim, CHOICE, is_a_way, "a victim is a way of the set, 0 to s.ways - 1")),
    )


def prepare(gpu: Any, cores: list[Any]) -> None:
    """The caches that are not the texture units' follow the user's policy."""
    for cache in (gpu.l2.cache, *(core.lsu.cache for core in cores)):
        cache.replacement.policy = USERS


DOOR = Door(swaps, prepare)
