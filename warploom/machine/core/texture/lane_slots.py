"""Sampler slots of single lanes: a sample is held lane by lane, and each lane gives its place back when its own texels are there.

In hardware: a table with an entry a lane instead of one a warp. A sample issues when there are places for all lanes that take part, so one
under a mask takes fewer; and lanes whose texels lie in lines that are there make room for the next sample while the others wait. It
costs a comparator for each entry, because a line that arrives has to find the lanes that want it.

Source: the sampler of aschrein/guppy. Texture units of GPUs are described as holding whole instructions (`texture.slots=instruction`).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.texture.sampler import TEXELS
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, popcount, rest
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import inlined, out_of_line, record, unit

MAX_SLOTS = MAX_WARPS * MAX_LANES
NONE = -1

LaneSlots = record(
    settings=dict(
        capacity="i8",                           # lanes that the unit holds; 0: it holds instructions
    ),
    state=dict(
        rows="i8",                               # texels per lane of the sample that is being issued
        held="i8",                               # lanes held: entries 0 to held - 1
        access=("i4", MAX_SLOTS),                # by entry: whose sample it is
        left=("i4", MAX_SLOTS),                  # by entry: texels that are not there
        line=("i8", (MAX_SLOTS, TEXELS)),        # by entry and texel: its line; NONE if it is there
    ),
)  # fmt: skip


@out_of_line
def warps_without_slots(core, warps_asking):
    """Those of some warps, a mask, that want to sample with more lanes than there are places."""
    free = core.lane_slots.capacity - core.lane_slots.held
    found = EMPTY
    left = warps_asking
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if popcount(core.warps.mask[warp]) > free:
            found |= bit(warp)
    return found


@out_of_line
def hold_lanes(core, access, mask, line_shift):
    """A sample was issued: every lane that takes part has a place, until its texels are there."""
    slots = core.lane_slots
    for lane in range(core.warps.lanes):
        if has(mask, lane):
            entry = np.int64(slots.held)
            slots.access[entry] = access
            slots.left[entry] = 0
            for texel in range(TEXELS):
                wanted = texel < slots.rows and core.texels.address[texel, lane] >= 0
                slots.line[entry, texel] = core.texels.address[texel, lane] >> line_shift if wanted else NONE
                slots.left[entry] += 1 if wanted else 0
            if slots.left[entry] > 0:
                slots.held = entry + 1


@inlined
def serve_lanes(gpu, core, access, line, now):
    """A line is there for a sample: lanes that have all of their texels give their places back."""
    if core.lane_slots.capacity != 0:
        _serve(gpu, core, access, line, now)


@unit
def _serve(gpu, core, access, line, now):
    slots = core.lane_slots
    for entry in range(np.int64(slots.held) - 1, -1, -1):
        if slots.access[entry] != access:
            continue
        for texel in range(TEXELS):
            if slots.line[entry, texel] == line:
                slots.line[entry, texel] = NONE
                slots.left[entry] -= 1
        if slots.left[entry] == 0:
            _give_back(slots, entry)
            gpu.wake[core.number] = min(np.int64(gpu.wake[core.number]), np.int64(now + 1))


@unit
def _give_back(slots, entry):
    """A place is free: the last entry moves there."""
    last = np.int64(slots.held) - 1
    slots.held = last
    slots.access[entry] = slots.access[last]
    slots.left[entry] = slots.left[last]
    for texel in range(TEXELS):
        slots.line[entry, texel] = slots.line[last, texel]
