"""Pipes by role: where an instruction of a machine that issues by control words goes, and when the next one may follow.

In hardware: a sub-partition has its own pipes, and behind it ports that all sub-partitions of the multiprocessor share: one for shared
memory, L1 and shuffles, one for constants and special registers. Each has a short queue. An instruction that is issued to a pipe reads its
operands first: two banks of registers, even and odd, give one register each a cycle. Until they can be read it stands in the latch before
its pipe, so the pipe's next one waits, and those of other pipes do not. The two halves of the float pipe share a latch.

Measured on an H100, in kernels assembled by hand whose every control word was known: n instructions of one kind in a row take n times the
longest of the pipe's interval, the registers that they read of one bank, and the shared port's interval; how many cycles earlier the last
one issues says how long the queue is.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import COUNT, FIRST_UOP, FLOAT, HEAVY, INDEX, ISSUE_LATENCY, MEMORY, PORTS, SHARED, SPECIAL, TEXTURE, A
from warploom.machine.accounting.events import emit_pipe
from warploom.machine.accounting.reasons import SHORT_SCOREBOARD, WAIT
from warploom.machine.core.operand_banks import BITS, MAX_BANKS
from warploom.machine.core.performance_monitor import count_access
from warploom.machine.core.units.arithmetic import execute_uop
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.engine.bits import EMPTY, bit, has, lowest
from warploom.machine.engine.comparators import exceeding
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line

IN, OUT = range(2)  # the ways of lanes' data between the sub-partitions and the port of memory
OWN = MAX_BANKS // 2  # places of `ready` from here on: until when the integer pipe itself reads a bank
FIRST_READER = 30  # bit of BANK_READS: what waits before another pipe lets it read first
ALL_READS = (1 << 28) - 1  # the others: four bits a bank, and the port of the first source


@inlined
def read_banks(operands, number, reads, now):
    """`read_operands`: they are read from the cycle on in which their banks are free. Returns how many cycles after `now` that is."""
    own = np.int64(reads) >> FIRST_READER & 1
    shift = OWN * own
    left = np.int64(reads) & ALL_READS
    start = np.int64(now)
    bank = np.int64(0)
    while left != 0:
        if left & ((1 << BITS) - 1) != 0:
            start = max(start, np.int64(operands.ready[number, bank + shift]))
        left = left >> BITS
        bank = bank + 1
    left = np.int64(reads) & ALL_READS
    bank = np.int64(0)
    while left != 0:
        count = left & ((1 << BITS) - 1)
        if count != 0:
            operands.ready[number, bank + shift] = start + count
            if own != 0:
                operands.ready[number, bank] = max(np.int64(operands.ready[number, bank]), start) + count
        left = left >> BITS
        bank = bank + 1
    operands.late = operands.late + start - now
    return start - now


@inlined
def execute_by_role(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """`execute_arithmetic` on a pipe of the instruction's role. No fault, and the first cycle in which its result is there."""
    warps = core.warps
    registers = core.registers[warp]
    first = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(first, first + np.int64(tables.code[pc, COUNT])):
        execute_uop(gpu, core, registers, warp, pc, k, tables, units, now)
    role = np.int64(tables.code[pc, ISSUE_LATENCY])
    if has(core.partitions.passes, role):
        masks = np.int64(tables.uops[first + np.int64(tables.code[pc, COUNT]) - 1, A])
        start, until = _enter_in_passes(core.partitions, number, port, role, values_among(registers.lane[masks], part), now + late)
        until = until + core.latency[role]
    else:
        start = _enter(core.partitions, number, port, role, now + late, now)
        until = start + core.latency[role]
    if gpu.log.tracing != 0:
        pipe = np.int64(MEMORY if port == SHARED else FLOAT if port == HEAVY else port)
        emit_pipe(gpu.log, tables, now, core.number, warp, pc, part, number * len(PORTS) + pipe, start + core.partitions.hold[role])
    reason = SHORT_SCOREBOARD if port == SPECIAL or port == SHARED or port == INDEX or port == TEXTURE else WAIT
    mark_busy(core.scoreboard, tables.code, warp, pc, part, warps.lanes, until, reason)
    return np.int64(0), until


@inlined
def access_by_role(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """`execute_access` through the queue of the sub-partition. The number of a fault, or 0; when it is done is not known yet."""
    role = np.int64(tables.code[pc, ISSUE_LATENCY])
    _enter(core.partitions, number, port, role, now + late, now)
    fault = np.int64(units.access(gpu, core, warp, pc, unit, tables, units, now))
    if core.counts > 1:
        count_access(core, tables, pc, part)
    return fault, np.int64(FOREVER)


@inlined
def queue_accepts(port, core, now):
    """`shared_accepts`: shared memory is behind a queue, which the sub-partition has; whether that is full is known there."""
    return True


@inlined
def _enter(partitions, number, port, role, ready, now):
    """Put an instruction whose operands are there in cycle `ready` into its pipe. Returns the cycle in which that takes it."""
    cycles = np.int64(partitions.hold[role])
    pipe = np.int64(MEMORY if port == SHARED else FLOAT if port == HEAVY else port)
    start = np.int64(ready)
    if pipe == FLOAT:
        other = lowest(partitions.other_half)
        if port == FLOAT and partitions.free[number, FLOAT] > now:
            pipe = other
            other = np.int64(FLOAT)
        start = max(start, np.int64(partitions.free[number, pipe]))
        if has(partitions.both, role):
            start = max(start, np.int64(partitions.free[number, other]))
            partitions.free[number, other] = start + cycles
        else:
            partitions.free[number, other] = max(np.int64(partitions.free[number, other]), start + 1)
        partitions.opens[number, other] = partitions.free[number, other]
    else:
        start = max(start, np.int64(partitions.free[number, pipe]))
        served = np.int64(partitions.serves[role])
        if served != 0:
            start = max(start, np.int64(partitions.served[pipe]))
            given, taken = np.int64(partitions.ways[role, IN]), np.int64(partitions.ways[role, OUT])
            if given != 0:
                start = max(start, np.int64(partitions.way[IN]))
            if taken != 0:
                start = max(start, np.int64(partitions.way[OUT]))
            if given != 0:
                partitions.way[IN] = start + given
            if taken != 0:
                partitions.way[OUT] = start + taken
            partitions.served[pipe] = start + served
        if pipe == MEMORY:
            _queue(partitions, number, start)
    partitions.free[number, pipe] = start + cycles
    partitions.opens[number, pipe] = start + cycles - partitions.early[role]
    partitions.taken[number, pipe] += 1
    return start


@out_of_line
def _enter_in_passes(partitions, number, pipe, role, passes, ready):
    """`_enter` of an instruction that needs the port behind its pipe more than once: passes of others go between its own.

    Returns (the cycle in which its pipe takes it, the one from which on its last pass takes as long as that of an instruction of one).
    """
    start = max(np.int64(ready), np.int64(partitions.free[number, pipe]))
    served = np.int64(partitions.serves[role])
    partitions.served[pipe] = max(start, np.int64(partitions.served[pipe])) + passes * served
    partitions.free[number, pipe] = start + partitions.hold[role]
    partitions.opens[number, pipe] = start + partitions.hold[role] - partitions.early[role]
    partitions.taken[number, pipe] += 1
    return start, max(start + (passes - 1) * partitions.next_pass[role], partitions.served[pipe] - served)


@out_of_line
def values_among(lanes_of_same, part):
    """How many different values some lanes have, given each lane's mask of those with the same value."""
    found = np.int64(0)
    left = part
    while left != EMPTY:
        lane = lowest(left)
        left = left & ~(np.uint64(lanes_of_same[lane]) | bit(lane))
        found = found + 1
    return max(found, np.int64(1))


QUEUE = 8  # instructions that wait before the port of shared memory and L1: H100, of 128 shuffles in a row the last issues 29 cycles early


@inlined
def _queue(partitions, number, start):
    """The next one that is issued to the port of memory waits until the one QUEUE before it has been taken."""
    place = partitions.queued[number] & (QUEUE - 1)
    partitions.starts[number, place] = start
    partitions.queued[number] += 1


LEAVES = 3  # cycles after which a place of that queue is free


@inlined
def find_full_pipes(partitions, number, now):
    """`find_full_ports` of such pipes."""
    full = exceeding(partitions.opens[number], partitions.room, now)
    halves = bit(FLOAT) | partitions.other_half
    if full & halves != EMPTY:
        if has(full, FLOAT):
            full = full | bit(HEAVY)
        if full & partitions.other_half == EMPTY:
            full = full & ~bit(FLOAT)
    full = full & ~bit(MEMORY)
    if partitions.starts[number, partitions.queued[number] & (QUEUE - 1)] + LEAVES > now:
        full = full | bit(MEMORY) | bit(SHARED)
    partitions.full[number] = full


@inlined
def next_pipe(partitions, number, full):
    """`next_entry` of such pipes."""
    soonest = np.int64(FOREVER)
    left = full & ~(bit(SHARED) | bit(HEAVY) | bit(MEMORY))
    if has(full, HEAVY):
        soonest = min(soonest, np.int64(partitions.opens[number, FLOAT]))
    if has(full, SHARED):
        soonest = min(soonest, np.int64(partitions.starts[number, partitions.queued[number] & (QUEUE - 1)] + LEAVES))
    while left != EMPTY:
        pipe = lowest(left)
        left = left & ~bit(pipe)
        soonest = min(soonest, np.int64(partitions.opens[number, pipe]))
    return soonest
