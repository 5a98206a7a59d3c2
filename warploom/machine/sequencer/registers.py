"""Register file of a thread, as a core that runs one instruction at a time has it.

In hardware: sixteen registers of 8 bits for every thread, two read ports with an output register each (`rs`, `rt`), one
write port. REQUEST loads the two port registers, from whatever the instruction has in those bits, wanted or
not; UPDATE writes the result. One cycle each. Three of the sixteen are read-only: the block's number, which follows the
dispatcher's wires in every cycle, the size of a block, and the thread's number, which are constants of the chip.

Here: one row of `WarpRegisters.lane` a register, one column per thread.

Source: tiny-gpu, src/registers.sv.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import SPECIAL_NUMBER
from warploom.machine.engine.unit import inlined, unit
from warploom.machine.sequencer.decoder import (
    ALU_OUT,
    FROM_ALU,
    FROM_IMMEDIATE,
    FROM_LSU,
    FROM_NOTHING,
    IMMEDIATE,
    READ_A,
    READ_B,
    WRITE_FROM,
    WRITE_TO,
)

BLOCK, THREAD, LANE, GLOBAL_THREAD = (SPECIAL_NUMBER[name] for name in ("block", "thread", "lane", "global_thread"))
BLOCK_THREADS = SPECIAL_NUMBER["block_threads"]


@inlined
def read(core, tables):
    """REQUEST's closing edge: the port registers take the two registers that the instruction's bits name."""
    a = core.registers.lane[tables.signals[core.row, READ_A]]
    b = core.registers.lane[tables.signals[core.row, READ_B]]
    for thread in range(core.threads):
        core.rs[thread] = a[thread]
        core.rt[thread] = b[thread]


@inlined
def write(core, tables):
    """UPDATE's closing edge: the result of the ALU, of the load, or the constant goes into its register."""
    source = tables.signals[core.row, WRITE_FROM]
    if source == FROM_NOTHING:
        return
    row = core.registers.lane[tables.signals[core.row, WRITE_TO]]
    if source == FROM_ALU:
        out = core.registers.lane[ALU_OUT]
        for thread in range(core.threads):
            row[thread] = out[thread]
    elif source == FROM_LSU:
        for thread in range(core.threads):
            row[thread] = core.lsu.out[thread]
    elif source == FROM_IMMEDIATE:
        value = np.uint32(np.int64(tables.signals[core.row, IMMEDIATE]) & np.int64(0xFFFFFFFF))
        for thread in range(core.threads):
            row[thread] = value


@unit
def reset(gpu, core):
    """The core's reset line: every register is 0 but the constants of the chip."""
    for register in range(gpu.registers):
        row = core.registers.lane[register]
        for thread in range(gpu.threads_per_block):
            row[thread] = 0
    for thread in range(gpu.threads_per_block):
        core.registers.lane[ALU_OUT, thread] = 0
        core.rs[thread] = 0
        core.rt[thread] = 0
        core.registers.active[thread] = 0
    write_launch(gpu, core, 0, gpu.threads_per_block)


@unit
def follow_block(gpu, core):
    """The read-only registers of the threads that take part follow the dispatcher's wires."""
    special = core.registers.special
    special[BLOCK] = core.block
    special[BLOCK_THREADS] = core.threads
    special[GLOBAL_THREAD] = core.block * gpu.threads_per_block
    for thread in range(core.threads):
        core.registers.active[thread] = 0xFFFFFFFF
    write_launch(gpu, core, core.block, core.threads)


@unit
def write_launch(gpu, core, block, threads):
    """Write the registers that a launch fills, in the first `threads` threads."""
    for entry in range(gpu.launch_registers):
        row = core.registers.lane[gpu.launch_register[entry]]
        special = gpu.launch_special[entry]
        for thread in range(threads):
            value = np.int64(core.registers.special[special])
            if special == BLOCK:
                value = np.int64(block)
            elif special in (THREAD, LANE):
                value = np.int64(thread)
            elif special == GLOBAL_THREAD:
                value = np.int64(block) * np.int64(gpu.threads_per_block) + np.int64(thread)
            row[thread] = np.uint32(value & np.int64(gpu.value_mask))
