"""Texture addressing: wraps, neighbours and levels, by hand and for coordinates of any size."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warploom.isa.views import (
    CLAMP,
    MIRROR,
    REPEAT,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_COLUMNS,
    VIEW_HEIGHT,
    VIEW_WIDTH,
    WRAPS,
)
from warploom.machine.core.texture.address import describe, level_of, nearest, neighbours, wrapped


@pytest.mark.parametrize(
    ("wrap", "texels"),
    [
        (REPEAT, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]),
        (CLAMP, [0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]),
        (MIRROR, [0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]),
    ],
)
def test_an_image_of_three_texels_from_minus_six_to_seven(wrap, texels):
    assert [wrapped(index, 3, wrap) for index in range(-6, 8)] == texels


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(1, 5000), st.integers(0, len(WRAPS) - 1))
def test_point_sampling_finds_the_texel_of_the_exact_product(coordinate, size, wrap):
    """The product is rounded once; after that, no coordinate is too large to be wrapped exactly."""
    with np.errstate(all="ignore"):
        product = np.float32(coordinate) * np.float32(size)
        got = nearest(np.float32(coordinate), size, wrap)
    if math.isinf(product):
        assert got == (0 if wrap != CLAMP or product < 0 else size - 1)
        return
    texel = math.floor(Fraction(float(product)))
    expected = {
        REPEAT: texel % size,
        CLAMP: min(max(texel, 0), size - 1),
        MIRROR: min(texel % (2 * size), 2 * size - 1 - texel % (2 * size)),
    }
    assert got == expected[wrap]


@given(st.floats(width=32), st.integers(1, 5000), st.integers(0, len(WRAPS) - 1))
def test_the_two_weights_add_up_to_one(coordinate, size, wrap):
    with np.errstate(all="ignore"):
        lower, upper, lower_weight, upper_weight = neighbours(np.float32(coordinate), size, wrap)
    assert 0 <= lower < size
    assert 0 <= upper < size
    assert 0 <= lower_weight <= 1
    assert lower_weight + upper_weight == 1


def test_levels_follow_each_other_and_end_at_one_texel():
    """5 x 3 of 2 bytes with rows of 16, at byte 100: 48 bytes, then 2 x 1, then 1 x 1."""
    level_0 = (100, 5, 3, 16)
    assert [level_of(level_0, 2, level) for level in range(5)] == [level_0, (148, 2, 1, 4), (152, 1, 1, 2), (152, 1, 1, 2), (152, 1, 1, 2)]


@pytest.mark.parametrize(("width", "height", "limit"), [(4, 2, 96), (0, 2, 64), (4, 0, 64), (0, 0, 64), (1, 1, 96)])
def test_a_view_without_width_or_height_has_no_texels(width, height, limit):
    views = np.zeros((1, VIEW_COLUMNS), np.int32)
    for column, value in ((VIEW_BASE, 64), (VIEW_BYTES, 32), (VIEW_WIDTH, width), (VIEW_HEIGHT, height)):
        views[0, column] = value
    assert describe(views, 0, 1024)[:2] == (64, limit)
