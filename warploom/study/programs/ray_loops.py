"""Rays through a scene: `python ray_loops.py LOOP RAYS [SIDE]`.

LOOP: unit, by the ray unit; branching, nested, speculative, by a program (`graphics/rays/kernel_walk.py`); persistent: the nested loop in
few warps, each of which takes the next 32 rays when it has none left. RAYS: primary, one a pixel of a picture; diffuse, from where those
have met something, each in a direction of its own; sorted: the same, those with directions of one octant side by side.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from warploom import cuda
from warploom.graphics.rays import RayScene
from warploom.graphics.rays.traced import MISS

LANES, WARPS, FAR = 32, 8, np.float32(1e9)  # of a warp; that stay; no ray goes farther
HEIGHT = np.float32(0.2)  # of the waves


def scene_of(across: int = 14) -> RayScene:
    """Waves with a ball above them."""
    x, z = np.meshgrid(np.linspace(-2, 2, across + 1), np.linspace(-2, 2, across + 1))
    ground = np.stack([x, HEIGHT * np.sin(4 * x) * np.cos(3 * z) - 1, z], axis=-1)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, across + 1), np.linspace(0, np.pi, across + 1))
    ball = 0.8 * np.stack([np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u)], axis=-1)
    return RayScene(np.concatenate([_triangles(ground), _triangles(ball)]))


def _triangles(points: np.ndarray) -> np.ndarray:
    """Two of each square of a net. float[n, 3, 3]."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[:-1, 1:], points[1:, 1:]
    return np.concatenate([np.stack([a, c, b], axis=2).reshape(-1, 3, 3), np.stack([c, d, b], axis=2).reshape(-1, 3, 3)])


def rays_of(scene: RayScene, kind: str, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Origins and directions, float32[n, 3] each."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32).reshape(2, -1)
    directions = np.stack([(2 * x + 1) / side - 1, 0.2 - (2 * y + 1) / side, np.full_like(x, 2)], axis=1)
    origins = np.broadcast_to(np.array([0, 0.6, -3], np.float32), directions.shape)
    if kind == "primary":
        return np.ascontiguousarray(origins, np.float32), directions.astype(np.float32)
    hits = scene.trace(origins, directions)
    numbers = np.random.default_rng(2009)
    places = (origins + directions * np.where(hits.hit, hits.t * np.float32(0.999), 1)[:, None]).astype(np.float32)
    turned = numbers.normal(size=directions.shape).astype(np.float32)
    turned[:, 1] = np.abs(turned[:, 1])
    if kind == "sorted":
        order = np.lexsort((np.arange(len(turned), dtype=np.int64), (turned < 0) @ np.array([1, 2, 4], np.int64)))
        places, turned = places[order], turned[order]
    return np.ascontiguousarray(places), np.ascontiguousarray(turned)


@cuda.jit
def shoot(scene: Any, origins: Any, directions: Any, loop: Any, found: Any, triangles: Any) -> None:
    """One ray a thread."""
    i = cuda.grid(1)
    if i < origins.shape[0]:
        origin, direction = (origins[i, 0], origins[i, 1], origins[i, 2]), (directions[i, 0], directions[i, 1], directions[i, 2])
        if loop == "unit":
            hit = scene.trace(origin, direction, np.float32(0), FAR)
        else:
            hit = scene.walk(origin, direction, np.float32(0), FAR, loop=loop)
        found[i] = hit.t if hit.status < MISS else np.float32(-1)
        triangles[i] = hit.triangle


@cuda.jit
def shoot_persistently(scene: Any, origins: Any, directions: Any, counter: Any, found: Any, triangles: Any) -> None:
    """Every warp takes 32 rays at a time until there are no more. counter: the first that nobody has."""
    lane = cuda.laneid
    going = True
    while going:
        first = 0
        if lane == 0:
            first = cuda.atomic.add(counter, 0, LANES)
        i = cuda.shfl_sync(0xFFFFFFFF, first, 0) + lane
        if i < origins.shape[0]:
            origin, direction = (origins[i, 0], origins[i, 1], origins[i, 2]), (directions[i, 0], directions[i, 1], directions[i, 2])
            hit = scene.walk(origin, direction, np.float32(0), FAR, loop="nested")
            found[i] = hit.t if hit.status < MISS else np.float32(-1)
            triangles[i] = hit.triangle
        cuda.syncwarp()
        going = cuda.any_sync(0xFFFFFFFF, i - lane + LANES < origins.shape[0])


def main(loop: str, kind: str, side: int) -> None:
    """Run it, and hold what it finds against the host's walk."""
    scene = scene_of()
    origins, directions = rays_of(scene, kind, side)
    found, triangles = np.zeros(len(origins), np.float32), np.zeros(len(origins), np.int32)
    if loop == "persistent":
        shoot_persistently[WARPS, LANES](scene, origins, directions, np.zeros(1, np.int32), found, triangles)
    else:
        shoot[-(-len(origins) // LANES), LANES](scene, origins, directions, loop, found, triangles)
    expected = scene.trace(origins, directions, 0.0, FAR)
    assert np.array_equal(found, np.where(expected.hit, expected.t, np.float32(-1)))
    assert np.array_equal(triangles[expected.hit], expected.triangle[expected.hit])
    print(f"{len(origins)} rays, {int(expected.hit.sum())} hits, as on the host")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["16"])[0]))
