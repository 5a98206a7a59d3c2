"""Dynamic warp formation: threads of different warps that are at the same PC run as one warp.

In hardware: beside the scheduler, a small table from a PC to the warp that is being formed there. When the lanes of a warp diverge, and
whenever an instruction is done, the threads are entered at their PCs; those of several warps that fit share one, which issues when the
scheduler picks it. A thread keeps its lane, because its registers lie in that lane's bank ("lane-aware"): two threads of the same lane
never share a warp, so threads that branch by lane number gain nothing. Nothing makes threads wait for each other. They share a warp only if
they are at a PC at the same time, so what issues next decides how full warps are (`divergence.heuristic`, which takes the place of
`core.scheduler`):

* majority (DMaj): the PC at which most threads are, until none is left there. Keeps most threads together; starves the rest.
* time_stamp (DTime): the warp whose first thread has been at its PC longest.
* pc (DPc): the lowest PC, as in `minpc.py`. Joins threads that diverged, but in a loop the warp that jumps back first runs ahead of others.

What it costs: the pool (`thread_pool.py`), the table, and memory accesses that no longer coalesce, because the threads of a formed warp
are not neighbours.

In this model, warps are formed in the cycle in which they issue, at no cost in time. A thread changes warps only when its
instruction is done and no access of its warp is in flight. There are never more formed warps than were launched; further groups wait in one
of them. One pool serves all schedulers of a core. Threads of different blocks share warps, as in the paper, unless the program has barriers
or shared memory, which belong to a block. A program that depends on its warps (masks, scalar registers, ballots, shuffles) keeps them as
they were launched.

Source: Fung, Sham, Yuan and Aamodt, "Dynamic warp formation and scheduling for efficient GPU control flow", MICRO 2007.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import PORTS
from warploom.machine.accounting.reasons import BRANCH_RESOLVING, NOT_SELECTED
from warploom.machine.core.divergence.path_table import READY, merge, put_aside, run_group
from warploom.machine.core.divergence.thread_pool import (
    GROUPS,
    LOWEST_PC,
    MAJORITY,
    TIME_STAMP,
    at_barrier,
    change_places,
    note_issue,
    oldest_arrival,
    ready_lanes_at,
    ready_warps,
)
from warploom.machine.core.fetch.instruction_fetch import redirect
from warploom.machine.core.warps.fence import fence_time, through_fence
from warploom.machine.core.warps.stall_account import account
from warploom.machine.core.warps.warp_exit import end_warp
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.engine.bits import EMPTY, after, bit, has, lowest, ones, popcount, rest
from warploom.machine.engine.unit import FOREVER, unit


@unit
def form_warps(gpu, core, tables, now):
    """The first stage of a core's cycle: ready threads re-form the warps."""
    warps = core.warps
    pool = core.thread_pool
    left = warps.active & ~warps.draining
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if note_issue(core, warp) != 0:
            pool.unsettled = pool.unsettled | bit(warp)
    ready = ready_warps(core, now)
    _count_places(core, ready)
    # A warp with an instruction buffer chooses once after each issue, as soon as it is ready or has nothing buffered: or it would never
    # find an instruction there.
    settling = ready if core.fetch.buffer == 0 else pool.unsettled & (ready | warps.starved)
    left = warps.diverged & settling & ~(warps.at_barrier | warps.draining)
    pool.unsettled = pool.unsettled & ~settling
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        _choose(gpu, core, warp, tables, now)
    if pool.forms != 0:
        _form(gpu, core, ready, tables, now)
    _rank(core)


@unit
def foremost(s, now):
    """The policy of a scheduler: the warp that the heuristic puts first; of several, the next after the one that was picked last."""
    best = np.int64(FOREVER)
    chosen = EMPTY
    left = s.eligible
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if s.rank[warp] < best:
            best = np.int64(s.rank[warp])
            chosen = bit(warp)
        elif s.rank[warp] == best:
            chosen = chosen | bit(warp)
    return after(chosen, s.last, s.warps)


@unit
def _count_places(core, ready):
    """How many threads are ready at each PC; and the PC of the majority, which stays while a thread is ready there."""
    pool = core.thread_pool
    paths = core.path_table
    if pool.heuristic != MAJORITY:
        return
    pool.places = 0
    left = ready
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        _count_threads(pool, np.int64(core.warps.pc[warp]), core.warps.mask[warp])
        for row in range(np.int64(paths.count[warp])):
            if paths.state[warp, row] == READY:
                _count_threads(pool, np.int64(paths.pc[warp, row]), paths.mask[warp, row])
    most = np.int64(0)
    for place in range(pool.places):
        if pool.pc[place] == pool.majority:
            return
        more = pool.threads[place] - pool.threads[most]
        if more > 0 or (more == 0 and pool.pc[place] < pool.pc[most]):
            most = np.int64(place)
    pool.majority = np.int64(pool.pc[most]) if pool.places > 0 else np.int64(-1)


@unit
def _count_threads(pool, pc, mask):
    """The threads of a mask are ready at a PC."""
    for place in range(pool.places):
        if pool.pc[place] == pc:
            pool.threads[place] += popcount(mask)
            return
    pool.pc[pool.places] = pc
    pool.threads[pool.places] = popcount(mask)
    pool.places = pool.places + 1


@unit
def _priority(pool, warp, mask, pc):
    """The priority that the heuristic gives to a group: the lower, the sooner."""
    if pool.heuristic == LOWEST_PC:
        return np.int64(pc)
    if pool.heuristic == TIME_STAMP:
        return oldest_arrival(pool, warp, mask)
    if pc == pool.majority:
        return np.int64(0)
    for place in range(pool.places):
        if pool.pc[place] == pc:
            return np.int64(GROUPS + 1 - pool.threads[place])
    return np.int64(GROUPS + 1)


@unit
def _rank(core):
    """Write the schedulers' input `rank`: the priority that the heuristic gives to each warp."""
    warps = core.warps
    left = warps.active & ~warps.draining
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if warps.mask[warp] != EMPTY:
            priority = _priority(core.thread_pool, warp, warps.mask[warp], np.int64(warps.pc[warp]))
            core.schedulers[warps.scheduler[warp]].rank[warp] = priority


@unit
def _choose(gpu, core, warp, tables, now):
    """The group of a warp that the heuristic puts first runs."""
    paths = core.path_table
    warps = core.warps
    best = np.int64(-1)
    least = np.int64(FOREVER)
    if warps.mask[warp] != EMPTY:
        least = _priority(core.thread_pool, warp, warps.mask[warp], np.int64(warps.pc[warp]))
    for row in range(np.int64(paths.count[warp])):
        if paths.state[warp, row] == READY:
            priority = _priority(core.thread_pool, warp, paths.mask[warp, row], np.int64(paths.pc[warp, row]))
            if priority < least:
                least = priority
                best = np.int64(row)
    if best < 0:
        return
    pc, mask = paths.pc[warp, best], paths.mask[warp, best]
    _account_before_leaving(gpu, core, warp, tables, now)
    if warps.mask[warp] != EMPTY:
        put_aside(paths, warps, warp, READY)
    for row in range(np.int64(paths.count[warp])):
        if paths.state[warp, row] == READY and paths.pc[warp, row] == pc and paths.mask[warp, row] == mask:
            run_group(paths, warps, warp, row)
            break
    merge(paths, warps, warp)
    _examine_again(core, warp, now)


@unit
def _examine_again(core, warp, now):
    """A warp continues at a PC that has not been examined."""
    warps = core.warps
    warp_bit = bit(warp)
    warps.awake = warps.awake & ~warp_bit
    warps.wake_time_known = warps.wake_time_known & ~warp_bit
    warps.starved = warps.starved & ~warp_bit
    for number in range(len(PORTS)):
        warps.wants[number] &= ~warp_bit
    if core.fetch.buffer != 0:
        redirect(core.fetch, warp, np.int64(warps.pc[warp]))
    if warps.reason[warp] != BRANCH_RESOLVING or warps.wake[warp] <= now:
        set_alarm(warps, warp, now, now)


@unit
def _account_before_leaving(gpu, core, warp, tables, now):
    """Account the cycles that a warp has spent at its PC, before it leaves it without an issue."""
    warps = core.warps
    if has(warps.awake, warp):
        account(gpu, core, warp, np.int64(warps.reason[warp]), tables, min(np.int64(warps.wake[warp]), np.int64(now)))
        account(gpu, core, warp, NOT_SELECTED, tables, now)
    else:
        account(gpu, core, warp, np.int64(warps.reason[warp]), tables, now)


@unit
def _form(gpu, core, ready, tables, now):
    """Every ready warp that has room takes in threads that are at its PC."""
    warps = core.warps
    every = ones(warps.lanes)
    left = ready
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if warps.mask[warp] == every or warps.threads[warp] == EMPTY:
            continue
        room = every & ~warps.mask[warp] & ~at_barrier(core.path_table, warp)
        others = ready & ~bit(warp)
        while others != EMPTY and room != EMPTY:
            other = lowest(others)
            others = rest(others)
            if core.thread_pool.any_block == 0 and warps.block[other] != warps.block[warp]:
                continue
            movers = _movers(core, warp, other, room)
            if core.thread_pool.fences != 0 and movers != EMPTY and fence_time(core, tables, np.int64(warps.pc[warp])) != 0:
                movers = through_fence(core.fences, other, np.int64(warps.pc[warp]), movers, now)  # the others are not ready
            if movers != EMPTY:
                room = room & ~movers
                _account_before_leaving(gpu, core, other, tables, now)
                change_places(core, warp, other, movers)
                changed = (warps.launched[warp] ^ warps.launched[other]) & movers
                warps.launched[warp] ^= changed
                warps.launched[other] ^= changed
                _lost_threads(gpu, core, other, tables, now)


@unit
def _movers(core, warp, other, room):
    """The threads of warp `other` that join this one. If two warps are at the same PC, the fuller takes, else the lower."""
    warps = core.warps
    there = ready_lanes_at(core, other, np.int64(warps.pc[warp]))
    if warps.pc[other] == warps.pc[warp]:
        mine, theirs = popcount(warps.mask[warp]), popcount(warps.mask[other])
        if mine < theirs or (mine == theirs and other < warp):
            return EMPTY
    if at_barrier(core.path_table, other) != EMPTY:
        room = room & warps.threads[warp]  # the threads that take their places run there, so this does not complete the barrier
    return there & room


@unit
def _lost_threads(gpu, core, warp, tables, now):
    """Threads have left a warp: a group of it that waits runs, or the warp ends."""
    warps = core.warps
    if warps.threads[warp] == EMPTY:
        _examine_again(core, warp, now)
        end_warp(gpu, core, warp, np.int64(warps.pc[warp]), 0, tables, now - 1)
    elif warps.mask[warp] == EMPTY:
        _choose(gpu, core, warp, tables, now)
