"""The cache of transformed vertices, against a queue."""

import random
from collections import deque

import numpy as np
import pytest

from warploom.graphics.geometry.vertex_cache import transformed
from warploom.graphics.state import GraphicsError


def with_a_queue(stream, entries):
    kept, shaded = deque(), 0
    for vertex in stream:
        if vertex not in kept:
            shaded += 1
            kept.append(vertex)
            if len(kept) > entries:
                kept.popleft()
    return shaded


@pytest.mark.parametrize("entries", [0, 1, 2, 3, 16, 32])
def test_random_streams(entries):
    numbers = random.Random(entries)
    for _ in range(50):
        stream = [numbers.randrange(40) * 1000 for _ in range(numbers.randrange(200))]
        found = transformed(np.array(stream, np.int64), entries)
        assert found == (len(stream), with_a_queue(stream, entries), len(set(stream)))


def test_an_entry_is_not_younger_after_a_hit():
    assert transformed(np.array([0, 1, 0, 2, 0]), 2).shaded == 4  # 2 replaces 0, which came first


def test_rows_of_a_grid_that_fit_are_shaded_once():
    across, along = 10, 20
    first = (np.arange(along)[:, None] * (across + 1) + np.arange(across)).ravel()
    cells = np.stack([first, first + 1, first + across + 1, first + 1, first + across + 2, first + across + 1], axis=1).reshape(-1, 3)
    found = transformed(cells, 32)
    assert found.shaded == found.used == 11 * 21
    assert found.hit_rate == 1 - 231 / 1200
    assert found.per_triangle == 231 / 400
    assert transformed(cells, 0).per_triangle == 3


def test_nothing_and_a_wrong_size():
    assert transformed(np.zeros((0, 3), np.int64)).hit_rate == 0
    with pytest.raises(GraphicsError, match="has -1 entries: it has 0 or more"):
        transformed(np.array([0]), -1)
