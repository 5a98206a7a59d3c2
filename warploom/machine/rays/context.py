# mypy: disable-error-code="no-untyped-def"
"""The RAM of a ray unit: what is kept of each ray between two steps of its walk.

In hardware: the datapath that makes a step is one, the rays are many. A step reads a ray's context, changes it, and writes it back; what is
computed of a ray once (`machine/rays/ray.py`) is computed again here, which is a choice of the model and costs it no cycle.
"""

from __future__ import annotations

from warploom.machine.engine.unit import record, unit
from warploom.machine.rays.ray import AXES, prepare
from warploom.machine.rays.walk import MOST_LEVELS, MOST_STACK

NUMBERS, PLACES = 40, 6  # of a context, before the trail, and before the rays
TRAIL, STACK = NUMBERS, NUMBERS + MOST_LEVELS + 1  # where those begin
INTEGERS = STACK + 3 * MOST_STACK
WORLD, INSIDE, NEAR = PLACES, PLACES + 8, PLACES + 14
FLOATS = NEAR + MOST_STACK
STATE, AT, BYTES, BASE = 0, 1, 2, 33  # numbers that the unit looks at without a step
MOST_CONTEXTS = 64 * 64

Contexts = record(
    rooms={"contexts": MOST_CONTEXTS},
    state=dict(
        integers=("i8", ("contexts", INTEGERS)),
        floats=("f4", ("contexts", FLOATS)),
    ),
)  # fmt: skip


@unit
def keep(walk, contexts, row):
    """Write a walk into its context."""
    kept, floats = contexts.integers, contexts.floats
    kept[row, 0] = walk.state
    kept[row, 1] = walk.at
    kept[row, 2] = walk.bytes
    kept[row, 3] = walk.width
    kept[row, 4] = walk.root
    kept[row, 5] = walk.place
    kept[row, 6] = walk.leaf
    kept[row, 7] = walk.level
    kept[row, 8] = walk.index
    kept[row, 9] = walk.count
    kept[row, 10] = walk.kind
    kept[row, 11] = walk.geometry
    kept[row, 12] = walk.leaf_flags
    kept[row, 13] = walk.first
    kept[row, 14] = walk.instance_level
    kept[row, 15] = walk.instance
    kept[row, 16] = walk.custom
    kept[row, 17] = walk.instance_flags
    kept[row, 18] = walk.replay
    kept[row, 19] = walk.used
    kept[row, 20] = walk.top
    kept[row, 21] = walk.forgotten
    kept[row, 22] = walk.hit
    kept[row, 23] = walk.hit_primitive
    kept[row, 24] = walk.hit_geometry
    kept[row, 25] = walk.hit_instance
    kept[row, 26] = walk.hit_custom
    kept[row, 27] = walk.hit_back
    kept[row, 28] = walk.hit_kind
    kept[row, 29] = walk.visits
    kept[row, 30] = walk.most
    kept[row, 31] = walk.fault
    kept[row, 32] = walk.fault_address
    kept[row, 33] = walk.base
    kept[row, 34] = walk.flags
    kept[row, 35] = walk.mask
    kept[row, 36] = walk.begin
    kept[row, 37] = walk.end
    kept[row, 38] = walk.move
    kept[row, 39] = walk.candidate_back
    floats[row, 0] = walk.t
    floats[row, 1] = walk.u
    floats[row, 2] = walk.v
    floats[row, 3], floats[row, 4], floats[row, 5] = walk.candidate_t, walk.candidate_u, walk.candidate_v
    for level in range(max(walk.level, walk.replay) + 1):
        kept[row, TRAIL + level] = walk.trail[level]
    for place in range(walk.stack):
        kept[row, STACK + 3 * place] = walk.stack_place[place]
        kept[row, STACK + 3 * place + 1] = walk.stack_level[place]
        kept[row, STACK + 3 * place + 2] = walk.stack_rank[place]
        floats[row, NEAR + place] = walk.stack_near[place]
    for axis in range(AXES):
        floats[row, WORLD + axis], floats[row, WORLD + AXES + axis] = walk.world.origin[axis], walk.world.direction[axis]
        floats[row, INSIDE + axis], floats[row, INSIDE + AXES + axis] = walk.ray.origin[axis], walk.ray.direction[axis]
    floats[row, WORLD + 6], floats[row, WORLD + 7] = walk.world.tmin, walk.world.tmax


@unit
def take_up(walk, contexts, row):
    """Read a walk from its context."""
    kept, floats = contexts.integers, contexts.floats
    walk.state = kept[row, 0]
    walk.at = kept[row, 1]
    walk.bytes = kept[row, 2]
    walk.width = kept[row, 3]
    walk.root = kept[row, 4]
    walk.place = kept[row, 5]
    walk.leaf = kept[row, 6]
    walk.level = kept[row, 7]
    walk.index = kept[row, 8]
    walk.count = kept[row, 9]
    walk.kind = kept[row, 10]
    walk.geometry = kept[row, 11]
    walk.leaf_flags = kept[row, 12]
    walk.first = kept[row, 13]
    walk.instance_level = kept[row, 14]
    walk.instance = kept[row, 15]
    walk.custom = kept[row, 16]
    walk.instance_flags = kept[row, 17]
    walk.replay = kept[row, 18]
    walk.used = kept[row, 19]
    walk.top = kept[row, 20]
    walk.forgotten = kept[row, 21]
    walk.hit = kept[row, 22]
    walk.hit_primitive = kept[row, 23]
    walk.hit_geometry = kept[row, 24]
    walk.hit_instance = kept[row, 25]
    walk.hit_custom = kept[row, 26]
    walk.hit_back = kept[row, 27]
    walk.hit_kind = kept[row, 28]
    walk.visits = kept[row, 29]
    walk.most = kept[row, 30]
    walk.fault = kept[row, 31]
    walk.fault_address = kept[row, 32]
    walk.base = kept[row, 33]
    walk.flags = kept[row, 34]
    walk.mask = kept[row, 35]
    walk.begin = kept[row, 36]
    walk.end = kept[row, 37]
    walk.move = kept[row, 38]
    walk.candidate_back = kept[row, 39]
    walk.t = floats[row, 0]
    walk.u = floats[row, 1]
    walk.v = floats[row, 2]
    walk.candidate_t, walk.candidate_u, walk.candidate_v = floats[row, 3], floats[row, 4], floats[row, 5]
    for level in range(max(walk.level, walk.replay) + 1):
        walk.trail[level] = kept[row, TRAIL + level]
    for place in range(walk.stack):
        walk.stack_place[place] = kept[row, STACK + 3 * place]
        walk.stack_level[place] = kept[row, STACK + 3 * place + 1]
        walk.stack_rank[place] = kept[row, STACK + 3 * place + 2]
        walk.stack_near[place] = floats[row, NEAR + place]
    for axis in range(AXES):
        walk.world.origin[axis], walk.world.direction[axis] = floats[row, WORLD + axis], floats[row, WORLD + AXES + axis]
        walk.ray.origin[axis], walk.ray.direction[axis] = floats[row, INSIDE + axis], floats[row, INSIDE + AXES + axis]
    walk.world.tmin, walk.world.tmax = floats[row, WORLD + 6], floats[row, WORLD + 7]
    walk.ray.tmin, walk.ray.tmax = walk.world.tmin, walk.world.tmax
    prepare(walk.world)
    prepare(walk.ray)
