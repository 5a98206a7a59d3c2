"""The steps of forming warps anew, call by call: who chooses a path, what is counted at each place, and which priority that gives."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, core_of, mask
from warploom.machine.accounting.reasons import BRANCH_RESOLVING, NOT_SELECTED
from warploom.machine.core.divergence import dwf
from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, READY, put
from warploom.machine.core.divergence.thread_pool import LOWEST_PC, MAJORITY, TIME_STAMP


@pytest.mark.parametrize("buffer", [0, 2])
@pytest.mark.parametrize("forms", [0, 1])
def test_the_first_stage_of_a_cycle_notes_counts_chooses_forms_and_ranks(monkeypatch, buffer, forms):
    """Of the warps 0 to 8, 1 to 4 and 6 to 8 have several groups, 3 is at a barrier and 4 has ended. 0, 1, 3, 6, 8 have issued; 1, 2, 5 are
    ready, 6 and 7 have no instruction, 8 waits for a register."""
    gpu, core, tables = core_of()
    warps, calls = core.warps, []
    warps.active, warps.draining = mask(*range(9)), mask(4)
    warps.diverged, warps.at_barrier, warps.starved = mask(1, 2, 3, 4, 6, 7, 8), mask(3), mask(6, 7)
    core.fetch.buffer, core.thread_pool.forms = buffer, forms
    monkeypatch.setattr(dwf, "note_issue", lambda core, warp: calls.append(("note", warp)) or int(warp in {0, 1, 3, 4, 6, 8}))
    monkeypatch.setattr(dwf, "ready_warps", lambda core, now: mask(1, 2, 5))
    monkeypatch.setattr(dwf, "_count_places", lambda core, ready: calls.append(("count", int(ready))))
    monkeypatch.setattr(dwf, "_choose", lambda gpu, core, warp, tables, now: calls.append(("choose", warp)))
    monkeypatch.setattr(dwf, "_form", lambda gpu, core, ready, tables, now: calls.append(("form", int(ready))))
    monkeypatch.setattr(dwf, "_rank", lambda core: calls.append(("rank",)))
    dwf.form_warps(gpu, core, tables, 40)
    ready = int(mask(1, 2, 5))
    chosen = [("choose", warp) for warp in ((1, 6) if buffer else (1, 2))]
    noted = [("note", warp) for warp in (0, 1, 2, 3, 5, 6, 7, 8)]
    assert calls == [*noted, ("count", ready), *chosen, *([("form", ready)] if forms else []), ("rank",)]
    assert core.thread_pool.unsettled == (mask(0, 3, 8) if buffer else mask(0, 3, 6, 8))  # who chooses later


def test_places_are_counted_thread_by_thread_and_the_majority_stays_while_one_is_left():
    _, core, _ = core_of()
    warps, paths, pool = core.warps, core.path_table, core.thread_pool
    pool.heuristic, pool.majority = MAJORITY, 99
    warps.pc[:4], warps.mask[:4] = (7, 3, 7, 1), (0b0001, 0b0111, 0b1110, 0b1111)
    paths.count[0], paths.pc[0, :3], paths.mask[0, :3] = 3, (3, 5, 9), (2, 4, 8)
    paths.state[0, :3] = READY, READY, AT_RECONVERGENCE
    dwf._count_places(core, mask(0, 1, 2))
    found = [(int(pool.pc[place]), int(pool.threads[place])) for place in range(pool.places)]
    assert found == [(7, 4), (3, 4), (5, 1)]
    assert pool.majority == 3  # of several the lowest
    warps.mask[2] = 0b1111
    dwf._count_places(core, mask(0, 1, 2))
    assert pool.majority == 3  # though there are more at 7 now
    dwf._count_places(core, mask(2, 3))
    assert pool.majority == 1
    pool.majority, warps.pc[:2], warps.mask[:2], paths.count[0] = 99, (4, 9), (0b0011, 0b0111), 0
    dwf._count_places(core, mask(0, 1))
    assert pool.majority == 9  # by one thread
    dwf._count_places(core, mask())
    assert (pool.majority, pool.places) == (-1, 0)


def test_priorities_are_the_pc_the_oldest_arrival_or_the_number_of_threads():
    _, core, _ = core_of()
    pool = core.thread_pool
    pool.heuristic = LOWEST_PC
    assert dwf._priority(pool, 2, mask(0, 1), 17) == 17
    pool.heuristic, pool.arrived[2, :4] = TIME_STAMP, (9, 6, 8, 2)
    assert [int(dwf._priority(pool, 2, mask(*lanes), 17)) for lanes in ((0,), (0, 1), (0, 2), (1, 2, 3))] == [9, 6, 8, 2]
    pool.heuristic, pool.majority, pool.places, pool.pc[:3], pool.threads[:3] = MAJORITY, 5, 3, (3, 5, 7), (6, 8, 1)
    order = [int(dwf._priority(pool, 2, mask(0), pc)) for pc in (5, 3, 7, 8)]
    assert order == sorted(set(order))  # the majority's first, then the more threads the sooner, last where none was ready
    assert order[0] == 0


def test_a_warps_rank_is_the_priority_of_its_running_group_at_its_own_scheduler(monkeypatch):
    _, core, _ = core_of()
    warps = core.warps
    monkeypatch.setattr(dwf, "_priority", lambda pool, warp, mask, pc: 100 * warp + int(mask) + pc)
    warps.active, warps.draining, warps.scheduler[:8] = mask(0, 1, 2, 3), mask(2), [0, 1] * 4
    warps.mask[:4], warps.pc[:4] = (3, 5, 7, 0), (10, 20, 30, 40)
    for scheduler in core.schedulers[:2]:
        scheduler.rank[:] = -1
    dwf._rank(core)
    assert [[int(rank) for rank in scheduler.rank[:4]] for scheduler in core.schedulers[:2]] == [[13, -1, -1, -1], [-1, 125, -1, -1]]


@pytest.mark.parametrize("running", [0, 3])
@pytest.mark.parametrize(
    ("ranks", "chosen"), [((5, 3, 9), 2), ((5, 5, 9), 1), ((5, 9, 5), 1), ((9, 9, 9), 0), ((9, 9, 2), 0), ((9, 9, 8), 0)]
)
def test_the_group_that_the_heuristic_puts_first_runs_and_the_running_one_where_none_is_before_it(monkeypatch, running, ranks, chosen):
    """The running group has the priority 9, or there is none. Of the groups at 1, 2 and 3 the last waits to reconverge."""
    _, core, tables = core_of()
    warps, paths, calls = core.warps, core.path_table, []
    warps.threads[4], warps.mask[4], warps.pc[4] = 0b1111_1111, running, 20
    for place, state in ((1, READY), (2, READY), (3, AT_RECONVERGENCE)):
        put(paths, 4, mask(2 * place, 2 * place + 1), np.int64(20 + place), state)
    priority = {20: 9, **{21 + place: rank for place, rank in enumerate(ranks)}}
    monkeypatch.setattr(dwf, "_priority", lambda pool, warp, mask, pc: np.int64(priority[int(pc)]))
    for name in ("_account_before_leaving", "_examine_again"):
        monkeypatch.setattr(dwf, name, lambda *given, name=name: calls.append(name))
    dwf._choose(None, core, 4, tables, 40)
    chosen = chosen or (0 if running else 1)
    assert calls == (["_account_before_leaving", "_examine_again"] if chosen else [])
    assert (warps.pc[4], warps.mask[4]) == ((20 + chosen, mask(2 * chosen, 2 * chosen + 1)) if chosen else (20, running))
    left = {(20 + place, int(mask(2 * place, 2 * place + 1))) for place in (1, 2, 3) if place != chosen}
    left |= {(20, running)} if running and chosen else set()
    assert {(int(paths.pc[4, row]), int(paths.mask[4, row])) for row in range(int(paths.count[4]))} == left


@pytest.mark.parametrize("buffer", [0, 2])
def test_a_warp_that_goes_on_elsewhere_is_examined_at_once_unless_its_branch_is_not_resolved(monkeypatch, buffer):
    for reason, wake, rings in ((NOT_SELECTED, 50, True), (BRANCH_RESOLVING, 50, False), (BRANCH_RESOLVING, 40, True)):
        _, core, _ = core_of()
        warps, calls = core.warps, []
        every = mask(3, 4, 5)
        warps.awake = warps.wake_time_known = warps.starved = every
        warps.wants[:], core.fetch.buffer, warps.pc[4], warps.reason[4], warps.wake[4] = every, buffer, 17, reason, wake
        monkeypatch.setattr(dwf, "redirect", lambda fetch, warp, pc, calls=calls: calls.append(("redirect", warp, int(pc))))
        monkeypatch.setattr(dwf, "set_alarm", lambda warps, warp, time, now, calls=calls: calls.append(("alarm", warp, time, now)))
        dwf._examine_again(core, 4, 40)
        assert warps.awake == warps.wake_time_known == warps.starved == mask(3, 5)
        assert {int(wants) for wants in warps.wants} == {int(mask(3, 5))}
        assert calls == [("redirect", 4, 17)] * (buffer > 0) + [("alarm", 4, 40, 40)] * rings


@pytest.mark.parametrize(
    ("awake", "wake", "spans"),
    [(True, 30, [(7, 30), (NOT_SELECTED, 40)]), (True, 50, [(7, 40), (NOT_SELECTED, 40)]), (False, 30, [(7, 40)])],
)
def test_what_a_warp_has_waited_for_is_accounted_before_it_leaves_its_place(monkeypatch, awake, wake, spans):
    gpu, core, tables = core_of()
    calls = []
    monkeypatch.setattr(dwf, "account", lambda gpu, core, warp, reason, tables, until: calls.append((int(reason), int(until))))
    core.warps.awake, core.warps.reason[4], core.warps.wake[4] = mask(4) if awake else mask(5), 7, wake
    dwf._account_before_leaving(gpu, core, 4, tables, 40)
    assert calls == spans


def test_a_warp_that_has_lost_its_running_threads_runs_others_and_one_without_threads_ends(monkeypatch):
    gpu, core, tables = core_of()
    calls = []
    for name in ("_examine_again", "_choose"):
        monkeypatch.setattr(dwf, name, lambda *given, name=name: calls.append(name))
    monkeypatch.setattr(dwf, "end_warp", lambda gpu, core, warp, pc, lanes, tables, now: calls.append((warp, int(pc), lanes, now)))
    core.warps.pc[4] = 17
    for threads, running, expected in ((0, 0, ["_examine_again", (4, 17, 0, 39)]), (6, 0, ["_choose"]), (6, 2, [])):
        core.warps.threads[4], core.warps.mask[4] = threads, running
        del calls[:]
        dwf._lost_threads(gpu, core, 4, tables, 40)
        assert calls == expected


@pytest.mark.parametrize("any_block", [0, 1])
def test_warps_with_room_take_threads_from_ready_warps_until_they_are_full(monkeypatch, any_block):
    """Warp 0 is full, 1 has no thread, 2 has room for lanes 2 and 3 of which 3 waits at a barrier, 4 is of a different block."""
    gpu, core, tables = core_of()
    warps, calls = core.warps, []
    warps.lanes, core.thread_pool.any_block = 4, any_block
    warps.mask[:6], warps.threads[:6] = (15, 0, 3, 1, 3, 1), (15, 0, 11, 15, 15, 15)
    warps.block[:6], warps.launched[:6] = (0, 0, 0, 0, 1, 0), (15, 0, 0b0011, 0b0101, 15, 15)
    put(core.path_table, 2, mask(3), np.int64(9), AT_BARRIER)
    offers = {(2, 3): (), (2, 4): (2,), (2, 5): (2,)}
    monkeypatch.setattr(
        dwf, "_movers", lambda core, warp, other, room: calls.append((warp, other, int(room))) or mask(*offers.get((warp, other), ()))
    )
    for name in ("_account_before_leaving", "_lost_threads"):
        monkeypatch.setattr(dwf, name, lambda gpu, core, warp, tables, now, name=name: calls.append((name, warp)))
    monkeypatch.setattr(dwf, "change_places", lambda core, warp, other, movers: calls.append(("change", warp, other, int(movers))))
    dwf._form(gpu, core, mask(0, 1, 2, 3, 4, 5), tables, 40)
    giver = 4 if any_block else 5
    move = [("_account_before_leaving", giver), ("change", 2, giver, 4), ("_lost_threads", giver)]
    asked = [call for call in calls if call[0] == 2 or isinstance(call[0], str)]
    others = [(2, other, 4) for other in (0, 1, 3, 4, 5) if (any_block or other != 4) and other <= giver]
    assert asked == [*others, *move]
    assert {call[0] for call in calls if not isinstance(call[0], str)} == ({2, 3, 4, 5} if any_block else {2, 3, 5})
    assert [int(lanes) for lanes in warps.launched[:6]] == [15, 0, 0b0111, 0b0101, *((11, 15) if any_block else (15, 11))]


# Two warps: (lanes that run, PC) of each, lanes of the other that wait at the same PC, those at a barrier; room; who join the first.
JOINS = [
    ((0b0011, 7), (0b1100, 7), 0, 0, 0b1100, 0b1100),  # of two as full the lower number takes
    ((0b0001, 7), (0b1100, 7), 0, 0, 0b1110, 0),  # the fuller takes, which is the other
    ((0b0111, 7), (0b1010, 7), 0, 0, 0b1000, 0b1000),  # a lane keeps its place
    ((0b0001, 7), (0b1100, 9), 0, 0, 0b1110, 0),  # elsewhere
    ((0b0001, 7), (0b1100, 9), 0b0010, 0, 0b1110, 0b0010),  # those that wait at this PC, however full the other is
    ((0b0011, 7), (0b0100, 7), 0b1000, 0, 0b0100, 0b0100),
    ((0b0011, 7), (0b0100, 7), 0, 0b1000, 0b1100, 0b0100),  # some of it stand at a barrier: the places must have threads of this warp
    ((0b0011, 7), (0b0100, 7), 0, 0b0010, 0b0100, 0b0100),
    ((0b0001, 7), (0b1000, 7), 0, 0b0010, 0b1110, 0),  # in lane 3 of this one no thread is left
]


@pytest.mark.parametrize(("mine", "theirs", "waiting", "at_barrier", "room", "joining"), JOINS)
@pytest.mark.parametrize("other", [1, 2])
def test_who_joins_a_warp(mine, theirs, waiting, at_barrier, room, joining, other):
    _, (core, *_), _ = bench(core__divergence="dwf")
    warps, paths = core.warps, core.path_table
    (warps.mask[0], warps.pc[0]), (warps.mask[other], warps.pc[other]) = mine, theirs
    warps.threads[0], warps.threads[other] = mine[0] | 0b0100, 0b1111
    for lanes, pc, state in ((waiting, 7, READY), (at_barrier, 3, AT_BARRIER)):
        if lanes:
            put(paths, other, np.uint64(lanes), np.int64(pc), state)
    assert dwf._movers(core, 0, other, np.uint64(room)) == joining


def test_of_two_warps_as_full_at_one_pc_the_higher_number_does_not_take():
    _, (core, *_), _ = bench(core__divergence="dwf")
    core.warps.mask[:2], core.warps.pc[:2], core.warps.threads[:2] = (0b0011, 0b1100), 7, 0b1111
    assert (dwf._movers(core, 0, 1, np.uint64(0b1100)), dwf._movers(core, 1, 0, np.uint64(0b0011))) == (0b1100, 0)


def test_threads_that_change_places_keep_whether_they_were_launched(monkeypatch):
    """Threads 4 to 7 of two warps: of those launched before neither, the second, the first and both of them."""
    _, (core, *_), _ = bench(core__divergence="dwf", core__lanes=8)
    warps = core.warps
    warps.mask[:2], warps.threads[:2], warps.launched[:2] = (0x0F, 0xFF), 0xFF, (0xA3, 0xC5)
    for name in ("_account_before_leaving", "change_places", "_lost_threads"):
        monkeypatch.setattr(dwf, name, lambda *_: None)
    monkeypatch.setattr(dwf, "_movers", lambda core, warp, other, room: np.uint64(0xF0) & room)
    dwf._form(None, core, np.uint64(0b11), None, np.int64(9))
    assert warps.launched[:2].tolist() == [0xC3, 0xA5]
