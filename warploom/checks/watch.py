"""The watch: the hook that a machine with checks calls before each micro-op that a check is about.

In a machine without checks none of this is compiled, and nothing calls it. It changes nothing of the machine's own state, so a run with
checks takes the same cycles as one without.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.accesses import check_access
from warploom.checks.barriers import note_barrier, note_end, note_fence, note_grid_barrier, note_together
from warploom.checks.bounds import DIVISOR, INDEX, QUESTIONS, VALUE, check_divisor, check_index, check_value
from warploom.checks.pixels import check_fragments
from warploom.checks.shadow import MISSED, tick
from warploom.checks.warps import check_mask, check_shuffle, is_shuffle, note_lanes_end, note_syncwarp
from warploom.isa.uop import ALU, CONTROL, CROSS_LANE, DATAPATH, IMM, MEMORY, MERGER, NOTE, NUMBER, OP, PREDICATE, SCALAR, SHARED, UNIT
from warploom.machine.datapath.predicate import named_lanes
from warploom.machine.engine.unit import unit

BARRIER, ARRIVE, FENCE, GRID, SYNC_WARP = (NUMBER[name] for name in ("barrier", "barrier_arrive", "fence", "grid_barrier", "sync_warp"))
COUNT, OR, EXIT, EXIT_WARP = (NUMBER[name] for name in ("barrier_count", "barrier_or", "exit", "exit_warp"))


@unit
def watch(gpu, core, warp, pc, tables, k, now):
    """Micro-op `k` of a warp is about to be executed; of a memory access the addresses are known."""
    executes = tables.uops[k, UNIT]
    lanes = core.warps.lanes
    if executes == ALU:
        datapath = tables.uops[k, DATAPATH]
        if datapath != CROSS_LANE and datapath != NOTE:
            return
    elif executes != CONTROL and executes != MEMORY and executes != SHARED and executes != MERGER:
        return
    part = core.warps.mask[warp]
    if tables.uops[k, PREDICATE] >= SCALAR:
        part = part & named_lanes(core.registers[warp], tables.uops, k, lanes)
    first = np.int64(core.blocks.number[core.warps.block[warp]]) * gpu.grid.block_threads + core.warps.rank[warp] * lanes
    op = tables.uops[k, OP]
    if executes == ALU:
        if is_shuffle(op):
            check_shuffle(core, warp, pc, part, tables, k, first, now)
        elif tables.uops[k, DATAPATH] == NOTE and tables.uops[k, IMM] < 0:
            question = (-1 - np.int64(tables.uops[k, IMM])) % QUESTIONS
            if question == INDEX:
                check_index(core, warp, pc, part, tables, k, first, now)
            elif question == DIVISOR:
                check_divisor(core, warp, pc, part, tables, k, first, now)
            elif question == VALUE:
                check_value(core, warp, pc, part, tables, k, first, now)
            else:
                check_mask(core, warp, pc, part, tables, k, first, now)
        return
    time = tick(tables)
    if tables.warps[core.number * core.warps.slots + warp, MISSED] != 0:
        note_together(core, warp, part, tables, k, first, now)
    if executes == MERGER:
        check_fragments(gpu, core, warp, pc, part, tables, k, now, time)
    elif executes != CONTROL:
        check_access(gpu, core, warp, pc, part, tables, k, now, time)
    elif op == BARRIER or op == ARRIVE or COUNT <= op <= OR:
        note_barrier(gpu, core, warp, pc, part, tables, k, first, time, now)
    elif op == FENCE:
        note_fence(core, warp, part, tables, k, first, time)
    elif op == SYNC_WARP:
        note_syncwarp(core, warp, pc, part, tables, k, first, time, now)
    elif op == GRID:
        note_grid_barrier(gpu, core, warp, pc, part, tables, first, time, now)
    elif op == EXIT or op == EXIT_WARP:
        if op == EXIT_WARP:
            part = core.warps.threads[warp]
        note_lanes_end(core, warp, part, tables, k, first, time, now)
        note_end(gpu, core, warp, pc, part, tables, k, first, time, now)
