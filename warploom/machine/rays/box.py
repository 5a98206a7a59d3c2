"""Does a ray meet a box?

In hardware: for each axis two subtractions and two multiplications give the values of t between which the ray lies between two planes
(*slabs*); the largest of the first and the smallest of the second are compared. Four boxes in a cycle are usual. Source: Kay and Kajiya,
"Ray Tracing Complex Scenes", SIGGRAPH 1986.

The test may say yes too often, never no too often: a ray that hits a triangle by the arithmetic of `triangle.py` meets every box around
it. Two things see to that:

* A box is made larger by 2^-18 of the distance to its farthest plane. The sheared coordinates of the triangle test are off by at most five
  roundings, 5 * 2^-24 of that distance. (Woop, Benthin and Wald do the same, with directed rounding.)
* Every operation is monotonic, its rounding too: a box around a box gives an interval of t around that box's interval, bit for bit. So a
  tree may leave out what begins beyond the closest hit, and finds the same hit as a search through all triangles, whatever its shape.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.rays.ray import AXES, ZERO, magnitude

MARGIN = np.float32(2.0**-18)


@unit
def meets_box(ray, low_x, low_y, low_z, high_x, high_y, high_z):
    """Whether a ray meets a box between tmin and tmax; ray.near and ray.far become the interval of t in which it is inside."""
    lx, ly, lz = np.float32(low_x - ray.origin[0]), np.float32(low_y - ray.origin[1]), np.float32(low_z - ray.origin[2])
    hx, hy, hz = np.float32(high_x - ray.origin[0]), np.float32(high_y - ray.origin[1]), np.float32(high_z - ray.origin[2])
    most = ZERO
    most = _larger(most, magnitude(lx))
    most = _larger(most, magnitude(ly))
    most = _larger(most, magnitude(lz))
    most = _larger(most, magnitude(hx))
    most = _larger(most, magnitude(hy))
    most = _larger(most, magnitude(hz))
    margin = np.float32(most * MARGIN)
    ray.near, ray.far = ray.tmin, ray.tmax
    for axis in range(AXES):
        low = lx if axis == 0 else ly if axis == 1 else lz
        high = hx if axis == 0 else hy if axis == 1 else hz
        first = np.float32(np.float32(low - margin) * ray.inverse[axis])
        second = np.float32(np.float32(high + margin) * ray.inverse[axis])
        if ray.inverse[axis] < ZERO:
            first, second = second, first
        ray.near = max(ray.near, first)
        ray.far = min(ray.far, second)
    return ray.near <= ray.far


@unit
def _larger(one, other):
    """The larger of two numbers."""
    return other if other > one else one
