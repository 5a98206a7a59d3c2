"""Arithmetic: an instruction of the ALUs, of the special function unit, or of a pipe that a scheduler has for itself.

In hardware: pipes (`core/pipes.py`, `core/partitions.py`), each of which takes an instruction at a time and gives its result after the
latency of its class. Values are computed at issue (`datapath/alu.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import ALU, COUNT, FIRST_UOP, ISSUE_LATENCY, PORTS, SHARED, SLOTS, SPECIAL
from warploom.machine.accounting.events import emit_pipe
from warploom.machine.accounting.reasons import SHORT_SCOREBOARD, WAIT
from warploom.machine.core import pipes
from warploom.machine.core.operand_banks import OperandBanks
from warploom.machine.core.partitions import enter, load_pipe
from warploom.machine.core.pipes import accept, next_free
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.bits import EMPTY, has, lowest
from warploom.machine.engine.unit import inlined, out_of_line, take_settings


@inlined
def execute_arithmetic(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """Execute an instruction of an arithmetic pipe. No fault, and the first cycle in which its result can be used."""
    warps = core.warps
    registers = core.registers[warp]
    start = np.int64(tables.code[pc, FIRST_UOP])
    execute_uop(gpu, core, registers, warp, pc, start, tables, units, now)
    for k in range(start + 1, start + np.int64(tables.code[pc, COUNT])):
        execute_uop(gpu, core, registers, warp, pc, k, tables, units, now)
    kind = np.int64(tables.code[pc, ISSUE_LATENCY])
    latency = core.latency[kind] + late
    if core.partitions.own != 0:
        pipe = enter(core.partitions, number, port, core.partitions.hold[kind], now)
        until = np.int64(now + latency)
        if has(core.partitions.sequences, kind):
            _begin_sequence(gpu, core, number, warp, pc, part, kind, tables, now)
        if port == SHARED:  # a shuffle, which shared memory's crossbar takes in one pass
            core.shared_free = max(np.int64(core.shared_free), np.int64(now)) + 1
        elif gpu.log.tracing != 0:
            free = core.partitions.free[number, pipe]
            emit_pipe(gpu.log, tables, now, core.number, warp, pc, part, number * len(PORTS) + pipe, free)
    elif port == ALU:
        pipe = lowest(core.alus.idle)
        until = accept(core.alus, now, latency)
        if gpu.log.tracing != 0:
            emit_pipe(gpu.log, tables, now, core.number, warp, pc, part, pipe, core.alus.free[pipe])
    else:
        until = accept(core.specials, now, latency)
    reason = SHORT_SCOREBOARD if port == SPECIAL or port == SHARED else WAIT
    mark_busy(core.scoreboard, tables.code, warp, pc, part, warps.lanes, until, reason)
    return np.int64(0), until


@out_of_line
def _begin_sequence(gpu, core, number, warp, pc, part, kind, tables, now):
    """An instruction that is a sequence, and has entered one pipe, loads its others and reserves issue slots of its scheduler."""
    partitions = core.partitions
    for pipe in range(SLOTS):
        if load_pipe(partitions, number, kind, pipe, now) != 0 and gpu.log.tracing != 0:
            emit_pipe(gpu.log, tables, now, core.number, warp, pc, part, number * len(PORTS) + pipe, partitions.free[number, pipe])
    load_pipe(partitions, number, kind, SLOTS, now)


@inlined
def execute_uop(gpu, core, registers, warp, pc, k, tables, units, now):
    """Execute micro-op `k` in all lanes of a warp."""
    if core.watched != 0:
        units.watch(gpu, core, warp, pc, tables, k, now)
    units.execute(registers, tables, k, core.warps.lanes)


@inlined
def alus_accept(port, core, now):
    """Whether some ALU of the core is idle. A scheduler with its own pipes checks those instead."""
    return core.partitions.own != 0 or core.alus.idle != EMPTY


@inlined
def next_free_alu(port, core, now):
    """The first cycle in which some ALU is free."""
    return next_free(core.alus)


@inlined
def specials_accept(port, core, now):
    """`alus_accept` of the special function units."""
    return core.partitions.own != 0 or core.specials.idle != EMPTY


@inlined
def next_free_special(port, core, now):
    """`next_free_alu` of those."""
    return next_free(core.specials)


def set_up_alus(core: Any, config: Any, program: Any) -> None:
    """The ALUs of a core, the pipes that a scheduler has for itself beside, and how registers are read."""
    pipes.configure(core.alus, config.alu.count, config.alu.width, config.alu.depth, config.core.lanes)
    take_settings(core.operands, OperandBanks, config.operands)
    core.reuse.banks = config.operands.banks if config.operands.reuse else 0


def set_up_specials(core: Any, config: Any, program: Any) -> None:
    """The special-function units of a core."""
    pipes.configure(core.specials, config.alu.special_count, config.alu.special_width, 0, config.core.lanes)
