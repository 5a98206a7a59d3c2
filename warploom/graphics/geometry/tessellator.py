"""The tessellator: a domain, a square or a triangle, is cut into triangles by factors of its edges and of its inside.

It has no shape yet: points are pairs (u, v), and a *domain shader* makes places of them. In hardware: a unit of fixed function between two
shaders. One part places points, ring after ring from the edges to the middle; another connects each ring with the next; neither needs the
other's results.

    v                              v
    1 ─── v = 1 ───┐               1
    │              │               │ \\
    u = 0      u = 1               u = 0  w = 0      w = 1 - u - v
    │              │               │        \\
    0 ─── v = 0 ─── 1  u           0 ─ v = 0 ─ 1  u

Points begin at (0, 1) and run round each ring counterclockwise, as u points right and v up; so do triangles. Source: Direct3D 11.3
Functional Specification, Microsoft, chapter 11.7 Tessellator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from warploom.graphics.geometry.partitioning import HALF, ONE, Cut, cuts, is_least, placed
from warploom.graphics.geometry.stitching import Row, Triangle, across, between, inwards
from warploom.graphics.state import GraphicsError, chosen

DOMAINS = {"quad": (4, 2), "triangle": (3, 1)}  # factors of edges and of the inside
TWO_THIRDS, THIRD = 2 * ONE // 3, ONE // 3


class Tessellated(NamedTuple):
    """points: int64[n, 2], u and v in units of 1 / 65536. triangles: int64[m, 3], counterclockwise. Both are empty for what is left out."""

    points: np.ndarray
    triangles: np.ndarray


def tessellated(domain: str, outer: Sequence[float], inner: Sequence[float], partitioning: str = "integer") -> Tessellated:
    """Cut a domain. outer: factors of the edges u = 0, v = 0, u = 1, v = 1 of a quad; u = 0, v = 0, w = 0 of a triangle.

    inner: of the inside along u and along v, or one for a triangle. A factor of an edge that is 0, less, or no number leaves the patch out.
    Factors beyond the partitioning's range are its ends. Raises GraphicsError.
    """
    chosen("domain", domain, list(DOMAINS))
    for what, given, count in zip(("edges", "the inside"), (outer, inner), DOMAINS[domain], strict=True):
        if len(given) != count:
            raise GraphicsError(f"a {domain} has {count} factor{'s' * (count > 1)} of {what}, and here {len(given)} are given")
    found = cuts(outer, inner, partitioning, counts_inner=domain == "quad")
    if found is None:
        return Tessellated(np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64))
    edges, inside = found
    made = _Rings()
    if domain == "quad":
        _quad(made, edges, inside)
    else:
        _triangle(made, edges, inside[0])
    return Tessellated(np.concatenate(made.points), np.array(made.triangles, np.int64))


class _Rings:
    """What is made of a patch, ring after ring."""

    def __init__(self) -> None:
        self.points: list[np.ndarray] = []
        self.triangles: list[Triangle] = []
        self.count = 0

    def ring(self, sides: Sequence[np.ndarray]) -> list[Row]:
        """Add a closed ring. sides: int64[k, 2] each, its points but for the last, where the next side begins. Returns the sides' rows."""
        first = self.count
        rows = []
        for side in sides:
            rows.append([*range(self.count, self.count + len(side) + 1)])
            self.points.append(side)
            self.count += len(side)
        rows[-1][-1] = first
        return list(rows)

    def line(self, points: np.ndarray) -> Row:
        """Add points that lie in a row, in the middle."""
        self.points.append(points)
        self.count += len(points)
        return range(self.count - len(points), self.count)

    def join(self, outer: list[Row], inner: list[Row], first: bool) -> None:
        """Triangles between two rings. first: the outer one is the edge."""
        for side, row in zip(outer, inner, strict=True):
            self.triangles += between(side, row) if first else inwards(side, row)


def _pairs(u: np.ndarray | int, v: np.ndarray | int) -> np.ndarray:
    return np.stack(np.broadcast_arrays(u, v), axis=-1).astype(np.int64)


def _quad(made: _Rings, edges: Sequence[Cut], inside: Sequence[Cut]) -> None:
    if is_least(edges, inside):
        made.line(np.array([[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]], np.int64))
        made.triangles = [(0, 1, 3), (1, 2, 3)]
        return
    left, low, right, high = (placed(cut) for cut in edges)
    outer = made.ring([_pairs(0, left[:0:-1]), _pairs(low[:-1], 0), _pairs(ONE, right[:-1]), _pairs(high[:0:-1], ONE)])
    u, v = (placed(cut) for cut in inside)
    wide = len(u) > len(v)
    last = min(len(u), len(v)) // 2
    for ring in range(1, last):
        a, b = u[ring : len(u) - ring], v[ring : len(v) - ring]
        inner = made.ring([_pairs(a[0], b[:0:-1]), _pairs(a[:-1], b[0]), _pairs(a[-1], b[:-1]), _pairs(a[:0:-1], b[-1])])
        made.join(outer, inner, ring == 1)
        outer = inner
    if inside[1 if wide else 0].odd:  # two rows are left
        first, second = (outer[1], outer[3]) if wide else (outer[0], outer[2])
        made.triangles += across(first, second[::-1], leans_in_middle=not wide and inside[1].odd)
    elif wide:
        row = made.line(_pairs(u[last : len(u) - last], HALF))
        made.join(outer, [row[:1], row, row[-1:], row[::-1]], last == 1)
    else:
        row = made.line(_pairs(HALF, v[last : len(v) - last][::-1]))
        made.join(outer, [row, row[-1:], row[::-1], row[:1]], last == 1)


def _triangle(made: _Rings, edges: Sequence[Cut], inside: Cut) -> None:
    if is_least(edges, [inside]):
        made.line(np.array([[0, ONE], [0, 0], [ONE, 0]], np.int64))
        made.triangles = [(0, 1, 2)]
        return
    left, low, slanted = (placed(cut) for cut in edges)
    outer = made.ring([_pairs(0, left[:0:-1]), _pairs(low[:-1], 0), _pairs(slanted[:0:-1], ONE - slanted[:0:-1])])
    points = placed(inside)
    last = len(points) // 2
    for ring in range(1, last):
        away = (int(points[ring]) * TWO_THIRDS + HALF) // ONE  # a median's point is two thirds of the way to the corner
        along = points[ring : len(points) - ring] - ((away + 1) >> 1)
        back, forth = along[:0:-1], along[:-1]
        inner = made.ring([_pairs(away, back), _pairs(forth, away), _pairs(back, ONE - back - away)])
        made.join(outer, inner, ring == 1)
        outer = inner
    if inside.odd:
        made.triangles.append((outer[0][0], outer[1][0], outer[2][0]))
    else:
        middle = made.line(np.array([[THIRD, THIRD]], np.int64))
        made.join(outer, [middle, middle, middle], last == 1)
