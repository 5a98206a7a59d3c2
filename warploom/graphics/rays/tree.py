"""From a binary tree to the bytes that a ray unit reads: nodes of several children, quantised, with a leaf for each primitive."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from warploom.graphics.rays.splitting import Binary
from warploom.machine.rays.layout import CHILDREN, CORNER, COUNT_SHIFT, EXPONENTS, LEAF_FLAG, SCALES, node_bytes

LINE = 64
LEAST_EXPONENT, MOST_EXPONENT = -126, 127


class Wide(NamedTuple):
    """A tree of nodes with up to `width` children, the root first, each before its children.

    children: int64[nodes, width]: a node; -1 - primitive for a leaf; EMPTY. depth: levels, the leaves' too.
    """

    low: np.ndarray  # float32[nodes, 3]
    high: np.ndarray
    children: np.ndarray
    child_low: np.ndarray  # float32[nodes, width, 3]
    child_high: np.ndarray
    depth: int


EMPTY = np.iinfo(np.int64).max


def widened(binary: Binary, width: int) -> Wide:
    """Nodes of two children become nodes of up to `width`: of the children at hand the one with the largest surface is opened."""
    area = _areas(binary)
    lows, highs, children = binary.low, binary.high, binary.children.tolist()
    rows: list[list[int]] = []
    members: list[int] = []
    todo, deepest = [(0, 1)], 1
    places: dict[int, int] = {}
    while todo:
        node, depth = todo.pop()
        deepest = max(deepest, depth + 1)
        places[node] = len(members)
        members.append(node)
        found = [node] if children[node][0] < 0 else list(children[node])
        while len(found) < width:
            inner = [child for child in found if children[child][0] >= 0]
            if not inner:
                break
            opened = max(inner, key=area.__getitem__)
            at = found.index(opened)
            found[at : at + 1] = children[opened]
        rows.append(found)
        todo += [(child, depth + 1) for child in reversed(found) if children[child][0] >= 0]
    made = np.full((len(rows), width), EMPTY, np.int64)
    low, high = (np.zeros((len(rows), width, 3), np.float32) for _ in range(2))
    for row, found in enumerate(rows):
        made[row, : len(found)] = [places[child] if children[child][0] >= 0 else -1 - children[child][1] for child in found]
        low[row, : len(found)], high[row, : len(found)] = lows[found], highs[found]
    return Wide(lows[members], highs[members], made, low, high, deepest)


def _areas(binary: Binary) -> list[float]:
    size = binary.high.astype(np.float64) - binary.low
    return list((size[:, 0] * size[:, 1] + size[:, 1] * size[:, 2] + size[:, 2] * size[:, 0]).tolist())


def quantised(tree: Wide) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exponents int64[nodes, 3], lows and highs int64[nodes, width, 3]: boxes that the unit's arithmetic makes no smaller."""
    corner = tree.low
    exponents = np.full(corner.shape, LEAST_EXPONENT, np.int64)
    extent = tree.high.astype(np.float64) - corner
    some = extent > 0
    exponents[some] = np.clip(np.ceil(np.log2(extent[some] / 255)), LEAST_EXPONENT, MOST_EXPONENT)
    while (short := decoded(corner, np.full(corner.shape, 255, np.int64), exponents) < tree.high).any():
        exponents[short] += 1
    there = (tree.children != EMPTY)[..., None]
    step = 2.0 ** exponents[:, None].astype(np.float64)
    base, power = corner[:, None], exponents[:, None] + np.zeros_like(tree.children)[..., None]
    low = np.where(there, np.floor((tree.child_low.astype(np.float64) - base) / step), 0).astype(np.int64)
    high = np.where(there, np.ceil((tree.child_high.astype(np.float64) - base) / step), 0).astype(np.int64)
    low, high = np.clip(low, 0, 255), np.clip(high, 0, 255)
    while (over := there & (decoded(base, low, power) > tree.child_low)).any():
        low[over] -= 1
    while (under := there & (decoded(base, high, power) < tree.child_high)).any():
        high[under] += 1
    return exponents, low, high


def decoded(corner: np.ndarray, quantised_: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """What the unit makes of quantised planes: float32."""
    return np.asarray(corner + quantised_.astype(np.float32) * SCALES[exponents & 255], np.float32)


def in_bytes(tree: Wide, leaf: Callable[[int], np.ndarray], start: int) -> tuple[np.ndarray, int, int]:
    """Words of a tree that begins `start` bytes after the scene, a multiple of 64; the place of its root; how many leaves.

    leaf: the words of a primitive's leaf. Nodes are in the order of the tree, the leaves of a node after it.
    """
    width = tree.children.shape[1]
    size, nodes = int(node_bytes(width)), len(tree.children)
    exponents, low, high = quantised(tree)
    leaves = np.argwhere(tree.children < 0).tolist()
    first_leaf = -(-(start + size * nodes) // LINE) * LINE
    parts, place = [], first_leaf
    offsets = np.where(tree.children >= 0, start + size * tree.children, 0)
    offsets[tree.children == EMPTY] = 0
    for node, slot in leaves:
        words = leaf(-1 - int(tree.children[node, slot]))
        offsets[node, slot] = place | LEAF_FLAG
        parts.append(np.pad(words, (0, -len(words) % (LINE // 4))))
        place += 4 * len(parts[-1])
    if place >= LEAF_FLAG:
        raise OverflowError("a scene has at most 2 GiB")
    bytes_ = np.zeros((nodes, size), np.uint8)
    words = bytes_.view("<u4")
    words[:, 0] = (tree.children != EMPTY).sum(axis=1) << COUNT_SHIFT
    words[:, CORNER : CORNER + 3] = tree.low.view("<u4")
    bytes_[:, 4 * EXPONENTS : 4 * EXPONENTS + 3] = exponents & 255
    words[:, CHILDREN : CHILDREN + width] = offsets
    planes = 4 * (CHILDREN + width)
    bytes_[:, planes : planes + 3 * width] = low.reshape(nodes, -1)
    bytes_[:, planes + 3 * width : planes + 6 * width] = high.reshape(nodes, -1)
    gap = np.zeros((first_leaf - start - size * nodes) // 4, np.uint32)
    return np.concatenate([words.ravel().astype(np.uint32), gap, *parts]).astype(np.uint32), start, len(leaves)
