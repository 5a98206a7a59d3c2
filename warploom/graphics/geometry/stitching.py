"""Triangles between two rows of points, the outer one and the one inside of it.

    outer   o0 - o1 - o2 - o3 - o4      Between two rings of the inside, the inner row has two points fewer.
              \\  / \\  |  / \\  /          Next to an edge, where both rows have any number of points, the row whose turn it is in the
    inner       i0 - i1 - i2            order of a ruler's marks goes on by one point: long and thin triangles are few.

A row is a list of numbers of points; triangles are triples of these, all of the same orientation. Source: Direct3D 11.3 Functional
Specification, Microsoft, chapter 11.7.
"""

from __future__ import annotations

from collections.abc import Sequence

Row = Sequence[int]
Triangle = tuple[int, int, int]
MOST_HALF = 32  # segments of half an edge
LEVELS = 5


def _marks() -> list[int]:
    """At which size of a half each of its points comes, from the end to the middle: the middle first, then the quarters, and so on."""
    found = [0, MOST_HALF]
    for place in range(1, MOST_HALF):
        level = (place & -place).bit_length() - 1
        found.append((1 << (LEVELS - 1 - level)) + (place >> (level + 1)))
    return found


MARKS = tuple(_marks())


def between(outer: Row, inner: Row) -> list[Triangle]:
    """From an edge to the first row of the inside, each of any number of points."""
    outer_odd, inner_odd = len(outer) % 2 == 0, len(inner) % 2 == 0
    outer_half, inner_half = len(outer) // 2 - outer_odd, len(inner) // 2 + 1 - inner_odd
    made: list[Triangle] = []
    o = i = 0

    def along_outer() -> None:
        nonlocal o
        made.append((outer[o], outer[o + 1], inner[i]))
        o += 1

    def along_inner() -> None:
        nonlocal i
        made.append((inner[i], outer[o], inner[i + 1]))
        i += 1

    if outer_half > 0:
        along_outer()
    for mark in MARKS[1:]:
        if mark < inner_half:
            along_inner()
        if mark < outer_half:
            along_outer()
    if inner_odd:
        along_inner()
    if outer_odd:
        made.append((inner[i], outer[o], outer[o + 1]))
        o += 1
    for mark in reversed(MARKS[1:]):
        if mark < outer_half:
            along_outer()
        if mark < inner_half:
            along_inner()
    if outer_half > 0:
        along_outer()
    return made


def inwards(outer: Row, inner: Row) -> list[Triangle]:
    """From a row of the inside to the next one, which has two points fewer: diagonals are mirrored in the middle."""
    half = len(inner) // 2
    made = [(outer[0], outer[1], inner[0])]
    for k in range(len(inner) - 1):
        made += _cell(outer, inner, k + 1, k, leans_in=k < half)
    return [*made, (outer[-2], outer[-1], inner[-1])]


def across(outer: Row, inner: Row, leans_in_middle: bool) -> list[Triangle]:
    """Between the two rows that are left in the middle, of the same length. leans_in_middle: the cell there has the other diagonal."""
    cells = len(inner) - 1
    made: list[Triangle] = []
    for k in range(cells):
        (a, b, c), second = _cell(outer, inner, k, k, leans_in=leans_in_middle and k == cells // 2)
        made += [(b, c, a) if leans_in_middle and k != cells // 2 else (a, b, c), second]
    return made


def _cell(outer: Row, inner: Row, o: int, i: int, leans_in: bool) -> list[Triangle]:
    """A cell of two triangles. leans_in: its diagonal goes from the outer row's near point to the inner row's far one."""
    if leans_in:
        return [(outer[o], inner[i + 1], inner[i]), (outer[o], outer[o + 1], inner[i + 1])]
    return [(inner[i], outer[o], outer[o + 1]), (inner[i], outer[o + 1], inner[i + 1])]
