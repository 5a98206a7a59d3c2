"""The leaves of a walk: triangles, instances, and boxes whose contents a program decides about.

In hardware: the triangle test, an adder and multiplier tree that brings a ray into an instance's space, and a few comparisons on flags.
What is not opaque, and what a program has to intersect by itself, is a *candidate*: the walk stands still until the program says
whether it counts (`resume`). Source of flags and order of decisions: SPIR-V's ray flags; Vortex of 2026 has the same numbers.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.rays.box import meets_box
from warploom.machine.rays.layout import (
    COUNT_SHIFT,
    I_CUSTOM,
    I_MASK,
    I_NUMBER,
    I_ROOT,
    INSTANCE_LEAF,
    L_FIRST,
    L_FLAGS,
    L_GEOMETRY,
    L_KIND,
    LEAF_BYTES,
    OPAQUE,
    PRIMITIVE_BYTES,
    PROCEDURAL_LEAF,
    TRIANGLE_LEAF,
)
from warploom.machine.rays.ray import AXES, ZERO, prepare
from warploom.machine.rays.triangle import hits_triangle
from warploom.machine.rays.walk import (
    CANDIDATE,
    DONE,
    NOT_A_NODE,
    NOWHERE,
    SCENE,
    TREE,
    counts_visit,
    fail,
    go_to,
    is_there,
    pop,
    read_scene,
    visit_node,
    word_at,
)

# Flags of a ray.
ALL_OPAQUE, NONE_OPAQUE, FIRST_HIT, CULL_BACK, CULL_FRONT, CULL_OPAQUE, CULL_CLEAR, NO_TRIANGLES, NO_BOXES = (
    1, 2, 4, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200,
)  # fmt: skip
# Flags of an instance.
NO_CULLING, FLIPPED, FORCE_OPAQUE, FORCE_CLEAR = 1, 2, 4, 8
IGNORE, ACCEPT, TERMINATE = range(3)  # what a program says of a candidate
LINE_SHIFT = 6  # bytes of a line, as a power of two
TRIANGLE_FLAGS = 9  # word of a triangle


@unit
def step(walk, words, floats):
    """The next step of a walk, whose bytes at walk.at are there. words, floats: memory, as uint32 and as float32.

    The state is TREE while there are more steps; CANDIDATE, DONE or FAULT where there are none.
    """
    if not is_there(walk):
        return
    if walk.state == SCENE:
        read_scene(walk, words)
    elif walk.leaf == 0:
        visit_node(walk, words, floats)
    elif walk.index == NOWHERE:
        line = (walk.base + walk.at) >> LINE_SHIFT
        _visit_leaf(walk, words)
        last = walk.base + walk.at + walk.bytes - 1
        if walk.state == TREE and walk.index != NOWHERE and last >> LINE_SHIFT == line and is_there(walk):
            _visit_primitive(walk, words, floats)  # which is in the same line
    else:
        _visit_primitive(walk, words, floats)


@unit
def _visit_leaf(walk, words):
    """The head of a leaf is there."""
    first = word_at(walk, walk.place)
    kind = np.int64(words[first + L_KIND])
    walk.kind, walk.count = kind & 255, kind >> COUNT_SHIFT
    if walk.kind < TRIANGLE_LEAF or walk.kind > PROCEDURAL_LEAF or (walk.kind == INSTANCE_LEAF and walk.count != 1):
        fail(walk, NOT_A_NODE)
        return
    if not counts_visit(walk):
        return
    walk.leaves = walk.leaves + 1
    walk.geometry, walk.leaf_flags = np.int64(words[first + L_GEOMETRY]), np.int64(words[first + L_FLAGS])
    walk.first = np.int64(words[first + L_FIRST])
    _next_primitive(walk)


@unit
def _next_primitive(walk):
    """On with the next primitive of the leaf, or with the stack after the last."""
    walk.index = walk.index + 1
    if walk.index >= walk.count:
        pop(walk)
        return
    walk.bytes = PRIMITIVE_BYTES[walk.kind]
    walk.at = walk.place + LEAF_BYTES + walk.index * walk.bytes


@unit
def _visit_primitive(walk, words, floats):
    """A triangle is tested, an instance entered, a box offered."""
    place = word_at(walk, walk.at)
    if walk.index > 0 and not counts_visit(walk):
        return
    if walk.kind == TRIANGLE_LEAF:
        _visit_triangle(walk, words, floats, place)
    elif walk.kind == INSTANCE_LEAF:
        _enter_instance(walk, words, floats, place)
    else:
        _visit_box(walk, floats, place)


@unit
def _visit_triangle(walk, words, floats, place):
    """Test a triangle."""
    if walk.flags & NO_TRIANGLES == 0:
        walk.triangles = walk.triangles + 1
        if hits_triangle(walk.ray, floats, place):
            if walk.instance_flags & FLIPPED != 0:
                walk.ray.back = 1 - walk.ray.back
            opaque = _is_opaque(walk, np.int64(words[place + TRIANGLE_FLAGS]))
            if _counts(walk, opaque) and is_better(walk, walk.ray.t):
                if opaque:
                    _commit(walk, walk.ray.t)
                    if walk.state == DONE:
                        return
                else:
                    _offer(walk)
                    return
    _next_primitive(walk)


@unit
def _is_opaque(walk, flags):
    """Whether a triangle counts without a program's word."""
    opaque = flags & OPAQUE != 0
    if walk.instance_flags & FORCE_OPAQUE != 0:
        opaque = True
    if walk.instance_flags & FORCE_CLEAR != 0:
        opaque = False
    if walk.flags & ALL_OPAQUE != 0:
        opaque = True
    if walk.flags & NONE_OPAQUE != 0:
        opaque = False
    return opaque


@unit
def _counts(walk, opaque):
    """Whether the ray takes part in what it has hit, by its flags."""
    if walk.instance_flags & NO_CULLING == 0:
        if walk.flags & CULL_BACK != 0 and walk.ray.back != 0:
            return False
        if walk.flags & CULL_FRONT != 0 and walk.ray.back == 0:
            return False
    return walk.flags & (CULL_OPAQUE if opaque else CULL_CLEAR) == 0


@unit
def _visit_box(walk, floats, place):
    """A program is asked about what is in a box."""
    if walk.flags & NO_BOXES == 0:
        walk.boxes = walk.boxes + 1
        ray = walk.ray
        if meets_box(ray, floats[place], floats[place + 1], floats[place + 2],
                     floats[place + 3], floats[place + 4], floats[place + 5]) and ray.near <= walk.t:  # fmt: skip
            ray.t, ray.u, ray.v, ray.back = ray.near, ZERO, ZERO, 0
            _offer(walk)
            return
    _next_primitive(walk)


@unit
def _offer(walk):
    """What was met last is a candidate."""
    ray = walk.ray
    walk.candidate_t, walk.candidate_u, walk.candidate_v, walk.candidate_back = ray.t, ray.u, ray.v, ray.back
    walk.state = CANDIDATE


@unit
def resume(walk, action, t):
    """A program has decided about a candidate: ACCEPT, IGNORE or TERMINATE. t: where it was hit, for what is in a box."""
    if walk.state != CANDIDATE:
        return
    walk.state = TREE
    if action == ACCEPT or action == TERMINATE:
        where = walk.candidate_t if walk.kind == TRIANGLE_LEAF else t
        walk.ray.u, walk.ray.v, walk.ray.back = walk.candidate_u, walk.candidate_v, walk.candidate_back
        if where >= walk.world.tmin and where <= walk.world.tmax and is_better(walk, where):
            _commit(walk, where)
            if action == TERMINATE:
                walk.state = DONE
    if walk.state == TREE:
        _next_primitive(walk)


@unit
def is_better(walk, t):
    """Whether a hit at t replaces the closest so far: of two at the same t the lower numbers win."""
    if walk.hit == 0 or t < walk.t:
        return True
    if t > walk.t or walk.instance > walk.hit_instance:
        return False
    if walk.instance < walk.hit_instance or walk.geometry < walk.hit_geometry:
        return True
    return walk.geometry == walk.hit_geometry and walk.first + walk.index < walk.hit_primitive


@unit
def _commit(walk, t):
    """The closest hit so far."""
    walk.hit, walk.hit_kind = 1, walk.kind
    walk.t, walk.u, walk.v, walk.hit_back = t, walk.ray.u, walk.ray.v, walk.ray.back
    walk.hit_primitive, walk.hit_geometry = walk.first + walk.index, walk.geometry
    walk.hit_instance, walk.hit_custom = walk.instance, walk.custom
    if walk.flags & FIRST_HIT != 0:
        walk.state = DONE


@unit
def _enter_instance(walk, words, floats, place):
    """On with the tree of an instance, and with the ray in its space. An instance in an instance does not exist."""
    mask = np.int64(words[place + I_MASK])
    if walk.level + 1 == walk.replay:
        walk.replay = 0
        pop(walk)
        return
    if walk.instance_level != NOWHERE:
        fail(walk, NOT_A_NODE)
        return
    if mask & 255 & walk.mask == 0:
        pop(walk)
        return
    walk.instances = walk.instances + 1
    walk.instance_level = walk.level
    walk.instance, walk.custom = np.int64(words[place + I_NUMBER]), np.int64(words[place + I_CUSTOM])
    walk.instance_flags = (mask >> 8) & 255
    into_instance(walk.ray, walk.world, floats, place)
    walk.trail[walk.level] = 0
    go_to(walk, np.int64(words[place + I_ROOT]), walk.level + 1)


@unit
def into_instance(ray, world, floats, place):
    """A ray of the world in the space of an instance, whose 3 x 4 matrix begins at floats[place]. t stays the same."""
    for row in range(AXES):
        origin, direction = floats[place + 4 * row + 3], ZERO
        for column in range(AXES):
            factor = floats[place + 4 * row + column]
            origin = np.float32(origin + np.float32(factor * world.origin[column]))
            direction = np.float32(direction + np.float32(factor * world.direction[column]))
        ray.origin[row], ray.direction[row] = origin, direction
    ray.tmin, ray.tmax = world.tmin, world.tmax
    prepare(ray)
