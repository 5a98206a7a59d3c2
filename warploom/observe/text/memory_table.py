"""Data memory before and after a run, as a table of bytes in which the changed ones stand out.

A row of memory that a run has changed takes two lines, `before` and `after`, one above the other; a changed byte has a
star after it. A row that stayed as it was takes one. Rows of zeros are named by their addresses only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.observe.text.styled import CHANGED, QUIET, TITLE, Line, counted, grouped

WIDE_ROW, NARROW_ROW, GROUP = 16, 8, 4  # bytes of a row; of a group within it
MOST_ROWS = 32  # rows that are shown when nothing else is said
LABELS = ("before", "after ", "      ")
CELL = 4  # characters of a byte: three digits and its mark


def memory_table(
    before: np.ndarray, after: np.ndarray, *, width: int = 80, most_rows: int = MOST_ROWS, base: int = 0, title: str = "data memory"
) -> Iterator[Line]:
    """The table, line by line.

    before, after: uint8[bytes], the same array where only one state is to be shown. width: characters of a line. most_rows: rows of
    memory at most; when more of them hold something, those that did not change are left out first. base: the address of the first byte,
    which is shown in hexadecimal digits where it is not 0. title: what the memory is called.
    """
    changed = before != after
    one_state = before is after
    count = int(np.count_nonzero(changed))
    said = title if one_state else f"{title}: {grouped(count)} of {counted(len(after), 'byte')} changed"
    yield [(said, TITLE), (", marked *" if count else "", "")]
    head = 2 + (len(_address(base, 0)) if base else 3) + 1 + len(LABELS[0])
    row = WIDE_ROW if head + WIDE_ROW * CELL + WIDE_ROW // GROUP <= width else NARROW_ROW
    holds, changes = _by_rows((before != 0) | (after != 0), row), _by_rows(changed, row)
    cut = int(holds.sum()) > most_rows
    shown = np.flatnonzero(changes if cut and changes.any() else holds)
    digits = max(3, len(_address(base, int(shown[:most_rows][-1]) * row))) if len(shown) else 3
    if len(shown):
        yield [(" " * (2 + digits + 1 + len(LABELS[0])), ""), *_cells(range(row), lambda _: " ", lambda _: QUIET)]
    end = 0  # of what the lines so far speak of, in rows
    for number in shown[:most_rows]:
        if number > end:
            yield _gap(base, end * row, number * row - 1, digits, zero=not cut)
        yield from _row(before, after, base, int(number) * row, row, digits)
        end = int(number) + 1
    if len(shown) > most_rows:
        yield [(f"  ... and {counted(len(shown) - most_rows, 'more row')} with {'changes' if changes.any() else 'data'}", QUIET)]
    elif end < len(holds):
        yield _gap(base, end * row, len(after) - 1, digits, zero=not cut)


def _by_rows(flags: np.ndarray, row: int) -> np.ndarray:
    """bool[rows]: whether any byte of a row has its flag; the last row may be short."""
    return np.logical_or.reduce(np.append(flags, np.zeros(-len(flags) % row, bool)).reshape(-1, row), axis=1)


def _address(base: int, offset: int) -> str:
    return f"{base + offset:#x}" if base else str(offset)


def _gap(base: int, first: int, last: int, digits: int, *, zero: bool) -> Line:
    return [(f"  {_address(base, first):>{digits}} to {_address(base, last)}: {'zero' if zero else 'not shown, nothing changed'}", QUIET)]


def _row(before: np.ndarray, after: np.ndarray, base: int, start: int, row: int, digits: int) -> Iterator[Line]:
    old, new = before[start : start + row], after[start : start + row]
    changed = old != new
    label = _address(base, start)
    if not changed.any():
        yield [(f"  {label:>{digits}} {LABELS[2]}", ""), *_cells(new, lambda _: " ", lambda index: "" if new[index] else QUIET)]
        return
    yield [(f"  {label:>{digits}} ", ""), (LABELS[0], QUIET), *_cells(old, lambda _: " ", lambda index: "" if old[index] else QUIET)]

    def style(index: int) -> str:
        return CHANGED if changed[index] else "" if new[index] else QUIET

    yield [(" " * (2 + digits + 1), ""), (LABELS[1], QUIET), *_cells(new, lambda index: "*" if changed[index] else " ", style)]


def _cells(values, mark, style) -> Line:  # type: ignore[no-untyped-def]
    """A piece a byte: a gap in front of each group, three digits, the mark of its index."""
    return [(f"{' ' if index % GROUP == 0 else ''}{int(value):>3}{mark(index)}", style(index)) for index, value in enumerate(values)]
