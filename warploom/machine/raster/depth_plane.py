"""Depth of a pixel from its triangle's plane, before any shader: what an early depth test compares.

In hardware: the interpolator of attributes, for one of them: weights from the edge values, one division a pixel, two products. The plane is
that of the original's primitive buffer: three words that follow the edges. Arithmetic, and its order, are those of the shaders
(`graphics/machine/shader.py`, `graphics/original/shader.py`), so that the early test sees the depth that the merger will see, bit for bit.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.raster.edges import COEFFICIENTS, wrapped

PLANE_WORDS = 3
FIRST_PLANE = 4 * COEFFICIENTS  # bytes of a triangle before its plane of depths
FRACTION = 24
ONE = np.float32(1)
STEPS = np.float32(1 << FRACTION)
LARGEST, SMALLEST = (1 << 31) - 1, -(1 << 31)
DEPTH_BITS = 0xFFFFFF


@unit
def to_fixed(value):
    """A float as a whole number of 32 bits, cut off; what has no place becomes the nearest one, and no number the largest."""
    if not value < np.float32(2147483648.0):
        return np.int64(LARGEST)
    if value <= np.float32(-2147483648.0):
        return np.int64(SMALLEST)
    return np.int64(value)


@unit
def depth_at(first, second, third, a, b, c):
    """The depth where a triangle's edges have these values: 24 bits. a, b, c: its plane, along the first edge, along the second, at 0."""
    f0 = np.float32(np.float32(first) / STEPS)
    f1 = np.float32(np.float32(second) / STEPS)
    f2 = np.float32(np.float32(third) / STEPS)
    total = np.float32(np.float32(f0 + f1) + f2)
    if total == np.float32(0):
        return np.int64(-1)
    share = np.float32(ONE / total)
    dx = to_fixed(np.float32(np.float32(f0 * share) * STEPS))
    dy = to_fixed(np.float32(np.float32(f1 * share) * STEPS))
    along = wrapped((a * dx >> FRACTION) + c)
    return wrapped((b * dy >> FRACTION) + along) & DEPTH_BITS
