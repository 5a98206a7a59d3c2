"""Dependence counters: what raises them, and until when an instruction waits."""

import numpy as np

from tests.machine.two_engines import both
from warploom.isa.schedule import NO_COUNTER, packed, stall_of
from warploom.machine.core.warps.dependence_counters import DependenceCounters, lower, raise_until, stall_cycles, waits_until
from warploom.machine.engine.unit import FOREVER, unit

RAISE, LOWER, ASK = range(3)


@unit
def drive(counters, steps, answers):
    """Rows of `steps`: what is done, and two numbers."""
    for k in range(steps.shape[0]):
        if steps[k, 0] == RAISE:
            raise_until(counters[0], np.int64(0), np.int64(steps[k, 1]), np.int64(7), np.int64(steps[k, 2]), np.int64(3))
        elif steps[k, 0] == LOWER:
            lower(counters[0], np.int64(0), np.int64(steps[k, 1]), np.int64(steps[k, 2]))
        else:
            which, time = waits_until(counters[0], np.int64(0), np.int64(steps[k, 1]), np.int64(steps[k, 2]))
            answers[k, 0] = which
            answers[k, 1] = time


def told(*steps):
    """The answers to what is asked: (counter or -1 for the stall count, cycle)."""
    answers = np.zeros((len(steps), 2), np.int64)
    found = both(drive, np.zeros(1, DependenceCounters), np.array(steps, np.int64), answers)[1][2].tolist()
    return [tuple(answer) for step, answer in zip(steps, found, strict=True) if step[0] == ASK]


def test_a_counter_is_at_zero_when_all_that_raised_it_have_lowered_it():
    wait = packed(1, wait=0b100)
    assert told((RAISE, 2, 30), (RAISE, 2, 20), (ASK, wait, 5), (ASK, wait, 30), (ASK, packed(1), 5)) == [(2, 30), (-1, 30), (-1, 5)]


def test_of_two_loads_the_last_one_counts():
    wait = packed(1, wait=1)
    steps = (RAISE, 0, FOREVER), (RAISE, 0, FOREVER), (LOWER, 0, 40), (ASK, wait, 41), (LOWER, 0, 60), (ASK, wait, 41)
    assert told(*steps) == [(0, FOREVER), (0, 60)]


def test_what_names_no_counter_raises_none():
    assert told((RAISE, NO_COUNTER, 99), (LOWER, NO_COUNTER, 99), (ASK, packed(1, wait=63), 5)) == [(-1, 5)]


@unit
def drive_stalls(words, cycles):
    for k in range(len(words)):
        cycles[k] = stall_cycles(np.int64(words[k]))


def test_stall_counts_are_those_of_the_words():
    words = np.array([packed(stall, on) for stall in range(16) for on in (True, False)], np.int64)
    found = both(drive_stalls, words, np.zeros(len(words), np.int64))[1][1]
    assert found.tolist() == [stall_of(word) for word in words.tolist()]
