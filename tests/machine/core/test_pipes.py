"""Execution pipes against slots that are stepped cycle by cycle.

The model is guppy's ALU: an instruction enters slot 0 with its latency as a timer; at the end of every cycle all timers in the pipe
count down; if the last slot holds one that has not reached zero the whole pipe stands still, else the last slot is written
back and everything moves on by one.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.core.pipes import Pipes, accept, find_idle_pipes, next_free
from warploom.machine.engine.bits import EMPTY, lowest
from warploom.machine.engine.unit import mirror, unit


@unit
def drive(units, wishes, answers):
    """Rows of `wishes`: the first cycle in which an instruction wants to enter, its latency. They enter in order, one a cycle and pipe.

    Rows of `answers`: pipe, cycle of entry, first cycle in which the result can be used.
    """
    pipes = units[0]
    now = np.int64(0)
    for k in range(wishes.shape[0]):
        now = max(now, np.int64(wishes[k, 0]))
        find_idle_pipes(pipes, now)
        if pipes.idle == EMPTY:
            now = next_free(pipes)
            find_idle_pipes(pipes, now)
        answers[k, 0] = lowest(pipes.idle)
        answers[k, 1] = now
        answers[k, 2] = accept(pipes, now, wishes[k, 1])


def run(count, depth, passes, wishes):
    units = np.zeros(1, Pipes)
    units["count"], units["depth"], units["passes"] = count, depth, passes
    rows = np.array(wishes, np.int64).reshape(-1, 2)
    _, after = both(drive, units, rows, np.zeros((len(rows), 3), np.int64))
    return [tuple(row) for row in after[2].tolist()], after[0][0]


class Slots:
    """One pipe, stepped."""

    def __init__(self, depth):
        self.slots = [None] * depth

    def cycle(self):
        """The end of a cycle; returns the instruction that is written back in it, or None."""
        for entry in self.slots:
            if entry is not None:
                entry[1] -= 1
        last = self.slots[-1]
        if last is not None and last[1] > 0:
            return None
        self.slots = [None, *self.slots[:-1]]
        return None if last is None else last[0]


def stepped(count, depth, wishes):
    pipes = [Slots(depth) for _ in range(count)]
    answers, waiting, now = {}, list(enumerate(wishes)), 0
    entered = {}
    while len(answers) < len(wishes):
        while waiting and waiting[0][1][0] <= now:
            free = next((number for number, pipe in enumerate(pipes) if pipe.slots[0] is None), None)
            if free is None:
                break
            number, (_, latency) = waiting.pop(0)
            pipes[free].slots[0] = [number, latency]
            entered[number] = (free, now)
        for pipe in pipes:
            done = pipe.cycle()
            if done is not None:
                answers[done] = now + 1
        now += 1
    return [(*entered[number], answers[number]) for number in range(len(wishes))]


latencies = st.one_of(st.integers(1, 4), st.integers(1, 40))
gaps = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 30))


@settings(max_examples=400, deadline=None)
@given(count=st.integers(1, 3), depth=st.integers(1, 32), rows=st.lists(st.tuples(gaps, latencies), max_size=45))
def test_agrees_with_stepped_slots(count, depth, rows):
    now, wishes = 0, []
    for gap, latency in rows:
        now += gap
        wishes.append((now, latency))
    got, _ = run(count, depth, 1, wishes)
    assert got == stepped(count, depth, wishes)


@settings(max_examples=100, deadline=None)
@given(depth=st.integers(1, 4), rows=st.lists(st.tuples(st.just(0), st.integers(1, 9)), min_size=20, max_size=60))
def test_agrees_with_stepped_slots_when_it_is_always_full(depth, rows):
    got, _ = run(1, depth, 1, rows)
    assert got == stepped(1, depth, rows)


def test_a_divide_of_four_cycles_blocks_a_pipe_of_one_slot_for_four_cycles():
    answers, left = run(1, 1, 1, [(0, 4), (0, 1), (0, 1)])
    assert answers == [(0, 0, 4), (0, 4, 5), (0, 5, 6)]
    assert left["busy"][0] == 3


def test_a_result_is_there_after_the_pipe_or_the_latency_whichever_is_longer():
    assert run(1, 3, 1, [(0, 1)])[0] == [(0, 0, 3)]
    assert run(1, 3, 1, [(0, 7)])[0] == [(0, 0, 7)]


def test_an_instruction_takes_the_first_free_alu():
    answers, _ = run(2, 1, 1, [(0, 4), (0, 4), (0, 1), (4, 1)])
    assert answers == [(0, 0, 4), (1, 0, 4), (0, 4, 5), (1, 4, 5)]


@pytest.mark.parametrize("passes", [1, 2, 4])
def test_without_slots_nothing_stands_still_and_the_chime_bounds_the_rate(passes):
    answers, _ = run(1, 0, passes, [(0, 9), (0, 2), (0, 1)])
    assert answers == [(0, 0, 9), (0, passes, passes + 2), (0, 2 * passes, 2 * passes + 1)]


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_a_narrow_alu_takes_one_instruction_a_chime(depth):
    answers, _ = run(1, depth, 4, [(0, 1)] * 5)
    assert [entry for _, entry, _ in answers] == [0, 4, 8, 12, 16]
    assert [ready - entry for _, entry, ready in answers] == [max(depth, 1)] * 5


@unit
def fill(units, said):
    """Take an instruction into each pipe; `said`: the pipes that are idle before each, and after the last."""
    find_idle_pipes(units[0], np.int64(0))
    for number in range(units[0].count):
        said[number] = units[0].idle
        accept(units[0], np.int64(0), np.int64(5))
    said[units[0].count] = units[0].idle


@pytest.mark.parametrize("count", [1, 3, 16, 17, 33, 64])
@pytest.mark.parametrize("depth", [0, 4])
def test_the_pipes_of_a_cycle_are_taken_in_order_and_then_none_is_idle(depth, count):
    units = np.zeros(1, Pipes)
    units["count"], units["depth"], units["passes"] = count, depth, 2
    every = (1 << count) - 1
    _, after = both(fill, units, np.zeros(count + 1, np.uint64))
    assert after[1].tolist() == [every & ~((1 << taken) - 1) for taken in range(count + 1)]


def test_a_pipe_is_idle_from_the_cycle_in_which_it_is_free():
    (pipes,) = mirror(np.zeros(1, Pipes))
    pipes.count, pipes.free[:5] = 20, (7, 8, 9, 100, 0)
    pipes.free[15:20] = (9, 8, 7, 9, 8)
    find_idle_pipes(pipes, 8)
    assert int(pipes.idle) == sum(1 << pipe for pipe in range(20) if pipes.free[pipe] <= 8)
