"""A ray, and what is computed of it once, before it meets a box or a triangle.

    point(t) = origin + t * direction,    t from tmin to tmax; the direction need not have length 1

In hardware: a divider that makes the three reciprocals for boxes, and the shear for triangles: the axis along which the direction is
longest becomes z, and x and y are moved so that the ray runs along z. Source of the shear: Woop, Benthin, Wald, "Watertight Ray/Triangle
Intersection", Journal of Computer Graphics Techniques 2(1), 2013.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import record, unit

ZERO, ONE = np.float32(0), np.float32(1)
MOST = np.float32(np.finfo(np.float32).max)
AXES = 3

Ray = record(
    inputs=dict(
        origin=("f4", AXES),
        direction=("f4", AXES),
        tmin="f4",
        tmax="f4",
    ),
    state=dict(
        inverse=("f4", AXES),   # 1 / direction; as large as a float can be where that is 0
        shear=("f4", AXES),     # x / z and y / z of the direction, and 1 / z, in the order of `axes`
        axes=("i8", AXES),      # which coordinate is x, y and z of the sheared space
        near="f4",              # of the box that was met last: where the ray enters it, and where it leaves it
        far="f4",
        t="f4",                 # of the triangle that was hit last
        u="f4",                 # its weights of corners 1 and 2
        v="f4",
        back="i8",              # 1: its corners run clockwise, seen from the origin
    ),
)  # fmt: skip


@unit
def magnitude(value):
    """The value without its sign."""
    return -value if value < ZERO else value


@unit
def prepare(ray):
    """Compute what boxes and triangles need of a ray. A direction of 0, or one that is not a number, hits nothing."""
    longest = 0
    for axis in range(AXES):
        component = ray.direction[axis]
        ray.inverse[axis] = _reciprocal(component)
        if magnitude(component) > magnitude(ray.direction[longest]):
            longest = axis
    first, second = (longest + 1) % AXES, (longest + 2) % AXES
    depth = ray.direction[longest]
    if depth < ZERO:  # which keeps the order in which a triangle's corners run
        first, second = second, first
    ray.axes[0], ray.axes[1], ray.axes[2] = first, second, longest
    if depth == ZERO:
        ray.shear[0], ray.shear[1], ray.shear[2] = MOST, MOST, MOST
        return
    ray.shear[0] = np.float32(ray.direction[first] / depth)
    ray.shear[1] = np.float32(ray.direction[second] / depth)
    ray.shear[2] = np.float32(ONE / depth)


@unit
def _reciprocal(component):
    """1 / component, finite in any case, so that a product with it is a number."""
    if component == ZERO:
        return MOST
    inverse = np.float32(ONE / component)
    if inverse > MOST:
        return MOST
    if inverse < -MOST:
        return np.float32(-MOST)
    return inverse


@unit
def is_finite(ray):
    """Whether a ray is one: finite numbers, and an interval with something in it. Another one hits nothing."""
    for axis in range(AXES):
        if not (magnitude(ray.origin[axis]) <= MOST and magnitude(ray.direction[axis]) <= MOST):
            return False
    return ray.tmin <= ray.tmax


@unit
def copy_ray(to, source):
    """Make a ray the same as another one."""
    for axis in range(AXES):
        to.origin[axis] = source.origin[axis]
        to.direction[axis] = source.direction[axis]
        to.inverse[axis] = source.inverse[axis]
        to.shear[axis] = source.shear[axis]
        to.axes[axis] = source.axes[axis]
    to.tmin, to.tmax = source.tmin, source.tmax
