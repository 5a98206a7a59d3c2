"""The walk of a ray as a program: three loops around the same two steps, a node and a leaf.

    branching     every round is a step, of a node or of a leaf: lanes that have different ones take turns in every round
    nested        an inner loop goes through nodes until each lane has a leaf, another one through leaves until each has a node
    speculative   ... and a lane that has found its leaf goes on with nodes meanwhile, until every lane of the warp has found one

They differ in which lanes work at a time, and find the same hits. Source: Aila and Laine, "Understanding the Efficiency of Ray Traversal on
GPUs", HPG 2009 ("if-if", "while-while", "speculative while-while"). The walk is `machine/rays/walk.py` with a stack that forgets nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.rays.kernel_ray import MOST, ZERO, I, box, float_at, inside, plane, scale, triangle
from warploom.kernel import cuda
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
from warploom.machine.rays.leaf import CULL_BACK, CULL_FRONT, CULL_OPAQUE, FIRST_HIT, FLIPPED, NO_CULLING, NO_TRIANGLES

LOOPS = ("branching", "nested", "speculative")
STACK = 96  # entries
TOO_DEEP = 128 + 4  # a status, as the unit's
LEAVE = 0  # on the stack: here the walk leaves an instance
NOWHERE, ENDED = -1, -2  # places: on with the stack; that was all


class Best(NamedTuple):
    """The closest hit so far."""

    hit: Any
    t: Any
    u: Any
    v: Any
    triangle: Any
    instance: Any


class Way(NamedTuple):
    """Where a walk is. ray: in the space that it is in. number, turned, culls: of the instance."""

    ray: Any
    number: Any
    turned: Any
    culls: Any


def width_of(kind: Any) -> Any:
    """Children of a node."""
    which = I(kind & 255)
    told = I(kind >> 8 & 255)
    return I(4) if which == 2 else I(6) if which == 3 else I(2) if which == 4 else told if told != 0 else I(4)


def begun(words: Any, world: Any) -> Any:
    """The first place, children of a node, and the empty hit of a walk."""
    kind = I(words[S_KIND])
    root = I(words[S_ROOT]) | (LEAF_FLAG if kind & 255 == TRIANGLES else 0)
    return root if world.tmin <= world.tmax else I(ENDED), width_of(kind), Best(False, world.tmax, ZERO, ZERO, I(0), I(0))


def node(words: Any, place: Any, width: Any, ray: Any, t: Any, places: Any, nears: Any, used: Any) -> Any:
    """The children of a node that the ray meets: the nearest is where the walk goes on, the others are on the stack, nearest on top.

    Gives that place, and the entries of the stack: more than STACK where it is too small.
    """
    slots, order = cuda.local.array(6, np.int32), cuda.local.array(6, np.float32)
    first = place >> 2
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
        return I(ENDED), I(STACK + 1)
    for back in range(found - 1):
        rank = found - 1 - back
        places[used], nears[used] = words[first + CHILDREN + slots[rank]], order[rank]
        used += 1
    return I(words[first + CHILDREN + slots[0]]) if found > 0 else I(NOWHERE), used


def leaf(words: Any, place: Any, world: Any, way: Any, best: Any, flags: Any, mask: Any, places: Any, nears: Any, used: Any) -> Any:
    """The triangles of a leaf are tested, or an instance is entered: where the walk goes on, the way, the closest hit, the stack."""
    first = (place & PLACE) >> 2
    following = I(NOWHERE)
    if words[first + L_KIND] & 255 == INSTANCE_LEAF:
        at = first + LEAF_BYTES // 4
        told = words[at + I_MASK]
        if told & 255 & mask != 0:
            way = Way(inside(words, at, world), I(words[at + I_NUMBER]), told >> 8 & FLIPPED != 0, told >> 8 & NO_CULLING == 0)
            places[used], nears[used] = LEAVE, -MOST
            used += 1
            following = I(words[at + I_ROOT])
    elif flags & NO_TRIANGLES == 0:
        count, start = I(words[first + L_KIND] >> COUNT_SHIFT), I(words[first + L_FIRST])
        for index in range(count):
            met, t, u, v, back = triangle(words, first + LEAF_BYTES // 4 + index * (TRIANGLE_BYTES // 4), way.ray)
            back = back != way.turned
            culled = (way.culls and flags & (CULL_BACK if back else CULL_FRONT) != 0) or flags & CULL_OPAQUE != 0
            lower = way.number < best.instance or (way.number == best.instance and start + index < best.triangle)
            if met and not culled and (not best.hit or t < best.t or (t == best.t and lower)):
                best = Best(True, t, u, v, start + index, way.number)
        if best.hit and flags & FIRST_HIT != 0:
            following, used = I(ENDED), I(0)
    return following, way, best, used


def popped(world: Any, way: Any, t: Any, places: Any, nears: Any, used: Any) -> Any:
    """Where the walk goes on with the stack; ENDED where that is empty."""
    following = I(NOWHERE)
    while following < 0 and used > 0:
        used -= 1
        if places[used] == LEAVE:
            way = Way(world, I(0), False, True)
        elif nears[used] <= t:
            following = I(places[used])
    return following if following >= 0 else I(ENDED), way, used


def branching(words: Any, world: Any, flags: Any, mask: Any) -> Any:
    """A step a round. Gives the closest hit, and whether the stack was large enough."""
    places, nears = cuda.local.array(STACK + 1, np.uint32), cuda.local.array(STACK + 1, np.float32)
    place, width, best = begun(words, world)
    way, used = Way(world, I(0), False, True), I(0)
    while place >= 0:
        if place & LEAF_FLAG == 0:
            place, used = node(words, place, width, way.ray, best.t, places, nears, used)
        else:
            place, way, best, used = leaf(words, place, world, way, best, flags, mask, places, nears, used)
        if place == NOWHERE:
            place, way, used = popped(world, way, best.t, places, nears, used)
    return best, used <= STACK


def nested(words: Any, world: Any, flags: Any, mask: Any) -> Any:
    """Nodes in one loop, leaves in another, around both a third."""
    places, nears = cuda.local.array(STACK + 1, np.uint32), cuda.local.array(STACK + 1, np.float32)
    place, width, best = begun(words, world)
    way, used = Way(world, I(0), False, True), I(0)
    while place >= 0:
        while place >= 0 and place & LEAF_FLAG == 0:
            place, used = node(words, place, width, way.ray, best.t, places, nears, used)
            if place == NOWHERE:
                place, way, used = popped(world, way, best.t, places, nears, used)
        while place >= 0 and place & LEAF_FLAG != 0:
            place, way, best, used = leaf(words, place, world, way, best, flags, mask, places, nears, used)
            if place == NOWHERE:
                place, way, used = popped(world, way, best.t, places, nears, used)
    return best, used <= STACK


def speculative(words: Any, world: Any, flags: Any, mask: Any) -> Any:
    """As `nested`, but a lane keeps a leaf of triangles that it has found, and goes on until every lane that walks has one.

    An instance is not kept: what lies in it is a walk of its own.
    """
    places, nears = cuda.local.array(STACK + 1, np.uint32), cuda.local.array(STACK + 1, np.float32)
    place, width, best = begun(words, world)
    way, used = Way(world, I(0), False, True), I(0)
    while place >= 0:
        kept, kept_way = I(NOWHERE), way
        searching = True
        while searching:
            if place >= 0 and place & LEAF_FLAG == 0:
                place, used = node(words, place, width, way.ray, best.t, places, nears, used)
                if place == NOWHERE:
                    place, way, used = popped(world, way, best.t, places, nears, used)
            if place >= 0 and place & LEAF_FLAG != 0 and kept < 0 and words[((place & PLACE) >> 2) + L_KIND] & 255 != INSTANCE_LEAF:
                kept, kept_way = place, way
                place, way, used = popped(world, way, best.t, places, nears, used)
            walks = place >= 0 and place & LEAF_FLAG == 0
            searching = walks and cuda.any_sync(cuda.activemask(), walks and kept < 0)
        if kept >= 0:
            after, kept_way, best, used = leaf(words, kept, world, kept_way, best, flags, mask, places, nears, used)
            if after == ENDED:
                place = I(ENDED)
        while place >= 0 and place & LEAF_FLAG != 0:
            place, way, best, used = leaf(words, place, world, way, best, flags, mask, places, nears, used)
            if place == NOWHERE:
                place, way, used = popped(world, way, best.t, places, nears, used)
    return best, used <= STACK
