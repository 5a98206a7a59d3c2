"""Layout: where the fields of a record lie in memory.

Not hardware. Who simulates a core touches a few numbers of each of its units in every cycle, and in how many lines of the host's cache
those lie is what it pays for. These rules change nothing but the speed:

* Small fields come first, then arrays, the longest last, whatever the order in which a record names them.
* Fields of a cache line or more begin a cache line, as does what follows the record, so that a row of lanes is not spread over one line
  more than it needs (on such a row that costs a third of the speed).
* Of a table of many rows the first few are in use. Tables of a power of two of bytes, one after the other, would share one set of that
  cache, which has room for eight lines; so they begin in sets that differ, as do large records side by side (a tenth of the speed, a
  fifth with 16 cores).
* Arrays of one shape may lie *side by side*: what belongs to one warp, or to one request, is one row. Units see a structure of arrays,
  and the host has an array of structures. A core of 4 warps has its warp table in 8 lines so, where each of its 19 fields would take one
  or two; with 16 such cores less than half as many accesses miss the host's cache, and half as many its table of pages.

In NumPy's terms the form of a field that lies in rows is a record of one field, `AT`, as long as a row. `Records` and `field_of` read it
as the array that it is.

A field may lie in a *room*: an array whose first dimension is the machine's choice, such as the lines of a cache. The record holds two
numbers for it, how many bytes from here its rows begin, and how many there are; the rows lie behind the record. Fields of one shape in one
room lie side by side and share the two numbers. So one type of record, and one native code, serves machines of all sizes (engine/rooms.py).
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

LARGE = 1 << 20  # bytes from which on an array is mapped by itself
# What is never touched is not reserved either: a host counts what is, when a process forks.
_NOT_RESERVED = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
_PRIVATE: dict[str, Any] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NOT_RESERVED} if hasattr(mmap, "MAP_PRIVATE") else {}
)  # not on Windows
CACHE_LINE = 64  # bytes of a line of the cache of the machine that simulates
CACHE_SETS = 64  # sets of its first-level cache
SETS_APART = 11  # sets from the beginning of one table to that of the next: odd, so that every set comes in turn
MANY_ROWS = 1024  # of a table
AT = "at"  # the one field of an entry that lies in a row
PLACE, ROWS = "place", "rows"  # of a room: bytes from here to its first row, and how many rows it has
ROOM_BYTES = 16  # of these two numbers

Shape = int | tuple[int, ...]


class Layout(NamedTuple):
    """forms: the fields' types, in their order. offsets: where they begin. size: of the record, and where the next one begins. In bytes."""

    forms: list[np.dtype]
    offsets: list[int]
    size: int


class _Block(NamedTuple):
    """Fields that are placed together: one, or several side by side. within: by field, where it begins in the block."""

    within: dict[str, int]
    size: int
    alignment: int
    rows: int


def lay_out(
    forms: dict[str, np.dtype],
    side_by_side: tuple[Shape, ...] = (),
    apart: tuple[str, ...] = (),
    rooms: Mapping[str, tuple[str, int]] = MappingProxyType({}),
) -> Layout:
    """The layout of a record of some fields.

    side_by_side: arrays of numbers of these shapes lie in rows, but for the fields `apart`. rooms: of each field that lies in one, the
    room's name and the most rows that it may have; its form is that of one row.
    """
    rows, forms = forms, dict(forms)
    blocks = _room_blocks(rows, rooms, apart, into=forms)
    for shape in side_by_side:
        names = [name for name, form in forms.items() if _has_shape(form, shape) and name not in apart and name not in rooms]
        if names:
            blocks.append(_row_block(forms, names))
    placed = {name for block in blocks for name in block.within}
    blocks += [_block_of(name, form) for name, form in forms.items() if name not in placed]
    offsets: dict[str, int] = {}
    end, widest, tables = 0, 1, 0
    for block in sorted(blocks, key=lambda block: block.size if block.size >= CACHE_LINE else 0):
        end = _up(end, block.alignment)
        if block.rows >= MANY_ROWS:
            end += (tables * SETS_APART - end // CACHE_LINE) % CACHE_SETS * CACHE_LINE
            tables += 1
        offsets |= {name: end + within for name, within in block.within.items()}
        end += block.size
        widest = max(widest, block.alignment)
    size = _up(end, widest)
    if size >= CACHE_SETS * CACHE_LINE and size // CACHE_LINE % 2 == 0:
        size += CACHE_LINE
    return Layout(list(forms.values()), [offsets[name] for name in forms], size)


def _has_shape(form: np.dtype, shape: Shape) -> bool:
    return form.base.names is None and form.shape == (shape if isinstance(shape, tuple) else (shape,))


def _block_of(name: str, form: np.dtype) -> _Block:
    """A field by itself."""
    alignment = CACHE_LINE if form.itemsize >= CACHE_LINE else (form.base.alignment or 1)
    return _Block({name: 0}, form.itemsize, alignment, form.shape[0] if form.shape else 1)


def _row_block(forms: dict[str, np.dtype], names: list[str]) -> _Block:
    """Fields side by side, whose forms become those of entries in rows. A row is no longer than it has to be to begin where a line does."""
    within, end = {}, 0
    for name in sorted(names, key=lambda name: -forms[name].base.itemsize):
        within[name] = end
        end += forms[name].base.itemsize
    row = _up(end, min(CACHE_LINE, 1 << (end - 1).bit_length()))
    entries = int(np.prod(forms[names[0]].shape))
    for name in names:
        layout: Any = {"names": [AT], "formats": [forms[name].base], "offsets": [0], "itemsize": row}
        forms[name] = np.dtype((np.dtype(layout), forms[name].shape))
    return _Block(within, entries * row + max(within.values()), CACHE_LINE, forms[names[0]].shape[0])


def _room_blocks(
    rows: dict[str, np.dtype], rooms: Mapping[str, tuple[str, int]], apart: tuple[str, ...], into: dict[str, np.dtype]
) -> list[_Block]:
    """The numbers of each room: one pair for the fields of one shape that lie in one room, one for each field `apart`.

    rows: of each field the form of a row. into: where the forms of rooms are put.
    """
    together: dict[Any, list[str]] = {}
    for name, (room, _) in rooms.items():
        together.setdefault(name if name in apart else (room, rows[name].shape), []).append(name)
    for names in together.values():
        within, end = {}, 0
        for name in sorted(names, key=lambda name: -rows[name].base.itemsize):
            within[name] = end
            end += rows[name].base.itemsize
        size = end if len(names) == 1 else _up(end, min(CACHE_LINE, 1 << (end - 1).bit_length()))
        for name in names:
            entry: Any = {"names": [AT], "formats": [rows[name].base], "offsets": [within[name]], "itemsize": size}
            layout: Any = {
                "names": [PLACE, ROWS, AT],
                "formats": ["i8", "i8", (np.dtype(entry), (0, *rows[name].shape))],
                "offsets": [0, 8, ROOM_BYTES],
                "itemsize": ROOM_BYTES,
                "titles": [None, "{} {}".format(*rooms[name]), None],  # titles are part of what tells one type from another
            }
            into[name] = np.dtype(layout)
    return [_Block(dict.fromkeys(names, 0), ROOM_BYTES, 8, 1) for names in together.values()]


def _up(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment


def is_room(form: np.dtype) -> bool:
    """Whether a field of this form lies in a room."""
    return form.names == (PLACE, ROWS, AT)


@cache
def has_rooms(kind: np.dtype) -> bool:
    """Whether a record, or one in it, has a room."""
    return any(is_room(kind[name]) for name in kind.names or ()) or any(has_rooms(kind[name].base) for name in records_in(kind))


def room_name(form: np.dtype) -> tuple[str, int]:
    """The name of a field's room, and the most rows that it may have."""
    name, most = form.fields[ROWS][2].split()  # type: ignore[index, misc]
    return name, int(most)


def row_of_room(form: np.dtype) -> tuple[np.dtype, tuple[int, ...]]:
    """The form of an entry of a field in a room, and the shape of a row of such entries."""
    entry, shape = form.fields[AT][0].subdtype  # type: ignore[index, misc]
    return entry, shape[1:]


def in_rows(form: np.dtype) -> bool:
    """Whether a field of this form lies side by side with others."""
    return form.base.names == (AT,)


@cache
def records_in(kind: np.dtype) -> tuple[str, ...]:
    """The fields of a record that are records, or arrays of them."""
    forms = ((name, kind[name].base) for name in kind.names or ())
    return tuple(name for name, form in forms if form.names and not in_rows(form) and not is_room(form))


def field_of(array: np.ndarray, name: str) -> np.ndarray:
    """A field of a structured array, of each of its records; a view, also where it lies in rows or in a room."""
    found = np.ndarray.__getitem__(array, name)
    if is_room(found.dtype):
        found = _in_room(found)
    return np.ndarray.__getitem__(found, AT) if in_rows(found.dtype) else found


def bytes_of(array: np.ndarray) -> np.ndarray:
    """uint8[n]: the bytes of an array; of records with rooms all that is mapped for them."""
    if not has_rooms(array.dtype):
        return array.reshape(-1).view(np.uint8)
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _in_room(field: np.ndarray) -> np.ndarray:
    """The rows of a field in a room, of each of the records in which it is: they are alike, and lie at equal distances."""
    found: Any = field.view(np.ndarray)
    held: Any = found
    while isinstance(held.base, np.ndarray):
        held = held.base
    entry, shape = row_of_room(found.dtype)

    if not found.size:
        return np.zeros((*found.shape, 0, *shape), entry)
    zero = (0,) * found.ndim
    places, here = found[PLACE], found.ctypes.data
    first = here + int(places[zero])
    steps = [
        found.strides[axis] + int(places[(*zero[:axis], 1, *zero[axis + 1 :])]) - int(places[zero]) if size > 1 else 0
        for axis, size in enumerate(found.shape)
    ]
    whole = (int(found[ROWS][zero]), *shape)
    inner = [entry.itemsize * prod(whole[axis + 1 :]) for axis in range(len(whole))]
    place = first - held.ctypes.data
    return np.ndarray((*found.shape, *whole), entry, held, place, (*steps, *inner))


def new_bytes(size: int, own_mapping: bool = False, huge: bool = False) -> np.ndarray:
    """uint8[size], zero, from the beginning of a cache line on. own_mapping: pages that are never touched take no memory, as in large ones.

    huge: in the host's huge pages, where it has some; else in small ones, since the first touch of a huge one clears two megabytes.
    """
    if size and (own_mapping or size >= LARGE):
        mapped = mmap.mmap(-1, size, **_PRIVATE)
        if huge and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):  # a host without them
                mapped.madvise(mmap.MADV_HUGEPAGE)
        return np.frombuffer(mapped, np.uint8)
    raw = np.zeros(size + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + size]


class Records(np.ndarray):
    """A structured array whose fields read as the arrays that they are, wherever they lie."""

    def copy(self, order: Any = "C") -> Records:
        """With their rooms, if they have any."""
        if not has_rooms(self.dtype):
            return super().copy(order)
        held = bytes_of(self)
        made = new_bytes(len(held), own_mapping=True)
        made[:] = held
        place = self.__array_interface__["data"][0] - held.__array_interface__["data"][0]
        return np.ndarray(self.shape, self.dtype, made, place, self.strides).view(Records)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            found = field_of(self, key)
            return found if found.dtype.names else found.view(np.ndarray)
        found = super().__getitem__(key)
        if not isinstance(found, np.void) or (isinstance(key, tuple) and not key):
            return found
        return super().__getitem__((*(key if isinstance(key, tuple) else (key,)), ...))  # one record, as an array that reads like this one

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self[key][...] = value
        else:
            super().__setitem__(key, value)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in (range(len(self)) if self.ndim else self.dtype.names or ()))  # one record: its fields, as NumPy's
