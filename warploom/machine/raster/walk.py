"""The walk through a tile: from the tile to its quads, leaving out what a triangle cannot reach.

In hardware: a square that lies outside of an edge is dropped; else it is cut into four, upper left, upper right, lower left, lower
right, down to quads of 2 x 2 pixels. In Vortex the tile engine does this down to 4 x 4 blocks, the block engine below, with a register
between them.

The order of this walk is that of Morton numbers: quad n of a tile lies at column n's even bits, row n's odd bits. So no stack is
needed: a dropped square of 4^k quads adds 4^k to the number.

      0  1  4  5
      2  3  6  7
      8  9 12 13
     10 11 14 15
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.raster.edges import is_outside, quad_mask

END = -1
NUMBER_BITS = 26  # of the number of a quad in the largest tile, 2^14 pixels wide


@unit
def even_bits(number):
    """Bits 0, 2, 4, ... of a number, moved together."""
    found = np.int64(0)
    for k in range(NUMBER_BITS // 2):
        found |= ((number >> (2 * k)) & 1) << k
    return found


@unit
def column_of(tile_x, number):
    """Left column, in pixels, of quad `number` of a tile that begins at column tile_x."""
    return tile_x + 2 * even_bits(number)


@unit
def row_of(tile_y, number):
    """Upper row, in pixels, of quad `number` of a tile that begins at row tile_y."""
    return tile_y + 2 * even_bits(number >> 1)


@unit
def next_quad(raster, edges, row, tile_x, tile_y, number):
    """The next quad of a tile that a triangle covers a pixel of, as number * 16 + mask; END after the last.

    number: where the walk stands, 0 at first, the last quad's number + 1 later. tile_x, tile_y: the tile's upper left pixel.
    """
    quads = np.int64(1) << (2 * raster.log_tile - 2)
    while number < quads:
        x, y = column_of(tile_x, number), row_of(tile_y, number)
        level = _largest_square(number, raster.log_tile)
        while level > 1:
            raster.squares = raster.squares + 1
            if is_outside(raster, edges, row, x, y, level):
                break
            level -= 1
        if level > 1:
            raster.dropped = raster.dropped + 1
            number += np.int64(1) << (2 * level - 2)
            continue
        raster.squares = raster.squares + 1
        mask = quad_mask(raster, edges, row, x, y)
        if mask != 0:
            raster.quads = raster.quads + 1
            raster.covered = raster.covered + (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3)
            return number * 16 + mask
        number += 1
    return np.int64(END)


@unit
def _largest_square(number, log_tile):
    """log2 of the width of the largest square that begins at a quad and whose walk begins there: the whole tile at number 0."""
    level = np.int64(1)
    while level < log_tile and (number >> (2 * level - 2)) & 3 == 0:
        level += 1
    return level
