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
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

CACHE_LINE = 64  # bytes of a line of the cache of the machine that simulates
CACHE_SETS = 64  # sets of its first-level cache
SETS_APART = 11  # sets from the beginning of one table to that of the next: odd, so that every set comes in turn
MANY_ROWS = 1024  # of a table
AT = "at"  # the one field of an entry that lies in a row

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


def lay_out(forms: dict[str, np.dtype], side_by_side: tuple[Shape, ...] = (), apart: tuple[str, ...] = ()) -> Layout:
    """The layout of a record of some fields.

    side_by_side: arrays of numbers of these shapes lie in rows, but for the fields `apart`.
    """
    forms, blocks = dict(forms), []
    for shape in side_by_side:
        names = [name for name, form in forms.items() if _has_shape(form, shape) and name not in apart]
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


def _up(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment


def in_rows(form: np.dtype) -> bool:
    """Whether a field of this form lies side by side with others."""
    return form.base.names == (AT,)


def records_in(kind: np.dtype) -> tuple[str, ...]:
    """The fields of a record that are records, or arrays of them."""
    return tuple(name for name in kind.names or () if kind[name].base.names and not in_rows(kind[name]))


def field_of(array: np.ndarray, name: str) -> np.ndarray:
    """A field of a structured array, of each of its records; a view, also where it lies in rows."""
    found = np.ndarray.__getitem__(array, name)
    return np.ndarray.__getitem__(found, AT) if in_rows(found.dtype) else found


class Records(np.ndarray):
    """A structured array whose fields read as the arrays that they are, wherever they lie."""

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
        return (self[index] for index in range(len(self)))
