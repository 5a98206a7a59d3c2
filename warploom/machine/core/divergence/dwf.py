# mypy: disable-error-code="no-untyped-def"
"""Dynamic warp formation: threads of different warps that stand at the same PC run as one warp.

In hardware: beside the scheduler a small table from PC to the warp that is being formed there. When a branch parts a
warp, and whenever an instruction is done, the threads are entered at their PCs; those of several warps that fit share one,
and it issues when its turn comes. A thread keeps its lane, because its registers lie in that lane's bank ("lane-aware"):
two threads of the same lane never share a warp, so threads that branch by lane number gain nothing. Nothing makes
threads wait for each other. They meet only if they come at the same time, so what issues next decides how full warps are
(`divergence.heuristic`, which takes the place of `core.scheduler`):

* majority (DMaj): the PC at which most threads stand, until none is left there. Keeps most threads together; starves the rest.
* time_stamp (DTime): the warp whose first thread has been at its PC longest.
* pc (DPc): the lowest PC, as in `minpc.py`. Joins what parted, but in a loop the warp that goes back first runs ahead of all others.

What it costs: the pool (`thread_pool.py`), the table, and memory accesses that no longer coalesce, because the threads of a formed warp
are not neighbours.

In this model, warps are formed in the cycle in which they issue, at no cost in time. A thread changes warps only when its
instruction is done and no access of its warp is on its way. There are never more formed warps than were launched; further
groups wait in one of them. One pool serves all schedulers of a core. Threads of different blocks share warps, as
in the paper, unless the program has barriers or shared memory, which belong to a block. A program that knows its warps
(masks, scalar registers, ballots, shuffles) keeps them as they were launched.

Source: Fung, Sham, Yuan and Aamodt, "Dynamic warp formation and scheduling for efficient GPU control flow", MICRO 2007.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import UNITS
from warploom.machine.accounting.reasons import BRANCH_RESOLVING, NOT_SELECTED
from warploom.machine.core.divergence.path_table import READY, merge, put_aside, run
from warploom.machine.core.divergence.thread_pool import (
    GROUPS,
    LOWEST_PC,
    MAJORITY,
    TIME_STAMP,
    at_barrier,
    change_places,
    in_pool,
    note,
    oldest,
    standing,
)
from warploom.machine.core.fetch.instruction_fetch import redirect
from warploom.machine.core.scheduling.policies import after
from warploom.machine.core.warps.stall_account import account
from warploom.machine.core.warps.warp_exit import end
from warploom.machine.core.warps.warp_table import set_alarm
from warploom.machine.engine.bits import bit, lowest, popcount
from warploom.machine.engine.unit import FOREVER, unit


@unit
def form_warps(gpu, core, tables, now):
    """The part of a core's cycle that comes first: the threads that are ready form warps anew."""
    warps = core.warps
    issued = np.uint64(0)
    left = warps.active & ~warps.draining
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if note(core, warp) != 0:
            issued = issued | bit(warp)
    pool = in_pool(core, now)
    _count(core, pool)
    # A warp that has an instruction buffer changes its course once an issue, lest it never finds an instruction there.
    left = warps.diverged & ~(warps.at_barrier | warps.draining) & (issued if core.fetch.buffer != 0 else pool)
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        _choose(gpu, core, warp, tables, now)
    if core.thread_pool.forms != 0:
        _form(gpu, core, pool, tables, now)
    _rank(core)


@unit
def foremost(s, now):
    """The policy of a scheduler: the warp that the heuristic puts first; of several, the next after the one that was picked last."""
    best = np.int64(FOREVER)
    chosen = np.uint64(0)
    left = s.eligible
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if s.rank[warp] < best:
            best = np.int64(s.rank[warp])
            chosen = bit(warp)
        elif s.rank[warp] == best:
            chosen = chosen | bit(warp)
    return after(chosen, s.last, s.warps)


@unit
def _count(core, warps_in_pool):
    """How many threads are ready at each PC; and the PC of the majority, which keeps its turn while a thread is ready there."""
    pool = core.thread_pool
    contexts = core.contexts
    if pool.heuristic != MAJORITY:
        return
    pool.places = 0
    left = warps_in_pool
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        _stand(pool, np.int64(core.warps.pc[warp]), core.warps.mask[warp])
        for row in range(np.int64(contexts.count[warp])):
            if contexts.state[warp, row] == READY:
                _stand(pool, np.int64(contexts.pc[warp, row]), contexts.mask[warp, row])
    most = np.int64(0)
    for place in range(pool.places):
        if pool.pc[place] == pool.majority:
            return
        more = pool.threads[place] - pool.threads[most]
        if more > 0 or (more == 0 and pool.pc[place] < pool.pc[most]):
            most = np.int64(place)
    pool.majority = np.int64(pool.pc[most]) if pool.places > 0 else np.int64(-1)


@unit
def _stand(pool, pc, mask):
    """Threads stand at a PC."""
    for place in range(pool.places):
        if pool.pc[place] == pc:
            pool.threads[place] += popcount(mask)
            return
    pool.pc[pool.places] = pc
    pool.threads[pool.places] = popcount(mask)
    pool.places = pool.places + 1


@unit
def _order(pool, warp, mask, pc):
    """What the heuristic says of a group: the lower, the sooner."""
    if pool.heuristic == LOWEST_PC:
        return np.int64(pc)
    if pool.heuristic == TIME_STAMP:
        return oldest(pool, warp, mask)
    if pc == pool.majority:
        return np.int64(0)
    for place in range(pool.places):
        if pool.pc[place] == pc:
            return np.int64(GROUPS + 1 - pool.threads[place])
    return np.int64(GROUPS + 1)


@unit
def _rank(core):
    """Tell the schedulers what the heuristic says of each warp."""
    warps = core.warps
    left = warps.active & ~warps.draining
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if warps.mask[warp] != np.uint64(0):
            order = _order(core.thread_pool, warp, warps.mask[warp], np.int64(warps.pc[warp]))
            core.schedulers[warps.scheduler[warp]].rank[warp] = order


@unit
def _choose(gpu, core, warp, tables, now):
    """The group of a warp that the heuristic puts first runs."""
    contexts = core.contexts
    warps = core.warps
    best = np.int64(-1)
    lowest = np.int64(FOREVER)
    if warps.mask[warp] != np.uint64(0):
        lowest = _order(core.thread_pool, warp, warps.mask[warp], np.int64(warps.pc[warp]))
    for row in range(np.int64(contexts.count[warp])):
        if contexts.state[warp, row] == READY:
            order = _order(core.thread_pool, warp, contexts.mask[warp, row], np.int64(contexts.pc[warp, row]))
            if order < lowest:
                lowest = order
                best = np.int64(row)
    if best < 0:
        return
    pc, mask = contexts.pc[warp, best], contexts.mask[warp, best]
    _charge(gpu, core, warp, tables, now)
    if warps.mask[warp] != np.uint64(0):
        put_aside(contexts, warps, warp, READY)
    for row in range(np.int64(contexts.count[warp])):
        if contexts.state[warp, row] == READY and contexts.pc[warp, row] == pc and contexts.mask[warp, row] == mask:
            run(contexts, warps, warp, row)
            break
    merge(contexts, warps, warp)
    _look_again(core, warp, now)


@unit
def _look_again(core, warp, now):
    """A warp goes on at another PC than the one that was examined."""
    warps = core.warps
    warp_bit = bit(warp)
    warps.awake = warps.awake & ~warp_bit
    warps.wake_time_known = warps.wake_time_known & ~warp_bit
    warps.starved = warps.starved & ~warp_bit
    for number in range(len(UNITS)):
        warps.wants[number] &= ~warp_bit
    if core.fetch.buffer != 0:
        redirect(core.fetch, warp, np.int64(warps.pc[warp]))
    if warps.reason[warp] != BRANCH_RESOLVING or warps.wake[warp] <= now:
        set_alarm(warps, warp, now, now)


@unit
def _charge(gpu, core, warp, tables, now):
    """Charge the cycles that a warp has spent at its PC, before it leaves it without an issue."""
    warps = core.warps
    if warps.awake & bit(warp) != np.uint64(0):
        account(gpu, core, warp, np.int64(warps.reason[warp]), tables, min(np.int64(warps.wake[warp]), np.int64(now)))
        account(gpu, core, warp, NOT_SELECTED, tables, now)
    else:
        account(gpu, core, warp, np.int64(warps.reason[warp]), tables, now)


@unit
def _form(gpu, core, pool, tables, now):
    """Every warp of the pool that has room takes in threads that stand where it does."""
    warps = core.warps
    every = (np.uint64(2) << np.uint64(warps.lanes - 1)) - np.uint64(1)
    left = pool
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if warps.mask[warp] == every or warps.threads[warp] == np.uint64(0):
            continue
        room = every & ~warps.mask[warp] & ~at_barrier(core.contexts, warp)
        others = pool & ~bit(warp)
        while others != np.uint64(0) and room != np.uint64(0):
            other = lowest(others)
            others = others & (others - np.uint64(1))
            if core.thread_pool.any_block == 0 and warps.block[other] != warps.block[warp]:
                continue
            movers = _movers(core, warp, other, room)
            if movers != np.uint64(0):
                room = room & ~movers
                _charge(gpu, core, other, tables, now)
                change_places(core, warp, other, movers)
                _left_behind(gpu, core, other, tables, now)


@unit
def _movers(core, warp, other, room):
    """The threads of another warp that join this one. Of two warps at the same PC the fuller takes, else the lower."""
    warps = core.warps
    stand = standing(core, other, np.int64(warps.pc[warp]))
    if warps.pc[other] == warps.pc[warp]:
        mine, theirs = popcount(warps.mask[warp]), popcount(warps.mask[other])
        if mine < theirs or (mine == theirs and other < warp):
            return np.uint64(0)
    if at_barrier(core.contexts, other) != np.uint64(0):
        room = room & warps.threads[warp]  # who takes their places goes on there, so the warp does not come to the barrier by this
    return stand & room


@unit
def _left_behind(gpu, core, warp, tables, now):
    """Threads have left a warp: another group of it runs, or it ends."""
    warps = core.warps
    if warps.threads[warp] == np.uint64(0):
        _look_again(core, warp, now)
        end(gpu, core, warp, np.int64(warps.pc[warp]), 0, tables, now - 1)
    elif warps.mask[warp] == np.uint64(0):
        _choose(gpu, core, warp, tables, now)
