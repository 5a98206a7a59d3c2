"""Dependence counters: what a warp's next instruction waits for, as its control word says.

In hardware: six small counters a warp (NVIDIA calls them scoreboards), and a count of cycles. Machine code says what they are for
(`isa/schedule.py`): an instruction whose time is not known in advance raises the counter that it names when it issues, and lowers it when
its result is written; another one may be raised until its operands have been read, so that what overwrites them waits. An instruction
issues when the stall count of the one before has run out and the counters that it names are at zero. Registers are not checked: one that is
read too early gives its old value.

Here a counter is the number of accesses that have raised it and whose end is not known yet, and the cycle in which the last of the others
lowers it.

Sources: Z. Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018, chapter 2; Huerta et al., "Analyzing
modern NVIDIA GPU cores", MICRO 2025; what stall counts of 0, and from 12 on, do was measured on an H100.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.schedule import LINE_BITS, MOST_WITHOUT_YIELD, NO_COUNTER, ROLE_ROOM, RUNS_ON, STALL_BITS, WAIT, WAIT_BITS
from warploom.machine.accounting.reasons import WAIT as STALLED
from warploom.machine.engine.sizes import MAX_SCHEDULERS, MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, record, unit

PLACES = 8  # of a warp's counters; six are used

DependenceCounters = record(
    settings=dict(
        reads=("i8", ROLE_ROOM),                 # by role: cycles from the issue until the operands are read
        after_jump=("i8", ROLE_ROOM),            # cycles from the issue to the warp's next one, if that is elsewhere; 0: the stall
        after_part=("i8", ROLE_ROOM),            # the same if some lanes of the warp are elsewhere
        after=("i8", ROLE_ROOM),                 # the same wherever that is
        tick=("i8", ROLE_ROOM),                  # cycles of each SLEEP_TICK nanoseconds that it is to rest; 0: it does not rest
        least=("i8", ROLE_ROOM),                 # cycles from the issue to the warp's next one at least, whatever its stall count
        switch="i8",                              # cycles until other lanes of the warp continue, if those that ran have to wait
        taken_first="i8",                         # cycles more from a branch at which lanes diverge to those that take it
        bank_latency="i8",                        # cycles until the first constant of a launch is there
        line_latency="i8",                        # cycles until one of another line is, after that
        branches=("i8", ROLE_ROOM),              # cycles that the branch unit of the scheduler is kept; 0: it is not used
        branches_taken=("i8", ROLE_ROOM),        # the same if the warp goes elsewhere
    ),
    state=dict(                                   # [warp slot], or [warp slot, counter]
        next=("i8", MAX_WARPS),                   # first cycle in which the warp may issue, as its last instruction says
        why=("i4", MAX_WARPS),                    # what it is accounted to until then: a number of REASONS
        open=("i4", (MAX_WARPS, PLACES)),         # accesses that have raised a counter and whose end is not known
        until=("i8", (MAX_WARPS, PLACES)),        # first cycle in which all others have lowered it
        reason=("i4", (MAX_WARPS, PLACES)),       # what a warp that waits for it is accounted to
        setter=("i4", (MAX_WARPS, PLACES)),       # the instruction that raised it last
        ran=("u8", MAX_WARPS),                    # the lanes that issued last
        parted=("u8", MAX_WARPS),                 # the lanes that have run since some of them diverged last
        bank="i8",                                # first cycle in which constants are there; 0: none has been requested
        lines=("i8", LINE_BITS + 1),              # the same by line
        branch_free=("i8", MAX_SCHEDULERS),       # by scheduler: first cycle in which its branch unit is free
    ),
)  # fmt: skip


@unit
def clear_counters(board, warp, now):
    """A warp starts: all counters are at zero."""
    counters = board.counters
    counters.next[warp] = now
    counters.ran[warp] = 0
    counters.parted[warp] = ~np.uint64(0)
    counters.why[warp] = STALLED
    for counter in range(PLACES):
        counters.open[warp, counter] = 0
        counters.until[warp, counter] = 0
    board.last[warp] = now


@inlined
def stall_cycles(word):
    """The cycles from an instruction to its warp's next one, as its control word says: `stall_of` of isa/schedule.py."""
    stall = np.int64(word & STALL_BITS)
    if word & RUNS_ON == 0:
        return max(stall, np.int64(2))
    if stall == 0:
        return np.int64(2)
    return np.int64(1) if stall > MOST_WITHOUT_YIELD else stall


@inlined
def raise_until(counters, warp, counter, pc, until, reason):
    """Instruction `pc` has raised a counter, and lowers it in cycle `until`; with FOREVER that is not known yet."""
    if counter != NO_COUNTER:
        if until < FOREVER:
            counters.until[warp, counter] = max(np.int64(counters.until[warp, counter]), np.int64(until))
        else:
            counters.open[warp, counter] += 1
        counters.reason[warp, counter] = reason
        counters.setter[warp, counter] = pc


@inlined
def lower(counters, warp, counter, until):
    """What raised a counter with FOREVER lowers it in cycle `until`."""
    if counter != NO_COUNTER:
        counters.open[warp, counter] -= 1
        counters.until[warp, counter] = max(np.int64(counters.until[warp, counter]), np.int64(until))


@inlined
def waits_until(counters, warp, word, at):
    """(counter, cycle): until when an instruction with this control word waits, `at` at least, and for which counter; -1 for the stall."""
    latest = max(np.int64(counters.next[warp]), np.int64(at))
    which = np.int64(-1)
    left = np.int64(word) >> WAIT & WAIT_BITS
    counter = np.int64(0)
    while left != 0:
        if left & 1 != 0:
            time = np.int64(FOREVER) if counters.open[warp, counter] > 0 else np.int64(counters.until[warp, counter])
            if time > latest:
                latest = time
                which = counter
        left = left >> 1
        counter = counter + 1
    return which, latest
