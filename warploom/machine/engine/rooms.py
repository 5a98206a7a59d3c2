"""Rooms: where the arrays lie whose length a machine chooses, behind the record to which they belong.

Not hardware. `Gpu` and `Core` are one type of record for all machines, since native code is compiled for a type. What differs from machine
to machine is how many rows a few large arrays have: lines of a cache, registers of a thread, requests that may wait. Those lie in rooms
(engine/layout.py): the record says how far away. Records of one array are as long as their rooms together, so one is a copy of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.layout import (
    CACHE_LINE,
    CACHE_SETS,
    MANY_ROWS,
    SETS_APART,
    has_rooms,
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
        words = held.view(np.int64).reshape(-1, self.size // 8)
        numbers = np.array([room.numbers for room, _ in self.rooms], np.int64)
        words[:, numbers // 8] = np.array([begin for _, begin in self.rooms], np.int64) - numbers
        words[:, numbers // 8 + 1] = [room.rows for room, _ in self.rooms]


def plan_of(kind: np.dtype, rooms: Rooms) -> Plan:
    """Where the rooms of a record lie: the largest last, whose rows are often not in use up to the end. rooms: their rows.

    Each begins a line of the host's cache, and those side by side in different sets of it. Raises KeyError for a room that is not there.
    """
    return _placed(kind, tuple(_rows_in(kind, rooms)))


@lru_cache(64)
def _placed(kind: np.dtype, rows: tuple[int, ...]) -> Plan:
    """Machines of one size have one plan. rows: of each of `_rooms_in`."""
    if not rows:
        return Plan([], kind.itemsize)
    found = [Room(numbers, count, row) for (numbers, row), count in zip(_rooms_in(kind), rows, strict=True)]
    placed, end, tables = [], _up(kind.itemsize), 0
    for room in sorted(found, key=lambda room: room.size):
        if room.rows >= MANY_ROWS:
            end += (tables * SETS_APART - end // CACHE_LINE) % CACHE_SETS * CACHE_LINE
            tables += 1
        placed.append((room, end))
        end += _odd(room.size)
    return Plan(placed, _odd(end))


@cache
def _own_rooms(kind: np.dtype) -> tuple[tuple[str, int, int, int], ...]:
    """The rooms of a record itself: (name, most rows, byte of its two numbers, bytes of a row)."""
    found: dict[int, tuple[str, int, int, int]] = {}
    for name in kind.names or ():
        form, offset = kind.fields[name][:2]  # type: ignore[index]
        if is_room(form) and offset not in found:
            entry, shape = row_of_room(form)
            found[offset] = (*room_name(form), offset, entry.itemsize * prod(shape))
    return tuple(found.values())


@cache
def _rooms_in(kind: np.dtype) -> tuple[tuple[int, int], ...]:
    """Of each room of a record, and then of the records in it: the byte of its two numbers, and bytes of a row."""
    found = [(offset, row) for _, _, offset, row in _own_rooms(kind)]
    for name in records_in(kind):
        form, begin = kind.fields[name][:2]  # type: ignore[index]
        for place in range(begin, begin + form.itemsize, form.base.itemsize):
            found += [(place + offset, row) for offset, row in _rooms_in(form.base)]
    return tuple(found)


def _rows_in(kind: np.dtype, rooms: Rooms) -> Iterator[int]:
    """The rows of each room of `_rooms_in`."""
    inside = records_in(kind)
    if unknown := rooms.keys() - {name for name, *_ in _own_rooms(kind)} - set(inside):
        raise KeyError(f"a record has no room {min(unknown)!r}")
    for name, most, *_ in _own_rooms(kind):
        yield int(rooms.get(name, most))
    for name in inside:
        form = kind[name]
        if name in rooms or has_rooms(form.base):
            yield from tuple(_rows_in(form.base, rooms.get(name, {}))) * prod(form.shape)


def _up(size: int) -> int:
    return -(-size // CACHE_LINE) * CACHE_LINE


def _odd(size: int) -> int:
    """So many bytes or more: an odd number of lines, so that what lies one after the other begins in all sets in turn."""
    return (_up(size) // CACHE_LINE | 1) * CACHE_LINE if size else 0
