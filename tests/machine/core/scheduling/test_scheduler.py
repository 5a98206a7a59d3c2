"""What each scheduling policy picks, given the masks that it sees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.core.scheduling.policies import (
    POLICIES,
    greedy_oldest,
    greedy_youngest,
    guppy,
    lowest_first,
    oldest,
    round_robin,
    two_level,
    vortex,
)
from warploom.machine.core.scheduling.scheduler import Scheduler, add_warp
from warploom.machine.engine.bits import after
from warploom.machine.engine.unit import mirror, unit

WARPS = 12
ELIGIBLE, AWAKE, ACTIVE, MEMORY, BARRIER = range(5)


@unit
def _show(s, masks, k):
    s.eligible = masks[k, ELIGIBLE]
    s.awake = masks[k, AWAKE]
    s.active = masks[k, ACTIVE]
    s.waiting_memory = masks[k, MEMORY]
    s.at_barrier = masks[k, BARRIER]


@unit
def drive_round_robin(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = round_robin(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_greedy_oldest(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = greedy_oldest(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_greedy_youngest(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = greedy_youngest(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_oldest(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = oldest(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_lowest_first(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = lowest_first(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_two_level(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = two_level(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_vortex(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = vortex(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


@unit
def drive_guppy(schedulers, masks, picks):
    for k in range(masks.shape[0]):
        _show(schedulers[0], masks, k)
        picks[k] = guppy(schedulers[0], np.int64(k))
        schedulers[0].last = picks[k] if picks[k] >= 0 else schedulers[0].last


DRIVERS = {
    "round_robin": drive_round_robin, "greedy_oldest": drive_greedy_oldest,
    "greedy_youngest": drive_greedy_youngest, "oldest": drive_oldest,
    "lowest": drive_lowest_first, "two_level": drive_two_level, "vortex": drive_vortex, "guppy": drive_guppy,
}  # fmt: skip


def run(policy, cycles, *, launched=None, number=0, step=1, group=4, yielded=()):
    """Picks of a policy. A cycle is (eligible, awake, active, waiting for memory, at a barrier) as sets; later ones may be left out."""
    scheduler = np.zeros(1, Scheduler)
    scheduler["last"], scheduler["warps"], scheduler["number"], scheduler["step"], scheduler["group_size"] = -1, WARPS, number, step, group
    scheduler["owned"], scheduler["yielded"] = bits(range(number, WARPS, step)), bits(yielded)
    for warp, age in enumerate(launched if launched is not None else range(100, 100 + WARPS)):
        add_warp(mirror(scheduler)[0], warp, age)
    rows = []
    for cycle in cycles:
        eligible, awake, active, memory, barrier = (*cycle, None, None, None, None)[:5]
        awake = eligible if awake is None else awake
        rows.append(
            [bits(eligible), bits(awake), bits(range(number, WARPS, step) if active is None else active), bits(memory), bits(barrier)]
        )
    masks = np.array(rows, np.uint64).reshape(-1, 5)
    _, after_ = both(DRIVERS[policy], scheduler, masks, np.zeros(len(rows), np.int64))
    return after_[2].tolist(), after_[0][0]


def bits(warps):
    return sum(1 << warp for warp in warps or ())


def test_every_policy_is_tested():
    assert set(DRIVERS) == set(POLICIES)


sets = st.sets(st.integers(0, WARPS - 1))


@st.composite
def cycles(draw):
    rows = []
    for _ in range(draw(st.integers(1, 20))):
        active = draw(sets)
        awake = draw(sets) & active
        barrier = (draw(sets) & active) - awake
        rows.append((draw(sets) & awake, awake, active, (draw(sets) & active) - awake, barrier))
    return rows


@pytest.mark.every(2)
@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None)
@given(rows=cycles())
def test_a_policy_picks_a_warp_that_it_owns_or_none(policy, rows):
    picks, _ = run(policy, rows)
    for (eligible, awake, _, _, barrier), pick in zip(rows, picks, strict=True):
        assert -1 <= pick < WARPS
        if policy == "vortex":
            assert pick in awake - barrier or (pick == -1 and not awake - barrier)
        elif policy != "guppy":
            assert (pick in eligible) or (pick == -1 and not eligible)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("number", [0, 2])
def test_a_scheduler_of_several_stays_with_its_own_warps(policy, number):
    own = set(range(number, WARPS, 3))
    picks, _ = run(policy, [(own,)] * 9, number=number, step=3)
    assert set(picks) <= own


@settings(max_examples=100, deadline=None)
@given(rows=cycles())
def test_round_robin_goes_round(rows):
    picks, _ = run("round_robin", rows)
    last = -1
    for (eligible, *_), pick in zip(rows, picks, strict=True):
        order = [(last + 1 + offset) % WARPS for offset in range(WARPS)]
        assert pick == next((warp for warp in order if warp in eligible), -1)
        last = pick if pick >= 0 else last


@settings(max_examples=100, deadline=None)
@given(rows=cycles(), ages=st.permutations(range(WARPS)))
def test_greedy_oldest_keeps_its_warp_and_then_takes_the_oldest(rows, ages):
    picks, _ = run("greedy_oldest", rows, launched=list(ages))
    plain, _ = run("oldest", rows, launched=list(ages))
    last = None
    for (eligible, *_), pick, by_age in zip(rows, picks, plain, strict=True):
        first = min(eligible, key=lambda warp: ages[warp], default=-1)
        assert by_age == first
        assert pick == (last if last in eligible else first)
        last = pick if pick >= 0 else last


@settings(max_examples=100, deadline=None)
@given(rows=cycles(), ages=st.permutations(range(WARPS)), yielded=sets)
def test_greedy_youngest_keeps_a_warp_that_has_not_yielded_and_then_takes_the_youngest(rows, ages, yielded):
    picks, _ = run("greedy_youngest", rows, launched=list(ages), yielded=yielded)
    last = None
    for (eligible, *_), pick in zip(rows, picks, strict=True):
        willing = eligible - yielded or eligible
        kept = last in eligible - yielded
        assert pick == (last if kept else max(willing, key=lambda warp: ages[warp], default=-1))
        last = pick if pick >= 0 else last


def test_of_two_warps_of_one_age_the_lower_number_is_older():
    assert run("oldest", [({5, 3, 8},)], launched=[7] * WARPS)[0] == [3]


@settings(max_examples=40, deadline=None)
@given(rows=cycles())
def test_lowest_picks_the_lowest(rows):
    picks, _ = run("lowest", rows)
    assert picks == [min(row[0], default=-1) for row in rows]


def test_two_level_stays_in_its_group_until_all_of_it_wait_for_memory():
    everyone = set(range(WARPS))
    others = everyone - {0, 1, 2, 3}
    rows = [
        (everyone,), (everyone,), (everyone,), (everyone,), (everyone,),   # round and round in the first group
        (others | {2}, None, None, {0, 1, 3}),                             # one of it can still issue
        (others, None, None, {0, 1, 3}),                                   # one waits for something short: the group stays
        (others, None, None, {0, 1, 2, 3}),                                # all wait for memory: the next group
        (everyone,), (everyone,),                                          # ... which stays, although the first is back
    ]  # fmt: skip
    picks, left = run("two_level", rows)
    assert picks[:6] == [0, 1, 2, 3, 0, 2]
    assert picks[6] in others
    assert all(pick in {4, 5, 6, 7} for pick in picks[7:])
    assert left["memory"][0] == 1


def test_two_level_passes_over_groups_without_warps():
    picks, _ = run("two_level", [({9}, None, {9, 10})])
    assert picks == [9]


def test_two_level_groups_hold_the_warps_that_the_scheduler_owns():
    own = {1, 4, 7, 10}
    rows = [(own, None, own)] * 4 + [({7, 10}, None, own, {1, 4})] * 2
    picks, left = run("two_level", rows, number=1, step=3, group=2)
    assert picks == [1, 4, 1, 4, 7, 10]
    assert left["memory"][0] == 1


def test_vortex_serves_each_visible_warp_once_a_round():
    three = {2, 5, 9}
    assert run("vortex", [(three, None, three)] * 7)[0] == [2, 5, 9, 2, 5, 9, 2]


def test_vortex_refills_its_visible_mask_when_those_left_in_it_wait():
    rows = [({2, 5}, None, {2, 5, 9}), ({2, 5}, None, {2, 5, 9}), ({2, 5}, None, {2, 5, 9}), ({9}, None, {2, 5, 9})]
    picks, left = run("vortex", rows)
    assert picks == [2, 5, 2, 9]
    assert left["visible"] == bits({5})


def test_vortex_looks_past_warps_at_a_barrier_and_not_past_a_lack_of_units():
    assert run("vortex", [({3}, {1, 3}, {1, 3}, None, {1})])[0] == [3]
    assert run("vortex", [({3}, {1, 3}, {1, 3})])[0] == [1]


def test_guppy_looks_at_one_slot_a_cycle_and_keeps_a_warp_that_runs():
    two = {0, 2}
    rows = [({0, 2}, None, two), ({0, 2}, None, two), ({2}, None, two), ({2}, None, two), ({2}, None, two), ({2}, None, two)]
    assert run("guppy", rows)[0] == [0, 0, 0, 1, 2, 2]


def test_guppy_goes_round_its_own_slots_and_loses_one_cycle_for_each_empty_one():
    nobody = [(set(), set(), set())]
    assert run("guppy", nobody * (WARPS + 2))[0] == [*range(WARPS), 0, 1]
    assert run("guppy", nobody * (WARPS // 2 + 2), number=1, step=2)[0] == [*range(1, WARPS, 2), 1, 3]


def test_guppy_stays_on_a_warp_that_only_lacks_an_alu():
    both_awake = {0, 1}
    assert run("guppy", [(set(), both_awake, both_awake)] * 3)[0] == [0, 0, 0]


@unit
def show_after(answers):
    for last in range(-1, 6):
        answers[last + 1] = after(np.uint64(0b100100), np.int64(last), np.int64(6))
    return after(np.uint64(0), np.int64(0), np.int64(6))


def test_after_goes_round():
    said, left = both(show_after, np.zeros(7, np.int64))
    assert said == -1
    assert left[0].tolist() == [2, 2, 2, 5, 5, 5, 2]
