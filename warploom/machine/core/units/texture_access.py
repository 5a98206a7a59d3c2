"""Access to a texture: what a sample does at issue.

In hardware: the texture unit works out which texels a lane needs, fetches them through its own cache, and filters them. The values are
computed here, at issue; the texels' addresses become transactions of the texture unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import IMM, VIEW
from warploom.isa.views import FIXED_WORDS, VIEW_FORMAT
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.reasons import SECTORS_NEEDED
from warploom.machine.core.load_store.address_space import place_of
from warploom.machine.core.load_store.bundle_transactions import append
from warploom.machine.core.load_store.coalescer import sectors_needed
from warploom.machine.core.load_store.lsu import SLOTS, full, set_lookup
from warploom.machine.core.texture.fixed_sampler import PLACES, filter_fixed, locate_fixed, texel_shift
from warploom.machine.core.texture.formats import TEXEL_BYTES
from warploom.machine.core.texture.sampler import sample
from warploom.machine.engine.bits import lowest, popcount
from warploom.machine.engine.unit import FOREVER, inlined, unit
from warploom.machine.memory import cache as caches
from warploom.machine.memory import mshr as mshrs

UNMAPPED, MISALIGNED = FAULT_NUMBER["unmapped"], FAULT_NUMBER["misaligned"]


@inlined
def access_texture(core, warp, pc, tables, units, k):
    """Micro-op `k` samples. What is wrong with it is in `core.access`."""
    core.bundle.transactions = units.sampler(core, warp, tables, k, core.bundle.transactions)
    tables.profile[pc, SECTORS_NEEDED] += sectors_needed(popcount(core.bundle.part) * 4, core.texture.sector_shift)


@unit
def sample_texture(core, warp, tables, k, transactions):
    """Sample a texture; the texels' addresses become transactions of the texture unit, appended to the ones that are there.

    Returns how many there are now.
    """
    registers = core.registers[warp]
    lanes = core.warps.lanes
    texels = core.texels
    size = np.int64(TEXEL_BYTES[tables.views[tables.uops[k, VIEW], VIEW_FORMAT]])
    rows = sample(registers, tables.uops, k, lanes, tables.memory, tables.views, tables.samplers, texels)
    return _send_texels(core, rows, size, lanes, transactions)


@unit
def _send_texels(core, rows, size, lanes, transactions):
    """The addresses in `texels`, so many rows of them, become transactions of the texture unit."""
    texels = core.texels
    core.lane_slots.rows = rows
    row = core.access.address
    for texel in range(rows):
        for lane in range(lanes):
            address = texels.address[texel, lane]
            row[lane] = np.uint32(max(address, np.int64(0)))
            core.access.active[lane] = np.uint32(0 if address < 0 else 0xFFFFFFFF)
        transactions = append(core.texture, row, core.access.active, size, lanes, transactions)
    return np.int64(transactions)


@unit
def sample_fixed_texture(core, warp, tables, k, transactions):
    """`sample_texture` of a fixed-point unit, whose registers lie in memory; a texel where there is none is a fault."""
    registers = core.registers[warp]
    lanes = core.warps.lanes
    texels = core.texels
    access = core.access
    at = np.int64(tables.uops[k, IMM]) & 0xFFFFFFFF
    place = place_of(core, tables, at, np.int64(4 * FIXED_WORDS))
    if place < 0:
        access.fault, access.lane, access.value, access.limit = UNMAPPED, lowest(core.warps.mask[warp]), at, 0
        return np.int64(transactions)
    block = place >> 2
    rows = locate_fixed(registers, tables.uops, k, lanes, tables.memory, block, texels)
    size = np.int64(1) << texel_shift(tables.memory, block)
    for texel in range(rows):
        for lane in range(lanes):
            address = texels.address[texel, lane]
            if address < 0:
                continue
            place = place_of(core, tables, address, size)
            texels.address[PLACES + texel, lane] = place
            if place < 0:
                access.fault, access.lane, access.value, access.limit = UNMAPPED, lane, address, 0
                return np.int64(transactions)
            if address & (size - 1) != 0:
                access.fault, access.lane, access.value, access.limit = MISALIGNED, lane, address, size
                return np.int64(transactions)
    filter_fixed(registers, tables.uops, k, lanes, tables.memory, block, texels, rows)
    return _send_texels(core, rows, size, lanes, transactions)


@unit
def no_texture(core, warp, tables, k, transactions):
    """Stands in for `sample_texture` in a program that samples no texture."""
    return np.int64(transactions)


@inlined
def texture_accepts(port, core, now):
    """Whether the queue of the texture unit has room."""
    return full(core.texture) == 0


@inlined
def next_free_texture(port, core, now):
    """The next cycle if the queue has room again; else FOREVER."""
    return np.int64(now + 1 if full(core.texture) == 0 else FOREVER)


@inlined
def step_texture(gpu, core, tables, units, now):
    """One cycle of the texture unit. Returns the next one, if it has something to do then, or FOREVER."""
    if core.texture.waiting > 0 and units.load_store(gpu, core, core.texture, tables, now) != 0:
        return np.int64(now + 1)
    return np.int64(FOREVER)


def set_up_texture(core: Any, config: Any, program: Any) -> None:
    """The texture units of a core: a load/store unit of their own, set up after that of the core, with a cache of their own."""
    own, unit, lsu = config.texture, core.texture, core.lsu
    unit.texture, unit.capacity, unit.ports, unit.merge = 1, own.queue or config.core.warps, own.ports * max(own.count, 1), 1
    unit.keeps, unit.cached = 1, int(own.bytes > 0)
    unit.line_shift, unit.sector_shift = lsu.line_shift, lsu.sector_shift
    unit.tracks_bytes, unit.store_limit = lsu.tracks_bytes, lsu.store_limit
    mshrs.configure(unit.misses, own.mshrs, 0)
    if unit.cached:
        sets, sector, line = own.bytes // (config.l1.line * own.ways), int(unit.sector_shift), int(unit.line_shift)
        caches.configure(unit.cache, sets, own.ways, "fifo", 3, sector_shift=sector, set_hash=own.hash, line_shift=line)
    if own.slots == "lane":
        unit.keeps = 0
        unit.capacity, core.lane_slots.capacity = SLOTS, int(unit.capacity) * config.core.lanes
    set_lookup(unit, own.latency, config)
