"""The triangle test, against exact fractions; and that an edge is passed on one side of it or on the other, never between."""

from fractions import Fraction

import numpy as np

from tests.machine.rays.test_box import rays_of
from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit
from warploom.machine.rays.ray import prepare
from warploom.machine.rays.triangle import edge, hits_triangle


@unit
def drive(rays, floats, found, places):
    for row in range(found.shape[0]):
        ray = rays[row]
        prepare(ray)
        found[row] = 1 if hits_triangle(ray, floats, 9 * row) else 0
        if found[row] != 0:
            places[row, 0], places[row, 1], places[row, 2], places[row, 3] = ray.t, ray.u, ray.v, ray.back
    return np.int64(0)


def answers(rays, corners):
    count = len(corners)
    floats = np.ascontiguousarray(corners, np.float32).ravel()
    _, after = both(drive, rays, floats, np.zeros(count, np.int64), np.zeros((count, 4), np.float32))
    return after[2] != 0, after[3]


def exact(origin, direction, corners):
    """t, u, v of the crossing of a line and a triangle's plane, as fractions; None where they are parallel."""
    o, d, *points = ([Fraction(float(x)) for x in row] for row in (origin, direction, *corners))
    p, q, s = ([a - b for a, b in zip(*pair, strict=True)] for pair in ((points[1], points[0]), (points[2], points[0]), (o, points[0])))
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]  # noqa: E731
    dot = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))  # noqa: E731
    h, k = cross(d, q), cross(s, p)
    det = dot(p, h)
    return None if det == 0 else (dot(q, k) / det, dot(s, h) / det, dot(d, k) / det, det < 0)


def test_hits_are_those_of_exact_arithmetic_away_from_edges():
    numbers = np.random.default_rng(1)
    corners = numbers.uniform(-1, 1, (300, 3, 3)).astype(np.float32)
    origins = numbers.uniform(-2, 2, (300, 3)).astype(np.float32)
    at = (corners * numbers.dirichlet([1, 1, 1], 300)[..., None]).sum(axis=1)
    directions = np.where(numbers.integers(3, size=(300, 1)) > 0, at - origins, numbers.uniform(-1, 1, (300, 3))).astype(np.float32)
    hit, places = answers(rays_of(origins, directions), corners)
    clear = 0
    for row in range(300):
        t, u, v, back = exact(origins[row], directions[row], corners[row])
        if min(abs(u), abs(v), abs(1 - u - v), abs(t)) < 1e-3:
            continue
        clear += 1
        assert hit[row] == (u > 0 and v > 0 and u + v < 1 and t > 0)
        if hit[row]:
            assert np.allclose(places[row, :3], [float(t), float(u), float(v)], rtol=1e-3, atol=1e-3) and bool(places[row, 3]) == back
    assert clear > 250 and 100 < hit.sum() < 280


def test_of_two_triangles_with_an_edge_one_is_hit_at_least():
    numbers = np.random.default_rng(2)
    a, b = numbers.uniform(-1, 1, (2, 2000, 3)).astype(np.float32)
    share = numbers.uniform(size=(2000, 1))
    aside = numbers.uniform(-1, 1, (2000, 3))
    middle = a * share + b * (1 - share)
    origins = (middle + numbers.normal(size=(2000, 3)) * 3).astype(np.float32)
    directions = (middle - origins).astype(np.float32)
    out = np.cross(b - a, directions) * numbers.uniform(0.2, 1, (2000, 1)) + aside * 0.01
    one, other = np.stack([a, b, middle + out], axis=1), np.stack([b, a, middle - out], axis=1)
    first, second = (answers(rays_of(origins, directions), corners)[0] for corners in (one, other))
    assert (first | second).all() and (first & second).sum() < 1500


def test_an_edge_function_has_the_right_sign_always():
    small = np.float32(1e-30)
    assert edge(small, small, np.float32(0), small) > 0 or edge(np.float32(2e-15), np.float32(1e-15), np.float32(0), small) > 0
    near = np.nextafter(np.float32(1), np.float32(2))
    product = np.float32(near * near)
    assert edge(near, near, product, np.float32(1)) > 0  # rounded, both products are the same
    assert edge(product, np.float32(1), near, near) < 0
    assert edge(near, product, product, near) == 0


def test_t_lies_within_the_triangles_own_box():
    """A triangle that is seen nearly from the side: the division alone is off by more than the triangle is deep."""
    numbers = np.random.default_rng(4)
    flat = numbers.uniform(-1, 1, (500, 3, 3)).astype(np.float32) * np.array([1, 1e-6, 1], np.float32)
    origins = np.stack([numbers.uniform(-1, 1, 500), numbers.uniform(-1e-6, 1e-6, 500), np.full(500, 50)], axis=1)
    directions = np.tile([[0, 1e-9, -1]], (500, 1))
    hit, places = answers(rays_of(origins, directions), flat)
    z = 50 - places[hit, 0]
    assert hit.sum() > 10 and (z >= flat[hit, :, 2].min(axis=1) - 1e-3).all() and (z <= flat[hit, :, 2].max(axis=1) + 1e-3).all()
