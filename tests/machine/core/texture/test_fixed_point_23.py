"""Vortex's texture arithmetic from 2022 on, function by function, against a model of bit strings and fractions."""

import random

import pytest

from tests.machine.core.texture.fixed_model import ARGB_FIELDS, ONE, axis, mixed, signed, unpacked, wrapped
from warploom.machine.core.texture.fixed_point_23 import (
    ARGB_FORMATS,
    ARGB_STRIDE_SHIFT,
    axis_23,
    lerp_argb,
    lerp_pair,
    unpack_argb,
    wrap_23,
)

NEWER = pytest.mark.parametrize("newer", [0, 1])
EDGES = [step * ONE + near for step in range(-3, 4) for near in (-1, 0, 1)] + [-(1 << 31), (1 << 31) - 1]


@NEWER
@pytest.mark.parametrize("number, name", list(enumerate(ARGB_FORMATS)))
def test_every_bit_of_a_texel_reaches_its_channel(number, name, newer):
    size = len(ARGB_FIELDS[name])
    assert 8 << ARGB_STRIDE_SHIFT[number] == size
    chosen = random.Random(number)
    for bits in [0, (1 << size) - 1, *(1 << place for place in range(size)), *(chosen.randrange(1 << 32) for _ in range(100))]:
        assert unpack_argb(bits, number, newer) == unpacked(bits, name, newer), hex(bits)
        assert unpack_argb(bits | 0xA5 << 32, number, newer) == unpacked(bits, name, newer), hex(bits)


@NEWER
@pytest.mark.parametrize("wrap", range(4))
def test_a_coordinate_is_brought_into_the_image(wrap, newer):
    chosen = random.Random(wrap)
    for coordinate in EDGES + [chosen.randrange(-(1 << 31), 1 << 31) for _ in range(100)]:
        assert wrap_23(coordinate, wrap, newer) == wrapped(coordinate, wrap, newer), coordinate


@NEWER
@pytest.mark.parametrize("linear", [0, 1])
@pytest.mark.parametrize("wrap", range(4))
def test_an_axis_has_two_texels_and_a_weight(wrap, linear, newer):
    chosen = random.Random(wrap)
    for log_size in (0, 1, 2, 5, 14, 15, 16, 22, 23):
        for coordinate in EDGES + [chosen.randrange(-(1 << 31), 1 << 31) for _ in range(20)]:
            found = axis_23(coordinate % (1 << 32), log_size, wrap, linear, newer)
            assert found == axis(coordinate, log_size, wrap, linear, newer), (coordinate, log_size)


def test_the_middle_of_a_texel_is_all_its_own_and_the_edge_half_of_each():
    """Of an image of four texels."""
    assert axis_23(3 * ONE // 8, 2, 1, 1, 1) == (1, 2, 0)
    assert axis_23(ONE // 2, 2, 1, 1, 1) == (1, 2, 128)
    assert axis_23(ONE // 2, 2, 1, 0, 1) == (2, 2, 0)
    assert axis_23(signed(-1) % (1 << 32), 2, 0, 1, 1) == (0, 0, 0)


@NEWER
def test_each_channel_is_mixed_alone(newer):
    chosen = random.Random(newer)
    corners = [0, 0xFFFFFFFF, 0x00FF00FF, 0xFF00FF00, 0x01FF0001]
    for weight in (0, 1, 127, 128, 254, 255):
        for first in corners + [chosen.randrange(1 << 32) for _ in range(10)]:
            for second in corners + [chosen.randrange(1 << 32) for _ in range(5)]:
                assert lerp_argb(first, second, weight, newer) == mixed(first, second, weight, newer), (hex(first), hex(second), weight)


@NEWER
def test_a_pair_is_two_channels_sixteen_bits_apart(newer):
    assert lerp_pair(0x00100080, 0x00900040, 128, newer) == 0x00500060
    assert lerp_pair(0x000000FF, 0x00FF0000, 1, newer) == 0x000000FE | (1 if newer else 0) << 16


def test_only_the_newer_step_reaches_the_second_texel_whole():
    assert lerp_argb(0, 0xFFFFFFFF, 255, 1) == 0xFFFFFFFF
    assert lerp_argb(0, 0xFFFFFFFF, 255, 0) == 0xFEFEFEFE
