"""Does a ray hit a triangle? A test that lets nothing through between two triangles with a common edge.

In hardware: the corners, seen from the ray's origin, are sheared so that the ray is the z axis; then three edge functions as in the raster
engine (`machine/raster/edges.py`) say on which side of each edge it passes: nine subtractions, twelve multiplications, and one division
for t. Two triangles with a common edge compute the same product for it, with opposite signs, so the ray is on one side or on the other.
An edge function that rounds to 0 is computed once more in double precision, in which its products are exact. What is exactly on an edge
counts for both. Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013.

One thing is ours: t is held between entry into and exit from the triangle's own box (`box.py`), which moves it only for triangles that
are seen from the side, where the division loses digits. So no hit lies before the box that it is in, and a tree of boxes finds the hit
that a search through all triangles finds.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.rays.box import meets_box
from warploom.machine.rays.ray import ZERO

CORNER = 3  # floats of a corner


@unit
def hits_triangle(ray, floats, place):
    """Whether a ray hits the triangle whose nine floats begin at floats[place]: tmin < t < tmax. ray.t, u, v, back say where."""
    x, y, z = ray.axes[0], ray.axes[1], ray.axes[2]
    a_z = np.float32(floats[place + z] - ray.origin[z])
    b_z = np.float32(floats[place + CORNER + z] - ray.origin[z])
    c_z = np.float32(floats[place + 2 * CORNER + z] - ray.origin[z])
    a_x, b_x = _sheared(ray, floats, place, x, 0, a_z), _sheared(ray, floats, place + CORNER, x, 0, b_z)
    c_x = _sheared(ray, floats, place + 2 * CORNER, x, 0, c_z)
    a_y, b_y = _sheared(ray, floats, place, y, 1, a_z), _sheared(ray, floats, place + CORNER, y, 1, b_z)
    c_y = _sheared(ray, floats, place + 2 * CORNER, y, 1, c_z)
    u, v, w = edge(c_x, b_y, c_y, b_x), edge(a_x, c_y, a_y, c_x), edge(b_x, a_y, b_y, a_x)
    if (u < ZERO or v < ZERO or w < ZERO) and (u > ZERO or v > ZERO or w > ZERO):
        return False
    det = np.float32(np.float32(u + v) + w)
    if not (det > ZERO or det < ZERO):  # seen exactly from the side, or not a number
        return False
    depth = np.float32(u * np.float32(ray.shear[2] * a_z))
    depth = np.float32(depth + np.float32(v * np.float32(ray.shear[2] * b_z)))
    depth = np.float32(depth + np.float32(w * np.float32(ray.shear[2] * c_z)))
    t = np.float32(depth / det)
    if not _in_own_box(ray, floats, place):
        return False
    t = max(t, ray.near)
    t = min(t, ray.far)
    if not (t > ray.tmin and t < ray.tmax):
        return False
    ray.t, ray.u, ray.v = t, np.float32(v / det), np.float32(w / det)
    ray.back = 1 if det < ZERO else 0
    return True


@unit
def _sheared(ray, floats, place, axis, which, depth):
    """A coordinate of a corner, seen from the ray's origin, where the ray is the z axis."""
    return np.float32(np.float32(floats[place + axis] - ray.origin[axis]) - np.float32(ray.shear[which] * depth))


@unit
def edge(p, q, r, s):
    """p * q - r * s, with the right sign in any case."""
    value = np.float32(np.float32(p * q) - np.float32(r * s))
    if value == ZERO:
        value = np.float32(np.float64(p) * np.float64(q) - np.float64(r) * np.float64(s))
    return value


@unit
def _in_own_box(ray, floats, place):
    """Whether the ray meets the smallest box around a triangle."""
    return meets_box(
        ray, _least(floats, place), _least(floats, place + 1), _least(floats, place + 2),
        _most(floats, place), _most(floats, place + 1), _most(floats, place + 2),
    )  # fmt: skip


@unit
def _least(floats, place):
    """The smallest of a coordinate of three corners."""
    found = floats[place]
    for corner in range(1, 3):
        found = min(found, floats[place + CORNER * corner])
    return found


@unit
def _most(floats, place):
    """The largest of a coordinate of three corners."""
    found = floats[place]
    for corner in range(1, 3):
        found = max(found, floats[place + CORNER * corner])
    return found
