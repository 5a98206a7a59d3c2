"""Memory channels as a first-come server, against a list of channels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.channels import DATA_ANSWER, DATA_HOLD, PROGRAM_ANSWER, PROGRAM_HOLD, Channels, request


@unit
def drive(servers, asked, answers):
    """Rows of `asked`: cycle, bytes."""
    for k in range(asked.shape[0]):
        answers[k] = request(servers[0], asked[k, 1], asked[k, 0])


def run(count, width, hold, answer, asked):
    servers = np.zeros(1, Channels)
    servers["count"], servers["width"], servers["hold"], servers["answer"] = count, width, hold, answer
    rows = np.array(asked, np.int64).reshape(-1, 2)
    _, after = both(drive, servers, rows, np.zeros(len(rows), np.int64))
    return after[2].tolist(), after[0][0]


def listed(count, width, hold, answer, asked):
    """A first-come server: each piece takes the channel that is free first."""
    free, done = [0] * count, []
    for now, size in asked:
        pieces = -(-size // width)
        ends = [now]
        for _ in range(pieces):
            start = max(now, min(free))
            channel = next((number for number, time in enumerate(free) if time <= now), free.index(min(free)))
            free[channel] = start + hold
            ends.append(start + answer - 1)
        done.append(max(ends))
    return done


gaps = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 20)), max_size=30)


@settings(max_examples=150, deadline=None)
@given(count=st.integers(1, 6), width=st.sampled_from([1, 4, 16]), rows=gaps)
def test_agrees_with_a_list(count, width, rows):
    now, asked = 0, []
    for gap, size in rows:
        now += gap
        asked.append((now, size))
    got, left = run(count, width, DATA_HOLD, DATA_ANSWER, asked)
    assert got == listed(count, width, DATA_HOLD, DATA_ANSWER, asked)
    pieces = sum(-(-size // width) for _, size in asked)
    assert (left["requests"], left["busy"].sum()) == (pieces, pieces * DATA_HOLD)


def test_an_idle_channel_answers_after_tiny_gpus_handshakes():
    assert run(4, 1, DATA_HOLD, DATA_ANSWER, [(10, 1)])[0] == [17]  # usable from cycle 18 on
    assert run(1, 1, PROGRAM_HOLD, PROGRAM_ANSWER, [(10, 1)])[0] == [15]


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_more_channels_serve_more_requests_side_by_side(channels):
    answers, _ = run(channels, 1, DATA_HOLD, DATA_ANSWER, [(0, 1)] * 4)
    assert answers == [7 + DATA_HOLD * (number // channels) for number in range(4)]


def test_nothing_wanted_is_there_at_once():
    assert run(1, 4, DATA_HOLD, DATA_ANSWER, [(5, 0)])[0] == [5]


@pytest.mark.parametrize(
    ("free", "taken"),
    [([50, 40, 60], 0), ([51, 50, 40], 1), ([51, 52, 50], 2), ([60, 60, 60], 0), ([61, 60, 60], 1), ([62, 61, 60], 2), ([0, 0, 0], 0)],
)
def test_the_lowest_channel_that_is_free_serves_and_else_the_lowest_of_those_that_are_first(free, taken):
    """In cycle 50, of three channels; a fourth is none of them."""
    (channels,) = mirror(zeros(1, Channels))
    channels.count, channels.width, channels.hold, channels.answer = 3, 4, 7, 9
    channels.free[:4] = [*free, 0]
    start = max(50, free[taken])
    assert request(channels, 4, 50) == start + 8
    assert channels.free[:4].tolist() == [*(start + 7 if number == taken else at for number, at in enumerate(free)), 0]
    assert channels.busy[:4].tolist() == [7 * (number == taken) for number in range(4)]
    assert channels.requests == 1
