"""Scoreboard: which registers of a warp are still to be written.

In hardware: a bit per register and warp, set at issue for the destination, cleared by the write-back; an instruction
waits while a register that it reads (RAW) or writes (WAW) has its bit set. Sources are read at issue, so there is
no WAR hazard. Instead of a bit that is set and cleared, a register has here the cycle from which it can be used,
which says the same and does not need clearing; FOREVER while a load is in flight.

Which registers form a group is a property of the program (`Program.lock_width`: guppy groups the four components of
a register). Whether a group is busy for the whole warp or for the lanes that were active at the issue is a
property of the machine (`core.lock`; guppy has a bit per lane).
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import PORT, PORTS, REGISTERS, SCALAR_GROUP, SCALARS, USE, USES, WRITES
from warploom.machine.core.warps.dependence_counters import DependenceCounters
from warploom.machine.engine.bits import has
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, record, unit

GROUPS = REGISTERS + SCALARS
LANE_GROUPS = 128  # groups that can be busy lane by lane

Scoreboard = record(
    side_by_side=((MAX_WARPS, GROUPS),),
    rooms={"warps": MAX_WARPS},
    settings=dict(
        by_lane="i8",                                             # 1: a group is busy for single lanes
        crosses="i8",                                             # the most cycles that a result takes longer to some pipe; 0: to none
        crossing=("i8", (len(PORTS), len(PORTS))),                # [from port, to port] by how many cycles
    ),
    launch=dict(
        groups="i8",                                              # groups of lane registers that the program has
        scalars="i8",                                             # its scalar registers, a group each from SCALAR_GROUP on
    ),
    state=dict(
        last=("i8", MAX_WARPS),                                   # latest finite `ready` of a warp
        ready=("i8", (MAX_WARPS, GROUPS)),                        # first cycle in which a group can be used; FOREVER: a load comes
        port=("i1", (MAX_WARPS, GROUPS)),                         # where what writes it was issued
        reason=("i4", (MAX_WARPS, GROUPS)),                       # what a warp that waits for it is accounted to: a number of REASONS
        lane_ready=("i8", ("warps", LANE_GROUPS, MAX_LANES)),     # by_lane: the same for every lane
        counters=DependenceCounters,                              # in place of all that, if control words say what waits
    ),
)  # fmt: skip


@unit
def clear(board, warp, now):
    """A warp starts: nothing is pending."""
    for group in range(board.groups):
        board.ready[warp, group] = 0
    for group in range(SCALAR_GROUP, SCALAR_GROUP + board.scalars):
        board.ready[warp, group] = 0
    if board.by_lane != 0:
        for group in range(LANE_GROUPS):
            for lane in range(MAX_LANES):
                board.lane_ready[warp, group, lane] = 0
    board.last[warp] = now


@inlined
def blocking_group(board, code, warp, pc, mask, lanes, now):
    """The group that makes instruction `pc` of a warp wait longest after `now`, and from when it can be used; -1 and `now` if none does."""
    if board.by_lane != 0:
        return _blocking_group_of_lanes(board, code, warp, pc, mask, lanes, now)
    worst = np.int64(-1)
    latest = np.int64(now)
    bound = now - board.crosses
    for use in range(USE, USE + np.int64(code[pc, USES])):
        group = np.int64(code[pc, use])
        ready = np.int64(board.ready[warp, group])
        if ready > bound:  # else it can be used, wherever it comes from
            time = ready + np.int64(board.crossing[board.port[warp, group], code[pc, PORT]])
            if time > latest and ready > 0:  # 0: nothing has written it yet
                latest = time
                bound = time - board.crosses
                worst = group
    return worst, latest


@out_of_line
def _blocking_group_of_lanes(board, code, warp, pc, mask, lanes, now):
    worst = np.int64(-1)
    latest = np.int64(now)
    for use in range(USE, USE + code[pc, USES]):
        group = np.int64(code[pc, use])
        if board.ready[warp, group] > latest:  # the lane that waits longest; it may be on a different path
            time = ready_at(board, code, warp, pc, group, mask, lanes)
            if time > latest:
                latest = time
                worst = group
    return worst, latest


@inlined
def ready_at(board, code, warp, pc, group, mask, lanes):
    """The first cycle in which a group can be used by instruction `pc` in the lanes in `mask`."""
    if board.by_lane != 0 and group < LANE_GROUPS:
        return _lanes_ready_at(board, warp, group, mask, lanes)
    ready = np.int64(board.ready[warp, group])
    if board.crosses != 0 and ready < FOREVER:
        ready += np.int64(board.crossing[board.port[warp, group], code[pc, PORT]])
    return ready


@out_of_line
def _lanes_ready_at(board, warp, group, mask, lanes):
    latest = np.int64(0)
    for lane in range(lanes):
        if has(mask, lane):
            latest = max(latest, np.int64(board.lane_ready[warp, group, lane]))
    return latest


@inlined
def mark_busy(board, code, warp, pc, mask, lanes, until, reason):
    """What instruction `pc` writes is busy until a cycle, or with FOREVER until `mark_busy` is called again."""
    if board.by_lane != 0:
        _mark_busy_lanes(board, code, warp, pc, mask, lanes, until, reason)
    else:
        writes = np.int64(code[pc, WRITES])
        if writes > 0:
            _mark_group(board, code, warp, pc, np.int64(code[pc, USE]), until, reason)
        for use in range(USE + 1, USE + writes):
            _mark_group(board, code, warp, pc, np.int64(code[pc, use]), until, reason)
    if until < FOREVER:
        board.last[warp] = max(board.last[warp], np.int64(until))


@inlined
def release(board, code, warp, pc, mask, lanes, until, reason):
    """What instruction `pc` writes was busy with FOREVER: now it is known until when."""
    mark_busy(board, code, warp, pc, mask, lanes, until, reason)


@inlined
def _mark_group(board, code, warp, pc, group, until, reason):
    board.ready[warp, group] = until
    board.reason[warp, group] = reason
    board.port[warp, group] = code[pc, PORT]


@out_of_line
def _mark_busy_lanes(board, code, warp, pc, mask, lanes, until, reason):
    for use in range(USE, USE + code[pc, WRITES]):
        group = code[pc, use]
        latest = np.int64(until)
        if group < LANE_GROUPS:
            for lane in range(lanes):
                if has(mask, lane):
                    board.lane_ready[warp, group, lane] = until
                else:
                    latest = max(latest, np.int64(board.lane_ready[warp, group, lane]))
        board.ready[warp, group] = latest
        if until >= latest:  # else a lane on a different path waits longer, for a different reason
            board.reason[warp, group] = reason
