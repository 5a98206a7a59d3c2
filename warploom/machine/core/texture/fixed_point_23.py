"""Vortex's texture arithmetic from 2022 on: coordinates with 23 fraction bits, two channels a multiplication.

In hardware: the sampler of `fixed_point.py` with wider coordinates (15 bits of texel number and 8 of weight), and weights that lie right
below the texel number, whatever the image's size. A filter step takes two channels together, 16 bits apart, with one multiplier of 32 bits.

The two generations differ where programs can see it. Until 2022 a mirrored coordinate is not cut to its fraction, so that one above 1.0
leads outside of the image; a filter step subtracts first and cuts off, as if it divided by 256, so that the second texel is never reached
(a borrow of the lower channel is undone when the first texel is added); the format a1r5g5b5 mixes its alpha bit into red. From 2023 on a
step adds two products and rounds, as if it divided by 255.
Source: github.com/vortexgpgpu/vortex, 2022-01 and 2024-08, the texture sampler of their simulators; recorded runs in tests/golden/vortex.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.texture.fixed_point import X_CLAMP, X_MIRROR, X_REPEAT
from warploom.machine.engine.unit import unit

FRACTION = 23
WHOLE = (1 << FRACTION) - 1
HALF_IMAGE = 1 << (FRACTION - 1)
WORD = 0xFFFFFFFF
CHANNELS = 0x00FF00FF  # two channels, 16 bits apart

ARGB_FORMATS = ("a8r8g8b8", "r5g6b5", "a1r5g5b5", "a4r4g4b4", "a8l8", "l8", "a8")
X_A8R8G8B8, X_ARGB_R5G6B5, X_A1R5G5B5, X_A4R4G4B4, X_A8L8, X_ARGB_L8, X_ARGB_A8 = range(len(ARGB_FORMATS))
ARGB_STRIDE_SHIFT = np.array([2, 1, 1, 1, 1, 0, 0], np.int64)  # log2 of a texel's bytes


@unit
def wrap_23(coordinate, wrap, newer):
    """A signed coordinate as 32 bits without a sign: in the image, or, until 2022, where a mirror leads."""
    if wrap == X_CLAMP:
        return min(max(coordinate, np.int64(0)), np.int64(WHOLE))
    if wrap == X_REPEAT:
        return coordinate & WHOLE
    if wrap == X_MIRROR and (coordinate >> FRACTION) & 1 != 0:
        coordinate = ~coordinate
    return coordinate & (WHOLE if newer != 0 else WORD)


@unit
def axis_23(coordinate, log_size, wrap, linear, newer):
    """One axis: (lower texel, upper texel, weight of the upper one in 256ths). coordinate: a register's 32 bits, read as signed."""
    value = ((np.int64(np.uint32(coordinate)) + 0x80000000) & WORD) - 0x80000000
    shift = FRACTION - log_size
    if linear == 0:
        texel = wrap_23(value, wrap, newer) >> shift
        return texel, texel, np.int64(0)
    delta = HALF_IMAGE >> log_size
    low = wrap_23((((value - delta) + 0x80000000) & WORD) - 0x80000000, wrap, newer)
    high = wrap_23((((value + delta) + 0x80000000) & WORD) - 0x80000000, wrap, newer)
    scaled = ((low << 8) & WORD) >> shift
    return scaled >> 8, high >> shift, scaled & 0xFF


@unit
def unpack_argb(bits, form, newer):
    """A texel's bits (int64, those above its size are ignored) as four bytes: blue lowest, alpha highest."""
    if form == X_A8R8G8B8:
        return bits & WORD
    if form == X_ARGB_R5G6B5:
        red = (bits >> 11) & 31
        green = (bits >> 5) & 63
        blue = bits & 31
        return 0xFF000000 | (red << 3 | red >> 2) << 16 | (green << 2 | green >> 4) << 8 | blue << 3 | blue >> 2
    if form == X_A1R5G5B5:
        red = (bits >> 10) & 31
        green = (bits >> 5) & 31
        blue = bits & 31
        alpha = 0xFF * ((bits >> 15) & 1)
        below = red >> 2 if newer != 0 else (bits >> 12) & 15  # until 2022 four bits of the texel, alpha among them
        return alpha << 24 | (red << 3 | below) << 16 | (green << 3 | green >> 2) << 8 | blue << 3 | blue >> 2
    if form == X_A4R4G4B4:
        return ((bits >> 12) & 15) * 0x11000000 | ((bits >> 8) & 15) * 0x110000 | ((bits >> 4) & 15) * 0x1100 | (bits & 15) * 0x11
    if form == X_A8L8:
        return (bits & 0xFF) * 0x010101 | ((bits >> 8) & 0xFF) << 24
    if form == X_ARGB_L8:
        return (bits & 0xFF) * 0x010101 | 0xFF000000
    return (bits & 0xFF) << 24 | 0xFFFFFF


@unit
def lerp_pair(first, second, weight, newer):
    """Two channels, 16 bits apart, `weight` 256ths of the way from one to the other."""
    if newer != 0:
        product = first * (255 - weight) + second * weight + 0x00800080
        return ((product + ((product >> 8) & CHANNELS)) >> 8) & CHANNELS
    step = (((second - first) & WORD) * weight) & WORD
    return (first + (step >> 8)) & CHANNELS


@unit
def lerp_argb(first, second, weight, newer):
    """Four bytes, `weight` 256ths of the way from one texel to the other."""
    low = lerp_pair(first & CHANNELS, second & CHANNELS, weight, newer)
    high = lerp_pair((first >> 8) & CHANNELS, (second >> 8) & CHANNELS, weight, newer)
    return high << 8 | low
