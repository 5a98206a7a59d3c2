"""Access to an image: texels that a kernel writes.

In hardware: a store whose address the texture unit's tables make of two coordinates. What lies outside of the image is dropped.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER, VIEW, A, B
from warploom.isa.views import VIEW_BASE, VIEW_HEIGHT, VIEW_PITCH, VIEW_WIDTH
from warploom.machine.accounting.reasons import SECTORS_NEEDED
from warploom.machine.core.load_store.bundle_transactions import append
from warploom.machine.core.load_store.cache_banks import note_scattered
from warploom.machine.core.load_store.coalescer import sectors_needed
from warploom.machine.core.load_store.lsu import free_slot
from warploom.machine.core.load_store.written_bytes import mark_written
from warploom.machine.core.texture.sampler import store_image
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.unit import out_of_line, unit
from warploom.machine.memory.transactions import STORE

STORE_IMAGE = NUMBER["store_image"]
TEXEL = 4  # bytes of an image's


@out_of_line
def store_texels(core, warp, pc, tables, k):
    """Micro-op `k` writes texels; those of lanes inside the image become transactions after the ones that are there."""
    access, lsu, bundle = core.access, core.lsu, core.bundle
    registers, lanes = core.registers[warp], core.warps.lanes
    going = _locate(access, registers, tables, k, lanes)
    store_image(registers, tables.uops, k, lanes, tables.memory, tables.views)
    access.changed = 1
    access.scratchpad = 0
    bundle.kind = STORE
    before = np.int64(bundle.transactions)
    after = append(lsu, access.address, access.active, np.int64(TEXEL), lanes, before)
    if lsu.tracks_bytes != 0:
        mark_written(lsu, free_slot(lsu), access.address, access.active, np.int64(TEXEL), lanes, before, after)
    if lsu.in_banks != 0:
        note_scattered(lsu, access.address, access.active, np.int64(TEXEL), lanes, before, after)
    bundle.transactions = after
    tables.profile[pc, SECTORS_NEEDED] += sectors_needed(going * TEXEL, lsu.sector_shift)


@unit
def _locate(access, registers, tables, k, lanes):
    """Where each lane's texel lies: `access.address`, and whether it has one: `access.active`. Returns how many have."""
    columns = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    rows = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
    view = np.int64(tables.uops[k, VIEW])
    pitch = np.int64(tables.views[view, VIEW_PITCH])
    going = np.int64(0)
    for lane in range(lanes):
        x = np.int64(columns[lane])
        y = np.int64(rows[lane])
        inside = registers.active[lane] != 0 and x < tables.views[view, VIEW_WIDTH] and y < tables.views[view, VIEW_HEIGHT]
        access.address[lane] = np.uint32(np.int64(tables.views[view, VIEW_BASE]) + y * pitch + x * TEXEL if inside else 0)
        access.active[lane] = np.uint32(0xFFFFFFFF if inside else 0)
        going += 1 if inside else 0
    return going
