"""The buffers and images of a program before and after a run: what its views name, in elements and texels instead of bytes; and regions of
memory that no view names, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from warploom.isa.launching import elements_of
from warploom.isa.program import Program
from warploom.isa.views import F_WORD, FORMATS, VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_HEIGHT, VIEW_WIDTH, VIEW_WRITABLE
from warploom.observe.text.styled import CHANGED, QUIET, TITLE, Line, counted, grouped

MOST_ROWS = 4  # rows of a buffer that are shown when nothing else is said
MOST_REGION_ROWS = 16  # and of a region
MARKED = ", marked *"
LEAST_CELL = 10  # characters of a number; a blank before it and its mark after it come besides
LEAST_FLOAT, MOST_FLOAT = 1e-6, 1e12  # sizes that are taken for a float's


def view_tables(program: Program, before: np.ndarray, after: np.ndarray, *, width: int = 80, most_rows: int = MOST_ROWS) -> Iterator[Line]:
    """A heading a view, and the changed rows of a buffer.

    before, after: uint8[bytes] of the whole memory. width: characters of a line. most_rows: rows of a buffer at most.
    """
    for name, view in zip(program.view_names, program.views, strict=False):
        size = int(view[VIEW_BYTES])
        start = program.address_space(len(after)).place(int(view[VIEW_BASE]) & 0xFFFFFFFF, size)
        part = slice(start, start + size)
        if view[VIEW_FORMAT] == F_WORD:
            old, new = (elements_of(program, name, memory[part]) for memory in (before, after))
            changed = _differ(old, new)
            typed = program.element_type(name) is not None
            what = f"{grouped(len(new))} x {new.dtype.name}" if typed else counted(len(new), "word")
            said = f": {grouped(int(changed.sum()))} changed" + MARKED * bool(changed.any()) if view[VIEW_WRITABLE] else ", read only"
            yield [(name, TITLE), (f"  buffer of {what}{said}", "")]
            yield from _rows(old, new, changed, str, _text if typed else word_text, width=width, most_rows=most_rows)
        else:
            yield _picture(name, view, before[part] != after[part])


def _picture(name: str, view: np.ndarray, changed: np.ndarray) -> Line:
    form = FORMATS[int(view[VIEW_FORMAT])]
    count = int(changed.reshape(-1, form.bytes).any(axis=1).sum())
    kind = "image" if view[VIEW_WRITABLE] else "texture"
    size = f"{int(view[VIEW_WIDTH])} x {int(view[VIEW_HEIGHT])} texels, {form.name}"
    said = f": {grouped(count)} changed" if view[VIEW_WRITABLE] else ", read only"
    return [(name, TITLE), (f"  {kind} of {size}{said}", "")]


def region_table(
    name: str, base: int, before: np.ndarray, after: np.ndarray, *, width: int = 80, most_rows: int = MOST_REGION_ROWS
) -> Iterator[Line]:
    """A heading, and the changed rows of a region of memory, as words.

    base: its address. before, after: uint8[a multiple of 4]. most_rows: 0 for the heading alone.
    """
    old, new = (np.ascontiguousarray(memory).view("<u4") for memory in (before, after))
    changed = old != new
    count = int(changed.sum())
    said = f"{grouped(count)} of {counted(len(new), 'word')} changed" + MARKED * bool(count and most_rows)
    yield [(name, TITLE), (f"  {said}", "")]
    if most_rows:
        yield from _rows(old, new, changed, lambda index: f"{base + 4 * index:#x}", word_text, width=width, most_rows=most_rows)


def _differ(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Which elements have different bits: a NaN is not a change of itself, and -0.0 is one of 0.0."""
    bits = f"<u{old.dtype.itemsize}"
    return np.asarray(old.view(bits) != new.view(bits))


def _rows(
    old: np.ndarray,
    new: np.ndarray,
    changed: np.ndarray,
    label: Callable[[int], str],
    text: Callable[[Any], str],
    *,
    width: int,
    most_rows: int,
) -> Iterator[Line]:
    """Two lines for each row with changes. label: what a row is called, of its first element's number. text: of an element."""
    last = len(label(max(len(new) - 1, 0)))
    indices = np.flatnonzero(changed)
    starts: list[int] = []
    cell, row = LEAST_CELL, 8
    for row in (8, 4, 2):
        starts = np.unique(indices // row * row).tolist()
        shown = [index for start in starts[:most_rows] for index in range(start, min(start + row, len(new)))]
        cell = max([LEAST_CELL, *(len(text(array[index])) for array in (old, new) for index in shown)])
        if 2 + last + 7 + row * (cell + 2) <= width:
            break
    for start in starts[:most_rows]:
        part = slice(start, start + row)
        yield [(f"  {label(start):>{last}} ", ""), ("before", QUIET), *((f" {text(one):>{cell}} ", "") for one in old[part])]
        cells = zip(new[part], changed[part], strict=True)
        marked = [(f" {text(one):>{cell}}{'*' if mark else ' '}", CHANGED if mark else "") for one, mark in cells]
        yield [(" " * (2 + last + 1), ""), ("after ", QUIET), *marked]
    if len(starts) > most_rows:
        yield [(f"  ... and {counted(len(starts) - most_rows, 'more row')} with changes", QUIET)]


def _text(element: np.generic) -> str:
    """An element in its type."""
    if element.dtype.kind != "f":
        return str(element)
    shown = f"{float(element):.6g}"
    return shown if any(char in shown for char in ".enai") else f"{shown}.0"


def word_text(word: int | np.integer) -> str:
    """A word as what it most likely is: a small whole number, a float of a usual size, or else hexadecimal digits.

    A word does not say what it holds: words below 2^23 would be floats smaller than any usual one.
    """
    number = int(word)
    if number < 1 << 23:
        return str(number)
    value = float(np.uint32(number).view(np.float32))
    if LEAST_FLOAT <= abs(value) <= MOST_FLOAT:
        shown = f"{value:.6g}"
        return shown if any(char in shown for char in ".e") else f"{shown}.0"
    if number >= (1 << 32) - (1 << 16):
        return str(number - (1 << 32))
    return f"0x{number:08x}"
