"""Examination: what does a warp's next instruction wait for?

In hardware: the logic that checks, each cycle, the instruction buffer and the scoreboard of every warp. Here a warp is examined
only when something that it waited for has happened: is its next instruction in its buffer, can its registers be used?
If so it is awake, and waits only for its unit and its scheduler; else it waits for a time or an event, with a reason.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import BUFFER, CONTROL, FENCE_BLOCK, FIRST_UOP, IMM, OP, PORT
from warploom.machine.accounting.faults import FAULT_NUMBER, raise_fault
from warploom.machine.accounting.reasons import DRAIN, LONG_SCOREBOARD, MEMBAR, NO_INSTRUCTION, NOT_SELECTED, WAIT, WAITCNT
from warploom.machine.core.control import EXIT_WARP
from warploom.machine.core.warps.access_order import all_but_last
from warploom.machine.core.warps.fence import FENCE, begin_fence
from warploom.machine.core.warps.scoreboard import blocking_group
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.datapath.predicate import lanes_taking_part
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line

PC_FAULT = FAULT_NUMBER["pc_out_of_range"]


@inlined
def examine(gpu, core, tables, warp, at):
    """What does a warp's next instruction wait for, as of cycle `at`? Sets the warp awake, or its reason and alarm."""
    warps = core.warps
    warps.waiting_memory = warps.waiting_memory & ~bit(warp)
    warps.fencing = warps.fencing & ~bit(warp)
    warps.wake_time_known = warps.wake_time_known & ~bit(warp)
    examine_after_issue(gpu, core, tables, warp, at)


@inlined
def examine_after_issue(gpu, core, tables, warp, at):
    """`examine` for a warp that has just issued: there is nothing that it waited for."""
    warps = core.warps
    pc = np.int64(warps.pc[warp])
    if pc < 0 or pc >= core.code_rows:
        raise_fault(gpu.fault, PC_FAULT, core.number, warp, pc, warps.mask[warp], pc, core.code_rows, at)
        return
    if core.fetch.buffer != 0 and core.fetch.held[warp] == 0:
        wait_for_instruction(warps, warp)
        return
    port = np.int64(tables.code[pc, PORT])
    group, time = blocking_group(core.scoreboard, tables.code, warp, pc, warps.mask[warp], warps.lanes, at)
    if group >= 0:
        _wait_for_registers(core, warp, group, time, port, at)
    elif port < CONTROL or has_to_wait(core, tables, warp, pc, port, at) == 0:
        warps.reason[warp] = NOT_SELECTED
        wake_up(core, warp, port, at)


@inlined
def wait_for_instruction(warps, warp):
    """The warp's instruction buffer is empty: the fetch unit wakes it."""
    warps.starved = warps.starved | bit(warp)
    warps.reason[warp] = NO_INSTRUCTION
    warps.wake[warp] = FOREVER


@inlined
def _wait_for_registers(core, warp, group, time, port, at):
    """The next instruction waits longest for a register group: until a known cycle, or for a load to wake the warp."""
    warps = core.warps
    reason = np.int64(core.scoreboard.reason[warp, group]) if time < FOREVER else np.int64(LONG_SCOREBOARD)
    if reason == LONG_SCOREBOARD:
        warps.waiting_memory = warps.waiting_memory | bit(warp)
    warps.reason[warp] = WAITCNT if port == BUFFER else reason
    if time < FOREVER and port != CONTROL:
        warps.wake_time_known = warps.wake_time_known | bit(warp)
    set_alarm(warps, warp, time, at)


@inlined
def wake_up(core, warp, port, at):
    """A warp waits only for its port. The cycles that it has waited are accounted when it issues."""
    warps = core.warps
    warp_bit = bit(warp)
    warps.awake = warps.awake | warp_bit
    warps.wake_time_known = warps.wake_time_known & ~warp_bit
    warps.waiting_memory = warps.waiting_memory & ~warp_bit
    warps.wants[port] |= warp_bit
    warps.wake[warp] = at
    if core.issues_per_turn != 0:
        _wait_for_turn(core, warp, at)
    if core.operands.banks != 0:
        warps.held_at_wake[warp] = core.operands.held_cycles[warps.scheduler[warp]]
    warps.unit_full_at_wake[warp] = core.unit_full_cycles[warps.scheduler[warp], port]


@out_of_line
def _wait_for_turn(core, warp, at):
    """Schedulers issue in turns: what the warp has waited for lasts until its scheduler's."""
    turn = next_turn(core, np.int64(core.warps.scheduler[warp]), at)
    core.warps.wake[warp] = turn
    if turn > at and core.warps.reason[warp] == NOT_SELECTED:
        core.warps.reason[warp] = WAIT


@inlined
def next_turn(core, number, at):
    """The first cycle from `at` on in which it is the turn of scheduler `number`."""
    return np.int64(at + (number - at) % core.scheduler_count)


@out_of_line
def has_to_wait(core, tables, warp, pc, port, at):
    """Whether an instruction whose registers are ready waits for its warp's accesses. Returns 1 if so; the warp has its reason then."""
    return _awaits_accesses(core, tables, warp, pc, at) if port == BUFFER else _must_drain(core, tables, warp, pc, at)


@inlined
def _must_drain(core, tables, warp, pc, at):
    """A fence, and the end of a whole warp, wait for the warp's own accesses and registers. Returns 1 if it has to wait.

    A fence does not wait for arithmetic, and waits for accesses only as far as the threads that it is for can see them. Its block sees them
    in the order in which the first-level cache has taken them, so there it waits until stores have been sent and loads have their answers,
    but not for a cache's latency (an RTX 3070's takes as long after a store as by itself: mushihao/cuda, nv_study). The device sees them in
    the cache that all cores share, or in memory. A fence may be sent there and back itself, behind the warp's accesses, which takes a time
    that they do not add to (`core.fence_device`).
    """
    warps = core.warps
    op = tables.uops[tables.code[pc, FIRST_UOP], OP]
    if op != FENCE and op != EXIT_WARP:
        return 0
    if core.has_predicates != 0 and lanes_taking_part(core.registers[warp], tables, pc, warps.mask[warp], warps.lanes) == EMPTY:
        return 0
    warps.reason[warp] = MEMBAR if op == FENCE else DRAIN
    stores = np.int64(warps.stores[warp])
    scope = np.int64(tables.uops[tables.code[pc, FIRST_UOP], IMM])
    if scope == FENCE_BLOCK:
        stores = np.int64(warps.unsent[warp])
    answered = np.int64(at)
    if op == FENCE and core.fence_latency[scope] != 0:
        answered = begin_fence(core.fences, warp, pc, warps.mask[warp], at + core.fence_latency[scope] - core.branch_latency)
    if warps.pending[warp] > 0 or (op == FENCE and stores > 0):
        warps.fencing = warps.fencing | bit(warp)
        warps.wake[warp] = FOREVER
        return 1
    if op == FENCE and scope != FENCE_BLOCK and warps.landed[warp] > at:
        set_alarm(warps, warp, np.int64(warps.landed[warp]), at)
        return 1
    if answered > at:
        set_alarm(warps, warp, answered, at)
        return 1
    if op == EXIT_WARP and core.scoreboard.last[warp] > at:
        set_alarm(warps, warp, np.int64(core.scoreboard.last[warp]), at)
        return 1
    return 0


@inlined
def _awaits_accesses(core, tables, warp, pc, at):
    """An instruction of the buffer waits until all accesses of its warp but for the last IMM - 1 are done. Returns 1 if it has to wait.

    Stores that are not answered (`lsu.stores` = 0) are waited for where all accesses are: they are done when they have landed.
    """
    warps = core.warps
    most = np.int64(tables.uops[tables.code[pc, FIRST_UOP], IMM])
    if most == 0:
        return 0
    answered = all_but_last(core.access_order, warp, most - 1)
    if answered and (most > 1 or warps.landed[warp] <= at):
        return 0
    warps.reason[warp] = WAITCNT
    warps.waiting_memory = warps.waiting_memory | bit(warp)
    set_alarm(warps, warp, np.int64(warps.landed[warp] if answered else FOREVER), at)
    return 1
