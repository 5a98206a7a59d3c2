"""Drawing as the units do it, without their time: raster engine, pixel shader, output merger, fragment after fragment.

    triangle -> tiles of its box -> quads -> four pixels -> shader -> merger -> picture

Order: triangles as submitted, tiles row by row, quads in the walk's order. A pixel so meets its fragments in the order of the triangles,
which is what blending and depth are defined by.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.graphics.shading import find_weights, interpolate, level_of_detail, shade
from warploom.machine.engine.unit import record, unit
from warploom.machine.merger.compare import passes
from warploom.machine.merger.depth_stencil import FARTHEST
from warploom.machine.merger.fragment import merge
from warploom.machine.raster.edges import edge_value
from warploom.machine.raster.walk import END, column_of, next_quad, row_of

BOX_LEFT, BOX_RIGHT, BOX_TOP, BOX_BOTTOM = range(4)

Drawing = record(
    settings=dict(
        width="i8",        # of the target, pixels
        tests_early="i8",  # 1: the depth test comes before the shader too
    ),
    counters=dict(
        triangles="i8",
        tiles="i8",        # pairs of a triangle and a tile that it touches
        quads="i8",        # quads that were shaded
        fragments="i8",    # covered pixels, before any test
        helpers="i8",      # pixels of these quads that were not covered
        early="i8",        # dropped before the shader
        cut="i8",          # dropped by the shader, for their alpha
        late="i8",         # dropped by the merger
        written="i8",      # that passed
    ),
)  # fmt: skip


@unit
def draw_triangles(drawings, rasters, mergers, quads, lamps, materials, edges, boxes, depth_planes, inverse_areas, attributes, kinds,
                   textures, texels, colors, depths, shaded, occupancy, first, last):  # fmt: skip
    """Draw triangles `first` to `last` - 1 of a draw call.

    drawings, rasters, mergers, quads, lamps: one record each. edges, boxes: of setup.Triangles. depth_planes: float64[n, 3], depth of
    corner 0 and what corners 1 and 2 add to it, over the area. inverse_areas: float32[n, 3], 1 / (area * w). kinds: int64[n, 2], row of
    materials, 1 for a back face. colors, depths: uint32, a word a pixel, rows of `width`. shaded: uint32, a pixel: fragments.
    occupancy: uint32[quads of the target, 2]: quads that were shaded, pixels covered in them.
    """
    drawing, raster, merger, quad = drawings[0], rasters[0], mergers[0], quads[0]
    tile = np.int64(1) << raster.log_tile
    half = (drawing.width + 1) >> 1
    for row in range(first, last):
        drawing.triangles = drawing.triangles + 1
        top = (boxes[row, BOX_TOP] >> raster.log_tile) << raster.log_tile
        while top <= boxes[row, BOX_BOTTOM]:
            left = (boxes[row, BOX_LEFT] >> raster.log_tile) << raster.log_tile
            while left <= boxes[row, BOX_RIGHT]:
                drawing.tiles = drawing.tiles + 1
                found = next_quad(raster, edges, row, left, top, 0)
                while found != END:
                    number = found >> 4
                    x, y = column_of(left, number), row_of(top, number)
                    draw_quad(drawing, raster, merger, quad, lamps[0], materials[kinds[row, 0]], edges, depth_planes, inverse_areas,
                              attributes, textures, texels, colors, depths, shaded, occupancy, row, kinds[row, 1], x, y, found & 15,
                              (y >> 1) * half + (x >> 1))  # fmt: skip
                    found = next_quad(raster, edges, row, left, top, number + 1)
                left += tile
            top += tile
    return np.int64(0)


@unit
def depth_at(raster, edges, depth_planes, row, x, y):
    """The depth of a triangle at a pixel, 0 to FARTHEST: rounded to the nearest step, halves upwards."""
    second = np.float64(edge_value(raster, edges, row, 1, x, y)) * depth_planes[row, 1]
    third = np.float64(edge_value(raster, edges, row, 2, x, y)) * depth_planes[row, 2]
    value = (depth_planes[row, 0] + (second + third)) * np.float64(FARTHEST)
    return min(max(np.int64(np.floor(value + 0.5)), 0), FARTHEST)


@unit
def draw_quad(drawing, raster, merger, quad, lamp, material, edges, depth_planes, inverse_areas, attributes, textures, texels, colors,
              depths, shaded, occupancy, row, back, x, y, mask, place):  # fmt: skip
    """Draw the pixels of `mask` of the quad at (x, y). place: of the quad in `occupancy`."""
    kept = np.int64(0)
    for p in range(4):
        if mask >> p & 1 != 0:
            drawing.fragments = drawing.fragments + 1
            pixel = (y + (p >> 1)) * drawing.width + x + (p & 1)
            stored = np.int64(depths[pixel]) & FARTHEST
            if drawing.tests_early != 0 and not passes(
                merger.depth_compare, depth_at(raster, edges, depth_planes, row, x + (p & 1), y + (p >> 1)), stored
            ):
                drawing.early = drawing.early + 1
            else:
                kept |= 1 << p
    if kept == 0:
        return
    drawing.quads = drawing.quads + 1
    occupancy[place, 0] += np.uint32(1)
    find_weights(quad, raster, edges, inverse_areas, row, x, y)
    interpolate(quad, attributes, row)
    level = level_of_detail(quad, textures, material.texture)
    for p in range(4):
        if kept >> p & 1 == 0:
            drawing.helpers = drawing.helpers + 1
            continue
        column, line = x + (p & 1), y + (p >> 1)
        pixel = line * drawing.width + column
        occupancy[place, 1] += np.uint32(1)
        shaded[pixel] += np.uint32(1)
        color = shade(quad, p, material, lamp, textures, texels, level, back)
        if color < 0:
            drawing.cut = drawing.cut + 1
        elif merge(merger, colors, depths, pixel, back, color, depth_at(raster, edges, depth_planes, row, column, line)):
            drawing.written = drawing.written + 1
        else:
            drawing.late = drawing.late + 1
