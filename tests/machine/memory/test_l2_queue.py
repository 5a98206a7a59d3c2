"""The queue of a slice of the second-level cache, against a list: who waits, and when the slice has its turn."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.memory import l2_queue
from warploom.machine.memory.transactions import SLICE_TURN


def slices(count=3, places=32):
    """The queues of an idle second-level cache, the turns that are scheduled as (cycle, slice), and what its requests are held as."""
    names = ("queue_first", "queue_last", "stalled", "turn", "slice_free")
    l2 = SimpleNamespace(**{name: np.zeros(count, np.int64) for name in names}, next=np.zeros(places, np.int64))
    return SimpleNamespace(wheel="the wheel"), l2


@pytest.fixture
def turns(monkeypatch):
    found = []

    def schedule(wheel, time, asked):
        assert (wheel, asked[:2]) == ("the wheel", (SLICE_TURN, -1))
        found.append((int(time), int(asked[2]), *map(int, asked[3:])))

    monkeypatch.setattr(l2_queue, "schedule", schedule)
    monkeypatch.setattr(l2_queue, "request", lambda *fields: fields)
    return found


def test_requests_wait_in_the_order_in_which_they_have_come(monkeypatch, turns):
    gpu, l2 = slices()
    monkeypatch.setattr(l2_queue, "hold", lambda l2, asked: asked)
    source, model = random.Random(1), {number: [] for number in range(3)}
    for index in source.sample(range(32), 20):
        number = source.randrange(3)
        model[number].append(index)
        l2_queue.queue_up(gpu, l2, number, index, 40)
    for number, waiting in model.items():
        found, link = [], int(l2.queue_first[number])
        while link:
            found.append(link - 1)
            link = int(l2.next[link - 1])
        assert found == waiting
        assert l2.queue_last[number] == waiting[-1] + 1
    assert sorted(turns) == [(41, number, 0, 0) for number in range(3)]  # one each, in the next cycle


def test_a_slice_that_stands_still_has_no_turn_until_it_goes_on(monkeypatch, turns):
    gpu, l2 = slices()
    monkeypatch.setattr(l2_queue, "hold", lambda l2, asked: asked)
    l2.stalled[1] = 1
    l2_queue.queue_up(gpu, l2, 1, 4, 40)
    assert turns == []
    l2_queue.resume(gpu, l2, 1, 50)
    assert (turns, l2.stalled.tolist(), l2.turn.tolist()) == ([(50, 1, 0, 0)], [0, 0, 0], [0, 1, 0])
    l2_queue.resume(gpu, l2, 2, 51)  # which did not stand still
    assert len(turns) == 1


@pytest.mark.parametrize(("free", "time"), [(0, 40), (40, 40), (47, 47)])
def test_a_turn_is_as_soon_as_the_slice_takes_a_request_and_only_one_at_a_time(turns, free, time):
    gpu, l2 = slices()
    l2.slice_free[2] = free
    for soonest in (40, 41):
        l2_queue.take_turn(gpu, l2, 2, soonest)
    assert turns == [(time, 2, 0, 0)]
