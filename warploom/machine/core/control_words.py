"""Issue by control words: the issue rule that replaces the scoreboard in machines whose code says itself when it may issue.

Each function replaces one that checks registers (`issue_rules.py` pairs them), in the native code of these machines only; no other machine
has a branch for it.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.schedule import LINE, LINE_BITS, NO_COUNTER, READ, RUNS_ON, WRITE
from warploom.isa.uop import CONTROL, CONTROL_WORD, COUNT, FIRST_UOP, ISSUE_LATENCY, OP, PORT, A
from warploom.machine.accounting.faults import FAULT_NUMBER, raise_fault
from warploom.machine.accounting.reasons import BARRIER, BRANCH_RESOLVING, IMC_MISS, LONG_SCOREBOARD, NOT_SELECTED, SHORT_SCOREBOARD
from warploom.machine.accounting.reasons import WAIT as STALLED
from warploom.machine.core.control import EXIT_WARP
from warploom.machine.core.fetch.instruction_fetch import consume
from warploom.machine.core.ready_check import has_to_wait, wait_for_instruction, wake_up
from warploom.machine.core.warps.dependence_counters import PLACES, lower, raise_until, stall_cycles, waits_until
from warploom.machine.core.warps.warp_exit import end_warp
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, rest
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line

PC_FAULT = FAULT_NUMBER["pc_out_of_range"]
COUNTER_BITS = NO_COUNTER


@inlined
def count_result(board, code, warp, pc, mask, lanes, until, reason):
    """`mark_busy`: the counter that instruction `pc` names for its result is raised until a cycle, or with FOREVER until `count_answer`."""
    counter = np.int64(code[pc, CONTROL_WORD]) >> WRITE & COUNTER_BITS
    raise_until(board.counters, warp, counter, pc, until, reason)
    if until < FOREVER:
        board.last[warp] = max(board.last[warp], np.int64(until))


@inlined
def count_answer(board, code, warp, pc, mask, lanes, until, reason):
    """`release`: the result of instruction `pc` is there from a cycle on."""
    lower(board.counters, warp, np.int64(code[pc, CONTROL_WORD]) >> WRITE & COUNTER_BITS, until)
    board.last[warp] = max(board.last[warp], np.int64(until))


@inlined
def examine_word(gpu, core, tables, warp, at):
    """`examine_after_issue`: has the stall count run out, and are the counters named by the next instruction's control word at zero?"""
    warps = core.warps
    pc = np.int64(warps.pc[warp])
    if pc < 0 or pc >= core.code_rows:
        raise_fault(gpu.fault, PC_FAULT, core.number, warp, pc, warps.mask[warp], pc, core.code_rows, at)
        return
    if core.fetch.buffer != 0 and core.fetch.held[warp] == 0:
        wait_for_instruction(warps, warp)
        return
    port = np.int64(tables.code[pc, PORT])
    word = np.int64(tables.code[pc, CONTROL_WORD])
    counter, time = waits_until(core.scoreboard.counters, warp, word, at)
    if word >> LINE != 0 and time <= at and core.scoreboard.counters.bank_latency != 0:
        time = _constants_there(core.scoreboard.counters, word >> LINE & LINE_BITS, at)
        counter = np.int64(CONSTANTS)
    if time > at:
        _wait(core, warp, counter, time, port, at)
    elif port < CONTROL or has_to_wait(core, tables, warp, pc, port, at) == 0:
        warps.reason[warp] = NOT_SELECTED
        wake_up(core, warp, port, at)


CONSTANTS = PLACES  # in the place of a counter


@out_of_line
def _constants_there(counters, line, at):
    """The first cycle from `at` on in which a line of constant bank 0 is available. The bank is empty at every launch."""
    if counters.lines[line] == 0:
        first = counters.bank == 0
        counters.lines[line] = at + counters.bank_latency if first else max(np.int64(counters.bank), at) + counters.line_latency
        counters.bank = max(np.int64(counters.bank), np.int64(counters.lines[line]))
    return max(np.int64(counters.lines[line]), np.int64(at))


@inlined
def _wait(core, warp, counter, time, port, at):
    """The next instruction waits for a counter, or for the stall count of the last one."""
    warps = core.warps
    counters = core.scoreboard.counters
    reason = np.int64(counters.why[warp])
    if counter == CONSTANTS:
        reason = np.int64(IMC_MISS)
    elif counter >= 0:
        reason = np.int64(counters.reason[warp, counter])
    if reason == LONG_SCOREBOARD or time == FOREVER:
        warps.waiting_memory = warps.waiting_memory | bit(warp)
    warps.reason[warp] = reason
    if time < FOREVER and port != CONTROL:
        warps.wake_time_known = warps.wake_time_known | bit(warp)
    set_alarm(warps, warp, time, at)


@inlined
def follow_word(gpu, core, warp, pc, unit, tables, now):
    """`follow`: the stall count begins, operands are read until a cycle, and the scheduler is notified of a yield."""
    warps = core.warps
    counters = core.scoreboard.counters
    word = np.int64(tables.code[pc, CONTROL_WORD])
    role = np.int64(tables.code[pc, ISSUE_LATENCY])
    if core.fetch.buffer != 0:
        consume(core.fetch, warp, pc, warps.pc[warp], unit == CONTROL)
    counters.next[warp] = now + max(stall_cycles(word), np.int64(counters.least[role]))
    counters.why[warp] = STALLED
    raise_until(counters, warp, word >> READ & COUNTER_BITS, pc, now + counters.reads[role], SHORT_SCOREBOARD)
    scheduler = core.schedulers[warps.scheduler[warp]]
    scheduler.yielded = scheduler.yielded & ~bit(warp) if word & RUNS_ON != 0 else scheduler.yielded | bit(warp)
    if unit != CONTROL or _goes_on(gpu, core, warp, pc, role, tables, now):
        if warps.mask[warp] != counters.ran[warp]:
            _other_lanes(counters, warp, warps.mask[warp])
        examine_word(gpu, core, tables, warp, now + 1)


@out_of_line
def _other_lanes(counters, warp, mask):
    """Lanes other than those that issued last continue. If those that ran have to wait for them, the switch takes time; so it does for
    lanes that diverge and have nothing to do but to reach the point at which they all wait."""
    ran = counters.ran[warp]
    if mask & ~ran != EMPTY and (ran & ~mask != EMPTY or mask & ~counters.parted[warp] != EMPTY):
        counters.next[warp] += counters.switch
        counters.why[warp] = BRANCH_RESOLVING
    counters.parted[warp] = counters.parted[warp] | mask if mask & ~ran != EMPTY and ran & ~mask != EMPTY else mask
    counters.ran[warp] = mask


@inlined
def _branch(counters, warp, number, role, elsewhere, now):
    """An instruction of the branch unit of scheduler `number`, which takes one after the other from a short queue."""
    start = max(np.int64(counters.branch_free[number]), np.int64(now))
    kept = np.int64(counters.branches_taken[role]) if elsewhere else np.int64(counters.branches[role])
    counters.branch_free[number] = start + kept
    cycles = np.int64(counters.after[role])
    if elsewhere:
        cycles = max(cycles, np.int64(counters.after_jump[role]))
    if cycles != 0:
        counters.next[warp] = start + cycles
        counters.why[warp] = BRANCH_RESOLVING
    else:
        counters.next[warp] = max(np.int64(counters.next[warp]), start + kept - BRANCH_QUEUE)


SLEEP_TICK = 64  # nanoseconds. H100: 40 ns rest 118 cycles, 64 and 100 rest 246, 200 rest 499: whole ticks, the last of which is shorter
SHORTER = 6  # cycles


@out_of_line
def _rest(core, counters, warp, role, k, tables, now):
    """The warp sleeps for the largest number of nanoseconds that a lane gives, until the end of the tick in which they are over."""
    lanes = counters.ran[warp] if counters.ran[warp] != EMPTY else core.warps.mask[warp]
    values = source(core.registers[warp], tables.uops, k, A, 0, core.warps.lanes)
    asked = np.int64(0)
    while lanes != EMPTY:
        lane = lowest(lanes)
        lanes = rest(lanes)
        asked = max(asked, np.int64(core.registers[warp].lane[values, lane]))
    if asked >= SLEEP_TICK // 2:
        counters.next[warp] = max(np.int64(counters.next[warp]), now + (asked // SLEEP_TICK + 1) * counters.tick[role] - SHORTER)


BRANCH_QUEUE = 25  # cycles of waiting work before the branch unit: H100, of 32 BSSY in a row the last issues 22 cycles early


@inlined
def _goes_on(gpu, core, warp, pc, role, tables, now):
    """Whether a warp that has issued an instruction of the control unit has neither ended nor waits at a barrier. Its next one issues when
    the instruction's role says, if that is not its stall count."""
    warps = core.warps
    counters = core.scoreboard.counters
    if warps.threads[warp] == EMPTY:
        whole = 1 if tables.uops[tables.code[pc, FIRST_UOP], OP] == EXIT_WARP else 0
        end_warp(gpu, core, warp, pc, whole, tables, now)
        return False
    if not 0 <= warps.pc[warp] < core.code_rows:
        return True
    if has(warps.at_barrier, warp):
        warps.reason[warp] = BARRIER
        warps.wake[warp] = FOREVER
        return False
    if counters.branches[role] != 0:
        _branch(counters, warp, np.int64(warps.scheduler[warp]), role, warps.pc[warp] != pc + 1, now)
        if core.branch_diverged != 0 and warps.pc[warp] != pc + 1 and counters.after[role] == 0:
            counters.next[warp] += counters.taken_first
    if counters.tick[role] != 0:
        _rest(core, counters, warp, role, np.int64(tables.code[pc, FIRST_UOP] + tables.code[pc, COUNT] - 1), tables, now)
    if counters.after_part[role] != 0 and counters.ran[warp] != warps.threads[warp]:
        counters.next[warp] = now + counters.after_part[role]
    if core.barriers.opens > counters.next[warp]:
        warps.reason[warp] = BARRIER
        set_alarm(warps, warp, np.int64(core.barriers.opens), now)
        core.barriers.opens = 0
        return False
    return True
