"""Program counter of a thread: where each thread would go next, and where the core goes.

In hardware: an adder, a comparison of the three condition bits with the instruction's mask, and a register that EXECUTE loads.
Every thread has one, but the core has one program counter: tiny-gpu takes the last thread's and assumes that the others
agree. If that thread is not in the block its register is still 0, and a block that is not full goes back
to instruction 0 for ever.

`quirks.partial_block` and `quirks.last_lane_decides` keep those two. Without them the last thread that is in the block
speaks for all, and a disagreement is a fault that names the threads; a program counter that runs off the program is one, too
(`quirks.wrap_pc`: it wraps, and what lies after the program does nothing).

Source: tiny-gpu, src/pc.sv and src/scheduler.sv.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import FLAGS, IMM, NEGATE, TARGET, A
from warploom.machine.accounting.faults import FAULT_NUMBER, raise_fault
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import inlined, unit
from warploom.machine.sequencer.decoder import NEXT, NEXT_BRANCH, NEXT_JUMP, NEXT_UOP

DIVERGENCE, PC_OUT_OF_RANGE = FAULT_NUMBER["divergence"], FAULT_NUMBER["pc_out_of_range"]


@inlined
def execute(gpu, core, tables):
    """EXECUTE's closing edge: every thread's next program counter."""
    following = core.pc + 1
    if gpu.wrap_pc != 0 and following == gpu.program_words:
        following = 0
    kind = tables.signals[core.row, NEXT]
    if kind == NEXT_BRANCH:
        k = tables.signals[core.row, NEXT_UOP]
        condition = core.registers.lane[tables.uops[k, A]]
        wanted = np.int64(tables.uops[k, IMM])
        negate = np.int64(tables.uops[k, FLAGS]) & np.int64(NEGATE)
        target = np.int64(tables.uops[k, TARGET])
        for thread in range(core.threads):
            taken = (np.int64(condition[thread]) & wanted != 0) != (negate != 0)
            core.next_pc[thread] = target if taken else following
    else:
        if kind == NEXT_JUMP:
            following = np.int64(tables.uops[tables.signals[core.row, NEXT_UOP], TARGET])
        for thread in range(core.threads):
            core.next_pc[thread] = following


@inlined
def advance(gpu, core, number, tables):
    """UPDATE's closing edge, unless the block ends: the core's program counter takes the deciding thread's."""
    decider = (gpu.threads_per_block if gpu.partial_block != 0 else core.threads) - 1
    following = np.int64(core.next_pc[decider])
    if gpu.last_lane_decides == 0 and tables.signals[core.row, NEXT] == NEXT_BRANCH:
        check_agreement(gpu, core, number, np.int64(tables.uops[tables.signals[core.row, NEXT_UOP], TARGET]))
    if gpu.wrap_pc == 0 and following >= gpu.program_rows:
        raise_fault(gpu.fault, PC_OUT_OF_RANGE, number, 0, core.pc, core.enabled, following, gpu.program_rows, gpu.cycle)
    if gpu.fault.kind == 0:
        core.pc = following


@unit
def check_agreement(gpu, core, number, target):
    """A fault when some threads of the block go to the target and others do not."""
    taking = EMPTY
    for thread in range(core.threads):
        if core.next_pc[thread] == target:
            taking = taking | bit(thread)
    if taking != EMPTY and taking != core.enabled:
        raise_fault(gpu.fault, DIVERGENCE, number, 0, core.pc, taking, target, 0, gpu.cycle)
        gpu.fault.others = core.enabled & ~taking
