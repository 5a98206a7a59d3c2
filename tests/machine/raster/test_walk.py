"""The walk through a tile, against all quads of the tile in the order of Morton numbers."""

import random

import numpy as np
import pytest

from tests.machine.raster.test_edges import raster_with
from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit
from warploom.machine.raster.edges import INCLUSIVE, TOP_LEFT, quad_mask
from warploom.machine.raster.walk import END, next_quad


@unit
def drive(rasters, edges, tile_x, tile_y, found):
    """Number * 16 + mask of every quad."""
    number = np.int64(0)
    count = np.int64(0)
    while True:
        got = next_quad(rasters[0], edges, 0, tile_x, tile_y, number)
        if got == END:
            return count
        found[count] = got
        count += 1
        number = (got >> 4) + 1


def in_order(log_tile):
    """Quads of a tile as (x, y) in pixels: a square's four quarters, each in this order itself."""
    places = [(0, 0)]
    for level in range(log_tile - 1, 0, -1):
        half = 1 << level
        places = [(x + dx, y + dy) for x, y in places for dx, dy in ((0, 0), (half, 0), (0, half), (half, half))]
    return places


def random_edges(numbers):
    corners = [(numbers.randint(-40, 90), numbers.randint(-40, 90)) for _ in range(3)]
    (x0, y0), (x1, y1), (x2, y2) = corners
    sign = 1 if (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) > 0 else -1
    row = []
    for a, b in ((1, 2), (2, 0), (0, 1)):
        (xa, ya), (xb, yb) = corners[a], corners[b]
        row += [-sign * (yb - ya), sign * (xb - xa), sign * ((yb - ya) * xa - (xb - xa) * ya)]
    return np.array([row], np.int64)


@pytest.mark.parametrize("rule", [INCLUSIVE, TOP_LEFT])
@pytest.mark.parametrize("log_tile", [1, 3, 5])
def test_finds_the_quads_of_a_search_in_that_order(log_tile, rule):
    numbers = random.Random(log_tile)
    for _ in range(12):
        edges, made = random_edges(numbers), raster_with(rule, log_tile=log_tile, scissor=(3, 0, 50, 47))
        tile = (numbers.randrange(0, 64, 1 << log_tile), numbers.randrange(0, 64, 1 << log_tile))
        count, after = both(drive, made, edges, *tile, np.zeros(1024, np.int64))
        unit_alone = mirror(raster_with(rule, scissor=(3, 0, 50, 47))[0].reshape(()))
        masks = [quad_mask(unit_alone, edges, 0, tile[0] + x, tile[1] + y) for x, y in in_order(log_tile)]
        assert after[4][:count].tolist() == [16 * n + mask for n, mask in enumerate(masks) if mask]
        assert after[0]["quads"][0] == count
        assert after[0]["covered"][0] == sum(mask.bit_count() for mask in map(int, masks))


def test_a_square_outside_of_an_edge_is_dropped_whole():
    edges = np.array([[1, 0, -100, 1, 0, 0, 0, 1, 0]], np.int64)  # x >= 100: nothing of a tile of 32 x 32
    count, after = both(drive, raster_with(INCLUSIVE), edges, 0, 0, np.zeros(4, np.int64))
    assert (count, after[0]["squares"][0], after[0]["dropped"][0]) == (0, 1, 1)
