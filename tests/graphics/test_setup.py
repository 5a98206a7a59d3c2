"""Setup and the raster engine together: coverage against exact rational arithmetic on the snapped positions."""

import random
from fractions import Fraction

import numpy as np
import pytest

from warploom.graphics.setup import STEPS, Triangles, Viewport, set_up, snapped
from warploom.machine.raster.edges import INCLUSIVE, TOP_LEFT

SIZE = 24
VIEW = Viewport(SIZE, SIZE, 0, 0, SIZE, SIZE)


def counted(triangles: Triangles, rule: int, size: int = SIZE) -> np.ndarray:
    """How often each pixel is covered, by the formula of the raster engine on whole arrays; test_edges.py holds the unit to it."""
    counts = np.zeros((size, size), np.int64)
    y, x = np.mgrid[0:size, 0:size].astype(np.int64)
    for row, box in zip(triangles.edges, triangles.boxes, strict=True):
        inside = (x >= box[0]) & (x <= box[1]) & (y >= box[2]) & (y <= box[3])
        for a, b, c in row.reshape(3, 3):
            value = a * x + b * y + c
            inside &= (value > 0) | ((value == 0) & (rule == INCLUSIVE or a > 0 or (a == 0 and b > 0)))
        counts += inside
    return counts


def exact(points, rule, size=SIZE):
    """Pixels that a triangle covers, with Fractions: its centre is strictly inside of each edge, or on one that counts."""
    corners = [(Fraction(int(x), STEPS), Fraction(int(y), STEPS)) for x, y in points]
    (x0, y0), (x1, y1), (x2, y2) = corners
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    covered = set()
    if area == 0:
        return covered
    if area < 0:
        corners = [corners[0], corners[2], corners[1]]  # now clockwise as one sees it: the inside is to the right of each edge
    for line in range(size):
        for column in range(size):
            px, py = column + Fraction(1, 2), line + Fraction(1, 2)
            for k in range(3):
                (ax, ay), (bx, by) = corners[k], corners[(k + 1) % 3]
                side = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
                is_top, is_left = by == ay and bx > ax, by < ay
                if side < 0 or (side == 0 and rule == TOP_LEFT and not (is_top or is_left)):
                    break
            else:
                covered.add((column, line))
    return covered


def clip_space(points, size=SIZE, w=1.0):
    """Positions in pixels as clip coordinates."""
    return np.array([[(2 * x / size - 1) * w, (1 - 2 * y / size) * w, 0.5 * w, w] for x, y in points], np.float64)


def random_triangle(numbers):
    """Small, thin, huge, on the grid of pixel centres, with a corner far outside."""
    kind = numbers.randrange(5)
    reach = (2, SIZE, 8 * SIZE, SIZE, 400)[kind]
    near = [(numbers.uniform(0, SIZE), numbers.uniform(0, SIZE)) for _ in range(3)]
    if kind == 0:
        return [(near[0][0] + numbers.uniform(-reach, reach), near[0][1] + numbers.uniform(-reach, reach)) for _ in range(3)]
    if kind == 3:
        return [(numbers.randrange(-4, 2 * SIZE) / 2, numbers.randrange(-4, 2 * SIZE) / 2) for _ in range(3)]
    if kind == 1:  # thin
        return [near[0], near[1], (near[1][0] + numbers.uniform(-0.3, 0.3), near[1][1] + numbers.uniform(-0.3, 0.3))]
    return [near[0], *((numbers.uniform(-reach, reach), numbers.uniform(-reach, reach)) for _ in range(2))]


@pytest.mark.parametrize("rule", [INCLUSIVE, TOP_LEFT])
def test_coverage_is_exact_on_the_snapped_positions(rule):
    numbers = random.Random(rule)
    for _ in range(150):
        corners = clip_space(random_triangle(numbers), w=numbers.choice([1.0, 0.25, 7.0]))
        got = counted(set_up(corners[None], np.zeros((1, 3, 1)), VIEW), rule)
        wanted = exact(snapped(corners, VIEW), rule)
        assert {(x, y) for y, x in np.argwhere(got)} == wanted
        assert got.max(initial=0) <= 1


def covered_by_sides(points, rule, size=SIZE):
    """bool[n, size, size] of n triangles: each pixel centre beside each side, in whole numbers of 1/256 pixel, corners turned clockwise."""
    (x0, y0), (x1, y1), (x2, y2) = np.moveaxis(points, (1, 2), (0, 1))
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    turned = np.where((area < 0)[:, None, None], points[:, [0, 2, 1]], points)
    py, px = (np.mgrid[0:size, 0:size].astype(np.int64) * STEPS + STEPS // 2)[:, None]
    inside = np.repeat((area != 0)[:, None, None], size, axis=1).repeat(size, axis=2)
    for k in range(3):
        (ax, ay), (bx, by) = (turned[:, corner % 3].T[..., None, None] for corner in (k, k + 1))
        side = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        counts = (rule == INCLUSIVE) | ((by == ay) & (bx > ax)) | (by < ay)
        inside &= (side > 0) | ((side == 0) & counts)
    return inside


@pytest.mark.parametrize("count", [4000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_the_coverage_of_many_triangles_is_that_of_their_sides(count):
    numbers = random.Random(count)
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.int64)
    for start in range(0, count, 1000):
        rule = (start // 1000) % 2
        corners = np.array([clip_space(random_triangle(numbers), w=numbers.choice([1.0, 0.25, 7.0])) for _ in range(1000)])
        made = set_up(corners, np.zeros((1000, 3, 1)), VIEW)
        a, b, c = np.moveaxis(made.edges.reshape(-1, 3, 3), -1, 0)[..., None, None]
        value = a * x + b * y + c
        got = ((value > 0) | ((value == 0) & ((rule == INCLUSIVE) | (a > 0) | ((a == 0) & (b > 0))))).all(axis=1)
        wanted = covered_by_sides(snapped(corners, VIEW), rule)
        left_out = np.setdiff1d(np.arange(1000, dtype=np.int64), made.origin)
        assert (got == wanted[made.origin]).all()
        assert not wanted[left_out].any()


def fan_mesh(numbers, perspective):
    """A fan of triangles around a point that covers the picture: corners of a polygon outside, random vertices inside."""
    rim = [(-9, -7), (SIZE / 2, -30), (SIZE + 11, -5), (SIZE + 8, SIZE + 9), (3, SIZE + 20), (-40, SIZE / 2)]
    hub = (numbers.randrange(2 * SIZE) / 2, numbers.randrange(2 * SIZE) / 2)
    points = [hub, *rim]
    depths = [numbers.uniform(0.4, 5) if perspective else 1.0 for _ in points]
    corners = np.concatenate([clip_space([point], w=w) for point, w in zip(points, depths, strict=True)])
    triangles = [(0, k, k % len(rim) + 1) for k in range(1, len(rim) + 1)]
    return corners[np.array(triangles)]


@pytest.mark.parametrize("perspective", [False, True])
def test_a_mesh_covers_every_pixel_exactly_once_under_the_top_left_rule(perspective):
    numbers = random.Random(7)
    for _ in range(60):
        mesh = fan_mesh(numbers, perspective)
        assert (counted(set_up(mesh, np.zeros((len(mesh), 3, 1)), VIEW), TOP_LEFT) == 1).all()


def test_the_inclusive_rule_draws_a_shared_edge_twice():
    square = clip_space([(2.5, 2.5), (18.5, 2.5), (18.5, 18.5), (2.5, 18.5)])
    halves = square[np.array([[0, 1, 2], [0, 2, 3]])]
    counts = counted(set_up(halves, np.zeros((2, 3, 1)), VIEW), INCLUSIVE)
    assert [(x, y) for y, x in np.argwhere(counts == 2)] == [(k, k) for k in range(2, 19)]
    assert (counted(set_up(halves, np.zeros((2, 3, 1)), VIEW), TOP_LEFT) == 1).sum() == 16 * 16


def test_a_floor_that_reaches_behind_the_eye_is_cut_and_stays_whole():
    """Tiles of a floor, seen from above their middle: below the horizon each pixel is drawn once, wherever tiles are cut."""
    numbers = random.Random(3)
    near = 0.25
    projection = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1.01, -near * 1.01], [0, 0, -1, 0]])
    grid = [[(x + (numbers.uniform(-0.3, 0.3) if abs(x) < 40 else 0), -1.0, z, 1.0) for x in (-40, -3, -1, 0, 2, 40)]
            for z in (-20, -6, -2.5, -1, 0, 3)]  # fmt: skip
    points = np.array(grid) @ projection.T
    mesh = [points[[i, i, i + 1], [j, j + 1, j]] for i in range(5) for j in range(5)]
    mesh += [points[[i, i + 1, i + 1], [j + 1, j + 1, j]] for i in range(5) for j in range(5)]
    counts = counted(set_up(np.array(mesh), np.zeros((50, 3, 1)), VIEW), TOP_LEFT)
    horizon = SIZE // 2 + 1
    assert (counts[horizon:] == 1).all()
    assert counts[: horizon - 1].sum() == 0


def test_faces_and_culling():
    clockwise = clip_space([(1, 1), (20, 1), (1, 20)])  # as one sees it
    both = np.array([clockwise, clockwise[[0, 2, 1]]])
    values = np.zeros((2, 3, 1))
    assert set_up(both, values, VIEW).back.tolist() == [1, 0]
    assert set_up(both, values, VIEW, front="cw").back.tolist() == [0, 1]
    assert set_up(both, values, VIEW, cull="back").origin.tolist() == [1]
    assert set_up(both, values, VIEW, cull="front").origin.tolist() == [0]


def test_triangles_without_area_and_outside_are_left_out():
    line = clip_space([(1, 1), (5, 5), (9, 9)])
    aside = clip_space([(-9, 1), (-5, 5), (-9, 9)])
    behind = clip_space([(1, 1), (5, 1), (1, 5)], w=-1.0)
    assert len(set_up(np.array([line, aside, behind]), np.zeros((3, 3, 1)), VIEW).edges) == 0
