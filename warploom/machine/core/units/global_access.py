"""Access to the device's memory: global and local memory, and constants.

In hardware: address generation, the check of an address against memory or its view, and the coalescer. The values move here, at issue; the
transactions are what the access takes of the load/store unit.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import CONSTANT_SPACE, DST, LOCAL_SPACE, NONE, NUMBER, OP, SIZE, SPACE, WIDE
from warploom.machine.accounting.reasons import SECTORS_NEEDED
from warploom.machine.core.load_store.atomic import FADD, merges
from warploom.machine.core.load_store.atomic_turns import count_turns
from warploom.machine.core.load_store.bundle_transactions import collect, collect_halves, note_written_bytes
from warploom.machine.core.load_store.cache_banks import note_lookups
from warploom.machine.core.load_store.coalescer import sectors_needed
from warploom.machine.core.load_store.lane_access import addresses, atomic, load, store
from warploom.machine.core.load_store.wide_access import AT_PLACES, IN_TABLES, is_wide
from warploom.machine.datapath.predicate import LOAD_SCALAR, STORE_SCALAR
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import inlined, out_of_line, unit
from warploom.machine.memory.transactions import ATOMIC, REDUCTION, STORE, SUM

LOAD_OP, STORE_OP = NUMBER["load"], NUMBER["store"]


@inlined
def access_global(gpu, core, warp, pc, tables, units, k, now):
    """Micro-op `k` accesses memory: its addresses, its values, its transactions. What is wrong with it is in `core.access`."""
    core.bundle.moved = k
    _find_addresses(gpu, core, warp, tables, units, k, now)
    if core.access.fault != 0:
        return
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    _move_values(core, warp, tables, units, k)
    if tables.uops[k, OP] != LOAD_OP:
        _note_kind(core, warp, tables, k)
    if tables.uops[k, SPACE] != CONSTANT_SPACE and core.access.scratchpad == 0:
        _add_transactions(core, warp, tables, k)
        tables.profile[pc, SECTORS_NEEDED] += sectors_needed(popcount(core.bundle.part) * tables.uops[k, SIZE], core.lsu.sector_shift)


@inlined
def _find_addresses(gpu, core, warp, tables, units, k, now):
    """The lanes' addresses, checked, and where they lie: `core.access`. A program with several spaces has them translated."""
    if core.spaces.used == 0:
        plain_addresses(core.access, core.registers[warp], tables, k, core.warps.lanes, gpu.memory_bytes)
    else:
        core.access.fault = units.translate(gpu, core, warp, tables, k, now)
        core.bundle.bypass |= 1 - core.access.cached


@out_of_line
def plain_addresses(access, registers, tables, k, lanes, space_bytes):
    """`addresses`, of a memory that begins at address 0. A separate function, like `_move`: what prepares its loops stays in it."""
    return addresses(access, registers, tables, k, lanes, space_bytes)


@inlined
def _move_values(core, warp, tables, units, k):
    """The values of an access go from memory to registers, or the other way."""
    if core.has_wide != 0 and is_wide(tables.uops, k):
        units.wide(core, warp, tables, k, IN_TABLES if core.spaces.used == 0 else AT_PLACES)
    else:
        _move(core, core.registers[warp], tables, k, core.warps.lanes)


@out_of_line
def _move(core, registers, tables, k, lanes):
    """Move the values of an access of words or less."""
    op = tables.uops[k, OP]
    row = core.access.address
    if core.spaces.used != 0:
        row = core.access.place
    if op == LOAD_OP:
        load(core.access, row, registers, tables, k, lanes, tables.memory)
    elif op == STORE_OP:
        store(core.access, row, registers, tables, k, lanes, tables.memory)
    else:
        atomic(core.access, row, registers, tables, k, lanes, tables.memory)


@unit
def _note_kind(core, warp, tables, k):
    """The state of the bundle after an access."""
    bundle = core.bundle
    op = tables.uops[k, OP]
    if op == LOAD_SCALAR:
        return
    if op == STORE_OP or op == STORE_SCALAR:
        bundle.kind = STORE
        return
    bundle.kind = REDUCTION if core.drains_sent != 0 and tables.uops[k, DST] == NONE else ATOMIC


@inlined
def _add_transactions(core, warp, tables, k):
    """The coalescer makes transactions of the lanes' addresses, after those of the bundle's earlier micro-ops."""
    bundle, lsu = core.bundle, core.lsu
    registers = core.registers[warp]
    lanes = core.warps.lanes
    size = np.int64(tables.uops[k, SIZE])
    before = np.int64(bundle.transactions)
    if core.has_wide != 0 and size == WIDE and tables.uops[k, SPACE] == LOCAL_SPACE:
        bundle.transactions = collect_halves(core, registers.active, lanes, bundle.kind, before)
        return
    after = collect(core, registers, tables, k, lanes, before)
    if bundle.kind == STORE and lsu.tracks_bytes != 0:
        note_written_bytes(core, registers, size, lanes, before, after)
    if lsu.in_banks != 0:
        note_lookups(lsu, core.access, core.access.address, registers.active, size, lanes, before, after)
    if bundle.kind >= ATOMIC:
        op = tables.uops[k, OP]
        at_once = np.int64(core.atomic_lanes) if merges(op) else np.int64(1)
        count_turns(lsu, core.access, registers.active, lanes, before, after, at_once, SUM if op == FADD else 0)
    bundle.transactions = after
