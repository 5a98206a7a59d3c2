"""Vortex's masks: a program splits its warp's lanes in two, joins them again, and switches lanes on and off.

In hardware: the thread mask of each warp, and beside it an IPDOM stack of masks and PCs. `split` before a branch leaves one side of it
active and keeps the other, with the address after the split, where those lanes take the branch again; `join` after it fetches them, and
finally reconverges all. Two generations: until 2022 a split leaves an entry on the stack whether or not the lanes disagree; from 2023 on it
does so only if they do, and gives the program the stack's height, which the join compares; and the larger side runs first. `tmc` sets the
mask to a number, `pred` keeps the lanes that stay in a loop. Sources: Tine et al., "Vortex: Extending the RISC-V ISA for GPGPU and 3D-
Graphics", MICRO 2021, section 4; github.com/vortexgpgpu/vortex, 2022-01 and 2024-08.

If the machine has its own divergence mechanism, the branches themselves split the lanes, and split, join and pred do nothing. A `tmc` is
for the whole warp: there its lanes wait for each other.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, FLAGS, NONE, NUMBER, OP, A, B
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence import STACK
from warploom.machine.core.divergence.gathering import gather, switch_on
from warploom.machine.core.divergence.masks import chosen_lanes, spokesman
from warploom.machine.core.divergence.mechanism import arrive_at_barrier, exit_lanes
from warploom.machine.core.divergence.path_table import call, merge, was_called
from warploom.machine.core.divergence.stack import push
from warploom.machine.core.warps.barrier import WHOLE_WARP
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, has, ones, popcount
from warploom.machine.engine.unit import unit

SPLIT, JOIN, SET_MASK = (NUMBER[name] for name in ("split", "join", "set_mask"))
OK, OVERFLOW, UNDERFLOW = 0, FAULT_NUMBER["stack_overflow"], FAULT_NUMBER["stack_underflow"]
OTHER_SIDE, BOTH_SIDES = 0, 1  # whose mask an entry of the stack holds: in the place of its reconvergence PC
ALL_BITS = np.uint32(0xFFFFFFFF)


@unit
def manages_masks(core):
    """Whether the program splits its lanes, rather than a mechanism of the machine."""
    return core.divergence != STACK and core.any_order == 0


@unit
def operand(core, warp, tables, k, column, port):
    """The source in `column` of micro-op `k`, of the warp's leader."""
    registers = core.registers[warp]
    row = source(registers, tables.uops, k, column, port, core.warps.lanes)
    return registers.lane[row, spokesman(core.warps.mask[warp], tables.uops[k, FLAGS])]


@unit
def split_or_join(gpu, core, warp, tables, k):
    """Execute `split`, `join`, `set_mask` or `predicate`: writes the warp's mask and PC. Returns 0 or the number of a fault."""
    op = tables.uops[k, OP]
    fault = np.int64(OK)
    if op == SET_MASK:
        whole = whole_warp(core, warp, np.int64(WHOLE_WARP), 1)
        if whole < 0:
            gpu.fault.limit = core.path_table.limit
            return np.int64(OVERFLOW)
        if whole != 0:
            _set_mask(core, warp, tables, k)
    elif not manages_masks(core):
        if op == SPLIT:
            _write(core, warp, tables.uops[k, DST], 0)
        core.warps.pc[warp] += 1
    elif op == SPLIT:
        fault = np.int64(_split(core, warp, tables, k))
    elif op == JOIN:
        fault = np.int64(_join(core, warp, tables, k))
    else:
        _predicate(core, warp, tables, k)
    if fault != 0:
        gpu.fault.limit = core.mask_stack.limit
    return fault


@unit
def whole_warp(core, warp, number, alone):
    """The running lanes are at barrier `number`, or at a different instruction of the whole warp (WHOLE_WARP).

    alone: 1 where each path of a reconvergence stack executes it itself, as a `tmc`, which switches its own lanes off. Returns 1 when it is
    executed now; 0: they wait there for others; -1: the reconvergence stack has no room for them.
    """
    warps = core.warps
    if core.divergence == STACK:
        return np.int64(gather(core.path_table, warps, warp, number, alone))
    called = was_called(core.path_table, warps, warp)
    if called or core.any_order == 0 or core.path_table.count[warp] == 0:
        return np.int64(1)
    warps.pc[warp] += 1
    if arrive_at_barrier(core, warp, np.int64(number), np.int64(core.path_table.expected[warp])) == 0:
        return np.int64(0)
    merge(core.path_table, warps, warp)
    call(core.path_table, warp)
    warps.pc[warp] -= 1
    return np.int64(1)


@unit
def _write(core, warp, register, value):
    """A number into a lane register of the active lanes."""
    if register >= 0:
        for lane in range(core.warps.lanes):
            if has(core.warps.mask[warp], lane):
                core.registers[warp].lane[register, lane] = np.uint32(value)


@unit
def _split(core, warp, tables, k):
    """The chosen lanes run, the others wait; with a destination the larger side runs, and if all agree nothing waits."""
    warps = core.warps
    run = chosen_lanes(core, warp, tables, k)
    wait = warps.mask[warp] & ~run
    if tables.uops[k, DST] != NONE:
        _write(core, warp, tables.uops[k, DST], core.mask_stack.count[warp])
        if run == EMPTY or wait == EMPTY:
            warps.pc[warp] += 1
            return OK
        if popcount(wait) > popcount(run):
            run = wait
    return split(core.mask_stack, warps, warp, run)


@unit
def split(stack, warps, warp, chosen):
    """The chosen lanes continue; the others wait to run the same instructions from after the split on. Two entries if there are others.

    The reconvergence PC of an entry says whose mask it holds. BOTH_SIDES: it is restored, and the warp continues after the join.
    OTHER_SIDE: those lanes jump to the entry's PC.
    """
    mask = warps.mask[warp]
    others = mask & ~chosen
    following = warps.pc[warp] + 1
    if push(stack, warp, mask, following, BOTH_SIDES) == 0:
        return OVERFLOW
    if chosen != EMPTY and others != EMPTY:
        if push(stack, warp, others, following, OTHER_SIDE) == 0:
            return OVERFLOW
        warps.mask[warp] = chosen
    warps.pc[warp] = following
    return OK


@unit
def _join(core, warp, tables, k):
    """A join that has the stack's height before its split does nothing if the stack has that height now."""
    if tables.uops[k, A] != NONE and np.int64(operand(core, warp, tables, k, A, 0)) == core.mask_stack.count[warp]:
        core.warps.pc[warp] += 1
        return OK
    return join(core.mask_stack, core.warps, warp)


@unit
def join(stack, warps, warp):
    """The lanes on top of the stack run: the other side of a split from after the split, or all of both from here."""
    depth = stack.count[warp] - 1
    if depth < 0:
        return UNDERFLOW
    stack.count[warp] = depth
    warps.mask[warp] = stack.mask[warp, depth] & warps.threads[warp]
    if stack.reconvergence_pc[warp, depth] == BOTH_SIDES:
        warps.pc[warp] += 1
    else:
        warps.pc[warp] = stack.pc[warp, depth]
    return OK


@unit
def _set_mask(core, warp, tables, k):
    """The mask becomes what one lane holds. If a mechanism splits the lanes, those left out end."""
    warps = core.warps
    every = ones(warps.lanes)
    wanted = np.uint64(np.int64(np.int32(operand(core, warp, tables, k, A, 0)))) & every  # with more than 32 lanes, bit 31 is for the rest
    warps.launched[warp] = warps.launched[warp] | wanted
    warps.pc[warp] += 1
    if manages_masks(core):
        _become(warps, warp, wanted)
        return
    leaving = warps.mask[warp] & ~wanted
    enters = wanted & ~warps.threads[warp]
    if core.divergence == STACK:
        switch_on(core.path_table, warps, warp, enters)
    else:
        warps.threads[warp] = warps.threads[warp] | enters
        warps.mask[warp] = warps.mask[warp] | enters
    if leaving != EMPTY:
        exit_lanes(core, warp, leaving)


@unit
def _become(warps, warp, wanted):
    """The mask becomes a number, whose lanes may have been off; 0 ends the warp."""
    warps.threads[warp] = warps.threads[warp] | wanted if wanted != EMPTY else EMPTY
    warps.mask[warp] = wanted


@unit
def _predicate(core, warp, tables, k):
    """The active lanes that satisfy a condition; when there are none, the mask that source B gives, if there is one."""
    warps = core.warps
    chosen = chosen_lanes(core, warp, tables, k)
    if chosen != EMPTY:
        warps.mask[warp] = chosen
    elif tables.uops[k, B] != NONE:
        _become(warps, warp, np.uint64(np.int64(np.int32(operand(core, warp, tables, k, B, 1)))) & ones(warps.lanes))
    warps.pc[warp] += 1
