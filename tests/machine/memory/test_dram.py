"""DRAM channels against queues that are stepped cycle by cycle."""

from collections import deque
from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.dram import Dram, configure, request, transfer_clocks
from warploom.machine.memory.settings import Dram as Section

LINE = 128


@unit
def drive(drams, requests, answers):
    """Rows of `requests`: address, bytes, write, cycle of arrival."""
    for k in range(requests.shape[0]):
        answers[k] = request(drams[0], requests[k, 0], requests[k, 1], requests[k, 2], requests[k, 3])


def run(shape, requests):
    """The cycle of each answer, and the state afterwards. shape: channels, interleave, latency, bandwidth, row, row_miss."""
    drams = zeros(1, Dram)
    channels(drams, *shape)
    rows = np.array(requests, np.int64).reshape(-1, 4)
    _, after = both(drive, drams, rows, np.zeros(len(rows), np.int64))
    return after[2].tolist(), after[0][0]


def channels(drams, count, interleave, latency, bandwidth, row, row_miss, **more):
    """Set up simple channels, unless `more` settings say otherwise."""
    section = Section(channels=count, latency=latency, bandwidth=bandwidth, row=row, row_miss=row_miss, **more)
    configure(mirror(drams)[0], section, interleave, "modulo", 0)


class Channel:
    """A queue and a bus. In each cycle the bus opens a row, moves some bytes, or rests."""

    def __init__(self, latency, bandwidth, row_miss):
        self.latency, self.bandwidth, self.row_miss = latency, bandwidth, row_miss
        self.queue, self.open_row, self.current, self.opening, self.left, self.busy = deque(), None, None, 0, 0, 0

    def step(self, now, answers):
        while True:
            if self.current is None:
                if not self.queue:
                    return
                self.current, row, self.left = self.queue.popleft()
                self.opening = 0 if row == self.open_row else self.row_miss
                self.open_row = row
            if self.opening:
                self.opening -= 1
                self.busy += 1
                return
            if self.bandwidth == 0:  # everything at once, and the bus is free for the next one
                answers[self.current], self.current = now + self.latency, None
                continue
            self.busy += 1
            self.left -= self.bandwidth
            if self.left <= 0:
                answers[self.current], self.current = now + self.latency, None
            return


def stepped(shape, requests):
    """Answers and busy cycles of each channel, from stepping all queues."""
    channels, interleave, latency, bandwidth, row, row_miss = shape
    buses = [Channel(latency, bandwidth, row_miss) for _ in range(channels)]
    answers, waiting = {}, deque(enumerate(requests))
    for now in count():
        if len(answers) == len(requests):
            return [answers[k] for k in range(len(requests))], [bus.busy for bus in buses]
        while waiting and waiting[0][1][3] == now:
            k, (address, size, _, _) = waiting.popleft()
            stripe = address // interleave
            inside = stripe // channels * interleave  # byte of its channel at which the line begins
            buses[stripe % channels].queue.append((k, inside // row if row else None, size))
        for bus in buses:
            bus.step(now, answers)


@st.composite
def traffic(draw):
    interleave = draw(st.sampled_from([32, 128]))
    row = draw(st.sampled_from([0, interleave, 4 * interleave, 12 * interleave]))
    row_miss = draw(st.integers(0, 7)) if row else 0
    shape = (draw(st.integers(1, 5)), interleave, draw(st.integers(1, 20)), draw(st.sampled_from([0, 1, 24, 32, 200])), row, row_miss)
    now, requests = 0, []
    for gap, line, offset, size, write in draw(
        st.lists(
            st.tuples(st.sampled_from([0, 0, 1, 9]), st.integers(0, 60), st.integers(0, 31), st.integers(1, 128), st.integers(0, 1)),
            max_size=25,
        )
    ):
        now += gap
        requests.append((line * interleave + offset, size, write, now))
    return shape, requests


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(traffic())
def test_agrees_with_stepped_queues(case):
    shape, requests = case
    answers, state = run(shape, requests)
    expected, busy = stepped(shape, requests)
    assert answers == expected
    assert state["busy"][: shape[0]].tolist() == busy
    assert state["requests"].sum() == len(requests)
    assert state["bytes_read"].sum() == sum(size for _, size, write, _ in requests if not write)
    assert state["bytes_written"].sum() == sum(size for _, size, write, _ in requests if write)
    if shape[4]:
        assert state["row_hits"].sum() + state["row_misses"].sum() == len(requests)


def test_an_idle_channel_answers_after_its_latency():
    assert run((4, LINE, 100, 32, 0, 0), [(0, 32, 0, 7)])[0] == [107]


def test_the_further_cycles_of_a_long_transfer_come_on_top():
    assert run((4, LINE, 100, 32, 0, 0), [(0, 128, 0, 0)])[0] == [103]


def test_a_channel_takes_one_request_at_a_time_and_channels_work_side_by_side():
    shape = (2, LINE, 100, 32, 0, 0)
    assert run(shape, [(0, 128, 0, 0), (2 * LINE, 128, 0, 0), (LINE, 128, 0, 0)])[0] == [103, 107, 103]


def test_a_stream_is_bound_by_bandwidth_and_not_by_latency():
    answers, state = run((4, LINE, 300, 16, 0, 0), [(line * LINE, LINE, 0, 0) for line in range(400)])
    assert max(answers) == 400 * LINE // (4 * 16) + 300 - 1
    assert state["busy"][:4].tolist() == [800] * 4


def test_without_a_limit_nothing_waits():
    assert run((1, LINE, 50, 0, 0, 0), [(line * LINE, LINE, 0, 3) for line in range(10)])[0] == [53] * 10


def test_a_row_is_opened_once_for_a_stream_and_again_and_again_by_two_rows_in_turn():
    shape = (1, LINE, 100, 128, 1024, 20)
    answers, state = run(shape, [(line * LINE, LINE, 0, 0) for line in range(8)])
    assert answers == [120 + line for line in range(8)]
    assert (state["row_misses"][0], state["row_hits"][0]) == (1, 7)
    answers, state = run(shape, [(1024 * (k % 2), LINE, 0, 0) for k in range(8)])
    assert answers == [120 + 21 * k for k in range(8)]
    assert (state["row_misses"][0], state["row_hits"][0]) == (8, 0)


@unit
def ask_bus(drams, sizes, answers):
    for k in range(sizes.shape[0]):
        answers[k] = transfer_clocks(drams[0], sizes[k])


@pytest.mark.parametrize("bandwidth", [1, 3, 15, 16, 64])
def test_some_bytes_keep_the_bus_for_as_many_clocks_as_they_have_pieces(bandwidth):
    drams, sizes = zeros(1, Dram), np.arange(1, 66)
    drams["bandwidth"] = bandwidth
    answers = both(ask_bus, drams, sizes, np.zeros(len(sizes), np.int64))[1][2]
    assert answers.tolist() == [len(range(0, size, bandwidth)) for size in sizes]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((65, 128, 1, 1, 0, 0), "dram.channels = 65: there is room for 1 to 64"),
        ((4, 96, 1, 1, 0, 0), "a DRAM interleave of 96 bytes: it is a line, a power of two"),
        ((4, 128, 1, 1, 1000, 0), "dram.row = 1000: a row holds whole lines, so it is a multiple of 128"),
    ],
)
def test_impossible_shapes_are_refused(shape, message):
    with pytest.raises(ConfigError) as error:
        channels(zeros(1, Dram), *shape)
    assert str(error.value) == message


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 4000),
    st.integers(1, 4000),
    st.lists(st.tuples(st.sampled_from([0, 0, 1, 9, 200]), st.integers(0, 30), st.integers(1, 128)), min_size=1, max_size=20),
)
def test_a_channel_of_a_different_clock_keeps_exact_time(core_clock, memory_clock, wanted):
    """Times are exact fractions of a microsecond: nothing is asked, and no answer is there, before its own clock begins."""
    drams = zeros(1, Dram)
    section = Section(channels=1, latency=40, bandwidth=16, row=1024, row_miss=7, clock=memory_clock)
    configure(mirror(drams)[0], section, LINE, "modulo", core_clock)
    now, free, opened = 0, 0, None
    for gap, line, size in wanted:
        now += gap
        answer = request(mirror(drams)[0], line * LINE, size, 0, now)
        asked = Fraction(now, core_clock)
        first = max(free, next(clock for clock in count(now * memory_clock // core_clock) if Fraction(clock, memory_clock) >= asked))
        opening = 0 if opened == line // 8 else 7
        pieces = len(range(0, size, 16))
        free, opened = first + opening + pieces, line // 8
        last = Fraction(free - 1, memory_clock)  # the clock in which the last piece crosses the bus
        at = answer - 40
        assert Fraction(at - 1, core_clock) < last <= Fraction(at, core_clock)
        assert drams["busy_until"][0, 0] == free
