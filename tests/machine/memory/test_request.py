"""Requests that wait in a unit: each keeps its fields under an index of its own, and an index is given out again."""

import numpy as np

from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit, zeros
from warploom.machine.memory.dram import Dram
from warploom.machine.memory.request import held, hold, let_go, request


@unit
def come_and_go(pools, steps, answers):
    """Rows of `steps`: 0 puts a request with these fields down, 1 takes the one with an index away."""
    pool = pools[0]
    for k in range(steps.shape[0]):
        if steps[k, 0] == 0:
            answers[k] = hold(pool, request(steps[k, 1], steps[k, 1] + 1, steps[k, 1] + 2, steps[k, 1] + 3, steps[k, 1] + 4))
        else:
            found = held(pool, steps[k, 1])
            answers[k] = found.kind + found.core * 100 + found.line * 10_000 + np.int64(found.sectors) * 1_000_000 + found.tag * 100_000_000
            let_go(pool, steps[k, 1])


def test_requests_keep_their_fields_and_indices_follow_one_another_and_are_given_out_again():
    steps = np.array([(0, 10), (0, 20), (0, 30), (1, 1), (0, 40), (0, 50), (1, 0), (1, 1), (0, 60)], np.int64)
    _, (pools, _, answers) = both(come_and_go, zeros(1, Dram), steps, np.zeros(len(steps), np.int64))
    assert answers.tolist() == [0, 1, 2, 2423222120, 1, 3, 1413121110, 4443424140, 1]
    assert pools[0]["waiting"] == 3
