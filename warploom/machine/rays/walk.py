"""The walk of a ray through a tree of boxes, a step at a time: a node, or one primitive of a leaf.

In hardware: a context for each ray, which says where it reads next. A step takes those bytes, tests the boxes of a node or a primitive, and
says where to read then: the nearest child first, the others onto a *short stack*, nearest on top. A stack that is full forgets its lowest
entry. When it is empty and has forgotten something, the walk begins anew at the root and follows the *trail*: of every node on the way
down, which of its children, in order of distance, it was in. What lies beyond on the way goes onto the stack again, so no hit is lost.
Source: Laine, "Restart Trail for Stackless BVH Traversal", HPG 2010; Vortex of 2026 keeps 16 entries and such a trail.

The order of the children is that of the whole ray, whatever has been hit meanwhile: so a number in the trail means the same child later.
The closest hit is the one with the least t; of several with the same t that of the lowest instance, geometry, primitive. A node that is
entered at the t of the closest hit is still visited. So the result does not depend on the tree.

A tree that is damaged ends in a fault: a place without memory, a kind that does not exist, too many levels, more visits than nodes.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import record, unit
from warploom.machine.rays.box import meets_box
from warploom.machine.rays.layout import (
    CHILDREN,
    CORNER,
    COUNT_SHIFT,
    EXPONENTS,
    LEAF_FLAG,
    MOST_WIDTH,
    NODE,
    PLACE,
    S_KIND,
    S_LEAVES,
    S_NODES,
    S_ROOT,
    SCALES,
    SCENE_BYTES,
    TRIANGLES,
    exponent_of,
    node_bytes,
    width_of,
)
from warploom.machine.rays.ray import Ray, copy_ray, is_finite

MOST_LEVELS = 64
MOST_STACK = 32
MOST_VISITS = 1 << 24
SCENE, TREE, CANDIDATE, DONE, FAULT = range(5)  # of a walk
UNMAPPED, NOT_A_SCENE, NOT_A_NODE, TOO_DEEP, ENDLESS = range(1, 6)  # faults
FAULTS = (
    "", "leads to a place without memory", "the scene has a kind that does not exist", "a node or leaf has a kind that does not exist",
    f"has more than {MOST_LEVELS} levels", "has more to visit than nodes and leaves",
)  # fmt: skip
NOWHERE = -1

Walk = record(
    settings=dict(
        stack="i8",                         # entries of the short stack: 1 to MOST_STACK
    ),
    launch=dict(
        begin="i8",                         # the first address of the memory that the scene lies in
        end="i8",                           # ... and the first one beyond
        move="i8",                          # what is added to an address for its place in the host's memory
    ),
    inputs=dict(
        base="i8",                          # address of the scene
        flags="i8",                         # of the ray: leaf.py
        mask="i8",                          # instances with none of these bits are left out
    ),
    state=dict(
        world=Ray,                          # the ray
        ray=Ray,                            # ... in the space of the tree that is walked
        state="i8",                         # SCENE ...
        at="i8",                            # what is read next: bytes from the scene's beginning
        bytes="i8",
        width="i8",                         # children of a node
        root="i8",                          # place, with LEAF_FLAG
        place="i8",                         # node or leaf that is visited
        leaf="i8",                          # 1: it is a leaf
        level="i8",                         # levels above it
        index="i8",                         # primitive of the leaf; NOWHERE: its header comes first
        count="i8",                         # primitives of the leaf
        kind="i8",                          # and its header
        geometry="i8",
        leaf_flags="i8",
        first="i8",
        instance_level="i8",                # level of the instance that the walk is in; NOWHERE: in none
        instance="i8",                      # its number
        custom="i8",
        instance_flags="i8",
        trail=("i8", MOST_LEVELS + 1),      # by level: which child of the node there the walk is in, in order of distance
        replay="i8",                        # levels of the trail that are followed
        used="i8",                          # entries of the stack
        top="i8",                           # where the next one goes
        forgotten="i8",                     # 1: entries have been dropped
        stack_place=("i8", MOST_STACK),
        stack_level=("i8", MOST_STACK),     # of the node that it is a child of
        stack_rank=("i8", MOST_STACK),
        stack_near=("f4", MOST_STACK),
        found="i8",                         # children of the node that the ray meets
        found_slot=("i8", MOST_WIDTH),      # nearest first
        found_near=("f4", MOST_WIDTH),
        hit="i8",                           # 1: something was hit; the closest:
        t="f4",
        u="f4",
        v="f4",
        hit_primitive="i8",
        hit_geometry="i8",
        hit_instance="i8",
        hit_custom="i8",
        hit_back="i8",
        hit_kind="i8",
        candidate_t="f4",                   # what a program decides about: where, and the weights of corners 1 and 2
        candidate_u="f4",
        candidate_v="f4",
        candidate_back="i8",
        visits="i8",                        # nodes, leaves and primitives, each once
        most="i8",                          # ... of which there are so many
        fault="i8",
        fault_address="i8",
    ),
    counters=dict(
        nodes="i8",                         # nodes visited
        again="i8",                         # ... of these, on the way back down after a restart
        boxes="i8",                         # boxes tested
        leaves="i8",
        triangles="i8",                     # triangles tested
        instances="i8",                     # instances entered
        restarts="i8",
        deepest="i8",                       # levels
    ),
)  # fmt: skip


@unit
def begin(walk):
    """Begin a walk: walk.world is prepared, base, flags and mask are written."""
    copy_ray(walk.ray, walk.world)
    walk.state, walk.at, walk.bytes = SCENE, 0, SCENE_BYTES
    walk.level, walk.replay, walk.index = 0, 0, NOWHERE
    walk.instance_level, walk.instance, walk.custom, walk.instance_flags = NOWHERE, 0, 0, 0
    walk.used, walk.top, walk.forgotten = 0, 0, 0
    walk.hit, walk.t = 0, walk.world.tmax
    walk.visits, walk.most, walk.fault = 0, 0, 0
    if not is_finite(walk.world):
        walk.state = DONE


@unit
def word_at(walk, at):
    """The index in memory of the word at a byte of the scene."""
    return (walk.base + at + walk.move) >> 2


@unit
def is_there(walk):
    """Whether memory has what the walk reads next; else it ends in a fault."""
    start = walk.base + walk.at
    if start & 3 == 0 and start >= walk.begin and start + walk.bytes <= walk.end:
        return True
    fail(walk, UNMAPPED)
    return False


@unit
def fail(walk, why):
    """The walk ends in a fault."""
    walk.state, walk.fault, walk.fault_address = FAULT, why, walk.base + walk.at


@unit
def read_scene(walk, words):
    """The head of the scene is there."""
    first = word_at(walk, 0)
    kind = np.int64(words[first + S_KIND])
    walk.width = width_of(kind)
    if walk.width == 0:
        fail(walk, NOT_A_SCENE)
        return
    walk.most = min(np.int64(words[first + S_NODES]) + np.int64(words[first + S_LEAVES]), MOST_VISITS)
    walk.root = np.int64(words[first + S_ROOT])
    if kind & 255 == TRIANGLES:
        walk.root = walk.root | LEAF_FLAG
    walk.state = TREE
    go_to(walk, walk.root, 0)


@unit
def go_to(walk, place, level):
    """Visit a node or a leaf next. place: with LEAF_FLAG."""
    walk.place, walk.level = place & PLACE, level
    walk.leaf = 1 if place & LEAF_FLAG != 0 else 0
    walk.index = NOWHERE
    walk.at = walk.place
    walk.bytes = SCENE_BYTES if walk.leaf != 0 else node_bytes(walk.width)
    walk.deepest = max(walk.deepest, level)
    if level > MOST_LEVELS:
        fail(walk, TOO_DEEP)


@unit
def counts_visit(walk):
    """Count a visit; false, and a fault, where there have been too many."""
    if walk.replay == 0:
        walk.visits = walk.visits + 1
        if walk.visits > walk.most:
            fail(walk, ENDLESS)
            return False
    return True


@unit
def visit_node(walk, words, floats):
    """The boxes of a node are tested; the walk goes into the nearest, and the others go onto the stack."""
    first = word_at(walk, walk.place)
    kind = np.int64(words[first])
    children = (kind >> COUNT_SHIFT) & 255
    if kind & 255 != NODE or children > walk.width:
        fail(walk, NOT_A_NODE)
        return
    if walk.level >= MOST_LEVELS:
        fail(walk, TOO_DEEP)
        return
    if not counts_visit(walk):
        return
    walk.nodes = walk.nodes + 1
    _find_children(walk, words, floats, first, children)
    level, start, last = walk.level, np.int64(0), False
    if level < walk.replay:
        walk.again = walk.again + 1
        start = walk.trail[level]
        last = level + 1 == walk.replay
    elif walk.found > 0 and walk.found_near[0] > walk.t:
        walk.found = 0
    rank = walk.found - 1
    while rank > start:
        if walk.found_near[rank] <= walk.t:
            _push(walk, _child(walk, words, first, rank), level, rank, walk.found_near[rank])
        rank -= 1
    if last or start >= walk.found:
        walk.replay = 0
        pop(walk)
        return
    walk.trail[level] = start
    go_to(walk, _child(walk, words, first, start), level + 1)


@unit
def _child(walk, words, first, rank):
    """The place of a child, by its rank. first: index of the node's first word."""
    return np.int64(words[first + CHILDREN + walk.found_slot[rank]])


@unit
def _find_children(walk, words, floats, first, children):
    """Which children the ray meets, the nearest first; of two at the same distance the one that comes first in the node."""
    exponents = np.int64(words[first + EXPONENTS])
    x, y, z = floats[first + CORNER], floats[first + CORNER + 1], floats[first + CORNER + 2]
    sx, sy, sz = SCALES[exponent_of(exponents, 0)], SCALES[exponent_of(exponents, 1)], SCALES[exponent_of(exponents, 2)]
    corners = first + CHILDREN + walk.width
    walk.found = 0
    for slot in range(children):
        if words[first + CHILDREN + slot] == 0:
            continue
        low, high = 3 * slot, 3 * (walk.width + slot)
        walk.boxes = walk.boxes + 1
        if not meets_box(
            walk.ray,
            plane(x, words, corners, low, sx), plane(y, words, corners, low + 1, sy), plane(z, words, corners, low + 2, sz),
            plane(x, words, corners, high, sx), plane(y, words, corners, high + 1, sy), plane(z, words, corners, high + 2, sz),
        ):  # fmt: skip
            continue
        place = walk.found
        while place > 0 and walk.found_near[place - 1] > walk.ray.near:
            walk.found_near[place], walk.found_slot[place] = walk.found_near[place - 1], walk.found_slot[place - 1]
            place -= 1
        walk.found_near[place], walk.found_slot[place] = walk.ray.near, slot
        walk.found = walk.found + 1


@unit
def plane(corner, words, first, byte, scale):
    """A coordinate of a child's box. byte: which of the bytes that begin at words[first]."""
    quantised = (np.int64(words[first + (byte >> 2)]) >> (8 * (byte & 3))) & 255
    return np.float32(corner + np.float32(np.float32(quantised) * scale))


@unit
def _push(walk, place, level, rank, near):
    """Onto the stack; what lies lowest is forgotten where it is full."""
    top = walk.top
    walk.stack_place[top], walk.stack_level[top], walk.stack_rank[top], walk.stack_near[top] = place, level, rank, near
    walk.top = top + 1 if top + 1 < walk.stack else 0
    if walk.used < walk.stack:
        walk.used = walk.used + 1
    else:
        walk.forgotten = 1


@unit
def pop(walk):
    """What was visited last is done: on with the stack, or from the root anew; or that was all."""
    while walk.used > 0:
        walk.top = walk.top - 1 if walk.top > 0 else walk.stack - 1
        walk.used = walk.used - 1
        top = walk.top
        if walk.stack_near[top] <= walk.t:
            level = walk.stack_level[top]
            leave_instance(walk, level)
            walk.trail[level] = walk.stack_rank[top]
            go_to(walk, walk.stack_place[top], level + 1)
            return
    if walk.forgotten == 0:
        walk.state = DONE
        return
    walk.forgotten, walk.replay = 0, walk.level
    walk.restarts = walk.restarts + 1
    leave_instance(walk, NOWHERE)
    go_to(walk, walk.root, 0)


@unit
def leave_instance(walk, level):
    """The walk goes on below a node of this level: if that is above the instance that it is in, with the ray in the world."""
    if walk.instance_level > level:
        walk.instance_level, walk.instance, walk.custom, walk.instance_flags = NOWHERE, 0, 0, 0
        copy_ray(walk.ray, walk.world)
