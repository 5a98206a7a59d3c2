"""Event wheel: what the memory system will do, and when.

A level of the memory system answers a request some cycles later. Hardware holds the request in a queue for that
long; here it lies on a wheel of 1,024 slots, slot = cycle modulo 1,024, each slot a list in order of arrival. Putting
an event down and taking it up cost the same few instructions however many are waiting, and
finding the next cycle in which anything happens is a look at a bitmap (Varghese and Lauck, "Hashed and
hierarchical timing wheels", SOSP 1987).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import bit, lowest
from warploom.machine.engine.sizes import WHEEL_EVENTS
from warploom.machine.engine.unit import FOREVER, part, rare, record, unit

SLOTS = 1024

Wheel = record(
    first=("i4", SLOTS),       # index + 1 of the first event of a slot; 0 for none
    last=("i4", SLOTS),
    occupied=("u8", SLOTS // 64),
    time=("i8", WHEEL_EVENTS),     # cycle in which an event happens
    kind=("i4", WHEEL_EVENTS),     # what happens: the user's numbers
    core=("i4", WHEEL_EVENTS),     # which core asked
    line=("i8", WHEEL_EVENTS),
    sectors=("u8", WHEEL_EVENTS),
    tag=("i8", WHEEL_EVENTS),      # the user's own
    next=("i4", WHEEL_EVENTS),
    free=("i4", WHEEL_EVENTS),     # stack of indices given back
    freed="i8",                # how many those are
    used="i8",                 # indices never given out start here
)  # fmt: skip


@part
def events_waiting(wheel):
    """How many events lie on the wheel."""
    return wheel.used - wheel.freed


@part
def room(wheel):
    """How many more events fit."""
    return WHEEL_EVENTS - events_waiting(wheel)


@part
def may_happen(wheel, now):
    """Whether an event may happen in cycle `now`."""
    return wheel.first[now & (SLOTS - 1)] != 0


@unit
def schedule(wheel, time, kind, core, line, sectors, tag):
    """Let an event happen at `time`, which lies in the future. The caller has made sure that there is room."""
    if wheel.freed > 0:
        wheel.freed = wheel.freed - 1
        index = np.int64(wheel.free[wheel.freed])
    else:
        index = wheel.used
        wheel.used = wheel.used + 1
    wheel.time[index] = time
    wheel.kind[index] = kind
    wheel.core[index] = core
    wheel.line[index] = line
    wheel.sectors[index] = sectors
    wheel.tag[index] = tag
    _append(wheel, time & (SLOTS - 1), index)


@part
def _append(wheel, slot, index):
    wheel.next[index] = 0
    if wheel.first[slot] == 0:
        wheel.first[slot] = index + 1
        wheel.occupied[slot >> 6] |= bit(slot & 63)
    else:
        wheel.next[wheel.last[slot] - 1] = index + 1
    wheel.last[slot] = index + 1


@part
def take(wheel, now):
    """Index of the next event of cycle `now`, taken off the wheel; -1 when there is none left.

    Its fields stay readable until `schedule` is called with the index given back by `give_back`.
    """
    slot = now & (SLOTS - 1)
    link = np.int64(wheel.first[slot])
    if link == 0:
        return np.int64(-1)
    if wheel.time[link - 1] > now:
        return _take_from_behind(wheel, slot, link, now)
    after = wheel.next[link - 1]
    wheel.first[slot] = after
    if after == 0:
        wheel.occupied[slot >> 6] &= ~bit(slot & 63)
    return link - 1


@rare
def _take_from_behind(wheel, slot, link, now):
    """`take` where the first event of the slot is one of a later round: some 1,000 cycles ahead."""
    before = link
    link = np.int64(wheel.next[before - 1])
    while link != 0:
        if wheel.time[link - 1] <= now:
            after = wheel.next[link - 1]
            wheel.next[before - 1] = after
            if after == 0:
                wheel.last[slot] = before
            return link - 1
        before = link
        link = np.int64(wheel.next[link - 1])
    return np.int64(-1)


@part
def give_back(wheel, index):
    """The event's fields have been read; its place may be used again."""
    wheel.free[wheel.freed] = index
    wheel.freed = wheel.freed + 1


@part
def next_time(wheel, now):
    """The next cycle after `now` in which an event may happen; FOREVER when none waits. Never too late."""
    if events_waiting(wheel) == 0:
        return np.int64(FOREVER)
    start = (now + 1) & (SLOTS - 1)
    word = start >> 6
    bits = wheel.occupied[word] & ~(bit(start & 63) - np.uint64(1))
    for step in range(SLOTS // 64 + 1):
        if bits != np.uint64(0):
            slot = (((word + step) & (SLOTS // 64 - 1)) << 6) + lowest(bits)
            return now + 1 + ((slot - start) & (SLOTS - 1))
        bits = wheel.occupied[(word + step + 1) & (SLOTS // 64 - 1)]
    return np.int64(FOREVER)
