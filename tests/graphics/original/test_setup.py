"""Setup and binning of Vortex of 2024: by hand, against whole numbers, and beside ours."""

import random
from typing import NamedTuple

import numpy as np
import pytest

from tests.graphics.scenes import clip
from tests.graphics.test_setup import VIEW
from tests.graphics.test_setup import counted as counted_by_ours
from warploom.graphics.original.setup import WORDS, fixed, primitive_buffer, set_up_original, tile_buffer
from warploom.graphics.original.shader import fragments_of, interpolated, shaded, stamps_of
from warploom.graphics.setup import set_up
from warploom.machine.raster.edges import INCLUSIVE, TOP_LEFT

SIZE = 24


class Boxed(NamedTuple):
    edges: np.ndarray
    boxes: np.ndarray


def primitives_of(triangles, size=SIZE, near=0.0, far=1.0):
    corners = np.array(triangles, np.float32)
    return set_up_original(corners, np.ones((len(corners), 3, 4)), np.zeros((len(corners), 3, 2)), size, size, near, far)


def counted(primitives, rule, size=SIZE):
    counts = np.zeros((size, size), np.int64)
    fragments = fragments_of(primitives, stamps_of(primitives, size, size, rule))
    np.add.at(counts, (fragments.y, fragments.x), 1)
    return counts


def test_a_triangle_by_hand():
    """Corners at (0, 0), (8, 0) and (0, 8) of 8 x 8 pixels: -x - y + 8, x and y at pixel centres, over the largest coefficient, 8."""
    made = primitives_of([[[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1]]], 8)
    one = 1 << 16
    assert made.edges.tolist() == [[-one, -one, 7 * one, one, 0, one // 2, 0, one, one // 2]]
    assert made.boxes.tolist() == [[0, 8, 0, 8]]
    assert counted(made, INCLUSIVE, 8).sum() == 36
    assert counted(made, TOP_LEFT, 8).sum() == 28


def test_fixed_point_cuts_off_towards_zero():
    values = np.array([0.75, -0.75, 1.99999, -1.99999, 40000.0, -40000.0, np.nan], np.float32)
    assert fixed(values, 0).tolist() == [0, 0, 1, -1, 40000, -40000, -(2**31)]
    assert fixed(values, 16).tolist()[:3] == [49152, -49152, 131071]
    assert fixed(values, 16).tolist()[4:] == [-(2**31)] * 3


@pytest.mark.parametrize("w", [1.0, 0.5, -2.0])
def test_coverage_is_that_of_whole_numbers_on_its_own_coefficients(w):
    numbers = random.Random(int(10 * w))
    triangles = [clip([(numbers.uniform(-9, 40), numbers.uniform(-9, 40)) for _ in range(3)], SIZE, w=w) for _ in range(12)]
    made = primitives_of(triangles)
    wanted = np.zeros((SIZE, SIZE), np.int64)
    for row in made.edges.tolist():
        for y in range(SIZE):
            for x in range(SIZE):
                wanted[y, x] += all(row[3 * k] * x + row[3 * k + 1] * y + row[3 * k + 2] >= 0 for k in range(3))
    assert (counted(made, INCLUSIVE) == wanted).all()


def test_a_rectangle_of_two_triangles_has_the_fragments_that_the_original_has():
    """16,512 of 2024, 16,384 under Vulkan's rule: recorded of the original."""
    square = np.array([[-1, 1, 0.5, 1], [-1, -1, 0.5, 1], [1, -1, 0.5, 1], [1, 1, 0.5, 1]], np.float32)
    made = primitives_of(square[np.array([[0, 1, 2], [0, 2, 3]])], 128)
    assert counted(made, INCLUSIVE, 128).sum() == 16_512
    assert counted(made, TOP_LEFT, 128).sum() == 16_384


def pairs_with_a_shared_edge(count):
    """Two triangles on both sides of an edge, corners on pixel centres and between them: clip space, y down."""
    numbers, found = random.Random(1), []
    while len(found) < count:
        a, b, c, d = ((numbers.randrange(2, 2 * SIZE - 2) / 2, numbers.randrange(2, 2 * SIZE - 2) / 2) for _ in range(4))
        one, other = ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) for q in (c, d))
        if one * other < 0:
            found.append((clip([a, b, c], SIZE), clip([b, a, d], SIZE)))
    return found


def test_two_triangles_with_a_shared_edge_may_miss_a_pixel_where_ours_do_not():
    """Of pixels whose neighbours are all covered, so that they lie inside of both together. The original's rows begin at the bottom."""
    missed = 0
    for pair in pairs_with_a_shared_edge(200):
        ours = counted_by_ours(set_up(np.array(pair), np.zeros((2, 3, 1)), VIEW), TOP_LEFT)
        made = primitives_of(pair)
        whole = np.tile(np.array([[0, SIZE, 0, SIZE]], np.int64), (len(made.edges), 1))
        theirs = counted_by_ours(Boxed(made.edges.astype(np.int64), whole), TOP_LEFT)[::-1]
        inner = np.zeros((SIZE, SIZE), bool)
        inner[1:-1, 1:-1] = np.all([ours[1 + dy : SIZE - 1 + dy, 1 + dx : SIZE - 1 + dx] for dx in (-1, 0, 1) for dy in (-1, 0, 1)], axis=0)
        assert ours.max() <= 1
        missed += bool((inner & (theirs == 0)).any())
    assert missed > 0


def test_the_tile_buffer_has_a_header_for_each_touched_tile_then_the_numbers():
    boxes = np.array([[0, 33, 5, 20], [40, 64, 30, 65], [0, 10, 0, 10]], np.int64)
    words, count = tile_buffer(boxes)
    found = {}
    for place in range(count):
        where, ids = int(words[2 * place]), int(words[2 * place + 1])
        start = 2 * place + 2 + (ids & 0xFFFF)
        found[where & 0xFFFF, where >> 16] = words[start : start + (ids >> 16)].tolist()
    assert found == {(0, 0): [0, 2], (1, 0): [0, 1], (1, 1): [1], (1, 2): [1]}
    assert list(found) == sorted(found)
    made = primitives_of([clip([(1, 1), (9, 2), (3, 9)], SIZE)])
    assert primitive_buffer(made).shape == (1, WORDS)
    assert 4 * WORDS == 120


def test_the_shader_is_fixed_point_as_written():
    """Attributes of each fragment by whole numbers and single floats, one after the other."""
    numbers = random.Random(5)
    corners = clip([(1, 2, 0.2, 1.0), (22, 5, 0.6, 2.5), (7, 21, 0.9, 0.7)], SIZE)[None]
    colors = np.array([[[numbers.random() for _ in range(4)] for _ in range(3)]], np.float32)
    made = set_up_original(corners, colors, np.zeros((1, 3, 2)), SIZE, SIZE, 0.0, 1.0)
    fragments = fragments_of(made, stamps_of(made, SIZE, SIZE))
    values, words = interpolated(made, fragments), shaded(interpolated(made, fragments), None, False)
    assert len(fragments.x) > 150
    for n in range(0, len(fragments.x), 7):
        e = [int(a) * int(fragments.x[n]) + int(b) * int(fragments.y[n]) + int(c) for a, b, c in made.edges[0].reshape(3, 3)]
        f = [np.float32(part) / np.float32(1 << 24) for part in e]
        inverse = np.float32(1) / (f[0] + f[1] + f[2])
        dx, dy = (int(np.trunc(np.float64(part * inverse) * (1 << 24))) for part in f[:2])
        for k in range(7):
            ax, ay, az = (int(part) for part in made.planes[0, k])
            assert values[n, k] == (ay * dy >> 24) + ((ax * dx >> 24) + az)
        red = (int(values[n, 1]) * 255 + 2**31) % 2**32 - 2**31
        assert int(words[n]) >> 16 & 255 == red >> 24 & 255
