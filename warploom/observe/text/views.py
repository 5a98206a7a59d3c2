"""The buffers and images of a program before and after a run: what its views name, in words and texels instead of bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa.program import Program
from warploom.isa.views import F_WORD, FORMATS, VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_HEIGHT, VIEW_WIDTH, VIEW_WRITABLE
from warploom.observe.text.styled import CHANGED, QUIET, TITLE, Line, counted, grouped

MOST_ROWS = 4  # rows of a buffer that are shown when nothing else is said
CELL = 12  # characters of a word: a blank, ten of its number, its mark
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
            old, new = (np.ascontiguousarray(memory[part]).view("<u4") for memory in (before, after))
            yield from _buffer(name, old, new, writable=bool(view[VIEW_WRITABLE]), width=width, most_rows=most_rows)
        else:
            yield _picture(name, view, before[part] != after[part])


def _picture(name: str, view: np.ndarray, changed: np.ndarray) -> Line:
    form = FORMATS[int(view[VIEW_FORMAT])]
    count = int(changed.reshape(-1, form.bytes).any(axis=1).sum())
    kind = "image" if view[VIEW_WRITABLE] else "texture"
    size = f"{int(view[VIEW_WIDTH])} x {int(view[VIEW_HEIGHT])} texels, {form.name}"
    said = f": {grouped(count)} changed" if view[VIEW_WRITABLE] else ", read only"
    return [(name, TITLE), (f"  {kind} of {size}{said}", "")]


def _buffer(name: str, old: np.ndarray, new: np.ndarray, *, writable: bool, width: int, most_rows: int) -> Iterator[Line]:
    changed = old != new
    said = f": {grouped(int(changed.sum()))} changed" + (", marked *" if changed.any() else "") if writable else ", read only"
    yield [(name, TITLE), (f"  buffer of {counted(len(new), 'word')}{said}", "")]
    digits = len(str(max(len(new) - 1, 0)))
    row = 8 if 2 + digits + 7 + 8 * CELL <= width else 4
    starts = sorted({int(index) // row * row for index in np.flatnonzero(changed)})
    for start in starts[:most_rows]:
        part = slice(start, start + row)
        yield [(f"  {start:>{digits}} ", ""), ("before", QUIET), *((f" {word_text(word):>10} ", "") for word in old[part])]
        cells = zip(new[part], changed[part], strict=True)
        marked = [(f" {word_text(word):>10}{'*' if mark else ' '}", CHANGED if mark else "") for word, mark in cells]
        yield [(" " * (2 + digits + 1), ""), ("after ", QUIET), *marked]
    if len(starts) > most_rows:
        yield [(f"  ... and {counted(len(starts) - most_rows, 'more row')} with changes", QUIET)]


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
