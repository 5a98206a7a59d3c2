"""Memory stage: what a load, store, atomic or sample does at issue.

Its micro-ops execute one after the other: the lanes' addresses are computed and checked, and the values move. Then the bundle goes to the
unit that accounts for its time: shared memory answers after a fixed number of passes, everything else becomes transactions of the
load/store unit or of the texture unit.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import ALU, COUNT, FIRST_UOP, MEMORY, OP, SHARED, SPECIAL, TEXTURE, UNIT
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.reasons import ACCESSES
from warploom.machine.core.load_store.constant_cache import begin_bundle
from warploom.machine.core.load_store.lsu import full
from warploom.machine.core.partitions import enter
from warploom.machine.core.performance_monitor import count_access as count_for_monitor
from warploom.machine.core.units.bundle import begin, send
from warploom.machine.core.units.global_access import access_global
from warploom.machine.core.units.image_store import STORE_IMAGE, store_texels
from warploom.machine.core.units.scratchpad import complete_in_scratchpad
from warploom.machine.core.units.shared_access import access_shared, complete_in_shared, occupy_shared
from warploom.machine.core.units.texture_access import access_texture
from warploom.machine.core.warps.access_order import count_access
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.datapath.predicate import is_scalar, lanes_of_access
from warploom.machine.datapath.register_file import expand
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, unit

UNSUPPORTED = FAULT_NUMBER["unsupported"]


@inlined
def execute_access(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """Issue an access of memory, of shared memory or of a texture. The number of a fault, or 0; when it is done is not known yet."""
    if core.partitions.own != 0:
        enter(core.partitions, number, port, core.partitions.interval[port], now)
    fault = np.int64(units.access(gpu, core, warp, pc, unit, tables, units, now))
    if core.counts > 1:
        count_for_monitor(core, tables, pc, part)
    return fault, np.int64(FOREVER)


@unit
def access_memory(gpu, core, warp, pc, wanted, tables, units, now):
    """Execute a bundle of the memory, shared or texture unit. Returns 0 or the number of a fault."""
    first = np.int64(tables.code[pc, FIRST_UOP])
    begin(core.bundle, core.warps.mask[warp], first)
    if core.spaces.used != 0:
        begin_bundle(core.constants)
    core.access.fault = 0
    core.access.changed = 0
    for k in range(first, first + np.int64(tables.code[pc, COUNT])):
        _take_lanes(core, warp, tables, k)
        _execute(gpu, core, warp, pc, tables, units, k, now)
        if core.access.fault != 0:
            return np.int64(core.access.fault)
    if core.access.changed != 0:
        gpu.progress = now
    tables.profile[pc, ACCESSES] += 1
    _complete(core, warp, pc, wanted, tables, now)
    return np.int64(0)


@inlined
def _take_lanes(core, warp, tables, k):
    """The lanes in which micro-op `k` does something take part in the bundle."""
    if core.has_predicates != 0:
        core.bundle.part = _lanes_of(core, warp, tables, k)
    core.bundle.every = core.bundle.every | core.bundle.part


@out_of_line
def _lanes_of(core, warp, tables, k):
    """The lanes in which micro-op `k` does something. `registers.active` becomes these lanes; for arithmetic, which applies its own
    predicate, the whole mask."""
    warps = core.warps
    registers = core.registers[warp]
    mask = warps.mask[warp]
    part = lanes_of_access(registers, tables.uops, k, mask, warps.lanes)
    executes = tables.uops[k, UNIT]
    wanted = mask if executes == ALU or executes == SPECIAL else part
    if warps.expanded_from[warp] != wanted:
        expand(wanted, registers.active, warps.lanes)
        warps.expanded_from[warp] = wanted
    return part


@inlined
def _execute(gpu, core, warp, pc, tables, units, k, now):
    """Micro-op `k` executes where it belongs. A watcher sees an access of memory when its addresses are known, everything else before."""
    executes = np.int64(tables.uops[k, UNIT])
    if executes == MEMORY and tables.uops[k, OP] != STORE_IMAGE:
        access_global(gpu, core, warp, pc, tables, units, k, now)
        return
    if executes == SHARED:
        access_shared(gpu, core, warp, pc, tables, units, k, now)
        return
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    if executes == MEMORY:
        store_texels(core, warp, pc, tables, k)
    elif executes == TEXTURE:
        access_texture(core, warp, pc, tables, units, k)
    elif executes == ALU or executes == SPECIAL:
        units.execute(core.registers[warp], tables, k, core.warps.lanes)


@inlined
def _complete(core, warp, pc, wanted, tables, now):
    """All micro-ops have executed: which unit answers, and when.

    An access of memory too meets shared memory when it may be busy, and waits for memory.
    """
    bundle = core.bundle
    if core.spaces.used != 0 and wanted == MEMORY and core.access.scratchpad != 0:
        complete_in_scratchpad(core, warp, pc, tables, now)
        return
    if bundle.passes != 0:
        occupy_shared(core, pc, tables, now)
    ordered = core.access_order.kept != 0 and wanted == MEMORY and not is_scalar(tables.uops, bundle.moved)
    if wanted == SHARED or (bundle.passes != 0 and bundle.transactions == 0):
        complete_in_shared(core, warp, pc, tables, now)
        if ordered:
            count_access(core.access_order, warp, 1)
    elif core.spaces.used != 0 and core.constants.ready != 0:
        constants = core.constants
        mark_busy(core.scoreboard, tables.code, warp, pc, bundle.every, core.warps.lanes, np.int64(constants.ready), constants.reason)
    else:
        send(core, warp, pc, wanted, ordered, tables, now)


@inlined
def load_store_accepts(port, core, now):
    """Whether the queue of the load/store unit has room."""
    return full(core.lsu) == 0


@inlined
def next_free_load_store(port, core, now):
    """The next cycle if the queue, which was full when the schedulers picked, has room by now; else FOREVER."""
    return np.int64(now + 1 if full(core.lsu) == 0 else FOREVER)


@inlined
def step_load_store(gpu, core, tables, units, now):
    """One cycle of the load/store unit. Returns the next one, if it has something to do then, or FOREVER."""
    if core.lsu.waiting > 0 and units.load_store(gpu, core, core.lsu, tables, now) != 0:
        return np.int64(now + 1)
    return np.int64(FOREVER)


@unit
def no_memory(gpu, core, warp, pc, wanted, tables, units, now):
    """Stands in for `access_memory` in a program without memory accesses, so that it is not compiled needlessly."""
    return np.int64(UNSUPPORTED)
