"""Many rays through a scene: by the walk through its tree, or one triangle after the other. Entries of native code."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import record, unit
from warploom.machine.rays.leaf import into_instance, step
from warploom.machine.rays.ray import AXES, Ray, prepare
from warploom.machine.rays.triangle import hits_triangle
from warploom.machine.rays.walk import SCENE, TREE, begin

RAY = 8  # floats: origin, direction, tmin, tmax
H_STATE, H_HIT, H_PRIMITIVE, H_GEOMETRY, H_INSTANCE, H_BACK, H_FAULT, H_ADDRESS = range(8)
HIT = 8
W_NODES, W_BOXES, W_TRIANGLES, W_LEAVES, W_RESTARTS, W_AGAIN = range(6)
WORK = 6

Search = record(
    state=dict(
        world=Ray,
        ray=Ray,
    ),
)


@unit
def trace_rays(walks, words, floats, rays, first, last, places, numbers, work):
    """Trace rays `first` to `last` - 1, of which nothing asks for a program's word. walks: one record; base, flags and mask are set.

    rays: float32[n, RAY]. Written: places float32[n, 3]: t, u, v; numbers int64[n, HIT]; work int64[n, WORK].
    """
    walk = walks[0]
    for row in range(first, last):
        start_walk(walk, rays, row)
        while walk.state in (SCENE, TREE):
            step(walk, words, floats)
        write_hit(walk, row, places, numbers, work)
    return np.int64(0)


@unit
def start_walk(walk, rays, row):
    """A walk begins with a row of `rays`; its counters are 0."""
    for axis in range(AXES):
        walk.world.origin[axis] = rays[row, axis]
        walk.world.direction[axis] = rays[row, AXES + axis]
    walk.world.tmin, walk.world.tmax = rays[row, 6], rays[row, 7]
    prepare(walk.world)
    begin(walk)
    walk.nodes, walk.boxes, walk.triangles, walk.leaves, walk.restarts, walk.again = 0, 0, 0, 0, 0, 0


@unit
def write_hit(walk, row, places, numbers, work):
    """What a walk has found, into the tables."""
    numbers[row, H_STATE], numbers[row, H_HIT] = walk.state, walk.hit
    numbers[row, H_FAULT], numbers[row, H_ADDRESS] = walk.fault, walk.fault_address
    if walk.hit != 0:
        places[row, 0], places[row, 1], places[row, 2] = walk.t, walk.u, walk.v
        numbers[row, H_PRIMITIVE], numbers[row, H_GEOMETRY] = walk.hit_primitive, walk.hit_geometry
        numbers[row, H_INSTANCE], numbers[row, H_BACK] = walk.hit_instance, walk.hit_back
    work[row, W_NODES], work[row, W_BOXES], work[row, W_TRIANGLES] = walk.nodes, walk.boxes, walk.triangles
    work[row, W_LEAVES], work[row, W_RESTARTS], work[row, W_AGAIN] = walk.leaves, walk.restarts, walk.again


@unit
def search_rays(searches, floats, parts, matrices, rays, first, last, places, numbers):
    """The closest hit by trying every triangle. searches: one record. floats: nine of each triangle. Written: as `trace_rays`.

    parts: int64[m, 4]: an instance's first triangle, the first that is none of it, its number, and 1 where a row of matrices leads into
    its space. matrices: float32[m * 12].
    """
    search = searches[0]
    for row in range(first, last):
        for axis in range(AXES):
            search.world.origin[axis] = rays[row, axis]
            search.world.direction[axis] = rays[row, AXES + axis]
        search.world.tmin, search.world.tmax = rays[row, 6], rays[row, 7]
        prepare(search.world)
        numbers[row, H_HIT] = 0
        for part in range(parts.shape[0]):
            _search_part(search, floats, parts, matrices, part, row, places, numbers)
    return np.int64(0)


@unit
def _search_part(search, floats, parts, matrices, part, row, places, numbers):
    """Try the triangles of one instance."""
    ray = search.world
    if parts[part, 3] != 0:
        into_instance(search.ray, search.world, matrices, 12 * part)
        ray = search.ray
    for triangle in range(parts[part, 0], parts[part, 1]):
        if not hits_triangle(ray, floats, 9 * triangle):
            continue
        if numbers[row, H_HIT] == 0 or ray.t < places[row, 0]:  # of equals the first: lowest instance, lowest number
            places[row, 0], places[row, 1], places[row, 2] = ray.t, ray.u, ray.v
            numbers[row, H_HIT], numbers[row, H_PRIMITIVE] = 1, triangle - parts[part, 0]
            numbers[row, H_GEOMETRY], numbers[row, H_INSTANCE], numbers[row, H_BACK] = 0, parts[part, 2], ray.back
