"""A scene in a kernel: rays by the ray unit, or by the same walk as a program, on any machine. Both find the same hits, bit for bit.

    @cuda.jit
    def shadow(scene, points, light, dark):
        i = cuda.grid(1)
        if i < points.shape[0]:
            towards = light[0], light[1], light[2]
            dark[i] = scene.trace((points[i, 0], points[i, 1], points[i, 2]), towards, 1e-3, 1e9).hit

A kernel gets a `RayScene`; what it sees is a `TracedScene`. `trace` needs a ray unit (`--gpu vortex-2026`), `walk` does not: it reads the
tree with ordinary loads (`kernel_walk.py`). `start` and `wait` are the halves of `trace`: a warp may do other things between them. A tree
that is damaged may lead a program anywhere; the unit finds that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.rays.kernel_ray import prepared
from warploom.graphics.rays.kernel_walk import TOO_DEEP, branching, nested, speculative
from warploom.kernel import cuda
from warploom.kernel.types.values import in_kernels
from warploom.machine.rays.leaf import ALL_OPAQUE

F = np.float32
MISS = 1  # a status, as the unit's


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
    def walk(self, origin: Any, direction: Any, tmin: Any, tmax: Any, flags: Any = 0, mask: Any = 255, loop: Any = "branching") -> Any:
        """The same `Hit` without a ray unit. loop: one of `kernel_walk.LOOPS`."""
        x, y, z = origin
        dx, dy, dz = direction
        world = prepared(F(x), F(y), F(z), F(dx), F(dy), F(dz), F(tmin), F(tmax))
        if loop == "speculative":
            best, whole = speculative(self.words, world, flags, mask)
        elif loop == "nested":
            best, whole = nested(self.words, world, flags, mask)
        else:
            best, whole = branching(self.words, world, flags, mask)
        status = 0 if best.hit else MISS
        return Hit(best.hit, best.t, best.u, best.v, best.triangle, best.instance, status if whole else TOO_DEEP)
