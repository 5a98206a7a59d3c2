"""Access to a block's shared memory.

In hardware: a memory of banks beside the load/store unit, which serves one word of each bank in a pass. What lanes want of one bank takes
passes one after the other (`load_store/shared_memory.py`); the unit is busy for those, and answers after a fixed latency.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import COUNT, FIRST_UOP, NUMBER, OP, SIZE
from warploom.machine.accounting.reasons import PASSES, SHORT_SCOREBOARD
from warploom.machine.core.load_store.lane_access import atomic, load, store
from warploom.machine.core.load_store.shared_memory import conflicts, served_together
from warploom.machine.core.load_store.wide_access import IN_SHARED, is_wide
from warploom.machine.core.units.global_access import plain_addresses
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.unit import inlined, unit

LOAD_OP, STORE_OP = NUMBER["load"], NUMBER["store"]


@unit
def access_shared(gpu, core, warp, pc, tables, units, k, now):
    """Micro-op `k` accesses the shared memory of its warp's block. What is wrong with it is in `core.access`."""
    size = core.blocks.shared_bytes
    lanes = core.warps.lanes
    row = core.access.address
    if plain_addresses(core.access, core.registers[warp], tables, k, lanes, size) != 0:
        return
    core.bundle.passes += _passes(core, warp, pc, tables, k)
    base = np.int64(core.warps.block[warp]) * size
    for lane in range(lanes):
        row[lane] = np.uint32(np.int64(row[lane]) + base)
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    _move_values(core, warp, tables, units, k)


@inlined
def _passes(core, warp, pc, tables, k):
    """The passes that the access of micro-op `k` takes, those that an earlier micro-op of the bundle takes with it left out."""
    count = np.int64(tables.code[pc, COUNT])
    served = np.int64(tables.uops[k, SIZE])
    if count > 1 and not is_atomic(tables, k):
        first = np.int64(tables.code[pc, FIRST_UOP])
        served = served_together(tables.uops, first, first + count, k)
    if served == 0:
        return np.int64(0)
    return passes_of(core, warp, tables, k, served)


@inlined
def passes_of(core, warp, tables, k, size):
    """The passes over the banks that the lanes' addresses take, `size` bytes each."""
    atomically = 1 if is_atomic(tables, k) else 0
    row, active = core.access.address, core.registers[warp].active
    return np.int64(conflicts(row, active, size, core.warps.lanes, core.shared_banks, core.shared_bank_bytes, atomically))


@inlined
def is_atomic(tables, k):
    """Whether micro-op `k`, an access, neither loads nor stores words."""
    return tables.uops[k, OP] != LOAD_OP and tables.uops[k, OP] != STORE_OP


@inlined
def _move_values(core, warp, tables, units, k):
    """The values go from shared memory to registers, or the other way."""
    op = tables.uops[k, OP]
    registers, row, lanes = core.registers[warp], core.access.address, core.warps.lanes
    if core.has_wide != 0 and is_wide(tables.uops, k):
        units.wide(core, warp, tables, k, IN_SHARED)
    elif op == LOAD_OP:
        load(core.access, row, registers, tables, k, lanes, core.shared)
    elif op == STORE_OP:
        store(core.access, row, registers, tables, k, lanes, core.shared)
    else:
        atomic(core.access, row, registers, tables, k, lanes, core.shared)


@inlined
def occupy_shared(core, pc, tables, now):
    """Shared memory is busy for the passes of the bundle, which begin when those before them have ended. Returns when they begin."""
    start = max(np.int64(core.shared_free), np.int64(now))
    tables.profile[pc, PASSES] += core.bundle.passes
    core.shared_free = start + core.bundle.passes
    return start


@inlined
def complete_in_shared(core, warp, pc, tables, now):
    """The results are there when shared memory has answered the last pass."""
    until = max(np.int64(core.shared_free), np.int64(now)) + core.shared_latency - 1
    mark_busy(core.scoreboard, tables.code, warp, pc, core.bundle.every, core.warps.lanes, until, SHORT_SCOREBOARD)


@inlined
def shared_accepts(port, core, now):
    """Whether shared memory has ended the passes of earlier accesses."""
    return core.shared_free <= now


@inlined
def next_free_shared(port, core, now):
    """The first cycle in which it has."""
    return np.int64(core.shared_free)


def set_up_shared(core: Any, config: Any, program: Any) -> None:
    """The shared memory of a core."""
    shared = config.shared
    core.shared_latency, core.shared_banks, core.shared_bank_bytes = shared.latency, shared.banks, shared.bank_bytes
