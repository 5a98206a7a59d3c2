"""An access outside of its array that has been found is dropped, and the kernel goes on, so that one mistake does not hide the next.

A lane that is dropped loads zeros and stores nothing. Only what a question has found (bounds.py) is dropped: any other fault stops the
kernel, and the report says so. A kernel that looks for something beyond the end of an array would go on for long, so that of one finding
only so many accesses are dropped.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import BOUNDS, COUNT, KIND, PC, TIMES
from warploom.isa.uop import (
    ALU,
    CROSS_LANE,
    DATAPATH,
    DST,
    FILE,
    FIRST_UOP,
    IMM,
    LINE,
    MEMORY,
    NOTE,
    NUMBER,
    OP,
    PREDICATE,
    SHARED,
    SIZE,
    UNIT,
    WIDE,
    A,
    B,
    C,
)
from warploom.isa.uop import COUNT as UOPS
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.units.memory_stage import access_memory
from warploom.machine.datapath.register_file import expand
from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.unit import out_of_line, unit

MOST_DROPPED = 1 << 14  # times that one finding was met
LOAD, STORE = NUMBER["load"], NUMBER["store"]
VIEW_FAULT, SHARED_FAULT = FAULT_NUMBER["view_out_of_range"], FAULT_NUMBER["shared_out_of_range"]
LOCAL_FAULT = FAULT_NUMBER["local_out_of_range"]


@unit
def access_what_is_there(gpu, core, warp, pc, wanted, tables, units, now):
    """`access_memory` without the lanes whose index has been found outside. Returns 0 or the number of a fault."""
    fault = np.int64(access_memory(gpu, core, warp, pc, wanted, tables, units, now))
    if fault == 0 or not _may_be_dropped(tables, pc, fault):
        return fault
    mask = core.warps.mask[warp]
    part = mask
    while fault != 0 and _may_be_dropped(tables, pc, fault):
        part = part & ~bit(core.access.lane)
        core.access.fault = 0
        fault = np.int64(0)
        _let_execute(core, warp, part)
        if part != EMPTY:
            fault = np.int64(access_memory(gpu, core, warp, pc, wanted, tables, units, now))
    if fault == 0:
        _load_zeros(core, warp, mask & ~part, pc, tables)
    core.warps.mask[warp] = mask
    return fault


@out_of_line
def _may_be_dropped(tables, pc, fault):
    """Whether the instruction is one that may begin again, and its line has been found to leave an array."""
    if fault != VIEW_FAULT and fault != SHARED_FAULT and fault != LOCAL_FAULT:
        return False
    start = np.int64(tables.code[pc, FIRST_UOP])
    last = start + np.int64(tables.code[pc, UOPS]) - 1
    for k in range(start, last + 1):
        executes = tables.uops[k, UNIT]
        if executes == ALU:
            path = tables.uops[k, DATAPATH]
            if path == CROSS_LANE or (path == NOTE and tables.uops[k, IMM] >= 0):
                return False
        elif executes != MEMORY and executes != SHARED:
            return False
        elif tables.uops[k, OP] != LOAD and tables.uops[k, OP] != STORE and k != last:
            return False  # an atomic would happen twice where a later access is dropped
        target = np.int64(tables.uops[k, DST])
        if k != last and target >= 0 and (_is_taken_along(tables, start, k, target) or _is_taken_along(tables, start, k, target + 1)):
            return False
    for number in range(1, np.int64(tables.findings[0, COUNT]) + 1):
        row = tables.findings[number]
        if row[KIND] == BOUNDS and row[TIMES] <= MOST_DROPPED:
            asked, there = tables.code[row[PC]], tables.code[pc]
            if asked[LINE] == there[LINE] and asked[FILE] == there[FILE]:
                return True
    return False


@unit
def _is_taken_along(tables, start, last, register):
    """Whether one of the micro-ops from `start` to `last` reads what a register held before the instruction."""
    for k in range(start, last + 1):
        for column in (A, B, C, PREDICATE):
            if tables.uops[k, column] == register:
                return True
        if tables.uops[k, DST] == register:
            return False
    return False


@unit
def _let_execute(core, warp, part):
    """Only lanes `part` of a warp execute from now on."""
    core.warps.mask[warp] = part
    expand(part, core.registers[warp].active, core.warps.lanes)
    core.warps.expanded_from[warp] = part


@out_of_line
def _load_zeros(core, warp, dropped, pc, tables):
    """What lanes that were dropped have loaded."""
    registers = core.registers[warp]
    start = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(start, start + np.int64(tables.code[pc, UOPS])):
        target = np.int64(tables.uops[k, DST])
        if target < 0 or tables.uops[k, UNIT] == ALU or tables.uops[k, OP] == STORE:
            continue
        for lane in range(core.warps.lanes):
            if has(dropped, lane):
                registers.lane[target, lane] = np.uint32(0)
                if tables.uops[k, SIZE] == WIDE:
                    registers.lane[target + 1, lane] = np.uint32(0)
