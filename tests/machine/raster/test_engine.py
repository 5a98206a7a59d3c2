"""The raster engine from buffers in memory, against a search through all tiles, triangles and quads."""

import random

import numpy as np
import pytest

from tests.machine.raster.test_edges import raster_with
from tests.machine.raster.test_walk import in_order, random_edges
from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.raster.edges import INCLUSIVE, TOP_LEFT, quad_mask
from warploom.machine.raster.engine import Engine, configure, next_stamp

LOG_TILE, STRIDE, TILES_AT, TRIANGLES_AT = 3, 40, 64, 1024


@unit
def drive(engines, rasters, registers, memory, edges, found):
    """Rows of `found`: triangle, x, y, mask."""
    configure(engines[0], rasters[0], registers, 4 * memory.shape[0])
    count = 0
    while next_stamp(engines[0], rasters[0], memory, edges):
        found[count, 0] = engines[0].triangle
        found[count, 1] = engines[0].x
        found[count, 2] = engines[0].y
        found[count, 3] = engines[0].mask
        count += 1
    return count


def buffers(triangles, tiles):
    """Memory with both buffers. tiles: ((x, y), numbers of triangles)."""
    memory = np.zeros(2048, np.uint32)
    at = TILES_AT // 4 + 2 * len(tiles)
    for place, ((x, y), numbers) in enumerate(tiles):
        header = TILES_AT // 4 + 2 * place
        memory[header], memory[header + 1] = x | y << 16, at - header - 2 | len(numbers) << 16
        memory[at : at + len(numbers)] = numbers
        at += len(numbers)
    for number, row in enumerate(triangles):
        start = (TRIANGLES_AT + number * STRIDE) // 4
        memory[start : start + 9] = row[0] & 0xFFFFFFFF
    return memory


@pytest.mark.parametrize("rule", [INCLUSIVE, TOP_LEFT])
def test_stamps_are_those_of_a_search_in_the_order_of_tiles_triangles_and_quads(rule):
    numbers = random.Random(rule)
    for _ in range(4):
        triangles = [random_edges(numbers) for _ in range(5)]
        tiles = [((x, y), sorted(numbers.sample(range(5), numbers.randrange(5)))) for x in range(3) for y in range(3)]
        scissor = (2, 1, 21, 20)
        registers = np.array([TILES_AT // 64, len(tiles), TRIANGLES_AT // 64, STRIDE, 21 << 16 | 2, 20 << 16 | 1], np.uint32)
        made = raster_with(rule, narrow=1, log_tile=LOG_TILE)
        count, after = both(
            drive, zeros(1, Engine), made, registers, buffers(triangles, tiles), np.zeros((1, 9), np.int64), np.zeros((999, 4), np.int64)
        )
        alone = mirror(raster_with(rule, narrow=1, scissor=scissor)[0].reshape(()))
        wanted = []
        for (tile_x, tile_y), ids in tiles:
            for number in ids:
                for dx, dy in in_order(LOG_TILE):
                    x, y = 8 * tile_x + dx, 8 * tile_y + dy
                    if mask := quad_mask(alone, triangles[number], 0, x, y):
                        wanted.append([number, x, y, int(mask)])
        assert after[5][:count].tolist() == wanted
        assert after[0]["triangles"][0] == sum(len(ids) for _, ids in tiles)


def test_a_device_that_is_started_again_begins_anew():
    triangles, tiles = [np.array([[0, 0, 1, 0, 0, 1, 0, 0, 1]], np.int64)], [((0, 0), [0])]
    registers = np.array([TILES_AT // 64, 1, TRIANGLES_AT // 64, STRIDE, 8 << 16, 8 << 16], np.uint32)
    engine, memory = zeros(1, Engine), buffers(triangles, tiles)
    for _ in range(2):
        count, after = both(
            drive, engine, raster_with(INCLUSIVE, 1, 3), registers, memory, np.zeros((1, 9), np.int64), np.zeros((99, 4), np.int64)
        )
        assert count == 16
        engine = after[0]
