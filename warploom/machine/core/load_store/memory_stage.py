# mypy: disable-error-code="no-untyped-def"
"""Memory stage: what a load, store, atomic or sample does at issue.

The lanes' addresses are computed and checked, the values move, and the access goes to the unit that accounts for its
time: shared memory answers after a fixed number of passes, everything else becomes transactions of the load/store unit or
of the texture unit.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import (
    ALU,
    CONSTANT_SPACE,
    COUNT,
    FIRST_UOP,
    IMM,
    LOCAL_SPACE,
    MEMORY,
    NUMBER,
    OP,
    SHARED,
    SIZE,
    SPACE,
    SPECIAL,
    TEXTURE,
    UNIT,
    VIEW,
    WIDE,
    A,
    B,
)
from warploom.isa.views import FIXED_WORDS, VIEW_BASE, VIEW_FORMAT, VIEW_HEIGHT, VIEW_PITCH, VIEW_WIDTH
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.reasons import ACCESSES, LONG_SCOREBOARD, PASSES, SECTORS, SECTORS_NEEDED, SHORT_SCOREBOARD, TRANSACTIONS
from warploom.machine.core.load_store.address_space import place_of
from warploom.machine.core.load_store.atomic import conflicts as atomic_conflicts
from warploom.machine.core.load_store.atomic import merges
from warploom.machine.core.load_store.bundle_transactions import append, collect, collect_halves, note_written_bytes
from warploom.machine.core.load_store.cache_banks import note_lookups, note_scattered
from warploom.machine.core.load_store.coalescer import sectors_needed
from warploom.machine.core.load_store.constant_cache import begin_bundle
from warploom.machine.core.load_store.lane_access import addresses, atomic, load, store
from warploom.machine.core.load_store.lsu import WarpAccess, enqueue, free_slot
from warploom.machine.core.load_store.shared_memory import conflicts as shared_conflicts
from warploom.machine.core.load_store.shared_memory import served_together
from warploom.machine.core.load_store.wide_access import AT_PLACES, IN_SHARED, IN_TABLES, is_wide
from warploom.machine.core.load_store.written_bytes import mark_written
from warploom.machine.core.texture.fixed_sampler import PLACES, filter_fixed, locate_fixed, texel_shift
from warploom.machine.core.texture.formats import TEXEL_BYTES
from warploom.machine.core.texture.lane_slots import hold_lanes
from warploom.machine.core.texture.sampler import sample, store_image
from warploom.machine.core.warps.access_order import count_access
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.datapath.predicate import LOAD_SCALAR, STORE_SCALAR, is_scalar, lanes_of_access
from warploom.machine.datapath.register_file import expand, source
from warploom.machine.engine.bits import EMPTY, lowest, popcount
from warploom.machine.engine.unit import FOREVER, out_of_line, unit
from warploom.machine.memory.transactions import ATOMIC, LOAD, STORE

UNSUPPORTED = FAULT_NUMBER["unsupported"]
UNMAPPED, MISALIGNED = FAULT_NUMBER["unmapped"], FAULT_NUMBER["misaligned"]
LOAD_OP, STORE_OP, STORE_IMAGE = NUMBER["load"], NUMBER["store"], NUMBER["store_image"]
TEXEL = 4  # bytes of an image's


@unit
def access_memory(gpu, core, warp, pc, wanted, tables, units, now):
    """Execute a bundle of the memory, shared or texture unit. Returns 0 or the number of a fault."""
    registers = core.registers[warp]
    lanes = core.warps.lanes
    mask = core.warps.mask[warp]
    part = mask  # the lanes in which the current micro-op does something
    every = EMPTY  # those in which one of the bundle does
    start = np.int64(tables.code[pc, FIRST_UOP])
    kind = np.int64(LOAD)
    transactions = np.int64(0)
    extra = np.int64(0)
    passes = np.int64(0)
    fault = np.int64(0)
    moved = start  # the micro-op that accessed memory last
    bypass = np.int64(0)  # 1: the first-level cache may not keep it
    if core.spaces.used != 0:
        begin_bundle(core.constants)
    core.access.fault = 0
    core.access.changed = 0
    for k in range(start, start + np.int64(tables.code[pc, COUNT])):
        executes = np.int64(tables.uops[k, UNIT])
        if core.has_predicates != 0:
            part = _lanes_of(core, warp, mask, tables, k)
        every |= part
        if core.watched != 0 and ((executes != SHARED and executes != MEMORY) or tables.uops[k, OP] == STORE_IMAGE):
            units.watch(gpu, core, warp, pc, tables, k, now)  # of other accesses when their addresses are known
        if executes == ALU or executes == SPECIAL:
            units.execute(registers, tables, k, lanes)
        elif executes == TEXTURE:
            transactions = units.sampler(core, warp, tables, k, transactions)
            fault = core.access.fault
            tables.profile[pc, SECTORS_NEEDED] += sectors_needed(popcount(part) * 4, core.texture.sector_shift)
        elif executes == SHARED:
            passes += _shared(gpu, core, warp, pc, registers, tables, units, k, lanes, now)
            fault = core.access.fault
        elif executes == MEMORY:
            if tables.uops[k, OP] == STORE_IMAGE:
                transactions = _image(core, pc, registers, tables, k, lanes, transactions)
                kind = np.int64(STORE)
                continue
            moved = np.int64(k)
            if core.spaces.used == 0:
                fault = _addresses(core.access, registers, tables, k, lanes, gpu.memory_bytes)
            else:
                fault = units.translate(gpu, core, warp, tables, k, now)
                bypass |= 1 - core.access.cached
            if fault == 0 and core.watched != 0:
                units.watch(gpu, core, warp, pc, tables, k, now)
            if fault == 0 and core.has_wide != 0 and is_wide(tables.uops, k):
                units.wide(core, warp, tables, k, IN_TABLES if core.spaces.used == 0 else AT_PLACES)
                kind, extra = _kind_of(core, registers, tables, k, lanes, kind, extra)
            elif fault == 0:
                _move(core, registers, tables, k, lanes)
                if tables.uops[k, OP] != LOAD_OP:
                    kind, extra = _kind_of(core, registers, tables, k, lanes, kind, extra)
            if fault == 0 and tables.uops[k, SPACE] != CONSTANT_SPACE and core.access.scratchpad == 0:
                before = transactions
                if core.has_wide != 0 and tables.uops[k, SIZE] == WIDE and tables.uops[k, SPACE] == LOCAL_SPACE:
                    transactions = collect_halves(core, registers.active, lanes, kind, transactions)
                else:
                    transactions = collect(core, registers, tables, k, lanes, transactions)
                    if kind == STORE and core.lsu.tracks_bytes != 0:
                        note_written_bytes(core, registers, np.int64(tables.uops[k, SIZE]), lanes, before, transactions)
                    if core.lsu.in_banks != 0:
                        size = np.int64(tables.uops[k, SIZE])
                        note_lookups(core.lsu, core.access, core.access.address, registers.active, size, lanes, before, transactions)
                tables.profile[pc, SECTORS_NEEDED] += sectors_needed(popcount(part) * tables.uops[k, SIZE], core.lsu.sector_shift)
        if fault != 0:
            return np.int64(fault)
    if core.access.changed != 0:
        gpu.progress = now
    tables.profile[pc, ACCESSES] += 1
    if core.spaces.used != 0 and wanted == MEMORY and core.access.scratchpad != 0:
        passes = _scratchpad_passes(core, registers, tables, moved, lanes)
        start_at = max(np.int64(core.shared_free), np.int64(now))
        tables.profile[pc, PASSES] += passes
        if core.counts > 1:
            core.monitor.scratchpad_stalls = core.monitor.scratchpad_stalls + passes - 1
        core.shared_free = start_at + passes
        if kind != STORE:
            until = start_at + core.shared_latency + passes - 1
            mark_busy(core.scoreboard, tables.code, warp, pc, every, lanes, until, SHORT_SCOREBOARD)
        return fault
    if passes != 0:  # an access of memory too meets shared memory when it may be busy, and waits for memory
        start_at = max(np.int64(core.shared_free), np.int64(now))
        tables.profile[pc, PASSES] += passes
        core.shared_free = start_at + passes
    ordered = core.access_order.kept != 0 and wanted == MEMORY and not is_scalar(tables.uops, moved)
    if wanted == SHARED or (passes != 0 and transactions == 0):
        until = max(np.int64(core.shared_free), np.int64(now)) + core.shared_latency - 1
        mark_busy(core.scoreboard, tables.code, warp, pc, every, lanes, until, SHORT_SCOREBOARD)
        if ordered:
            count_access(core.access_order, warp, 1)
        return fault
    if core.spaces.used != 0 and core.constants.ready != 0:
        mark_busy(core.scoreboard, tables.code, warp, pc, every, lanes, np.int64(core.constants.ready), core.constants.reason)
        return fault
    tables.profile[pc, TRANSACTIONS] += transactions
    lsu = core.texture if wanted == TEXTURE else core.lsu
    slot = free_slot(lsu)
    for index in range(transactions):
        tables.profile[pc, SECTORS] += popcount(lsu.sectors[slot, index])
    if kind == STORE:
        core.warps.stores[warp] += 1
        core.warps.unsent[warp] += 1
    else:
        core.warps.pending[warp] += 1
        mark_busy(core.scoreboard, tables.code, warp, pc, every, lanes, FOREVER, LONG_SCOREBOARD)
    if lsu.share != 0:
        lsu.held[core.warps.scheduler[warp]] += 1
    enqueue(lsu, slot, WarpAccess(kind, warp, pc, every, core.warps.started[warp], extra, bypass), transactions, now)
    if core.access_order.kept != 0:
        lsu.number[lsu.access[slot]] = count_access(core.access_order, warp, 0) if ordered else 0
    if wanted == TEXTURE and core.lane_slots.capacity != 0:
        hold_lanes(core, np.int64(lsu.access[slot]), every, lsu.line_shift)
    return fault


@out_of_line
def _lanes_of(core, warp, mask, tables, k):
    """The lanes of `mask` in which micro-op `k` does something. `registers.active` becomes these lanes; of arithmetic, which looks at
    its predicate itself, all of the mask."""
    warps = core.warps
    registers = core.registers[warp]
    part = lanes_of_access(registers, tables.uops, k, mask, warps.lanes)
    executes = tables.uops[k, UNIT]
    wanted = mask if executes == ALU or executes == SPECIAL else part
    if warps.expanded_from[warp] != wanted:
        expand(wanted, registers.active, warps.lanes)
        warps.expanded_from[warp] = wanted
    return part


@unit
def _scratchpad_passes(core, registers, tables, k, lanes):
    """How long shared memory takes for the access of micro-op `k` to addresses that it answers."""
    size = tables.uops[k, SIZE]
    atomically = 1 if tables.uops[k, OP] != LOAD_OP and tables.uops[k, OP] != STORE_OP else 0
    return np.int64(
        shared_conflicts(core.access.address, registers.active, size, lanes, core.shared_banks, core.shared_bank_bytes, atomically)
    )


@out_of_line
def _addresses(access, registers, tables, k, lanes, space_bytes):
    """`addresses`, of a memory that begins at address 0. A function of its own, as `_move`: what prepares its loops stays in it."""
    return addresses(access, registers, tables, k, lanes, space_bytes)


@out_of_line
def _move(core, registers, tables, k, lanes):
    """Move the values of an access to global or local memory."""
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
def _kind_of(core, registers, tables, k, lanes, kind, extra):
    """What the bundle is after an access, and an atomic's extra cycles: lanes on one word take turns."""
    op = tables.uops[k, OP]
    if op == LOAD_OP or op == LOAD_SCALAR:
        return kind, extra
    if op == STORE_OP or op == STORE_SCALAR:
        return np.int64(STORE), extra
    lanes_at_once = np.int64(core.atomic_lanes) if merges(op) else np.int64(1)
    most = np.int64(atomic_conflicts(core.access.address, registers.active, lanes))
    return np.int64(ATOMIC), max(extra, (most + lanes_at_once - 1) // lanes_at_once - 1)


@unit
def _shared(gpu, core, warp, pc, registers, tables, units, k, lanes, now):
    """An access to the block's shared memory; returns the passes that it takes."""
    size = core.blocks.shared_bytes
    base = np.int64(core.warps.block[warp]) * size
    if _addresses(core.access, registers, tables, k, lanes, size) != 0:
        return np.int64(0)
    row = core.access.address
    op = tables.uops[k, OP]
    atomically = 1 if op != LOAD_OP and op != STORE_OP else 0
    count = np.int64(tables.code[pc, COUNT])
    served = np.int64(tables.uops[k, SIZE])
    if count > 1 and atomically == 0:
        start = np.int64(tables.code[pc, FIRST_UOP])
        served = served_together(tables.uops, start, start + count, k)
    passes = np.int64(0)
    if served != 0:
        passes = np.int64(shared_conflicts(row, registers.active, served, lanes, core.shared_banks, core.shared_bank_bytes, atomically))
    for lane in range(lanes):
        row[lane] = np.uint32(np.int64(row[lane]) + base)
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    if core.has_wide != 0 and is_wide(tables.uops, k):
        units.wide(core, warp, tables, k, IN_SHARED)
    elif op == LOAD_OP:
        load(core.access, row, registers, tables, k, lanes, core.shared)
    elif op == STORE_OP:
        store(core.access, row, registers, tables, k, lanes, core.shared)
    else:
        atomic(core.access, row, registers, tables, k, lanes, core.shared)
    return np.int64(passes)


@out_of_line
def _image(core, pc, registers, tables, k, lanes, transactions):
    """Write texels; those of lanes inside the image become transactions after the ones that are there. Returns how many there are."""
    access, lsu = core.access, core.lsu
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
    store_image(registers, tables.uops, k, lanes, tables.memory, tables.views)
    access.changed = 1
    access.scratchpad = 0
    before = transactions
    transactions = append(lsu, access.address, access.active, np.int64(TEXEL), lanes, before)
    if lsu.tracks_bytes != 0:
        mark_written(lsu, free_slot(lsu), access.address, access.active, np.int64(TEXEL), lanes, before, transactions)
    if lsu.in_banks != 0:
        note_scattered(lsu, access.address, access.active, np.int64(TEXEL), lanes, before, transactions)
    tables.profile[pc, SECTORS_NEEDED] += sectors_needed(going * TEXEL, lsu.sector_shift)
    return np.int64(transactions)


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
def no_memory(gpu, core, warp, pc, wanted, tables, units, now):
    """Stands in for `access_memory` in a program without memory accesses, so that it is not compiled for nothing."""
    return np.int64(UNSUPPORTED)


@unit
def no_texture(core, warp, tables, k, transactions):
    """Stands in for `sample_texture` in a program that samples no texture."""
    return np.int64(transactions)
