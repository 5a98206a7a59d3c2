"""Texture addressing: from a coordinate to texel numbers, weights and byte addresses.

In hardware: the first stages of a texture unit, per lane two multipliers (coordinate times size), a floor that
is the boundary between integer and fraction bits, a wrap that is an AND for sizes that are powers of two, and one
multiply-add for the address. A shader would otherwise spend a dozen instructions on it.

Coordinates run from 0 to 1 over the image, whatever its size. Texel i covers [i, i + 1) of coordinate times size, so its centre
lies at i + 0.5, which is why linear filtering subtracts a half before it looks for the neighbours on both sides.
Outside of 0..1 a sampler repeats the image, mirrors it at every edge, or clamps to the edge texel. A coordinate that is
not a number reads as 0, and so does an infinite one unless the sampler clamps, then it is the edge.

Levels of detail: level l + 1 has half of the width and height of level l, rounded down, at least 1, and follows it in memory.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.views import CLAMP, MIRROR, VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_HEIGHT, VIEW_PITCH, VIEW_WIDTH
from warploom.machine.core.texture.formats import ONE, TEXEL_BYTES, ZERO
from warploom.machine.engine.unit import unit

HALF = np.float32(0.5)
EXACT = np.float32(1 << 30)  # floats below this become integers directly; larger ones are reduced first


@unit
def describe(views, row, memory_words):
    """A row of the view table in int64: (base, limit, bytes a texel, level 0 as `level_of` gives it).

    base, limit: the first byte, and the first byte after those that are in the view and in memory both. A view
    without width or height (a buffer) has no texels: its limit is its base.
    """
    base = np.int64(views[row, VIEW_BASE]) & 0xFFFFFFFF
    limit = min(base + (np.int64(views[row, VIEW_BYTES]) & 0xFFFFFFFF), 4 * np.int64(memory_words))
    width = np.int64(views[row, VIEW_WIDTH])
    height = np.int64(views[row, VIEW_HEIGHT])
    if width <= 0 or height <= 0:
        limit = base
        width = np.int64(1)
        height = np.int64(1)
    return base, limit, TEXEL_BYTES[views[row, VIEW_FORMAT]], (base, width, height, np.int64(views[row, VIEW_PITCH]))


@unit
def level_of(level_0, size, level):
    """Level of detail `level` as (first byte, width, height, pitch in bytes). size: bytes a texel. 1 x 1 is the last there is."""
    base, width, height, pitch = level_0
    step = 0
    while step < level and (width > 1 or height > 1):
        base = base + pitch * height
        width = max(width >> 1, 1)
        height = max(height >> 1, 1)
        pitch = width * size
        step += 1
    return base, width, height, pitch


@unit
def scaled(coordinate, size, wrap, offset):
    """Coordinate times size minus offset, as a finite float: its floor is the texel number, the rest the fraction.

    A clamping sampler saturates it to -1 .. size, where both neighbours are the edge texel.
    """
    x = np.float32(np.float32(coordinate * np.float32(size)) - offset)
    if wrap == CLAMP:
        if x < -ONE:
            return -ONE
        if x > np.float32(size):
            return np.float32(size)
    if x - x != ZERO:
        return -offset
    return x


@unit
def whole(floor, size):
    """A whole float as an integer; a huge one modulo 2 * size, which neither repeating nor mirroring can tell apart."""
    if abs(floor) < EXACT:
        return np.int64(floor)
    return np.int64(np.fmod(np.float64(floor), np.float64(2 * size)))


@unit
def wrapped(index, size, wrap):
    """The texel 0 .. size - 1 that stands for texel number `index` of the endless plane."""
    if 0 <= index < size:
        return index
    if wrap == CLAMP:
        return np.int64(0) if index < 0 else size - 1
    if wrap == MIRROR:
        index = index % (2 * size)
        return index if index < size else 2 * size - 1 - index
    return index % size


@unit
def neighbours(coordinate, size, wrap):
    """Linear filtering along one axis: (lower texel, upper texel, lower weight, upper weight).

    A weight is 1 minus the distance from the texel's centre; the two add up to 1.
    """
    x = scaled(coordinate, size, wrap, HALF)
    floor = np.float32(np.floor(x))
    index = whole(floor, size)
    lower_weight = np.float32(ONE - np.float32(x - floor))
    return wrapped(index, size, wrap), wrapped(index + 1, size, wrap), lower_weight, np.float32(ONE - lower_weight)


@unit
def nearest(coordinate, size, wrap):
    """Point sampling along one axis: the texel that covers the coordinate."""
    return wrapped(whole(np.float32(np.floor(scaled(coordinate, size, wrap, ZERO))), size), size, wrap)
