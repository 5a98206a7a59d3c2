"""Convergence barriers and syncs of independent threads, call by call, against sets of lanes."""

import random
from itertools import product

import numpy as np
import pytest

from warploom.machine.core.divergence.its import ConvergenceBarriers, _join, _next, open_barriers, sync
from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, AT_SYNC, READY, PathTable
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import mirror, zeros

WARP, LANES = 3, 8
PLACES = (5, 9)


def lanes_of(mask):
    return {lane for lane in range(LANES) if int(mask) >> lane & 1}


def mask_of(lanes):
    return np.uint64(sum(1 << lane for lane in lanes))


def tables(groups, barriers, live, named):
    """groups: (lanes, pc, state). barriers: (pc, members). named: by lane AT_SYNC, whom it waits for. What is in other rows is old."""
    paths, convergence, warps = (mirror(zeros(1, kind))[0] for kind in (PathTable, ConvergenceBarriers, Warps))
    paths.mask[:], paths.pc[:], paths.state[:] = 0xFF, PLACES[0], AT_RECONVERGENCE
    convergence.pc[:], convergence.members[:], convergence.named[:] = PLACES[0], 0xFF, 0
    paths.count[WARP], convergence.count[WARP], convergence.backward_jumps[WARP] = len(groups), len(barriers), 7
    for row, (lanes, pc, state) in enumerate(groups):
        paths.mask[WARP, row], paths.pc[WARP, row], paths.state[WARP, row] = mask_of(lanes), pc, state
    for row, (pc, members) in enumerate(barriers):
        convergence.pc[WARP, row], convergence.members[WARP, row] = pc, mask_of(members)
    for lane, others in named.items():
        convergence.named[WARP, lane] = mask_of(others)
    convergence.syncing[WARP], warps.threads[WARP] = mask_of(named), mask_of(live)
    return paths, convergence, warps


def by_place(paths):
    """The lanes that wait, by instruction and state: how many rows they take is nobody's affair."""
    found: dict[tuple[int, int], set[int]] = {}
    for row in range(int(paths.count[WARP])):
        lanes = lanes_of(paths.mask[WARP, row])
        assert lanes and not any(lanes & others for others in found.values())
        found.setdefault((int(paths.pc[WARP, row]), int(paths.state[WARP, row])), set()).update(lanes)
    return found


def opened(groups, barriers, live, named):
    """What is left of barriers, whether one went, who waits where, and who is at a sync."""
    come = {pc: set().union(*(lanes for lanes, place, state in groups if place == pc and state == AT_RECONVERGENCE)) for pc in PLACES}
    left = [(pc, members) for pc, members in barriers if (members & live) - come[pc]]
    free = {lane for lane, others in named.items() if not (others & live) - named.keys()}
    found: dict[tuple[int, int], set[int]] = {}
    for lanes, pc, state in groups:
        for lane in lanes:
            awaited = any(lane in members for place, members in left if place == pc)
            goes_on = (state == AT_RECONVERGENCE and not awaited) or (state == AT_SYNC and lanes <= free)
            found.setdefault((pc, READY if goes_on else state), set()).add(lane)
    return left, len(left) < len(barriers), found, named.keys() - free


@pytest.mark.parametrize("seed", range(120))
def test_lanes_go_on_when_all_that_are_left_have_come_to_their_barrier_or_sync(seed):
    chosen = random.Random(seed)
    live = {lane for lane in range(LANES) if chosen.random() < 0.8}
    lanes, groups = sorted(live), []
    chosen.shuffle(lanes)
    while lanes and chosen.random() < 0.9:
        count = chosen.randrange(1, 4)
        state = chosen.choice([AT_RECONVERGENCE, AT_RECONVERGENCE, AT_RECONVERGENCE, AT_SYNC, AT_SYNC, READY, AT_BARRIER])
        group, lanes = set(lanes[:count]), lanes[count:]
        if state != AT_RECONVERGENCE or not any(pc == PLACES[0] and other == state for _, pc, other in groups):
            groups.append((group, PLACES[0], state))
        else:
            groups.append((group, PLACES[1], state))
    somebody = range(LANES)
    barriers = [(chosen.choice(PLACES), set(chosen.sample(somebody, chosen.randrange(1, 5)))) for _ in range(chosen.randrange(4))]
    named = {lane: set(chosen.sample(somebody, chosen.randrange(1, 4))) for group, _, state in groups if state == AT_SYNC for lane in group}
    paths, convergence, warps = tables(groups, barriers, live, named)
    open_barriers(paths, convergence, warps, WARP)
    left, went, waiting, syncing = opened(groups, barriers, live, named)
    rows = range(int(convergence.count[WARP]))
    found = [(int(convergence.pc[WARP, row]), lanes_of(convergence.members[WARP, row])) for row in rows]
    assert sorted(found, key=str) == sorted(left, key=str)
    assert convergence.backward_jumps[WARP] == (0 if went else 7)
    assert by_place(paths) == waiting
    assert lanes_of(convergence.syncing[WARP]) == syncing


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_lanes_join_a_barrier_once_and_while_there_is_room(limit):
    _, convergence, _ = tables([], [(5, {0, 1, 2}), (9, {3})][:limit], set(), {})
    convergence.limit = limit
    rows = [(int(convergence.pc[WARP, row]), lanes_of(convergence.members[WARP, row])) for row in range(min(limit, 2))]
    for pc, lanes in ((5, {1, 2}), (5, {0, 1, 2}), (9, {1}), (5, {2, 3}), (7, {3})):
        if not any(place == pc and lanes <= members for place, members in rows) and len(rows) < limit:
            rows.append((pc, lanes))
        _join(convergence, WARP, pc, mask_of(lanes))
        found = range(int(convergence.count[WARP]))
        assert [(int(convergence.pc[WARP, row]), lanes_of(convergence.members[WARP, row])) for row in found] == rows


@pytest.mark.parametrize(("named", "waits"), [({0, 1}, False), ({0, 1, 6}, False), ({0, 4}, True), ({5}, True)])
def test_a_group_waits_at_a_sync_for_lanes_that_have_not_ended(named, waits):
    paths, convergence, warps = tables([], [], {0, 1, 4, 5}, {5: {0}})
    warps.mask[WARP], warps.pc[WARP] = mask_of({0, 1}), 12
    sync(paths, convergence, warps, WARP, mask_of(named))
    assert lanes_of(convergence.syncing[WARP]) == ({0, 1, 5} if waits else {5})
    assert by_place(paths) == ({(12, AT_SYNC): {0, 1}} if waits else {})
    assert lanes_of(warps.mask[WARP]) == (set() if waits else {0, 1})
    assert convergence.backward_jumps[WARP] == (0 if waits else 7)
    assert [lanes_of(row) for row in convergence.named[WARP, :3]] == [named if waits else set()] * 2 + [set()]


@pytest.mark.parametrize("states", list(product((READY, AT_RECONVERGENCE, AT_BARRIER), repeat=3)))
def test_the_first_group_that_is_ready_runs_and_else_the_first_that_waits_for_others(states):
    """All wait for lane 7 at instruction 5, which is at a barrier of the block; the one that goes on is no longer waited for there."""
    groups = [({number}, 5, state) for number, state in enumerate(states)]
    paths, convergence, warps = tables([*groups, ({7}, 9, AT_BARRIER)], [(5, {0, 1, 2, 7})], {0, 1, 2, 7}, {})
    goes = next((number for kind in (READY, AT_RECONVERGENCE) for number, state in enumerate(states) if state == kind), None)
    assert _next(paths, convergence, warps, WARP) == int(goes is not None)
    assert lanes_of(warps.mask[WARP]) == ({goes} if goes is not None else set())
    assert warps.pc[WARP] == (5 if goes is not None else 0)
    members = {0, 1, 2, 7} - ({goes} if goes is not None and states[goes] == AT_RECONVERGENCE else set())
    assert lanes_of(convergence.members[WARP, 0]) == members
    left = by_place(paths)
    expected = {}
    for lanes, place, state in [*(group for number, group in enumerate(groups) if number != goes), ({7}, 9, AT_BARRIER)]:
        expected.setdefault((place, state), set()).update(lanes)
    assert left == expected
