"""The fragment shader of Vortex's own drawing test of 2024, and a draw call through raster engine, shader and merger, in fixed point.

    weights      from the edge values F: r = 1 / (F0 + F1 + F2), dx = r F0, dy = r F1, floats cut off to Q7.24
    attribute    (ay dy >> 24) + ((ax dx >> 24) + az), products of 64 bits, sums that wrap at 32
    colour       a byte of each: (value * 255) >> 24; with a texture value * texel >> 24 where they are multiplied
    depth        the low 24 bits of z

Source of the formulas: github.com/vortexgpgpu/skybox d06a998, tests/regression/draw3d.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.original.setup import ATTRIBUTE_FRACTION, LOG_TILE, STRIDE, Primitives, primitive_buffer, tile_buffer
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.raster.edges import INCLUSIVE, Raster
from warploom.machine.raster.engine import Engine, configure, next_stamp

F = np.float32
BLOCK = 64  # bytes to which buffers are aligned
Sampler = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Stamps(NamedTuple):
    """What the raster engine gave, in its order; n stamps. triangle, x, y, mask: int64[n]; x, y: the quad's upper left pixel."""

    triangle: np.ndarray
    x: np.ndarray
    y: np.ndarray
    mask: np.ndarray


def stamps_of(primitives: Primitives, width: int, height: int, rule: int = INCLUSIVE, log_tile: int = LOG_TILE) -> Stamps:
    """Put the buffers into memory, configure the raster engine, and take all its stamps."""
    tiles, count = tile_buffer(primitives.boxes, log_tile)
    words = primitive_buffer(primitives).astype(np.int64).ravel() & 0xFFFFFFFF
    start = -(-4 * len(tiles) // BLOCK) * BLOCK
    memory = np.zeros(start // 4 + len(words) + 1, np.uint32)
    memory[: len(tiles)], memory[start // 4 : start // 4 + len(words)] = tiles, words
    engine, raster = zeros(1, Engine), zeros(1, Raster)
    raster["narrow"], raster["rule"], raster["log_tile"] = 1, rule, log_tile
    registers = np.array([0, count, start // BLOCK, STRIDE, width << 16, height << 16], np.uint32)
    found: list[tuple[int, int, int, int]] = []
    one, settings, edges = mirror(engine)[0], mirror(raster)[0], np.zeros((1, 9), np.int64)
    configure(one, settings, registers, memory.nbytes)
    while next_stamp(one, settings, memory, edges):
        found.append((one.triangle, one.x, one.y, one.mask))
    columns = np.array(found, np.int64).reshape(-1, 4).T
    return Stamps(*columns)


class Fragments(NamedTuple):
    """Covered pixels in order; n fragments. x, y: int64[n]. weights: int64[n, 2], dx and dy in Q7.24. triangle: int64[n]."""

    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    triangle: np.ndarray


def fragments_of(primitives: Primitives, stamps: Stamps) -> Fragments:
    """The fragments of stamps: quad by quad, in the order of the mask's bits."""
    pixel = np.arange(4, dtype=np.int64)
    x, y = (stamps.x[:, None] + (pixel & 1)).ravel(), (stamps.y[:, None] + (pixel >> 1)).ravel()
    covered = (stamps.mask[:, None] >> pixel & 1).ravel() != 0
    triangle = stamps.triangle.repeat(4)
    x, y, triangle = x[covered], y[covered], triangle[covered]
    edges = primitives.edges[triangle].astype(np.int64).reshape(-1, 3, 3)
    values = _wrapped(edges[..., 0] * x[:, None] + edges[..., 1] * y[:, None] + edges[..., 2])
    with np.errstate(all="ignore"):
        floats = values.astype(F) / F(1 << ATTRIBUTE_FRACTION)
        inverse = F(1) / (floats[:, 0] + floats[:, 1] + floats[:, 2])
        scaled = np.trunc(floats[:, :2] * inverse[:, None] * F(1 << ATTRIBUTE_FRACTION))
    return Fragments(x, y, np.nan_to_num(scaled).astype(np.int64), triangle)


def _wrapped(values: np.ndarray) -> np.ndarray:
    return ((values + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def interpolated(primitives: Primitives, fragments: Fragments) -> np.ndarray:
    """z, r, g, b, a, u, v of fragments: int64[n, 7], Q7.24."""
    planes = primitives.planes[fragments.triangle].astype(np.int64)
    dx, dy = fragments.weights[:, :1], fragments.weights[:, 1:]
    first = _wrapped((planes[..., 0] * dx >> ATTRIBUTE_FRACTION) + planes[..., 2])
    return _wrapped((planes[..., 1] * dy >> ATTRIBUTE_FRACTION) + first)


def shaded(values: np.ndarray, sample: Sampler | None, modulate: bool, colored: bool = True) -> np.ndarray:
    """The colours of fragments, uint32[n], alpha in the highest byte. sample: texels of u and v, Q8.23. modulate: texel times colour."""
    channels = values[:, [3, 2, 1, 4]] if colored else np.full((len(values), 4), 1 << ATTRIBUTE_FRACTION, np.int64)
    factor: Any = 255
    if sample is not None:
        texels = sample(values[:, 5] >> 1, values[:, 6] >> 1).astype(np.int64)
        if not modulate:
            return texels.astype(np.uint32)
        factor = texels[:, None] >> (8 * np.arange(4, dtype=np.int64)) & 255
    parts = (_wrapped(channels * factor) >> ATTRIBUTE_FRACTION) & 255
    return (parts << (8 * np.arange(4, dtype=np.int64))).sum(axis=1).astype(np.uint32)
