"""Every replacement policy: one contract, and each against a slow model that is written in another way."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import settings as all_settings
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.replacement import POLICIES, SPAN, Replacement, arrive, configure, oldest_way, touch, victim

ARRIVE, TOUCH, VICTIM = range(3)


@unit
def drive(states, operations, answers):
    """Rows of `operations`: kind, set, way, cycle."""
    for k in range(operations.shape[0]):
        kind, set, way, now = operations[k, 0], operations[k, 1], operations[k, 2], operations[k, 3]
        if kind == ARRIVE:
            arrive(states[0], set, way, now)
        elif kind == TOUCH:
            touch(states[0], set, way, now)
        else:
            answers[k] = victim(states[0], set)


@unit
def oldest(states, set):
    return oldest_way(states[0], set)


SETS = 8


def fresh(policy, ways, seed=1):
    states = zeros(1, Replacement)
    configure(mirror(states)[0], SETS, ways, policy, seed)
    return states


def run(policy, ways, operations, seed=1):
    """The ways that the victim operations name, as both engines choose them."""
    rows = np.array(operations, np.int64).reshape(-1, 4)
    _, after = both(drive, fresh(policy, ways, seed), rows, np.full(len(rows), -1))
    return [int(way) for way, row in zip(after[2], rows, strict=True) if row[0] == VICTIM]


class Order:
    """LRU and FIFO: a list of ways, the next to go first."""

    def __init__(self, ways, moves_on_use):
        self.ways, self.moves_on_use = list(range(ways)), moves_on_use

    def arrive(self, way):
        self.ways.remove(way)
        self.ways.append(way)

    def touch(self, way):
        if self.moves_on_use:
            self.arrive(way)

    def victim(self):
        return self.ways[0]


class Tree:
    """Tree PLRU: every node is an object that knows which of its halves was used last."""

    def __init__(self, ways, begin=0):
        self.begin, self.ways, self.used_upper = begin, ways, True
        self.halves = [Tree(ways // 2, begin), Tree(ways // 2, begin + ways // 2)] if ways > 1 else []

    def arrive(self, way):
        if self.halves:
            self.used_upper = way >= self.begin + self.ways // 2
            self.halves[self.used_upper].arrive(way)

    touch = arrive

    def victim(self):
        return self.halves[not self.used_upper].victim() if self.halves else self.begin


MODELS = {"lru": lambda ways: Order(ways, True), "fifo": lambda ways: Order(ways, False), "plru": Tree}

steps = st.lists(st.tuples(st.sampled_from([ARRIVE, TOUCH, VICTIM]), st.integers(0, 2), st.integers(0, 63)), max_size=60)


@pytest.mark.parametrize("policy", MODELS)
@settings(max_examples=60, deadline=None)
@given(ways=st.sampled_from([1, 2, 3, 4, 8, 16, 64]), steps=steps)
def test_agrees_with_its_model(policy, ways, steps):
    if policy == "plru" and ways == 3:
        ways = 4
    models = [MODELS[policy](ways) for _ in range(3)]
    operations, expected = [], []
    for way in range(ways):  # sets are filled before anything else happens
        for set in range(3):
            operations.append((ARRIVE, set, way, len(operations)))
            models[set].arrive(way)
    for kind, set, way in steps:
        operations.append((kind, set, way % ways, len(operations)))
        if kind == VICTIM:
            expected.append(models[set].victim())
        else:
            (models[set].arrive if kind == ARRIVE else models[set].touch)(way % ways)
    assert run(policy, ways, operations) == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 5) | st.integers(0, SPAN - 1), min_size=1, max_size=64))
def test_the_oldest_way_was_used_first_and_is_the_lowest_of_those(stamps):
    states = fresh("lru", len(stamps))
    states["used"][0, 2 * len(stamps) : 3 * len(stamps)] = stamps
    assert both(oldest, states, 2)[0] == stamps.index(min(stamps))


@pytest.mark.parametrize("ways", [33, 100, 256])
def test_many_ways_in_groups_give_up_the_one_that_was_used_first(ways):
    """Against a list: a line is used or replaced, the clock goes on, seldom not."""
    rng = random.Random(ways)
    now, operations, stamps, expected = 0, [(ARRIVE, 1, way, 0) for way in range(ways)], [0] * ways, []
    for _ in range(600):
        now += rng.randrange(3)
        if rng.random() < 0.5:
            way, kind = rng.randrange(ways), TOUCH
        else:
            way, kind = stamps.index(min(stamps)), ARRIVE
            operations.append((VICTIM, 1, 0, now))
            expected.append(way)
        operations.append((kind, 1, way, now))
        stamps[way] = now
    assert run("lru", ways, operations) == expected


@pytest.mark.parametrize("policy", ["lru", "fifo"])
@pytest.mark.parametrize("ways", [4, 40])
def test_lines_are_told_apart_that_were_used_within_half_a_span(policy, ways):
    """The clock jumps as far as it has bits for and farther. Lines that were not used for half a span may all be as old as each other."""
    rng = random.Random(ways)
    now, used, operations, seen = 0, [0] * ways, [(ARRIVE, 2, way, 0) for way in range(ways)], []
    for _ in range(20 * ways):
        now += rng.choice([0, 1, 5, SPAN // 64, SPAN // 2, SPAN - 1, SPAN, 3 * SPAN]) if rng.random() < 1 / ways else 1
        way = rng.randrange(ways)
        operations.append((ARRIVE, 2, way, now))
        used[way] = now
        operations.append((VICTIM, 2, 0, now))
        seen.append((now, list(used)))
    exact = 0
    for (time, cycles), way in zip(seen, run(policy, ways, operations), strict=True):
        first = min(cycles)
        if first >= time - SPAN // 2:
            exact += 1
            assert way == cycles.index(first)
        assert cycles[way] == first or cycles[way] <= time - SPAN // 2
    assert exact > 20


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("ways", [1, 2, 4, 64])
def test_contract_a_victim_is_a_way_of_the_set_and_other_sets_have_no_say(policy, ways):
    filled = [(ARRIVE, 5, way, way) for way in range(ways)]
    elsewhere = [(TOUCH, 6, way, 1000 + way) for way in range(ways)]
    chosen = run(policy, ways, [*filled, (VICTIM, 5, 0, 2000)])
    assert chosen == run(policy, ways, [*filled, *elsewhere, (VICTIM, 5, 0, 2000)])
    assert 0 <= chosen[0] < ways


@pytest.mark.parametrize("policy", POLICIES)
def test_contract_two_runs_choose_the_same(policy):
    operations = [(k % 3, k % 7 % 3, k * k % 8, k) for k in range(300)]
    assert run(policy, 8, operations) == run(policy, 8, operations)


@pytest.mark.parametrize("policy", POLICIES)
def test_contract_a_set_that_is_refilled_again_and_again_gives_up_every_way(policy):
    states = fresh(policy, 8)
    state = mirror(states)[0]
    gone = []
    with np.errstate(all="ignore"):
        for now in range(200):
            gone.append(int(victim(state, 3)))
            arrive(state, 3, gone[-1], now)
    assert set(gone) == set(range(8))


@pytest.mark.parametrize("policy", ["lru", "plru"])
def test_the_line_used_last_stays(policy):
    for way in range(8):
        filled = [(ARRIVE, 0, other, other) for other in range(8)]
        assert run(policy, 8, [*filled, (TOUCH, 0, way, 100), (VICTIM, 0, 0, 101)]) != [way]


def test_a_use_does_not_save_a_line_from_fifo():
    filled = [(ARRIVE, 0, way, way) for way in range(4)]
    assert run("fifo", 4, [*filled, (TOUCH, 0, 0, 50), (VICTIM, 0, 0, 51)]) == [0]


def test_of_lines_used_in_the_same_cycle_the_lowest_way_goes():
    assert run("lru", 4, [*[(ARRIVE, 0, way, 9) for way in (3, 1, 2, 0)], (VICTIM, 0, 0, 10)]) == [0]


def test_random_takes_every_way_about_equally_often_and_another_seed_takes_others():
    draws = [(VICTIM, 0, 0, k) for k in range(4000)]
    chosen = run("random", 8, draws)
    assert all(420 < chosen.count(way) < 580 for way in range(8))
    assert chosen != run("random", 8, draws, seed=2)


def test_random_is_xorshift64():
    state = int(fresh("random", 7)["random"][0])
    expected = []
    for _ in range(20):
        state ^= state << 13 & (1 << 64) - 1
        state ^= state >> 7
        state ^= state << 17 & (1 << 64) - 1
        expected.append((state >> 32) % 7)
    assert run("random", 7, [(VICTIM, 0, 0, k) for k in range(20)]) == expected


def test_the_configuration_offers_exactly_these_policies():
    offered = next(setting.range for setting in all_settings() if setting.name == "l1.replacement")
    assert offered == " | ".join(POLICIES)


def test_a_tree_over_three_ways_is_refused():
    with pytest.raises(ConfigError) as error:
        load_config("tiny", {"l1.bytes": 384, "l1.ways": 3, "l1.replacement": "plru"})
    assert str(error.value) == "l1.replacement = 'plru': its tree needs a power of two of ways, up to 64; l1 has 3 in a set"
