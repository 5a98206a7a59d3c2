"""Replacement: which line of a full set makes room for a new one.

In hardware: a few bits beside the tags of a set, written when a line arrives or is used, read when one must go.

* `lru`, least recently used: the whole order of a set, log2(ways!) bits. Here: the cycle of a line's last use.
* `fifo`, first in, first out: a counter per set. Here: the cycle in which a line arrived; a use changes nothing.
* `plru`, tree pseudo-LRU: ways - 1 bits per set, a binary tree whose nodes point away from the half used last; needs a
  power of two of ways. Source: So and Rechtschaffen, "Cache Operations by MRU Change", IEEE Trans. Computers 1988.
* `random`: one shift register for the whole cache and nothing a set. Here: Marsaglia's xorshift64 ("Xorshift RNGs",
  Journal of Statistical Software 2003), so that a run with the same seed always takes the same lines.

Among lines with the same cycle, the one in the lowest way goes first. A cycle is kept in 32 bits, because the state of a set is read at
random: it is counted from `since`, which advances when the bits are used up, and all lines last used before it then count as equally old.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import bit, has
from warploom.machine.engine.comparators import PLACES, least
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory.block import LINES, block_of

GROUP = PLACES  # ways
TREE_WAYS = 64  # that a tree has bits for
SPAN = 1 << 32  # cycles that 32 bits count; half of them are kept when they are used up
LRU, FIFO, PLRU, RANDOM, USERS = range(5)
POLICIES = ("lru", "fifo", "plru", "random")


def replacement_of(lines: int) -> np.dtype:
    """The record for a cache that has room for so many lines."""
    return record(
        rooms={"lines": lines, "used": lines + GROUP, "groups": lines // 8 + GROUP},
        settings=dict(
            policy="i8",          # LRU, FIFO, PLRU, RANDOM, or USERS: a policy of a user's own (slots/replacement.py)
            ways="i8",            # blocks of a set
            blocks="i8",          # of all sets
        ),
        state=dict(
            since="i8",           # cycle that `used` counts from
            used=("u4", "used"), # lru, by block: cycle of the last use, from `since` on; fifo: of the arrival
            bound=("u4", "groups"),  # if a set has many ways, by group of them: no line of it was used earlier
            bits=("u8", "lines"),   # plru, by set: bit n = node n (children 2n and 2n + 1, root 1) points to its upper half
            random="u8",          # random: the shift register, never 0
            stamp=("i8", "lines"), # by block: a number that a user's policy keeps
            passed="i8",          # cycles of earlier launches, for a user's policy: what it keeps stays as it is
        ),
    )  # fmt: skip


Replacement = replacement_of(LINES)


def check(cache: str, ways: int, replacement: str) -> None:
    """Refuse what no hardware of this policy can do. cache: the section's name, for the message. Raises ConfigError."""
    if replacement not in POLICIES:
        raise ConfigError(f"{cache}.replacement = {replacement!r}: it is one of {', '.join(POLICIES)}")
    if replacement == "plru" and (ways & (ways - 1) or ways > TREE_WAYS):
        raise ConfigError(
            f"{cache}.replacement = 'plru': its tree needs a power of two of ways, up to {TREE_WAYS}; {cache} has {ways} in a set"
        )


def configure(state: Any, sets: int, ways: int, replacement: str, seed: int) -> None:
    """Choose the policy, which `check` has passed. state: the mirror of an all-zero `Replacement`; equal seeds give equal runs."""
    state.policy = POLICIES.index(replacement)
    state.ways, state.blocks = ways, sets * ways
    state.random = np.uint64((2 * seed + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)  # odd x odd: never 0


@unit
def touch(state, set, way, now):
    """A line that is there is used in cycle `now`."""
    if state.policy == LRU:
        note_use(state, set, way, now)
    elif state.policy == PLRU:
        _point_away(state, set, way)


@unit
def arrive(state, set, way, now):
    """A new line is put into `way` in cycle `now`."""
    if state.policy == PLRU:
        _point_away(state, set, way)
    elif state.policy != RANDOM:
        note_use(state, set, way, now)


@inlined
def note_use(state, set, way, now):
    """Keep the cycle of a line's use."""
    if now - state.since >= SPAN:
        _move_on(state, now)
    state.used[block_of(state, set, way)] = now - state.since


@out_of_line
def _move_on(state, now):
    """Let `since` move on, to half a span before `now`. What lies before it moves up to it."""
    passed = np.int64(now - SPAN // 2 - state.since)
    state.since = state.since + passed
    for block in range(state.blocks):
        state.used[block] = max(np.int64(state.used[block]) - passed, np.int64(0))
    for group in range(state.blocks // 8):
        state.bound[group] = max(np.int64(state.bound[group]) - passed, np.int64(0))


@unit
def victim(state, set):
    """The way whose line goes. All ways of the set hold lines. `random` moves on by one number."""
    if state.policy == PLRU:
        return _follow(state, set)
    if state.policy == RANDOM:
        return _draw(state)
    return oldest_way(state, set)


@unit
def oldest_way(state, set):
    """The way whose line was used first; of several the lowest."""
    if state.ways <= 2 * GROUP:
        return earliest_of(state.used, set * state.ways, state.ways)
    return _oldest_of_groups(state, set)


@unit
def _oldest_of_groups(state, set):
    """`oldest_way` of many ways, in groups. Cycles only grow, so a group holds none that is earlier than its earliest was once.

    The group that may hold the earliest is examined, until it does.
    """
    groups = np.int64((state.ways + GROUP - 1) // GROUP)
    examined = np.int64(-1)
    oldest = np.int64(0)
    while True:
        group = earliest_of(state.bound, set * groups, groups)
        if group == examined:  # no other may hold an earlier one than what has just been found in it
            return oldest
        way = group * GROUP
        oldest = way + least(state.used, set * state.ways + way, min(np.int64(GROUP), state.ways - way))
        used = np.int64(state.used[set * state.ways + oldest])
        if used <= state.bound[set * groups + group]:
            return oldest
        state.bound[set * groups + group] = used
        examined = group


@inlined
def earliest_of(cycles, first, count):
    """Which of `count` cycles of a table, from index `first` on, is the earliest, counted from 0; of several the lowest."""
    earliest = least(cycles, first, min(count, np.int64(GROUP)))
    for begin in range(GROUP, count, GROUP):
        other = begin + least(cycles, first + begin, min(count - begin, np.int64(GROUP)))
        if cycles[first + other] < cycles[first + earliest]:
            earliest = np.int64(other)
    return earliest


@unit
def _draw(state):
    """The next number of the shift register, as a way."""
    x = state.random
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state.random = x
    return np.int64((x >> np.uint64(32)) % np.uint64(state.ways))


@unit
def _point_away(state, set, way):
    """Let every node on the path to `way` point to the other half."""
    tree = state.bits[set]
    node = np.int64(way) + state.ways
    while node > 1:
        parent = node >> 1
        tree = tree | bit(parent) if node & 1 == 0 else tree & ~bit(parent)
        node = parent
    state.bits[set] = tree


@unit
def _follow(state, set):
    """The way that the nodes lead to, from the root down."""
    tree = state.bits[set]
    node = np.int64(1)
    while node < state.ways:
        node = 2 * node + np.int64(has(tree, node))
    return np.int64(node - state.ways)
