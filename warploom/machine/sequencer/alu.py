"""ALU of a thread, as a core that runs one instruction at a time has it: the shared ALU with an output register after it.

In hardware: an adder, a subtractor, a multiplier and a divider of 8 bits, and an output register that EXECUTE loads; one
cycle, the divider included. The register is loaded by every instruction: one that has no arithmetic of its
own leaves rs + rt there, because addition is what the idle control lines select.

Two quirks of the published hardware: its comparison sets bit 2 where the operands differ and never bit 0; and of a
division by zero it says nothing (a simulator that knows no undefined values gives 0).

Source: tiny-gpu, src/alu.sv.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, NUMBER, OP, SCALAR, B
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.unit import inlined, unit
from warploom.machine.sequencer.decoder import ACCESS, ACCESS_UOP, ALU_OUT, FIRST_UOP, LATCHED, LOAD, UOPS

NOP, COMPARE, DIV, DIVU, REM, REMU = (NUMBER[name] for name in ("nop", "compare", "div", "divu", "rem", "remu"))

EQUAL, DIFFERENT = 2, 4  # what the quirky comparison can say


@inlined
def execute(gpu, core, tables, units):
    """EXECUTE's closing edge: the output registers are loaded; an instruction of several micro-ops does them all."""
    out = core.registers.lane[ALU_OUT]
    mask = gpu.value_mask
    count = tables.signals[core.row, UOPS]
    if tables.signals[core.row, LATCHED] == 0:
        for thread in range(core.threads):
            out[thread] = np.uint32(np.int64(core.rs[thread]) + np.int64(core.rt[thread]) & np.int64(mask))
    if count == 0:
        return
    if tables.signals[core.row, ACCESS] == LOAD:
        loaded = core.registers.lane[tables.uops[tables.signals[core.row, ACCESS_UOP], DST]]
        for thread in range(core.threads):
            loaded[thread] = core.lsu.out[thread]
    first = np.int64(tables.signals[core.row, FIRST_UOP])
    for k in range(first, first + count):
        op = tables.uops[k, OP]
        if op == NOP:
            continue
        zeros = zero_divisors(core, tables, k) if op == DIV or op == DIVU or op == REM or op == REMU else EMPTY
        units.execute(core.registers, tables, k, np.int64(core.threads))
        if tables.uops[k, DST] >= SCALAR:
            continue
        result = core.registers.lane[tables.uops[k, DST]]
        if op == COMPARE and gpu.compare_flags != 0:
            for thread in range(core.threads):
                result[thread] = EQUAL if result[thread] == EQUAL else DIFFERENT
        if zeros != EMPTY and gpu.divide_zero != 0:
            for thread in range(core.threads):
                if has(zeros, thread):
                    result[thread] = 0


@unit
def zero_divisors(core, tables, k):
    """The threads whose divisor is 0, counted, as a mask."""
    divisor = core.registers.lane[source(core.registers, tables.uops, k, B, 1, core.threads)]
    zeros = EMPTY
    for thread in range(core.threads):
        if divisor[thread] == 0:
            zeros = zeros | bit(thread)
            if core.divisions_by_zero == 0:
                core.zero_divisor_pc = core.pc
            core.divisions_by_zero = core.divisions_by_zero + 1
    return zeros
