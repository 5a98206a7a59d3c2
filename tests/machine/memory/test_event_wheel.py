"""The event wheel against a sorted list."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.sizes import WHEEL_EVENTS
from warploom.machine.engine.unit import FOREVER, unit, zeros
from warploom.machine.memory.event_wheel import SLOTS, Wheel, give_back, next_time, request_at, room, schedule, take
from warploom.machine.memory.request import request


@unit
def drive(wheels, asked, seen):
    """Rows of `asked`: cycle in which an event is put down, cycles until it happens. Rows of `seen`: when which row happened.

    Goes from one interesting cycle to the next, as the device does; returns how many events were seen, and the cycles visited.
    """
    wheel = wheels[0]
    rows = asked.shape[0]
    row = 0
    count = 0
    visited = 0
    now = np.int64(0)
    while now < FOREVER:
        visited += 1
        while row < rows and asked[row, 0] == now:
            schedule(wheel, now + asked[row, 1], request(row, row & 3, row * 5, row, row * 7))
            row += 1
        index = take(wheel, now)
        while index >= 0:
            seen[count, 0] = now
            found = request_at(wheel, index)
            seen[count, 1] = found.kind
            seen[count, 2] = found.core + found.line + np.int64(found.sectors) + found.tag
            count += 1
            give_back(wheel, index)
            index = take(wheel, now)
        soonest = next_time(wheel, now)
        if row < rows:
            soonest = min(soonest, np.int64(asked[row, 0]))
        now = soonest
    return count * 1_000_000 + visited


def run(rows):
    asked = np.array(rows, np.int64).reshape(-1, 2)
    said, after = both(drive, zeros(1, Wheel), asked, np.zeros((len(rows), 3), np.int64))
    return said // 1_000_000, said % 1_000_000, after


delays = st.one_of(st.integers(0, 3), st.integers(0, 200), st.integers(SLOTS - 2, SLOTS + 2), st.integers(0, 5 * SLOTS))
starts = st.one_of(st.integers(0, 5), st.integers(0, 3 * SLOTS))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(starts, delays), max_size=40))
def test_agrees_with_a_sorted_list(rows):
    rows = sorted(rows, key=lambda row: row[0])
    count, _, after = run(rows)
    expected = sorted((start + delay, number) for number, (start, delay) in enumerate(rows))
    assert count == len(rows)
    assert [tuple(row[:2]) for row in after[2].tolist()] == expected
    assert [row[2] for row in after[2].tolist()] == [(n & 3) + n * 5 + n + n * 7 for _, n in expected]
    wheel = after[0][0]
    assert (wheel["used"] - wheel["freed"], wheel["first"].any(), wheel["occupied"].any()) == (0, False, False)


def test_events_of_later_rounds_do_not_hold_up_those_that_share_their_slot():
    """Two that come a round and two rounds later were there first; one more comes after that of this round has gone."""
    _, _, after = run([(0, 2 * SLOTS + 10), (1, SLOTS + 9), (2, 8), (3, 7), (11, 2 * SLOTS - 1)])
    assert after[2][:, :2].tolist() == [[10, 2], [10, 3], [SLOTS + 10, 1], [2 * SLOTS + 10, 0], [2 * SLOTS + 10, 4]]


def test_idle_cycles_are_skipped():
    _, visited, _ = run([(0, 1000), (0, 1000), (3, 500)])
    assert visited == 4  # cycles 0, 3, 503 and 1000


def test_an_event_a_round_away_is_looked_for_once_a_round_at_most():
    _, visited, _ = run([(0, 5 * SLOTS)])
    assert visited <= 7


@unit
def churn(wheels, rounds):
    """Events that come and go: the places of those that have happened are used again."""
    wheel = wheels[0]
    for now in range(rounds):
        for _ in range(100):
            schedule(wheel, np.int64(now + 1), request(1, 0, 0, 0, 0))
        index = take(wheel, np.int64(now))
        while index >= 0:
            give_back(wheel, index)
            index = take(wheel, np.int64(now))
    return room(wheel)


def test_places_are_used_again():
    left, after = both(churn, zeros(1, Wheel), 30)
    assert left == WHEEL_EVENTS - 100
    assert after[0][0]["used"] == 200
