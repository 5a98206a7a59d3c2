"""A scene in a kernel: rays by the ray unit, or by the same walk as a program, on any machine. Both find the same hits, bit for bit.

    @cuda.jit
    def shadow(scene, points, light, dark):
        i = cuda.grid(1)
        if i < points.shape[0]:
            towards = light[0], light[1], light[2]
            dark[i] = scene.trace((points[i, 0], points[i, 1], points[i, 2]), towards, 1e-3, 1e9).hit

A kernel gets a `RayScene`; what it sees is a `TracedScene`. `trace` needs a ray unit (`--gpu vortex-2026`), `walk` does not: it reads the
tree with ordinary loads. `start` and `wait` are the two halves of `trace`: a warp may do other things between them.

The walk is `machine/rays/walk.py` with a stack that forgets nothing. Its sums and products are apart (`fmul_rn`), as the unit has them:
joined into one operation they would round in another way. A scene that is damaged may lead the walk anywhere; the unit finds that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.kernel import cuda
from warploom.kernel.types.values import in_kernels
from warploom.machine.rays.layout import (
    CHILDREN,
    CORNER,
    COUNT_SHIFT,
    EXPONENTS,
    I_MASK,
    I_NUMBER,
    I_ROOT,
    INSTANCE_LEAF,
    L_FIRST,
    L_KIND,
    LEAF_BYTES,
    LEAF_FLAG,
    PLACE,
    S_KIND,
    S_ROOT,
    TRIANGLE_BYTES,
    TRIANGLES,
)
from warploom.machine.rays.leaf import (
    ALL_OPAQUE,
    CULL_BACK,
    CULL_FRONT,
    CULL_OPAQUE,
    FIRST_HIT,
    FLIPPED,
    NO_CULLING,
    NO_TRIANGLES,
)
from warploom.machine.rays.triangle import CORNER as FLOATS

F, I = np.float32, np.int64
ZERO, ONE, MOST, MARGIN = F(0), F(1), F(np.finfo(np.float32).max), F(2.0**-18)
times = cuda.libdevice.fmul_rn
STACK = 96  # entries
MISS, TOO_DEEP = 1, 128 + 4  # statuses, as the unit's
LEAVE = 0  # on the stack: here the walk leaves an instance


class Hit(NamedTuple):
    """What a ray has hit. hit: whether; otherwise the numbers say nothing. t, u, v: where on the ray, weights of corners 1 and 2.
    status: 0 hit, 1 nothing, from 128 on the tree is damaged."""

    hit: Any
    t: Any
    u: Any
    v: Any
    triangle: Any
    instance: Any
    status: Any


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


class TracedScene(NamedTuple):
    """A scene as a kernel has it. words: uint32, the tree."""

    words: Any

    @in_kernels
    def trace(self, origin: Any, direction: Any, tmin: Any, tmax: Any, flags: Any = 0, mask: Any = 255) -> Any:
        """The closest hit with tmin < t < tmax, by the ray unit. origin, direction: three numbers each, as float32. A `Hit`."""
        return self.wait(self.start(origin, direction, tmin, tmax, flags, mask))

    @in_kernels
    def start(self, origin: Any, direction: Any, tmin: Any, tmax: Any, flags: Any = 0, mask: Any = 255) -> Any:
        """The ray begins its way through the scene; a handle for `wait`. All lanes of a warp that start rays together wait together."""
        x, y, z = origin
        dx, dy, dz = direction
        return cuda.trace_ray(self.words, x, y, z, dx, dy, dz, tmin, tmax, flags | ALL_OPAQUE | mask << 16)

    @in_kernels
    def wait(self, handle: Any) -> Any:
        """The `Hit` of a ray that was started."""
        status, t, u, v, triangle, instance = cuda.await_ray(handle)
        return Hit(status == 0, t, u, v, triangle, instance, status)

    @in_kernels
    def walk(self, origin: Any, direction: Any, tmin: Any, tmax: Any, flags: Any = 0, mask: Any = 255) -> Any:
        """The same `Hit` without a ray unit."""
        x, y, z = origin
        dx, dy, dz = direction
        return walked(self.words, prepared(F(x), F(y), F(z), F(dx), F(dy), F(dz), F(tmin), F(tmax)), flags, mask)


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


def width_of(kind: Any) -> Any:
    """Children of a node."""
    which = I(kind & 255)
    told = I(kind >> 8 & 255)
    return I(4) if which == 2 else I(6) if which == 3 else I(2) if which == 4 else told if told != 0 else I(4)


def walked(words: Any, world: Any, flags: Any, mask: Any) -> Any:
    """The walk of a ray: the nearest child first, the others onto a stack."""
    places, nears = cuda.local.array(STACK, np.uint32), cuda.local.array(STACK, np.float32)
    slots, order = cuda.local.array(6, np.int32), cuda.local.array(6, np.float32)
    kind = I(words[S_KIND])
    width = width_of(kind)
    place = I(words[S_ROOT]) | (LEAF_FLAG if kind & 255 == TRIANGLES else 0)
    ray, number, turned, culls = world, I(0), False, True
    hit, t, u, v, primitive, instance = False, world.tmax, ZERO, ZERO, I(0), I(0)
    used, going, status = I(0), world.tmin <= world.tmax, I(MISS)
    while going:
        first = (place & PLACE) >> 2
        following = I(-1)
        if place & LEAF_FLAG == 0:
            exponents = words[first + EXPONENTS]
            x, y, z = float_at(words, first + CORNER), float_at(words, first + CORNER + 1), float_at(words, first + CORNER + 2)
            sx, sy, sz = scale(exponents & 255), scale(exponents >> 8 & 255), scale(exponents >> 16 & 255)
            corners, found = first + CHILDREN + width, I(0)
            for slot in range(min(I(words[first] >> COUNT_SHIFT & 255), width)):
                if words[first + CHILDREN + slot] == 0:
                    continue
                low, high = 3 * slot, 3 * (width + slot)
                near, far = box(
                    ray, plane(words, corners, low, x, sx), plane(words, corners, low + 1, y, sy), plane(words, corners, low + 2, z, sz),
                    plane(words, corners, high, x, sx), plane(words, corners, high + 1, y, sy), plane(words, corners, high + 2, z, sz),
                )  # fmt: skip
                if near <= far and near <= t:
                    at = found
                    while at > 0 and order[at - 1] > near:
                        order[at], slots[at] = order[at - 1], slots[at - 1]
                        at -= 1
                    order[at], slots[at] = near, slot
                    found += 1
            if used + found > STACK:
                status, found, used = I(TOO_DEEP), I(0), I(0)
            for back in range(found - 1):
                rank = found - 1 - back
                places[used], nears[used] = words[first + CHILDREN + slots[rank]], order[rank]
                used += 1
            if found > 0:
                following = I(words[first + CHILDREN + slots[0]])
        elif words[first + L_KIND] & 255 == INSTANCE_LEAF:
            at = first + LEAF_BYTES // 4
            told = words[at + I_MASK]
            if told & 255 & mask != 0:
                number, turned, culls = I(words[at + I_NUMBER]), told >> 8 & FLIPPED != 0, told >> 8 & NO_CULLING == 0
                ray = inside(words, at, world)
                places[used], nears[used] = LEAVE, -MOST
                used += 1
                following = I(words[at + I_ROOT])
        elif flags & NO_TRIANGLES == 0:
            count, start = I(words[first + L_KIND] >> COUNT_SHIFT), I(words[first + L_FIRST])
            for index in range(count):
                met, where, second, third, back = triangle(words, first + LEAF_BYTES // 4 + index * (TRIANGLE_BYTES // 4), ray)
                back = back != turned
                culled = (culls and flags & (CULL_BACK if back else CULL_FRONT) != 0) or flags & CULL_OPAQUE != 0
                same = where == t and (number < instance or (number == instance and start + index < primitive))
                if met and not culled and (not hit or where < t or same):
                    hit, t, u, v, primitive, instance = True, where, second, third, start + index, number
            if hit and flags & FIRST_HIT != 0:
                used = I(0)
        while following < 0 and used > 0:
            used -= 1
            if places[used] == LEAVE:
                ray, number, turned, culls = world, I(0), False, True
            elif nears[used] <= t:
                following = I(places[used])
        going, place = following >= 0, following
    return Hit(hit, t, u, v, primitive, instance, I(0) if hit else status)


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
