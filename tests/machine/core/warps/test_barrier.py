"""Barriers against sets of warps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import WARP, Assembly
from tests.machine.two_engines import both
from warploom.gpu import GPU
from warploom.machine.core.warps.barrier import MAX_BARRIERS, Barriers, arrive, release, reset
from warploom.machine.engine.unit import unit

ARRIVE, END, RESET = range(3)
NUMBERS = 3


@unit
def drive(tables, steps, freed):
    """Rows of `steps`: kind, block, barrier, warp, waits, expected, alive. Row of `freed`: the mask that each barrier sets going."""
    barriers = tables[0]
    for k in range(steps.shape[0]):
        block, number, warp, alive = steps[k, 1], steps[k, 2], steps[k, 3], np.uint64(steps[k, 6])
        if steps[k, 0] == ARRIVE:
            freed[k, number] = arrive(barriers, block, number, warp, steps[k, 4], steps[k, 5], alive)
        elif steps[k, 0] == END:
            for each in range(NUMBERS):
                freed[k, each] = release(barriers, block, each, alive)
        else:
            reset(barriers, block)


def run(steps):
    tables = np.zeros(1, Barriers)
    tables["count"] = NUMBERS
    rows = np.array(steps, np.int64).reshape(-1, 7)
    _, after = both(drive, tables, rows, np.zeros((len(rows), NUMBERS), np.uint64))
    return [[set_of(int(mask)) for mask in row] for row in after[2]], after[0][0]


def set_of(mask):
    return {warp for warp in range(64) if mask >> warp & 1}


def mask_of(warps):
    return sum(1 << warp for warp in warps)


class Sets:
    """The barriers of one block: who has arrived, who waits, how many must."""

    def __init__(self, alive):
        self.alive = set(alive)
        self.arrived = [set() for _ in range(NUMBERS)]
        self.waiting = [set() for _ in range(NUMBERS)]
        self.expected = [0] * NUMBERS

    def open(self, number):
        arrived, expected = self.arrived[number], self.expected[number]
        complete = len(arrived) >= expected if expected else self.alive <= arrived
        if not arrived or not complete:
            return set()
        freed = self.waiting[number]
        self.arrived[number], self.waiting[number] = set(), set()
        return freed


@st.composite
def scenarios(draw):
    blocks = {0: Sets(range(5)), 7: Sets([10, 20, 63])}
    steps, expected = [], []
    for _ in range(draw(st.integers(0, 30))):
        block = draw(st.sampled_from(sorted(blocks)))
        sets = blocks[block]
        free = sorted(warp for warp in sets.alive if not any(warp in waiting for waiting in sets.waiting))
        kind = draw(st.sampled_from([ARRIVE, ARRIVE, ARRIVE, END, RESET]))
        if kind == RESET:
            blocks[block] = Sets(range(5) if block == 0 else [10, 20, 63])
            steps.append((RESET, block, 0, 0, 0, 0, 0))
            expected.append([set()] * NUMBERS)
        elif free:
            warp = draw(st.sampled_from(free))
            if kind == ARRIVE:
                number, waits, count = draw(st.integers(0, NUMBERS - 1)), draw(st.booleans()), draw(st.sampled_from([0, 0, 0, 1, 2]))
                sets.arrived[number].add(warp)
                sets.expected[number] = count
                if waits:
                    sets.waiting[number].add(warp)
                steps.append((ARRIVE, block, number, warp, waits, count, to_signed(sets.alive)))
                expected.append([sets.open(each) if each == number else set() for each in range(NUMBERS)])
            else:
                sets.alive.discard(warp)
                steps.append((END, block, 0, warp, 0, 0, to_signed(sets.alive)))
                expected.append([sets.open(number) for number in range(NUMBERS)])
    return steps, expected


def to_signed(warps):
    mask = mask_of(warps)
    return mask - (1 << 64) if mask >> 63 else mask


@settings(max_examples=200, deadline=None)
@given(scenarios())
def test_agrees_with_sets(scenario):
    steps, expected = scenario
    freed, _ = run(steps)
    assert freed == expected


def step(kind, warp, alive, *, waits=1, expected=0, number=0, block=0):
    return (kind, block, number, warp, waits, expected, mask_of(alive))


def test_the_last_to_arrive_sets_all_going():
    freed, _ = run([step(ARRIVE, warp, {0, 1, 2}) for warp in (1, 0, 2)])
    assert [row[0] for row in freed] == [set(), set(), {0, 1, 2}]


def test_barriers_of_a_block_do_not_know_each_other():
    freed, _ = run([step(ARRIVE, 0, {0, 1}, number=0), step(ARRIVE, 1, {0, 1}, number=1), step(ARRIVE, 1, {0, 1}, number=0)])
    assert [row[0] for row in freed] == [set(), set(), {0, 1}]


def test_a_warp_that_arrives_and_goes_on_is_counted_and_not_held():
    freed, _ = run([step(ARRIVE, 0, {0, 1}, waits=0), step(ARRIVE, 1, {0, 1})])
    assert [row[0] for row in freed] == [set(), {1}]


def test_a_warp_that_ends_opens_a_barrier_that_waited_only_for_it():
    freed, _ = run([step(ARRIVE, 0, {0, 1, 2}), step(ARRIVE, 2, {0, 1, 2}), step(END, 1, {0, 2})])
    assert [row[0] for row in freed] == [set(), set(), {0, 2}]


def test_a_warp_that_arrived_and_then_ended_does_not_stand_for_one_that_has_not_arrived():
    freed, _ = run([step(ARRIVE, 0, {0, 1, 2}, waits=0), step(END, 0, {1, 2}), step(ARRIVE, 1, {1, 2}), step(ARRIVE, 2, {1, 2})])
    assert [row[0] for row in freed] == [set(), set(), set(), {1, 2}]


def test_a_barrier_for_some_warps_opens_when_as_many_have_come():
    freed, _ = run([step(ARRIVE, warp, {0, 1, 2, 3}, expected=2) for warp in (3, 1, 0)])
    assert [row[0] for row in freed] == [set(), {1, 3}, set()]


def test_a_new_block_finds_empty_barriers():
    freed, left = run([step(ARRIVE, 0, {0, 1}, number=2), step(RESET, 0, set()), step(ARRIVE, 1, {0, 1}, number=2)])
    assert freed[2][2] == set()
    assert set_of(int(left["arrived"][0, 2])) == {1}
    assert left["arrived"].shape[1] == MAX_BARRIERS


def barrier_cycles(warps, **settings):
    """Cycles of a barrier that so many warps meet at, one of many in a row."""

    def cycles(count):
        code = Assembly()
        for _ in range(count):
            code("barrier")
        code("exit")
        changes = {"memory.bytes": 1 << 16, "fetch.buffer": 0} | {name.replace("__", "."): value for name, value in settings.items()}
        return GPU("sm", set=changes, engine="python").run(code.program(threads=32 * warps, block=32 * warps)).cycles

    return (cycles(20) - cycles(10)) / 10


@pytest.mark.parametrize("warps", [1, 4, 8, 32])
def test_a_barrier_takes_an_arrival_every_other_cycle_and_then_its_latency(warps):
    """The CUDA Programming Guide's 16 threads a cycle, and the way back."""
    assert barrier_cycles(warps) == 2 * warps + 20
    assert barrier_cycles(warps, core__barrier_latency=50) == 2 * warps + 50


def test_without_such_costs_a_barrier_takes_the_issue_slots_alone():
    assert barrier_cycles(8, core__barrier_latency=0, core__barrier_interval=0) == 2


def test_a_barrier_that_a_warp_s_end_opens_has_its_latency_too():
    def cycles(latency):
        code = Assembly()
        code.branch(WARP, "end")
        code("barrier")
        code("exit")
        code.label("end")
        for _ in range(50):
            code("nop")
        code("exit")
        gpu = GPU("sm", set={"memory.bytes": 1 << 16, "core.barrier_latency": latency}, engine="python")
        return gpu.run(code.program(threads=64, block=64)).cycles

    assert cycles(30) - cycles(10) == 20
