"""Gathering on a reconvergence stack: what the lanes of a warp do at an instruction that is for the whole warp.

In hardware: none known. Vortex has these instructions (tmc, wspawn, bar) and no stack that works on its own; if a stack splits the lanes of
a program that was written for masks, its paths reach them one after the other. A path that reaches one waits while any other path can run.
When none can, it is executed:

* Once for all paths that are at the same barrier, wherever in the code, or at the same `wspawn`; they continue one after the other. At
  a `tmc` each path executes it itself. Barriers come before these, and the barrier reached first before the others.
* A path that is to reconverge with lanes that are there already need not wait for them, since they wait for it: it acts for the warp, as
  under a split. It waits only for what can run, and changes places with that: the sides of branches that have not run yet, and paths that
  have reconverged below its row.
* A path that reconverges nowhere, because it left a function that has several returns, waits for all lanes of the warp. It lies in the
  lowest rows. Its lanes are taken out of the rows in which others reconverge, since they never come there: all of them, also those that
  have diverged again and reconverge among themselves.

A path that waits in a row has its PC after the instruction, as in the other mechanisms, and executes it again when it runs.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.path_table import AT_BARRIER, RECONVERGENCE, STACKED, copy_row, remove, was_called
from warploom.machine.core.warps.barrier import WHOLE_WARP
from warploom.machine.engine.bits import EMPTY, has, lowest
from warploom.machine.engine.unit import unit


@unit
def gather(stack, warps, warp, number, alone):
    """The running path is at barrier `number`, or at a different instruction of the whole warp (WHOLE_WARP).

    alone: 1 where each path executes the instruction itself, also when others are at it. Returns 1 when the path executes it now, 0 when it
    waits: if no lane runs then, `select_path` continues with the path on top. -1: the stack has no room for it.
    """
    called = was_called(stack, warps, warp)
    _take_out(stack, warps, warp)
    if called:
        _together(stack, warps, warp, number, alone)
        return 1
    if stack.rejoins_at[warp] < 0:
        _meet(stack, warps, warp, number)
    if warps.mask[warp] == warps.threads[warp]:
        if stack.rejoins_at[warp] < 0:
            stack.count[warp] = stack.sides[warp] = 0
        return 1
    if stack.rejoins_at[warp] < 0 and _others_can_come(stack, warps, warp) != 0:
        return _wait_below(stack, warps, warp, number)
    side = _topmost_side(stack, warps, warp)
    if side >= 0:
        _change_places(stack, warps, warp, side, number)
        return 0
    return _none_else_can_run(stack, warps, warp, number, alone)


@unit
def switch_on(stack, warps, warp, lanes):
    """Lanes that had ended, or never ran, join the running path: they reconverge where it does, and are in no other row."""
    one = lowest(warps.mask[warp])
    for index in range(stack.count[warp]):
        stack.mask[warp, index] = stack.mask[warp, index] & ~lanes
        if stack.state[warp, index] == RECONVERGENCE and has(stack.mask[warp, index], one):
            stack.mask[warp, index] = stack.mask[warp, index] | lanes
    warps.threads[warp] = warps.threads[warp] | lanes
    warps.mask[warp] = warps.mask[warp] | lanes


@unit
def _take_out(stack, warps, warp):
    """Lanes that reconverge nowhere, or in a row from which the path reconverges nowhere, are in no lower row."""
    gone = warps.mask[warp] if stack.rejoins_at[warp] < 0 else EMPTY
    for index in range(np.int64(stack.count[warp]) - 1, -1, -1):
        stack.mask[warp, index] = stack.mask[warp, index] & ~gone
        if stack.reconvergence_pc[warp, index] < 0:
            gone = gone | stack.mask[warp, index]


@unit
def _meet(stack, warps, warp, number):
    """Paths that wait at the running one's instruction join it, if neither reconverges elsewhere.

    In a branch they do not: they may have called the function that they are in from different places.
    """
    for index in range(np.int64(stack.count[warp]) - 1, -1, -1):
        here = stack.state[warp, index] == AT_BARRIER + number and stack.pc[warp, index] == warps.pc[warp] + 1
        if here and stack.reconvergence_pc[warp, index] == stack.rejoins_at[warp]:
            warps.mask[warp] = warps.mask[warp] | (stack.mask[warp, index] & warps.threads[warp])
            remove(stack, warp, index)
            stack.sides[warp] -= 1


@unit
def _others_can_come(stack, warps, warp):
    """1 when lanes are in rows that do not wait for the whole warp."""
    for index in range(stack.count[warp]):
        if stack.state[warp, index] < AT_BARRIER and stack.mask[warp, index] & warps.threads[warp] != EMPTY:
            return 1
    return 0


@unit
def _topmost_side(stack, warps, warp):
    """The highest row whose lanes can run: a side of a branch, or a path all of whose lanes have reconverged. -1 when there is none."""
    above = warps.mask[warp]
    for index in range(np.int64(stack.count[warp]) - 1, -1, -1):
        mask = stack.mask[warp, index] & warps.threads[warp]
        reconverged = stack.state[warp, index] == RECONVERGENCE and mask & above == EMPTY
        if mask != EMPTY and (reconverged or stack.state[warp, index] == STACKED):
            return index
        above = above | mask
    return np.int64(-1)


@unit
def _wait_below(stack, warps, warp, number):
    """The running path waits in a row below all that can run, and no lane runs. Returns 0, or -1 when the stack is full."""
    count = np.int64(stack.count[warp])
    if count >= stack.limit:
        return -1
    row = np.int64(0)
    while row < count and stack.state[warp, row] >= AT_BARRIER and stack.reconvergence_pc[warp, row] < 0:
        row += 1
    for index in range(count, row, -1):
        copy_row(stack, warp, index, index - 1)
    stack.count[warp] = count + 1
    stack.sides[warp] += 1
    stack.peak = max(stack.peak, count + 1)
    _write(stack, warps, warp, row, number)
    warps.mask[warp] = EMPTY
    return 0


@unit
def _write(stack, warps, warp, index, number):
    """The running path into a row, where it waits."""
    stack.mask[warp, index] = warps.mask[warp]
    stack.pc[warp, index] = warps.pc[warp] + 1
    stack.state[warp, index] = AT_BARRIER + number
    stack.reconvergence_pc[warp, index] = stack.rejoins_at[warp]


@unit
def _change_places(stack, warps, warp, index, number):
    """The path in a row runs, and the one that ran waits on top: those that it is to reconverge with are below."""
    mask = stack.mask[warp, index] & warps.threads[warp]
    waits = 1 if stack.state[warp, index] >= AT_BARRIER else 0
    pc = stack.pc[warp, index] - waits
    rejoins_at = stack.reconvergence_pc[warp, index]
    if stack.state[warp, index] == RECONVERGENCE:
        stack.sides[warp] += 1  # it was none, and the one that waits now is
    remove(stack, warp, index)
    top = np.int64(stack.count[warp])
    stack.count[warp] = top + 1
    _write(stack, warps, warp, top, number)
    warps.mask[warp] = mask
    warps.pc[warp] = pc
    stack.rejoins_at[warp] = rejoins_at


@unit
def _none_else_can_run(stack, warps, warp, number, alone):
    """All paths wait. Returns 1 when the running one executes its instruction, 0 when that of a path that now runs comes before it."""
    first = np.int64(-1)
    for index in range(np.int64(stack.count[warp]) - 1, -1, -1):
        if _is_with_it(stack, warps, warp, index) != 0 and stack.state[warp, index] != AT_BARRIER + WHOLE_WARP:
            first = index
    if first >= 0 and stack.state[warp, first] != AT_BARRIER + number:
        stack.called[warp] = stack.called[warp] | (stack.mask[warp, first] & warps.threads[warp])
        _change_places(stack, warps, warp, first, number)
        return 0
    _together(stack, warps, warp, number, alone)
    for index in range(stack.count[warp]):
        if number == WHOLE_WARP and _is_with_it(stack, warps, warp, index) != 0:
            stack.called[warp] = stack.called[warp] | (stack.mask[warp, index] & warps.threads[warp])
            stack.state[warp, index] = STACKED
            stack.pc[warp, index] -= 1
    return 1


@unit
def _is_with_it(stack, warps, warp, index):
    """1 when a row's path waits, and has to reconverge if the running one has: else that one's lanes are still to come to it."""
    waits = stack.state[warp, index] >= AT_BARRIER and stack.mask[warp, index] & warps.threads[warp] != EMPTY
    return 1 if waits and (stack.reconvergence_pc[warp, index] < 0) == (stack.rejoins_at[warp] < 0) else 0


@unit
def _together(stack, warps, warp, number, alone):
    """The running path executes its instruction for all that are at the same barrier, or at the same `wspawn`: they continue after it."""
    for index in range(stack.count[warp]):
        here = number != WHOLE_WARP or (alone == 0 and stack.pc[warp, index] == warps.pc[warp] + 1)
        if here and stack.state[warp, index] == AT_BARRIER + number:
            stack.state[warp, index] = STACKED
        mask = stack.mask[warp, index] & warps.threads[warp]
        called = stack.state[warp, index] == STACKED and mask & ~stack.called[warp] == EMPTY and mask != EMPTY
        if number == WHOLE_WARP and alone == 0 and called and stack.pc[warp, index] == warps.pc[warp]:
            stack.called[warp] = stack.called[warp] & ~mask
            stack.pc[warp, index] += 1
