"""A ray, a box and a triangle in kernels: the arithmetic of the ray unit (`machine/rays/`), bit for bit.

Sums and products are apart (`fmul_rn`), as the unit has them: joined into one operation they would round in another way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.kernel import cuda
from warploom.machine.rays.triangle import CORNER as FLOATS

F, I = np.float32, np.int64
ZERO, ONE, MOST, MARGIN = F(0), F(1), F(np.finfo(np.float32).max), F(2.0**-18)
times = cuda.libdevice.fmul_rn


class Ray(NamedTuple):
    """A ray, and what boxes and triangles need of it (`machine/rays/ray.py`). i: 1 / direction. s: the shear. a, b, c: its axes."""

    ox: Any
    oy: Any
    oz: Any
    dx: Any
    dy: Any
    dz: Any
    tmin: Any
    tmax: Any
    ix: Any
    iy: Any
    iz: Any
    sx: Any
    sy: Any
    sz: Any
    a: Any
    b: Any
    c: Any


def float_at(words: Any, place: Any) -> Any:
    """The word at a place as a float."""
    return words[place].view(np.float32)


def picked(axis: Any, x: Any, y: Any, z: Any) -> Any:
    """One of three."""
    return x if axis == 0 else y if axis == 1 else z


def reciprocal(x: Any) -> Any:
    """1 / x, finite in any case."""
    return MOST if x == ZERO else min(max(ONE / x, -MOST), MOST)


def prepared(ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any, tmin: Any, tmax: Any) -> Any:
    """A `Ray`. One that is not finite hits nothing: its interval becomes empty."""
    longest = I(0)
    if abs(dy) > abs(dx):
        longest = I(1)
    if abs(dz) > abs(picked(longest, dx, dy, dz)):
        longest = I(2)
    a, b = (longest + 1) % 3, (longest + 2) % 3
    depth = picked(longest, dx, dy, dz)
    if depth < ZERO:
        a, b = b, a
    sx, sy, sz = MOST, MOST, MOST
    if depth != ZERO:
        sx, sy, sz = picked(a, dx, dy, dz) / depth, picked(b, dx, dy, dz) / depth, ONE / depth
    finite = abs(ox) <= MOST and abs(oy) <= MOST and abs(oz) <= MOST and abs(dx) <= MOST and abs(dy) <= MOST and abs(dz) <= MOST
    if not (finite and tmin <= tmax):
        tmin, tmax = ONE, ZERO
    return Ray(ox, oy, oz, dx, dy, dz, tmin, tmax, reciprocal(dx), reciprocal(dy), reciprocal(dz), sx, sy, sz, a, b, longest)


def between(low: Any, high: Any, margin: Any, inverse: Any, near: Any, far: Any) -> Any:
    """The part of an interval of t in which a ray is between two planes."""
    first, second = times(low - margin, inverse), times(high + margin, inverse)
    if inverse < ZERO:
        first, second = second, first
    return max(near, first), min(far, second)


def box(ray: Any, lx: Any, ly: Any, lz: Any, hx: Any, hy: Any, hz: Any) -> Any:
    """Where a ray enters and leaves a box; it misses it where the first is beyond the second. As `machine/rays/box.py`."""
    lx, ly, lz, hx, hy, hz = lx - ray.ox, ly - ray.oy, lz - ray.oz, hx - ray.ox, hy - ray.oy, hz - ray.oz
    margin = times(max(abs(lx), abs(ly), abs(lz), abs(hx), abs(hy), abs(hz)), MARGIN)
    near, far = between(lx, hx, margin, ray.ix, ray.tmin, ray.tmax)
    near, far = between(ly, hy, margin, ray.iy, near, far)
    return between(lz, hz, margin, ray.iz, near, far)


def edge(p: Any, q: Any, r: Any, s: Any) -> Any:
    """p * q - r * s, with the right sign in any case."""
    value = times(p, q) - times(r, s)
    if value == ZERO:
        value = F(np.float64(p) * np.float64(q) - np.float64(r) * np.float64(s))
    return value


def triangle(words: Any, at: Any, ray: Any) -> Any:
    """Whether a ray hits the triangle whose nine floats begin at words[at]; t, u, v, back. As `machine/rays/triangle.py`."""
    ox, oy, oz = picked(ray.a, ray.ox, ray.oy, ray.oz), picked(ray.b, ray.ox, ray.oy, ray.oz), picked(ray.c, ray.ox, ray.oy, ray.oz)
    a_z, b_z, c_z = (
        float_at(words, at + ray.c) - oz, float_at(words, at + FLOATS + ray.c) - oz, float_at(words, at + 2 * FLOATS + ray.c) - oz
    )  # fmt: skip
    a_x, a_y = (float_at(words, at + ray.a) - ox) - times(ray.sx, a_z), (float_at(words, at + ray.b) - oy) - times(ray.sy, a_z)
    b_x = (float_at(words, at + FLOATS + ray.a) - ox) - times(ray.sx, b_z)
    b_y = (float_at(words, at + FLOATS + ray.b) - oy) - times(ray.sy, b_z)
    c_x = (float_at(words, at + 2 * FLOATS + ray.a) - ox) - times(ray.sx, c_z)
    c_y = (float_at(words, at + 2 * FLOATS + ray.b) - oy) - times(ray.sy, c_z)
    u, v, w = edge(c_x, b_y, c_y, b_x), edge(a_x, c_y, a_y, c_x), edge(b_x, a_y, b_y, a_x)
    det = (u + v) + w
    found, t = False, ZERO
    if not ((u < ZERO or v < ZERO or w < ZERO) and (u > ZERO or v > ZERO or w > ZERO)) and (det > ZERO or det < ZERO):
        depth = times(u, times(ray.sz, a_z)) + times(v, times(ray.sz, b_z)) + times(w, times(ray.sz, c_z))
        near, far = box(
            ray, least(words, at), least(words, at + 1), least(words, at + 2), most(words, at), most(words, at + 1), most(words, at + 2)
        )
        t = min(max(depth / det, near), far)
        found = near <= far and t > ray.tmin and t < ray.tmax
    return found, t, v / det, w / det, det < ZERO


def least(words: Any, at: Any) -> Any:
    """The smallest of a coordinate of three corners."""
    return min(float_at(words, at), float_at(words, at + FLOATS), float_at(words, at + 2 * FLOATS))


def most(words: Any, at: Any) -> Any:
    """The largest of a coordinate of three corners."""
    return max(float_at(words, at), float_at(words, at + FLOATS), float_at(words, at + 2 * FLOATS))


def scale(byte: Any) -> Any:
    """2 to the power of a signed byte."""
    exponent = I(byte) - 256 if byte >= 128 else I(byte)
    bits = exponent + 127 << 23 if exponent > -127 else 0x400000 >> -127 - exponent
    return np.uint32(bits).view(np.float32)


def plane(words: Any, first: Any, byte: Any, corner: Any, size: Any) -> Any:
    """A coordinate of a child's box, a byte of the bytes that begin at words[first]."""
    return corner + times(F(words[first + (byte >> 2)] >> 8 * (byte & 3) & 255), size)


def inside(words: Any, at: Any, world: Any) -> Any:
    """A ray of the world in the space of an instance, whose 3 x 4 matrix begins at words[at]."""
    ox, dx = row_of(words, at, world)
    oy, dy = row_of(words, at + 4, world)
    oz, dz = row_of(words, at + 8, world)
    return prepared(ox, oy, oz, dx, dy, dz, world.tmin, world.tmax)


def row_of(words: Any, at: Any, world: Any) -> Any:
    """A coordinate of the origin and of the direction, by a row of the matrix."""
    a, b, c = float_at(words, at), float_at(words, at + 1), float_at(words, at + 2)
    origin = float_at(words, at + 3) + times(a, world.ox) + times(b, world.oy) + times(c, world.oz)
    direction = times(a, world.dx) + times(b, world.dy) + times(c, world.dz)
    return origin, direction
