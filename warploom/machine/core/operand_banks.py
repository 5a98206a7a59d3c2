"""Operand banks: when an instruction's registers can be read, and what a conflict costs.

In hardware: the register file of a sub-partition is a few banks of SRAM, register r in bank r modulo banks, each with one read port: a
file with a port for every operand would be several times as large. An instruction of fixed latency has a window of a few
cycles in which its operands are read. When a bank has more to read than fits into the window, the instruction comes late to its pipe, and
those behind it wait: there is nothing else between scheduler and pipes. Older machines have *operand collectors* there: buffers in
which several instructions gather their operands at the same time, so a conflict stops the scheduler only when all of them are taken.

Operands that a compiler marks for reuse are not read again: `reuse_cache.py`. Left out: banks of uniform registers, and the ports that
write results.

Sources: banks and the window of three cycles, Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025; collectors,
NVIDIA, "Operand collector architecture", US 7,834,881.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.sizes import MAX_SCHEDULERS
from warploom.machine.engine.unit import inlined, out_of_line, record

MAX_BANKS, MAX_COLLECTORS = 8, 16
BITS = 4  # of BANK_READS for each bank: how often an instruction reads it
MORE_THAN_ONE = 0xEEEEEEEE  # those that are set if an instruction reads some bank more than once

OperandBanks = record(
    side_by_side=(MAX_SCHEDULERS,),
    settings=dict(
        banks="i8",                                             # banks of a sub-partition; 0: all operands are read at once
        reads="i8",                                             # operands that a bank reads a cycle
        window="i8",                                            # cycles from the issue in which operands are read without delay
        collectors="i8",                                        # instructions that gather operands at the same time; 0: in order
    ),
    state=dict(
        busy=("i8", MAX_SCHEDULERS),                            # by scheduler: no bank of it reads later than this, in units of one read
        latest="i8",                                            # no scheduler is held from this cycle on for longer than its own issue
        held=("i8", MAX_SCHEDULERS),                            # by scheduler: first cycle in which it can issue again
        ready=("i8", (MAX_SCHEDULERS, MAX_BANKS)),              # ... operand reads that a bank will have done
        collected=("i8", (MAX_SCHEDULERS, MAX_COLLECTORS)),     # ... first cycle in which a collector is free
    ),
    counters=dict(
        held_cycles=("i8", MAX_SCHEDULERS),                     # by scheduler: cycles in which it could not issue, and warps of it could
        late="i8",                                              # cycles by which instructions came late to their pipes
    ),
)  # fmt: skip


@inlined
def read_operands(operands, number, reads, now):
    """The operands of an instruction of scheduler `number` are read. Returns by how many cycles it comes late to its pipe.

    reads: BANK_READS of the instruction.
    """
    # In units of one read, so that a bank of two reads a cycle does three in one and a half.
    start = np.int64(now * operands.reads)
    left = np.int64(reads) & 0xFFFFFFFF
    if left & MORE_THAN_ONE == 0 and operands.busy[number] <= start and operands.collectors == 0:
        operands.held[number] = now + 1  # they are read in this cycle, and nothing is left to remember
        return np.int64(0)
    gathered = np.int64(start + operands.reads)
    bank = np.int64(0)
    while left != 0:
        count = left & ((1 << BITS) - 1)
        done = max(np.int64(operands.ready[number, bank]), start) + count
        operands.ready[number, bank] = done
        gathered = max(gathered, done) if count > 0 else gathered
        left = left >> BITS
        bank = bank + 1
    operands.busy[number] = max(np.int64(operands.busy[number]), gathered)
    if operands.collectors == 0 and gathered <= start + operands.window * operands.reads:
        operands.held[number] = now + 1
        return np.int64(0)
    return _hold(operands, number, gathered, now)


@out_of_line
def _hold(operands, number, gathered, now):
    """The instruction comes late to its pipe, or has a collector until then. Returns by how many cycles it is late.

    gathered: when its operands are there, in units of one read since cycle 0.
    """
    cycle = np.int64((gathered + operands.reads - 1) // operands.reads)
    late = max(cycle - (now + operands.window), np.int64(0))
    if operands.collectors == 0:
        operands.held[number] = now + 1 + late
    else:
        _take_collector(operands, number, cycle, now)
    operands.latest = max(operands.latest, operands.held[number])
    operands.late = operands.late + late
    return np.int64(late)


@out_of_line
def _take_collector(operands, number, gathered, now):
    """An instruction has a collector until its operands are there; the scheduler is held until one is free."""
    soonest = np.int64(gathered)
    placed = 0
    for index in range(operands.collectors):
        if placed == 0 and operands.collected[number, index] <= now:
            operands.collected[number, index] = gathered
            placed = 1
        soonest = min(soonest, np.int64(operands.collected[number, index]))
    operands.held[number] = max(soonest, np.int64(now + 1))
