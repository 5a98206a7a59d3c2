"""Primitive assembly, against a machine of three registers that takes one index after the other."""

import random

import numpy as np
import pytest

from warploom.graphics.geometry.assembly import TOPOLOGIES, assembled, degenerate
from warploom.graphics.state import GraphicsError

RESTART = 255


@pytest.mark.parametrize(("indices", "said"), [([[0, 1, 2], [1, 2, 3]], r"int64\[2, 3\]"), ([0.5, 1, 2], r"float64\[3\]")])
def test_indices_are_a_row_of_whole_numbers(indices, said):
    with pytest.raises(GraphicsError, match=f"indices are a row of whole numbers, and these are {said}"):
        assembled(indices)


def one_by_one(stream, topology, restart, provoking):
    """The triangles of a stream, from the lists of the specification."""
    pieces = [[]]
    for index in stream:
        if index == restart:
            pieces.append([])
        else:
            pieces[-1].append(index)
    made = []
    for v in pieces:
        if topology == "triangle-list":
            made += [[v[k], v[k + 1], v[k + 2]] for k in range(0, len(v) - 2, 3)]
        elif topology == "triangle-fan":
            made += [[v[k + 1], v[k + 2], v[0]] if provoking == "first" else [v[0], v[k + 1], v[k + 2]] for k in range(len(v) - 2)]
        else:
            for k in range(len(v) - 2):
                if k % 2 == 0:
                    made.append([v[k], v[k + 1], v[k + 2]])
                else:
                    made.append([v[k], v[k + 2], v[k + 1]] if provoking == "first" else [v[k + 1], v[k], v[k + 2]])
    return made


@pytest.mark.parametrize("provoking", ["first", "last"])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_random_streams_with_and_without_restarts(topology, provoking):
    numbers = random.Random(topology + provoking)
    for _ in range(400):
        stream = [RESTART if numbers.random() < 0.2 else numbers.randrange(9) for _ in range(numbers.randrange(20))]
        for restart in (None, RESTART):
            got = assembled(np.array(stream, np.uint8), topology, restart, provoking)
            assert got.shape[1] == 3 and got.dtype == np.int64
            assert got.tolist() == one_by_one(stream, topology, restart, provoking)


@pytest.mark.parametrize("provoking", ["first", "last"])
def test_all_triangles_of_a_strip_and_of_a_fan_turn_one_way(provoking):
    strip = np.array([[k, k % 2] for k in range(12)])
    angles = np.linspace(0, 2, 11)
    fan = np.concatenate([[[0, 0]], np.stack([np.cos(angles), np.sin(angles)], axis=1)])
    for points, topology, sign in ((strip, "triangle-strip", -1), (fan, "triangle-fan", 1)):
        corners = points[assembled(np.arange(len(points), dtype=np.int64), topology, None, provoking)]
        (x0, y0), (x1, y1), (x2, y2) = np.moveaxis(corners, (1, 2), (0, 1))
        assert len(corners) == len(points) - 2
        assert (sign * ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) > 0).all()


def test_strips_are_joined_by_triangles_that_cover_nothing():
    triangles = assembled(np.array([0, 1, 2, 3, 3, 4, 4, 5, 6]), "triangle-strip")
    assert degenerate(triangles).tolist() == [False, False, True, True, True, True, False]


def test_a_topology_that_there_is_not_is_a_sentence():
    with pytest.raises(GraphicsError, match="topology is 'triangle-stripe', did you mean 'triangle-strip'"):
        assembled(np.arange(3, dtype=np.int64), "triangle-stripe")
