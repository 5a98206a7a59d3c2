# mypy: disable-error-code="no-untyped-def"
"""The pool of a core's threads, from which dynamic warp formation makes its warps.

In hardware: a table of formed warps (a PC, and the number of a thread for each lane), and a register file in which
every lane is a bank with an address of its own, since the lanes of a formed warp read the rows of different warps. What that
costs: the addresses (a decoder a lane instead of one a core), and the table.

Here a thread that joins another warp changes places with the thread that has its lane there: registers, thread number and
all. That gives the same warps, and everything else of the machine still finds a warp's registers in one record. So a core
never has more formed warps than it launched; the groups of a warp that wait for their turn lie in `path_table.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY, mark, put, remove
from warploom.machine.engine.bits import bit, lowest
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import record, unit

GROUPS = MAX_WARPS * MAX_LANES
ISSUED = u.SPECIAL_NUMBER["cycle"]  # the special register that holds the cycle of a warp's last issue
HEURISTICS = {"majority": 0, "time_stamp": 1, "pc": 2}
MAJORITY, TIME_STAMP, LOWEST_PC = HEURISTICS.values()

Pool = record(
    heuristic="i8",                              # MAJORITY, TIME_STAMP or LOWEST_PC
    forms="i8",                                  # 1: threads change warps; 0: the program looks at its warps
    any_block="i8",                              # 1: a warp may hold threads of several blocks
    fences="i8",                                 # 1: the program waits for its own accesses at fences
    registers="i8",                              # lane registers that a thread takes along
    launched=("i8", MAX_WARPS),                  # launch that a slot is known to hold, its cycle + 1
    issued=("u4", MAX_WARPS),                    # last issue that has been noted, its cycle
    arrived=("i8", (MAX_WARPS, MAX_LANES)),      # when each thread came to its PC
    majority="i8",                               # the PC that issues until no thread is left there
    places="i8",                                 # PCs at which threads are ready
    pc=("i4", GROUPS),                           # those
    threads=("i4", GROUPS),                      # and how many threads stand there
)  # fmt: skip

# What belongs to a thread rather than to its warp.
OF_A_THREAD = ("warp", "warp_slot", "thread", "block", "global_thread")
# Operations on a warp as the program knows it. Threads of a program that uses one stay where they were launched.
OF_A_WARP = (
    "ballot", "shuffle", "push_mask", "pop_mask", "mask_nonzero", "branch_push", "split", "join", "set_mask", "predicate",
    "read_mask", "write_mask", "exit_warp", "barrier_arrive",
)  # fmt: skip


def looks_at_warps(program: Program) -> bool:
    """Whether what a program does depends on which threads share a warp: masks, scalar registers, barriers that count warps."""
    operands = program.uops[:, [u.DST, u.A, u.B, u.C, u.PREDICATE]]
    used = set(program.uops[:, u.OP].tolist())
    counts = program.uops[(program.uops[:, u.OP] == u.NUMBER["barrier"]) & (program.uops[:, u.B] != u.NONE)]
    return bool((operands >= u.SCALAR).any() or len(counts) or used & {u.NUMBER[name] for name in OF_A_WARP})


def with_thread_numbers(program: Program) -> Program:
    """The program as it runs on a core that forms warps anew: thread numbers lie in registers behind its own from the launch on.

    Without `looks_at_warps`. Reading such a number becomes a move, so a thread takes its numbers along like any register.
    """
    uops = program.uops.copy()
    for index, name in enumerate(OF_A_THREAD):
        reads = (uops[:, u.OP] == u.NUMBER["special"]) & (uops[:, u.IMM] == u.SPECIAL_NUMBER[name])
        uops[reads, u.OP], uops[reads, u.A] = u.NUMBER["mov"], program.registers + index
    numbers = tuple((program.registers + index, name) for index, name in enumerate(OF_A_THREAD))
    return replace(program, uops=uops, launch=replace(program.launch, registers=(*program.launch.registers, *numbers)))


@unit
def note(core, warp):
    """Note a launch or an issue of a warp since the last look: when its threads came to where they are. Returns 1 if there was one."""
    pool = core.thread_pool
    warps = core.warps
    cycle = core.registers[warp].special[ISSUED]
    if pool.launched[warp] != warps.started[warp] + 1:
        pool.launched[warp] = warps.started[warp] + 1
        pool.issued[warp] = cycle
        for lane in range(warps.lanes):
            pool.arrived[warp, lane] = warps.started[warp]
        return 1
    if pool.issued[warp] == cycle:
        return 0
    pool.issued[warp] = cycle
    for lane in range(warps.lanes):
        if warps.expanded_from[warp] & bit(lane) != np.uint64(0):
            pool.arrived[warp, lane] = np.int64(cycle)
    return 1


@unit
def in_pool(core, now):
    """The warps whose threads are ready: the last instruction is done, and the next one waits for nothing but its turn."""
    warps = core.warps
    found = np.uint64(0)
    left = warps.active & ~(warps.draining | warps.at_barrier | warps.starved | warps.fencing)
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if warps.wake[warp] > now or warps.pending[warp] > 0 or core.scoreboard.last[warp] > now or warps.mask[warp] == np.uint64(0):
            continue
        if core.thread_pool.fences == 0 or (warps.stores[warp] == 0 and warps.landed[warp] <= now):
            found = found | bit(warp)
    return found


@unit
def oldest(pool, warp, mask):
    """The cycle in which the first thread of a group came to its PC."""
    found = np.int64(pool.arrived[warp, lowest(mask)])
    left = mask
    while left != np.uint64(0):
        found = min(found, np.int64(pool.arrived[warp, lowest(left)]))
        left = left & (left - np.uint64(1))
    return found


@unit
def at_barrier(contexts, warp):
    """The lanes of a warp that wait at a barrier of their block."""
    found = np.uint64(0)
    for row in range(np.int64(contexts.count[warp])):
        if contexts.state[warp, row] >= AT_BARRIER:
            found = found | contexts.mask[warp, row]
    return found


@unit
def standing(core, warp, pc):
    """The lanes of a warp that are ready at `pc`."""
    contexts = core.contexts
    if core.warps.mask[warp] != np.uint64(0) and core.warps.pc[warp] == pc:
        return core.warps.mask[warp]
    for row in range(np.int64(contexts.count[warp])):
        if contexts.state[warp, row] == READY and contexts.pc[warp, row] == pc:
            return contexts.mask[warp, row]
    return np.uint64(0)


@unit
def change_places(core, warp, other, movers):
    """Lanes `movers` of warp `other`, which stand where `warp` does, join it. The threads that `warp` has in these lanes take their places.

    A lane without a thread takes one too; then `other` has fewer. Both warps are in the pool, and none of these lanes waits at a barrier.
    """
    warps = core.warps
    contexts = core.contexts
    warps.mask[other] &= ~movers
    _take_out(contexts, other, movers)
    for row in range(np.int64(contexts.count[warp])):
        leaving = contexts.mask[warp, row] & movers
        if leaving != np.uint64(0):
            _place(core, other, leaving, np.int64(contexts.pc[warp, row]))
    _take_out(contexts, warp, movers)
    free = movers & ~warps.threads[warp]
    warps.threads[warp] |= free
    warps.threads[other] &= ~free
    warps.mask[warp] |= movers
    mark(contexts, warps, warp)
    mark(contexts, warps, other)
    _change_registers(core, warp, other, movers)


@unit
def _take_out(contexts, warp, lanes):
    """Lanes wait no longer."""
    for row in range(np.int64(contexts.count[warp]) - 1, -1, -1):
        contexts.mask[warp, row] &= ~lanes
        if contexts.mask[warp, row] == np.uint64(0):
            remove(contexts, warp, row)


@unit
def _place(core, warp, lanes, pc):
    """Lanes go on at `pc` when their turn comes."""
    warps = core.warps
    if warps.mask[warp] != np.uint64(0) and warps.pc[warp] == pc:
        warps.mask[warp] |= lanes
    else:
        put(core.contexts, warp, lanes, pc, READY)


@unit
def _change_registers(core, warp, other, movers):
    """The registers of two warps' lanes, and what the pool knows of their threads, change places."""
    pool = core.thread_pool
    mine = core.registers[warp].lane
    theirs = core.registers[other].lane
    left = movers
    while left != np.uint64(0):
        lane = lowest(left)
        left = left & (left - np.uint64(1))
        for register in range(pool.registers):
            kept = mine[register, lane]
            mine[register, lane] = theirs[register, lane]
            theirs[register, lane] = kept
        arrived = pool.arrived[warp, lane]
        pool.arrived[warp, lane] = pool.arrived[other, lane]
        pool.arrived[other, lane] = arrived
