"""Pixels: what fragments do to memory in the output merger.

The merger alone changes a pixel, one fragment after the other, so fragments of different threads need nothing that orders them: they are
atomic accesses, of the pixel's colour and of its depth and stencil. A load or store of a pixel beside them is a race.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.accesses import check_atomics
from warploom.isa.uop import A
from warploom.machine.core.load_store.address_space import place_of
from warploom.machine.core.units.merger_access import color_address, depth_address
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import bit, has
from warploom.machine.engine.unit import out_of_line
from warploom.machine.merger.fragment import reads_depth_stencil

BYTES = 4  # of a pixel's word


@out_of_line
def check_fragments(gpu, core, warp, pc, part, tables, k, now, time):
    """Look at the pixels of the fragments of lanes `part`, before the merger changes them. What has no memory is a fault elsewhere."""
    registers, lanes = core.registers[warp], core.warps.lanes
    places = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    for buffer in range(2):
        there = part & ~part
        for lane in range(lanes):
            where = np.int64(places[lane])
            if not has(part, lane) or (buffer == 0 and not reads_depth_stencil(gpu.merging, where & 1)):
                continue
            if buffer == 1 and gpu.merging.color_write == 0:
                continue
            address = np.int64(depth_address(gpu.target, where) if buffer == 0 else color_address(gpu.target, where))
            place = place_of(core, tables, address, np.int64(BYTES))
            if place >= 0 and address & 3 == 0:
                there = there | bit(lane)
                core.access.address[lane] = address
                core.access.place[lane] = place
        check_atomics(gpu, core, warp, pc, there, tables, k, now, time, np.int64(BYTES))
