"""Event wheel: what the memory system will do, and when.

A level of the memory system answers a request some cycles later. Hardware holds the request in a queue for that
long; here it lies on a wheel of 1,024 slots, slot = cycle modulo 1,024, each slot a list in order of arrival. Adding and
taking a request cost the same few instructions however many are waiting, and the next cycle in which anything happens is found
in a bitmap (Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, lowest
from warploom.machine.engine.sizes import WHEEL_EVENTS
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, record, unit
from warploom.machine.memory.request import request

SLOTS = 1024

Wheel = record(
    side_by_side=(SLOTS,),
    rooms={"events": WHEEL_EVENTS},
    apart=("free",),
    state=dict(
        first=("i4", SLOTS),           # by slot: index + 1 of its first event; 0 for none
        last=("i4", SLOTS),            # by slot: index + 1 of its last event, if it has one
        occupied=("u8", SLOTS // 64),  # bit s % 64 of word s / 64 = slot s has an event
        time=("i8", "events"),         # by event: cycle in which it happens
        kind=("i4", "events"),         # by event: its request, as in `Request`
        core=("i4", "events"),
        line=("i8", "events"),
        sectors=("u8", "events"),
        tag=("i8", "events"),
        next=("i4", "events"),         # by event: index + 1 of the next one of its slot; 0 for none
        free=("i4", "events"),         # stack of indices given back
        freed="i8",                    # how many those are
        used="i8",                     # indices never given out start here
    ),
)  # fmt: skip


@inlined
def events_waiting(wheel):
    """How many events lie on the wheel."""
    return wheel.used - wheel.freed


@inlined
def room(wheel):
    """How many more events fit."""
    return WHEEL_EVENTS - events_waiting(wheel)


@inlined
def may_happen(wheel, now):
    """Whether an event may happen in cycle `now`."""
    return wheel.first[now & (SLOTS - 1)] != 0


@unit
def schedule(wheel, time, asked):
    """Let something happen to request `asked` at `time`, which lies in the future. The caller has made sure that there is room."""
    if wheel.freed > 0:
        wheel.freed = wheel.freed - 1
        index = np.int64(wheel.free[wheel.freed])
    else:
        index = wheel.used
        wheel.used = wheel.used + 1
    wheel.time[index] = time
    wheel.kind[index] = asked.kind
    wheel.core[index] = asked.core
    wheel.line[index] = asked.line
    wheel.sectors[index] = asked.sectors
    wheel.tag[index] = asked.tag
    _append(wheel, time & (SLOTS - 1), index)


@inlined
def _append(wheel, slot, index):
    """An event becomes the last one of a slot."""
    wheel.next[index] = 0
    if wheel.first[slot] == 0:
        wheel.first[slot] = index + 1
        wheel.occupied[slot >> 6] |= bit(slot & 63)
    else:
        wheel.next[wheel.last[slot] - 1] = index + 1
    wheel.last[slot] = index + 1


@inlined
def take(wheel, now):
    """Index of the next event of cycle `now`, taken off the wheel; -1 when there is none left.

    Read it (`request_at`), then give the index back.
    """
    slot = now & (SLOTS - 1)
    link = np.int64(wheel.first[slot])
    if link == 0:
        return np.int64(-1)
    if wheel.time[link - 1] > now:
        return _take_after_later_rounds(wheel, slot, link, now)
    after = wheel.next[link - 1]
    wheel.first[slot] = after
    wheel.occupied[slot >> 6] &= ~(bit(slot & 63) if after == 0 else EMPTY)
    return link - 1


@out_of_line
def _take_after_later_rounds(wheel, slot, link, now):
    """`take` if the first event of the slot is one of a later round of the wheel: 1,024 cycles or more ahead."""
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


@inlined
def request_at(wheel, index):
    """The request of an event."""
    return request(wheel.kind[index], wheel.core[index], wheel.line[index], wheel.sectors[index], wheel.tag[index])


@inlined
def give_back(wheel, index):
    """The event has been read; its place may be used again."""
    wheel.free[wheel.freed] = index
    wheel.freed = wheel.freed + 1


@inlined
def next_time(wheel, now):
    """The next cycle after `now` in which an event may happen; FOREVER when none waits. Never too late."""
    if events_waiting(wheel) == 0:
        return np.int64(FOREVER)
    start = (now + 1) & (SLOTS - 1)
    word = start >> 6
    bits = wheel.occupied[word] & ~(bit(start & 63) - np.uint64(1))
    for step in range(SLOTS // 64 + 1):
        if bits != EMPTY:
            slot = (((word + step) & (SLOTS // 64 - 1)) << 6) + lowest(bits)
            return now + 1 + ((slot - start) & (SLOTS - 1))
        bits = wheel.occupied[(word + step + 1) & (SLOTS // 64 - 1)]
    return np.int64(FOREVER)
