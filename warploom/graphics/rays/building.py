"""A tree built by kernels: Morton numbers, a radix sort, the hierarchy, boxes from the leaves up, and the bytes that a ray unit reads.

    bounds        the box around all triangles' middles, by atomic minima and maxima
    number        thirty bits of each middle, x, y and z in turn
    count, place  a radix sort, four bits a pass, from the lowest: digits are counted by tile, summed, and triangles keep their order
    split         each inner node finds the triangles below it, and where their numbers' highest different bit changes
    enclose       from every leaf up: of the two threads that come to a node the second makes its box, and goes on
    write         nodes of two children, quantised so that no box becomes smaller, and a leaf for each triangle

Every step has as many threads as it has items. Sources: Lauterbach et al., "Fast BVH Construction on GPUs", EG 2009 (Morton numbers);
Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012 (all inner nodes at the same time).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.graphics.rays.kernel_ray import scale
from warploom.graphics.rays.splitting import MORTON_BITS
from warploom.graphics.state import GraphicsError
from warploom.kernel import cuda
from warploom.kernel.device.context import CURRENT
from warploom.machine.rays.layout import CHILDREN, CORNER, COUNT_SHIFT, EXPONENTS, LEAF_FLAG, OPAQUE, TRIANGLE_LEAF, WIDTHS

F, I, D = np.float32, np.int64, np.float64
WIDTH = 2
LINE = 16  # words of a node, of a leaf, and of the scene's head
TILE = 32  # triangles that a warp sorts
DIGIT_BITS, DIGITS = 4, 16
PARTING = ("stack", "its")  # mechanisms by which lanes of a warp go different ways without being told
MOST = 1 << 30  # of triangles: what places of 31 bits leave, and more than anybody has


@cuda.jit
def bounds(corners: Any, low: Any, high: Any, least: Any, most: Any) -> None:
    """The boxes of triangles, and the least and the largest of twice their middles."""
    i = cuda.grid(1)
    if i < corners.shape[0]:
        for axis in range(3):
            a, b, c = corners[i, 0, axis], corners[i, 1, axis], corners[i, 2, axis]
            low[i, axis], high[i, axis] = min(a, b, c), max(a, b, c)
            middle = (D(low[i, axis]) + D(high[i, axis])) / D(2)
            cuda.atomic.min(least, axis, middle)
            cuda.atomic.max(most, axis, middle)


@cuda.jit
def number(low: Any, high: Any, least: Any, most: Any, codes: Any, order: Any) -> None:
    """The Morton number of each triangle's middle."""
    i = cuda.grid(1)
    if i < codes.size:
        code = I(0)
        for axis in range(3):
            extent = most[axis] - least[axis]
            cell = I(0)
            if extent > D(0):
                share = ((D(low[i, axis]) + D(high[i, axis])) / D(2) - least[axis]) / extent
                cell = min(I(share * D(1 << MORTON_BITS)), I((1 << MORTON_BITS) - 1))
            for bit in range(MORTON_BITS):
                code |= (cell >> bit & 1) << (3 * bit + 2 - axis)
        codes[i], order[i] = code, i


@cuda.jit
def count(codes: Any, shift: Any, tiles: Any) -> None:
    """How often each digit is in each tile. tiles: int32[DIGITS, tiles]."""
    counts = cuda.shared.array(DIGITS, np.int32)
    i, own = cuda.grid(1), cuda.threadIdx.x
    if own < DIGITS:
        counts[own] = 0
    cuda.syncthreads()
    if i < codes.size:
        cuda.atomic.add(counts, codes[i] >> shift & DIGITS - 1, 1)
    cuda.syncthreads()
    if own < DIGITS:
        tiles[own, cuda.blockIdx.x] = counts[own]


@cuda.jit
def sum_before(tiles: Any) -> None:
    """Each number becomes the sum of those before it, by one warp."""
    own, total = cuda.threadIdx.x, I(0)
    for start in range(0, tiles.size, TILE):
        here = tiles[start + own] if start + own < tiles.size else 0
        sums, step = here, 1
        while step < TILE:
            before = cuda.shfl_up_sync(0xFFFFFFFF, sums, step)
            sums += before if own >= step else 0
            step *= 2
        if start + own < tiles.size:
            tiles[start + own] = total + sums - here
        total += cuda.shfl_sync(0xFFFFFFFF, sums, TILE - 1)


@cuda.jit
def place(codes: Any, order: Any, shift: Any, tiles: Any, sorted_codes: Any, sorted_order: Any) -> None:
    """Each triangle goes to its place by this digit, behind those of its tile with the same one."""
    i = cuda.grid(1)
    if i < codes.size:
        digit = codes[i] >> shift & DIGITS - 1
        before = cuda.match_any_sync(cuda.activemask(), digit) & (1 << cuda.laneid) - 1
        at = tiles[digit, cuda.blockIdx.x] + cuda.popc(before)
        sorted_codes[at], sorted_order[at] = codes[i], order[i]


def same_bits(codes: Any, i: Any, j: Any) -> Any:
    """How many leading bits two places have in common: of their numbers, and where these are equal of the places too. -1 outside."""
    same = I(-1)
    if j >= 0 and j < codes.size:
        differ = codes[i] ^ codes[j]
        same = I(cuda.clz(np.int32(differ))) if differ != 0 else I(32 + cuda.clz(np.int32(i ^ j)))
    return same


@cuda.jit
def split(codes: Any, children: Any, parents: Any) -> None:
    """The children of inner node i; of leaves the number is -1 - place. parents: of inner nodes, and behind them of leaves."""
    i, inner = I(cuda.grid(1)), codes.size - 1
    if i < inner:
        way = I(1) if same_bits(codes, i, i + 1) > same_bits(codes, i, i - 1) else I(-1)
        outside = same_bits(codes, i, i - way)
        reach = I(2)
        while same_bits(codes, i, i + reach * way) > outside:
            reach *= 2
        length, step = I(0), reach // 2
        while step >= 1:
            if same_bits(codes, i, i + (length + step) * way) > outside:
                length += step
            step //= 2
        other = i + length * way
        node, offset, step = same_bits(codes, i, other), I(0), length
        while step > 1:
            step = (step + 1) // 2
            if offset + step < length and same_bits(codes, i, i + (offset + step) * way) > node:
                offset += step
        left = i + offset * way + min(way, I(0))
        for side in range(2):
            child = left + side
            leaf = child == (min(i, other) if side == 0 else max(i, other))
            children[i, side] = -1 - child if leaf else child
            parents[inner + child if leaf else child] = i


@cuda.jit
def enclose(order: Any, low: Any, high: Any, children: Any, parents: Any, arrived: Any, boxes: Any) -> None:
    """The boxes of inner nodes: float32[inner, 6], least and largest."""
    i = I(cuda.grid(1))
    inner = order.size - 1
    if i < order.size and inner > 0:
        node = I(parents[inner + i])
        while node >= 0:
            cuda.threadfence()
            if cuda.atomic.add(arrived, node, 1) == 0:
                node = I(-1)  # the other child comes later, and goes on
            else:
                cuda.threadfence()
                for axis in range(3):
                    first, second = I(children[node, 0]), I(children[node, 1])
                    a = low[order[-1 - first], axis] if first < 0 else boxes[first, axis]
                    b = low[order[-1 - second], axis] if second < 0 else boxes[second, axis]
                    boxes[node, axis] = min(a, b)
                    a = high[order[-1 - first], axis] if first < 0 else boxes[first, 3 + axis]
                    b = high[order[-1 - second], axis] if second < 0 else boxes[second, 3 + axis]
                    boxes[node, 3 + axis] = max(a, b)
                node = I(parents[node]) if node > 0 else I(-1)


def exponent_for(corner: Any, extent: Any, far: Any) -> Any:
    """The least power of two of which 255 reach from a corner to what is farthest."""
    found = max(I(np.float32(extent).view(np.uint32) >> 23) - 127 - 8, I(-126))
    while corner + F(255) * scale(found & 255) < far:
        found += 1
    return found


def plane_of(corner: Any, where: Any, exponent: Any, above: Any) -> Any:
    """A plane as a byte, so that it lies at `where` or beyond it: below, or above."""
    size = scale(exponent & 255)
    share = (D(where) - D(corner)) / D(size)
    found = min(max(I(share), I(0)), I(255))
    if above:
        while found < 255 and corner + F(found) * size < where:
            found += 1
    else:
        while found > 0 and corner + F(found) * size > where:
            found -= 1
    return found


@cuda.jit
def write(corners: Any, opaque: Any, order: Any, low: Any, high: Any, children: Any, boxes: Any, words: Any) -> None:
    """The words of the tree. Thread i writes inner node i, and the leaf at place i."""
    i, count_ = I(cuda.grid(1)), order.size
    nodes = max(count_ - 1, 1)
    if i < count_:
        at, which = LINE * (1 + nodes + i), order[i]
        words[at], words[at + 3] = TRIANGLE_LEAF | 1 << COUNT_SHIFT, which
        words[at + 2] = words[at + 13] = OPAQUE if opaque[which] else 0
        for corner in range(3):
            for axis in range(3):
                words[at + 4 + 3 * corner + axis] = corners[which, corner, axis].view(np.uint32)
    if i < nodes:
        at = LINE * (1 + i)
        pair = 2 if count_ > 1 else 1
        words[at] = pair << COUNT_SHIFT
        planes = cuda.local.array(12, np.int64)
        exponents = I(0)
        for axis in range(3):
            near = boxes[i, axis] if count_ > 1 else low[order[0], axis]
            far = boxes[i, 3 + axis] if count_ > 1 else high[order[0], axis]
            exponent = exponent_for(near, far - near, far)
            exponents |= (exponent & 255) << 8 * axis
            words[at + CORNER + axis] = near.view(np.uint32)
            for side in range(WIDTH):
                planes[3 * side + axis] = planes[6 + 3 * side + axis] = 0
                if side < pair:
                    child = I(children[i, side]) if count_ > 1 else I(-1)
                    least = low[order[-1 - child], axis] if child < 0 else boxes[child, axis]
                    most = high[order[-1 - child], axis] if child < 0 else boxes[child, 3 + axis]
                    planes[3 * side + axis] = plane_of(near, least, exponent, False)
                    planes[6 + 3 * side + axis] = plane_of(near, most, exponent, True)
                    words[at + CHILDREN + side] = 4 * LINE * (1 + nodes - 1 - child) | LEAF_FLAG if child < 0 else 4 * LINE * (1 + child)
        words[at + EXPONENTS] = exponents
        for word in range(3):
            packed = I(0)
            for byte in range(4):
                packed |= planes[4 * word + byte] << 8 * byte
            words[at + CHILDREN + WIDTH + word] = packed


def built(corners: np.ndarray, opaque: np.ndarray) -> np.ndarray:
    """The words of a scene, uint32[n], by kernels on the current GPU. corners: float32[triangles, 3, 3]. opaque: bool[triangles].

    Raises GraphicsError for a GPU whose warps are others than the kernels are written for.
    """
    config = CURRENT.context.gpu.config
    if config.core.lanes != TILE or config.core.divergence not in PARTING:
        raise GraphicsError(
            f"kernels build a tree with warps of {TILE} lanes and core.divergence={' or '.join(PARTING)}, and {config.name} has "
            f"{config.core.lanes} and {config.core.divergence}: make another GPU current, as with cuda.use('sm'), or take builder 'morton'"
        )
    triangles = len(corners)
    blocks, nodes = -(-triangles // TILE), max(triangles - 1, 1)
    made = lambda shape, kind: cuda.to_device(np.zeros(shape, kind))  # noqa: E731
    on, solid = cuda.to_device(np.ascontiguousarray(corners, np.float32)), cuda.to_device(opaque.astype(np.uint8))
    low, high = made((triangles, 3), np.float32), made((triangles, 3), np.float32)
    least, most = cuda.to_device(np.full(3, np.inf, np.float64)), cuda.to_device(np.full(3, -np.inf, np.float64))
    bounds[blocks, TILE](on, low, high, least, most)
    codes, order, next_codes, next_order = (made(triangles, np.int32) for _ in range(4))
    number[blocks, TILE](low, high, least, most, codes, order)
    tiles = made((DIGITS, blocks), np.int32)
    for shift in range(0, 3 * MORTON_BITS, DIGIT_BITS):
        count[blocks, TILE](codes, shift, tiles)
        sum_before[1, TILE](tiles.reshape(DIGITS * blocks))
        place[blocks, TILE](codes, order, shift, tiles, next_codes, next_order)
        codes, next_codes, order, next_order = next_codes, codes, next_order, order
    children, parents = made((nodes, WIDTH), np.int32), made(2 * triangles, np.int32)
    boxes = made((nodes, 6), np.float32)
    if triangles > 1:
        split[blocks, TILE](codes, children, parents)
    enclose[blocks, TILE](order, low, high, children, parents, made(nodes, np.int32), boxes)
    words = made(LINE * (1 + nodes + triangles), np.uint32)
    write[blocks, TILE](on, solid, order, low, high, children, boxes, words)
    found = words.copy_to_host()
    found[:4] = 4 * LINE, WIDTHS[WIDTH], nodes, triangles
    return np.asarray(found)
