"""The pool of a core's threads, from which dynamic warp formation makes its warps.

In hardware: a table of formed warps (a PC, and the number of a thread for each lane), and a register file in which
every lane is a bank with its own address, since the lanes of a formed warp read the rows of different warps. What that
costs: the addresses (a decoder per lane instead of one per core), and the table.

Here a thread that joins another warp changes places with the thread that has its lane there: registers, thread number and
all. That gives the same warps, and everything else of the machine still finds a warp's registers in one record. So a core
never has more formed warps than it launched; the groups of a warp that wait are in its path table (`path_table.py`).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import special_registers
from warploom.isa.program import Program
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY, note_diverged, put, remove
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, rest
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import record, unit

GROUPS = MAX_WARPS * MAX_LANES
ISSUED = u.SPECIAL_NUMBER["cycle"]  # the special register that holds the cycle of a warp's last issue
HEURISTICS = {"majority": 0, "time_stamp": 1, "pc": 2}
MAJORITY, TIME_STAMP, LOWEST_PC = HEURISTICS.values()

Pool = record(
    settings=dict(
        heuristic="i8",                          # MAJORITY, TIME_STAMP or LOWEST_PC
        forms="i8",                              # 1: threads change warps; 0: the program depends on its warps
        any_block="i8",                          # 1: a warp may hold threads of several blocks
        fences="i8",                             # 1: the program waits for its own accesses at fences
    ),
    launch=dict(
        registers="i8",                          # lane registers that a thread takes along
    ),
    state=dict(
        launched=("i8", MAX_WARPS),              # launch that a slot is known to hold, its cycle + 1
        issued=("u4", MAX_WARPS),                # last issue that has been noted, its cycle
        unsettled="u8",                          # warps that have not chosen a path since their last issue, bit w = warp slot w
        arrived=("i8", (MAX_WARPS, MAX_LANES)),  # [warp slot, lane] cycle in which the thread came to its PC
        majority="i8",                           # the PC that issues until no thread is left there; -1: none
        places="i8",                             # PCs at which threads are ready
        pc=("i4", GROUPS),                       # [place] the PC
        threads=("i4", GROUPS),                  # [place] how many threads are ready there
    ),
)  # fmt: skip

# What belongs to a thread rather than to its warp.
OF_A_THREAD = ("warp", "warp_slot", "thread", "block", "global_thread")
BY_DIMENSION = ("thread_x", "thread_y", "thread_z", "block_x", "block_y", "block_z")  # if the program reads them
# Operations on a warp as the program knows it. Threads of a program that uses one stay where they were launched.
OF_A_WARP = (
    "ballot", "shuffle", "push_mask", "pop_mask", "mask_nonzero", "branch_push", "split", "join", "set_mask", "predicate",
    "read_mask", "write_mask", "exit_warp", "barrier_arrive", "barrier_count", "barrier_and", "barrier_or", "sync_warp", "note",
    "shuffle_up", "shuffle_down", "shuffle_xor", "match_any", "permute", "or_lanes", "lane_bit", "insert_lane", "get_scalar", "put_scalar",
    "get_register", "put_register", "take_quad",
)  # fmt: skip


def configure(pool: Any, heuristic: str, program: Program) -> None:
    """Set up an all-zero `Pool` through its mirror. heuristic: of HEURISTICS; program: what a core runs."""
    used = {u.OPERATIONS[number].name for number in program.uops[:, u.OP].tolist()}
    pool.heuristic, pool.majority = HEURISTICS[heuristic], -1
    pool.forms, pool.fences = int(not depends_on_warps(program)), int("fence" in used)
    pool.any_block = int(not used & {"barrier", "grid_barrier"} and not (program.uops[:, u.UNIT] == u.SHARED).any())
    pool.registers = program.registers + len(thread_numbers_of(program))


def depends_on_warps(program: Program) -> bool:
    """Whether what a program does depends on which threads share a warp: masks, scalar registers, barriers that count warps,
    local memory, which belongs to a lane of a warp slot."""
    operands = program.uops[:, [u.DST, u.A, u.B, u.C, u.PREDICATE]]
    used = set(program.uops[:, u.OP].tolist())
    counts = program.uops[(program.uops[:, u.OP] == u.NUMBER["barrier"]) & (program.uops[:, u.B] != u.NONE)]
    return bool((operands >= u.SCALAR).any() or len(counts) or program.uses(u.LOCAL_SPACE) or used & {u.NUMBER[name] for name in OF_A_WARP})


def thread_numbers_of(program: Program) -> tuple[str, ...]:
    """The numbers that a thread of a program takes along to a different warp."""
    asked = special_registers(program)
    return OF_A_THREAD + tuple(name for name in BY_DIMENSION if name in asked)


def with_thread_numbers(program: Program) -> Program:
    """The program as it runs on a core that re-forms warps: from the launch on, thread numbers are in the registers that follow its own.

    The program must not depend on its warps (`depends_on_warps`). Reading such a number becomes a move, so a thread takes its
    numbers along like any register.
    """
    uops, moving = program.uops.copy(), thread_numbers_of(program)
    for index, name in enumerate(moving):
        reads = (uops[:, u.OP] == u.NUMBER["special"]) & (uops[:, u.IMM] == u.SPECIAL_NUMBER[name])
        uops[reads, u.OP], uops[reads, u.DATAPATH], uops[reads, u.A] = u.NUMBER["mov"], u.INTEGER, program.registers + index
    numbers = tuple((program.registers + index, name) for index, name in enumerate(moving))
    return replace(program, uops=uops, launch=replace(program.launch, registers=(*program.launch.registers, *numbers)))


@unit
def note_issue(core, warp):
    """Note when the threads of a warp came to their PC, if it was launched or has issued since the last call. Returns 1 if so."""
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
        if has(warps.expanded_from[warp], lane):
            pool.arrived[warp, lane] = np.int64(cycle)
    return 1


@unit
def ready_warps(core, now):
    """The warps whose threads are ready: the last instruction is done, and the next one waits only for the scheduler."""
    warps = core.warps
    found = EMPTY
    left = warps.active & ~(warps.draining | warps.at_barrier | warps.starved | warps.fencing)
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if warps.wake[warp] > now or warps.pending[warp] > 0 or core.scoreboard.last[warp] > now or warps.mask[warp] == EMPTY:
            continue
        if core.thread_pool.fences == 0 or (warps.stores[warp] == 0 and warps.landed[warp] <= now):
            found = found | bit(warp)
    return found


@unit
def oldest_arrival(pool, warp, mask):
    """The cycle in which the first thread of a group came to its PC."""
    found = np.int64(pool.arrived[warp, lowest(mask)])
    left = mask
    while left != EMPTY:
        found = min(found, np.int64(pool.arrived[warp, lowest(left)]))
        left = rest(left)
    return found


@unit
def at_barrier(paths, warp):
    """The lanes of a warp that wait at a barrier of their block."""
    found = EMPTY
    for row in range(np.int64(paths.count[warp])):
        if paths.state[warp, row] >= AT_BARRIER:
            found = found | paths.mask[warp, row]
    return found


@unit
def ready_lanes_at(core, warp, pc):
    """The lanes of a warp that are ready at `pc`."""
    paths = core.path_table
    if core.warps.mask[warp] != EMPTY and core.warps.pc[warp] == pc:
        return core.warps.mask[warp]
    for row in range(np.int64(paths.count[warp])):
        if paths.state[warp, row] == READY and paths.pc[warp, row] == pc:
            return paths.mask[warp, row]
    return EMPTY


@unit
def change_places(core, warp, other, movers):
    """Lanes `movers` of warp `other`, which are at the PC of `warp`, join it. The threads that `warp` has in these lanes take their places.

    A lane without a thread takes one too; then `other` has fewer. Both warps are in the pool, and none of these lanes waits at a barrier.
    """
    warps = core.warps
    paths = core.path_table
    warps.mask[other] &= ~movers
    _take_out(paths, other, movers)
    for row in range(np.int64(paths.count[warp])):
        leaving = paths.mask[warp, row] & movers
        if leaving != EMPTY:
            _place(core, other, leaving, np.int64(paths.pc[warp, row]))
    _take_out(paths, warp, movers)
    free = movers & ~warps.threads[warp]
    warps.threads[warp] |= free
    warps.threads[other] &= ~free
    warps.mask[warp] |= movers
    note_diverged(paths, warps, warp)
    note_diverged(paths, warps, other)
    _swap_registers(core, warp, other, movers)


@unit
def _take_out(paths, warp, lanes):
    """Lanes leave the path table."""
    for row in range(np.int64(paths.count[warp]) - 1, -1, -1):
        paths.mask[warp, row] &= ~lanes
        if paths.mask[warp, row] == EMPTY:
            remove(paths, warp, row)


@unit
def _place(core, warp, lanes, pc):
    """Lanes continue at `pc` when the heuristic selects it."""
    warps = core.warps
    if warps.mask[warp] != EMPTY and warps.pc[warp] == pc:
        warps.mask[warp] |= lanes
    else:
        put(core.path_table, warp, lanes, pc, READY)


@unit
def _swap_registers(core, warp, other, movers):
    """The registers of two warps' lanes, and the pool's data about their threads, change places."""
    pool = core.thread_pool
    mine = core.registers[warp].lane
    theirs = core.registers[other].lane
    left = movers
    while left != EMPTY:
        lane = lowest(left)
        left = rest(left)
        for register in range(pool.registers):
            kept = mine[register, lane]
            mine[register, lane] = theirs[register, lane]
            theirs[register, lane] = kept
        fence, until = core.fences.at[warp, lane], core.fences.until[warp, lane]
        core.fences.at[warp, lane], core.fences.until[warp, lane] = core.fences.at[other, lane], core.fences.until[other, lane]
        core.fences.at[other, lane], core.fences.until[other, lane] = fence, until
        arrived = pool.arrived[warp, lane]
        pool.arrived[warp, lane] = pool.arrived[other, lane]
        pool.arrived[other, lane] = arrived
