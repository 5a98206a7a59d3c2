"""Points on an edge: how a factor cuts it, in fixed point.

In hardware: numbers of 16 fraction bits, a table of reciprocals, two multiplications a point. Points are placed from both ends towards the
middle, so an edge has the same ones whichever patch it belongs to, and whichever end that begins at: neighbours with the same factor for
an edge have no cracks. All that decides the points of an edge is its own factor and the partitioning:

* integer: the factor rounded up is the number of segments, of equal length.
* fractional_even, fractional_odd: the number of segments is the next even, or odd, one. The two youngest segments, one in each half, grow
  from nothing to the others' length as the factor grows, so nothing jumps: each point moves on a straight line from its place among the
  fewer segments to that among the more.

Factors are 1 to 64 (even: from 2, odd: to 63). Where a half is split next follows the order in which a ruler's marks become finer.
Source: Direct3D 11.3 Functional Specification, Microsoft, chapter 11.7 Tessellator, and its reference, whose numbers these are bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from warploom.graphics.state import chosen

FRACTION_BITS = 16
ONE = 1 << FRACTION_BITS
HALF = ONE >> 1
LEAST, MOST = 1, 64
PARTITIONINGS = {"integer": (LEAST, MOST), "fractional_odd": (LEAST, MOST - 1), "fractional_even": (LEAST + 1, MOST)}
STEP = 2.0**-FRACTION_BITS  # the least fraction


class Cut(NamedTuple):
    """How an edge, or an axis of the inside, is cut. factor: in units of 1 / ONE. odd: whether its segments are odd in number."""

    factor: int
    odd: bool


def cuts(
    outer: Sequence[float], inner: Sequence[float], partitioning: str, counts_inner: bool = True
) -> tuple[list[Cut], list[Cut]] | None:
    """How the edges and the inside of a patch are cut; None where a factor of an edge is 0, less, or no number: the patch is left out.

    counts_inner: whether a factor of the inside above 1 keeps the others of the inside above 1. Raises GraphicsError.
    """
    chosen("partitioning", partitioning, list(PARTITIONINGS))
    low, high = PARTITIONINGS[partitioning]
    edges, inside = (np.array(given, np.float32).astype(np.float64) for given in (outer, inner))
    if not (edges > 0).all():
        return None
    edges = np.clip(edges, low, high)
    least = float(low)
    if partitioning == "fractional_odd":
        largest = max(edges.max(), np.nan_to_num(inside, nan=0).max() if counts_inner else 0)
        least += STEP if largest > 1 + STEP / 2 else 0  # so that there is a frame of triangles between the edges and the inside
    inside = np.clip(np.nan_to_num(inside, nan=least), least, high)
    if partitioning == "integer":
        edges, inside = np.ceil(edges), np.ceil(inside)
        return [Cut(int(one) * ONE, one % 2 == 1) for one in edges], [Cut(int(one) * ONE, one % 2 == 1 and one > 1) for one in inside]
    odd = partitioning == "fractional_odd"
    return [Cut(_fixed(one), odd) for one in edges], [Cut(_fixed(one), odd) for one in inside]


def _fixed(value: float) -> int:
    """A factor in units of 1 / ONE, rounded to the nearest, halves to even."""
    return round(value * ONE)


def is_least(edges: Sequence[Cut], inside: Sequence[Cut]) -> bool:
    """Whether a patch is not divided at all."""
    return all(cut.factor == ONE for cut in (*edges, *inside))


def placed(cut: Cut) -> np.ndarray:
    """The points of an edge from one end to the other, both included: int64[n], 0 to ONE, each with its mirror image.

    An even cut has 2k + 1 points, an odd one 2k.
    """
    half = (cut.factor + 1) >> 1
    if cut.odd or half == HALF:
        half += HALF
    fewer, grown = half >> FRACTION_BITS, half & (ONE - 1)  # segments of a half, and how far the youngest has grown
    more = fewer + (grown > 0)
    number = np.arange(more, dtype=np.int64)
    before = number - (number > _youngest(fewer, cut.odd)) if grown else number
    odd = int(cut.odd)
    first, then = before * _reciprocal(2 * fewer - odd), number * _reciprocal(2 * more - odd)
    lower = (first * (ONE - grown) + then * grown + HALF) >> FRACTION_BITS
    middle = np.zeros(0, np.int64) if cut.odd else np.array([HALF], np.int64)
    return np.concatenate([lower, middle, ONE - lower[::-1]])


def _youngest(fewer: int, odd: bool) -> int:
    """After which point of a half the next segment grows."""
    if odd:
        return 0 if fewer == 1 else (_without_highest(fewer - 1) << 1) + 1
    return (_without_highest(fewer) << 1) + 1


def _without_highest(value: int) -> int:
    return value - (1 << (value.bit_length() - 1)) if value else 0


def _reciprocal(segments: int) -> int:
    """ONE / segments, rounded to the nearest: what the table holds."""
    return (ONE + (segments >> 1)) // segments
