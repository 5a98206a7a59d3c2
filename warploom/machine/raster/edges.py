"""Edge functions: which side of an edge a pixel lies on, and whether a triangle covers it.

In hardware: an edge of a triangle is a plane E(x, y) = A x + B y + C over the screen. It is 0 on the edge, positive inside and
negative outside, so a pixel is covered if none of its three values is negative. To step one pixel to the right adds A, to step one
down adds B: the evaluator of a quad (2 x 2 pixels) is three edges of three adders each, and tests sign bits. Source: Pineda, "A
Parallel Algorithm for Polygon Rasterization", SIGGRAPH 1988.

Values are exact integers; C stands for the value at the centre of pixel (0, 0). Two widths:

* narrow: 32 bits that wrap, coefficients in Q15.16. Vortex of 2024 sets a triangle up in floats, scales its edges so that the largest
  coefficient is 1, and cuts them off to this format. Source: github.com/vortexgpgpu/skybox d06a998, 2024-08.
* wide: 64 bits. Positions lie on a grid of 1/256 pixel (Direct3D 11 and most of Vulkan), so that coefficients are exact.

A pixel whose centre lies exactly on an edge needs a rule:

* INCLUSIVE: it is covered. Two triangles that share the edge both draw it, as on Vortex of 2024.
* TOP_LEFT: it is covered if the edge is a left one (A > 0: the inside is to its right) or a top one (A = 0 and B > 0: exactly
  horizontal, and the inside is below). Of two triangles that share the edge exactly one draws it. Vulkan, Direct3D, and Vortex of 2026.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import record, unit

INCLUSIVE, TOP_LEFT = range(2)
RULES = {"inclusive": INCLUSIVE, "top-left": TOP_LEFT}
EDGES = 3
COEFFICIENTS = 3 * EDGES  # A, B, C of each edge, in a row
WHOLE_QUAD = 15

Raster = record(
    settings=dict(
        narrow="i8",       # 1: sums of 32 bits that wrap; 0: 64 bits
        rule="i8",         # INCLUSIVE or TOP_LEFT
        log_tile="i8",     # log2 of a tile's width and height in pixels: 1 to 14
    ),
    launch=dict(
        left="i8",         # the scissor: first column that may be drawn
        top="i8",
        right="i8",        # first column that may not
        bottom="i8",
    ),
    counters=dict(
        squares="i8",      # squares and quads examined in the walk
        dropped="i8",      # of these: wholly outside of one edge
        quads="i8",        # quads with a covered pixel
        covered="i8",      # pixels covered in them
    ),
)  # fmt: skip


@unit
def wrapped(value):
    """The low 32 bits of a whole number, read as signed."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@unit
def edge_value(raster, edges, row, k, x, y):
    """E of edge k (0 to 2) of triangle `row` at the centre of pixel (x, y). edges: int64[triangles, 9]."""
    value = np.int64(edges[row, 3 * k]) * x + np.int64(edges[row, 3 * k + 1]) * y + np.int64(edges[row, 3 * k + 2])
    return wrapped(value) if raster.narrow != 0 else value


@unit
def is_inside(raster, value, a, b):
    """Whether a pixel with the value E of an edge (A, B) is on the edge's inner side, by the rule for pixels on the edge."""
    if value != 0 or raster.rule == INCLUSIVE:
        return value >= 0
    return a > 0 or (a == 0 and b > 0)


@unit
def covers(raster, edges, row, x, y):
    """Whether a triangle covers pixel (x, y), wherever the scissor lies."""
    inside = True
    for k in range(EDGES):
        inside = inside and is_inside(raster, edge_value(raster, edges, row, k, x, y), edges[row, 3 * k], edges[row, 3 * k + 1])
    return inside


@unit
def in_scissor(raster, x, y):
    """Whether pixel (x, y) may be drawn."""
    return raster.left <= x < raster.right and raster.top <= y < raster.bottom


@unit
def quad_mask(raster, edges, row, x, y):
    """The covered pixels of the quad whose upper left pixel is (x, y): bit p stands for pixel (x + p % 2, y + p // 2)."""
    mask = np.int64(0)
    for p in range(4):
        column, line = x + (p & 1), y + (p >> 1)
        if in_scissor(raster, column, line) and covers(raster, edges, row, column, line):
            mask |= 1 << p
    return mask


@unit
def is_outside(raster, edges, row, x, y, log_size):
    """Whether a square is certain to have no covered pixel: all of it is on the outer side of one edge.

    (x, y): its upper left pixel; log_size: log2 of its width. The corner that is tested is the one where E is largest. In narrow
    arithmetic this sum wraps too.
    """
    for k in range(EDGES):
        a, b = np.int64(edges[row, 3 * k]), np.int64(edges[row, 3 * k + 1])
        most = edge_value(raster, edges, row, k, x, y) + ((max(a, 0) + max(b, 0)) << log_size)
        if raster.narrow != 0:
            most = wrapped(most)
        if most < 0:
            return True
    return False
