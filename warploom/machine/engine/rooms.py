"""Rooms: where the arrays lie whose length a machine chooses, behind the record to which they belong.

Not hardware. `Gpu` and `Core` are one type of record for all machines, since native code is compiled for a type. What differs from machine
to machine is how many rows a few large arrays have: lines of a cache, registers of a thread, requests that may wait. Those lie in rooms
(engine/layout.py): the record says how far away. Records of one array are as long as their rooms together, so one is a copy of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.layout import (
    CACHE_LINE,
    CACHE_SETS,
    MANY_ROWS,
    SETS_APART,
    is_room,
    records_in,
    room_name,
    row_of_room,
)

Rooms = Mapping[str, Any]  # rows by the name of a room; rooms of a record in this one by the name of its field


class Room(NamedTuple):
    """One of a record: where its two numbers lie, how many rows it has, and bytes of a row."""

    numbers: int
    rows: int
    row: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.rows * self.row


class Plan(NamedTuple):
    """A record with its rooms. rooms: each, and the byte from the record's first at which it begins. size: bytes of both together."""

    rooms: list[tuple[Room, int]]
    size: int

    def write(self, held: np.ndarray) -> None:
        """The numbers of all rooms. held: uint8[n x size], records one after the other."""
        words = held.reshape(-1, self.size)
        for room, begin in self.rooms:
            numbers = words[:, room.numbers : room.numbers + 16].view(np.int64)
            numbers[:, 0], numbers[:, 1] = begin - room.numbers, room.rows


def plan_of(kind: np.dtype, rooms: Rooms) -> Plan:
    """Where the rooms of a record lie: the largest last, whose rows are often not in use up to the end. rooms: their rows.

    Each begins a line of the host's cache, and those side by side in different sets of it. Raises KeyError for a room that is not there.
    """
    found = list(_rooms_in(kind, rooms, 0)) if kind.names else []
    if not found:
        return Plan([], kind.itemsize)
    placed, end, tables = [], _up(kind.itemsize), 0
    for room in sorted(found, key=lambda room: room.size):
        if room.rows >= MANY_ROWS:
            end += (tables * SETS_APART - end // CACHE_LINE) % CACHE_SETS * CACHE_LINE
            tables += 1
        placed.append((room, end))
        end += _odd(room.size)
    return Plan(placed, _odd(end))


def _rooms_in(kind: np.dtype, rooms: Rooms, begin: int) -> Iterator[Room]:
    """Those of a record that begins at a byte."""
    inside = records_in(kind)
    seen: dict[int, str] = {}
    known = set(inside)
    for name in kind.names or ():
        form, offset = kind.fields[name][:2]  # type: ignore[index]
        if is_room(form):
            room, most = room_name(form)
            known.add(room)
            if offset not in seen:
                entry, shape = row_of_room(form)
                yield Room(begin + offset, int(rooms.get(room, most)), entry.itemsize * int(np.prod(shape)))
            seen[offset] = room
    for name in inside:
        form, offset = kind.fields[name][:2]  # type: ignore[index]
        for number in range(int(np.prod(form.shape))):
            yield from _rooms_in(form.base, rooms.get(name, {}), begin + offset + number * form.base.itemsize)
    if unknown := rooms.keys() - known:
        raise KeyError(f"a record has no room {min(unknown)!r}")


def _up(size: int) -> int:
    return -(-size // CACHE_LINE) * CACHE_LINE


def _odd(size: int) -> int:
    """So many bytes or more: an odd number of lines, so that what lies one after the other begins in all sets in turn."""
    return (_up(size) // CACHE_LINE | 1) * CACHE_LINE if size else 0
