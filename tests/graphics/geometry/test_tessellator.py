"""The tessellator: areas, orientation, sides and counts, all in whole numbers."""

import json
import random
import zlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from warploom.graphics.geometry.partitioning import ONE, PARTITIONINGS, cuts, placed
from warploom.graphics.geometry.tessellator import DOMAINS, tessellated
from warploom.graphics.state import GraphicsError

AREA = {"quad": 2 * ONE * ONE, "triangle": ONE * ONE}  # twice


def twice_areas(made):
    (x0, y0), (x1, y1), (x2, y2) = np.moveaxis(made.points[made.triangles], (1, 2), (0, 1))
    return (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)


def edges_of(domain, outer, partitioning):
    """The points of each edge as (u, v), in the order in which the outline runs round."""
    found = [placed(cut).tolist() for cut in cuts(outer, [1], partitioning)[0]]
    if domain == "quad":
        left, low, right, high = found
        return [[(0, t) for t in left[::-1]], [(t, 0) for t in low], [(ONE, t) for t in right], [(t, ONE) for t in high[::-1]]]
    left, low, slanted = found
    return [[(0, t) for t in left[::-1]], [(t, 0) for t in low], [(t, ONE - t) for t in slanted[::-1]]]


def check(domain, outer, inner, partitioning):
    """Whole, of one orientation, each side between two triangles, or on the outline: then between two neighbours on the edge."""
    made = tessellated(domain, outer, inner, partitioning)
    area = twice_areas(made)
    assert area.sum() == AREA[domain] and (area >= 0).all()
    if partitioning == "integer":  # else what has just begun to grow may be rounded to nothing
        assert (area > 0).all()
    assert set(made.triangles.ravel().tolist()) == set(range(len(made.points)))
    sides = Counter(pair for a, b, c in made.triangles.tolist() for pair in ((a, b), (b, c), (c, a)))
    assert set(sides.values()) == {1}
    places = [tuple(point) for point in made.points.tolist()]
    outline = [(places[a], places[b]) for a, b in sides if (b, a) not in sides]
    assert Counter(outline) == Counter(pair for edge in edges_of(domain, outer, partitioning) for pair in pairwise(edge))
    return made


REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())


@pytest.mark.parametrize("rows", [REFERENCE[first : first + 25] for first in range(0, len(REFERENCE), 25)])
def test_points_and_triangles_are_those_of_the_reference(rows):
    """Recorded from Direct3D's reference (MIT, as in Mesa): counts, and CRC-32 of points and of triangles, int64, in their order."""
    for domain, partitioning, outer, inner, points, triangles, of_points, of_triangles in rows:
        made = tessellated(domain, [float(one) for one in outer], [float(one) for one in inner], partitioning)
        assert (len(made.points), len(made.triangles)) == (points, triangles)
        assert zlib.crc32(made.points.astype("<i8").tobytes()) == of_points
        assert zlib.crc32(made.triangles.astype("<i8").tobytes()) == of_triangles


def any_factor(numbers):
    return numbers.choice([numbers.uniform(0.5, 20), numbers.uniform(1, 3), numbers.randint(1, 20), 1, 1.00001, numbers.uniform(1, 66)])


@pytest.mark.parametrize("partitioning", PARTITIONINGS)
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_any_factors_cover_the_domain_once_without_t_junctions(domain, partitioning, count):
    numbers = random.Random(domain + partitioning)
    for _ in range(count):
        check(domain, *([any_factor(numbers) for _ in range(n)] for n in DOMAINS[domain]), partitioning)


@pytest.mark.parametrize(
    ("domain", "step"),
    [("quad", 9), ("triangle", 53), *(pytest.param(*row, marks=pytest.mark.slow) for row in (("quad", 1), ("triangle", 5)))],
)
def test_every_factor_of_an_edge_beside_factors_of_the_inside(domain, step):
    for edge in range(1, 65):
        for inside in range(1 + edge % step, 65, step):
            outer = [edge, (edge + inside) % 64 + 1, inside, 2][: DOMAINS[domain][0]]
            check(domain, outer, [inside, 2][: DOMAINS[domain][1]], "integer")


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 5, 8, 15, 16, 31, 63, 64])
def test_counts_that_are_known(factor):
    made = check("quad", [factor] * 4, [factor] * 2, "integer")
    assert (len(made.points), len(made.triangles)) == ((factor + 1) ** 2, 2 * factor**2)
    assert len(np.unique(made.points, axis=0)) == len(made.points)
    made = check("triangle", [factor] * 3, [factor], "integer")
    rings = range(factor, 0, -2)  # two segments fewer each ring
    assert len(made.points) == 3 * sum(rings) + (factor % 2 == 0)
    assert len(made.triangles) == sum(6 * ring - 6 for ring in rings if ring > 1) + (factor % 2 == 1)


@pytest.mark.parametrize("inside", [(2, 7), (7, 2), (3, 9), (9, 3), (4, 8), (8, 4), (5, 6), (6, 5), (1, 1), (1, 9)])
def test_an_inside_of_two_factors_has_a_grid(inside):
    made = check("quad", [5, 1, 2, 3], inside, "integer")
    across, along = (max(one, 2) for one in inside)  # of one segment two are made: there is an inside
    assert len(made.points) == 5 + 1 + 2 + 3 + (across - 1) * (along - 1)


@pytest.mark.parametrize("partitioning", PARTITIONINGS)
def test_points_are_symmetric(partitioning):
    numbers = random.Random(partitioning)
    for _ in range(30):
        a, b, c, d = (any_factor(numbers) for _ in range(4))
        points = set(map(tuple, tessellated("quad", [a, b, a, b], [c, d], partitioning).points.tolist()))
        assert {(ONE - u, v) for u, v in points} == points == {(u, ONE - v) for u, v in points}


def test_a_factor_of_an_edge_that_leaves_the_patch_out():
    for wrong in (0, -2, float("nan")):
        made = tessellated("triangle", [3, wrong, 3], [3])
        assert made.points.shape == (0, 2) and made.triangles.shape == (0, 3)
    assert len(tessellated("quad", [1] * 4, [0, float("nan")]).triangles) == 2


def test_what_does_not_fit_is_a_sentence():
    with pytest.raises(GraphicsError, match="a quad has 4 factors of edges, and here 3 are given"):
        tessellated("quad", [1, 1, 1], [1, 1])
    with pytest.raises(GraphicsError, match="a triangle has 1 factor of the inside, and here 2 are given"):
        tessellated("triangle", [1, 1, 1], [1, 1])
    with pytest.raises(GraphicsError, match="domain is 'line'"):
        tessellated("line", [1], [1])
