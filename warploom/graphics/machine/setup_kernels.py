"""Setup and binning as kernels of the machine: what `original/setup.py` computes on the host, in every bit.

    set up      a thread a triangle: edges, planes, bounding box, whether it is kept
    sum up      one block: where each kept triangle goes
    move        a thread a triangle: its words to their place in the primitive buffer
    count       a thread a tile: how many triangles' boxes touch it
    sum up      where each tile's numbers and header go
    list        a thread a tile: header and numbers, in the order of submission

A tile reads all boxes, so nobody has to order what several threads write. Clipping and culling come before, on the host.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np

from warploom.graphics.machine.vertices import Launches
from warploom.graphics.original.setup import ATTRIBUTE_FRACTION, ATTRIBUTES, EDGE_FRACTION, WORDS, Primitives
from warploom.kernel import cuda

F, I = np.float32, np.int32
ZERO, ONE, HALF = F(0), F(1), F(0.5)
EDGE_STEPS, ATTRIBUTE_STEPS = F(1 << EDGE_FRACTION), F(1 << ATTRIBUTE_FRACTION)
LEAST, BEYOND = F(-(1 << 31)), F(1 << 31)
OVERFLOWED = I(-(1 << 31))
VALUES = len(ATTRIBUTES) - 1  # of a corner, beside its depth
THREADS = 16  # of the block that sums up


def fixed(value: Any, steps: Any) -> Any:
    """Fixed point, cut off towards zero; what is too large is the least number."""
    scaled = value * steps
    return I(scaled) if scaled >= LEAST and scaled < BEYOND else OVERFLOWED


@cuda.jit(fma=False)
def set_up(corners: Any, values: Any, half: Any, depth: Any, size: Any, words: Any, boxes: Any, kept: Any) -> None:
    """corners: float32[n, 3, 4]; values: float32[n, 3, VALUES]. half: of width and height; depth: half the range, and its middle."""
    n = cuda.grid(1)
    if n >= corners.shape[0]:
        return
    x0, y0, w0 = corners[n, 0, 0], corners[n, 0, 1], corners[n, 0, 3]
    x1, y1, w1 = corners[n, 1, 0], corners[n, 1, 1], corners[n, 1, 3]
    x2, y2, w2 = corners[n, 2, 0], corners[n, 2, 1], corners[n, 2, 3]
    hx0, hx1, hx2 = x0 * half[0] + w0 * half[0], x1 * half[0] + w1 * half[0], x2 * half[0] + w2 * half[0]
    hy0, hy1, hy2 = y0 * half[1] + w0 * half[1], y1 * half[1] + w1 * half[1], y2 * half[1] + w2 * half[1]
    a0, b0, c0 = hy1 * w2 - hy2 * w1, hx2 * w1 - hx1 * w2, hx1 * hy2 - hx2 * hy1
    a1, b1, c1 = hy2 * w0 - hy0 * w2, hx0 * w2 - hx2 * w0, hx2 * hy0 - hx0 * hy2
    a2, b2, c2 = hy0 * w1 - hy1 * w0, hx1 * w0 - hx0 * w1, hx0 * hy1 - hx1 * hy0
    area = c0 * w0 + c1 * w1 + c2 * w2
    turn = F(-1) if area < ZERO else ONE
    a0, b0, c0 = a0 * turn, b0 * turn, c0 * turn
    a1, b1, c1 = a1 * turn, b1 * turn, c1 * turn
    a2, b2, c2 = a2 * turn, b2 * turn, c2 * turn
    c0, c1, c2 = c0 + (a0 * HALF + b0 * HALF), c1 + (a1 * HALF + b1 * HALF), c2 + (a2 * HALF + b2 * HALF)
    most = max(abs(a0), abs(b0), abs(a1), abs(b1), abs(a2), abs(b2))
    scale = ONE / most if most != ZERO else ZERO
    words[n, 0], words[n, 1], words[n, 2] = fixed(a0 * scale, EDGE_STEPS), fixed(b0 * scale, EDGE_STEPS), fixed(c0 * scale, EDGE_STEPS)
    words[n, 3], words[n, 4], words[n, 5] = fixed(a1 * scale, EDGE_STEPS), fixed(b1 * scale, EDGE_STEPS), fixed(c1 * scale, EDGE_STEPS)
    words[n, 6], words[n, 7], words[n, 8] = fixed(a2 * scale, EDGE_STEPS), fixed(b2 * scale, EDGE_STEPS), fixed(c2 * scale, EDGE_STEPS)
    i0 = ONE / w0 if w0 != ZERO else ZERO
    i1 = ONE / w1 if w1 != ZERO else ZERO
    i2 = ONE / w2 if w2 != ZERO else ZERO
    z0, z1 = corners[n, 0, 2] * i0 * depth[0] + depth[1], corners[n, 1, 2] * i1 * depth[0] + depth[1]
    z2 = corners[n, 2, 2] * i2 * depth[0] + depth[1]
    words[n, 9], words[n, 10] = fixed(z0 - z2, ATTRIBUTE_STEPS), fixed(z1 - z2, ATTRIBUTE_STEPS)
    words[n, 11] = fixed(z2, ATTRIBUTE_STEPS)
    for k in range(VALUES):
        last = values[n, 2, k]
        words[n, 12 + 3 * k] = fixed(values[n, 0, k] - last, ATTRIBUTE_STEPS)
        words[n, 13 + 3 * k] = fixed(values[n, 1, k] - last, ATTRIBUTE_STEPS)
        words[n, 14 + 3 * k] = fixed(last, ATTRIBUTE_STEPS)
    sx0, sx1, sx2 = x0 * i0 * half[0] + half[0], x1 * i1 * half[0] + half[0], x2 * i2 * half[0] + half[0]
    sy0, sy1, sy2 = y0 * i0 * half[1] + half[1], y1 * i1 * half[1] + half[1], y2 * i2 * half[1] + half[1]
    left, right = max(I(floor(min(sx0, sx1, sx2))), 0), min(I(ceil(max(sx0, sx1, sx2))), size[0])
    top, bottom = max(I(floor(min(sy0, sy1, sy2))), 0), min(I(ceil(max(sy0, sy1, sy2))), size[1])
    boxes[n, 0], boxes[n, 1], boxes[n, 2], boxes[n, 3] = left, right, top, bottom
    kept[n] = 1 if area != ZERO and left < right and top < bottom else 0


@cuda.jit
def sum_up(counts: Any, places: Any) -> None:
    """places[k] = the sum of counts before k; the last, one behind the others, of all. One block: each thread has its stretch."""
    sums = cuda.shared.array(THREADS, np.int32)
    me, n = cuda.threadIdx.x, counts.shape[0]
    step = (n + THREADS - 1) // THREADS
    first, last = min(me * step, n), min(me * step + step, n)
    total = I(0)
    for k in range(first, last):
        total += counts[k]
    sums[me] = total
    cuda.syncthreads()
    before = I(0)
    for k in range(me):
        before += sums[k]
    for k in range(first, last):
        places[k] = before
        before += counts[k]
    if me == THREADS - 1:
        places[n] = before


@cuda.jit
def move(words: Any, boxes: Any, kept: Any, places: Any, moved: Any, moved_boxes: Any, numbers: Any) -> None:
    """A triangle that is kept, to its place."""
    n = cuda.grid(1)
    if n < kept.shape[0] and kept[n] != 0:
        to = places[n]
        numbers[to] = n
        for k in range(WORDS):
            moved[to, k] = words[n, k]
        for k in range(4):
            moved_boxes[to, k] = boxes[n, k]


def touches(boxes: Any, n: Any, column: Any, row: Any, log_tile: Any) -> Any:
    """Whether a triangle's box is in a tile too."""
    across = boxes[n, 0] >> log_tile <= column <= (boxes[n, 1] - 1) >> log_tile
    return across and boxes[n, 2] >> log_tile <= row and row <= (boxes[n, 3] - 1) >> log_tile


@cuda.jit
def count(boxes: Any, triangles: Any, rows: Any, log_tile: Any, counts: Any, filled: Any) -> None:
    """How many triangles touch a tile, and whether any does. Tiles: column by column."""
    tile = cuda.grid(1)
    if tile < counts.shape[0]:
        found = I(0)
        for n in range(triangles):
            if touches(boxes, n, tile // rows, tile % rows, log_tile):
                found += I(1)
        counts[tile] = found
        filled[tile] = 1 if found > 0 else 0


@cuda.jit
def fill(boxes: Any, triangles: Any, rows: Any, log_tile: Any, counts: Any, ids: Any, heads: Any, made: Any) -> None:
    """The header of a tile and the numbers of its triangles. ids, heads: where the numbers and the header go."""
    tile = cuda.grid(1)
    tiles = counts.shape[0]
    if tile < tiles and counts[tile] > 0:
        headers, head, at = heads[tiles], heads[tile], ids[tile]
        made[2 * head] = tile // rows | tile % rows << 16
        made[2 * head + 1] = 2 * (headers - head - 1) + at | counts[tile] << 16
        to = 2 * headers + at
        for n in range(triangles):
            if touches(boxes, n, tile // rows, tile % rows, log_tile):
                made[to] = n
                to += 1


class MachineSetUp:
    """Sets up and bins as the host does, by launches on a machine. name: of the mesh, for the table of cycles."""

    def __init__(self, launches: Launches, name: str) -> None:
        self.launches, self.name = launches, name

    def __call__(
        self, corners: np.ndarray, colors: np.ndarray, uv: np.ndarray, width: int, height: int, log_tile: int
    ) -> tuple[Primitives, np.ndarray, int]:
        """The triangles, the tile buffer, and the number of its headers. Raises GraphicsError."""
        n = len(corners)
        if n == 0:
            nothing = [np.zeros((0, *shape), kind) for shape, kind in (((9,), I), ((7, 3), I), ((4,), np.int64), ((), np.int64))]
            return Primitives(*nothing), np.zeros(0, np.uint32), 0
        with np.errstate(over="ignore"):
            given = np.ascontiguousarray(corners, F), np.ascontiguousarray(np.concatenate([colors, uv], axis=-1), F)
        half, size = np.array([width, height], F) / F(2), np.array([width, height], I)
        words, boxes, kept, places = np.zeros((n, WORDS), I), np.zeros((n, 4), I), np.zeros(n, I), np.zeros(n + 1, I)
        said = f"{self.name}, setup"
        self.launches.launch(said, set_up, n, *given, half, np.array([1, 0], F), size, words, boxes, kept)
        self._sum(said, kept, places)
        moved, moved_boxes, numbers = np.zeros((n, WORDS), I), np.zeros((n, 4), I), np.zeros(n, I)
        self.launches.launch(said, move, n, words, boxes, kept, places, moved, moved_boxes, numbers)
        left = int(places[n])
        primitives = Primitives(
            moved[:left, :9].copy(), moved[:left, 9:].reshape(-1, len(ATTRIBUTES), 3).copy(), moved_boxes[:left].astype(np.int64),
            numbers[:left].astype(np.int64),
        )  # fmt: skip
        return primitives, *self._binned(moved_boxes, left, (-(-width >> log_tile), -(-height >> log_tile)), log_tile)

    def _binned(self, boxes: np.ndarray, triangles: int, grid: tuple[int, int], log_tile: int) -> tuple[np.ndarray, int]:
        said, tiles, rows = f"{self.name}, binning", grid[0] * grid[1], I(grid[1])
        counts, filled, ids, heads = np.zeros(tiles, I), np.zeros(tiles, I), np.zeros(tiles + 1, I), np.zeros(tiles + 1, I)
        self.launches.launch(said, count, tiles, boxes, I(triangles), rows, I(log_tile), counts, filled)
        self._sum(said, counts, ids)
        self._sum(said, filled, heads)
        headers = int(heads[tiles])
        made = np.zeros(max(2 * headers + int(ids[tiles]), 1), I)
        self.launches.launch(said, fill, tiles, boxes, I(triangles), rows, I(log_tile), counts, ids, heads, made)
        return made[: 2 * headers + int(ids[tiles])].view(np.uint32), headers

    def _sum(self, name: str, counts: np.ndarray, places: np.ndarray) -> None:
        self.launches.launch(name, sum_up, THREADS, counts, places, block=THREADS)
