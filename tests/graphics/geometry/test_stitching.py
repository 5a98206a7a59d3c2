"""Triangles between two rows: each segment of each row belongs to one triangle, for all pairs of factors."""

from collections import Counter
from itertools import pairwise

import pytest

from warploom.graphics.geometry.stitching import MARKS, across, between, inwards


def test_marks_are_those_of_the_reference():
    """In the order of places: the size of a half at which a place gets its point."""
    assert MARKS == (
        0,
        32,
        16,
        8,
        17,
        4,
        18,
        9,
        19,
        2,
        20,
        10,
        21,
        5,
        22,
        11,
        23,
        1,
        24,
        12,
        25,
        6,
        26,
        13,
        27,
        3,
        28,
        14,
        29,
        7,
        30,
        15,
        31,
    )


def sides(triangles):
    """How often each directed side belongs to one of the triangles, those that two share left out."""
    found = Counter((t[k], t[(k + 1) % 3]) for t in triangles for k in range(3))
    return {side: count for side, count in found.items() if side[::-1] not in found}


def rim(outer, inner):
    """The sides of a strip between two rows: along the outer one, back along the inner one, and the two ends."""
    return {*pairwise(outer), *pairwise(inner[::-1]), (outer[-1], inner[-1]), (inner[0], outer[0])}


@pytest.mark.parametrize("factor", range(1, 65))
def test_an_edge_of_any_factor_beside_an_inside_of_any(factor):
    outer = range(factor + 1)
    for inside in range(2, 65):
        inner = range(100, 100 + inside - 1)
        made = between(outer, inner)
        assert len(made) == len(outer) + len(inner) - 2
        assert sides(made) == dict.fromkeys(rim(outer, inner), 1)
        mirrored = {frozenset(factor - n if n < 100 else 200 + inside - 2 - n for n in triangle) for triangle in made}
        if factor % 2 == 0 or inside % 2 == 0:  # else a cell in the middle has a diagonal
            assert mirrored == set(map(frozenset, made))


@pytest.mark.parametrize("count", range(1, 64))
def test_rows_of_the_inside(count):
    outer, inner = range(count + 2), range(100, 100 + count)
    made = inwards(outer, inner)
    assert len(made) == 2 * count and sides(made) == dict.fromkeys(rim(outer, inner), 1)
    if count > 1:
        for leans in (False, True):
            made = across(outer[1:-1], inner, leans)
            assert len(made) == 2 * (count - 1) and sides(made) == dict.fromkeys(rim(outer[1:-1], inner), 1)
