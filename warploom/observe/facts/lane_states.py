"""Lanes that do not execute, and why: each has one word, the same in every view.

* diverged: other lanes of the warp run, this one goes on later. It costs time.
* ended: the lane's thread has ended, other lanes of its warp have not.
* no thread: there never was a thread for it, because a block does not fill its last warp. The kernel is no better without branches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import numbers, running_sum
from warploom.isa.program import Program
from warploom.machine.accounting import reasons

DIVERGED, ENDED, NO_THREAD = (state.name for state in reasons.OFF)
OFF = {state.name: state.meaning for state in reasons.OFF}


class LaneMasks(NamedTuple):
    """Masks of lanes in int64 for every row of a table: those that have a thread, and those whose thread has ended."""

    threads: np.ndarray
    ended: np.ndarray


def ending(program: Program) -> np.ndarray:
    """bool[instructions]: at which lanes may end."""
    ends = np.array([u.ENDS in operation.flow for operation in u.OPERATIONS], bool)
    of_uop = ends[program.uops[:, u.OP]]
    return np.array([of_uop[row[u.FIRST_UOP] : row[u.FIRST_UOP] + row[u.COUNT]].any() for row in program.code], bool)


def lane_masks(
    warp: np.ndarray, launched: np.ndarray, issued: np.ndarray, mask: np.ndarray, following: np.ndarray, ends: np.ndarray, lanes: int
) -> LaneMasks:
    """The threads of every warp, and when they end.

    All arrays have a value a row, the rows of a warp one after the other in the order of time. warp: a number that differs from warp to
    warp and only rises. launched: mask of the lanes that its launch gives a thread. issued: whether it issues. mask, following: its
    lanes then and afterwards. ends: whether lanes may end at the row's instruction.

    A lane has ended after the last issue that it takes part in, where that one may end lanes and leaves it out. Threads that wander from
    warp to warp (dynamic warp formation) make a lane one with a thread from the first issue in this warp that has it.
    """
    threads, ended = launched.copy(), np.zeros(len(warp), np.int64)
    if not len(warp):
        return LaneMasks(threads, ended)
    first = np.flatnonzero(np.append(True, warp[1:] != warp[:-1]))
    number = running_sum(np.append(True, warp[1:] != warp[:-1])) - 1
    last = np.append(first[1:], len(warp)) - 1
    taken = np.where(issued, mask, 0)
    for one in np.unique(number[taken & ~launched != 0]).tolist():
        whole = slice(first[one], last[one] + 1)
        threads[whole] |= np.bitwise_or.accumulate(taken[whole])
    # Only warps in which something follows an issue that ended some of their lanes.
    concerned = np.zeros(len(first), bool)
    concerned[number[issued & ends & (mask & ~following != 0) & (numbers(len(warp)) < last[number])]] = True
    rows = np.flatnonzero(concerned[number])
    for lane in range(lanes):
        took_part = rows[(issued[rows]) & (mask[rows] >> lane & 1 == 1)]
        latest = np.full(len(first), len(warp), np.int64)
        latest[number[took_part]] = took_part  # of several rows of a warp the last one stays
        done = latest[latest < len(warp)]
        done = done[ends[done] & (following[done] >> lane & 1 == 0)]
        latest[:] = len(warp)
        latest[number[done]] = done
        ended[rows[rows > latest[number[rows]]]] |= np.int64(np.uint64(1 << lane).astype(np.int64))
    return LaneMasks(threads, ended)
