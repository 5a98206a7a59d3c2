"""Each policy against what its docstring says, written with sets and lists: the same masks, cycle by cycle, of several schedulers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.core.scheduling.scheduler import Scheduler, add_warp
from warploom.machine.engine.unit import mirror, zeros

WARPS, CYCLES = 11, 60  # the last group, and the last round of a scheduler, are not full


def scheduler(number, step, group):
    s = mirror(zeros(1, Scheduler))[0]
    s.last, s.warps, s.number, s.step, s.group_size = -1, WARPS, number, step, group
    return s


def bits(warps):
    return sum(1 << warp for warp in warps)


def round_from(warps, last):
    """The first of some warps after the last one, going round; -1 where there is none."""
    return min(warps, key=lambda warp: (warp - last - 1) % WARPS, default=-1)


class RoundRobin:
    def __init__(self, number, step, group):
        self.last = -1

    def pick(self, cycle):
        pick = round_from(cycle["eligible"], self.last)
        self.last = pick if pick >= 0 else self.last
        return pick


class Oldest:
    def __init__(self, number, step, group):
        pass

    def pick(self, cycle):
        return min(cycle["eligible"], key=lambda warp: (cycle["ages"][warp], warp), default=-1)


class GreedyOldest(Oldest):
    def __init__(self, number, step, group):
        self.last = -1

    def pick(self, cycle):
        pick = self.last if self.last in cycle["eligible"] else super().pick(cycle)
        self.last = pick if pick >= 0 else self.last
        return pick


class GreedyYoungest:
    def __init__(self, number, step, group):
        self.last = -1

    def pick(self, cycle):
        willing = cycle["eligible"] - cycle["yielded"]
        if self.last not in willing:
            left = willing or cycle["eligible"]
            pick = max(left, key=lambda warp: (cycle["ages"][warp], warp), default=-1)
            self.last = pick if pick >= 0 else self.last
            return pick
        return self.last


class Lowest:
    def __init__(self, number, step, group):
        pass

    def pick(self, cycle):
        return min(cycle["eligible"], default=-1)


class TwoLevel:
    """Groups of so many of the scheduler's own warps; the current one is left when all of its warps wait for memory."""

    def __init__(self, number, step, group):
        own = [warp for warp in range(WARPS) if warp % step == number]
        # Schedulers cut the core's slots at the same places, so the group of a slot does not depend on whose it is.
        self.groups = [set(own) & set(range(low, low + group * step)) for low in range(0, WARPS, group * step)]
        self.now, self.last = 0, -1

    def pick(self, cycle):
        ready = cycle["eligible"]
        for offset in range(len(self.groups)):
            index = (self.now + offset) % len(self.groups)
            members = self.groups[index] & cycle["active"]
            if members & ready or members - cycle["waiting_memory"]:
                self.now = index
                ready = members & ready or ready
                break
        pick = round_from(ready, self.last)
        self.last = pick if pick >= 0 else self.last
        return pick


class Vortex:
    def __init__(self, number, step, group):
        self.visible = set()

    def pick(self, cycle):
        able = (cycle["active"] & cycle["awake"]) - cycle["at_barrier"]
        if not self.visible & able:
            self.visible = set(cycle["active"])
        pick = min(self.visible & able, default=-1)
        self.visible -= {pick}
        return pick


class Guppy:
    """A pointer to one of its slots: it stays at a warp that runs, and goes on from one that waits, has ended or begins anew."""

    def __init__(self, number, step, group):
        self.own = [warp for warp in range(WARPS) if warp % step == number]
        self.place, self.kept = 0, None

    def pick(self, cycle):
        slot = self.own[self.place]
        if self.kept is not None and (slot not in cycle["active"] or cycle["ages"][slot] != self.kept):
            self.place = (self.place + 1) % len(self.own)
            slot = self.own[self.place]
        runs = slot in cycle["active"] and slot in cycle["awake"]
        self.kept = cycle["ages"][slot] if runs else None
        if not runs:
            self.place = (self.place + 1) % len(self.own)
        return slot


MODELS = {
    "round_robin": RoundRobin, "greedy_oldest": GreedyOldest, "greedy_youngest": GreedyYoungest, "oldest": Oldest, "lowest": Lowest,
    "two_level": TwoLevel, "vortex": Vortex, "guppy": Guppy,
}  # fmt: skip


def cycles(source, own):
    """Cycles in which each warp that a scheduler owns runs, waits for memory, for something else, at a barrier, or is not there.

    Warps keep what they do for a while, and now and then one begins anew.
    """
    ages, doing = [source.randrange(4) for _ in range(WARPS)], {}
    for now in range(CYCLES):
        for warp in own:
            if warp not in doing or source.random() < 0.25:
                doing[warp] = source.choice(
                    ("can issue", "can issue", "has no unit", "waits", "waits for memory", "is at a barrier", "is not there")
                )
            if source.random() < 0.1:
                ages[warp] = 4 + now
        yield {
            "eligible": {warp for warp in own if doing[warp] == "can issue"},
            "awake": {warp for warp in own if doing[warp] in ("can issue", "has no unit")},
            "waiting_memory": {warp for warp in own if doing[warp] == "waits for memory"},
            "at_barrier": {warp for warp in own if doing[warp] == "is at a barrier"},
            "active": {warp for warp in own if doing[warp] != "is not there"},
            "yielded": {warp for warp in own if (now + warp) % 5 == 0},
            "ages": list(ages),
        }


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("number", "step", "group"), [(0, 1, 4), (0, 1, 1), (1, 2, 3), (0, 1, 16), (2, 3, 2), (0, 1, 11)])
def test_a_policy_does_what_it_says(policy, number, step, group):
    source = random.Random(f"{policy} {number} {step} {group}")
    s, model = scheduler(number, step, group), MODELS[policy](number, step, group)
    known = [None] * WARPS
    for now, cycle in enumerate(cycles(source, range(number, WARPS, step))):
        for warp, age in enumerate(cycle["ages"]):
            if known[warp] != age:
                add_warp(s, warp, age)
                known[warp] = age
        for name in ("eligible", "awake", "waiting_memory", "at_barrier", "active", "yielded"):
            setattr(s, name, bits(cycle[name]))
        with np.errstate(over="ignore"):  # hardware's arithmetic goes round
            pick = int(POLICIES[policy].choose(s, now))
        assert pick == model.pick(cycle), (now, cycle)
        s.last = pick if pick >= 0 else s.last


def test_a_group_of_no_warps_is_one_of_one():
    """`core.fetch_group` is 1 at least; a record that was never configured does not divide by it."""
    s = scheduler(0, 1, 0)
    s.active = s.eligible = 0b110
    with np.errstate(over="ignore"):
        for _ in range(3):
            s.last = POLICIES["two_level"].choose(s, 0)
            assert s.last == 1


@pytest.mark.parametrize(("number", "step", "group"), [(0, 1, 1), (0, 1, 2), (0, 1, 5), (1, 2, 1), (0, 2, 2), (1, 3, 1), (0, 1, 10)])
def test_a_group_that_does_not_wait_for_memory_as_a_whole_is_kept_whoever_could_issue(number, step, group):
    """Most warps wait for memory here, and what they do changes often: groups come and go, the last one with fewer warps too."""
    source = random.Random(group * 10 + step)
    s, model = scheduler(number, step, group), TwoLevel(number, step, group)
    own = range(number, WARPS, step)
    for now in range(200):
        doing = {warp: source.choice(("can issue", *["waits for memory"] * 4, "waits")) for warp in own}
        cycle = {"active": set(own), "eligible": {warp for warp in own if doing[warp] == "can issue"}}
        cycle["waiting_memory"] = {warp for warp in own if doing[warp] == "waits for memory"}
        for name, warps in cycle.items():
            setattr(s, name, bits(warps))
        with np.errstate(over="ignore"):
            pick = int(POLICIES["two_level"].choose(s, now))
        assert pick == model.pick(cycle), (now, cycle)
        s.last = pick if pick >= 0 else s.last


def test_guppys_is_asked_in_every_cycle_and_says_what_it_visits():
    assert (
        {name for name, row in POLICIES.items() if row.every_cycle} == {name for name, row in POLICIES.items() if row.visits} == {"guppy"}
    )
