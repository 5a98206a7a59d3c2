"""From boxes to a binary tree: splits by the surface area heuristic, in bins.

A ray meets a box within a box with a chance in proportion to its surface. So of all ways to divide the primitives of a node in two, the
one with the least `area * count`, added over both sides, is expected to cost the fewest tests. Tried are planes between 16 bins along each
axis, by the primitives' middles.

A tree is built faster, and is worse, along a curve: primitives are sorted by the bits of their middles' coordinates, in turn (Morton
numbers), and divided where the highest bit changes.

Sources: MacDonald and Booth, "Heuristics for Ray Tracing Using Space Subdivision", 1990; Wald, "On fast Construction of SAH-based Bounding
Volume Hierarchies", RT 2007; Lauterbach et al., "Fast BVH Construction on GPUs", EG 2009 (LBVH). All nodes of a level are split together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.isa.counts import tally

BINS = 16
MORTON_BITS = 10
BUILDERS = ("area", "morton")
MOST_DEPTH = 30  # levels of a tree: below, halves are split off by number, so that two trees one above the other stay within the walk's


class Binary(NamedTuple):
    """A binary tree, the root first, a node before its children.

    low, high: float32[nodes, 3]. children: int64[nodes, 2]; -1 and a primitive for a leaf.
    """

    low: np.ndarray
    high: np.ndarray
    children: np.ndarray


def binary_tree(low: np.ndarray, high: np.ndarray, builder: str = "area") -> Binary:
    """A tree over n >= 1 primitives. low, high: float32[n, 3], their boxes. builder: one of BUILDERS."""
    middles = (low.astype(np.float64) + high) / 2
    codes = morton_numbers(middles) if builder == "morton" else np.zeros(0, np.int64)
    order = np.argsort(codes, kind="stable") if builder == "morton" else np.arange(len(low), dtype=np.int64)
    starts, counts = np.array([0], np.int64), np.array([len(low)], np.int64)
    lows, highs, children = [], [], []
    made = 1
    for depth in range(MOST_DEPTH + 2):
        lows.append(np.minimum.reduceat(low[order], starts))
        highs.append(np.maximum.reduceat(high[order], starts))
        rows = np.full((len(starts), 2), -1, np.int64)
        rows[:, 1] = order[starts]
        inner = np.flatnonzero(counts > 1)
        rows[inner] = made + 2 * np.arange(len(inner), dtype=np.int64)[:, None] + [0, 1]
        made += 2 * len(inner)
        children.append(rows)
        if len(inner) == 0:
            break
        kept = np.repeat(counts > 1, counts)
        order, counts = order[kept], counts[inner]
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)[:-1]])
        room = MOST_DEPTH - depth
        if builder == "morton":
            left = _where_bits_change(codes, order, starts, counts, room)
        else:
            order, left = _divide(low, high, middles, order, starts, counts, room)
        both = np.stack([left, counts - left], axis=1).ravel()
        starts, counts = np.concatenate([[0], np.cumsum(both, dtype=np.int64)[:-1]]), both
    return Binary(np.concatenate(lows), np.concatenate(highs), np.concatenate(children))


def morton_numbers(middles: np.ndarray) -> np.ndarray:
    """int64[n]: ten bits of each coordinate between the smallest and the largest, x, y and z in turn, x highest."""
    least, extent = middles.min(axis=0), np.ptp(middles, axis=0)
    share = np.divide(middles - least, extent, out=np.zeros_like(middles), where=extent > 0)
    cells = np.minimum((share * (1 << MORTON_BITS)).astype(np.int64), (1 << MORTON_BITS) - 1)
    code = np.zeros(len(middles), np.int64)
    for bit in range(MORTON_BITS):
        for axis in range(3):
            code |= (cells[:, axis] >> bit & 1) << (3 * bit + 2 - axis)
    return code


def _where_bits_change(codes: np.ndarray, order: np.ndarray, starts: np.ndarray, counts: np.ndarray, room: int) -> np.ndarray:
    """How many of each segment, whose codes ascend, are on the left: those without the highest bit that is not the same in all."""
    differ = codes[order[starts]] ^ codes[order[starts + counts - 1]]
    highest = np.left_shift(1, np.frexp(np.maximum(differ, 1).astype(np.float64))[1].astype(np.int64) - 1)
    segment = np.repeat(np.arange(len(starts), dtype=np.int64), counts)
    left = tally(segment[codes[order] & highest[segment] == 0], len(starts))
    return np.where((differ == 0) | (np.ceil(np.log2(counts)) >= room), counts // 2, left)


def _divide(
    low: np.ndarray, high: np.ndarray, middles: np.ndarray, order: np.ndarray, starts: np.ndarray, counts: np.ndarray, room: int
) -> tuple[np.ndarray, np.ndarray]:
    """Each segment of `order` in two: the new order, and how many of each are on the left. room: levels that there may be below."""
    segment = np.repeat(np.arange(len(starts), dtype=np.int64), counts)
    least, most = np.minimum.reduceat(middles[order], starts), np.maximum.reduceat(middles[order], starts)
    extent = most - least
    scale = np.divide(BINS, extent, out=np.zeros_like(extent), where=extent > 0)
    places = np.minimum(((middles[order] - least[segment]) * scale[segment]).astype(np.int64), BINS - 1)
    best, axis, cut = np.full(len(starts), np.inf, np.float64), np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
    for tried in range(3):
        cell = segment * BINS + places[:, tried]
        cost = _costs(low[order], high[order], cell, len(starts))
        cost[extent[:, tried] <= 0] = np.inf
        where = cost.argmin(axis=1)
        found = cost[np.arange(len(starts), dtype=np.int64), where]
        better = found < best
        best[better], axis[better], cut[better] = found[better], tried, where[better]
    right = places[np.arange(len(order), dtype=np.int64), axis[segment]] > cut[segment]
    rank = np.arange(len(order), dtype=np.int64) - starts[segment]
    by_number = ~np.isfinite(best) | (np.ceil(np.log2(counts)) >= room)
    right = np.where(by_number[segment], rank >= (counts // 2)[segment], right)
    sorted_ = np.argsort(2 * segment + right, kind="stable")
    return order[sorted_], counts - tally(segment[right], len(starts))


def _costs(low: np.ndarray, high: np.ndarray, cell: np.ndarray, segments: int) -> np.ndarray:
    """float64[segments, BINS - 1]: what a split after each bin is expected to cost; infinite where one side is empty."""
    shape = (segments, BINS, 3)
    lows, highs = (np.full((segments * BINS, 3), value, np.float64) for value in (np.inf, -np.inf))
    np.minimum.at(lows, cell, low)
    np.maximum.at(highs, cell, high)
    lows, highs = lows.reshape(shape), highs.reshape(shape)
    count = tally(cell, segments * BINS).reshape(segments, BINS)
    before = np.cumsum(count, axis=1, dtype=np.int64)[:, :-1]
    after = count.sum(axis=1, keepdims=True) - before
    left = _area(np.minimum.accumulate(lows, axis=1), np.maximum.accumulate(highs, axis=1))[:, :-1]
    right = _area(np.minimum.accumulate(lows[:, ::-1], axis=1), np.maximum.accumulate(highs[:, ::-1], axis=1))[:, ::-1][:, 1:]
    cost = left * before + right * after
    return np.where((before > 0) & (after > 0), cost, np.inf)


def _area(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Half of the surface of boxes; 0 for empty ones."""
    size = np.where(high >= low, high - low, 0.0)
    return np.asarray(size[..., 0] * size[..., 1] + size[..., 1] * size[..., 2] + size[..., 2] * size[..., 0])
