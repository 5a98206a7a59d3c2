"""The control unit and the instruction buffer, as units that instructions are issued to.

A branch, a barrier, the end of a warp: `core/control.py` says what each does. The control unit takes an instruction in every cycle, writes
the PC itself, and is done in the next one. What is issued to the instruction buffer has waited there, and does nothing else.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import CONTROL, COUNT, FIRST_UOP, UNIT
from warploom.machine.accounting.reasons import DIVERGED, WAIT
from warploom.machine.core.units.arithmetic import execute_uop
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.unit import FOREVER, inlined


@inlined
def execute_control(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """Execute an instruction of the control unit, which writes the PC itself. The number of a fault, or 0, and
    the next cycle."""
    warps = core.warps
    registers = core.registers[warp]
    mask = warps.mask[warp]
    fault = np.int64(0)
    core.branch_diverged = 0
    start = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(start, start + np.int64(tables.code[pc, COUNT])):
        if tables.uops[k, UNIT] != CONTROL:
            execute_uop(gpu, core, registers, warp, pc, k, tables, units, now)
            continue
        if core.watched != 0:
            units.watch(gpu, core, warp, pc, tables, k, now)
        fault = np.int64(units.control(gpu, core, warp, pc, tables, k, now))
    tables.profile[pc, DIVERGED] += core.branch_diverged
    mark_busy(core.scoreboard, tables.code, warp, pc, mask, warps.lanes, now + 1, WAIT)
    return fault, np.int64(now + 1)


@inlined
def execute_in_buffer(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """An instruction that has waited in the buffer is done. No fault, and the next cycle."""
    return np.int64(0), np.int64(now + 1)


@inlined
def always_accepts(port, core, now):
    """A unit that takes an instruction in every cycle, as far as the core is concerned."""
    return True


@inlined
def never_full(port, core, now):
    """The first cycle in which such a unit is free, if it were not."""
    return np.int64(FOREVER)
